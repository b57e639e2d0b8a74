//! `remove NAME|ID…`.

use crate::support::Project;

const AGENT: &str = "---\nname: a\ndescription: d\n---\nText.\n";
const COMMAND: &str = "---\ndescription: d\n---\nText.\n";

fn project() -> Project {
    let project = Project::new();
    project.source(&[(
        "v1.0.0",
        &[
            ("agents/one.md", AGENT),
            ("agents/two.md", AGENT),
            ("team/three.md", AGENT),
            ("team/four.md", AGENT),
            ("commands/one.md", COMMAND),
        ],
    )]);
    project.manifest(
        "[agents]\none = { source = \"community\", path = \"agents/one.md\", version = \"v1.0.0\" }\n\
         two = { source = \"community\", path = \"agents/two.md\", version = \"v1.0.0\" }\n\
         team = { source = \"community\", path = \"team/*.md\", version = \"v1.0.0\" }\n\
         own = \"own/*.md\"\n\
         [commands]\none = { source = \"community\", path = \"commands/one.md\", version = \"v1.0.0\" }\n",
    );
    project.sandbox.write("project/own/mine.md", AGENT);
    project.sandbox.write("project/own/more.md", AGENT);
    project.good("install");
    project
}

#[test]
fn several_resources_go_by_name_or_id() {
    let project = project();
    project.refused("remove one", 3, &["agents/one", "commands/one"]);
    project.good("remove two agents/one");
    assert!(!project.exists(".claude/agents/one.md") && !project.exists(".claude/agents/two.md"));
    assert!(project.exists(".claude/commands/one.md"));
    project.good("rm command:one");
    assert!(!project.exists(".claude/commands/one.md"));
    project.good("uninstall team");
    assert!(!project.exists(".claude/agents/three.md"));
    project.refused("remove nope", 3, &["nope"]);
    project.refused("remove agents/nope", 3, &["nope"]);
}

#[test]
fn one_bad_name_removes_nothing() {
    let project = project();
    project.refused("remove two nope", 3, &["nope"]);
    assert!(project.exists(".claude/agents/two.md"));
}

#[test]
fn a_match_of_a_pattern_is_excluded_only_if_asked() {
    let project = project();
    project.refused(
        "remove three",
        3,
        &[
            "the pattern `team/*.md` of agents/team",
            "agpm remove agents/three --exclude",
        ],
    );
    project.good("remove three --exclude");
    assert!(!project.exists(".claude/agents/three.md") && project.exists(".claude/agents/four.md"));
    assert!(project.read("agpm.toml").contains("exclude = [\"three\"]"));
    project.good("remove agents/four --exclude");
    assert!(
        project
            .read("agpm.toml")
            .contains("exclude = [\"three\", \"four\"]")
    );
    // A pattern that is a string becomes a table.
    project.good("remove mine --exclude");
    assert!(
        project
            .read("agpm.toml")
            .contains("own = { path = \"own/*.md\", exclude = [\"mine\"] }"),
        "{}",
        project.read("agpm.toml")
    );
    assert!(project.exists(".claude/agents/more.md"));
    project.refused("remove two --exclude", 2, &["leave out `--exclude`"]);
}

/// Everything in the project, the state and empty directories included.
fn listing(project: &Project) -> Vec<String> {
    let mut names = Vec::new();
    let mut directories = vec![project.path("")];
    let root = project.path("");
    while let Some(directory) = directories.pop() {
        for entry in std::fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            names.push(path.strip_prefix(&root).unwrap().display().to_string());
            if path.is_dir() {
                directories.push(path);
            }
        }
    }
    names.sort();
    names
}

/// A project without a manifest, next to a library.
fn empty_project() -> Project {
    let project = Project::new();
    let skill = "---\nname: pdf\ndescription: d\n---\nText.\n";
    let files = [("agents/one.md", AGENT), ("skills/pdf/SKILL.md", skill)];
    project.source(&[("v1.0.0", &files)]);
    std::fs::create_dir_all(project.path("")).unwrap();
    project
}

#[test]
fn a_project_that_add_created_ends_without_a_trace() {
    let project = empty_project();
    project.good("add ../community one pdf");
    let shown = project.good("remove one pdf --dry-run");
    assert!(
        shown.stdout.starts_with("Would remove agents/one"),
        "{shown}"
    );
    assert!(project.exists("agpm.lock") && project.exists(".claude/agents/one.md"));
    project.good("remove one");
    assert!(project.exists("agpm.lock"), "a skill is left");
    let removed = project.good("remove pdf");
    assert!(
        removed
            .stdout
            .contains("agpm.toml, which requires nothing else"),
        "{removed}"
    );
    assert_eq!(listing(&project), Vec::<String>::new());
    // Nothing that comes later sees anything of it.
    project.good("add ../community one");
    project.good("undo");
    assert_eq!(listing(&project), Vec::<String>::new());
    let output = project.run("undo");
    assert_eq!(output.code, Some(1), "{output}");
    assert!(output.stderr.contains("nothing to undo"), "{output}");
    assert_eq!(listing(&project), Vec::<String>::new());
}

#[test]
fn what_the_user_wrote_stays_when_the_last_dependency_goes() {
    let manifest = "# mine\n[sources]\ncommunity = \"../community\"\n";
    let project = empty_project();
    project.write("agpm.toml", manifest);
    project.good("add community one");
    project.good("remove one");
    assert_eq!(project.read("agpm.toml"), manifest);
    assert!(!project.exists("agpm.lock"));
    for line in [
        "install",
        "install --locked",
        "install --frozen",
        "ci",
        "list",
    ] {
        project.good(line);
        assert!(!project.exists("agpm.lock"), "{line}");
    }
    // A comment in a manifest that `add` created is the user's.
    let project = empty_project();
    project.good("add ../community one");
    let edited = format!("# mine\n{}", project.read("agpm.toml"));
    project.write("agpm.toml", &edited);
    project.good("remove one");
    let left = project.read("agpm.toml");
    assert!(
        left.starts_with("# mine\n") && !left.contains("[agents]"),
        "{left}"
    );
    assert!(!left.contains("community"), "{left}");
}

#[test]
fn a_dry_run_of_a_removal_changes_nothing() {
    let project = project();
    let before = listing(&project);
    let manifest = project.read("agpm.toml");
    let output = project.good("remove two agents/one --dry-run");
    assert!(
        output
            .stdout
            .contains("Would remove agents/two, agents/one from agpm.toml"),
        "{output}"
    );
    assert!(
        output.stdout.contains("- .claude/agents/two.md"),
        "{output}"
    );
    assert_eq!(listing(&project), before);
    assert_eq!(project.read("agpm.toml"), manifest);
    project.refused("remove nope --dry-run", 3, &["nope"]);
}
