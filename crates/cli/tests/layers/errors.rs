//! Every error in the files of layers.

use agpm_testkit::Repository;

use crate::support::{ACME, Project, SETTINGS, of_source, value};

#[test]
fn a_malformed_file_in_the_middle_is_reported_with_layer_file_and_line_and_nothing_is_written() {
    for (path, good, bad, line) in [
        (
            ".claude/x.json",
            "{\"a\": 1}",
            "{\n  \"a\": 1,\n  \"b\" 2\n}",
            3,
        ),
        (".claude/x.jsonc", "{}", "{\n  \"a\": tru\n}", 2),
        (".claude/x.yaml", "a: 1\n", "a: 1\nb: [1\n", 2),
        (".claude/x.yaml", "a: 1\n", "a: 1\na: 2\n", 2),
        (".codex/x.toml", "a = 1\n", "a = 1\n[t\n", 2),
        ("CLAUDE.md", "x\n", "---\na: 1\nb: [\n---\nbody\n", 3),
    ] {
        let project = Project::stacked(path, &[good, bad, good], "");
        project.layer("org", "GEMINI.md", "hello\n");
        project.write(".claude/mine.md", "mine\n");
        let output = project.run("install");
        let location = format!("../team/{path}:{line}:");
        assert!(
            output.stderr.contains(&location)
                || path.ends_with("yaml") && output.stderr.contains("../team/"),
            "no `{location}` in\n{output}"
        );
        project.refused("install", 1, &["team"]);
        project.refused("install --force", 1, &["team"]);
        let json = project.run("install --json").stdout;
        assert!(
            json.contains("\"layer\": \"team\"") && json.contains("\"line\": "),
            "{json}"
        );
        project.fails(&format!("explain file:{path}"), 1, &["../team/"]);
    }
}

#[test]
fn a_malformed_file_of_a_lone_layer_is_reported_too() {
    let project = Project::stacked(SETTINGS, &["{ \"a\": "], "");
    project.layer("org", "CLAUDE.md", "x\n");
    project.refused("install", 1, &["org", "../org/.claude/settings.json:1:"]);
}

#[test]
fn all_malformed_files_are_reported_at_once() {
    let project = Project::layered(
        &[
            (
                "org",
                &[(".claude/a.json", "{"), (".claude/b.yaml", "a: [")],
            ),
            ("me", &[(".codex/c.toml", "a =")]),
        ],
        "",
    );
    project.refused(
        "install",
        1,
        &[
            "../org/.claude/a.json",
            "../org/.claude/b.yaml",
            "../me/.codex/c.toml",
        ],
    );
}

#[test]
fn a_malformed_file_of_a_git_layer_is_reported_with_its_version() {
    let project = Project::new();
    let mut source = Repository::init(&project.sandbox, "acme");
    source.commit(&[(SETTINGS, "{\n  \"a\" 1\n}")]);
    source.tag("v1.0.0");
    project.plain_manifest(&format!(
        "{ACME}{}",
        of_source("org", "version = \"v1.0.0\"")
    ));
    project.refused("install", 1, &["org", ".claude/settings.json:2:"]);
}

#[test]
fn an_item_without_the_key_is_named() {
    let merge = "[merge]\n\"*.json\" = { rules = { \"/s\" = { by-key = \"id\" } } }\n";
    let project = Project::stacked(
        SETTINGS,
        &[
            "{\"s\": [{\"id\": 1}]}",
            "{\"s\": [{\"id\": 2},\n {\"name\": 3}]}",
        ],
        merge,
    );
    project.layer("org", "CLAUDE.md", "x\n");
    project.refused(
        "install",
        1,
        &[
            "merge/item-key",
            "item 1 of `/s`",
            "`id`",
            "../team/.claude/settings.json:2",
        ],
    );
}

#[test]
fn an_item_without_the_key_in_a_lone_layer_costs_no_item_of_the_user() {
    let merge = "[merge]\n\"*.json\" = { rules = { \"/s\" = { by-key = \"id\" } } }\n";
    let project = Project::stacked(SETTINGS, &["{\"s\": [{\"id\": 1}, {\"name\": 3}]}"], merge);
    project.write(SETTINGS, "{\"s\": [{\"id\": \"mine\"}]}\n");
    let output = project.run("install");
    assert!(project.read(SETTINGS).contains("mine"), "{output}");
    if output.code == Some(0) {
        project.stack(&[], "");
        project.good("install");
        assert_eq!(project.read(SETTINGS), "{\"s\": [{\"id\": \"mine\"}]}\n");
    }
}

#[test]
fn text_and_binary_at_one_path_take_the_highest_with_a_warning() {
    let project = Project::stacked("CLAUDE.md", &["text\n", "x"], "");
    project.layer("team", "CLAUDE.md", b"\xff\xfe\x00");
    let output = project.run("install");
    match output.code {
        Some(0) => {
            assert!(output.stderr.contains("merge/opaque"), "{output}");
            assert_eq!(project.bytes("CLAUDE.md"), b"\xff\xfe\x00");
        }
        _ => assert!(
            output.stderr.contains("../team/CLAUDE.md") && project.written().is_empty(),
            "{output}"
        ),
    }
}

#[test]
fn a_structured_file_that_is_not_a_text_is_reported_with_its_layer() {
    let project = Project::stacked(SETTINGS, &["{\"a\": 1}", "x"], "");
    project.layer("team", SETTINGS, b"{\"a\": \"\xff\"}");
    project.layer("org", "CLAUDE.md", "x\n");
    project.refused("install", 1, &["team", "../team/.claude/settings.json"]);
}

#[test]
fn a_layer_that_is_a_file_is_reported() {
    let project = Project::layered(&[("org", &[("CLAUDE.md", "x\n")])], "");
    project.sandbox.write("me", "a file\n");
    project.stack(&["org", "me"], "");
    let output = project.run("install");
    assert!(
        output.code != Some(0) && output.stderr.contains("layer `me`"),
        "{output}"
    );
    assert_eq!(project.written(), [""; 0]);
}

#[test]
fn a_layer_that_is_a_file_is_reported_with_its_place_and_a_way_out() {
    let project = Project::layered(&[], "");
    project.sandbox.write("me", "a file\n");
    project.stack(&["me"], "");
    project.refused(
        "install",
        1,
        &["layer `me`", "is a file, not a directory", "agpm.toml:"],
    );
    project.fails("layers", 1, &["is a file, not a directory"]);
}

#[test]
fn links_are_not_followed_and_reported() {
    let project = Project::layered(&[("org", &[("CLAUDE.md", "x\n")])], "");
    project.sandbox.write("secret/key.md", "secret\n");
    std::fs::create_dir(project.work("org/.claude")).unwrap();
    std::os::unix::fs::symlink(
        project.work("secret/key.md"),
        project.work("org/.claude/a.md"),
    )
    .unwrap();
    std::os::unix::fs::symlink(project.work("secret"), project.work("org/.claude/dir")).unwrap();
    project.warned("install", &["layers/skipped", "symlink", "1 more"]);
    assert_eq!(project.written(), ["CLAUDE.md"]);
    let output = project.good("layers");
    for path in [".claude/a.md", ".claude/dir"] {
        assert!(
            output.stdout.contains(&format!("org: skipped {path}")),
            "{output}"
        );
    }
}

#[test]
fn links_of_git_layers_are_not_followed_either() {
    let project = Project::new();
    let mut source = Repository::init(&project.sandbox, "acme");
    source.write("CLAUDE.md", "x\n");
    source.link("AGENTS.md", "CLAUDE.md");
    source.link(".claude/out.md", "/etc/passwd");
    source.commit(&[]);
    project.plain_manifest(&format!("{ACME}{}", of_source("org", "branch = \"main\"")));
    project.warned("install", &["layers/skipped", "symlink"]);
    assert_eq!(project.written(), ["CLAUDE.md"]);
}

#[test]
fn names_that_not_every_system_can_have_are_left_out_and_reported() {
    let project = Project::layered(
        &[(
            "org",
            &[
                ("CLAUDE.md", "x\n"),
                (".claude/aux.md", "x\n"),
                (".claude/a:b.md", "x\n"),
                (".claude/end.", "x\n"),
            ],
        )],
        "",
    );
    project.warned("install", &["layers/skipped", "not a portable file name"]);
    assert_eq!(project.written(), ["CLAUDE.md"]);
}

#[test]
fn paths_that_differ_only_in_case_are_refused() {
    let project = Project::layered(
        &[
            ("org", &[(".claude/A.md", "upper\n")]),
            ("me", &[(".claude/a.md", "lower\n")]),
        ],
        "",
    );
    project.refused(
        "install",
        1,
        &["layers `org` and `me`", ".claude/A.md", ".claude/a.md"],
    );
}

#[test]
fn the_way_out_of_a_clash_of_layers_is_one_that_layers_have() {
    let project = Project::layered(
        &[
            ("org", &[(".claude/A.md", "upper\n")]),
            ("me", &[(".claude/a.md", "lower\n")]),
        ],
        "",
    );
    let output = project.run("install");
    assert!(
        !output.stderr.contains("`filename` or `target`"),
        "{output}"
    );
}

/// In both orders, since one is found while reading and the other while writing.
fn file_and_directory() -> [Project; 2] {
    let (file, inner): (&[_], &[_]) =
        (&[(".claude/x", "file\n")], &[(".claude/x/y.md", "inner\n")]);
    [
        [("org", file), ("me", inner)],
        [("org", inner), ("me", file)],
    ]
    .map(|layers| Project::layered(&layers, ""))
}

#[test]
fn a_file_and_a_directory_at_one_path_write_nothing() {
    for project in file_and_directory() {
        let output = project.run("install");
        assert!(matches!(output.code, Some(1 | 6)), "{output}");
        assert_eq!(project.written(), [""; 0], "{output}");
    }
}

#[test]
fn a_file_and_a_directory_at_one_path_are_reported_with_their_layers() {
    for project in file_and_directory() {
        let output = project.run("install");
        assert!(!output.stderr.contains("install/changed"), "{output}");
        assert!(
            output.stderr.contains(".claude/x") && output.stderr.contains("org"),
            "{output}"
        );
    }
}

#[test]
fn the_project_itself_is_not_a_layer_of_itself() {
    let project = Project::new();
    project.write("CLAUDE.md", "mine\n");
    project.plain_manifest("[[layers]]\nname = \"self\"\npath = \".\"\n");
    project.run("install");
    project.plain_manifest("");
    project.run("install");
    assert_eq!(project.read("CLAUDE.md"), "mine\n", "a user's file went");
}

#[test]
fn a_directory_within_the_project_may_be_a_layer() {
    let project = Project::new();
    project.write("config/CLAUDE.md", "team\n");
    project.plain_manifest("[[layers]]\nname = \"team\"\npath = \"config\"\n");
    project.good("install");
    assert_eq!(project.read("CLAUDE.md"), "team\n");
    project.good("install --check");
}

#[test]
fn a_binary_file_named_as_text_comes_from_the_highest_layer_with_a_warning() {
    for path in [".claude/notes.txt", "CLAUDE.md"] {
        let project = Project::layered(&[("org", &[(path, "text\n")]), ("me", &[])], "");
        project.layer("me", path, b"\0binary");
        let output = project.run("install");
        assert!(
            output.code == Some(0) && output.stderr.contains("merge/opaque"),
            "{output}"
        );
        assert_eq!(project.bytes(path), b"\0binary");
    }
}

#[test]
fn a_value_that_cannot_be_changed_alone_is_in_the_way() {
    let project = Project::stacked(".claude/a.yaml", &["m: {k: 1}\n"], "");
    project.write(".claude/a.yaml", "m: &x\n  u: 1\ny: *x\n");
    project.refused(
        "install",
        6,
        &["install/unmanaged", "/m", "cannot be changed alone"],
    );
    project.fails("install --check", 1, &["1 conflicting"]);
    project.good("install --dry-run");
}

#[test]
fn a_users_value_in_the_way_is_reported_with_layer_file_and_line() {
    let project = Project::stacked(SETTINGS, &["{\"a\": {\"b\": 1}}"], "");
    project.write(SETTINGS, "{\n  \"a\": {\n    \"b\": 2\n  }\n}\n");
    let location = format!("{SETTINGS}:3:10");
    project.refused(
        "install",
        6,
        &["install/unmanaged", "`/a/b`", "layer `org`", &location],
    );
    let output = project.run("--json install");
    let found = value(&output.stdout, "x.json");
    let found = found
        .get("diagnostics")
        .and_then(|all| all.child("0"))
        .unwrap();
    let field = |key: &str| {
        found
            .get(key)
            .map(|value| value.to_json().trim_end().to_owned())
    };
    assert_eq!(field("file"), Some(format!("\"{SETTINGS}\"")));
    assert_eq!(
        (field("line").as_deref(), field("layer").as_deref()),
        (Some("3"), Some("\"org\""))
    );
}
