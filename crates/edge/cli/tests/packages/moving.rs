//! Pins that stay and pins that move: requirements, tags, URLs and branches that change.

use agpm_testkit::Repository;

use crate::support::Project;

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
        let said = format!("{}{}", output.stdout, output.stderr);
        assert!(said.contains("tag v1.0.0 of community moved: "), "{output}");
        assert!(said.contains(" -> "), "{output}");
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
