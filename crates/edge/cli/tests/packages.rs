//! Packages from end to end: the manifest reference's worked examples, locks, ownership, and everything that goes wrong.
#![allow(clippy::unwrap_used, clippy::panic, clippy::disallowed_methods)]

use agpm_testkit::{Behaviour, CommandOutput, GitDaemon, HttpServer, Repository, Sandbox};

const PROGRAM: &str = env!("CARGO_BIN_EXE_agpm");

/// A project folder beside its sources.
struct Project {
    sandbox: Sandbox,
}

impl Project {
    fn new() -> Self {
        Project { sandbox: Sandbox::new(PROGRAM) }
    }

    /// A source called `community` with these tagged versions, each a list of files.
    fn source(&self, versions: &[(&str, &[(&str, &str)])]) -> Repository<'_> {
        self.named_source("community", versions)
    }

    fn named_source(&self, name: &str, versions: &[(&str, &[(&str, &str)])]) -> Repository<'_> {
        let mut repository = Repository::init(&self.sandbox, name);
        for (tag, files) in versions {
            repository.commit(files);
            repository.tag(tag);
        }
        repository
    }

    fn manifest(&self, text: &str) {
        let text = format!("[sources]\ncommunity = \"../community\"\n{text}");
        self.sandbox.write("project/agpm.toml", text);
    }

    fn run(&self, line: &str) -> CommandOutput {
        let words: Vec<&str> = line.split_whitespace().collect();
        let mut command = self.sandbox.command(PROGRAM);
        command.current_dir(self.sandbox.work().join("project")).args(words);
        self.sandbox.output(command)
    }

    fn good(&self, line: &str) -> CommandOutput {
        let output = self.run(line);
        assert_eq!(output.code, Some(0), "{line}\n{output}");
        output
    }

    /// Runs a command that must fail like this and leave the project as it was.
    fn refused(&self, line: &str, code: i32, words: &[&str]) {
        let (before, state) = (self.tree(), self.exists(".agpm"));
        let output = self.run(line);
        assert_eq!(output.code, Some(code), "{line}\n{output}");
        for word in words {
            assert!(output.stderr.contains(word), "{line}: no `{word}` in\n{output}");
        }
        assert_eq!(self.tree(), before, "{line} changed the project");
        assert!(state || !self.exists(".agpm"), "{line} left something behind");
    }

    fn read(&self, path: &str) -> String {
        self.sandbox.read(&format!("project/{path}"))
    }

    fn write(&self, path: &str, text: &str) {
        self.sandbox.write(&format!("project/{path}"), text);
    }

    fn exists(&self, path: &str) -> bool {
        self.sandbox.work().join("project").join(path).exists()
    }

    fn remove(&self, path: &str) {
        std::fs::remove_file(self.sandbox.work().join("project").join(path)).unwrap();
    }

    /// Every file of the project but our state, with its bytes.
    fn tree(&self) -> Vec<(String, Vec<u8>)> {
        let root = self.sandbox.work().join("project");
        let mut files = Vec::new();
        let mut folders = vec![root.clone()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).into_iter().flatten() {
                let path = entry.unwrap().path();
                let name = path.strip_prefix(&root).unwrap().display().to_string();
                let state = [".agpm/lock", ".agpm/history", ".agpm/folders.json", ".agpm/.gitignore"];
                if state.contains(&name.as_str()) {
                    continue;
                }
                if path.is_dir() {
                    folders.push(path)
                } else {
                    files.push((name, std::fs::read(&path).unwrap()))
                }
            }
        }
        files.sort();
        files
    }

    fn installed(&self) -> Vec<String> {
        let ours = |name: &String| {
            [".claude", ".opencode", ".agpm/snippets"].iter().any(|start| name.starts_with(start))
        };
        self.tree().into_iter().map(|(name, _)| name).filter(ours).collect()
    }
}

fn needs(kind: &str, paths: &[&str]) -> String {
    let list: String = paths.iter().map(|path| format!("    - path: {path}\n")).collect();
    format!("---\ndependencies:\n  {kind}:\n{list}---\n")
}

#[test]
fn a_resource_brings_what_it_needs_and_the_lock_says_so() {
    let project = Project::new();
    let assistant = needs("snippets", &["snippets/prompts.md", "snippets/utils.md"]);
    let utils = needs("snippets", &["snippets/common.md"]);
    let source = project.source(&[(
        "v2.0.0",
        &[
            ("agents/assistant.md", &assistant),
            ("snippets/prompts.md", "prompts\n"),
            ("snippets/utils.md", &utils),
            ("snippets/common.md", "common\n"),
        ],
    )]);
    let commit = source.git(&["rev-parse", "HEAD"]).stdout.trim().to_owned();
    project.manifest(
        "[agents]\nai-assistant = { source = \"community\", path = \"agents/assistant.md\", version = \"v2.0.0\" }\n",
    );
    project.good("install");
    assert_eq!(
        project.installed(),
        [
            ".claude/agents/assistant.md",
            ".claude/snippets/common.md",
            ".claude/snippets/prompts.md",
            ".claude/snippets/utils.md"
        ]
    );
    assert_eq!(project.read(".claude/agents/assistant.md"), assistant);
    let lock = project.read("agpm.lock");
    let entry = format!(
        "[[agents]]\nname = \"ai-assistant\"\nsource = \"community\"\npath = \"agents/assistant.md\"\n\
         requirement = \"v2.0.0\"\nversion = \"v2.0.0\"\nresolved_commit = \"{commit}\"\n"
    );
    assert!(lock.contains(&entry), "{lock}");
    assert!(
        lock.contains("dependencies = [\"snippets/prompts@v2.0.0\", \"snippets/utils@v2.0.0\"]"),
        "{lock}"
    );
    assert!(lock.starts_with("# ") && lock.contains("\nversion = 1\n"), "{lock}");
    assert!(!lock.contains(&project.sandbox.work().display().to_string()), "{lock}");
}

#[test]
fn resources_go_to_the_tool_that_is_asked_for() {
    let project = Project::new();
    project.source(&[(
        "v1.0.0",
        &[
            ("agents/helper.md", "helper\n"),
            ("agents/ai/deep.md", "deep\n"),
            ("snippets/rust-patterns.md", "patterns\n"),
            ("snippets/py/utils.md", "utils\n"),
            ("commands/git/ship.md", "ship\n"),
        ],
    )]);
    project.manifest(
        r#"
[tools.mine]
path = ".mine"
resources = { agents = { path = "helpers" } }
[default-tools]
commands = "opencode"
[agents]
claude = { source = "community", path = "agents/helper.md", version = "v1.0.0" }
open = { source = "community", path = "agents/helper.md", version = "v1.0.0", tool = "opencode" }
own = { source = "community", path = "agents/helper.md", version = "v1.0.0", tool = "mine" }
deep = { source = "community", path = "agents/ai/deep.md", version = "v1.0.0", flatten = false }
named = { source = "community", path = "agents/ai/deep.md", version = "v1.0.0", target = "team", filename = "d" }
[snippets]
shared = { source = "community", path = "snippets/rust-patterns.md", version = "v1.0.0" }
special = { source = "community", path = "snippets/py/utils.md", version = "v1.0.0", tool = "claude-code" }
[commands]
ship = { source = "community", path = "commands/git/ship.md", version = "v1.0.0" }
"#,
    );
    project.good("install");
    for path in [
        ".claude/agents/helper.md",
        ".opencode/agent/helper.md",
        ".mine/helpers/helper.md",
        ".claude/agents/ai/deep.md",
        ".claude/agents/team/d.md",
        ".agpm/snippets/rust-patterns.md",
        ".claude/snippets/py/utils.md",
        ".opencode/command/ship.md",
    ] {
        assert!(project.exists(path), "{path}: {:?}", project.tree());
    }
}

#[test]
fn a_disabled_tool_is_skipped() {
    let project = Project::new();
    project.source(&[("v1.0.0", &[("agents/a.md", "a\n")])]);
    project.manifest(
        "[tools.opencode]\nenabled = false\n[agents]\n\
         a = { source = \"community\", path = \"agents/a.md\", version = \"v1.0.0\", tool = \"opencode\" }\n\
         b = { source = \"community\", path = \"agents/a.md\", version = \"v1.0.0\" }\n",
    );
    project.good("install");
    assert_eq!(project.installed(), [".claude/agents/a.md"]);
}

#[test]
fn the_highest_version_that_suits_all_is_taken() {
    let project = Project::new();
    let asks = |version: &str| {
        format!(
            "---\ndependencies:\n  snippets:\n    - path: snippets/helper.md\n      version: {version}\n---\n"
        )
    };
    let (a, b) = (asks("^v1.0.0"), asks("^v1.2.0"));
    project.source(&[
        ("v1.0.0", &[("agents/a.md", &a), ("agents/b.md", &b), ("snippets/helper.md", "1.0\n")]),
        ("v1.2.0", &[("snippets/helper.md", "1.2\n")]),
        ("v1.3.0-beta.1", &[("snippets/helper.md", "beta\n")]),
        ("v2.0.0", &[("snippets/helper.md", "2.0\n")]),
    ]);
    project.manifest(
        "[agents]\na = { source = \"community\", path = \"agents/a.md\", version = \"v1.0.0\" }\n\
         b = { source = \"community\", path = \"agents/b.md\", version = \"v1.0.0\" }\n",
    );
    project.good("install");
    assert_eq!(project.read(".claude/snippets/helper.md"), "1.2\n");
}

#[test]
fn requirements_that_exclude_each_other_are_told_with_both_chains_and_a_way_out() {
    let project = Project::new();
    let asks = |version: &str| {
        format!(
            "---\ndependencies:\n  snippets:\n    - path: snippets/helper.md\n      version: {version}\n---\n"
        )
    };
    let (old, new) = (asks("^1.0"), asks("^2.0"));
    project.source(&[
        ("v1.0.0", &[("agents/a.md", &old), ("agents/b.md", &new), ("snippets/helper.md", "1\n")]),
        ("v2.0.0", &[("agents/a.md", &new), ("snippets/helper.md", "2\n")]),
    ]);
    project.manifest(
        "[agents]\na = { source = \"community\", path = \"agents/a.md\", version = \"v1.0.0\" }\n\
         b = { source = \"community\", path = \"agents/b.md\", version = \"v1.0.0\" }\n",
    );
    project.refused(
        "install",
        1,
        &[
            "package/conflict",
            "agents/a (at v1.0.0) asks for `^1.0`",
            "agents/b (at v1.0.0) asks for `^2.0`",
            "`^1.0`",
            "`^2.0`",
            "version = \"v2.0.0\"",
        ],
    );
}

#[test]
fn a_circle_is_told_as_a_chain() {
    let project = Project::new();
    let to = |path: &str| needs("agents", &[path]);
    let (a, b, c) = (to("agents/b.md"), to("agents/c.md"), to("agents/a.md"));
    project.source(&[("v1.0.0", &[("agents/a.md", &a), ("agents/b.md", &b), ("agents/c.md", &c)])]);
    project
        .manifest("[agents]\na = { source = \"community\", path = \"agents/a.md\", version = \"v1.0.0\" }\n");
    project.refused(
        "install",
        1,
        &["Circular dependency detected", "agents/a.md → agents/b.md → agents/c.md → agents/a.md"],
    );
}

#[test]
fn declared_paths_are_filled_in_from_the_project() {
    let project = Project::new();
    let agent = "---\ndependencies:\n  snippets:\n    - path: snippets/{{ agpm.project.language }}-guide.md\n\
                 {% if agpm.project.tests %}    - path: snippets/tests.md\n{% endif %}\
                 \x20   - path: snippets/{{ agpm.project.env | default(value=\"dev\") }}.md\n---\nbody\n";
    project.source(&[(
        "v1.0.0",
        &[
            ("agents/a.md", agent),
            ("snippets/rust-guide.md", "rust\n"),
            ("snippets/tests.md", "tests\n"),
            ("snippets/dev.md", "dev\n"),
        ],
    )]);
    let dependency =
        "[agents]\na = { source = \"community\", path = \"agents/a.md\", version = \"v1.0.0\" }\n";
    project.manifest(&format!("[project]\nlanguage = \"rust\"\ntests = true\n{dependency}"));
    project.good("install");
    assert_eq!(
        project.installed(),
        [
            ".claude/agents/a.md",
            ".claude/snippets/dev.md",
            ".claude/snippets/rust-guide.md",
            ".claude/snippets/tests.md"
        ]
    );
    project.manifest(&format!("[project]\nlanguage = \"rust\"\nenv = \"dev\"\n{dependency}"));
    project.good("install");
    assert!(!project.exists(".claude/snippets/tests.md"));
    project.manifest(dependency);
    let output = project.run("install");
    assert!(output.stderr.contains("resource/template") && output.code == Some(1), "{output}");
}

#[test]
fn a_declaration_may_start_at_its_own_file() {
    let project = Project::new();
    let agent = needs("snippets", &["./near.md", "../snippets/far.md", "bare.md", "snippets/*.txt"]);
    project.source(&[(
        "v1.0.0",
        &[
            ("agents/a.md", &agent),
            ("agents/near.md", "near\n"),
            ("agents/bare.md", "bare\n"),
            ("snippets/far.md", "far\n"),
            ("snippets/one.txt", "1\n"),
            ("snippets/two.txt", "2\n"),
        ],
    )]);
    project
        .manifest("[agents]\na = { source = \"community\", path = \"agents/a.md\", version = \"v1.0.0\" }\n");
    project.good("install");
    assert_eq!(
        project.installed(),
        [
            ".claude/agents/a.md",
            ".claude/snippets/bare.md",
            ".claude/snippets/far.md",
            ".claude/snippets/near.md",
            ".claude/snippets/one.txt",
            ".claude/snippets/two.txt"
        ]
    );
}

#[test]
fn a_declaration_that_leads_out_of_the_source_is_refused() {
    let project = Project::new();
    let agent = needs("snippets", &["../../../etc/passwd"]);
    project.source(&[("v1.0.0", &[("agents/a.md", &agent)])]);
    project
        .manifest("[agents]\na = { source = \"community\", path = \"agents/a.md\", version = \"v1.0.0\" }\n");
    project.refused("install", 6, &["leads out of its source"]);
}

#[test]
fn a_declaration_that_does_not_read_is_an_error() {
    for (front, words) in [
        ("dependencies:\n  snippet:\n    - pth: x\n", "no `path`"),
        ("dependencies: [\n", "yaml/syntax"),
        ("dependencies:\n  widgets:\n    - path: x\n", "there is no kind of resource `widgets`"),
        ("dependencies: yes\n", "not a map"),
    ] {
        let project = Project::new();
        let agent = format!("---\n{front}---\nbody\n");
        project.source(&[("v1.0.0", &[("agents/a.md", &agent)])]);
        project.manifest(
            "[agents]\na = { source = \"community\", path = \"agents/a.md\", version = \"v1.0.0\" }\n",
        );
        project.refused("install", 1, &[words]);
    }
}

#[test]
fn patterns_become_entries_with_names_of_their_own() {
    let project = Project::new();
    project.source(&[(
        "v1.0.0",
        &[
            ("agents/ai/assistant.md", "1\n"),
            ("agents/web/assistant.md", "2\n"),
            ("agents/ai/analyzer.md", "3\n"),
        ],
    )]);
    project.manifest(
        "[agents]\nall = { source = \"community\", path = \"agents/**/*.md\", version = \"v1.0.0\", flatten = false }\n",
    );
    project.good("install");
    let lock = project.read("agpm.lock");
    for name in ["ai-assistant", "web-assistant", "analyzer"] {
        assert!(lock.contains(&format!("name = \"{name}\"\nmanifest_alias = \"all\"\n")), "{lock}");
    }
    assert!(project.exists(".claude/agents/web/assistant.md"));
}

#[test]
fn versions_are_chosen_by_every_form() {
    let project = Project::new();
    let mut source = project.source(&[
        ("v1.0.0", &[("agents/a.md", "1.0.0\n")]),
        ("agents-v1.0.0", &[("agents/a.md", "prefixed\n")]),
        ("v1.1.0", &[("agents/a.md", "1.1.0\n")]),
        ("v2.0.0-rc.1", &[("agents/a.md", "rc\n")]),
    ]);
    let tip = source.commit(&[("agents/a.md", "tip\n")]);
    source.annotated_tag("v1.5.0");
    let last = source.commit(&[("agents/a.md", "main\n")]);
    source.git(&["branch", "develop", "v1.0.0"]);
    for (form, expected) in [
        ("version = \"v1.0.0\"", "1.0.0"),
        ("version = \"1.0.0\"", "1.0.0"),
        ("version = \"^1.0\"", "tip"),
        ("version = \"~1.1\"", "1.1.0"),
        ("version = \"<1.5, !=1.1.0\"", "1.0.0"),
        ("version = \"latest\"", "tip"),
        ("version = \"*\"", "tip"),
        ("version = \"v2.0.0-rc.1\"", "rc"),
        ("version = \"agents-^v1.0.0\"", "prefixed"),
        ("version = \"main\"", "main"),
        ("branch = \"develop\"", "1.0.0"),
        (&format!("rev = \"{tip}\""), "tip"),
        (&format!("rev = \"{}\"", &last[..9]), "main"),
        (&format!("rev = \"{}\", branch = \"develop\", version = \"v1.1.0\"", &tip[..12]), "tip"),
        ("branch = \"develop\", version = \"v1.1.0\"", "1.0.0"),
        ("install = true", "main"),
    ] {
        project.manifest(&format!(
            "[agents]\na = {{ source = \"community\", path = \"agents/a.md\", {form} }}\n"
        ));
        project.good("install");
        assert_eq!(project.read(".claude/agents/a.md"), format!("{expected}\n"), "{form}");
    }
    project
        .manifest("[agents]\na = { source = \"community\", path = \"agents/a.md\", version = \"v1.5.0\" }\n");
    project.good("install");
    assert!(
        project.read("agpm.lock").contains(&format!("resolved_commit = \"{tip}\"")),
        "the commit, not the tag"
    );
}

#[test]
fn pins_stay_whatever_else_is_edited() {
    let project = Project::new();
    let mut source = project.source(&[("v1.0.0", &[("agents/a.md", "a1\n"), ("agents/b.md", "b1\n")])]);
    let a = "a = { source = \"community\", path = \"agents/a.md\", version = \"^1.0\" }\n";
    let b = "b = { source = \"community\", path = \"agents/b.md\", version = \"^1.0\" }\n";
    project.manifest(&format!("[agents]\n{a}"));
    project.good("install");
    source.commit(&[("agents/a.md", "a2\n"), ("agents/b.md", "b2\n")]);
    source.tag("v1.1.0");
    project.manifest(&format!("# a comment\n[agents]\n{b}{a}"));
    project.good("install");
    assert_eq!(project.read(".claude/agents/a.md"), "a1\n");
    assert_eq!(project.read(".claude/agents/b.md"), "b2\n");
    // The requirement itself changed: resolved anew.
    project.manifest(&format!("[agents]\n{b}{}", a.replace("^1.0", ">=1.0")));
    project.good("install");
    assert_eq!(project.read(".claude/agents/a.md"), "a2\n");
}

#[test]
fn update_moves_what_is_named_and_nothing_else() {
    let project = Project::new();
    let mut source = project.source(&[("v1.0.0", &[("agents/a.md", "a1\n"), ("agents/b.md", "b1\n")])]);
    project.manifest(
        "[agents]\na = { source = \"community\", path = \"agents/a.md\", version = \"^1.0\" }\n\
         b = { source = \"community\", path = \"agents/b.md\", version = \"^1.0\" }\n",
    );
    project.good("install");
    source.commit(&[("agents/a.md", "a2\n"), ("agents/b.md", "b2\n")]);
    source.tag("v1.1.0");
    source.tag("v2.0.0");
    let outdated = project.good("outdated");
    assert_eq!(
        outdated.stdout,
        "Name  Type   Source     Current  Allowed  Newest\n\
         a     agent  community  v1.0.0   v1.1.0   v2.0.0\n\
         b     agent  community  v1.0.0   v1.1.0   v2.0.0\n"
    );
    assert_eq!(project.run("outdated --check").code, Some(1));
    let before = project.tree();
    assert_eq!(project.run("update --check").code, Some(1));
    project.good("update --dry-run");
    assert_eq!(project.tree(), before);
    let output = project.good("update b");
    assert!(output.stdout.contains("agents/b  v1.0.0 -> v1.1.0"), "{output}");
    assert_eq!(
        (project.read(".claude/agents/a.md"), project.read(".claude/agents/b.md")),
        ("a1\n".into(), "b2\n".into())
    );
    project.good("update agent/a");
    assert_eq!(project.read(".claude/agents/a.md"), "a2\n");
    project.refused("update c", 3, &["there is no resource `c`"]);
}

#[test]
fn locked_and_frozen_hold_the_lock() {
    let project = Project::new();
    let mut source = project.source(&[("v1.0.0", &[("agents/a.md", "a1\n"), ("agents/b.md", "b1\n")])]);
    let a = "[agents]\na = { source = \"community\", path = \"agents/a.md\", version = \"^1.0\" }\n";
    project.manifest(a);
    project.refused("install --locked", 5, &["there is no `agpm.lock`"]);
    project.refused("install --frozen", 5, &["there is no `agpm.lock`"]);
    project.good("install");
    source.commit(&[("agents/a.md", "a2\n")]);
    source.tag("v1.1.0");
    project.good("install --locked");
    project.good("install --frozen");
    project.remove(".claude/agents/a.md");
    project.good("install --frozen");
    assert_eq!(project.read(".claude/agents/a.md"), "a1\n");
    project.manifest(&format!(
        "{a}b = {{ source = \"community\", path = \"agents/b.md\", version = \"^1.0\" }}\n"
    ));
    project.refused("install --locked", 5, &["agents/b"]);
    project.refused("install --frozen", 5, &["agents/b"]);
    project.manifest(&a.replace("^1.0", "^1.1"));
    project.refused("install --frozen", 5, &["requirement"]);
    project.manifest(a);
    project.write(".claude/agents/a.md", "mine\n");
    project.refused("install --frozen", 1, &["was edited"]);
    project.write(".claude/agents/a.md", "a1\n");
    let lock = project.read("agpm.lock");
    let broken = lock.replace("checksum = \"sha256:", "checksum = \"sha256:00");
    project.write("agpm.lock", &broken);
    project.refused("install --frozen", 1, &["lock/broken"]);
    let at = lock.find("sha256:").unwrap() + 7;
    let wrong =
        format!("{}{}{}", &lock[..at], if &lock[at..=at] == "0" { "1" } else { "0" }, &lock[at + 1..]);
    project.write("agpm.lock", &wrong);
    project.refused("install --frozen", 1, &["lock/checksum"]);
}

#[test]
fn a_moved_tag_is_reported_and_the_locked_commit_stays() {
    let project = Project::new();
    let mut source = project.source(&[("v1.0.0", &[("agents/a.md", "a1\n"), ("agents/b.md", "b1\n")])]);
    let a = "[agents]\na = { source = \"community\", path = \"agents/a.md\", version = \"v1.0.0\" }\n";
    project.manifest(a);
    project.good("install");
    source.commit(&[("agents/a.md", "moved\n")]);
    source.git(&["tag", "-f", "v1.0.0"]);
    project.manifest(&format!(
        "{a}b = {{ source = \"community\", path = \"agents/b.md\", version = \"main\" }}\n"
    ));
    let output = project.good("install");
    assert!(output.stderr.contains("lock/moved-tag"), "{output}");
    assert_eq!(project.read(".claude/agents/a.md"), "a1\n");
}

#[test]
fn locks_of_older_programs_are_hints() {
    let project = Project::new();
    let source =
        project.source(&[("v1.0.0", &[("agents/a.md", "a1\n")]), ("v1.1.0", &[("agents/a.md", "a2\n")])]);
    let commit = source.git(&["rev-parse", "v1.0.0"]).stdout.trim().to_owned();
    project.manifest(
        "[agents]\nmine = { source = \"community\", path = \"agents/a.md\", version = \"^1.0\" }\n",
    );
    project.write(
        "agpm.lock",
        &format!(
            "version = 1\n[[sources]]\nname = \"community\"\nurl = \"../community\"\nfetched_at = \"2025-01-01\"\n\
             [[agents]]\nname = \"agents/a\"\nmanifest_alias = \"mine\"\nsource = \"community\"\nurl = \"../community\"\n\
             path = \"agents/a.md\"\nversion = \"v1.0.0\"\nresolved_commit = \"{commit}\"\nchecksum = \"sha256:abc\"\n\
             context_checksum = \"sha256:x\"\ninstalled_at = \".claude/agents/a.md\"\ndependencies = []\n\
             resource_type = \"Agent\"\ntool = \"claude-code\"\napplied_patches = {{}}\nvariant_inputs = {{}}\n"
        ),
    );
    project.good("install");
    assert_eq!(project.read(".claude/agents/a.md"), "a1\n");
    assert!(!project.read("agpm.lock").contains("context_checksum"));
}

#[test]
fn files_that_are_not_ours_are_safe() {
    let project = Project::new();
    let mut source = project.source(&[("v1.0.0", &[("agents/a.md", "a1\n")])]);
    project
        .manifest("[agents]\na = { source = \"community\", path = \"agents/a.md\", version = \"^1.0\" }\n");
    project.write(".claude/agents/a.md", "the user's\n");
    project.write(".claude/agents/own.md", "own\n");
    project.refused("install", 6, &["install/not-ours", ".claude/agents/a.md", "--adopt"]);
    project.good("install --adopt");
    assert_eq!(project.read(".claude/agents/a.md"), "a1\n");
    // Edited: kept, and told.
    project.write(".claude/agents/a.md", "edited\n");
    let output = project.good("install");
    assert!(output.stderr.contains("install/edited"), "{output}");
    assert_eq!(project.read(".claude/agents/a.md"), "edited\n");
    source.commit(&[("agents/a.md", "a2\n")]);
    source.tag("v1.1.0");
    project.good("update");
    assert_eq!(project.read(".claude/agents/a.md"), "edited\n");
    project.good("install --force");
    assert_eq!(project.read(".claude/agents/a.md"), "a2\n");
    assert_eq!(project.read(".claude/agents/own.md"), "own\n");
}

#[test]
fn equal_bytes_are_taken_over_and_unchanged_files_are_not_touched() {
    let project = Project::new();
    project.source(&[("v1.0.0", &[("agents/a.md", "a1\n")])]);
    project
        .manifest("[agents]\na = { source = \"community\", path = \"agents/a.md\", version = \"^1.0\" }\n");
    project.write(".claude/agents/a.md", "a1\n");
    let path = project.sandbox.work().join("project/.claude/agents/a.md");
    let before = std::fs::metadata(&path).unwrap().modified().unwrap();
    project.good("install");
    project.good("install");
    project.good("install --force");
    assert_eq!(std::fs::metadata(&path).unwrap().modified().unwrap(), before);
}

#[test]
fn what_leaves_the_manifest_leaves_the_disk() {
    let project = Project::new();
    let a = needs("snippets", &["snippets/deep/only.md", "snippets/both.md"]);
    let b = needs("snippets", &["snippets/both.md"]);
    project.source(&[(
        "v1.0.0",
        &[
            ("agents/a.md", &a),
            ("agents/b.md", &b),
            ("snippets/deep/only.md", "1\n"),
            ("snippets/both.md", "2\n"),
        ],
    )]);
    project.write(".claude/user.md", "mine\n");
    project.manifest("# top\n[agents] # the agents\n");
    project.good("add dep agent community:agents/a.md@v1.0.0");
    project.good("add dep agents community:agents/b.md@v1.0.0 --name second");
    let manifest = project.read("agpm.toml");
    assert!(
        manifest
            .contains("second = { source = \"community\", path = \"agents/b.md\", version = \"v1.0.0\" }"),
        "{manifest}"
    );
    assert!(project.exists(".claude/snippets/deep/only.md"));
    project.good("remove dep agent a");
    assert_eq!(project.installed(), [".claude/agents/b.md", ".claude/snippets/both.md", ".claude/user.md"]);
    assert!(!project.exists(".claude/snippets/deep"), "the empty folder is left");
    project.good("remove dep agent second");
    assert_eq!(project.installed(), [".claude/user.md"]);
    assert!(project.read("agpm.toml").contains("# top\n[agents] # the agents\n"));
    project.refused("remove dep agent second", 3, &["there is no agent `second`"]);
    project.refused("remove source comunity", 3, &["did you mean `community`?"]);
    project.good("remove source community");
}

#[test]
fn add_refuses_what_it_does_not_know_and_what_is_there() {
    let project = Project::new();
    project.source(&[("v1.0.0", &[("agents/a.md", "a\n")])]);
    project.manifest("");
    project.refused("add dep agent comunity:agents/a.md", 3, &["did you mean `community`?"]);
    project.refused("add dep agnet community:agents/a.md", 2, &["did you mean `agent`?"]);
    project.refused("add dep agent community:agents/nope.md@v1.0.0", 1, &["package/not-found"]);
    project.refused("add source community file:///elsewhere", 6, &["--force"]);
    project.refused("add source bad ext::sh", 2, &[]);
    project.good("add dep agent community:agents/a.md@v1.0.0");
    project.refused("add dep agent community:agents/a.md@v1.0.0", 6, &["--force"]);
    project.good("add dep agent community:agents/a.md --force --no-install");
    assert!(project.read("agpm.toml").contains("version = \"main\""));
    project.write("local/agent.md", "local\n");
    project.good("add dep agent ./local/agent.md --name helper");
    assert!(
        project.read("agpm.toml").contains("helper = \"./local/agent.md\""),
        "{}",
        project.read("agpm.toml")
    );
    assert_eq!(project.read(".claude/agents/agent.md"), "local\n");
}

#[test]
fn local_files_follow_their_changes() {
    let project = Project::new();
    project.sandbox.write("shared/helper.md", needs("snippets", &["./part.md"]));
    project.sandbox.write("shared/part.md", "part\n");
    project.manifest("[agents]\nhelper = \"../shared/helper.md\"\n");
    project.good("install");
    assert_eq!(project.read(".claude/snippets/part.md"), "part\n");
    project.sandbox.write("shared/part.md", "changed\n");
    project.good("install");
    assert_eq!(project.read(".claude/snippets/part.md"), "changed\n");
    project.sandbox.write("shared/helper.md", needs("snippets", &["../../outside.md"]));
    project.refused("install", 6, &["leads out"]);
    project.manifest("[agents]\nhelper = \"../shared/nope.md\"\n");
    project.refused("install", 1, &["package/not-found", "../shared/nope.md"]);
}

#[test]
fn a_folder_without_git_is_a_source_too() {
    let project = Project::new();
    project.sandbox.write("plain/agents/a.md", "a\n");
    project.sandbox.write(
        "project/agpm.toml",
        "[sources]\nplain = \"../plain\"\n[agents]\na = { source = \"plain\", path = \"agents/*.md\" }\n",
    );
    project.good("install");
    assert_eq!(project.installed(), [".claude/agents/a.md"]);
    project.sandbox.write("plain/agents/b.md", "b\n");
    project.good("install");
    assert_eq!(project.installed(), [".claude/agents/a.md", ".claude/agents/b.md"]);
}

#[test]
fn the_private_manifest_is_a_higher_layer_with_rules_of_its_own() {
    let project = Project::new();
    project.source(&[
        ("v1.0.0", &[("agents/a.md", "a1\n")]),
        ("v1.1.0", &[("agents/a.md", "a2\n"), ("agents/p.md", "p\n")]),
    ]);
    project
        .manifest("[agents]\na = { source = \"community\", path = \"agents/a.md\", version = \"v1.0.0\" }\n");
    project.write(
        "agpm.private.toml",
        "[agents]\na = { source = \"community\", path = \"agents/a.md\", version = \"v1.1.0\" }\n\
         mine = { source = \"community\", path = \"agents/p.md\", version = \"v1.1.0\" }\n",
    );
    project.good("install");
    assert_eq!(project.read(".claude/agents/a.md"), "a2\n");
    assert_eq!(project.read(".claude/agents/p.md"), "p\n");
    project.write("agpm.private.toml", "[tools.x]\npath = \".x\"\n");
    project.refused("install", 1, &["agpm.private.toml", "a private manifest has no key `tools`"]);
}

#[test]
fn sources_of_the_user_are_known_everywhere() {
    let project = Project::new();
    let source = project.named_source("everywhere", &[("v1.0.0", &[("agents/a.md", "a\n")])]);
    project.sandbox.write("../config/agpm/config.toml", format!("[sources]\nmine = \"{}\"\n", source.url()));
    project.sandbox.write(
        "project/agpm.toml",
        "[agents]\na = { source = \"mine\", path = \"agents/a.md\", version = \"v1.0.0\" }\n",
    );
    project.good("install");
    assert_eq!(project.read(".claude/agents/a.md"), "a\n");
}

#[test]
fn two_entries_cannot_share_a_place() {
    let project = Project::new();
    project
        .source(&[("v1.0.0", &[("agents/a.md", "a\n"), ("agents/x/a.md", "b\n"), ("agents/A.md", "c\n")])]);
    let entry = |name: &str, path: &str| {
        format!("{name} = {{ source = \"community\", path = \"{path}\", version = \"v1.0.0\" }}\n")
    };
    project.manifest(&format!("[agents]\n{}{}", entry("one", "agents/a.md"), entry("two", "agents/x/a.md")));
    project.refused("install", 1, &["agents/one", "agents/two", "`filename`", "`target`"]);
    project.manifest(&format!("[agents]\n{}{}", entry("one", "agents/a.md"), entry("two", "agents/A.md")));
    project.refused("install", 1, &["package/target-clash"]);
}

#[test]
fn everything_that_is_not_there_has_its_message_and_code() {
    let project = Project::new();
    std::fs::create_dir_all(project.sandbox.work().join("project")).unwrap();
    project.refused("install", 1, &["manifest/missing", "agpm init"]);
    project.manifest("[agents\n");
    project.refused("install", 1, &["toml/syntax"]);
    let source = project.source(&[("v1.0.0", &[("agents/a.md", "a\n")])]);
    let with = |path: &str, version: &str| {
        project.manifest(&format!(
            "[agents]\na = {{ source = \"community\", path = \"{path}\", version = \"{version}\" }}\n"
        ));
    };
    with("agents/b.md", "v1.0.0");
    project.refused("install", 1, &["package/not-found", "did you mean `agents/a.md`?"]);
    with("agents/a.md", "v9.0.0");
    project.refused("install", 1, &["package/version", "v1.0.0"]);
    with("agents/*.txt", "v1.0.0");
    project.refused("install", 1, &["nothing matches `agents/*.txt`"]);
    with("agents/../../x.md", "v1.0.0");
    project.refused("install", 6, &["manifest/escape"]);
    with("agents/a.md", "v1.0.0");
    project.good("install");
    // The repository is gone: what is locked and cached still installs, and nothing else is lost.
    std::fs::rename(source.path(), source.path().with_extension("away")).unwrap();
    project.good("install");
    project.remove(".claude/agents/a.md");
    project.good("install");
    project.refused("update", 4, &["source `community`"]);
    project.sandbox.write(
        "project/agpm.toml",
        "[sources]\ngone = \"git://127.0.0.1:1/x\"\n[agents]\na = { source = \"gone\", path = \"a.md\" }\n",
    );
    project.refused("install", 4, &["source/unreachable"]);
    project.refused("install --offline", 4, &["source/offline"]);
    project.refused("validate --sources", 4, &[]);
}

#[test]
fn links_of_a_source_are_not_followed_and_modes_and_bytes_are_exact() {
    let project = Project::new();
    let mut source = project.source(&[]);
    std::fs::create_dir_all(source.path().join("scripts")).unwrap();
    std::fs::write(source.path().join("scripts/run.sh"), "#!/bin/sh\r\n\0").unwrap();
    std::fs::write(source.path().join("scripts/data.bin"), [0xff, 0xfe, 0, 1]).unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::{PermissionsExt, symlink};
        std::fs::set_permissions(source.path().join("scripts/run.sh"), PermissionsExt::from_mode(0o755))
            .unwrap();
        symlink("/etc/passwd", source.path().join("scripts/link.sh")).unwrap();
    }
    source.commit(&[]);
    source.tag("v1.0.0");
    project.manifest(
        "[scripts]\nall = { source = \"community\", path = \"scripts/*\", version = \"v1.0.0\" }\n",
    );
    project.good("install");
    let root = project.sandbox.work().join("project");
    assert_eq!(std::fs::read(root.join(".claude/scripts/run.sh")).unwrap(), b"#!/bin/sh\r\n\0");
    assert_eq!(std::fs::read(root.join(".claude/scripts/data.bin")).unwrap(), [0xff, 0xfe, 0, 1]);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = |path: &str| std::fs::metadata(root.join(path)).unwrap().permissions().mode() & 0o111;
        assert_ne!(mode(".claude/scripts/run.sh"), 0);
        assert_eq!(mode(".claude/scripts/data.bin"), 0);
        assert!(!project.exists(".claude/scripts/link.sh"));
        project.manifest(
            "[scripts]\nl = { source = \"community\", path = \"scripts/link.sh\", version = \"v1.0.0\" }\n",
        );
        project.refused("install", 6, &["symbolic link"]);
    }
}

#[test]
fn no_lock_dry_run_and_check_write_nothing_that_they_should_not() {
    let project = Project::new();
    project.source(&[("v1.0.0", &[("agents/a.md", "a\n")])]);
    project
        .manifest("[agents]\na = { source = \"community\", path = \"agents/a.md\", version = \"v1.0.0\" }\n");
    let before = project.sandbox.listing().lines().filter(|line| line.starts_with("work")).count();
    let shown = project.good("install --dry-run");
    assert!(shown.stdout.contains("+ .claude/agents/a.md"), "{shown}");
    assert_eq!(project.run("install --check").code, Some(1));
    assert_eq!(project.sandbox.listing().lines().filter(|line| line.starts_with("work")).count(), before);
    project.good("install --no-lock");
    assert!(project.exists(".claude/agents/a.md") && !project.exists("agpm.lock"));
    project.good("install");
    project.good("install --check");
    let json = project.good("--json install --dry-run").stdout;
    assert!(json.starts_with("{\n  \"ok\": true,\n  \"dry_run\": true,"), "{json}");
}

#[test]
fn resolve_only_locks_and_does_not_write() {
    let project = Project::new();
    project.source(&[("v1.0.0", &[("agents/a.md", "a\n")])]);
    project.manifest(
        "[agents]\na = { source = \"community\", path = \"agents/a.md\", version = \"v1.0.0\", install = false }\n",
    );
    project.good("install");
    assert!(project.installed().is_empty());
    assert!(project.read("agpm.lock").contains("install = false"));
    project.good("install --frozen");
}

#[test]
fn nothing_to_do_starts_no_process() {
    let project = Project::new();
    project.source(&[("v1.0.0", &[("agents/a.md", "a\n")])]);
    project
        .manifest("[agents]\na = { source = \"community\", path = \"agents/a.md\", version = \"v1.0.0\" }\n");
    project.good("install");
    for words in [vec!["install"], vec!["install", "--locked"], vec!["install", "--frozen"]] {
        let mut command = project.sandbox.command(PROGRAM);
        command.current_dir(project.sandbox.work().join("project")).args(words).env("PATH", "/nowhere");
        let output = project.sandbox.output(command);
        assert_eq!((output.code, output.stdout.as_str()), (Some(0), "1 unchanged\n"), "{output}");
    }
}

#[test]
fn twenty_clean_runs_are_the_same_to_the_byte() {
    let project = Project::new();
    let agents: Vec<(String, String)> = (0..20)
        .map(|n| (format!("agents/a{n}.md"), needs("snippets", &[&format!("snippets/s{}.md", n * 7 % 10)])))
        .collect();
    let snippets = (0..10).map(|n| (format!("snippets/s{n}.md"), format!("{n}\n")));
    let files: Vec<(String, String)> = agents.into_iter().chain(snippets).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    project.source(&[("v1.0.0", &files)]);
    project.named_source("second", &[("v1.0.0", &files)]);
    project.manifest(
        "second = \"../second\"\n[agents]\nall = { source = \"community\", path = \"agents/*.md\", version = \"^1.0\" }\n\
         other = { source = \"second\", path = \"agents/a1*.md\", version = \"^1.0\", tool = \"opencode\" }\n",
    );
    let mut first = None;
    for _ in 0..20 {
        let root = project.sandbox.work();
        for folder in [".claude", ".opencode", ".agpm"] {
            let _ = std::fs::remove_dir_all(root.join("project").join(folder));
        }
        let _ = std::fs::remove_file(root.join("project/agpm.lock"));
        let _ = std::fs::remove_dir_all(root.join("../cache/agpm"));
        project.good("install");
        let tree = project.tree();
        assert_eq!(first.get_or_insert_with(|| tree.clone()), &tree);
    }
}

#[test]
fn two_installs_at_once_both_end_well() {
    let project = Project::new();
    project.source(&[("v1.0.0", &[("agents/a.md", "a\n"), ("agents/b.md", "b\n")])]);
    project.manifest(
        "[agents]\nall = { source = \"community\", path = \"agents/*.md\", version = \"v1.0.0\" }\n",
    );
    let start = || {
        let mut command = project.sandbox.command(PROGRAM);
        command.current_dir(project.sandbox.work().join("project")).arg("install");
        command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null());
        command.spawn().unwrap()
    };
    let mut all: Vec<_> = (0..4).map(|_| start()).collect();
    assert!(all.iter_mut().all(|child| child.wait().unwrap().success()));
    assert_eq!(project.installed(), [".claude/agents/a.md", ".claude/agents/b.md"]);
    project.good("install --check");
}

/// The process is stopped at every single write, and once more while the next run puts things in order.
#[cfg(debug_assertions)]
#[test]
fn a_run_that_is_killed_at_any_write_leaves_the_old_state_or_the_new_one() {
    let project = Project::new();
    let mut source = project.source(&[(
        "v1.0.0",
        &[("agents/a.md", "a1\n"), ("agents/b.md", "b1\n"), ("commands/gone.md", "gone\n")],
    )]);
    source.git(&["rm", "-q", "commands/gone.md"]);
    source.commit(&[("agents/a.md", "a2\n"), ("agents/new/c.md", "c2\n")]);
    source.tag("v2.0.0");
    let manifest = |version: &str| {
        project.manifest(&format!(
            "[agents]\nall = {{ source = \"community\", path = \"agents/**/*.md\", version = \"{version}\" }}\n{}",
            if version == "v1.0.0" {
                "[commands]\ng = { source = \"community\", path = \"commands/gone.md\", version = \"v1.0.0\" }\n"
            } else {
                ""
            }
        ));
    };
    let states = |project: &Project| -> Vec<(String, Vec<u8>)> {
        project
            .tree()
            .into_iter()
            .filter(|(name, _)| name != "agpm.toml" && !name.contains("transaction"))
            .collect()
    };
    manifest("v2.0.0");
    project.good("install");
    let new = states(&project);
    let reset = || {
        for path in [".claude", ".agpm", "agpm.lock"] {
            let path = project.sandbox.work().join("project").join(path);
            let _ = std::fs::remove_dir_all(&path);
            let _ = std::fs::remove_file(&path);
        }
        manifest("v1.0.0");
        project.good("install");
        let old = states(&project);
        manifest("v2.0.0");
        old
    };
    for stop in 1.. {
        let old = reset();
        let mut command = project.sandbox.command(PROGRAM);
        command.current_dir(project.sandbox.work().join("project")).arg("install");
        command.env("AGPM_STOP_AT_WRITE", stop.to_string());
        let output = project.sandbox.output(command);
        if output.code == Some(0) {
            assert!(stop > 10, "the test stopped nothing: {output}");
            break;
        }
        assert_eq!(output.code, None, "write {stop}: {output}");
        // With the old manifest back, recovery alone decides: an install then makes everything as the manifest says.
        manifest("v1.0.0");
        project.good("install");
        assert_eq!(states(&project), old, "write {stop}, back to the old state");
        manifest("v2.0.0");
        project.good("install");
        assert_eq!(states(&project), new, "write {stop}, on to the new state");
    }
}

/// A full disk at every single write: an error, and everything as before.
#[cfg(debug_assertions)]
#[test]
fn a_disk_that_fills_up_at_any_write_changes_nothing() {
    let project = Project::new();
    project.source(&[("v1.0.0", &[("agents/a.md", "a1\n"), ("agents/x/b.md", "b1\n")])]);
    project.manifest(
        "[agents]\nall = { source = \"community\", path = \"agents/**/*.md\", version = \"v1.0.0\" }\n",
    );
    project.good("validate --resolve");
    let before = project.tree();
    for fail in 1.. {
        let mut command = project.sandbox.command(PROGRAM);
        command.current_dir(project.sandbox.work().join("project")).arg("install");
        command.env("AGPM_FAIL_AT_WRITE", fail.to_string());
        let output = project.sandbox.output(command);
        if output.code == Some(0) {
            assert!(fail > 5, "the test failed nothing: {output}");
            break;
        }
        assert_eq!(output.code, Some(1), "write {fail}: {output}");
        assert!(output.stderr.contains("storage space"), "write {fail}: {output}");
        assert_eq!(project.tree(), before, "write {fail}");
    }
}

#[test]
fn sources_are_read_over_the_git_protocol_and_http() {
    let project = Project::new();
    let agent = needs("snippets", &["snippets/s.md"]);
    let mut source = project.source(&[("v1.0.0", &[("agents/a.md", &agent), ("snippets/s.md", "s1\n")])]);
    source.commit(&[("agents/a.md", "main\n")]);
    let daemon = GitDaemon::start(&project.sandbox);
    let http = HttpServer::start(&project.sandbox);
    for url in [daemon.url("community"), http.url("community")] {
        project.sandbox.write(
            "project/agpm.toml",
            format!("[sources]\nc = \"{url}\"\n[agents]\na = {{ source = \"c\", path = \"agents/a.md\", version = \"^1.0\" }}\n"),
        );
        project.good("install");
        assert_eq!(project.installed(), [".claude/agents/a.md", ".claude/snippets/s.md"]);
        // What was fetched is enough from then on.
        project.remove(".claude/snippets/s.md");
        project.good("install --offline");
        assert_eq!(project.read(".claude/snippets/s.md"), "s1\n");
        project.good("install --frozen --offline");
    }
    drop(daemon);
}

#[test]
fn a_server_that_refuses_or_goes_away_changes_nothing_and_no_secret_is_told() {
    let project = Project::new();
    project.source(&[("v1.0.0", &[("agents/a.md", "a\n")])]);
    let http = HttpServer::start(&project.sandbox);
    let url = http.url_with("ci", "hunter2", "community");
    project.write(
        "agpm.toml",
        &format!("[sources]\nc = \"{url}\"\n[agents]\na = {{ source = \"c\", path = \"agents/a.md\", version = \"v1.0.0\" }}\n"),
    );
    for (behaviour, words) in
        [(Behaviour::RefuseAccess, "source/auth"), (Behaviour::CutAfter(300), "source/unreachable")]
    {
        http.behave(behaviour);
        project.refused("install", 4, &[words]);
        let said = project.run("-v install");
        assert!(!said.to_string().contains("hunter2"), "{said}");
        let json = project.run("--json install");
        assert!(
            !json.to_string().contains("hunter2") && json.stdout.starts_with("{\n  \"ok\": false"),
            "{json}"
        );
    }
    http.behave(Behaviour::Serve);
    project.good("install");
    assert!(!project.read("agpm.lock").contains("hunter2"));
    for line in ["list --json", "tree --json", "cache info", "outdated", "validate --sources", "config show"]
    {
        let output = project.good(line);
        assert!(!output.to_string().contains("hunter2"), "{line}\n{output}");
    }
}

#[test]
fn programs_that_come_along_need_a_word() {
    let project = Project::new();
    let agent = needs("scripts", &["scripts/run.sh"]);
    project.source(&[("v1.0.0", &[("agents/a.md", &agent), ("scripts/run.sh", "#!/bin/sh\n")])]);
    let entry = "[agents]\na = { source = \"community\", path = \"agents/a.md\", version = \"v1.0.0\" }\n";
    project.manifest(entry);
    project.refused("install", 6, &["package/executable", "scripts/run"]);
    for word in ["scripts/*", "source:community", "scripts/run"] {
        let text =
            format!("allow-executables = [\"{word}\"]\n[sources]\ncommunity = \"../community\"\n{entry}");
        project.write("agpm.toml", &text);
        project.good("install");
        assert!(project.exists(".claude/scripts/run.sh"), "{word}");
        // What is installed was allowed once: begin anew.
        for folder in [".claude", ".agpm"] {
            std::fs::remove_dir_all(project.sandbox.work().join("project").join(folder)).unwrap();
        }
    }
    project.manifest(entry);
    project.refused("install", 6, &["package/executable"]);
    project.good("install --allow-executables");
    project.good("install --force");
}

#[test]
fn templates_over_the_project_are_rendered_and_the_lock_has_the_source() {
    let project = Project::new();
    let agent = "---\nname: a\n---\nWrite {{ agpm.project.language }} of at most {{ agpm.project.width }}.\n\
                 ```literal\n{{ agpm.untouched }}\n```\nFrom {{ agpm.resource.version }}.\n";
    let plain = "No tag of ours: {{ other }}\n";
    project.source(&[("v1.0.0", &[("agents/a.md", agent), ("agents/b.md", plain)])]);
    let entries =
        "[agents]\nall = { source = \"community\", path = \"agents/*.md\", version = \"v1.0.0\" }\n";
    project.manifest(&format!("[project]\nlanguage = \"Rust\"\nwidth = 100\n{entries}"));
    project.good("install");
    assert_eq!(
        project.read(".claude/agents/a.md"),
        "---\nname: a\n---\nWrite Rust of at most 100.\n```literal\n{{ agpm.untouched }}\n```\nFrom v1.0.0.\n"
    );
    assert_eq!(project.read(".claude/agents/b.md"), plain);
    project.good("install --frozen");
    project.good("verify");
    // A change of a variable is a change of what is installed.
    project.manifest(&format!("[project]\nlanguage = \"Go\"\nwidth = 100\n{entries}"));
    project.good("install");
    assert!(project.read(".claude/agents/a.md").contains("Write Go"));
    project.manifest(entries);
    project.refused("install", 1, &["resource/template", "agents/a.md"]);
}

/// A section of the wrong kind must not be taken for an empty one: what it held would be removed.
#[test]
fn a_section_that_is_no_table_is_an_error() {
    let project = Project::new();
    project.source(&[("v1.0.0", &[("agents/a.md", "a\n")])]);
    project
        .manifest("[agents]\na = { source = \"community\", path = \"agents/a.md\", version = \"v1.0.0\" }\n");
    project.good("install");
    for text in ["[[agents]]\nname = \"a\"\n", "[sources.x]\ny = 1\n"] {
        project.manifest(text);
        project.refused("install", 1, &["manifest/value"]);
    }
    for text in
        ["agents = \"x.md\"\n", "agents = true\n", "hooks = 3\n", "sources = \"x\"\n", "[[sources]]\na = 1\n"]
    {
        project.write("agpm.toml", text);
        project.refused("install", 1, &["manifest/value", "write a table"]);
    }
}

#[test]
fn frozen_sees_every_difference_and_does_not_call_it_up_to_date() {
    let project = Project::new();
    let agent = "---\ndependencies:\n  snippets:\n    - path: snippets/{{ agpm.project.l }}.md\n---\nbody\n";
    project.source(&[(
        "v1.0.0",
        &[("agents/a.md", agent), ("snippets/s1.md", "1\n"), ("snippets/s2.md", "2\n")],
    )]);
    project.named_source("mirror", &[("v1.0.0", &[("agents/a.md", agent), ("snippets/s1.md", "1\n")])]);
    let entry = "[agents]\na = { source = \"community\", path = \"agents/a.md\", version = \"v1.0.0\" }\n";
    let with = |variable: &str, more: &str| {
        project.manifest(&format!("[project]\nl = \"{variable}\"\n{more}{entry}"))
    };
    with("s1", "");
    project.good("install");
    project.good("install --frozen");
    let lock = project.read("agpm.lock");
    with("s1", "[tools.claude-code]\nenabled = false\n");
    project.refused("install --frozen", 5, &["the tool of agents/a"]);
    with("s2", "");
    project.refused("install --frozen", 5, &["snippets/s2.md"]);
    project.refused("install --locked", 5, &["snippets/s2"]);
    with("s1", "");
    let at = lock.find("[[snippets]]").unwrap();
    project.write("agpm.lock", &lock[..at]);
    project.refused("install --frozen", 5, &["snippets/s1@v1.0.0"]);
    project.write("agpm.lock", &lock);
    project.write("agpm.toml", &project.read("agpm.toml").replace("../community", "../mirror"));
    project.refused("install --frozen", 5, &["another address"]);
    project.refused("install --locked", 5, &["another address"]);
    with("s1", "");
    project.good("install --locked");
}

#[test]
fn secrets_in_addresses_are_masked_wherever_they_stand() {
    let project = Project::new();
    for address in [
        "https://ghp_abcdefghijklmnop0123456789@host.example/r.git",
        "https://host.example/r.git?access_token=hunter2hunter2",
        "https://host.example/r.git?private_token=hunter2hunter2",
        " https://user:hunter2hunter2@host.example/x",
        "HTTPS://hunter2hunter2@127.0.0.1:1/z",
        "https://127.0.0.1:1/z.git#hunter2hunter2",
        "git://hunter2hunter2@127.0.0.1:1/z",
        "htps://hunter2hunter2@h/x.git",
        "https:/hunter2hunter2@h/z",
        "//hunter2hunter2@h/z",
        "user:hunter2hunter2@host.example:x/y",
    ] {
        project.write("agpm.toml", &format!("[sources]\nc = \"{address}\"\n"));
        for line in ["validate", "--json validate", "-v install --offline"] {
            let output = project.run(line).to_string();
            assert!(!output.contains("hunter2") && !output.contains("ghp_"), "{line} {address}\n{output}");
        }
    }
}

#[test]
fn the_order_of_the_manifest_has_no_say() {
    let project = Project::new();
    let flat = "---\ndependencies:\n  snippets:\n    - path: snippets/d/u.md\n      flatten: true\n---\n";
    let plain = needs("snippets", &["snippets/d/u.md"]);
    project
        .source(&[("v1.0.0", &[("agents/a.md", flat), ("agents/b.md", &plain), ("snippets/d/u.md", "u\n")])]);
    let entry = |name: &str| {
        format!("{name} = {{ source = \"community\", path = \"agents/{name}.md\", version = \"v1.0.0\" }}\n")
    };
    let mut locks = Vec::new();
    for order in [["a", "b"], ["b", "a"]] {
        project.manifest(&format!("[agents]\n{}{}", entry(order[0]), entry(order[1])));
        let _ = std::fs::remove_file(project.sandbox.work().join("project/agpm.lock"));
        project.good("install");
        locks.push(project.read("agpm.lock"));
    }
    assert_eq!(locks[0], locks[1]);
}

#[test]
fn names_that_look_like_patterns_or_versions_are_names_too() {
    let project = Project::new();
    let source = project.source(&[("v1.0.0", &[("agents/[slug].md", "slug\n"), ("agents/b.md", "b\n")])]);
    source.git(&["branch", "release/v3.0.0"]);
    project.manifest(
        "[agents]\nall = { source = \"community\", path = \"agents/*.md\", version = \"release/v3.0.0\" }\n",
    );
    project.good("install");
    assert_eq!(project.read(".claude/agents/[slug].md"), "slug\n");
    project.good("install --frozen");
    project.good("verify");
}

#[test]
fn a_renamed_source_keeps_its_pins_and_a_changed_checksum_is_told() {
    let project = Project::new();
    let mut source = project.source(&[("v1.0.0", &[("agents/a.md", "a1\n")])]);
    let entry = "[agents]\na = { source = \"community\", path = \"agents/a.md\", version = \"^1.0\" }\n";
    project.manifest(entry);
    project.good("install");
    source.commit(&[("agents/a.md", "a2\n")]);
    source.tag("v1.1.0");
    project.write(
        "agpm.toml",
        &project
            .read("agpm.toml")
            .replace("community =", "renamed =")
            .replace("\"community\"", "\"renamed\""),
    );
    project.good("install");
    assert_eq!(project.read(".claude/agents/a.md"), "a1\n");
    let lock = project.read("agpm.lock");
    let at = lock.find("sha256:").unwrap() + 7;
    project.write(
        "agpm.lock",
        &format!("{}{}{}", &lock[..at], if &lock[at..=at] == "0" { "1" } else { "0" }, &lock[at + 1..]),
    );
    assert_eq!(project.run("verify").code, Some(1));
    let output = project.good("install");
    assert!(output.stderr.contains("warning[lock/checksum]"), "{output}");
}

#[test]
fn a_file_is_not_installed_onto_itself() {
    let project = Project::new();
    project.write(".claude/agents/a.md", "precious\n");
    project.write("agpm.toml", "[agents]\na = \".claude/agents/a.md\"\n");
    project.refused("install", 6, &["is where it would be installed"]);
    project.write(
        "agpm.toml",
        "[sources]\nl = \".\"\n[agents]\na = { source = \"l\", path = \".claude/agents/*.md\" }\n",
    );
    project.refused("install", 6, &["is where it would be installed"]);
}

#[test]
fn without_a_ledger_the_lock_tells_what_is_ours() {
    let project = Project::new();
    let mut source = project.source(&[("v1.0.0", &[("agents/a.md", "a1\n"), ("agents/b.md", "b1\n")])]);
    project
        .manifest("[agents]\nall = { source = \"community\", path = \"agents/*.md\", version = \"^1.0\" }\n");
    project.good("install");
    std::fs::remove_dir_all(project.sandbox.work().join("project/.agpm")).unwrap();
    source.git(&["rm", "-q", "agents/b.md"]);
    source.commit(&[("agents/a.md", "a2\n")]);
    source.tag("v1.1.0");
    project.good("update");
    assert_eq!(project.installed(), [".claude/agents/a.md"]);
    assert_eq!(project.read(".claude/agents/a.md"), "a2\n");
}

#[test]
fn what_changes_nothing_fills_no_history_and_undo_goes_on() {
    let project = Project::new();
    project.source(&[("v1.0.0", &[("agents/a.md", "a\n")])]);
    let entry = "[agents]\na = { source = \"community\", path = \"agents/a.md\", version = \"v1.0.0\" }\n";
    project.manifest(entry);
    project.good("install");
    let before = project.good("undo --list").stdout;
    for comment in ["# one\n", "# two\n"] {
        project.manifest(&format!("{comment}{entry}"));
        project.good("install");
    }
    assert_eq!(project.good("undo --list").stdout, before);
    project.good("undo");
    assert!(project.installed().is_empty());
}

#[test]
fn eight_changes_at_once_are_all_made() {
    let project = Project::new();
    let files: Vec<(String, String)> =
        (0..8).map(|n| (format!("agents/a{n}.md"), format!("{n}\n"))).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    project.source(&[("v1.0.0", &files)]);
    project.manifest("");
    let start = |n: usize| {
        let mut command = project.sandbox.command(PROGRAM);
        command.current_dir(project.sandbox.work().join("project"));
        command.args(["add", "dep", "agent", &format!("community:agents/a{n}.md@v1.0.0")]);
        command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null());
        command.spawn().unwrap()
    };
    let mut all: Vec<_> = (0..8).map(start).collect();
    assert!(all.iter_mut().all(|child| child.wait().unwrap().success()));
    assert_eq!(project.installed().len(), 8);
    project.good("install --check");
}

/// What a killed `remove` left is finished before anything is read, whatever comes next.
#[cfg(debug_assertions)]
#[test]
fn a_change_that_is_killed_at_any_write_is_finished_or_undone_by_the_next_command() {
    let project = Project::new();
    project.source(&[("v1.0.0", &[("agents/a.md", "a\n"), ("agents/b.md", "b\n")])]);
    let entry = |name: &str| {
        format!("{name} = {{ source = \"community\", path = \"agents/{name}.md\", version = \"v1.0.0\" }}\n")
    };
    for stop in 1.. {
        project.manifest(&format!("[agents]\n{}{}", entry("a"), entry("b")));
        project.good("install");
        let mut command = project.sandbox.command(PROGRAM);
        command.current_dir(project.sandbox.work().join("project")).args(["remove", "dep", "agent", "a"]);
        command.env("AGPM_STOP_AT_WRITE", stop.to_string());
        let output = project.sandbox.output(command);
        if output.code == Some(0) {
            assert!(stop > 8, "the test stopped nothing: {output}");
            break;
        }
        assert!(project.exists("agpm.toml"), "write {stop}: the manifest is gone");
        project.good("install");
        project.good("install --check");
        let manifest = project.read("agpm.toml");
        assert_eq!(manifest.contains("a = {"), project.exists(".claude/agents/a.md"), "write {stop}");
    }
}

#[test]
fn undo_checks_what_was_kept_before_it_gives_it_back() {
    let damages: [&dyn Fn(&std::path::Path); 3] = [
        &|old| std::fs::remove_dir_all(old).unwrap(),
        &|old| {
            for file in std::fs::read_dir(old).unwrap() {
                std::fs::write(file.unwrap().path(), "").unwrap();
            }
        },
        &|old| {
            for file in std::fs::read_dir(old).unwrap() {
                std::fs::write(file.unwrap().path(), "# evil").unwrap();
            }
        },
    ];
    for damage in damages {
        let project = Project::new();
        project.source(&[("v1.0.0", &[("agents/a.md", "a\n"), ("agents/b.md", "b\n")])]);
        project.manifest(
            "[agents]\na = { source = \"community\", path = \"agents/a.md\", version = \"v1.0.0\" }\n",
        );
        project.good("install");
        project.good("add dep agent community:agents/b.md@v1.0.0");
        damage(&project.sandbox.work().join("project/.agpm/history/2/old"));
        project.refused("undo", 1, &["history/2/old"]);
    }
}

#[test]
fn a_file_where_a_folder_is_needed_is_told_by_dry_and_real_runs_alike() {
    let project = Project::new();
    project.source(&[("v1.0.0", &[("agents/a.md", "a\n")])]);
    project
        .manifest("[agents]\na = { source = \"community\", path = \"agents/a.md\", version = \"v1.0.0\" }\n");
    project.write(".claude", "a file\n");
    let shown = project.good("install --dry-run");
    assert!(shown.stderr.contains("install/not-ours"), "{shown}");
    assert_eq!(project.run("install --check").code, Some(1));
    project.refused("install", 6, &["install/not-ours", "below something that is no folder"]);
}

#[cfg(unix)]
#[test]
fn a_program_is_one_whatever_it_is_called() {
    use std::os::unix::fs::PermissionsExt;
    let project = Project::new();
    let agent = needs("snippets", &["scripts/x.sh"]);
    let mut source =
        project.source(&[("v0.0.0", &[("agents/a.md", &agent), ("scripts/x.sh", "#!/bin/sh\n")])]);
    std::fs::set_permissions(source.path().join("scripts/x.sh"), PermissionsExt::from_mode(0o755)).unwrap();
    source.commit(&[]);
    source.tag("v1.0.0");
    project
        .manifest("[agents]\na = { source = \"community\", path = \"agents/a.md\", version = \"v1.0.0\" }\n");
    project.refused("install", 6, &["package/executable"]);
}

#[test]
fn a_moved_tag_is_told_whenever_the_source_is_asked() {
    let project = Project::new();
    let mut source = project.source(&[("v1.0.0", &[("agents/a.md", "a1\n")])]);
    project
        .manifest("[agents]\na = { source = \"community\", path = \"agents/a.md\", version = \"v1.0.0\" }\n");
    project.good("install");
    source.commit(&[("agents/a.md", "moved\n")]);
    source.git(&["tag", "-f", "v1.0.0"]);
    // The commit that was locked must be reachable all the same.
    source.git(&["branch", "kept", "HEAD~1"]);
    for line in ["install", "install --frozen"] {
        for folder in ["project/.claude", "project/.agpm", "../cache/agpm"] {
            let _ = std::fs::remove_dir_all(project.sandbox.work().join(folder));
        }
        let output = project.good(line);
        assert!(output.stderr.contains("lock/moved-tag"), "{line}\n{output}");
        assert_eq!(project.read(".claude/agents/a.md"), "a1\n");
    }
    for line in ["validate --resolve", "validate --sources"] {
        assert!(project.run(line).stdout.contains("lock/moved-tag"), "{line}");
    }
    assert!(project.run("outdated").stderr.contains("lock/moved-tag"));
}

#[test]
fn a_word_that_means_two_resources_has_to_say_which() {
    let project = Project::new();
    project.source(&[("v1.0.0", &[("agents/a.md", "a\n"), ("commands/a.md", "c\n")])]);
    project.manifest(
        "[agents]\na = { source = \"community\", path = \"agents/a.md\", version = \"^1.0\" }\n\
         [commands]\na = { source = \"community\", path = \"commands/a.md\", version = \"^1.0\" }\n",
    );
    project.good("install");
    for line in ["update a", "outdated a", "why a", "tree a"] {
        project.refused(line, 3, &["could be", "`agents/a`", "`commands/a`"]);
    }
    for line in ["update command/a", "outdated commands/a", "why agent/a", "tree agents/a"] {
        project.good(line);
    }
}
