//! Both entry points give the same model and the same errors, apart from their locations.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use agpm_bottle::{Manifest, ManifestError, UnitKind};
use agpm_testkit::Sandbox;
use agpm_text::{Format, Value, print};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

/// The content of a manifest, in any notation.
#[derive(Clone, Debug)]
struct Content {
    bottles: Vec<(String, Value)>,
    agents: Vec<(String, Value, String)>,
}

impl Content {
    fn to_json(&self) -> String {
        let agent = |(name, value, prompt): &(String, Value, String)| {
            let mut value = value.clone();
            if let (Value::Map(entries), false) = (&mut value, prompt.is_empty()) {
                entries.push(("prompt".to_owned(), prompt.as_str().into()));
            }
            (name.clone(), value)
        };
        let bottles = ("bottles", Value::Map(self.bottles.clone()));
        Value::map([
            bottles,
            (
                "agents",
                Value::Map(self.agents.iter().map(agent).collect()),
            ),
        ])
        .to_json()
    }

    /// Paths from home and texts.
    fn to_files(&self) -> Vec<(String, String)> {
        let bottles = self
            .bottles
            .iter()
            .map(|(name, value)| (UnitKind::Bottle, name, value, ""));
        let agents = self
            .agents
            .iter()
            .map(|(name, value, prompt)| (UnitKind::Agent, name, value, &**prompt));
        let file = |(kind, name, value, body): (UnitKind, &String, &Value, &str)| {
            let front = print(value, Format::Yaml).unwrap();
            (
                format!("~/.bot-bottle/{}/{name}.md", kind.plural()),
                format!("---\n{front}---\n{body}"),
            )
        };
        bottles.chain(agents).map(file).collect()
    }
}

fn read_files<'f>(
    files: impl IntoIterator<Item = &'f (String, String)>,
) -> Result<Manifest, ManifestError> {
    let sandbox = Sandbox::new("agpm");
    files
        .into_iter()
        .for_each(|(path, text)| sandbox.write(path, text));
    Manifest::from_md_dirs(&sandbox.home(), &sandbox.home())
}

/// Everything that a manifest gives, or everything that is wrong.
#[derive(Debug, PartialEq)]
enum ParseOutcome {
    Values(Vec<(String, Option<Value>, String)>),
    Mistakes(Vec<(String, String, Option<String>)>),
}

fn outcome(result: &Result<Manifest, ManifestError>) -> ParseOutcome {
    match result {
        Ok(manifest) => {
            let bottle = |name: &str| {
                let typed = format!("{:?}", manifest.bottle(name));
                (format!("bottle {name}"), manifest.bottle_value(name), typed)
            };
            let agent = |name: &str| {
                let typed = format!(
                    "{:?} {:?}",
                    manifest.agent(name),
                    manifest.effective_agent(name)
                );
                (format!("agent {name}"), manifest.agent_value(name), typed)
            };
            let bottles = manifest
                .names(UnitKind::Bottle)
                .map(|name| bottle(name.as_str()));
            ParseOutcome::Values(
                bottles
                    .chain(
                        manifest
                            .names(UnitKind::Agent)
                            .map(|name| agent(name.as_str())),
                    )
                    .collect(),
            )
        }
        Err(error) => {
            let found = error.diagnostics.iter();
            let mut all: Vec<_> = found
                .map(|d| (d.code.name.to_owned(), d.message.clone(), d.help.clone()))
                .collect();
            all.sort();
            ParseOutcome::Mistakes(all)
        }
    }
}

const NAMES: &[&str] = &["a", "b", "base", "c", "dev"];
/// Texts that a careless writer or reader of YAML would take for something else.
const TEXTS: &[&str] = &[
    "x",
    "",
    "yes",
    "1.10",
    "null",
    "~",
    "a: b",
    "#x",
    " x ",
    "two\nlines\n",
    "ü",
    "'",
    "\"",
    "---",
    "- x",
    "{}",
];

fn text() -> BoxedStrategy<Value> {
    select(TEXTS).prop_map(Value::from).boxed()
}

/// Mostly what it should be, sometimes something else.
fn mostly(good: impl Strategy<Value = Value> + 'static, wrong: u32) -> BoxedStrategy<Value> {
    let bad = select(vec![
        Value::Null,
        Value::Bool(true),
        Value::from(7usize),
        Value::from("text"),
        Value::list(["x"]),
        Value::map([("x", Value::from("y"))]),
    ]);
    prop_oneof![40 => good, wrong => bad].boxed()
}

/// A map of some of these fields, and now and then of a key that does not exist.
fn table(fields: Vec<(&'static str, BoxedStrategy<Value>)>, wrong: u32) -> BoxedStrategy<Value> {
    let some = fields.into_iter().map(|(key, value)| {
        proptest::option::weighted(0.5, value)
            .prop_map(move |value| value.map(|value| (key.to_owned(), value)))
    });
    let strange = select(
        &[
            "imgae", "model", "skills", "egres", "color", "zzz", "remotes",
        ][..],
    );
    let strange = prop_oneof![
        60 => Just(None),
        wrong => (strange, text()).prop_map(|(key, value)| Some((key.to_owned(), value)))
    ];
    let entries = (some.collect::<Vec<_>>(), strange).prop_map(|(some, strange)| {
        let mut entries: Vec<(String, Value)> = some.into_iter().flatten().collect();
        entries
            .extend(strange.filter(|(key, _)| entries.iter().all(|(existing, _)| existing != key)));
        Value::Map(entries)
    });
    mostly(entries, wrong)
}

fn texts(wrong: u32) -> BoxedStrategy<Value> {
    mostly(vec(text(), 0..3).prop_map(Value::List), wrong)
}

fn by_name(
    keys: &'static [&'static str],
    value: BoxedStrategy<Value>,
    wrong: u32,
) -> BoxedStrategy<Value> {
    let entries = proptest::sample::subsequence(keys, 0..=keys.len())
        .prop_flat_map(move |keys| (Just(keys.clone()), vec(value.clone(), keys.len())))
        .prop_map(|(keys, values)| Value::map(keys.into_iter().zip(values)));
    mostly(entries, wrong)
}

fn env(wrong: u32) -> BoxedStrategy<Value> {
    by_name(
        &["A", "B", "1", "true", "API_TOKEN"],
        mostly(text(), wrong),
        wrong,
    )
}

fn user(wrong: u32) -> BoxedStrategy<Value> {
    table(
        vec![("name", mostly(text(), wrong)), ("email", text())],
        wrong,
    )
}

/// With every key that must be there, unless something is to be wrong.
fn with(
    required: &'static [&'static str],
    table: BoxedStrategy<Value>,
    wrong: u32,
) -> BoxedStrategy<Value> {
    let add = move |value: Value, complete: bool| match value {
        Value::Map(mut entries) if complete => {
            let missing = required
                .iter()
                .filter(|key| entries.iter().all(|(existing, _)| existing != *key));
            let missing: Vec<_> = missing
                .map(|key| ((*key).to_owned(), Value::from("basic")))
                .collect();
            entries.extend(missing);
            Value::Map(entries)
        }
        other => other,
    };
    let complete = prop_oneof![40 => Just(true), wrong => Just(false)];
    (table, complete)
        .prop_map(move |(value, complete)| add(value, complete))
        .boxed()
}

fn bottle(wrong: u32) -> BoxedStrategy<Value> {
    let remote = table(
        vec![("url", text()), ("identity_file", mostly(text(), wrong))],
        wrong,
    );
    let remotes = by_name(&["h", "example.com"], with(&["url"], remote, wrong), wrong);
    let git = table(vec![("remotes", remotes), ("user", user(wrong))], wrong);
    let provider = table(
        vec![("name", text()), ("args", texts(wrong)), ("model", text())],
        wrong,
    );
    let auth = table(
        vec![
            ("type", mostly(Just(Value::from("bearer")), wrong)),
            ("env", text()),
        ],
        wrong,
    );
    let pipelock = table(
        vec![
            ("tls_passthrough", mostly(Just(Value::Bool(true)), wrong)),
            ("ssrf_allow", texts(wrong)),
        ],
        wrong,
    );
    let route = table(
        vec![
            ("host", text()),
            ("methods", texts(wrong)),
            ("auth", with(&["type", "env"], auth, wrong)),
            ("pipelock", pipelock),
        ],
        wrong,
    );
    let routes = mostly(
        vec(with(&["host"], route, wrong), 0..3).prop_map(Value::List),
        wrong,
    );
    let fields = vec![
        ("env", env(wrong)),
        ("git", git),
        ("agent_provider", with(&["name"], provider, wrong)),
        ("egress", table(vec![("routes", routes)], wrong)),
        ("image", mostly(text(), wrong)),
        ("workdir", text()),
    ];
    table(fields, wrong)
}

fn agent(wrong: u32) -> BoxedStrategy<(Value, String)> {
    let git = table(vec![("user", user(wrong))], wrong);
    let fields = vec![
        ("skills", texts(wrong)),
        ("env", env(wrong)),
        ("git", git),
        ("model", text()),
        ("name", text()),
        ("mcpServers", by_name(&["x"], text(), 0)),
    ];
    let prompt = select(&["", "Do it.", "\nDo it.\n\n---\nAnd this.\n", "a\r\nb\r\n"][..]);
    (table(fields, wrong), prompt.prop_map(str::to_owned)).boxed()
}

/// Sets a reference in a map: to one of the names, or sometimes to what does not exist.
fn set(value: Value, key: &str, name: Option<&str>) -> Value {
    match (value, name) {
        (Value::Map(mut entries), Some(name)) => {
            entries.insert(0, (key.to_owned(), name.into()));
            Value::Map(entries)
        }
        (value, _) => value,
    }
}

/// Which of the names, and how likely it is the right one.
type Reference = (prop::sample::Index, u32);

fn content(wrong: u32) -> impl Strategy<Value = Content> {
    let reference = || (any::<prop::sample::Index>(), 0..100u32);
    let bottles = vec((bottle(wrong), reference()), 1..=NAMES.len());
    let agents = vec((agent(wrong), reference()), 0..3);
    (bottles, agents).prop_map(move |(bottles, agents)| {
        let count = bottles.len();
        let bottle = |(at, (value, (index, luck))): (usize, (Value, Reference))| {
            // Without mistakes a bottle extends an earlier one.
            let parent = match luck {
                0..=40 => None,
                _ if luck < 41 + wrong => Some("gone"),
                _ if luck < 41 + 3 * wrong => Some(NAMES[index.index(count)]),
                _ => (at > 0).then(|| NAMES[index.index(at.max(1))]),
            };
            (NAMES[at].to_owned(), set(value, "extends", parent))
        };
        let agent =
            |(at, ((value, prompt), (index, luck))): (usize, ((Value, String), Reference))| {
                let bottle = match luck {
                    _ if luck < wrong => None,
                    _ if luck < 2 * wrong => Some("bsae"),
                    _ => Some(NAMES[index.index(count)]),
                };
                (NAMES[at].to_owned(), set(value, "bottle", bottle), prompt)
            };
        Content {
            bottles: bottles.into_iter().enumerate().map(bottle).collect(),
            agents: agents.into_iter().enumerate().map(agent).collect(),
        }
    })
}

fn agree(content: &Content) -> ParseOutcome {
    let from_json = outcome(&Manifest::from_json_obj("m.json", &content.to_json()));
    let files = content.to_files();
    let from_files = outcome(&read_files(&files));
    assert_eq!(from_json, from_files, "{}\n{files:?}", content.to_json());
    from_json
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn without_mistakes_both_ways_give_the_same_model(content in content(0)) {
        prop_assert!(matches!(agree(&content), ParseOutcome::Values(_)), "{:?}", agree(&content));
    }

    #[test]
    fn with_some_mistakes_both_ways_give_the_same(content in content(1)) {
        agree(&content);
    }

    #[test]
    fn with_many_mistakes_both_ways_give_the_same(content in content(8)) {
        agree(&content);
    }

    #[test]
    fn the_order_in_which_files_are_made_does_not_matter(content in content(2), seed in any::<u64>()) {
        let files = content.to_files();
        let mut shuffled: Vec<&(String, String)> = files.iter().collect();
        shuffled.sort_by_key(|(path, _)| path.bytes().fold(seed, |hash, b| hash.wrapping_mul(31) ^ u64::from(b)));
        let describe = |result: Result<Manifest, ManifestError>| match &result {
            Ok(_) => format!("{:?}", outcome(&result)),
            Err(error) => error.to_string(),
        };
        prop_assert_eq!(describe(read_files(&files)), describe(read_files(shuffled)));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    /// For any bytes in a file, the result is a manifest or an error with a location.
    #[test]
    fn nothing_makes_the_reader_fall(content in content(4), cut in any::<prop::sample::Index>(), put in any::<Vec<u8>>()) {
        let files = content.to_files();
        let (path, text) = &files[cut.index(files.len())];
        let mut bytes = text.clone().into_bytes();
        let at = cut.index(bytes.len());
        bytes.splice(at.., put.iter().copied());
        let sandbox = Sandbox::new("agpm");
        files.iter().for_each(|(path, text)| sandbox.write(path, text));
        sandbox.write(path, &bytes);
        let mut json = content.to_json().into_bytes();
        let at = cut.index(json.len());
        json.splice(at..at, put);
        let json = String::from_utf8_lossy(&json).into_owned();
        for result in [Manifest::from_md_dirs(&sandbox.home(), &sandbox.home()), Manifest::from_json_obj("m.json", &json)] {
            if let Err(error) = &result {
                let placed = |d: &agpm_diag::Diagnostic| !d.labels.is_empty() || d.file.is_some();
                prop_assert!(error.diagnostics.iter().all(|d| placed(d) && d.help.is_some()), "{}", error);
            }
            outcome(&result);
        }
    }
}

#[test]
fn every_kind_of_mistake_is_generated() {
    use proptest::strategy::ValueTree;
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let mut codes = std::collections::BTreeSet::new();
    for _ in 0..100 {
        let content = content(4).new_tree(&mut runner).unwrap().current();
        if let ParseOutcome::Mistakes(found) =
            outcome(&Manifest::from_json_obj("m.json", &content.to_json()))
        {
            codes.extend(found.into_iter().map(
                |(code, message, _)| match message.contains("cycle") {
                    true => "circle".to_owned(),
                    false => code,
                },
            ));
        }
    }
    let all = [
        "bottle/extends",
        "bottle/unknown-bottle",
        "bottle/unknown-key",
        "bottle/value",
        "circle",
    ];
    assert_eq!(codes.into_iter().collect::<Vec<_>>(), all);
}
