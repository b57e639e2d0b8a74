//! Pins that stay and pins that change: requirements, tags, URLs and branches.

use agpm_testkit::Repository;

use crate::support::{Project, json};

const A: &str = "agents/a.md";
const B: &str = "agents/b.md";

fn asks(version: &str) -> String {
    format!("[agents]\na = {{ source = \"community\", path = \"{A}\", version = \"{version}\" }}\n")
}

fn three() -> Project {
    let project = Project::new();
    project.source(&[
        ("v1.0.0", &[(A, "1.0\n"), (B, "b\n")]),
        ("v1.1.0", &[(A, "1.1\n")]),
        ("v2.0.0", &[(A, "2.0\n")]),
    ]);
    project
}

#[test]
fn a_requirement_that_still_allows_the_pin_keeps_it() {
    for wider in ["^1.0", "*", "latest", ">=1.0.0, <3"] {
        let project = three();
        project.manifest(&asks("=1.0.0"));
        project.good("install");
        project.manifest(&asks(wider));
        project.good("install");
        assert_eq!(project.read(".claude/agents/a.md"), "1.0\n", "{wider}");
        project.good("install --locked");
        project.good("update");
        assert_ne!(project.read(".claude/agents/a.md"), "1.0\n", "{wider}");
    }
    let project = three();
    project.manifest(&asks("=1.0.0"));
    project.good("install");
    project.manifest(&asks("^2.0"));
    project.good("install");
    assert_eq!(project.read(".claude/agents/a.md"), "2.0\n");
}

#[test]
fn a_tag_that_moved_is_reported_by_install_outdated_and_update() {
    let project = Project::new();
    let mut source = project.source(&[("v1.0.0", &[(A, "first\n"), (B, "b\n")])]);
    project.manifest(&asks("^1.0"));
    project.good("install");
    source.commit(&[(A, "second\n")]);
    source.git(&["tag", "-f", "v1.0.0"]);
    let moved = |output: &agpm_testkit::CommandOutput| {
        let text = format!("{}{}", output.stdout, output.stderr);
        assert!(text.contains("tag v1.0.0 of community moved: "), "{output}");
        assert!(text.contains(" -> "), "{output}");
    };
    project.manifest(&format!(
        "{}b = {{ source = \"community\", path = \"{B}\", version = \"^1.0\" }}\n",
        asks("^1.0")
    ));
    moved(&project.good("install"));
    assert_eq!(project.read(".claude/agents/a.md"), "first\n");
    moved(&project.good("outdated"));
    moved(&project.good("update"));
    assert_eq!(project.read(".claude/agents/a.md"), "second\n");
    assert!(!project.good("update").stderr.contains("moved"));
}

#[test]
fn a_source_with_another_url_is_resolved_again_and_keeps_its_version() {
    let project = three();
    project.named_source(
        "fork",
        &[
            ("v1.0.0", &[(A, "fork 1.0\n")]),
            ("v1.1.0", &[(A, "fork 1.1\n")]),
        ],
    );
    project.manifest(&asks("=1.0.0"));
    project.good("install");
    let manifest = |name: &str, version: &str| {
        project.write(
            "agpm.toml",
            &format!("[sources]\ncommunity = \"../{name}\"\n{}", asks(version)),
        );
    };
    manifest("fork", "^1.0");
    assert_eq!(project.run("install --locked").code, Some(5));
    assert_eq!(project.run("install --frozen").code, Some(5));
    let output = project.good("install");
    assert!(
        output
            .stderr
            .contains("the URL of source `community` changed"),
        "{output}"
    );
    assert_eq!(project.read(".claude/agents/a.md"), "fork 1.0\n");
    assert!(project.read("agpm.lock").contains("version = \"v1.0.0\""));
    assert!(!project.good("install").stderr.contains("URL"));
    project.good("install --frozen");
    // Without the tag, the requirement decides.
    project.named_source("other", &[("v1.5.0", &[(A, "other 1.5\n")])]);
    manifest("other", "^1.0");
    project.good("install");
    assert_eq!(project.read(".claude/agents/a.md"), "other 1.5\n");
}

#[test]
fn a_dependency_without_a_version_is_at_the_default_branch_whatever_it_is_called() {
    let project = Project::new();
    let mut source = Repository::init(&project.sandbox, "community");
    source.commit(&[(A, "trunk\n")]);
    source.git(&["branch", "-m", "trunk"]);
    project.manifest(&format!(
        "[agents]\na = {{ source = \"community\", path = \"{A}\" }}\n"
    ));
    let output = project.good("install");
    assert!(
        output.stderr.contains("note[package/default-branch]"),
        "{output}"
    );
    assert_eq!(project.read(".claude/agents/a.md"), "trunk\n");
    assert!(!project.good("install").stderr.contains("trunk"));
    project.good("install --frozen");
    source.commit(&[(A, "trunk 2\n")]);
    project.good("update");
    assert_eq!(project.read(".claude/agents/a.md"), "trunk 2\n");
}

#[test]
fn resources_of_a_branch_that_moved_have_one_line() {
    let project = Project::new();
    let mut source = Repository::init(&project.sandbox, "community");
    let names = ["a", "b", "c", "d", "e"];
    let files: Vec<(String, &str)> = names
        .iter()
        .map(|name| (format!("agents/{name}.md"), "x\n"))
        .collect();
    source.commit(
        &files
            .iter()
            .map(|(path, text)| (path.as_str(), *text))
            .collect::<Vec<_>>(),
    );
    project.manifest(
        "[agents]\nall = { source = \"community\", path = \"agents/*.md\", branch = \"main\" }\n",
    );
    project.good("install");
    source.commit(&[("README.md", "news\n")]);
    let output = project.good("update --dry-run");
    assert_eq!(output.stdout.matches(" -> ").count(), 1, "{output}");
    assert!(
        output
            .stdout
            .starts_with("agents/a, agents/b and 3 more  main ("),
        "{output}"
    );
    assert_eq!(
        project
            .good("-v update --dry-run")
            .stdout
            .matches(" -> ")
            .count(),
        5
    );
    assert_eq!(project.good("update").stdout.matches(" -> ").count(), 1);
}

#[test]
fn update_as_json_gives_each_pin_that_moved_with_its_changelog() {
    let project = Project::new();
    let first = "# Changelog\n\n## 1.0.0\n- first\n";
    let second =
        "# Changelog\n\n## 2.0.0\n- other\n\n## 1.1.0\n### Added\n- more\n\n## 1.0.0\n- first\n";
    let mut source = project.source(&[
        ("v1.0.0", &[(A, "1.0\n"), ("CHANGELOG.md", first)]),
        ("v1.1.0", &[(A, "1.1\n"), ("CHANGELOG.md", second)]),
    ]);
    project.manifest(&asks("=1.0.0"));
    project.good("install");
    project.manifest(&asks("^1.0"));
    let commit_of = |tag: &str| source.git(&["rev-parse", tag]).stdout.trim().to_owned();
    let expected = format!(
        r####"[{{
  "id": "agents/a",
  "resource": "agents/a",
  "from": "v1.0.0",
  "to": "v1.1.0",
  "source": "community",
  "url": "../community",
  "old": {{"version": "v1.0.0", "commit": "{}"}},
  "new": {{"version": "v1.1.0", "commit": "{}"}},
  "changelog": ["## 1.1.0", "### Added", "- more"]
}}]"####,
        commit_of("v1.0.0"),
        commit_of("v1.1.0")
    );
    for line in ["update --dry-run --json", "update --json"] {
        let report = json(&project.good(line).stdout);
        assert_eq!(report.get("moved"), Some(&json(&expected)), "{line}");
    }
    // A branch has no version to search for.
    project.manifest(&asks("main"));
    project.good("install");
    source.commit(&[(A, "on main\n")]);
    let moved = project.good("update --json").stdout;
    assert!(moved.contains("\"changelog\": []"), "{moved}");
    assert!(moved.contains("\"version\": \"main\""), "{moved}");
}

#[test]
fn outdated_goes_on_where_a_branch_dropped_a_resource() {
    let project = Project::new();
    let mut source = project.source(&[("v1.0.0", &[(A, "a\n"), (B, "b\n")])]);
    let entries = format!(
        "{}b = {{ source = \"community\", path = \"{B}\", version = \"main\" }}\n",
        asks("main")
    );
    project.manifest(&entries);
    project.good("install");
    source.git(&["rm", "-q", A]);
    source.commit(&[(B, "new b\n")]);
    let output = project.good("outdated");
    assert!(
        output.stdout.contains('b') && !output.stdout.contains("\na "),
        "{output}"
    );
    assert!(output.stderr.contains("package/passed-over"), "{output}");
    assert!(
        output.stderr.contains("agents/a.md` is not in main ("),
        "{output}"
    );
}

#[test]
fn outdated_reads_no_file_of_a_source() {
    let project = Project::new();
    let mut source = project.source(&[("v1.0.0", &[(A, "a\n"), (B, "b\n")])]);
    source.git(&["config", "uploadpack.allowFilter", "true"]);
    project.manifest(&format!(
        "{}b = {{ source = \"community\", path = \"{B}\", version = \"main\" }}\n",
        asks("^1.0")
    ));
    project.good("install");
    source.commit(&[(A, "newer a\n")]);
    source.git(&["tag", "v1.1.0"]);
    project.good("cache clean --all");
    let output = project.good("outdated");
    assert!(output.stdout.contains("v1.1.0"), "{output}");
    assert!(
        output.stdout.contains("1 resource without changes"),
        "{output}"
    );
    let kinds = "--batch-check=%(objecttype)";
    let mut cached = 0;
    for copy in std::fs::read_dir(project.sandbox.home().join("../cache/agpm/git")).unwrap() {
        let mut command = project.sandbox.command("git");
        let objects = copy.unwrap().path().join("objects.git");
        command.args(["-C", objects.to_str().unwrap()]);
        command.args(["cat-file", "--batch-all-objects", kinds]);
        let objects = project.sandbox.output(command).stdout;
        assert!(!objects.contains("blob"), "{objects}");
        cached += objects.lines().count();
    }
    assert!(cached > 0);
}

#[test]
fn a_version_after_a_name_is_the_command_that_installs_it() {
    let project = Project::with(
        &[("agents/a.md", "A.\n")],
        "[agents]\na = { source = \"community\", path = \"agents/a.md\", version = \"v1.0.0\" }\n",
    );
    project.good("install");
    for line in ["outdated a@v2.0.0", "diff --update a@v2.0.0"] {
        project.refused(line, 2, &["run `agpm update a@v2.0.0`"]);
    }
    project.refused("update b@v2.0.0", 3, &["unknown resource `b`"]);
}

#[test]
fn an_update_over_an_edit_keeps_it_and_fails_until_it_is_resolved() {
    let project = Project::new();
    project.source(&[
        ("v1.0.0", &[(A, "1.0\n"), (B, "b 1.0\n")]),
        ("v1.1.0", &[(A, "1.1\n"), (B, "b 1.1\n")]),
    ]);
    let both = |version: &str| {
        format!(
            "{}b = {{ source = \"community\", path = \"{B}\", version = \"{version}\" }}\n",
            asks(version)
        )
    };
    project.manifest(&both("=1.0.0"));
    project.good("install");
    project.write(".claude/agents/a.md", "mine\n");
    // An edit with nothing new is not an error.
    project.warned("install", &["install/edited"]);
    project.manifest(&both("^1.0"));
    let preview = project.good("update --dry-run");
    assert!(
        preview.stderr.contains("warning[install/conflict]"),
        "{preview}"
    );
    for line in ["update", "install", "install"] {
        let output = project.run(line);
        assert_eq!(output.code, Some(1), "{line}\n{output}");
        for words in [
            "error[install/conflict]: `.claude/agents/a.md` was edited; the new version is not installed",
            "agents/a stays as you edited it (1.0.0)",
            "compare it with `.claude/agents/a.md.agpm-new`, then run `agpm resolve agents/a`",
        ] {
            assert!(output.stderr.contains(words), "{line}: {words}\n{output}");
        }
        // The rest is installed.
        assert_eq!(project.read(".claude/agents/a.md"), "mine\n");
        assert_eq!(project.read(".claude/agents/b.md"), "b 1.1\n");
        assert!(project.read("agpm.lock").contains("version = \"v1.1.0\""));
    }
    let before = project.tree();
    project.run("install");
    assert_eq!(project.tree(), before, "a second run changes nothing");
    let json_report = project.run("install --json");
    assert_eq!(json_report.code, Some(1), "{json_report}");
    assert!(
        json_report.stdout.contains("\"ok\": false"),
        "{json_report}"
    );
    let listed = project.good("list");
    assert!(
        listed.stdout.contains("conflict (based on 1.0.0)"),
        "{listed}"
    );
    let diff = project.good("diff agents/a");
    assert!(diff.stdout.contains("-1.1\n+mine\n"), "{diff}");
    project.good("install --force");
    assert_eq!(project.read(".claude/agents/a.md"), "1.1\n");
    project.good("install");
}
