//! `update NAME@VERSION` and `update --latest`: exact pins, and requirements that are rewritten.

use crate::support::{Project, json};

const A: &str = "agents/a.md";
const B: &str = "agents/b.md";

/// A source with four releases, of which the manifest requires two resources.
fn project() -> Project {
    let project = Project::new();
    project.source(&[
        ("v1.0.0", &[(A, "a 1.0\n"), (B, "b 1.0\n")]),
        ("v1.1.0", &[(A, "a 1.1\n"), (B, "b 1.1\n")]),
        ("v1.2.0", &[(A, "a 1.2\n"), (B, "b 1.2\n")]),
        ("v2.0.0", &[(A, "a 2.0\n"), (B, "b 2.0\n")]),
    ]);
    project.manifest(MANIFEST);
    project.good("install");
    project
}

const MANIFEST: &str = "# Reviewed by the team.\n[agents]\na = { source = \"community\", path = \"agents/a.md\", version = \"^1.0\" } # stable\nb = { source = \"community\", path = \"agents/b.md\", version = \"v1.0.0\" }\n";

fn agent(project: &Project, name: &str) -> String {
    project.read(&format!(".claude/agents/{name}.md"))
}

#[test]
fn a_version_that_the_requirement_allows_is_pinned_exactly() {
    let project = project();
    assert_eq!(agent(&project, "a"), "a 1.2\n");
    let before = project.read("agpm.toml");
    let output = project.good("update agents/a@v1.1.0");
    assert!(
        output.stdout.starts_with("agents/a  v1.2.0 -> v1.1.0\n"),
        "{output}"
    );
    assert_eq!(agent(&project, "a"), "a 1.1\n");
    assert_eq!(project.read("agpm.toml"), before);
    project.good("install");
    project.good("install --frozen");
    assert_eq!(agent(&project, "a"), "a 1.1\n");
    // An edit of the requirement since the last install is not one of another resource.
    project.manifest(&MANIFEST.replace("\"^1.0\"", "\"~1.2\""));
    project.good("install");
    project.manifest(MANIFEST);
    project.good("update agents/a@v1.1.0");
    // A range is the newest version in it; the other resource stays.
    project.good("update a@~1.0");
    assert_eq!(agent(&project, "a"), "a 1.0\n");
    assert_eq!(agent(&project, "b"), "b 1.0\n");
    project.good("update a");
    assert_eq!(agent(&project, "a"), "a 1.2\n");
}

#[test]
fn a_version_that_the_requirement_excludes_rewrites_it_and_nothing_else() {
    let project = project();
    let before = project.read("agpm.toml");
    let shown = project.good("update agents/a@v2.0.0 --dry-run");
    assert!(
        shown
            .stdout
            .starts_with("Would change agents/a: ^1.0 -> v2.0.0\n"),
        "{shown}"
    );
    assert_eq!(project.read("agpm.toml"), before);
    let output = project.good("update agents/a@v2.0.0");
    assert!(
        output
            .stdout
            .starts_with("Changed agents/a: ^1.0 -> v2.0.0\nagents/a  v1.2.0 -> v2.0.0\n"),
        "{output}"
    );
    assert_eq!(
        project.read("agpm.toml"),
        before.replace("\"^1.0\"", "\"v2.0.0\"")
    );
    assert_eq!(agent(&project, "a"), "a 2.0\n");
    assert_eq!(agent(&project, "b"), "b 1.0\n");
    // Manifest and lockfile are one transaction.
    project.good("undo");
    assert_eq!(project.read("agpm.toml"), before);
    assert_eq!(agent(&project, "a"), "a 1.2\n");
}

#[test]
fn json_has_the_rewritten_requirements() {
    let project = project();
    let report = json(&project.good("update a@v2.0.0 --json").stdout);
    let expected = json("[{\"id\": \"agents/a\", \"changes\": [\"^1.0 -> v2.0.0\"]}]");
    assert_eq!(report.get("changed"), Some(&expected));
    let report = json(&project.good("update a --json").stdout);
    assert_eq!(report.get("changed"), Some(&json("[]")));
}

#[test]
fn latest_rewrites_requirements_in_their_own_form() {
    let project = project();
    let before = project.read("agpm.toml");
    let output = project.good("update --latest");
    assert!(
        output
            .stdout
            .starts_with("Changed agents/a: ^1.0 -> ^2.0.0\nChanged agents/b: v1.0.0 -> v2.0.0\n"),
        "{output}"
    );
    assert_eq!(
        project.read("agpm.toml"),
        before
            .replace("\"^1.0\"", "\"^2.0.0\"")
            .replace("\"v1.0.0\"", "\"v2.0.0\"")
    );
    assert_eq!(agent(&project, "a"), "a 2.0\n");
    assert_eq!(agent(&project, "b"), "b 2.0\n");
    let again = project.good("update --latest");
    assert!(!again.stdout.contains("Changed"), "{again}");
}

#[test]
fn latest_changes_what_is_named_and_leaves_branches() {
    let project = project();
    project.good("update --latest b");
    assert_eq!(agent(&project, "a"), "a 1.2\n");
    assert_eq!(agent(&project, "b"), "b 2.0\n");
    let on_branch = MANIFEST.replace("version = \"^1.0\"", "branch = \"main\"");
    project.manifest(&on_branch);
    project.good("install");
    let output = project.good("update --latest");
    assert!(!output.stdout.contains("agents/a:"), "{output}");
    let output = project.good("update --latest a");
    assert!(
        output
            .stdout
            .starts_with("Changed agents/a: main -> ^2.0.0\n"),
        "{output}"
    );
    let manifest = project.read("agpm.toml");
    assert!(!manifest.contains("branch"), "{manifest}");
}

#[test]
fn latest_skips_a_release_without_the_resource_and_keeps_a_newer_pre_release() {
    let project = Project::new();
    let mut source = project.source(&[
        ("v1.0.0", &[(A, "a 1\n"), (B, "b 1\n")]),
        ("v2.0.0", &[(A, "a 2\n")]),
    ]);
    source.git(&["rm", "-q", A]);
    source.commit(&[(B, "b 3\n")]);
    source.tag("v3.0.0");
    source.commit(&[(B, "b 4\n")]);
    source.tag("v4.0.0-rc.1");
    let manifest = "[agents]\na = { source = \"community\", path = \"agents/a.md\", version = \"^1.0\" }\nb = { source = \"community\", path = \"agents/b.md\", version = \">=4.0.0-rc\" }\n";
    project.manifest(manifest);
    project.good("install");
    let output = project.good("update --latest");
    assert!(
        output
            .stdout
            .starts_with("Changed agents/a: ^1.0 -> ^2.0.0\nagents/a  v1.0.0 -> v2.0.0\n"),
        "{output}"
    );
    assert_eq!(agent(&project, "b"), "b 4\n");
}

#[test]
fn a_version_that_cannot_be_had_is_an_error() {
    let project = project();
    project.refused(
        "update a@v9.0.0",
        1,
        &[
            "no version of source `community` satisfies `v9.0.0`",
            "it has tags: v2.0.0, v1.2.0, v1.1.0, v1.0.0",
        ],
    );
    project.refused("update nobody@v1.0.0", 3, &["unknown resource `nobody`"]);
    project.refused("update a@>=x", 2, &["invalid version range `>=x`"]);
    project.write("own.md", "Own.\n");
    project.manifest(&format!("{MANIFEST}own = \"own.md\"\n"));
    project.good("install");
    project.refused("update own@v1.0.0", 2, &["agents/own has no versions"]);
    // Without `@`, nothing is edited.
    assert_eq!(agent(&project, "a"), "a 1.2\n");
}

#[test]
fn a_requirement_of_another_resource_is_respected() {
    let project = Project::new();
    let uses = |version: &str| {
        format!(
            "---\ndependencies:\n  agents:\n    - path: b.md\n      version: \"{version}\"\n---\nA\n"
        )
    };
    let first = uses("~1.0");
    project.source(&[
        ("v1.0.0", &[(A, first.as_str()), (B, "b 1.0\n")]),
        ("v1.1.0", &[(B, "b 1.1\n")]),
    ]);
    project.manifest(
        "[agents]\na = { source = \"community\", path = \"agents/a.md\", version = \"v1.0.0\" }\n",
    );
    project.good("install");
    project.refused(
        "update b@v1.1.0",
        1,
        &[
            "agents/b cannot be updated to v1.1.0",
            "another resource requires `~1.0`",
        ],
    );
    project.good("update b@v1.0.0");
}

#[test]
fn the_matches_of_a_pattern_have_its_version() {
    let project = project();
    project.manifest(
        "[agents]\nall = { source = \"community\", path = \"agents/*.md\", version = \"^1.0\" }\n",
    );
    project.good("install");
    project.refused(
        "update agents/b@v1.1.0",
        2,
        &["`agpm update agents/all@v1.1.0`"],
    );
    project.good("update agents/all@v1.1.0");
    assert_eq!(agent(&project, "a"), "a 1.1\n");
    assert_eq!(agent(&project, "b"), "b 1.1\n");
    project.good("update --latest");
    assert_eq!(agent(&project, "b"), "b 2.0\n");
}
