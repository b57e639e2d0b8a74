//! GitHub Copilot in VS Code. Copilot CLI reads the same agents, skills and hooks.

use crate::prelude::*;

const TITLE: &str = "Copilot";

/// In home, prompt files are in a profile of VS Code, and MCP servers of the CLI in a format that is not written yet.
pub(crate) static TOOL: ToolDefinition = ToolDefinition {
    directory: ScopedValue {
        project: ".github",
        user: ".copilot",
    },
    agents: Some(TypeSupport {
        location: own_directory("agents"),
        format: AGENTS,
        source: source("GitHub Copilot, Custom agents configuration", "2026-11-16"),
    }),
    commands: Some(TypeSupport {
        location: ScopedValue {
            project: Some(Directory::Own("prompts")),
            user: None,
        },
        format: CommandFormat::Markdown(PROMPTS),
        source: source(
            "VS Code, Use prompt files: prompt file format",
            "2026-11-15",
        ),
    }),
    skills: Some(TypeSupport {
        location: own_directory("skills"),
        format: SkillFormat::also_reading(ScopedValue::both(&[".claude/skills", COMMON_SKILLS])),
        source: source("GitHub Copilot, Customization cheat sheet", "2026-11-15"),
    }),
    hooks: Some(TypeSupport {
        location: ScopedValue::both(Some(HookLocation::Files(Directory::Own("hooks")))),
        format: HOOKS,
        source: source(
            "GitHub Copilot, Hooks reference; VS Code, Agent hooks",
            "2026-11-15",
        ),
    }),
    servers: Some(TypeSupport {
        location: ScopedValue {
            project: Some(".vscode/mcp.json"),
            user: None,
        },
        format: SERVERS,
        source: source("VS Code, MCP configuration reference", "2026-11-15"),
    }),
    instructions: Some(TypeSupport {
        location: project_rules(Directory::Own("instructions")),
        format: InstructionFormat::rules(RULES),
        source: source(
            "GitHub Copilot, Customization cheat sheet: custom instructions",
            "2026-11-16",
        ),
    }),
    layer_files: SourcedList::new(
        &[
            ".github/chatmodes/**",
            ".github/copilot-instructions.md",
            ".github/instructions/**",
        ],
        source("GitHub Copilot, Customization cheat sheet", "2026-11-15"),
    ),
    project_root: Some(ProjectRoot {
        hooks: None,
        servers: Some("${workspaceFolder}"),
        source: source("VS Code, Variables reference", "2026-11-16"),
    }),
    plugin_manifest: Some(PluginManifestPath {
        path: ".github/plugin/plugin.json",
        source: source(
            "GitHub Copilot CLI plugin reference: file locations",
            "2026-11-18",
        ),
    }),
    plugin_variables: SourcedList::new(
        &["COPILOT_PLUGIN_ROOT"],
        source(
            "Copilot CLI 1.0.91, environment of the hooks of a plugin",
            "2026-11-16",
        ),
    ),
    unread_file: Some(UnreadFile {
        file: ".vscode/mcp.json",
        reader: "VS Code",
        other: "the Copilot CLI",
        other_short: "the CLI",
        instead: Replacement {
            tool: "claude-code",
            file: ".mcp.json",
        },
        source: source(
            "github/copilot-cli#3019; GitHub Copilot, Adding MCP servers for GitHub Copilot CLI",
            "2026-11-16",
        ),
    }),
    foreign_hooks: Some(ForeignHooks {
        tool: "claude-code",
        reading: ForeignReading::Setting("chat.hookFilesLocations"),
        source: source("VS Code, Agent hooks: hook file locations", "2026-11-18"),
    }),
    config: CONFIG,
    further_directories: SourcedList::new(
        &[("agents", ".github/chatmodes")],
        source("VS Code, Custom chat modes", "2026-11-19"),
    ),
    users_files: UsersFiles {
        instructions: &[".github/copilot-instructions.md"],
        ..UsersFiles::NONE
    },
    names_elsewhere: &["copilot", "github-copilot", "vscode"],
    ..ToolDefinition::new("copilot", TITLE)
};

const MODELS: ModelNames = ModelNames {
    vendor: None,
    inherited: InheritedModel::Implied,
    form: ModelForm::DisplayName,
};

pub(crate) const AGENTS: AgentFormat = AgentFormat {
    extension: Some("agent.md"),
    marks: AgentMarks {
        extensions: &[".agent.md", ".chatmode.md"],
        fields: &["mcp-servers", "handoffs", "infer"],
    },
    copied: CopiedAgents::Marked,
    ..AgentFormat::new(AgentForm::Fields(AgentFields {
        passes: &[
            "target",
            "disable-model-invocation",
            "user-invocable",
            "infer",
            "mcp-servers",
            "metadata",
            "argument-hint",
            "handoffs",
        ],
        ..AgentFields::new(MODELS, AgentLimit::List(ToolList::new(&AGENT_TOOL_NAMES)))
    }))
};

/// Aliases, and the names of tools and tool sets that agents have besides.
static AGENT_TOOL_NAMES: ToolNames = ToolNames {
    names: &[
        ("Read", &["read"]),
        ("NotebookRead", &["read"]),
        ("Grep", &["search"]),
        ("Glob", &["search"]),
        ("Write", &["edit"]),
        ("Edit", &["edit"]),
        ("NotebookEdit", &["edit"]),
        ("Bash", &["execute"]),
        ("WebFetch", &["web"]),
        ("WebSearch", &["web"]),
        ("Task", &["agent"]),
        ("TodoWrite", &["todo"]),
    ],
    aliases: &[
        ("codebase", &["Grep", "Glob"]),
        ("usages", &["Grep"]),
        ("findTestFiles", &["Glob"]),
        ("searchResults", &["Grep"]),
        ("readFile", &["Read"]),
        ("changes", &["Read"]),
        ("editFiles", &["Edit", "Write"]),
        ("createFile", &["Write"]),
        ("new", &["Write"]),
        ("runCommands", &["Bash"]),
        ("runTasks", &["Bash"]),
        ("runTests", &["Bash"]),
        ("runInTerminal", &["Bash"]),
        ("terminal", &["Bash"]),
        ("shell", &["Bash"]),
        ("fetch", &["WebFetch"]),
        ("githubRepo", &["WebFetch"]),
        ("todos", &["TodoWrite"]),
        ("runSubagent", &["Task"]),
    ],
    servers: Some(ServerTools {
        prefix: "",
        separator: "/",
        all: &["/*"],
        every: None,
        reserved: &[
            "vscode",
            "browser",
            "runCommands",
            "runTasks",
            "runNotebooks",
        ],
        characters: None,
        split: ServerSplit::Last,
        look_alikes: LookAlikes::Extensions,
        source: source(
            "GitHub Copilot, Custom agents configuration: tool names of MCP servers; VS Code, Custom agents; github/awesome-copilot",
            "2026-11-18",
        ),
    }),
    ..ToolNames::new(source(
        "GitHub Copilot, Custom agents configuration: tool aliases; VS Code, Chat tools; github/awesome-copilot",
        "2026-11-16",
    ))
};

const PROMPTS: MarkdownCommand = MarkdownCommand {
    extension: Some("prompt.md"),
    fields: &[
        "name",
        "description",
        "argument-hint",
        "agent",
        "mode",
        "tools",
        "model",
    ],
    models: MODELS,
    placeholders: Placeholders {
        arguments: "${input:arguments}",
        output: None,
        file: None,
    },
};

/// Names with a capital are those whose input is that of Claude Code's hooks.
pub(crate) const HOOKS: HookFormat = HookFormat {
    version: Some(1),
    events: &[
        HookEvent::same("SessionStart", MatcherRule::Missing),
        HookEvent::same("SessionEnd", MatcherRule::Missing),
        HookEvent::same("UserPromptSubmit", MatcherRule::Ignored),
        HookEvent::same("PreToolUse", MatcherRule::Same),
        HookEvent::same("PostToolUse", MatcherRule::Tools),
        HookEvent::same("PostToolUseFailure", MatcherRule::Missing),
        HookEvent::same("PermissionRequest", MatcherRule::Same),
        HookEvent::same("PreCompact", MatcherRule::OneOf(&["manual", "auto"])),
        HookEvent::new("SubagentStart", "subagentStart", MatcherRule::Same),
        HookEvent::same("SubagentStop", MatcherRule::Missing),
        HookEvent::same("Stop", MatcherRule::Ignored),
        HookEvent::new(
            "Notification",
            "notification",
            MatcherRule::OneOf(&["permission_prompt", "elicitation_dialog"]),
        ),
    ],
    own_events: &["userPromptTransformed", "errorOccurred", "ErrorOccurred"],
    spellings: &[
        ("sessionStart", "SessionStart"),
        ("sessionEnd", "SessionEnd"),
        ("userPromptSubmitted", "UserPromptSubmit"),
        ("preToolUse", "PreToolUse"),
        ("postToolUse", "PostToolUse"),
        ("postToolUseFailure", "PostToolUseFailure"),
        ("permissionRequest", "PermissionRequest"),
        ("preCompact", "PreCompact"),
        ("subagentStop", "SubagentStop"),
        ("agentStop", "Stop"),
    ],
    keys: &[
        HookKey::same("type"),
        HookKey::new("command", "bash", KeyChange::Keep),
        HookKey::same("powershell"),
        HookKey::same("cwd"),
        HookKey::same("env"),
        HookKey::new("timeout", "timeoutSec", KeyChange::Keep),
    ],
    own_keys: &["bash", "powershell", "timeoutSec"],
    // VS Code "Agent hooks", frequently asked questions.
    caveat: "VS Code does not look at it, and runs the hook each time",
    reference_variables: ReferenceVariables::Unset,
    ..HookFormat::new(TITLE, HookShape::Flat, &HOOK_TOOL_NAMES)
};

static HOOK_TOOL_NAMES: ToolNames = ToolNames {
    names: &[
        ("Read", &["view"]),
        ("Grep", &["grep", "rg"]),
        ("Glob", &["glob"]),
        ("Write", &["create"]),
        ("Edit", &["edit", "str_replace_editor", "apply_patch"]),
        ("Bash", &["bash", "powershell"]),
        ("WebFetch", &["web_fetch"]),
        ("WebSearch", &["web_search"]),
        ("Task", &["task"]),
        ("TodoWrite", &["update_todo"]),
        ("AskUserQuestion", &["ask_user"]),
    ],
    ..ToolNames::new(source(
        "GitHub Copilot, Hooks reference: Claude tool names",
        "2026-11-15",
    ))
};

const SERVERS: ServerFormat = ServerFormat {
    types: ServerTypes {
        local: Some("stdio"),
        http: Some("http"),
        sse: Some("sse"),
    },
    passes: &["envFile", "dev"],
    limits: &["tools", "sandbox"],
    ..ServerFormat::new("servers", Variables::Replaced(VariableSyntax::Editor))
};

pub(crate) const RULES: RuleFormat = RuleFormat {
    extension: "instructions.md",
    patterns: "applyTo",
    list: PatternList::Commas,
    for_some: &[],
    for_all: &[RuleField::text("applyTo", "**")],
    description: RuleDescription::Read,
};

const CONFIG: &[ConfigFile] = &[
    ConfigFile::new(
        &[".github/hooks/**"],
        HOOK_FILE,
        source("GitHub Copilot, Hooks reference", "2026-11-19"),
    ),
    ConfigFile::new(
        &[".vscode/mcp.json"],
        &[
            key("servers", KeyEffect::Servers),
            key("mcpServers", KeyEffect::Servers),
            harmless("inputs"),
        ],
        source("VS Code, MCP configuration reference", "2026-11-19"),
    ),
    ConfigFile::new(
        &[".vscode/settings.json"],
        &[
            key("mcp", KeyEffect::Servers),
            key("chat.tools.autoApprove", KeyEffect::Unprotects(true)),
            key("chat.tools.global.autoApprove", KeyEffect::Unprotects(true)),
            key("chat.tools.terminal.autoApprove", KeyEffect::Allows),
            key("chat.tools.edits.autoApprove", KeyEffect::Allows),
            key("chat.tools.urls.autoApprove", KeyEffect::Allows),
            harmless("chat.agent.enabled"),
            harmless("chat.agent.maxRequests"),
            harmless("chat.useAgentsMdFile"),
            harmless("editor.fontSize"),
            harmless("editor.formatOnSave"),
            harmless("editor.rulers"),
            harmless("editor.tabSize"),
            harmless("files.eol"),
            harmless("files.insertFinalNewline"),
            harmless("files.trimTrailingWhitespace"),
            harmless("search.exclude"),
            harmless("workbench.colorTheme"),
        ],
        source("VS Code, Use tools in chat: auto-approve", "2026-11-19"),
    ),
    ConfigFile::new(
        &[".vscode/tasks.json", ".vscode/launch.json"],
        &[key("tasks/*", KeyEffect::Runs), harmless("version")],
        source(
            "VS Code, Integrate with external tools via tasks",
            "2026-11-19",
        ),
    ),
];
