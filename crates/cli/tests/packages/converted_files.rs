//! Converted files are valid for their tool, and grant what their author wrote.

use crate::support::{Project, entry, json};

const EDITOR: &str = "---\nname: editor\ndescription: Edits.\ntools: Read, Edit\n---\nEdit.\n";
const FIXER: &str = "---\nname: fixer\ndescription: Fixes.\ntools: Bash\n---\nFix.\n";
const THIRD: &str = "---\nname: third\ndescription: Third.\ntools: Write\n---\nThird.\n";

#[test]
fn a_conversion_that_widens_is_refused_in_one_error() {
    let files = [
        ("agents/editor.md", EDITOR),
        ("agents/fixer.md", FIXER),
        ("agents/third.md", THIRD),
    ];
    let all = |more: &str| {
        format!(
            "[agents]\n{}",
            entry("all", "agents/*.md", &format!("tool = \"codex\"{more}"))
        )
    };
    let project = Project::with(&files, &all(""));
    project.refused(
        "install",
        6,
        &[
            "error[tool/widening]: codex cannot restrict tools: 3 agents would get all of them",
            "agents/editor, agents/fixer, and 1 more",
            "add `allow-widening = [\"codex\"]` to the entry `all`",
        ],
    );
    let refused = project.run("install");
    assert_eq!(
        refused.stderr.matches("error[").count(),
        1,
        "{}",
        refused.stderr
    );
    assert!(project.written().is_empty());
    // The plan can be seen before one decides.
    project.warned("install --dry-run", &["warning[tool/widening]"]);
    project.manifest(&all(", allow-widening = [\"codex\"]"));
    let allowed = project.good("install");
    assert!(!allowed.stderr.contains("tool/"), "{}", allowed.stderr);
    project.refused(
        "install --strict-fidelity",
        1,
        &["tool/fidelity", "`tools` is widened"],
    );
    project.manifest(&all(", allow-widening = [\"codecs\"]"));
    project.refused("install", 1, &["manifest/unknown-tool", "codex"]);
}

#[test]
fn permissions_of_an_entry_extend_to_its_dependencies() {
    let parent = "---\nname: p\ndescription: d\ndependencies:\n  agents:\n    - path: agents/editor.md\n---\nP.\n";
    let files = [("agents/p.md", parent), ("agents/editor.md", EDITOR)];
    let manifest = |more: &str| {
        format!(
            "[agents]\n{}",
            entry("p", "agents/p.md", &format!("tool = \"codex\"{more}"))
        )
    };
    let project = Project::with(&files, &manifest(""));
    project.refused(
        "install",
        6,
        &["agents/editor would get all of them", "to the entry `p`"],
    );
    project.manifest(&manifest(", allow-widening = [\"codex\"]"));
    project.good("install");
    assert!(project.exists(".codex/agents/editor.toml"));
}

#[test]
fn front_matter_that_is_not_yaml_is_converted_and_always_warned_of() {
    let broken = "---\nname: a\ndescription: Use it: now\ntools: Read, Grep\ncolor: yellow\nmodel: opus\n---\nA.\n";
    for tool in ["opencode", "codex", "gemini", "copilot", "claude-code"] {
        let line = entry("a", "agents/a.md", &format!("tool = \"{tool}\""));
        let project = Project::with(&[("agents/a.md", broken)], &format!("[agents]\n{line}"));
        let words = [
            "warning[resource/front-matter]: front matter is not valid YAML",
            "agents/a.md",
        ];
        let run = project.warned("install", &words);
        assert_eq!(
            run.stderr.matches("warning[").count(),
            1,
            "{tool}: {}",
            run.stderr
        );
        if tool == "opencode" {
            assert_eq!(
                project.read(".opencode/agent/a.md"),
                "---\nname: a\ndescription: \"Use it: now\"\npermission:\n  \"*\": deny\n  read: allow\n  grep: allow\n---\nA.\n"
            );
        }
    }
}

#[test]
fn the_word_dependencies_in_prose_declares_nothing() {
    let prose = "---\nname: a\ndescription: Examples: boundaries and dependencies\n---\nA.\n";
    let project = Project::with(
        &[("agents/a.md", prose)],
        &format!("[agents]\n{}", entry("a", "agents/a.md", "")),
    );
    project.warned("install", &["resource/front-matter"]);
    assert_eq!(project.read(".claude/agents/a.md"), prose);
}

#[test]
fn a_file_in_the_tools_own_format_is_copied() {
    let own = "---\ndescription: d\ntools: ['codebase', 'runCommands', 'x/*']\nmodel: [GPT-5, opus]\nhidden: true\n---\nA.\n";
    let line = entry("a", "agents/a.agent.md", "tool = \"copilot\"");
    let project = Project::with(&[("agents/a.agent.md", own)], &format!("[agents]\n{line}"));
    project.good("install --strict-fidelity");
    assert_eq!(project.read(".github/agents/a.agent.md"), own);
}

#[test]
fn a_toml_agent_is_refused_where_markdown_is_read() {
    let codex = "name = \"a\"\ndescription = \"d\"\ndeveloper_instructions = \"A.\"\n";
    let with = |tool: &str| {
        let line = entry("a", "agents/a.toml", &format!("tool = \"{tool}\""));
        Project::with(&[("agents/a.toml", codex)], &format!("[agents]\n{line}"))
    };
    with("gemini").refused("install", 1, &["resource/shape", "`a.toml` is TOML"]);
    with("codex").good("install");
}

#[test]
fn directories_that_a_tool_does_not_read_are_refused() {
    let with = |more: &str| {
        let line = entry(
            "editor",
            "agents/editor.md",
            &format!("tool = \"gemini\", {more}"),
        );
        Project::with(
            &[("agents/editor.md", EDITOR)],
            &format!("[agents]\n{line}"),
        )
    };
    let words = [
        "tool/directory",
        "gemini does not read subdirectories",
        "filename = \"team-editor.md\"",
    ];
    with("target = \"team\"").refused("install", 1, &words);
    let project = with("filename = \"team-editor.md\"");
    project.good("install");
    assert!(project.exists(".gemini/agents/team-editor.md"));
}

#[test]
fn agents_of_one_name_are_warned_of_once() {
    let named = |name: &str| format!("---\nname: {name}\ndescription: d\n---\nX.\n");
    let (first, second) = (named("one"), named("two"));
    let files = [
        ("agents/a.md", first.as_str()),
        ("agents/b.md", &first),
        ("agents/c.md", &second),
        ("agents/d.md", &second),
    ];
    for tool in ["claude-code", "codex", "gemini", "opencode"] {
        let line = entry("all", "agents/*.md", &format!("tool = \"{tool}\""));
        let project = Project::with(&files, &format!("[agents]\n{line}"));
        let run = project.warned(
            "install",
            &[
                "tool/same-name",
                "4 agents share 2 names",
                tool,
                "agents/a and agents/b",
                "agents/c and agents/d",
            ],
        );
        assert_eq!(
            run.stderr.matches("warning[").count(),
            1,
            "{tool}: {}",
            run.stderr
        );
    }
    let fixed = "[patch.agents.b]\nname = \"b\"\n[patch.agents.d]\nname = \"d\"\n";
    let project = Project::with(
        &files,
        &format!("[agents]\n{}{fixed}", entry("all", "agents/*.md", "")),
    );
    let run = project.good("install");
    assert!(!run.stderr.contains("tool/same-name"), "{}", run.stderr);
}

#[test]
fn a_hook_of_a_plugin_is_refused_for_every_tool() {
    let hook = r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "${CLAUDE_PLUGIN_ROOT}/x.sh"}]}]}}"#;
    for tool in ["claude-code", "codex", "cursor", "gemini", "copilot"] {
        let line = entry("h", "hooks/h.json", &format!("tool = \"{tool}\""));
        let project = Project::with(&[("hooks/h.json", hook)], &format!("[hooks]\n{line}"));
        project.refused(
            "install",
            1,
            &[
                "resource/shape",
                "`${CLAUDE_PLUGIN_ROOT}`",
                "only plugins have",
            ],
        );
        assert!(project.written().is_empty());
    }
}

#[test]
fn hooks_of_other_tools_run_in_claude_code() {
    let copilot = r#"{"version": 1, "hooks": {"sessionStart": [{"type": "command", "bash": "x.sh", "timeoutSec": 5}]}}"#;
    let project = Project::with(
        &[("hooks/h.json", copilot)],
        &format!("[hooks]\n{}", entry("h", "hooks/h.json", "")),
    );
    project.good("install");
    let expected = r#"{"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "x.sh", "timeout": 5}]}]}}"#;
    assert_eq!(
        json(&project.read(".claude/settings.local.json")),
        json(expected)
    );
}

#[test]
fn a_file_of_servers_needs_no_wrapper() {
    let bare =
        r#"{"github": {"type": "http", "url": "https://x.example"}, "fs": {"command": "fs"}}"#;
    let lines = format!(
        "[mcp-servers]\n{}[patch.mcp-servers.s]\nfs.args = [\"-v\"]\n",
        entry("s", "mcp/s.json", "tool = \"opencode\"")
    );
    let project = Project::with(&[("mcp/s.json", bare)], &lines);
    project.good("install");
    let expected = r#"{"mcp": {"github": {"type": "remote", "url": "https://x.example"}, "fs": {"type": "local", "command": ["fs", "-v"]}}}"#;
    assert_eq!(
        json(&project.read(".opencode/opencode.json")),
        json(expected)
    );
}

#[test]
fn agents_that_claude_code_does_not_load_are_warned_of() {
    let named = "---\nname: a\ndescription: d\n---\nx\n";
    let all = "[agents]\nall = { source = \"community\", path = \"agents/*.md\", version = \"v1.0.0\" }\n";
    let (b, c) = (
        named.replace("name: a", "name: b"),
        named.replace("name: a", "name: c"),
    );
    let files = [
        ("agents/a.md", named),
        ("agents/b.md", &b),
        ("agents/c.md", &c),
        ("agents/notes.md", "Notes.\n"),
    ];
    let project = Project::with(&files, all);
    project.warned(
        "install",
        &["warning[tool/unread]", "without a `name`: agents/notes"],
    );
    // If no agent has a name, none is expected.
    let project = Project::with(
        &[("agents/a.md", "A.\n"), ("agents/notes.md", "Notes.\n")],
        all,
    );
    assert_eq!(project.good("install").stderr, "");
}

#[test]
fn metadata_of_a_skill_is_an_object() {
    let skill = "---\nname: x\ndescription: d\nmetadata: text\n---\nx\n";
    let project = Project::one("skills", "skills/x/SKILL.md", skill, "");
    project.manifest(
        "[skills]\nx = { source = \"community\", path = \"skills/x\", version = \"v1.0.0\" }\n",
    );
    project.warned(
        "install",
        &["the `metadata` of the skill `x`", "Codex does not load"],
    );
}

#[test]
fn nothing_of_a_hook_that_is_switched_off_is_written() {
    let hook = r#"{"enabled": false, "events": ["PreToolUse"], "matcher": "Bash", "type": "command", "command": "echo hi"}"#;
    for tool in ["copilot", "claude-code", "cursor"] {
        let project = Project::with(
            &[("hooks/x.json", hook)],
            &format!(
                "[hooks]\n{}",
                entry("x", "hooks/x.json", &format!("tool = \"{tool}\""))
            ),
        );
        let output = project.good("install");
        assert!(!output.stdout.contains("echo hi"), "{tool}: {output}");
        assert_eq!(project.installed(), Vec::<String>::new(), "{tool}");
        project.good("verify");
        assert!(
            project
                .good("install")
                .stdout
                .contains("Nothing to install"),
            "{tool}"
        );
    }
}
