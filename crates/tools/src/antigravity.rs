//! Google Antigravity, the editor and the CLI, which follows Gemini CLI.
//!
//! Sources differ on where its agents are read from and on what one without `tools` may use, so agents are not written.

use crate::prelude::*;

const TITLE: &str = "Antigravity";

pub(crate) static TOOL: ToolDefinition = ToolDefinition {
    directory: ScopedValue {
        project: ".agents",
        user: ".gemini/config",
    },
    commands: Some(TypeSupport {
        location: ScopedValue {
            project: Some(Directory::Own("workflows")),
            user: Some(Directory::Shared(".gemini/antigravity/global_workflows")),
        },
        format: CommandFormat::Unchanged,
        source: source("Antigravity, Rules and workflows", "2026-11-16"),
    }),
    skills: Some(TypeSupport {
        location: own_directory("skills"),
        format: SkillFormat::PLAIN,
        source: source("Antigravity, Skills", "2026-11-16"),
    }),
    hooks: Some(TypeSupport {
        location: ScopedValue {
            project: Some(HookLocation::Entries(".agents/hooks.json")),
            user: Some(HookLocation::Entries(".gemini/config/hooks.json")),
        },
        format: HOOKS,
        source: source("Antigravity, Hooks: schema, supported events", "2026-11-18"),
    }),
    servers: Some(TypeSupport {
        location: ScopedValue {
            project: Some(".agents/mcp_config.json"),
            user: Some(".gemini/config/mcp_config.json"),
        },
        format: SERVERS,
        source: source("Antigravity, MCP", "2026-11-18"),
    }),
    instructions: Some(TypeSupport {
        location: project_rules(Directory::Own("rules")),
        format: InstructionFormat::rules(RULES),
        source: source(
            "Antigravity, Rules and workflows; rules of public repositories",
            "2026-11-16",
        ),
    }),
    layer_files: SourcedList::new(
        &[".agents/**"],
        source("Antigravity, Rules and workflows", "2026-11-16"),
    ),
    config: CONFIG,
    names_elsewhere: &["antigravity", "antigravity-ide", "antigravity-cli"],
    ..ToolDefinition::new("antigravity", TITLE)
};

const HOOKS: HookFormat = HookFormat {
    events: &[
        HookEvent::same("PreToolUse", MatcherRule::Tools),
        HookEvent::same("PostToolUse", MatcherRule::Tools),
        HookEvent::same("Stop", MatcherRule::Ignored),
    ],
    own_events: &["PreInvocation", "PostInvocation"],
    keys: HookKey::COMMAND,
    matchers: MatcherSyntax::Anchored,
    reference_variables: ReferenceVariables::Unset,
    ..HookFormat::new(TITLE, HookShape::Named, &TOOL_NAMES)
};

static TOOL_NAMES: ToolNames = ToolNames {
    names: &[
        ("Read", &["view_file"]),
        ("LS", &["list_dir"]),
        ("Grep", &["grep_search"]),
        ("Glob", &["find_by_name"]),
        ("Write", &["write_to_file"]),
        (
            "Edit",
            &["replace_file_content", "multi_replace_file_content"],
        ),
        ("Bash", &["run_command"]),
        ("WebFetch", &["read_url_content"]),
        ("WebSearch", &["search_web"]),
        ("Task", &["invoke_subagent"]),
        ("AskUserQuestion", &["ask_question"]),
    ],
    ..ToolNames::new(source(
        "Antigravity, Hooks: matchers; obra/superpowers, antigravity-tools.md",
        "2026-11-18",
    ))
};

/// Variables are not mentioned, so they are taken not to be replaced.
const SERVERS: ServerFormat = ServerFormat {
    directory: None,
    urls: ServerUrls {
        http: "serverUrl",
        sse: Some("serverUrl"),
    },
    switch: ServerSwitch::Disabled,
    passes: &["disabledTools"],
    limits: &["disabledTools"],
    ..ServerFormat::new("mcpServers", Variables::kept_by(TITLE))
};

const RULES: RuleFormat = RuleFormat::triggered(PatternList::Commas);

const CONFIG: &[ConfigFile] = &[
    ConfigFile::new(
        &[".agents/hooks.json", ".gemini/config/hooks.json"],
        // Every key is the name of a hook.
        &[key("*", KeyEffect::Hooks)],
        source("Antigravity, Hooks: schema", "2026-11-19"),
    ),
    ConfigFile::new(
        &[".agents/mcp_config.json", ".gemini/config/mcp_config.json"],
        SERVER_FILE,
        source("Antigravity, MCP", "2026-11-19"),
    ),
];
