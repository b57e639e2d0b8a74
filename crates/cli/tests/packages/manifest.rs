//! Settings of the manifest, and their errors.

use crate::support::{Project, needs};

#[test]
fn resources_go_to_the_tool_that_is_required() {
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
fn add_refuses_unknown_and_existing_names() {
    let project = Project::new();
    project.source(&[("v1.0.0", &[("agents/a.md", "a\n")])]);
    project.manifest("");
    project.refused(
        "add dep agent comunity:agents/a.md",
        3,
        &["did you mean `community`?"],
    );
    project.refused(
        "add dep agnet community:agents/a.md",
        2,
        &["did you mean `agent`?"],
    );
    project.refused(
        "add dep agent community:agents/nope.md@v1.0.0",
        1,
        &["package/not-found"],
    );
    project.refused("add source community file:///elsewhere", 6, &["--force"]);
    project.refused("add source bad ext::sh", 2, &[]);
    project.good("add dep agent community:agents/a.md@v1.0.0");
    project.refused(
        "add dep agent community:agents/a.md@v1.0.0",
        6,
        &["--force"],
    );
    project.good("add dep agent community:agents/a.md --force --no-install");
    assert!(project.read("agpm.toml").contains("version = \"^1.0.0\""));
    project.write("local/agent.md", "local\n");
    project.good("add dep agent ./local/agent.md --name helper");
    assert!(
        project
            .read("agpm.toml")
            .contains("helper = \"./local/agent.md\""),
        "{}",
        project.read("agpm.toml")
    );
    assert_eq!(project.read(".claude/agents/agent.md"), "local\n");
}

#[test]
fn local_files_follow_their_changes() {
    let project = Project::new();
    project
        .sandbox
        .write("shared/helper.md", needs("snippets", &["./part.md"]));
    project.sandbox.write("shared/part.md", "part\n");
    project.manifest("[agents]\nhelper = \"../shared/helper.md\"\n");
    project.good("install");
    assert_eq!(project.read(".claude/snippets/shared/part.md"), "part\n");
    project.sandbox.write("shared/part.md", "changed\n");
    project.good("install");
    assert_eq!(project.read(".claude/snippets/shared/part.md"), "changed\n");
    project
        .sandbox
        .write("shared/helper.md", needs("snippets", &["/outside.md"]));
    project.refused("install", 6, &["leads out"]);
    project.manifest("[agents]\nhelper = \"../shared/nope.md\"\n");
    project.refused("install", 1, &["package/not-found", "../shared/nope.md"]);
}

#[test]
fn a_directory_without_git_is_a_source_too() {
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
    assert_eq!(
        project.installed(),
        [".claude/agents/a.md", ".claude/agents/b.md"]
    );
}

#[test]
fn the_private_manifest_is_a_higher_layer_with_rules_of_its_own() {
    let project = Project::new();
    project.source(&[
        ("v1.0.0", &[("agents/a.md", "a1\n")]),
        ("v1.1.0", &[("agents/a.md", "a2\n"), ("agents/p.md", "p\n")]),
    ]);
    project.manifest(
        "[agents]\na = { source = \"community\", path = \"agents/a.md\", version = \"v1.0.0\" }\n",
    );
    project.write(
        "agpm.private.toml",
        "[agents]\nmine = { source = \"community\", path = \"agents/p.md\", version = \"v1.1.0\" }\n",
    );
    project.good("install");
    assert_eq!(project.read(".claude/agents/a.md"), "a1\n");
    assert_eq!(project.read(".claude/agents/p.md"), "p\n");
    project.write("agpm.private.toml", "[tools.x]\npath = \".x\"\n");
    project.refused(
        "install",
        1,
        &["agpm.private.toml", "a private manifest has no key `tools`"],
    );
}

#[test]
fn sources_of_the_user_are_known_everywhere() {
    let project = Project::new();
    let source = project.named_source("everywhere", &[("v1.0.0", &[("agents/a.md", "a\n")])]);
    project.sandbox.write(
        "../config/agpm/config.toml",
        format!("[sources]\nmine = \"{}\"\n", source.url()),
    );
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
    project.source(&[(
        "v1.0.0",
        &[
            ("agents/a.md", "a\n"),
            ("agents/x/a.md", "b\n"),
            ("agents/A.md", "c\n"),
        ],
    )]);
    let entry = |name: &str, path: &str| {
        format!("{name} = {{ source = \"community\", path = \"{path}\", version = \"v1.0.0\" }}\n")
    };
    project.manifest(&format!(
        "[agents]\n{}{}",
        entry("one", "agents/a.md"),
        entry("two", "agents/x/a.md")
    ));
    project.refused(
        "install",
        1,
        &[
            "agents/one",
            "agents/two",
            "`filename = \"two\"`",
            "`target`",
        ],
    );
    project.manifest(&format!(
        "[agents]\n{}{}",
        entry("one", "agents/a.md"),
        entry("two", "agents/A.md")
    ));
    project.refused("install", 1, &["package/target-clash"]);
}

#[test]
fn everything_that_is_missing_has_its_message_and_code() {
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
    project.refused(
        "install",
        1,
        &["package/not-found", "did you mean `agents/a.md`?"],
    );
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

/// A section of the wrong kind must not be taken for an empty one: what it held would be removed.
#[test]
fn mistakes_are_reported_next_to_a_syntax_error_unless_it_may_have_caused_them() {
    let project = Project::new();
    let codes = |manifest: &str| -> Vec<String> {
        project.write("agpm.toml", manifest);
        let output = project.run("install");
        assert_eq!(output.code, Some(1), "{output}");
        let headers = output.stderr.lines();
        let codes = headers.filter_map(|line| line.strip_prefix("error["));
        codes
            .filter_map(|line| Some(line.split_once(']')?.0.to_owned()))
            .collect()
    };
    for (manifest, expected) in [
        (
            "[agents]\na = { pth = \"a.md\" }\nb = \"b.md\n\n[soruces]\nhub = \"https://hub.example\"\n",
            &[
                "toml/syntax",
                "manifest/unknown-key",
                "manifest/unknown-key",
            ][..],
        ),
        (
            "[agents]\na = 1\n\n[[layers]]\nname = \"a\npath = \"a\"\n",
            &["toml/syntax", "manifest/value"],
        ),
        // Its name and its source are there, on lines that cannot be read.
        (
            "[sources]\nhub = \"https://hub.example\n\n[[layers]]\nname = a\nsource = \"hub\"\n",
            &["toml/syntax", "toml/syntax"],
        ),
        (
            "[agents]\n<<<<<<< ours\na = { pth = \"a.md\" }\n=======\na = \"a.md\"\n>>>>>>> theirs\n",
            &["toml/syntax"],
        ),
    ] {
        assert_eq!(codes(manifest), expected, "{manifest}");
    }
    // The private manifest is valid, and so are its values.
    project.write("agpm.private.toml", "[laiers]\n");
    assert_eq!(codes("[agents\n"), ["toml/syntax", "manifest/unknown-key"]);
}

#[test]
fn a_section_that_is_not_a_table_is_an_error() {
    let project = Project::new();
    project.source(&[("v1.0.0", &[("agents/a.md", "a\n")])]);
    project.manifest(
        "[agents]\na = { source = \"community\", path = \"agents/a.md\", version = \"v1.0.0\" }\n",
    );
    project.good("install");
    for text in ["[[agents]]\nname = \"a\"\n", "[sources.x]\ny = 1\n"] {
        project.manifest(text);
        project.refused("install", 1, &["manifest/value"]);
    }
    for text in [
        "agents = \"x.md\"\n",
        "agents = true\n",
        "hooks = 3\n",
        "sources = \"x\"\n",
        "[[sources]]\na = 1\n",
    ] {
        project.write("agpm.toml", text);
        project.refused("install", 1, &["manifest/value", "write a table"]);
    }
}

#[test]
fn a_word_that_means_two_resources_has_to_say_which() {
    let project = Project::new();
    project.source(&[(
        "v1.0.0",
        &[("agents/a.md", "a\n"), ("commands/a.md", "c\n")],
    )]);
    project.manifest(
        "[agents]\na = { source = \"community\", path = \"agents/a.md\", version = \"^1.0\" }\n\
         [commands]\na = { source = \"community\", path = \"commands/a.md\", version = \"^1.0\" }\n",
    );
    project.good("install");
    for line in ["update a", "outdated a", "why a", "tree a"] {
        project.refused(line, 3, &["could be", "`agents/a`", "`commands/a`"]);
    }
    for line in [
        "update command/a",
        "outdated commands/a",
        "why agent/a",
        "tree agents/a",
    ] {
        project.good(line);
    }
}
