//! Kiro, the editor since 1.0 and the CLI since 3.0.
//!
//! Names that matchers of its hooks compare with are not documented, and a hook that never runs is worse than none, so
//! hooks are not written.

use crate::prelude::*;

pub(crate) static TOOL: ToolDefinition = ToolDefinition {
    directory: ScopedValue::both(".kiro"),
    agents: Some(TypeSupport {
        location: own_directory("agents"),
        format: AGENTS,
        source: source(
            "Kiro, Custom agents: the Markdown format, tags; Kiro CLI 3.0, Agent config",
            "2026-11-18",
        ),
    }),
    skills: Some(TypeSupport {
        location: own_directory("skills"),
        format: SkillFormat::PLAIN,
        source: source("Kiro, Agent Skills; Kiro CLI, Agent Skills", "2026-11-16"),
    }),
    servers: Some(TypeSupport {
        location: ScopedValue::both(Some(".kiro/settings/mcp.json")),
        format: SERVERS,
        source: source("Kiro, MCP: configuration", "2026-11-18"),
    }),
    instructions: Some(TypeSupport {
        location: ScopedValue {
            project: Some(InstructionLocation {
                rules: Some(Directory::Own("steering")),
                blocks: &[COMMON_INSTRUCTIONS],
            }),
            // In home it does not load files for some paths only.
            user: None,
        },
        format: InstructionFormat::rules(RULES),
        source: source(
            "Kiro, Steering: inclusion modes; kirodotdev/Kiro#9176",
            "2026-11-18",
        ),
    }),
    layer_files: SourcedList::new(
        &[".kiro/**"],
        source("Kiro, Steering; Configuration scopes", "2026-11-16"),
    ),
    config: CONFIG,
    names_elsewhere: &["kiro"],
    ..ToolDefinition::new("kiro", "Kiro")
};

/// An agent without `tools` has none. Tags mean whole categories, so a list may allow more of one category.
const AGENTS: AgentFormat = AgentFormat {
    marks: AgentMarks {
        extensions: &[],
        fields: &[
            "includeMcpJson",
            "includePowers",
            "welcomeMessage",
            "resources",
        ],
    },
    copied: CopiedAgents::Marked,
    ..AgentFormat::new(AgentForm::Fields(AgentFields {
        passes: &["permissions"],
        ..AgentFields::new(
            ModelNames {
                vendor: None,
                inherited: InheritedModel::Implied,
                form: ModelForm::Identifier,
            },
            AgentLimit::List(ToolList {
                missing: MissingToolList::NoTools("*"),
                ..ToolList::new(&TAGS)
            }),
        )
    }))
};

static TAGS: ToolNames = ToolNames {
    names: &[
        ("Read", &["read"]),
        ("NotebookRead", &["read"]),
        ("LS", &["read"]),
        ("Grep", &["read"]),
        ("Glob", &["read"]),
        ("Write", &["write"]),
        ("Edit", &["write"]),
        ("NotebookEdit", &["write"]),
        ("Bash", &["shell"]),
        ("WebFetch", &["web"]),
        ("WebSearch", &["web"]),
        ("Task", &["subagent"]),
    ],
    // The words of Kiro CLI before 3.0.
    aliases: &[
        ("execute_bash", &["Bash"]),
        ("execute_cmd", &["Bash"]),
        ("fs_read", &["Read", "LS", "Grep", "Glob"]),
        ("fs_write", &["Write", "Edit", "NotebookEdit"]),
    ],
    servers: Some(ServerTools {
        prefix: "@",
        separator: "/",
        all: &[""],
        every: Some("@mcp"),
        reserved: &["builtin", "mcp", "powers"],
        characters: None,
        split: ServerSplit::First,
        look_alikes: LookAlikes::None,
        source: source(
            "Kiro, Custom agents: tags; Kiro CLI, Agent configuration reference: tools",
            "2026-11-18",
        ),
    }),
    ..ToolNames::new(source("Kiro, Custom agents: tags", "2026-11-18"))
};

const SERVERS: ServerFormat = ServerFormat {
    directory: None,
    switch: ServerSwitch::Disabled,
    passes: &["autoApprove", "disabledTools", "timeout", "oauth"],
    limits: &["disabledTools"],
    ..ServerFormat::new("mcpServers", Variables::Replaced(VariableSyntax::Shell))
};

const RULES: RuleFormat = RuleFormat {
    extension: "md",
    patterns: "fileMatchPattern",
    list: PatternList::List,
    for_some: &[RuleField::text("inclusion", "fileMatch")],
    for_all: &[RuleField::text("inclusion", "always")],
    description: RuleDescription::Read,
};

const CONFIG: &[ConfigFile] = &[
    ConfigFile::new(
        &[".kiro/settings/mcp.json"],
        SERVER_FILE,
        source("Kiro, MCP: configuration", "2026-11-19"),
    ),
    ConfigFile::new(
        &[".kiro/hooks/**"],
        &[
            key("then/command", KeyEffect::Runs),
            key("then/prompt", KeyEffect::Runs),
            key("hooks", KeyEffect::Hooks),
            harmless("enabled"),
            harmless("name"),
            harmless("description"),
            harmless("version"),
            harmless("when"),
            harmless("then/type"),
            harmless("shortName"),
            harmless("workspaceFolderName"),
        ],
        source("Kiro, Hooks: files with `.kiro.hook`", "2026-11-19"),
    ),
    ConfigFile::new(
        &[".kiro/agents/*.json"],
        &[
            key("mcpServers", KeyEffect::Servers),
            key("hooks", KeyEffect::Hooks),
            key("tools", KeyEffect::Limits),
            key("allowedTools", KeyEffect::Allows),
            key("toolsSettings/*/allowedCommands", KeyEffect::Allows),
            key("toolsSettings/*/deniedCommands", KeyEffect::Denies),
            key("toolsSettings/*/autoAllowReadonly", KeyEffect::Harmless),
            harmless("$schema"),
            harmless("name"),
            harmless("description"),
            harmless("prompt"),
            harmless("model"),
            harmless("resources"),
            harmless("toolAliases"),
            harmless("includeMcpJson"),
            harmless("keyboardShortcut"),
            harmless("welcomeMessage"),
        ],
        source("Kiro CLI, Agent configuration reference", "2026-11-19"),
    ),
];
