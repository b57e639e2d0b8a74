//! Clones, pulls, undo and verify.

use agpm_testkit::Repository;

use crate::support::{ACME, Project, SETTINGS, directory, of_source};

const USERS: &str = "{\n  \"mine\": {\"x\": 1}, // mine\n  \"list\": [\"me\"]\n}\n";

fn project() -> Project {
    let project = Project::layered(
        &[
            (
                "org",
                &[
                    (
                        SETTINGS,
                        "{\"a\": 1, \"mine\": {\"y\": 2}, \"list\": [\"o\"]}",
                    ),
                    ("CLAUDE.md", "org\n"),
                ],
            ),
            (
                "me",
                &[
                    (SETTINGS, "{\"b\": 2}"),
                    ("CLAUDE.md", "me\n"),
                    (".claude/a.sh", "x\n"),
                ],
            ),
        ],
        "[merge]\n\"*.json\" = \"extend-lists\"\n",
    );
    project.write(SETTINGS, USERS);
    project
}

#[test]
fn a_fresh_clone_manages_the_installed_files() {
    let project = project();
    project.good("install --approve all");
    let before = project.tree();
    project.forget();
    let output = project.good("install --approve all");
    assert_eq!(output.stderr, "");
    let after: Vec<_> = project
        .tree()
        .into_iter()
        .filter(|(name, _)| !name.starts_with(".agpm"))
        .collect();
    let before: Vec<_> = before
        .into_iter()
        .filter(|(name, _)| !name.starts_with(".agpm"))
        .collect();
    assert_eq!(after, before);
    project.good("verify");
    project.layer("me", SETTINGS, "{\"b\": 3}");
    project.good("install --approve all");
    project.says(
        SETTINGS,
        "{\"mine\": {\"x\": 1, \"y\": 2}, \"list\": [\"me\", \"o\"], \"a\": 1, \"b\": 3}",
    );
    project.stack(&[], "");
    project.good("install --approve all");
    project.says(SETTINGS, "{\"mine\": {\"x\": 1}, \"list\": [\"me\"]}");
    assert_eq!(project.written(), [SETTINGS]);
}

/// A layer of a source with two releases, installed at the first, in a clone without agpm's state.
fn cloned(project: &Project) -> Repository<'_> {
    let mut source = Repository::init(&project.sandbox, "acme");
    source.commit(&[
        (SETTINGS, "{\"a\": 1, \"gone\": 1}"),
        ("CLAUDE.md", "one\n"),
        ("GEMINI.md", "gone\n"),
    ]);
    source.tag("v1.0.0");
    project.plain_manifest(&format!("{ACME}{}", of_source("org", "version = \"^1.0\"")));
    project.write(SETTINGS, "{\"mine\": 0}\n");
    project.good("install");
    project.forget();
    source.remove("GEMINI.md");
    source.commit(&[(SETTINGS, "{\"a\": 2}"), ("CLAUDE.md", "two\n")]);
    source.tag("v1.1.0");
    source
}

fn is_second(project: &Project) {
    project.says(SETTINGS, "{\"mine\": 0, \"a\": 2}");
    assert_eq!(project.read("CLAUDE.md"), "two\n");
    assert!(!project.exists("GEMINI.md"));
}

#[test]
fn an_update_in_a_fresh_clone_knows_the_locked_values() {
    let project = Project::new();
    cloned(&project);
    assert_eq!(project.good("update --approve all").stderr, "");
    is_second(&project);
}

#[test]
fn another_version_in_a_fresh_clone_knows_the_locked_values() {
    let project = Project::new();
    cloned(&project);
    project.plain_manifest(&project.read("agpm.toml").replace("^1.0", "^1.1"));
    project.good("install --approve all");
    is_second(&project);
}

#[test]
fn files_of_a_pull_are_managed() {
    let project = project();
    project.good("install");
    let ledger = project.read(".agpm/ledger.json");
    // A colleague changes a layer, installs and commits everything.
    project.layer("me", SETTINGS, "{\"b\": 3, \"c\": 4}");
    project.layer("me", "CLAUDE.md", "me too\n");
    project.layer("me", "GEMINI.md", "new\n");
    project.good("install --approve layers/me");
    let after = project.read(SETTINGS);
    project.write(".agpm/ledger.json", &ledger);
    let output = project.good("install");
    assert_eq!(output.stderr, "", "{output}");
    assert_eq!(project.read(SETTINGS), after);
    project.good("verify");
    project.stack(&[], "");
    project.good("install");
    project.says(SETTINGS, "{\"mine\": {\"x\": 1}, \"list\": [\"me\"]}");
    assert_eq!(project.written(), [SETTINGS]);
}

#[test]
fn undo_takes_back_an_install_whole() {
    let project = project();
    let before = project.tree();
    project.good("install --approve all");
    let first = project.tree();
    project.layer("me", SETTINGS, "{\"c\": 3, \"list\": [\"p\"]}");
    project.unlayer("me", ".claude/a.sh");
    project.good("install --approve all");
    assert_ne!(project.tree(), first);
    let output = project.good("undo");
    assert!(
        output.stdout.contains("restored .claude/settings.json"),
        "{output}"
    );
    let files = |tree: Vec<(String, Vec<u8>)>| -> Vec<_> {
        tree.into_iter()
            .filter(|(name, _)| !name.starts_with(".agpm"))
            .collect()
    };
    assert_eq!(files(project.tree()), files(first));
    project.good("undo");
    assert_eq!(files(project.tree()), files(before));
    assert!(!project.exists("agpm.lock"));
}

#[test]
fn undo_after_a_users_edit_takes_back_only_what_is_ours() {
    let project = project();
    project.good("install");
    let edited = project
        .read(SETTINGS)
        .replacen("\"x\": 1", "\"x\": 7, \"z\": 0", 1);
    assert_ne!(edited, project.read(SETTINGS));
    project.write(SETTINGS, &edited);
    project.good("undo");
    project.says(
        SETTINGS,
        "{\"mine\": {\"x\": 7, \"z\": 0}, \"list\": [\"me\"]}",
    );
    assert_eq!(project.written(), [SETTINGS]);
}

#[test]
fn undo_after_an_edit_of_our_key_does_not_lose_the_edit() {
    let project = project();
    project.good("install");
    project.write(
        SETTINGS,
        &project.read(SETTINGS).replacen("\"a\": 1", "\"a\": 7", 1),
    );
    let output = project.run("undo");
    assert!(project.read(SETTINGS).contains("\"a\": 7"), "{output}");
    assert!(
        output.code == Some(6) || output.to_string().contains("/a"),
        "{output}"
    );
}

#[test]
fn undo_of_an_adoption_gives_the_users_value_back() {
    let project = Project::stacked(SETTINGS, &["{\"a\": 2}"], "");
    project.write(SETTINGS, "{\"a\":  1}\n");
    project.good("install --adopt");
    project.good("undo");
    assert_eq!(project.read(SETTINGS), "{\"a\":  1}\n");
}

#[test]
fn an_update_of_a_layer_is_taken_back_with_its_pin() {
    let project = Project::new();
    let mut source = Repository::init(&project.sandbox, "acme");
    source.commit(&[(SETTINGS, "{\"a\": 1}")]);
    project.plain_manifest(&format!("{ACME}{}", of_source("org", "branch = \"main\"")));
    project.good("install --approve all");
    let lock = project.read("agpm.lock");
    source.commit(&[(SETTINGS, "{\"a\": 2}")]);
    project.good("update --approve all");
    project.says(SETTINGS, "{\"a\": 2}");
    project.good("undo");
    project.says(SETTINGS, "{\"a\": 1}");
    assert_eq!(project.read("agpm.lock"), lock);
    project.good("install --frozen");
    project.good("verify");
}

#[test]
fn verify_counts_keys_and_files_and_ignores_the_users() {
    let project = project();
    project.good("install");
    project.good("verify");
    project.write(
        SETTINGS,
        &project.read(SETTINGS).replacen("\"x\": 1", "\"x\": 7", 1),
    );
    project.good("verify");
    project.write("CLAUDE.md", "edited\n");
    project.remove(".claude/a.sh");
    project.write(
        SETTINGS,
        &project.read(SETTINGS).replacen("\"a\": 1", "\"a\": 7", 1),
    );
    let output = project.fails(
        "verify",
        1,
        &["CLAUDE.md was modified", ".claude/a.sh is missing", "/a"],
    );
    assert_eq!(output.stdout.matches("error[").count(), 3, "{output}");
    let json = project
        .fails(
            "verify --json",
            1,
            &["layers/org+me", "layers/me", "layers/org"],
        )
        .stdout;
    assert!(json.contains("\"ok\": false"), "{json}");
    project.write(SETTINGS, "{ broken");
    project.fails("verify", 1, &["cannot be read"]);
    project.remove(SETTINGS);
    project.fails("verify", 1, &["verify/missing", SETTINGS]);
}

#[test]
fn dry_run_and_check_write_nothing() {
    let project = project();
    let before = project.sandbox.listing();
    let output = project.good("install --dry-run");
    for line in [
        "+ CLAUDE.md  layers/org+me: new",
        "+ .claude/a.sh  layers/me: new",
        "/a  layers/org: new",
    ] {
        assert!(output.stdout.contains(line), "no `{line}` in\n{output}");
    }
    assert_eq!(project.run("install --check").code, Some(1));
    assert_eq!(project.sandbox.listing(), before);
    project.good("install");
    project.good("install --check");
    project.layer("org", SETTINGS, "{\"a\": 2}");
    let before = project.sandbox.listing();
    let output = project.fails("install --check", 1, &["~ .claude/settings.json /a"]);
    assert!(
        output.stdout.contains("- .claude/settings.json"),
        "{output}"
    );
    assert_eq!(project.sandbox.listing(), before);
}

#[test]
fn two_projects_share_a_layer_and_nothing_else() {
    let project = project();
    project.good("install");
    project.sandbox.write("other/agpm.toml", directory("org"));
    let mut command = project.sandbox.command(crate::project::PROGRAM);
    command.current_dir(project.work("other")).arg("install");
    assert_eq!(project.sandbox.output(command).code, Some(0));
    assert_eq!(project.sandbox.read("other/CLAUDE.md"), "org\n");
    project.good("verify");
}
