//! The schemas agree with the readers, on every manifest that is written anywhere in this repository.
#![allow(clippy::unwrap_used, clippy::panic, clippy::disallowed_methods)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use agpm_diag::{Diagnostic, SourceMap, SourceSpan, codes, has_errors};
use agpm_model::{
    InstallScope, LOCK_SCHEMA, MANIFEST_SCHEMA, Manifest, ManifestTexts, SectionEntry,
};
use agpm_testkit::schema_problems;
use agpm_text::{Document, Format, Limits, NodeRef, Value, parse, print, to_value};

const KEY: &str = "no-such-key";

/// A manifest with every key.
const WHOLE: &str = r#"
extends = ["github:corp/base@^3", "../base"]
allow-executables = ["scripts/*", "source:hub"]
allow-sources = ["github:corp/*"]
gitignore = false

[budget]
claude-code = 8000

[sources]
hub = "https://example.com/hub.git"
plain = { url = "oci://registry.example.com/team", insecure = true }

[project]
language = "Rust"
since = 2024-01-01
tools = ["claude-code", "codex"]

[default-tools]
snippets = "claude-code"
agents = ["codex", "claude-code"]

[tools.own]
path = ".own"
enabled = true
resources.agents = { path = "agents", flatten = true }
resources.hooks = { merge-target = ".own/hooks.json" }

[agents]
local = "./agents/local.md"
one = { source = "hub", path = "agents/one.md", version = "^1.0", tool = "own", target = "x", filename = "y.md" }
own = { path = ".claude/agents/own.md", tool = "claude-code", in-place = true }
two = { source = "hub", path = "agents/**/*.md", branch = "main", flatten = false, exclude = ["x"], install = false, repo = "r", dependencies = {} }
three = { source = "hub", path = "agents/three.md", rev = "abcdef0", tools = ["codex", "own"], allow-widening = ["codex"], template_vars = { project = { a = 1 }, b = 2 } }

[snippets]

[commands]

[scripts]

[hooks]

[skills]

[mcp-servers]
inline = { command = "npx", args = ["-y", "server"], env = { HOME = "/" }, cwd = "servers" }
remote = { url = "https://example.com/mcp", type = "sse", headers = { X-Team = "core" }, disabled = true }
file = { path = "servers/file.json", rename = { old = "new" } }

[instructions]
style = { source = "hub", path = "rules/style.md", version = "^1.0", paths = ["src/**"], block = true }
rust = { path = "rules/rust.md", paths = "src/**/*.rs" }

[plugins]
folder = "./plugins/folder"
review = { source = "hub", path = "plugins/review", version = "^1.0", only = ["agents", "hooks/review"], exclude = ["agents/old"], prefix = true }
hookify = { marketplace = "hub", name = "hookify" }

[patch.agents.one]
model = "opus"
patch-file = "patches/agents/one.diff"

[policy]
on-unreachable = "warn"
[policy.sources]
allow = ["github:corp/*"]
deny = ["github:evil/*"]
[policy.resources]
deny = [{ match = "github:acme/agents//skills/deploy@<1.4", reason = "CVE-2026-1" }]
[policy.types]
allow = ["agents"]
deny = ["hooks"]
[policy.tools]
allow = ["claude-code"]
deny = ["zed"]
[policy.mcp]
allow-hosts = ["*.corp"]
allow-commands = ["npx @corp/*"]
[policy.executables]
mode = "approve"
[policy.versions]
pinned-only = true
min-release-age = "7d"
[policy.permissions]
deny = ["Bash(*)"]
[policy.require]
"skills/secure-coding" = "^2"
[policy.signatures]
require = ["https://git.corp/**"]
[policy.audit]
level = "error"

[audit]
level = "warning"
with = ["scan.sarif"]

[[audit.ignore]]
rule = "audit/secret"
resource = "skills/*"
reason = "an example"

[[layers]]
name = "org"
source = "hub"
version = "v1.0.0"
root = "shared"
include = [".claude/**"]

[[layers]]
name = "branch"
source = "hub"
branch = "main"

[[layers]]
name = "rev"
source = "hub"
rev = "abcdef0"

[[layers]]
name = "me"
path = "~/layers"

[merge]
"*.yaml" = "extend-lists"
"settings.json" = { strategy = "deep", lists = "union", separator = "none", unset = ["/a"], rules = { "/b" = "by-key:id:deep", "/c/*" = { op = "append" }, "/d" = { by-key = "id", items = "deep" }, "/e" = { empty = "clear" } } }

[strategies.ours]
strategy = "smart-lists"
lists = { by-key = "name", items = "replace" }
command = ["tool", "%base", "%new"]
separator = "heading"
rules = {}
unset = []

[catalog]
remotes = ["hub#v1.0.0:/team", "git+https://example.com/more.git"]

[lineage]
"#;

/// Parses a manifest; `None` if it is not TOML.
fn document(text: &str) -> Option<Document> {
    let source = SourceMap::default().add("agpm.toml", text);
    let parsed = parse(source, text, Format::Toml, Limits::default());
    let good = parsed.diagnostics.is_empty() && parsed.document.root().is_some();
    good.then_some(parsed.document)
}

/// The findings of the manifest reader.
fn read(document: &Document) -> Vec<Diagnostic> {
    read_beside(document, &[])
}

/// The findings for a text with syntax errors.
fn read_beside(document: &Document, syntax_errors: &[SourceSpan]) -> Vec<Diagnostic> {
    let section = |name: &str| document.root().and_then(|root| root.get(name));
    let entries = |name: &str| {
        section(name)
            .into_iter()
            .flat_map(NodeRef::entries)
            .map(|(key, value)| SectionEntry { key, value })
            .collect()
    };
    let texts = ManifestTexts {
        scope: InstallScope::Project,
        project: document,
        manifest: document,
        bases: &[],
        private: None,
        config: None,
        entries: &entries,
        syntax_errors,
    };
    Manifest::read(&texts).1
}

fn value_of(document: &Document) -> Value {
    to_value(document.root().unwrap())
}

/// All texts of the repository that may be a manifest: files, code blocks of documents, literals of tests.
fn texts() -> BTreeSet<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut texts = BTreeSet::new();
    let mut places: Vec<PathBuf> = ["docs", "examples", "README.md", "crates"]
        .map(|name| root.join(name))
        .into();
    while let Some(place) = places.pop() {
        if place.is_dir() {
            places.extend(
                fs::read_dir(&place)
                    .unwrap()
                    .map(|entry| entry.unwrap().path()),
            );
            continue;
        }
        let Ok(text) = fs::read_to_string(&place) else {
            continue;
        };
        match place.extension().and_then(|ending| ending.to_str()) {
            Some("toml") => drop(texts.insert(text)),
            Some("md") => texts.extend(blocks(&text)),
            Some("rs") => texts.extend(literals(&text)),
            _ => {}
        }
    }
    texts
}

/// The TOML code blocks of a document.
fn blocks(text: &str) -> Vec<String> {
    let parts = text.split("\n```toml\n").skip(1);
    parts
        .filter_map(|part| Some(format!("{}\n", part.split("\n```").next()?)))
        .collect()
}

/// The string literals of a program, accurately enough to find manifests.
fn literals(text: &str) -> Vec<String> {
    let raw = text
        .split("r#\"")
        .skip(1)
        .filter_map(|part| Some(part.split("\"#").next()?.to_owned()));
    let mut found: Vec<String> = raw.collect();
    for part in text.replace("\\\"", "\u{1}").split('"') {
        let joined: Vec<&str> = part
            .split("\\\n")
            .enumerate()
            .map(|(at, line)| if at == 0 { line } else { line.trim_start() })
            .collect();
        let text = joined
            .concat()
            .replace("\\n", "\n")
            .replace('\u{1}', "\"")
            .replace("\\\\", "\\");
        found.push(text.replace("{{", "{").replace("}}", "}"));
    }
    found
}

static TEXTS: LazyLock<BTreeSet<String>> = LazyLock::new(texts);

/// All non-empty manifests that the reader accepts.
static ACCEPTED: LazyLock<Vec<Value>> = LazyLock::new(|| {
    let documents = TEXTS.iter().filter_map(|text| document(text));
    let good = documents
        .filter(|document| !has_errors(&read(document)))
        .map(|document| value_of(&document));
    good.filter(|value| *value != Value::map::<&str>([]))
        .collect()
});

#[test]
fn accepted_manifests_are_valid() {
    let schema = MANIFEST_SCHEMA.to_json_schema();
    assert!(
        ACCEPTED.len() > 150,
        "only {} manifests were found",
        ACCEPTED.len()
    );
    for manifest in ACCEPTED.iter() {
        assert_eq!(
            schema_problems(&schema, manifest),
            Vec::<String>::new(),
            "{}",
            manifest.to_json()
        );
    }
}

#[test]
fn keys_that_the_reader_does_not_know_are_not_valid() {
    let schema = MANIFEST_SCHEMA.to_json_schema();
    let unknown = |document: &Document| {
        read(document)
            .iter()
            .any(|one| one.code == &codes::MANIFEST_UNKNOWN_KEY)
    };
    let documents: Vec<Document> = TEXTS
        .iter()
        .filter_map(|text| document(text))
        .filter(unknown)
        .collect();
    assert!(
        documents.len() > 10,
        "only {} manifests were found",
        documents.len()
    );
    for document in documents {
        assert!(
            !schema_problems(&schema, &value_of(&document)).is_empty(),
            "{}",
            document.text()
        );
    }
}

/// Copies of the value, each with an unknown key in one of its tables.
fn with_strange_keys(value: &Value) -> Vec<Value> {
    let mut found = Vec::new();
    if let Value::Map(entries) = value {
        let strange = (KEY.to_owned(), Value::from(7_usize));
        found.push(Value::Map(
            entries.iter().cloned().chain([strange]).collect(),
        ));
    }
    found.extend(with_parts(value, &with_strange_keys));
    found
}

/// Copies of the value, each without one key or with one changed leaf.
fn with_less(value: &Value) -> Vec<Value> {
    let mut found = with_parts(value, &with_less);
    match value {
        Value::Map(entries) => found.extend((0..entries.len()).map(|at| {
            let kept = entries.iter().enumerate().filter(|(index, _)| *index != at);
            Value::Map(kept.map(|(_, entry)| entry.clone()).collect())
        })),
        Value::List(_) => {}
        _ => found.extend(["", ".", "../x", "word", "by-key:id"].map(Value::from)),
    }
    found.extend([
        Value::from(7_usize),
        true.into(),
        Value::List(Vec::new()),
        Value::Map(Vec::new()),
    ]);
    found
}

/// All copies of the value with one changed part.
fn with_parts(value: &Value, change: &dyn Fn(&Value) -> Vec<Value>) -> Vec<Value> {
    match value {
        Value::Map(entries) => (0..entries.len())
            .flat_map(|at| {
                change(&entries[at].1)
                    .into_iter()
                    .map(move |part| (at, part))
            })
            .map(|(at, part)| {
                let mut entries = entries.clone();
                entries[at].1 = part;
                Value::Map(entries)
            })
            .collect(),
        Value::List(items) => (0..items.len())
            .flat_map(|at| change(&items[at]).into_iter().map(move |part| (at, part)))
            .map(|(at, part)| {
                let mut items = items.clone();
                items[at] = part;
                Value::List(items)
            })
            .collect(),
        _ => Vec::new(),
    }
}

fn document_of(value: &Value) -> Option<Document> {
    document(&print(value, Format::Toml).ok()?)
}

#[test]
fn a_strange_key_is_taken_by_both_or_by_neither() {
    let schema = MANIFEST_SCHEMA.to_json_schema();
    let manifests: Vec<Document> = ACCEPTED
        .iter()
        .flat_map(with_strange_keys)
        .filter_map(|one| document_of(&one))
        .collect();
    assert!(
        manifests.len() > 400,
        "only {} manifests were made",
        manifests.len()
    );
    for document in manifests {
        let (reader, found) = (
            read(&document),
            schema_problems(&schema, &value_of(&document)),
        );
        assert_eq!(
            has_errors(&reader),
            !found.is_empty(),
            "{}\n{found:?}\n{reader:?}",
            document.text()
        );
    }
}

#[test]
fn accepted_changed_manifests_are_valid() {
    let schema = MANIFEST_SCHEMA.to_json_schema();
    let changed: Vec<Value> = ACCEPTED.iter().flat_map(with_less).collect();
    // Neighbors differ in one key, so an even sample loses little and the test stays short as the corpus grows.
    let step = (changed.len() / 5000).max(1);
    let manifests: Vec<Document> = changed
        .iter()
        .step_by(step)
        .filter_map(document_of)
        .collect();
    assert!(
        manifests.len() > 3000,
        "only {} manifests were made",
        manifests.len()
    );
    for document in manifests {
        let found = schema_problems(&schema, &value_of(&document));
        assert!(
            has_errors(&read(&document)) || found.is_empty(),
            "{}\n{found:?}",
            document.text()
        );
    }
}

#[test]
fn every_key_says_what_it_is_for() {
    fn check(value: &Value, at: &str) {
        let Value::Map(entries) = value else { return };
        let properties = value.get("properties").filter(|_| at != "template_vars");
        if let Some(Value::Map(keys)) = properties {
            let plain =
                |says: &Value| says.get("description").is_none() && says.get("anyOf").is_none();
            for (key, says) in keys {
                let by_kind = agpm_model::ResourceType::named(key).is_some();
                assert!(by_kind || !plain(says), "`{key}` of `{at}` says nothing");
            }
        }
        entries.iter().for_each(|(key, inner)| check(inner, key));
    }
    check(&MANIFEST_SCHEMA.to_json_schema(), "manifest");
    check(&LOCK_SCHEMA.to_json_schema(), "lock");
}

/// The keys of all tables of a schema.
fn known_keys(schema: &Value, keys: &mut BTreeSet<String>) {
    let inner = match schema {
        Value::Map(entries) => entries.iter().map(|(_, inner)| inner).collect(),
        Value::List(items) => items.iter().collect(),
        _ => Vec::new(),
    };
    if let (Some(Value::Map(properties)), Some(Value::Bool(false))) =
        (schema.get("properties"), schema.get("additionalProperties"))
    {
        keys.extend(properties.iter().map(|(key, _)| key.clone()));
    }
    inner.into_iter().for_each(|inner| known_keys(inner, keys));
}

#[test]
fn the_whole_manifest_has_every_key_and_is_valid() {
    let document = document(WHOLE).unwrap();
    let found = read(&document);
    assert!(!has_errors(&found), "{found:?}");
    assert_eq!(
        schema_problems(&MANIFEST_SCHEMA.to_json_schema(), &value_of(&document)),
        Vec::<String>::new()
    );
    let mut keys = BTreeSet::new();
    known_keys(&MANIFEST_SCHEMA.to_json_schema(), &mut keys);
    let missing: Vec<&String> = keys
        .iter()
        .filter(|key| !WHOLE.contains(key.as_str()))
        .collect();
    assert_eq!(missing, Vec::<&String>::new());
}

/// The spans of all keys, recursively.
fn key_spans(map: NodeRef<'_>, found: &mut BTreeSet<(usize, usize)>) {
    for (key, value) in map.entries() {
        found.insert((key.span().start as usize, key.span().end as usize));
        key_spans(value, found);
    }
    map.items().for_each(|item| key_spans(item, found));
}

fn count_of(found: &[Diagnostic], one: &Diagnostic) -> usize {
    let same = |other: &&Diagnostic| other.code == one.code && other.message == one.message;
    found.iter().filter(same).count()
}

#[test]
fn the_edit_for_a_misspelled_key_restores_the_manifest() {
    let whole = document(WHOLE).unwrap();
    let mut spans = BTreeSet::new();
    key_spans(whole.root().unwrap(), &mut spans);
    let (mut restored, mut others) = (0, 0);
    let long = |(start, end): (usize, usize)| (end - start > 3).then_some(start);
    for start in spans.into_iter().filter_map(long) {
        // The key without its second letter.
        let text = format!("{}{}", &WHOLE[..start + 1], &WHOLE[start + 2..]);
        let Some(misspelled) = document(&text) else {
            continue;
        };
        let found = read(&misspelled);
        for one in found.iter().filter(|one| one.edit.is_some()) {
            let fixed = one.edit.as_ref().unwrap().applied_to(&text);
            let after = read(&document(&fixed).unwrap());
            assert!(count_of(&after, one) < count_of(&found, one), "{fixed}");
            if fixed == WHOLE {
                restored += 1;
            } else {
                others += 1;
            }
        }
    }
    assert!(restored >= 70, "{restored} were restored");
    assert_eq!(others, 0, "{others} were changed into something else");
}

#[test]
fn the_edit_for_a_misspelled_word_makes_its_finding_go_away() {
    for (text, word, near) in [
        (
            "[merge]\n\"*.json\" = 'extnd-lists'\n",
            "'extnd-lists'",
            "'extend-lists'",
        ),
        (
            "[strategies.a]\nlists = 'replace'\nseparator = \"headign\"\n",
            "\"headign\"",
            "\"heading\"",
        ),
        (
            "[default-tools]\nagents = \"claud-code\"\n",
            "\"claud-code\"",
            "\"claude-code\"",
        ),
        (
            "[sources]\nhub = \"https://x.example/h\"\n[agents]\na = { source = \"hbu\", path = \"a.md\" }\n",
            "\"hbu\"",
            "\"hub\"",
        ),
    ] {
        let found = read(&document(text).unwrap());
        let [one] = &found[..] else {
            panic!("{text}: {found:?}");
        };
        let edit = one.edit.as_ref().unwrap_or_else(|| panic!("{text}"));
        let fixed = edit.applied_to(text);
        assert_eq!(fixed, text.replace(word, near));
        assert_eq!(read(&document(&fixed).unwrap()), Vec::new());
    }
}

#[test]
fn no_edit_is_suggested_that_would_not_be_enough() {
    for text in [
        // Two headers have the key.
        "[tolos.a]\npath = \"a\"\n[tolos.b]\npath = \"b\"\n",
        // The correct key exists.
        "[sources]\n[soruces]\n",
        "[[layers]]\nname = \"a\"\nnmae = \"b\"\npath = \".\"\n",
        // No name is similar.
        "elsewhere = 1\n",
        "[workspace]\n",
    ] {
        let found = read(&document(text).unwrap());
        assert!(has_errors(&found), "{text}");
        assert!(
            found.iter().all(|one| one.edit.is_none()),
            "{text}: {found:?}"
        );
    }
}

/// Texts that differ from a manifest by one missing or additional character.
fn with_slips(text: &str) -> impl Iterator<Item = String> + '_ {
    let slips = |at: usize| {
        let (before, after) = text.split_at(at);
        let mut rest = after.chars();
        let gone = rest.next().map(|_| format!("{before}{}", rest.as_str()));
        let is_between = before.ends_with(|c: char| !c.is_alphanumeric());
        let more = "[{=\"\n".chars().filter(move |_| is_between);
        gone.into_iter()
            .chain(more.map(move |c| format!("{before}{c}{after}")))
    };
    text.char_indices().flat_map(move |(at, _)| slips(at))
}

#[test]
fn a_slip_in_a_good_manifest_gives_syntax_errors_and_no_other_findings() {
    let source = SourceMap::default().add("agpm.toml", WHOLE);
    let mut broken = 0;
    // Not a divisor of the six slips of a position, so every kind of slip is tried.
    for text in with_slips(WHOLE).step_by(5) {
        let parsed = parse(source, text.as_str(), Format::Toml, Limits::default());
        let labels = parsed.diagnostics.iter().map(|found| &found.labels[0]);
        let errors: Vec<SourceSpan> = labels
            .map(|label| SourceSpan {
                source,
                span: label.span,
            })
            .collect();
        if errors.is_empty() {
            continue;
        }
        broken += 1;
        let mut found = read_beside(&parsed.document, &errors);
        found.retain(|one| has_errors(std::slice::from_ref(one)));
        assert_eq!(found, Vec::new(), "{text}\n{errors:?}");
    }
    assert!(broken > 500, "only {broken} texts were broken");
}
