//! Entries that existed before agpm and equal a resource: they become managed, and stay when the resource is removed.

use crate::support::{EVERY_FORM, Project, entries_of_every_form, entry, json};

const GREETING: &str =
    "{\"events\":[\"SessionStart\"],\"type\":\"command\",\"command\":\"echo hi\"}";
const CURSOR_HOOKS: &str = "{\"version\":1,\"hooks\":{\"stop\":[{\"command\":\"echo mine\"}]}}";

/// Two hooks that come out equal, beside a hook file of the user's.
fn equal_hooks() -> (Project, String) {
    let project = Project::new();
    project.release(&[
        ("h/a.json", GREETING),
        ("h/b.json", GREETING),
        ("c.md", "Hi.\n"),
    ]);
    let hooks = [
        entry("a", "h/a.json", "tool = \"cursor\""),
        entry("b", "h/b.json", "tool = \"cursor\""),
    ];
    let manifest = format!("[hooks]\n{}", hooks.concat());
    project.manifest(&manifest);
    project.write(".cursor/hooks.json", CURSOR_HOOKS);
    (project, manifest)
}

#[test]
fn a_users_key_stays_when_one_of_two_equal_hooks_is_unknown_to_the_ledger() {
    let (project, manifest) = equal_hooks();
    project.good("install");
    let ledger = project.read(".agpm/ledger.json");
    project.good("install");
    assert_eq!(
        project.read(".agpm/ledger.json"),
        ledger,
        "the second run does nothing"
    );
    project.manifest(&format!("{manifest}[commands]\n{}", entry("c", "c.md", "")));
    project.good("install");
    project.manifest("");
    project.good("install");
    assert_eq!(
        json(&project.read(".cursor/hooks.json")),
        json(CURSOR_HOOKS)
    );
}

/// A project with one resource of each form, of which the user has all already.
fn everything_exists() -> Project {
    let project = Project::new();
    project.release(&EVERY_FORM);
    project.manifest(&entries_of_every_form());
    let [(_, agent), (_, skill), (_, server), _] = EVERY_FORM;
    project.write(".claude/agents/a.md", agent);
    project.write(".claude/skills/pdf/SKILL.md", skill);
    project.write(
        ".mcp.json",
        &format!("{{\"mcpServers\": {{\"fs\": {server}}}}}\n"),
    );
    let hook =
        "{\"matcher\": \"Bash\", \"hooks\": [{\"type\": \"command\", \"command\": \"lint\"}]}";
    project.write(
        ".claude/settings.local.json",
        &format!("{{\"hooks\": {{\"PreToolUse\": [{hook}]}}, \"model\": \"x\"}}\n"),
    );
    project
}

#[test]
fn identical_files_and_entries_are_adopted_and_stay_when_removed() {
    let project = everything_exists();
    let written = |project: &Project| {
        let own = |(name, _): &(String, Vec<u8>)| {
            !name.starts_with("agpm.") && !name.starts_with(".agpm/")
        };
        project.tree().into_iter().filter(own).collect::<Vec<_>>()
    };
    let before = written(&project);
    let output = project.good("install");
    assert_eq!(
        output.stdout.matches("adopted, identical").count(),
        4,
        "{output}"
    );
    assert_eq!(written(&project), before);
    project.good("verify");
    assert_eq!(project.good("install --check").code, Some(0));
    let output = project.good("remove dep mcp-server fs");
    assert!(
        output.stdout.contains("left in place, written by you"),
        "{output}"
    );
    project.manifest("");
    project.good("install");
    assert_eq!(written(&project), before);
    assert!(!project.good("verify").stdout.contains("error"));
}

#[test]
fn content_written_over_an_adopted_file_is_removed_with_the_resource() {
    let project = Project::new();
    project.source(&[
        ("v1.0.0", &[("agents/a.md", "One.\n")]),
        ("v1.1.0", &[("agents/a.md", "Two.\n")]),
    ]);
    let asking = |version: &str| {
        format!(
            "[agents]\na = {{ source = \"community\", path = \"agents/a.md\", version = \"{version}\" }}\n"
        )
    };
    project.write(".claude/agents/a.md", "One.\n");
    project.manifest(&asking("v1.0.0"));
    project.good("install");
    project.manifest(&asking("v1.1.0"));
    project.good("install");
    assert_eq!(project.read(".claude/agents/a.md"), "Two.\n");
    project.manifest("");
    project.good("install");
    assert!(!project.exists(".claude/agents/a.md"));
    project.good("undo");
    project.good("undo");
    project.good("undo");
    assert_eq!(project.read(".claude/agents/a.md"), "One.\n");
}

#[test]
fn undo_leaves_an_adopted_entry_in_a_file_that_was_edited_since() {
    let project = everything_exists();
    project.good("install");
    project.manifest(&format!("{}[snippets]\n", entries_of_every_form()));
    let edited = project
        .read(".mcp.json")
        .replace("\"mcpServers\"", "\"mine\": 1, \"mcpServers\"");
    project.write(".mcp.json", &edited);
    project.good("undo");
    assert_eq!(project.read(".mcp.json"), edited);
}
