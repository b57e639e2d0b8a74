//! Patterns: excluded matches, and matches with the same path.

use crate::support::Project;

const TWO: &[(&str, &str)] = &[
    ("plugins/a/agents/x.md", "A\n"),
    ("plugins/b/agents/x.md", "B\n"),
    ("plugins/a/agents/y.md", "A\n"),
    ("plugins/b/agents/y.md", "B\n"),
    ("plugins/b/agents/z.md", "B\n"),
];

fn all(more: &str) -> String {
    let pattern = "path = \"plugins/*/agents/*.md\", version = \"v1.0.0\"";
    format!("[agents]\nall = {{ source = \"community\", {pattern}{more} }}\n")
}

#[test]
fn all_clashes_are_reported_at_once_with_a_way_out_that_works() {
    let project = Project::with(TWO, &all(""));
    let output = project.run("install");
    assert_eq!(output.code, Some(1), "{output}");
    assert_eq!(
        output.stderr.matches("error[package/target-clash]").count(),
        2,
        "{output}"
    );
    assert!(
        output.stderr.contains("`exclude = [\"agents-x\"]`")
            || output.stderr.contains("exclude = [")
    );
    assert!(output.stderr.contains("`flatten = false`"), "{output}");
    let excluded: Vec<&str> = output
        .stderr
        .lines()
        .filter_map(|line| {
            line.split_once("exclude = [\"")?
                .1
                .split_once('"')
                .map(|(name, _)| name)
        })
        .collect();
    let list = excluded
        .iter()
        .map(|name| format!("\"{name}\""))
        .collect::<Vec<_>>()
        .join(", ");
    project.manifest(&all(&format!(", exclude = [{list}]")));
    let output = project.good("install");
    assert!(!output.stderr.contains("warning["), "{output}");
    assert_eq!(project.read(".claude/agents/x.md"), "A\n");
    assert_eq!(project.read(".claude/agents/z.md"), "B\n");
    project.good("install --frozen");
    let output = project.good("verify");
    assert!(!output.stdout.contains("error"), "{output}");
}

#[test]
fn a_pattern_that_is_not_flat_keeps_directories_apart() {
    let project = Project::with(TWO, &all(", flatten = false"));
    project.good("install");
    assert_eq!(project.read(".claude/agents/plugins/a/agents/x.md"), "A\n");
    assert_eq!(project.read(".claude/agents/plugins/b/agents/x.md"), "B\n");
    project.good("install --frozen");
}

#[test]
fn excluded_files_are_not_read_and_are_removed() {
    let broken = "---\ndependencies:\n  snippets:\n    - path: missing.md\n---\n";
    let files = [
        ("agents/a.md", "A\n"),
        ("agents/b.md", "B\n"),
        ("agents/broken.md", broken),
    ];
    let entry = |more: &str| {
        let pattern = "path = \"agents/*.md\", version = \"v1.0.0\"";
        format!("[agents]\nall = {{ source = \"community\", {pattern}{more} }}\n")
    };
    let project = Project::with(&files, &entry(", exclude = [\"broken\"]"));
    project.good("install");
    assert!(project.exists(".claude/agents/a.md") && project.exists(".claude/agents/b.md"));
    assert!(!project.exists(".claude/agents/broken.md"));
    project.manifest(&entry(", exclude = [\"broken\", \"b\"]"));
    assert_eq!(project.run("install --frozen").code, Some(5));
    assert_eq!(project.run("install --locked").code, Some(5));
    project.good("install");
    assert!(!project.exists(".claude/agents/b.md"));
    project.good("install --frozen");
}

#[test]
fn exclude_warns_of_unknown_names_and_needs_a_pattern() {
    let files = [("agents/a.md", "A\n"), ("agents/b.md", "B\n")];
    let entry = |path: &str| {
        let version = "version = \"v1.0.0\", exclude = [\"c\"]";
        format!("[agents]\nall = {{ source = \"community\", path = \"{path}\", {version} }}\n")
    };
    let project = Project::with(&files, &entry("agents/*.md"));
    let output = project.good("install");
    assert!(
        output.stderr.contains("warning[manifest/exclude]"),
        "{output}"
    );
    project.manifest(&entry("agents/a.md"));
    project.refused(
        "install",
        1,
        &["manifest/value", "`exclude` needs a pattern"],
    );
}

#[test]
fn all_skills_that_cannot_be_taken_are_reported_at_once() {
    let project = Project::new();
    let mut repository = agpm_testkit::Repository::init(&project.sandbox, "community");
    let skill = "---\nname: a\ndescription: Does.\n---\n";
    for name in ["a", "b"] {
        repository.write(&format!("skills/{name}/SKILL.md"), skill);
        repository.link(&format!("skills/{name}/link"), "SKILL.md");
    }
    repository.commit(&[]);
    repository.tag("v1.0.0");
    project.manifest(
        "[skills]\nall = { source = \"community\", path = \"skills/*\", version = \"v1.0.0\" }\n",
    );
    let output = project.run("install");
    assert_eq!(output.code, Some(6), "{output}");
    assert_eq!(
        output.stderr.matches("error[skill/limit]").count(),
        2,
        "{output}"
    );
}

#[test]
fn snippets_without_their_type_in_the_path_keep_all_directories() {
    let files = [
        ("tool-a/servers/x.json", "{}"),
        ("tool-b/servers/x.json", "{\"a\": 1}"),
    ];
    let pattern = "path = \"*/servers/*.json\", version = \"v1.0.0\"";
    let project = Project::with(
        &files,
        &format!("[snippets]\nall = {{ source = \"community\", {pattern} }}\n"),
    );
    project.good("install");
    assert_eq!(project.read(".agpm/snippets/tool-a/servers/x.json"), "{}");
    assert_eq!(
        project.read(".agpm/snippets/tool-b/servers/x.json"),
        "{\"a\": 1}"
    );
}
