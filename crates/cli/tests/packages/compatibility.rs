//! Manifests and files that were written for agpm-cli or for other programs.

use crate::support::Project;

/// The manifest that `init` of agpm-cli 0.4 writes, with a few entries.
const OLDER: &str = r#"
gitignore = false

[sources]
community = "../community"

[target]
agents = ".claude/agents"

[tools.claude-code]
path = ".claude"
resources = { agents = { path = "agents", flatten = true }, snippets = { path = "snippets", flatten = false }, commands = { path = "commands", flatten = true }, scripts = { path = "scripts", flatten = false }, hooks = { merge-target = ".claude/settings.local.json" }, mcp-servers = { merge-target = ".mcp.json" } }

[tools.opencode]
path = ".opencode"
enabled = true
resources = { agents = { path = "agent", flatten = true }, commands = { path = "command", flatten = true }, mcp-servers = { merge-target = ".opencode/opencode.json" } }

[tools.agpm]
path = ".agpm"
resources = { snippets = { path = "snippets", flatten = false } }

[agents]
helper = { source = "community", path = "agents/ai/helper.md", version = "v1.0.0", repo = "org/agents" }
open = { source = "community", path = "agents/ai/helper.md", version = "v1.0.0", tool = "opencode" }

[snippets]
style = { source = "community", path = "snippets/py/style.md", version = "v1.0.0" }
"#;

#[test]
fn a_manifest_of_agpm_cli_is_accepted_with_one_warning() {
    let project = Project::new();
    project.release(&[
        ("agents/ai/helper.md", "# Helper\n"),
        ("snippets/py/style.md", "# Style\n"),
    ]);
    project.write("agpm.toml", OLDER);
    let output = project.good("validate");
    assert_eq!(
        output.stderr.matches("warning[").count() + output.stdout.matches("warning[").count(),
        1
    );
    let output = project.good("install");
    assert_eq!(
        output
            .stderr
            .matches("warning[manifest/ignored-key]")
            .count(),
        1,
        "{output}"
    );
    for name in ["`gitignore`", "`repo`", "`target`"] {
        assert!(output.stderr.contains(name), "{output}");
    }
    assert!(project.exists(".claude/agents/helper.md"));
    assert!(project.exists(".opencode/agent/helper.md"));
    assert!(project.exists(".agpm/snippets/py/style.md"));
}

#[test]
fn flatten_of_a_tool_decides_where_its_entries_do_not() {
    let files = [("agents/ai/helper.md", "# Helper\n")];
    let tool =
        "[tools.claude-code]\nresources = { agents = { path = \"agents\", flatten = false } }\n";
    let entry = "path = \"agents/ai/helper.md\", version = \"v1.0.0\"";
    let project = Project::with(
        &files,
        &format!(
            "{tool}[agents]\na = {{ source = \"community\", {entry} }}\n\
             b = {{ source = \"community\", {entry}, flatten = true }}\n"
        ),
    );
    project.good("install");
    assert!(project.exists(".claude/agents/ai/helper.md"));
    assert!(project.exists(".claude/agents/helper.md"));
}

#[test]
fn a_section_that_nothing_reads_is_refused() {
    let project = Project::new();
    project.write("agpm.toml", "[workspace]\nmembers = [\"apps/*\"]\n");
    project.refused(
        "install",
        1,
        &["manifest/unknown-key", "`[workspace]` is not supported yet"],
    );
}

fn skill(name: &str, dependencies: &str) -> String {
    format!("---\nname: {name}\ndescription: Does things.\n{dependencies}---\nText.\n")
}

#[test]
fn dependencies_of_other_programs_are_one_note() {
    let texts = [
        ("list", "dependencies: [torch, transformers>=4.40]\n"),
        ("empty", "dependencies: []\n"),
        ("text", "dependencies: python>=3.8, pandas\n"),
        ("object", "dependencies:\n  python: \">=3.8\"\n"),
    ];
    let texts = texts.map(|(name, text)| (format!("skills/{name}/SKILL.md"), skill(name, text)));
    let files: Vec<(&str, &str)> = texts
        .iter()
        .map(|(path, text)| (path.as_str(), text.as_str()))
        .collect();
    let all =
        "[skills]\nall = { source = \"community\", path = \"skills/*\", version = \"v1.0.0\" }\n";
    let project = Project::with(&files, all);
    let output = project.good("install");
    assert_eq!(
        output
            .stderr
            .matches("[resource/foreign-dependencies]")
            .count(),
        1,
        "{output}"
    );
    assert!(
        output.stderr.contains("3 files have `dependencies`"),
        "{output}"
    );
    assert!(output.stderr.contains("skills/list/SKILL.md@"), "{output}");
    for name in ["list", "empty", "text", "object"] {
        assert!(project.exists(&format!(".claude/skills/{name}/SKILL.md")));
    }
}

#[test]
fn a_declaration_that_is_ours_and_wrong_stays_an_error() {
    for (text, word) in [
        (
            "dependencies:\n  snippets:\n    - path: s.md\n  snipets:\n    - path: t.md\n",
            "snipets",
        ),
        ("agpm:\n  dependencies: [a]\n", "not an object"),
        ("dependencies:\n  snippets: s.md\n", "not a list"),
    ] {
        let agent = format!("---\n{text}---\nText.\n");
        let project = Project::one("agents", "agents/x.md", &agent, "");
        project.refused("install", 1, &["resource/declaration", word]);
    }
}

#[test]
fn a_key_that_agpm_does_not_know_is_a_warning_in_a_source_and_an_error_in_the_project() {
    let text =
        "---\ndependencies:\n  snippets:\n    - path: ./s.md\n      optional: true\n---\nText.\n";
    let files = [("agents/x.md", text), ("agents/s.md", "S\n")];
    let manifest =
        "[agents]\nx = { source = \"community\", path = \"agents/x.md\", version = \"v1.0.0\" }\n";
    let project = Project::with(&files, manifest);
    let output = project.good("install");
    assert!(
        output.stderr.contains("warning[resource/declaration]"),
        "{output}"
    );
    assert!(output.stderr.contains("`optional`"), "{output}");
    assert!(project.exists(".claude/snippets/agents/s.md"));

    let project = Project::new();
    files
        .iter()
        .for_each(|(path, text)| project.write(path, text));
    project.write("agpm.toml", "[agents]\nx = \"agents/x.md\"\n");
    project.refused("install", 1, &["error[resource/declaration]", "`optional`"]);
}

#[test]
fn the_word_dependencies_in_prose_does_not_make_a_front_matter_matter() {
    let text = "---\nname: x\ndescription: Use when: a case of boundaries and dependencies: many\n---\nText.\n";
    let project = Project::one("agents", "agents/x.md", text, "");
    let output = project.good("install");
    assert!(!output.stderr.contains("error["), "{output}");
}

#[test]
fn a_local_file_outside_the_project_needs_what_is_near_it() {
    let project = Project::new();
    let agent =
        "---\ndependencies:\n  snippets:\n    - path: ../../snippets/agents/base.md\n---\nText.\n";
    project.sandbox.write("claude-code/agents/helper.md", agent);
    project.sandbox.write("snippets/agents/base.md", "Base.\n");
    project.write(
        "agpm.toml",
        "[agents]\nhelper = \"../claude-code/agents/helper.md\"\n",
    );
    project.good("install");
    assert!(project.exists(".claude/agents/helper.md"));
    assert!(project.exists(".claude/snippets/agents/base.md"));
    // A file of the project still has no access to the rest of the machine.
    project.write("agents/own.md", &agent.replace("../../", "../../../"));
    project.write("agpm.toml", "[agents]\nown = \"agents/own.md\"\n");
    project.refused("install", 6, &["leads out of its source"]);
}

#[test]
fn a_file_name_for_an_entry_of_a_shared_file_is_a_warning() {
    let files = [
        ("mcp/files.json", "{\"command\": \"npx\"}"),
        ("hooks/h.json", "{\"hooks\": {}}"),
    ];
    let project = Project::with(
        &files,
        "[mcp-servers]\nm = { source = \"community\", path = \"mcp/files.json\", version = \"v1.0.0\", filename = \"files\" }\n",
    );
    let output = project.good("install");
    assert!(
        output
            .stderr
            .contains("`filename` has no effect on mcp-servers of claude-code"),
        "{output}"
    );
    // Copilot has a file for each hook.
    let project = Project::with(
        &files,
        "[hooks]\nh = { source = \"community\", path = \"hooks/h.json\", version = \"v1.0.0\", tool = \"copilot\", filename = \"g\" }\n",
    );
    assert!(!project.run("install").stderr.contains("has no effect on"));
}
