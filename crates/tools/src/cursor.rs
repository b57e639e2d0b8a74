//! Cursor.

use crate::prelude::*;

const TITLE: &str = "Cursor";

pub(crate) static TOOL: ToolDefinition = ToolDefinition {
    directory: ScopedValue::both(".cursor"),
    agents: Some(TypeSupport {
        location: own_directory("agents"),
        format: AGENTS,
        source: source("Cursor, Subagents: configuration fields", "2026-11-15"),
    }),
    commands: Some(TypeSupport {
        location: own_directory("commands"),
        format: CommandFormat::Unchanged,
        source: source("Cursor, Commands", "2026-11-15"),
    }),
    skills: Some(TypeSupport {
        location: own_directory("skills"),
        format: SkillFormat::also_reading(ScopedValue {
            project: &[".claude/skills", COMMON_SKILLS],
            user: &[],
        }),
        source: source("Cursor, Agent Skills", "2026-11-15"),
    }),
    hooks: Some(TypeSupport {
        location: ScopedValue::both(Some(HookLocation::Entries(".cursor/hooks.json"))),
        format: HOOKS,
        source: source(
            "Cursor, Hooks: per-script configuration; Third Party Hooks",
            "2026-11-15",
        ),
    }),
    servers: Some(TypeSupport {
        location: ScopedValue::both(Some(".cursor/mcp.json")),
        format: SERVERS,
        source: source(
            "Cursor, Model Context Protocol: configuration, config interpolation",
            "2026-11-15",
        ),
    }),
    instructions: Some(TypeSupport {
        location: project_rules(Directory::Own("rules")),
        format: InstructionFormat::rules(RULES),
        source: source("Cursor, Rules: rule anatomy, AGENTS.md", "2026-11-16"),
    }),
    layer_files: SourcedList::new(
        &[".cursor/**", ".cursorrules"],
        source("Cursor, Rules", "2026-11-15"),
    ),
    plugin_manifest: Some(PluginManifestPath {
        path: ".cursor-plugin/plugin.json",
        source: source("Cursor, Plugins reference: plugin manifest", "2026-11-18"),
    }),
    plugin_variables: SourcedList::new(
        &["CURSOR_PLUGIN_ROOT"],
        source("plugins for Cursor that read it", "2026-11-16"),
    ),
    project_root: Some(ProjectRoot {
        hooks: Some("CURSOR_PROJECT_DIR"),
        servers: Some("${workspaceFolder}"),
        source: source("Cursor, Hooks and MCP: variables", "2026-11-16"),
    }),
    foreign_hooks: Some(ForeignHooks {
        tool: "claude-code",
        reading: ForeignReading::Setting("Third-party skills"),
        source: source("Cursor, Third Party Hooks", "2026-11-18"),
    }),
    config: CONFIG,
    users_files: UsersFiles {
        instructions: &[".cursorrules"],
        ..UsersFiles::NONE
    },
    names_elsewhere: &["cursor"],
    ..ToolDefinition::new("cursor", TITLE)
};

const AGENTS: AgentFormat = AgentFormat {
    marks: AgentMarks {
        extensions: &[],
        fields: &["readonly", "is_background"],
    },
    ..AgentFormat::new(AgentForm::Fields(AgentFields {
        passes: &["readonly", "is_background"],
        renames: &[("background", "is_background")],
        ..AgentFields::new(
            ModelNames {
                vendor: None,
                inherited: InheritedModel::Named,
                form: ModelForm::Identifier,
            },
            AgentLimit::ReadOnly("readonly", None),
        )
    }))
};

const HOOKS: HookFormat = HookFormat {
    version: Some(1),
    events: &[
        HookEvent::new("SessionStart", "sessionStart", MatcherRule::Missing),
        HookEvent::new("SessionEnd", "sessionEnd", MatcherRule::Missing),
        HookEvent::new(
            "UserPromptSubmit",
            "beforeSubmitPrompt",
            MatcherRule::Ignored,
        ),
        HookEvent::new("PreToolUse", "preToolUse", MatcherRule::Tools),
        HookEvent::new("PostToolUse", "postToolUse", MatcherRule::Tools),
        HookEvent::new(
            "PostToolUseFailure",
            "postToolUseFailure",
            MatcherRule::Tools,
        ),
        HookEvent::new("PreCompact", "preCompact", MatcherRule::Missing),
        HookEvent::new("SubagentStart", "subagentStart", MatcherRule::NewerVersions),
        HookEvent::new("SubagentStop", "subagentStop", MatcherRule::NewerVersions),
        HookEvent::new("Stop", "stop", MatcherRule::Ignored),
    ],
    own_events: &[
        "beforeShellExecution",
        "afterShellExecution",
        "beforeMCPExecution",
        "afterMCPExecution",
        "beforeReadFile",
        "afterFileEdit",
        "afterAgentResponse",
        "afterAgentThought",
        "beforeTabFileRead",
        "afterTabFileEdit",
        "workspaceOpen",
    ],
    keys: &[
        HookKey::same("command"),
        HookKey::new("type", "type", KeyChange::OmitCommand),
        HookKey::same("prompt"),
        HookKey::same("timeout"),
        HookKey::same("failClosed"),
        HookKey::same("loop_limit"),
    ],
    types: &["command", "prompt"],
    ..HookFormat::new(TITLE, HookShape::Flat, &TOOL_NAMES)
};

static TOOL_NAMES: ToolNames = ToolNames {
    names: &[
        ("Read", &["Read"]),
        ("Grep", &["Grep"]),
        ("Write", &["Write"]),
        ("Edit", &["Write"]),
        ("Bash", &["Shell"]),
        ("Task", &["Task"]),
    ],
    ..ToolNames::new(source(
        "Cursor, Third Party Hooks: tool name mapping",
        "2026-11-15",
    ))
};

const SERVERS: ServerFormat = ServerFormat {
    directory: None,
    passes: &["envFile", "auth"],
    ..ServerFormat::new("mcpServers", Variables::Replaced(VariableSyntax::Editor))
};

/// Patterns are one string with commas, which is what its editor writes.
const RULES: RuleFormat = RuleFormat {
    extension: "mdc",
    patterns: "globs",
    list: PatternList::Commas,
    for_some: &[RuleField::flag("alwaysApply", false)],
    for_all: &[RuleField::flag("alwaysApply", true)],
    description: RuleDescription::Read,
};

const CONFIG: &[ConfigFile] = &[
    ConfigFile::new(
        &[".cursor/hooks.json"],
        HOOK_FILE,
        source("Cursor, Hooks: per-script configuration", "2026-11-19"),
    ),
    ConfigFile::new(
        &[".cursor/mcp.json"],
        SERVER_FILE,
        source(
            "Cursor, Model Context Protocol: configuration",
            "2026-11-19",
        ),
    ),
    ConfigFile::new(
        &[
            ".cursor/cli.json",
            ".cursor/cli-config.json",
            ".cursor/permissions.json",
        ],
        &[
            key("permissions/allow", KeyEffect::Allows),
            key("permissions/deny", KeyEffect::Denies),
            key("terminalAllowlist", KeyEffect::Allows),
            key("mcpAllowlist", KeyEffect::Allows),
            harmless("$schema"),
            harmless("version"),
            harmless("editor"),
            harmless("model"),
            harmless("hasChangedDefaultModel"),
        ],
        source("Cursor CLI, Permissions; Configuration", "2026-11-19"),
    ),
    ConfigFile::new(
        &[".cursor/environment.json"],
        &[
            key("install", KeyEffect::Runs),
            key("start", KeyEffect::Runs),
            key("update", KeyEffect::Runs),
            key("terminals/*/command", KeyEffect::Runs),
            harmless("$schema"),
            harmless("name"),
            harmless("user"),
            harmless("terminals/*/name"),
            harmless("terminals/*/description"),
        ],
        source("Cursor, Cloud agents: environment.json", "2026-11-19"),
    ),
    ConfigFile::new(
        &[".cursor/worktrees.json"],
        &[
            key("setup-worktree", KeyEffect::Runs),
            key("setup-worktree-unix", KeyEffect::Runs),
            key("setup-worktree-windows", KeyEffect::Runs),
        ],
        source("Cursor, Parallel agents: worktrees.json", "2026-11-19"),
    ),
    ConfigFile::unknown(
        &[".cursor/sandbox.json"],
        source("Cursor, Terminal: sandbox.json", "2026-11-19"),
    ),
];
