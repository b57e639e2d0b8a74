//! Claude Code, the reference tool: resources are written as it reads them.

use crate::prelude::*;

pub(crate) static TOOL: ToolDefinition = ToolDefinition {
    directory: ScopedValue::both(".claude"),
    agents: Some(TypeSupport {
        location: own_directory("agents"),
        format: AGENTS,
        source: source("Claude Code, Create custom subagents", "2026-11-16"),
    }),
    commands: Some(TypeSupport {
        location: own_directory("commands"),
        format: CommandFormat::Unchanged,
        source: source("Claude Code, Slash commands", "2026-11-15"),
    }),
    skills: Some(TypeSupport {
        location: own_directory("skills"),
        format: SkillFormat::PLAIN,
        source: source("Claude Code, Agent Skills", "2026-11-15"),
    }),
    snippets: Some(TypeSupport {
        location: own_directory("snippets"),
        format: UnchangedFiles,
        source: source("agpm, docs/packages.md", "2026-11-15"),
    }),
    scripts: Some(TypeSupport {
        location: own_directory("scripts"),
        format: UnchangedFiles,
        source: source("agpm, docs/packages.md", "2026-11-15"),
    }),
    hooks: Some(TypeSupport {
        location: ScopedValue {
            project: Some(HookLocation::Entries(".claude/settings.local.json")),
            user: Some(HookLocation::Entries(".claude/settings.json")),
        },
        format: HOOKS,
        source: source("Claude Code, Hooks reference", "2026-11-15"),
    }),
    servers: Some(TypeSupport {
        location: ScopedValue {
            project: Some(".mcp.json"),
            user: Some(".claude.json"),
        },
        format: SERVERS,
        source: source(
            "Claude Code, Connect Claude Code to tools via MCP",
            "2026-11-15",
        ),
    }),
    instructions: Some(TypeSupport {
        location: ScopedValue {
            project: Some(InstructionLocation {
                rules: Some(Directory::Own("rules")),
                blocks: &["CLAUDE.md", COMMON_INSTRUCTIONS],
            }),
            user: Some(InstructionLocation {
                rules: Some(Directory::Own("rules")),
                blocks: &[".claude/CLAUDE.md"],
            }),
        },
        format: InstructionFormat::rules(RuleFormat::PATHS),
        source: source(
            "Claude Code, Memory: path-specific rules, CLAUDE.md files",
            "2026-11-16",
        ),
    }),
    layer_files: SourcedList::new(
        &["CLAUDE.md", "CLAUDE.local.md", ".claude/**"],
        source("Claude Code, Manage Claude's memory", "2026-11-15"),
    ),
    credentials: SourcedList::new(
        &[&[".claude", ".credentials.json"]],
        source("Claude Code, Authentication", "2026-11-16"),
    ),
    plugin_variables: SourcedList::new(
        &["CLAUDE_PLUGIN_ROOT", "CLAUDE_PLUGIN_DATA"],
        source("Claude Code, Plugins reference", "2026-11-16"),
    ),
    executable: Some(Executable {
        name: "claude",
        version: "2.1.197",
        source: source("npm, @anthropic-ai/claude-code 2.1.197", "2026-11-16"),
    }),
    // Servers see the variable too, but their file is read before it is set: a default is needed there.
    project_root: Some(ProjectRoot {
        hooks: Some("CLAUDE_PROJECT_DIR"),
        servers: Some("${CLAUDE_PROJECT_DIR:-.}"),
        source: source("Claude Code, Hooks reference", "2026-11-16"),
    }),
    former_directories: SourcedList::new(
        &[
            ".claude/agents",
            ".claude/commands",
            ".claude/scripts",
            ".claude/snippets",
        ],
        source("agpm-cli 0.4.14, `src/cli/migrate.rs`", "2026-11-18"),
    ),
    ..ToolDefinition::new("claude-code", "Claude Code")
};

/// Only agents of other tools are converted.
const AGENTS: AgentFormat = AgentFormat {
    copied: CopiedAgents::Unmarked,
    nameless: NamelessAgents::Ignored,
    ..AgentFormat::new(AgentForm::Fields(AgentFields {
        passes: &[
            "maxTurns",
            "skills",
            "mcpServers",
            "hooks",
            "memory",
            "effort",
            "isolation",
            "background",
            "color",
        ],
        renames: &[
            ("max_turns", "maxTurns"),
            ("is_background", "background"),
            ("mcp_servers", "mcpServers"),
        ],
        ..AgentFields::new(
            ModelNames {
                vendor: Some(Vendor::Anthropic),
                inherited: InheritedModel::Named,
                form: ModelForm::Identifier,
            },
            AgentLimit::List(ToolList {
                deny: Some("disallowedTools"),
                ..ToolList::new(&TOOL_NAMES)
            }),
        )
    }))
};

const HOOKS: HookFormat = HookFormat {
    matchers: MatcherSyntax::Reference,
    ..HookFormat::new("Claude Code", HookShape::Reference, &TOOL_NAMES)
};

static TOOL_NAMES: ToolNames = ToolNames {
    names: &[
        ("Read", &["Read"]),
        ("NotebookRead", &["NotebookRead"]),
        ("LS", &["LS"]),
        ("Grep", &["Grep"]),
        ("Glob", &["Glob"]),
        ("Write", &["Write"]),
        ("Edit", &["Edit"]),
        ("NotebookEdit", &["NotebookEdit"]),
        ("Bash", &["Bash"]),
        ("WebFetch", &["WebFetch"]),
        ("WebSearch", &["WebSearch"]),
        ("Task", &["Task"]),
        ("TodoWrite", &["TodoWrite"]),
        ("AskUserQuestion", &["AskUserQuestion"]),
        ("Skill", &["Skill"]),
    ],
    servers: Some(ServerTools::REFERENCE),
    ..ToolNames::new(source(
        "Claude Code, Settings: Tools available",
        "2026-11-15",
    ))
};

const SERVERS: ServerFormat = ServerFormat {
    types: ServerTypes {
        local: None,
        http: Some("http"),
        sse: Some("sse"),
    },
    passes: &["oauth", "headersHelper", "timeout", "alwaysLoad"],
    copied: CopiedServers::Reference,
    ..ServerFormat::new("mcpServers", Variables::Replaced(VariableSyntax::Shell))
};
