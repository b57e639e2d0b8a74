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
    plugin_manifest: Some(PluginManifestPath {
        path: ".claude-plugin/plugin.json",
        source: source("Claude Code, Plugins reference", "2026-11-18"),
    }),
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
    config: CONFIG,
    // 200,000 tokens of context, 4 characters each, of which `skillListingBudgetFraction` gives 1 %.
    listing: Some(Listing {
        entry: ListingEntry::WhenToUse,
        longest_description: 1536,
        limit: 8000,
        source: source(
            "Claude Code, Settings: `skillListingBudgetFraction`, `skillListingMaxDescChars`",
            "2026-11-19",
        ),
    }),
    further_directories: SourcedList::new(
        &[("instructions", ".claude/output-styles")],
        source("Claude Code, Output styles", "2026-11-19"),
    ),
    users_files: UsersFiles {
        hooks: &[".claude/settings.json"],
        instructions: &["CLAUDE.md", "CLAUDE.local.md", ".claude/CLAUDE.md"],
        ..UsersFiles::NONE
    },
    names_elsewhere: &["claude", "claude-code", "claudecode"],
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

const CONFIG: &[ConfigFile] = &[
    ConfigFile::new(
        &[".claude/settings.json", ".claude/settings.local.json"],
        &[
            key("hooks", KeyEffect::Hooks),
            key("statusLine", KeyEffect::Runs),
            key("subagentStatusLine", KeyEffect::Runs),
            key("fileSuggestion", KeyEffect::Runs),
            key("apiKeyHelper", KeyEffect::Runs),
            key("awsAuthRefresh", KeyEffect::Runs),
            key("awsCredentialExport", KeyEffect::Runs),
            key("gcpAuthRefresh", KeyEffect::Runs),
            key("otelHeadersHelper", KeyEffect::Runs),
            key("mcpServers", KeyEffect::Servers),
            key("permissions/allow", KeyEffect::Allows),
            key("permissions/deny", KeyEffect::Denies),
            key("permissions/ask", KeyEffect::Asks),
            key(
                "permissions/disableBypassPermissionsMode",
                KeyEffect::Protects,
            ),
            key(
                "permissions/defaultMode",
                KeyEffect::Mode(&["default", "plan"]),
            ),
            key("defaultMode", KeyEffect::Mode(&["default", "plan"])),
            key("permissionMode", KeyEffect::Mode(&["default", "plan"])),
            key("sandbox/enabled", KeyEffect::Unprotects(false)),
            key(
                "sandbox/autoAllowBashIfSandboxed",
                KeyEffect::Unprotects(true),
            ),
            key(
                "sandbox/allowUnsandboxedCommands",
                KeyEffect::Unprotects(true),
            ),
            key("enableAllProjectMcpServers", KeyEffect::Unprotects(true)),
            key("dangerouslySkipPermissions", KeyEffect::Unprotects(true)),
            key(
                "skipDangerousModePermissionPrompt",
                KeyEffect::Unprotects(true),
            ),
            key("env", KeyEffect::Environment),
            harmless("$schema"),
            harmless("agent"),
            harmless("alwaysThinkingEnabled"),
            harmless("attribution"),
            harmless("autoUpdatesChannel"),
            harmless("cleanupPeriodDays"),
            harmless("companyAnnouncements"),
            key("disabledMcpjsonServers", KeyEffect::Protects),
            harmless("editorMode"),
            harmless("effortLevel"),
            harmless("fastMode"),
            harmless("feedbackSurveyRate"),
            harmless("gitAttribution"),
            harmless("includeCoAuthoredBy"),
            harmless("includeGitInstructions"),
            harmless("language"),
            harmless("maxThinkingTokens"),
            harmless("model"),
            harmless("outputStyle"),
            harmless("prefersReducedMotion"),
            harmless("preferredNotifChannel"),
            harmless("respectGitignore"),
            harmless("showTurnDuration"),
            harmless("spinnerTipsEnabled"),
            harmless("spinnerTipsOverride"),
            harmless("spinnerVerbs"),
            harmless("terminalProgressBarEnabled"),
            harmless("theme"),
            harmless("tui"),
            harmless("verbose"),
            harmless("viewMode"),
            harmless("voiceEnabled"),
        ],
        source(
            "Claude Code, Settings; SchemaStore, claude-code-settings",
            "2026-11-19",
        ),
    ),
    ConfigFile::new(
        &[".mcp.json"],
        SERVER_FILE,
        source(
            "Claude Code, Connect Claude Code to tools via MCP",
            "2026-11-19",
        ),
    ),
    ConfigFile::new(
        &[".claude.json"],
        &[
            key("mcpServers", KeyEffect::Servers),
            harmless("theme"),
            harmless("verbose"),
            harmless("editorMode"),
            harmless("preferredNotifChannel"),
        ],
        source("Claude Code, Settings: global config", "2026-11-19"),
    ),
    ConfigFile::new(
        &[".claude/keybindings.json"],
        &[
            key("$schema", KeyEffect::Harmless),
            key("bindings", KeyEffect::Harmless),
        ],
        source("Claude Code, Keybindings", "2026-11-19"),
    ),
];
