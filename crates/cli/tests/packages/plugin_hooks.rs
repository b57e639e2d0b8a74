//! Hooks of plugins: files that do not parse, manifests of other clients, and paths of scripts.

use crate::support::{Project, json};

fn kit(more: &str) -> String {
    format!(
        "[plugins]\nkit = {{ source = \"community\", path = \"plugins/kit\", version = \"^1.0\"{more} }}\n"
    )
}

#[test]
fn nothing_is_installed_of_a_plugin_with_a_broken_file() {
    let valid = r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}}"#;
    for (file, text) in [
        ("hooks/hooks.json", "[1, 2"),
        ("hooks/hooks.json", "[1, 2]"),
        ("hooks/hooks.json", &valid.replace("\"Stop\":", "\"Stop\"")),
        ("hooks/hooks.json", valid.trim_end_matches('}')),
        (".mcp.json", r#"{"mcpServers": {"db": {"command": "x"}}"#),
    ] {
        let path = format!("plugins/kit/{file}");
        let files = [
            (path.as_str(), text),
            (
                "plugins/kit/agents/review.md",
                "---\nname: review\ndescription: d\n---\n",
            ),
        ];
        let project = Project::with(&files, &kit(""));
        project.refused("install", 1, &["error[", file]);
        for path in ["agpm.lock", ".claude", ".agpm/plugins", ".mcp.json"] {
            assert!(!project.exists(path), "{path} of {text}");
        }
    }
}

#[test]
fn a_broken_hook_file_with_a_variable_is_refused_too() {
    let files = [
        (
            "plugins/kit/.claude-plugin/plugin.json",
            r#"{"name": "kit"}"#,
        ),
        (
            "plugins/kit/hooks/hooks.json",
            r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "${CLAUDE_PLUGIN_ROOT}/a.sh"}]}]}"#,
        ),
        ("plugins/kit/a.sh", "true\n"),
    ];
    let hook = "[hooks]\nstop = { source = \"community\", path = \"plugins/kit/hooks/hooks.json\", version = \"^1.0\" }\n";
    let project = Project::with(&files, hook);
    project.refused("install", 1, &["json/syntax"]);
}

const CURSOR_HOOKS: &str =
    r#"{"version": 1, "hooks": {"sessionStart": [{"command": "./hooks/run.cmd start"}]}}"#;
const BOTH: &[(&str, &str)] = &[
    (
        "plugins/kit/.claude-plugin/plugin.json",
        r#"{"name": "kit"}"#,
    ),
    (
        "plugins/kit/.cursor-plugin/plugin.json",
        r#"{"name": "kit", "skills": "./skills/", "hooks": "./hooks/hooks-cursor.json"}"#,
    ),
    (
        "plugins/kit/hooks/hooks.json",
        r#"{"hooks": {"SessionStart": [{"matcher": "startup", "hooks": [{"type": "command", "command": "\"${CLAUDE_PLUGIN_ROOT}/hooks/run.cmd\" start"}]}]}}"#,
    ),
    ("plugins/kit/hooks/hooks-cursor.json", CURSOR_HOOKS),
    (
        "plugins/kit/hooks/run.cmd",
        "if [ -n \"$CURSOR_PLUGIN_ROOT\" ]; then echo cursor; elif [ -n \"$CLAUDE_PLUGIN_ROOT\" ]; then echo claude; fi\n",
    ),
    (
        "plugins/kit/skills/pdf/SKILL.md",
        "---\nname: pdf\ndescription: d\n---\n",
    ),
];

#[test]
fn each_tool_gets_the_hooks_of_its_own_manifest() {
    let project = Project::with(BOTH, &kit(", tools = [\"claude-code\", \"cursor\"]"));
    project.good("install");
    let cursor = project.read(".cursor/hooks.json");
    assert!(
        cursor.contains("sessionStart") && cursor.contains(".agpm/plugins/kit/hooks/run.cmd start"),
        "{cursor}"
    );
    // A program recognizes its client by the variable that only this client sets.
    assert!(cursor.contains("export CURSOR_PLUGIN_ROOT="), "{cursor}");
    let claude = project.read(".claude/settings.local.json");
    assert!(
        claude.contains("export CLAUDE_PLUGIN_ROOT=") && !claude.contains("CURSOR"),
        "{claude}"
    );
    // Both tools read one copy of the skill.
    assert!(project.exists(".claude/skills/pdf/SKILL.md"));
    assert!(!project.exists(".cursor/skills"));
    let lock = project.read("agpm.lock");
    assert!(
        lock.contains(r#"parts = ["hooks/kit", "skills/pdf"]"#),
        "{lock}"
    );
    for line in ["install --frozen", "verify", "list --detailed"] {
        project.good(line);
    }
    project.manifest("");
    project.good("install");
    assert!(!project.exists(".cursor/hooks.json"));
}

#[test]
fn a_broken_manifest_of_one_client_leaves_the_common_one() {
    let files: Vec<(&str, &str)> = BOTH
        .iter()
        .map(|(path, text)| match path.contains(".cursor-plugin") {
            true => (*path, r#"{"name": "kit", "hooks": "./gone.json"}"#),
            false => (*path, *text),
        })
        .collect();
    let project = Project::with(&files, &kit(", tools = [\"claude-code\", \"cursor\"]"));
    let installed = project.good("install");
    for word in [
        "`.cursor-plugin/plugin.json` of plugin `kit` cannot be used",
        "gone.json",
    ] {
        assert!(installed.stderr.contains(word), "{installed}");
    }
    assert!(project.exists(".claude/skills/pdf/SKILL.md"));
}

#[test]
fn a_hook_with_blanks_in_its_path_is_installed() {
    let hooks = r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "sh \"${CLAUDE_PLUGIN_ROOT}/hooks/two words.sh\""}]}]}}"#;
    let files = [
        ("plugins/kit/hooks/hooks.json", hooks),
        ("plugins/kit/hooks/two words.sh", "true\n"),
    ];
    let project = Project::with(&files, &kit(""));
    project.good("install");
    assert_eq!(
        json(&project.read(".claude/settings.local.json")),
        json(
            r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "sh \"$CLAUDE_PROJECT_DIR/.agpm/plugins/kit/hooks/two words.sh\""}]}]}}"#
        )
    );
}

fn single(path: &str, tool: &str) -> String {
    format!(
        "[hooks]\nstart = {{ source = \"community\", path = \"{path}\", version = \"^1.0\", tool = \"{tool}\" }}\n"
    )
}

#[test]
fn a_single_hook_keeps_the_scripts_that_it_runs() {
    let project = Project::with(
        BOTH,
        &single("plugins/kit/hooks/hooks-cursor.json", "cursor"),
    );
    project.good("install");
    assert!(project.exists(".agpm/plugins/kit/hooks/run.cmd"));
    let hooks = project.read(".cursor/hooks.json");
    assert!(
        hooks.contains(".agpm/plugins/kit/hooks/run.cmd start"),
        "{hooks}"
    );
    project.good("install --frozen");

    let copilot = r#"{"version": 1, "hooks": {"sessionStart": [{"type": "command", "bash": ".github/hooks/guard/audit.sh"}]}}"#;
    let beside = [
        ("hooks/guard/hooks.json", copilot),
        ("hooks/guard/audit.sh", "true\n"),
        ("hooks/other/hooks.json", copilot),
    ];
    let project = Project::with(&beside, &single("hooks/guard/hooks.json", "copilot"));
    project.good("install");
    assert!(project.exists(".agpm/plugins/guard/audit.sh"));
    assert!(!project.exists(".agpm/plugins/guard/other"));
    let hooks = project.read(".github/hooks/start.json");
    assert!(hooks.contains(".agpm/plugins/guard/audit.sh"), "{hooks}");
}

#[test]
fn a_single_hook_whose_script_is_elsewhere_in_its_source_is_refused() {
    let hooks =
        r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "./tools/check.sh"}]}]}}"#;
    let files = [("hooks/stop.json", hooks), ("tools/check.sh", "true\n")];
    let project = Project::with(&files, &single("hooks/stop.json", "claude-code"));
    project.refused(
        "install",
        1,
        &["plugin/missing-file", "runs `tools/check.sh`"],
    );
    // A script of the project itself is not in the source.
    let project = Project::with(&files[..1], &single("hooks/stop.json", "claude-code"));
    project.good("install");
    assert!(!project.exists(".agpm/plugins"));
}

/// A project with one hook for these tools.
fn hook_for(tools: &str, command: &str) -> Project {
    let project = Project::new();
    let hook = format!(
        r#"{{"hooks": {{"Stop": [{{"hooks": [{{"type": "command", "command": "{command}"}}]}}]}}}}"#
    );
    project.sandbox.write("project/hooks/stop.json", hook);
    let manifest = format!("[hooks]\nstop = {{ path = \"hooks/stop.json\", tools = [{tools}] }}\n");
    project.sandbox.write("project/agpm.toml", manifest);
    project
}

#[test]
fn a_hook_is_written_once_for_a_tool_that_always_runs_the_other_ones_hooks() {
    for tool in ["windsurf", "copilot-cli"] {
        let project = hook_for(&format!("\"claude-code\", \"{tool}\""), "make check");
        let installed = project.good("install");
        let serves = format!("`.claude/settings.local.json` serves claude-code and {tool}");
        assert!(installed.stderr.contains(&serves), "{installed}");
        assert!(!project.exists(".devin") && !project.exists(".github"));
        let lock = project.read("agpm.lock");
        assert!(
            lock.contains(&format!("tools = [\"claude-code\", \"{tool}\"]")),
            "{lock}"
        );
        for line in ["install", "install --frozen", "install --locked", "verify"] {
            let again = project.good(line);
            assert!(!again.stderr.contains("serves"), "{line}: {again}");
            assert_eq!(project.read("agpm.lock"), lock, "{line}");
        }
        // Alone, the tool has its own file.
        let own = hook_for(&format!("\"{tool}\""), "make check");
        own.good("install");
        assert!(!own.exists(".claude"));
        // A variable of Claude Code has no value there.
        let both = hook_for(
            &format!("\"claude-code\", \"{tool}\""),
            "$CLAUDE_PROJECT_DIR/check",
        );
        let installed = both.good("install");
        assert!(
            installed.stderr.contains("runs these hooks twice"),
            "{installed}"
        );
        assert!(both.exists(".devin") || both.exists(".github"));
    }
}

#[test]
fn a_hook_that_a_setting_may_run_twice_has_a_note_when_it_is_written() {
    let project = hook_for("\"claude-code\", \"cursor\"", "make check");
    let installed = project.good("install");
    for word in [
        "tool/foreign-hooks",
        "Cursor may run these hooks twice",
        "`Third-party skills`",
        "hooks/stop",
    ] {
        assert!(installed.stderr.contains(word), "{word}: {installed}");
    }
    assert!(project.exists(".cursor/hooks.json") && project.exists(".claude/settings.local.json"));
    project
        .sandbox
        .write("project/a.md", "---\nname: a\ndescription: d\n---\n");
    let manifest = project.read("agpm.toml") + "\n[agents]\na = \"a.md\"\n";
    project.sandbox.write("project/agpm.toml", manifest);
    let again = project.good("install");
    assert!(!again.stderr.contains("foreign-hooks"), "{again}");
}
