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
