//! Tools: the path of each type, the examples of the reference, and one golden test for every format of a tool.

use agpm_text::Value;

use crate::support::{Project, entry, json};

const AGENT: &str = "---\nname: reviewer\ndescription: Reviews changes.\ntools: Read, Edit\nmodel: sonnet\nmaxTurns: 5\n---\nReview.\n";
const COMMAND: &str = "---\ndescription: Ships it.\nargument-hint: \"[version]\"\nallowed-tools: Bash\n---\n\
                       Ship $ARGUMENTS after !`git status` and @README.md.\n";
const SKILL: &str = "---\nname: notes\ndescription: Takes notes.\n---\nTake notes.\n";
const HOOK: &str = r#"{"events": ["PreToolUse"], "matcher": "Bash", "type": "command", "command": "lint", "timeout": 5}"#;
const SERVER: &str = r#"{"command": "npx", "args": ["-y", "fs"], "env": {"TOKEN": "${TOKEN}"}}"#;

/// A project that asks for one of each of these kinds for one tool.
fn kit(tool: &str, kinds: &[&str]) -> Project {
    let more = format!("tool = \"{tool}\", allow-widening = [\"{tool}\"]");
    let all = [
        ("agents", "reviewer", "agents/reviewer.md"),
        ("commands", "ship", "commands/ship.md"),
        ("skills", "notes", "skills/notes"),
        ("hooks", "lint", "hooks/lint.json"),
        ("mcp-servers", "fs", "mcp/fs.json"),
    ];
    let wanted = all.iter().filter(|(kind, ..)| kinds.contains(kind));
    let entries: String = wanted
        .map(|(kind, name, path)| format!("[{kind}]\n{}", entry(name, path, &more)))
        .collect();
    Project::with(
        &[
            ("agents/reviewer.md", AGENT),
            ("commands/ship.md", COMMAND),
            ("skills/notes/SKILL.md", SKILL),
            ("skills/notes/more/words.md", "words\n"),
            ("hooks/lint.json", HOOK),
            ("mcp/fs.json", SERVER),
        ],
        &entries,
    )
}

const ALL: &[&str] = &["agents", "commands", "skills", "hooks", "mcp-servers"];

/// Returns every field that is not kept, as the plan prints it.
fn outcomes(project: &Project) -> Vec<String> {
    let plan = json(&project.good("--json install --dry-run").stdout);
    let text =
        |value: &Value, key: &str| value.get(key).and_then(Value::as_str).unwrap().to_owned();
    let items = |value: &Value, key: &str| match value.get(key) {
        Some(Value::List(items)) => items.clone(),
        other => panic!("{key}: {other:?}"),
    };
    let mut out = Vec::new();
    for conversion in items(&plan, "conversions") {
        for field in items(&conversion, "fields")
            .iter()
            .filter(|field| text(field, "fate") != "exact")
        {
            out.push(format!(
                "{} {} {}",
                text(&conversion, "id"),
                text(field, "field"),
                text(field, "fate")
            ));
        }
    }
    assert!(project.written().is_empty(), "a plan wrote something");
    out
}

#[test]
fn codex_gets_its_forms() {
    let project = kit("codex", &["agents", "skills", "hooks", "mcp-servers"]);
    assert_eq!(
        outcomes(&project),
        [
            "agents/reviewer maxTurns dropped",
            "agents/reviewer model dropped",
            "agents/reviewer tools widened"
        ]
    );
    project.refused(
        "install --strict-fidelity",
        1,
        &["tool/fidelity", "maxTurns", "model", "tools"],
    );
    project.good("install");
    assert_eq!(
        project.written(),
        [
            ".agents/skills/notes/SKILL.md",
            ".agents/skills/notes/more/words.md",
            ".codex/agents/reviewer.toml",
            ".codex/config.toml",
            ".codex/hooks.json"
        ]
    );
    assert_eq!(
        project.read(".codex/agents/reviewer.toml"),
        "name = \"reviewer\"\ndescription = \"Reviews changes.\"\ndeveloper_instructions = \"\"\"\nReview.\n\"\"\"\n"
    );
    assert_eq!(
        project.read(".codex/config.toml"),
        "[mcp_servers.fs]\ncommand = \"npx\"\nargs = [\"-y\", \"fs\"]\nenv_vars = [\"TOKEN\"]\n"
    );
}

#[test]
fn cursor_gets_its_forms() {
    let project = kit("cursor", ALL);
    assert_eq!(
        outcomes(&project),
        [
            "agents/reviewer maxTurns dropped",
            "agents/reviewer model dropped",
            "agents/reviewer tools widened"
        ]
    );
    project.refused("install --strict-fidelity", 1, &["tool/fidelity"]);
    project.good("install");
    assert_eq!(
        project.written(),
        [
            ".cursor/agents/reviewer.md",
            ".cursor/commands/ship.md",
            ".cursor/hooks.json",
            ".cursor/mcp.json",
            ".cursor/skills/notes/SKILL.md",
            ".cursor/skills/notes/more/words.md"
        ]
    );
    assert_eq!(
        project.read(".cursor/agents/reviewer.md"),
        "---\nname: reviewer\ndescription: Reviews changes.\n---\nReview.\n"
    );
    assert_eq!(
        json(&project.read(".cursor/hooks.json")),
        json(
            r#"{"version": 1, "hooks": {"preToolUse": [{"command": "lint", "matcher": "Shell", "timeout": 5}]}}"#
        )
    );
    assert_eq!(
        json(&project.read(".cursor/mcp.json")),
        json(
            r#"{"mcpServers": {"fs": {"command": "npx", "args": ["-y", "fs"], "env": {"TOKEN": "${env:TOKEN}"}}}}"#
        )
    );
}

#[test]
fn copilot_gets_its_forms() {
    let project = kit("copilot", ALL);
    assert_eq!(
        outcomes(&project),
        [
            "agents/reviewer maxTurns dropped",
            "agents/reviewer model dropped",
            "agents/reviewer tools approximated",
            "commands/ship (body) approximated",
            "commands/ship allowed-tools dropped",
            "hooks/lint PreToolUse.matcher approximated"
        ]
    );
    project.refused(
        "install --strict-fidelity",
        1,
        &["tool/fidelity", "matcher"],
    );
    project.good("install");
    assert_eq!(
        project.written(),
        [
            ".github/agents/reviewer.agent.md",
            ".github/hooks/lint.json",
            ".github/prompts/ship.prompt.md",
            ".github/skills/notes/SKILL.md",
            ".github/skills/notes/more/words.md",
            ".vscode/mcp.json"
        ]
    );
    assert_eq!(
        project.read(".github/prompts/ship.prompt.md"),
        "---\ndescription: Ships it.\nargument-hint: \"[version]\"\n---\n\
         Ship ${input:arguments} after !`git status` and @README.md.\n"
    );
    assert_eq!(
        json(&project.read(".vscode/mcp.json")),
        json(
            r#"{"servers": {"fs": {"type": "stdio", "command": "npx", "args": ["-y", "fs"], "env": {"TOKEN": "${env:TOKEN}"}}}}"#
        )
    );
}

#[test]
fn gemini_gets_its_forms() {
    let project = kit("gemini", ALL);
    assert_eq!(
        outcomes(&project),
        [
            "agents/reviewer model dropped",
            "commands/ship allowed-tools dropped",
            "commands/ship argument-hint dropped"
        ]
    );
    project.refused(
        "install --strict-fidelity",
        1,
        &["tool/fidelity", "argument-hint"],
    );
    project.good("install");
    assert_eq!(
        project.written(),
        [
            ".gemini/agents/reviewer.md",
            ".gemini/commands/ship.toml",
            ".gemini/settings.json",
            ".gemini/skills/notes/SKILL.md",
            ".gemini/skills/notes/more/words.md"
        ]
    );
    assert_eq!(
        project.read(".gemini/commands/ship.toml"),
        "description = \"Ships it.\"\nprompt = \"\"\"\nShip {{args}} after !{git status} and @{README.md}.\n\"\"\"\n"
    );
    let settings = json(&project.read(".gemini/settings.json"));
    assert!(settings.get("mcpServers").unwrap().get("fs").is_some());
    let hooks = settings.get("hooks").unwrap().to_json();
    assert!(
        hooks.contains("BeforeTool") && hooks.contains("5000"),
        "{hooks}"
    );
}

#[test]
fn windsurf_gets_its_forms() {
    let project = kit("windsurf", &["skills", "hooks", "mcp-servers"]);
    assert_eq!(outcomes(&project), ["mcp-servers/fs fs.env approximated"]);
    project.good("install");
    assert_eq!(
        project.written(),
        [
            ".devin/config.json",
            ".devin/mcp_config.json",
            ".devin/skills/notes/SKILL.md",
            ".devin/skills/notes/more/words.md"
        ]
    );
    assert_eq!(
        json(&project.read(".devin/config.json")),
        json(
            r#"{"hooks": {"PreToolUse": [{"matcher": "^(exec)$", "hooks": [{"type": "command", "command": "lint", "timeout": 5}]}]}}"#
        )
    );
    assert_eq!(
        json(&project.read(".devin/mcp_config.json")),
        json(r#"{"mcpServers": {"fs": {"command": "npx", "args": ["-y", "fs"]}}}"#)
    );
}

#[test]
fn zed_gets_its_forms() {
    let project = kit("zed", &["skills", "mcp-servers"]);
    assert_eq!(outcomes(&project), ["mcp-servers/fs fs.env approximated"]);
    project.good("install");
    assert_eq!(
        project.written(),
        [
            ".agents/skills/notes/SKILL.md",
            ".agents/skills/notes/more/words.md",
            ".zed/settings.json"
        ]
    );
    assert_eq!(
        json(&project.read(".zed/settings.json")),
        json(r#"{"context_servers": {"fs": {"command": "npx", "args": ["-y", "fs"]}}}"#)
    );
}

#[test]
fn features_that_a_tool_lacks_are_refused() {
    for (tool, kind) in [
        ("windsurf", "commands"),
        ("amp", "agents"),
        ("cline", "agents"),
        ("kiro", "hooks"),
        ("antigravity", "agents"),
        ("zed", "agents"),
        ("zed", "commands"),
        ("zed", "hooks"),
    ] {
        let message = format!("the tool `{tool}` does not support {kind}");
        kit(tool, &[kind]).refused("install", 1, &[&message]);
    }
}

#[test]
fn agents_is_a_place_for_skills_only() {
    let project = kit("agents", &["skills"]);
    assert!(outcomes(&project).is_empty());
    project.good("install --strict-fidelity");
    assert_eq!(
        project.written(),
        [
            ".agents/skills/notes/SKILL.md",
            ".agents/skills/notes/more/words.md"
        ]
    );
    assert_eq!(project.read(".agents/skills/notes/SKILL.md"), SKILL);
    for kind in ["agents", "commands", "hooks", "mcp-servers"] {
        kit("agents", &[kind]).refused("install", 1, &["`agents`"]);
    }
}

#[test]
fn opencode_takes_files_as_they_are_and_limits_and_servers_in_its_form() {
    let project = kit("opencode", &["agents", "commands", "skills", "mcp-servers"]);
    assert_eq!(
        outcomes(&project),
        [
            "agents/reviewer maxTurns dropped",
            "agents/reviewer model dropped",
            "agents/reviewer tools approximated"
        ]
    );
    project.good("install");
    assert_eq!(
        project.written(),
        [
            ".opencode/agent/reviewer.md",
            ".opencode/command/ship.md",
            ".opencode/opencode.json",
            ".opencode/skills/notes/SKILL.md",
            ".opencode/skills/notes/more/words.md"
        ]
    );
    let limits = "permission:\n  \"*\": deny\n  read: allow\n  edit: allow\n---\n";
    let expected = AGENT
        .replace("tools: Read, Edit\nmodel: sonnet\n", "")
        .replacen("---\nReview", &format!("{limits}Review"), 1);
    assert_eq!(project.read(".opencode/agent/reviewer.md"), expected);
    kit("opencode", &["hooks"]).refused("install", 1, &["opencode", "hooks"]);
}

#[test]
fn claude_code_takes_everything_as_it_is() {
    let project = kit("claude-code", ALL);
    assert!(outcomes(&project).is_empty());
    project.good("install --strict-fidelity");
    assert_eq!(
        project.written(),
        [
            ".claude/agents/reviewer.md",
            ".claude/commands/ship.md",
            ".claude/settings.local.json",
            ".claude/skills/notes/SKILL.md",
            ".claude/skills/notes/more/words.md",
            ".mcp.json"
        ]
    );
    assert_eq!(project.read(".claude/commands/ship.md"), COMMAND);
}

#[test]
fn everything_that_a_tool_got_goes_again() {
    for (tool, kinds) in [
        ("codex", &["agents", "skills", "hooks", "mcp-servers"][..]),
        ("cursor", ALL),
        ("copilot", ALL),
        ("gemini", ALL),
        ("windsurf", &["skills", "hooks", "mcp-servers"]),
        ("zed", &["skills", "mcp-servers"]),
    ] {
        let project = kit(tool, kinds);
        project.good("install");
        project.good("install --frozen");
        project.good("verify");
        project.manifest("");
        project.good("install");
        assert!(
            project.written().is_empty(),
            "{tool}: {:?}",
            project.written()
        );
    }
}

#[test]
fn a_setting_of_the_user_stays_next_to_what_a_tool_gets() {
    let config = "# mine\nmodel = \"o3\"   # keep\n\n[mcp_servers.own]\ncommand = \"own\"\n";
    let project = kit("codex", &["mcp-servers"]);
    project.write(".codex/config.toml", config);
    project.good("install");
    let now = project.read(".codex/config.toml");
    assert!(
        now.starts_with(config) && now.contains("[mcp_servers.fs]"),
        "{now}"
    );
    project.manifest("");
    project.good("install");
    assert_eq!(project.read(".codex/config.toml"), config);
}

#[test]
fn the_tool_field_of_the_reference_routes_resources() {
    let project = Project::with(
        &[
            ("agents/helper.md", "helper\n"),
            ("snippets/rust-patterns.md", "patterns\n"),
            ("snippets/claude.md", "claude\n"),
        ],
        &format!(
            "[agents]\n{}{}[snippets]\n{}{}",
            entry("claude-agent", "agents/helper.md", ""),
            entry("opencode-agent", "agents/helper.md", "tool = \"opencode\""),
            entry("shared", "snippets/rust-patterns.md", ""),
            entry(
                "claude-specific",
                "snippets/claude.md",
                "tool = \"claude-code\""
            )
        ),
    );
    project.good("install");
    assert_eq!(
        project.written(),
        [
            ".agpm/snippets/rust-patterns.md",
            ".claude/agents/helper.md",
            ".claude/snippets/claude.md",
            ".opencode/agent/helper.md"
        ]
    );
}

const TOOLS: &str = r#"[tools.claude-code]
path = ".claude"
resources = {
  agents = { path = "agents" },
  commands = { path = "commands" },
  hooks = { merge-target = ".claude/settings.local.json" },
  mcp-servers = { merge-target = ".mcp.json" }
}

[tools.opencode]
path = ".opencode"
resources = {
  agents = { path = "agent" },
  commands = { path = "command" },
  mcp-servers = { merge-target = ".opencode/opencode.json" }
}

[tools.custom-tool]
path = ".mytool"
resources = {
  agents = { path = "agents" },
  commands = { path = "cmds" },
  hooks = { merge-target = ".mytool/hooks.json" },
  mcp-servers = { merge-target = ".mytool/servers.json" }
}
"#;

#[test]
fn the_custom_tools_of_the_reference_have_their_directories() {
    for (tool, expected) in [
        (
            "claude-code",
            &[
                ".claude/agents/reviewer.md",
                ".claude/commands/ship.md",
                ".mcp.json",
            ][..],
        ),
        (
            "opencode",
            &[
                ".opencode/agent/reviewer.md",
                ".opencode/command/ship.md",
                ".opencode/opencode.json",
            ],
        ),
        (
            "custom-tool",
            &[
                ".mytool/agents/reviewer.md",
                ".mytool/cmds/ship.md",
                ".mytool/servers.json",
            ],
        ),
    ] {
        let project = kit(tool, &["agents", "commands", "mcp-servers"]);
        let manifest = project.read("agpm.toml");
        project.write("agpm.toml", &format!("{manifest}{TOOLS}"));
        project.good("install");
        assert_eq!(project.written(), expected);
    }
}

#[test]
fn a_listed_tool_keeps_what_it_does_not_list() {
    let project = kit("claude-code", &["skills"]);
    let manifest = project.read("agpm.toml");
    project.write("agpm.toml", &format!("{manifest}{TOOLS}"));
    project.good("install");
    assert!(project.exists(".claude/skills/notes/SKILL.md"));
}

#[test]
fn a_custom_tool_has_no_place_for_what_it_does_not_list() {
    let project = kit("custom-tool", &["skills"]);
    let manifest = project.read("agpm.toml");
    project.write("agpm.toml", &format!("{manifest}{TOOLS}"));
    project.refused("install", 1, &["custom-tool", "skills"]);
}

#[test]
fn the_wrong_key_for_a_kind_is_an_error() {
    let project = Project::new();
    for (kind, key) in [
        ("hooks", "path"),
        ("mcp-servers", "path"),
        ("agents", "merge-target"),
    ] {
        project.manifest(&format!(
            "[tools.x]\npath = \".x\"\nresources = {{ {kind} = {{ {key} = \"y\" }} }}\n"
        ));
        project.refused("install", 1, &[kind, key]);
    }
}

#[test]
fn an_unknown_tool_is_reported_with_a_near_one() {
    kit("opncode", &["agents"]).refused(
        "install",
        1,
        &["manifest/unknown-tool", "did you mean `opencode`?"],
    );
}

#[test]
fn a_moved_tool_moves_its_files() {
    let project = kit("cursor", ALL);
    project.good("install");
    let manifest = project.read("agpm.toml");
    project.write(
        "agpm.toml",
        &format!("{manifest}[tools.cursor]\npath = \"config/cursor\"\n"),
    );
    project.good("install");
    let written = project.written();
    assert!(
        written.contains(&"config/cursor/agents/reviewer.md".to_owned()),
        "{written:?}"
    );
    assert!(
        !project.exists(".cursor/agents") && !project.exists(".cursor/skills"),
        "{written:?}"
    );
}

#[test]
fn a_tool_that_is_switched_off_gets_nothing_and_loses_what_it_had() {
    let project = kit("gemini", ALL);
    project.good("install");
    let manifest = project.read("agpm.toml");
    project.write(
        "agpm.toml",
        &format!("{manifest}[tools.gemini]\nenabled = false\n"),
    );
    project.good("install");
    assert!(project.written().is_empty(), "{:?}", project.written());
    project.write(
        "agpm.toml",
        &format!("{manifest}[tools.gemini]\nenabled = true\n"),
    );
    project.good("install");
    assert!(project.exists(".gemini/agents/reviewer.md"));
}

const DEFAULTS: &[(&str, &str)] = &[
    ("agents/helper.md", "helper\n"),
    ("commands/c.md", "c\n"),
    ("snippets/s.md", "s\n"),
];

fn with_defaults(defaults: &str, helpers: &str) -> Vec<String> {
    let project = Project::with(
        DEFAULTS,
        &format!(
            "[default-tools]\n{defaults}[agents]\n{helpers}[commands]\n{}[snippets]\n{}",
            entry("c", "commands/c.md", ""),
            entry("s", "snippets/s.md", "")
        ),
    );
    project.good("install");
    project.written()
}

#[test]
fn default_tools_of_the_reference_apply_where_no_tool_is_named() {
    let helper = entry("helper", "agents/helper.md", "");
    let syntax = "snippets = \"claude-code\"\nagents = \"claude-code\"\ncommands = \"opencode\"\n";
    assert_eq!(
        with_defaults(syntax, &helper),
        [
            ".claude/agents/helper.md",
            ".claude/snippets/s.md",
            ".opencode/command/c.md"
        ]
    );
    assert_eq!(
        with_defaults("agents = \"opencode\"\ncommands = \"opencode\"\n", &helper),
        [
            ".agpm/snippets/s.md",
            ".opencode/agent/helper.md",
            ".opencode/command/c.md"
        ]
    );
    let mixed = "snippets = \"agpm\"\nagents = \"claude-code\"\ncommands = \"opencode\"\n";
    assert_eq!(
        with_defaults(mixed, &helper),
        [
            ".agpm/snippets/s.md",
            ".claude/agents/helper.md",
            ".opencode/command/c.md"
        ]
    );
}

#[test]
fn a_named_tool_beats_the_default() {
    let helpers = format!(
        "{}{}",
        entry("default-agent", "agents/helper.md", ""),
        entry("claude-agent", "agents/helper.md", "tool = \"claude-code\"")
    );
    assert_eq!(
        with_defaults("agents = \"opencode\"\n", &helpers),
        [
            ".agpm/snippets/s.md",
            ".claude/agents/helper.md",
            ".claude/commands/c.md",
            ".opencode/agent/helper.md"
        ]
    );
}

#[test]
fn a_default_tool_that_cannot_take_the_kind_is_an_error() {
    let project = Project::with(
        DEFAULTS,
        &format!(
            "[default-tools]\nsnippets = \"opencode\"\n[snippets]\n{}",
            entry("s", "snippets/s.md", "")
        ),
    );
    project.refused("install", 1, &["opencode", "snippets"]);
}

#[test]
fn dependencies_go_to_the_tool_of_their_dependent_if_it_supports_them() {
    let agent = "---\ndependencies:\n  commands:\n    - path: commands/c.md\n  snippets:\n    - path: snippets/s.md\n---\n";
    let project = Project::with(
        &[
            ("agents/a.md", agent),
            ("commands/c.md", "c\n"),
            ("snippets/s.md", "s\n"),
        ],
        &format!(
            "[agents]\n{}",
            entry("a", "agents/a.md", "tool = \"opencode\"")
        ),
    );
    project.good("install");
    assert_eq!(
        project.written(),
        [
            ".agpm/snippets/s.md",
            ".opencode/agent/a.md",
            ".opencode/command/c.md"
        ]
    );
}

#[test]
fn tools_with_few_types_get_what_they_have() {
    for (tool, kinds, written) in [
        (
            "amp",
            &["skills", "mcp-servers"][..],
            vec![".agents/skills", ".amp/settings.json"],
        ),
        (
            "kiro",
            &["agents", "skills", "mcp-servers"],
            vec![
                ".kiro/agents/reviewer.md",
                ".kiro/settings/mcp.json",
                ".kiro/skills",
            ],
        ),
        (
            "cline",
            &["commands", "skills"],
            vec![".cline/skills", ".clinerules/workflows/ship.md"],
        ),
        (
            "goose",
            &["agents", "skills", "hooks", "mcp-servers"],
            vec![
                ".agents/plugins/agpm/.mcp.json",
                ".agents/plugins/agpm/hooks/hooks.json",
                ".goose/agents/reviewer.md",
                ".goose/skills",
            ],
        ),
        (
            "antigravity",
            &["commands", "skills", "hooks", "mcp-servers"],
            vec![
                ".agents/hooks.json",
                ".agents/mcp_config.json",
                ".agents/skills",
                ".agents/workflows/ship.md",
            ],
        ),
        (
            "copilot-cli",
            &["agents", "commands", "skills", "hooks", "mcp-servers"],
            vec![
                ".claude/commands/ship.md",
                ".github/agents/reviewer.agent.md",
                ".github/hooks/lint.json",
                ".github/mcp.json",
                ".github/skills",
            ],
        ),
    ] {
        let project = kit(tool, kinds);
        project.good("install");
        let mut found: Vec<String> = project.written();
        for path in &mut found {
            if let Some((skills, _)) = path.split_once("/notes/") {
                *path = skills.to_owned();
            }
        }
        found.dedup();
        assert_eq!(found, written, "{tool}");
        project.good("install --frozen");
        let missing = ALL.iter().find(|kind| !kinds.contains(kind));
        if let Some(kind) = missing {
            kit(tool, &[kind]).refused("install", 1, &["does not support"]);
        }
    }
}

#[test]
fn servers_of_new_tools_have_their_keys() {
    let remote = r#"{"type": "http", "url": "https://example.com/mcp"}"#;
    for (tool, file, text) in [
        (
            "amp",
            ".amp/settings.json",
            "{\n  \"amp.mcpServers\": {\n    \"x\": {\n      \"url\": \"https://example.com/mcp\"\n    }\n  }\n}\n",
        ),
        (
            "antigravity",
            ".agents/mcp_config.json",
            "{\n  \"mcpServers\": {\n    \"x\": {\n      \"serverUrl\": \"https://example.com/mcp\"\n    }\n  }\n}\n",
        ),
        (
            "copilot-cli",
            ".github/mcp.json",
            "{\n  \"mcpServers\": {\n    \"x\": {\n      \"type\": \"http\",\n      \"url\": \"https://example.com/mcp\"\n    }\n  }\n}\n",
        ),
    ] {
        let line = entry("x", "mcp/x.json", &format!("tool = \"{tool}\""));
        let project = Project::with(&[("mcp/x.json", remote)], &format!("[mcp-servers]\n{line}"));
        project.good("install");
        assert_eq!(project.read(file), text, "{tool}");
    }
}

#[test]
fn the_editor_and_the_cli_of_copilot_share_their_files() {
    let more = "tools = [\"copilot\", \"copilot-cli\"]";
    let manifest = [
        "[agents]\n".to_owned(),
        entry("reviewer", "agents/reviewer.md", more),
        "[hooks]\n".to_owned(),
        entry("lint", "hooks/lint.json", more),
        "[skills]\n".to_owned(),
        entry("notes", "skills/notes", more),
    ];
    let agent = "---\nname: reviewer\ndescription: Reviews.\n---\nReview.\n";
    let files = [
        ("agents/reviewer.md", agent),
        ("hooks/lint.json", HOOK),
        ("skills/notes/SKILL.md", SKILL),
    ];
    let project = Project::with(&files, &manifest.concat());
    project.good("install");
    assert_eq!(
        project.written(),
        [
            ".agents/skills/notes/SKILL.md",
            ".github/agents/reviewer.agent.md",
            ".github/hooks/lint.json"
        ]
    );
    project.good("install --frozen");
    project.good("verify");
}

#[test]
fn a_command_in_toml_is_refused_where_commands_are_markdown() {
    let text = "description = \"d\"\nprompt = \"x {{args}}\"\n";
    for tool in ["claude-code", "cursor", "antigravity", "opencode"] {
        let line = entry("x", "commands/x.toml", &format!("tool = \"{tool}\""));
        let project = Project::with(&[("commands/x.toml", text)], &format!("[commands]\n{line}"));
        project.refused("install", 1, &["is TOML, which this tool does not read"]);
        assert!(project.written().is_empty(), "{tool}");
    }
    let own = "[tools.mine]\npath = \".mine\"\nresources = { commands = { path = \"commands\" } }\n[commands]\n";
    let line = entry("x", "commands/x.toml", "tool = \"mine\"");
    let project = Project::with(&[("commands/x.toml", text)], &format!("{own}{line}"));
    project.good("install");
    assert_eq!(project.written(), [".mine/commands/x.toml"]);
}

#[test]
fn the_reference_gets_urls_with_its_own_type() {
    let remote = r#"{"type": "streamableHttp", "url": "https://example.com/mcp"}"#;
    let line = entry("x", "mcp/x.json", "tool = \"claude-code\"");
    let project = Project::with(&[("mcp/x.json", remote)], &format!("[mcp-servers]\n{line}"));
    project.good("install");
    assert_eq!(
        json(&project.read(".mcp.json")),
        json(r#"{"mcpServers": {"x": {"type": "http", "url": "https://example.com/mcp"}}}"#)
    );
}

#[test]
fn add_dep_accepts_several_tools() {
    let agent = "---\nname: x\ndescription: d\n---\nx\n";
    let project = Project::with(&[("agents/x.md", agent)], "");
    project.good("add dep agent community:agents/x.md@v1.0.0 --tool claude-code,codex");
    let manifest = project.read("agpm.toml");
    assert!(
        manifest.contains("tools = [\"claude-code\", \"codex\"]"),
        "{manifest}"
    );
    assert_eq!(
        project.written(),
        [".claude/agents/x.md", ".codex/agents/x.toml"]
    );
}
