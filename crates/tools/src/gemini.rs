//! Gemini CLI.

use crate::prelude::*;

const TITLE: &str = "Gemini CLI";

pub(crate) static TOOL: ToolDefinition = ToolDefinition {
    directory: ScopedValue::both(".gemini"),
    agents: Some(TypeSupport {
        location: own_directory("agents"),
        format: AGENTS,
        source: source(
            "Gemini CLI, Subagents: configuration schema; `loadAgentsFromDirectory` of Gemini CLI 0.61.0",
            "2026-11-16",
        ),
    }),
    commands: Some(TypeSupport {
        location: own_directory("commands"),
        format: CommandFormat::Toml(COMMANDS),
        source: source(
            "Gemini CLI, Custom commands: TOML file format",
            "2026-11-15",
        ),
    }),
    skills: Some(TypeSupport {
        location: own_directory("skills"),
        format: SkillFormat::also_reading(ScopedValue::both(&[COMMON_SKILLS])),
        source: source("Gemini CLI, Agent Skills", "2026-11-15"),
    }),
    hooks: Some(TypeSupport {
        location: ScopedValue::both(Some(HookLocation::Entries(".gemini/settings.json"))),
        format: HOOKS,
        source: source(
            "Gemini CLI, Hooks reference: configuration schema",
            "2026-11-15",
        ),
    }),
    servers: Some(TypeSupport {
        location: ScopedValue::both(Some(".gemini/settings.json")),
        format: SERVERS,
        source: source(
            "Gemini CLI, MCP servers: configuration properties",
            "2026-11-15",
        ),
    }),
    instructions: Some(TypeSupport {
        location: blocks(&["GEMINI.md"], Some(&[".gemini/GEMINI.md"])),
        format: InstructionFormat::BLOCKS,
        source: source("Gemini CLI, Context files", "2026-11-16"),
    }),
    layer_files: SourcedList::new(
        &["GEMINI.md", ".gemini/**"],
        source("Gemini CLI, Context files (GEMINI.md)", "2026-11-15"),
    ),
    credentials: SourcedList::new(
        &[&[".gemini", "oauth_creds.json"]],
        source("Gemini CLI, login with Google", "2026-11-16"),
    ),
    plugin_variables: SourcedList::new(
        &["extensionPath"],
        source("Gemini CLI, Extensions: variables", "2026-11-16"),
    ),
    executable: Some(Executable {
        name: "gemini",
        version: "0.61.0",
        source: source("npm, @google/gemini-cli 0.61.0", "2026-11-16"),
    }),
    project_root: Some(ProjectRoot {
        hooks: Some("GEMINI_PROJECT_DIR"),
        servers: None,
        source: source("Gemini CLI, Hooks: environment variables", "2026-11-16"),
    }),
    config: CONFIG,
    users_files: UsersFiles {
        instructions: &["GEMINI.md"],
        ..UsersFiles::NONE
    },
    names_elsewhere: &["gemini", "gemini-cli", "geminicli"],
    ..ToolDefinition::new("gemini", TITLE)
};

const AGENTS: AgentFormat = AgentFormat {
    subdirectories: Subdirectories::Ignored,
    marks: AgentMarks {
        extensions: &[],
        fields: &["max_turns", "timeout_mins", "display_name"],
    },
    ..AgentFormat::new(AgentForm::Fields(AgentFields {
        names: AgentNames::Slug,
        passes: &[
            "kind",
            "display_name",
            "temperature",
            "max_turns",
            "timeout_mins",
            "policy",
            "mcp_servers",
        ],
        renames: &[("maxTurns", "max_turns")],
        unknown: UnknownKeys::Refused,
        ..AgentFields::new(
            ModelNames {
                vendor: Some(Vendor::Google),
                inherited: InheritedModel::Named,
                form: ModelForm::Identifier,
            },
            AgentLimit::List(ToolList::new(&TOOL_NAMES)),
        )
    }))
};

const COMMANDS: TomlCommand = TomlCommand {
    prompt: "prompt",
    placeholders: Placeholders {
        arguments: "{{args}}",
        output: Some(("!{", "}")),
        file: Some(("@{", "}")),
    },
};

const HOOKS: HookFormat = HookFormat {
    events: &[
        HookEvent::same(
            "SessionStart",
            MatcherRule::OneOf(&["startup", "resume", "clear"]),
        ),
        HookEvent::same(
            "SessionEnd",
            MatcherRule::OneOf(&["clear", "logout", "prompt_input_exit", "other"]),
        ),
        HookEvent::new("UserPromptSubmit", "BeforeAgent", MatcherRule::Ignored),
        HookEvent::new("PreToolUse", "BeforeTool", MatcherRule::Tools),
        HookEvent::new("PostToolUse", "AfterTool", MatcherRule::Tools),
        HookEvent::new(
            "PreCompact",
            "PreCompress",
            MatcherRule::OneOf(&["manual", "auto"]),
        ),
        HookEvent::new("Stop", "AfterAgent", MatcherRule::Ignored),
        HookEvent::same("Notification", MatcherRule::Missing),
    ],
    own_events: &["BeforeModel", "AfterModel", "BeforeToolSelection"],
    keys: &[
        HookKey::same("type"),
        HookKey::same("command"),
        HookKey::new("timeout", "timeout", KeyChange::Milliseconds),
        HookKey::same("name"),
        HookKey::same("description"),
    ],
    group_keys: &["sequential"],
    matchers: MatcherSyntax::Anchored,
    ..HookFormat::new(TITLE, HookShape::Groups, &TOOL_NAMES)
};

static TOOL_NAMES: ToolNames = ToolNames {
    names: &[
        ("Read", &["read_file"]),
        ("LS", &["list_directory"]),
        ("Grep", &["grep_search"]),
        ("Glob", &["glob"]),
        ("Write", &["write_file"]),
        ("Edit", &["replace"]),
        ("Bash", &["run_shell_command"]),
        ("WebFetch", &["web_fetch"]),
        ("WebSearch", &["google_web_search"]),
        ("TodoWrite", &["write_todos"]),
        ("AskUserQuestion", &["ask_user"]),
        ("Skill", &["activate_skill"]),
    ],
    servers: Some(ServerTools {
        prefix: "mcp_",
        separator: "_",
        all: &["_*"],
        every: Some("mcp_*"),
        reserved: &[],
        characters: Some("_-.:"),
        split: ServerSplit::First,
        look_alikes: LookAlikes::None,
        source: source(
            "Gemini CLI, Subagents: configuration schema; `isValidToolName` and `parseMcpToolName`",
            "2026-11-18",
        ),
    }),
    ..ToolNames::new(source("Gemini CLI, Tools reference", "2026-11-15"))
};

/// `url` is for events there, `httpUrl` for the rest.
const SERVERS: ServerFormat = ServerFormat {
    urls: ServerUrls {
        http: "httpUrl",
        sse: Some("url"),
    },
    passes: &[
        "timeout",
        "trust",
        "description",
        "includeTools",
        "excludeTools",
        "oauth",
        "authProviderType",
    ],
    renames: &[
        ("enabled_tools", "includeTools"),
        ("disabled_tools", "excludeTools"),
        ("tools", "includeTools"),
    ],
    limits: &["includeTools", "excludeTools"],
    ..ServerFormat::new(
        "mcpServers",
        Variables::Replaced(VariableSyntax::ShellNewDefaults),
    )
};

const CONFIG: &[ConfigFile] = &[
    ConfigFile::new(
        &[".gemini/settings.json"],
        &[
            key("hooks", KeyEffect::Hooks),
            key("mcpServers", KeyEffect::Servers),
            key("mcp/serverCommand", KeyEffect::Runs),
            key("tools/discoveryCommand", KeyEffect::Runs),
            key("tools/callCommand", KeyEffect::Runs),
            key("toolDiscoveryCommand", KeyEffect::Runs),
            key("toolCallCommand", KeyEffect::Runs),
            key("tools/allowed", KeyEffect::Allows),
            key("tools/exclude", KeyEffect::Denies),
            key("allowedTools", KeyEffect::Allows),
            key("excludeTools", KeyEffect::Denies),
            key("tools/autoAccept", KeyEffect::Unprotects(true)),
            key("autoAccept", KeyEffect::Unprotects(true)),
            key("tools/sandbox", KeyEffect::Unprotects(false)),
            key("sandbox", KeyEffect::Unprotects(false)),
            key(
                "general/defaultApprovalMode",
                KeyEffect::Mode(&["default", "plan"]),
            ),
            key("defaultApprovalMode", KeyEffect::Mode(&["default", "plan"])),
            key("approvalMode", KeyEffect::Mode(&["default", "plan"])),
            key("tools/approvalMode", KeyEffect::Mode(&["default", "plan"])),
            key("security/folderTrust/enabled", KeyEffect::Unprotects(false)),
            key("context/fileName", KeyEffect::Instructs),
            key("contextFileName", KeyEffect::Instructs),
            key("telemetry/otlpEndpoint", KeyEffect::Connects),
            harmless("$schema"),
            harmless("context/discoveryMaxDirs"),
            harmless("context/fileFiltering"),
            harmless("context/importFormat"),
            harmless("general/checkpointing"),
            harmless("general/debugKeystrokeLogging"),
            harmless("general/disableAutoUpdate"),
            harmless("general/disableUpdateNag"),
            harmless("general/enablePromptCompletion"),
            harmless("general/sessionRetention"),
            harmless("general/vimMode"),
            harmless("hideBanner"),
            harmless("hideTips"),
            key("mcp/excluded", KeyEffect::Protects),
            harmless("model"),
            harmless("output"),
            harmless("privacy"),
            harmless("theme"),
            harmless("ui"),
            harmless("vimMode"),
        ],
        source("Gemini CLI, Configuration: settings", "2026-11-19"),
    ),
    ConfigFile::unknown(
        &[
            ".gemini/policies/**",
            ".gemini/.env",
            ".gemini/sandbox*",
            ".gemini/system.md",
        ],
        source(
            "Gemini CLI, Policy engine; Configuration: environment files; Sandboxing; System prompt",
            "2026-11-19",
        ),
    ),
];
