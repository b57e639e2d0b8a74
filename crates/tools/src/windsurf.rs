//! Windsurf, which is called Devin Desktop since June 2026: its agent, Devin Local, reads the files of Devin CLI.
//!
//! It also reads hooks in `.claude`: one that is installed for both runs twice. Servers have their own file since
//! 3000.3, which moves those out of `config.json`.

use crate::prelude::*;

const TITLE: &str = "Devin Desktop";

pub(crate) static TOOL: ToolDefinition = ToolDefinition {
    directory: ScopedValue {
        project: ".devin",
        user: ".config/devin",
    },
    agents: Some(TypeSupport {
        location: own_directory("agents"),
        format: AGENTS,
        source: source(
            "Devin CLI, Subagents: custom subagents; Devin CLI 3000.3.22, changelog (files without a directory)",
            "2026-11-18",
        ),
    }),
    skills: Some(TypeSupport {
        location: own_directory("skills"),
        format: SkillFormat::also_reading(ScopedValue {
            project: &[
                COMMON_SKILLS,
                ".claude/skills",
                ".github/skills",
                ".cursor/skills",
                ".windsurf/skills",
            ],
            user: &[
                COMMON_SKILLS,
                ".claude/skills",
                ".copilot/skills",
                ".cursor/skills",
            ],
        }),
        source: source(
            "Devin CLI, Skills Overview: where skills live; Devin CLI 3000.3.22 and 3000.10.21, changelog",
            "2026-11-18",
        ),
    }),
    hooks: Some(TypeSupport {
        location: ScopedValue {
            project: Some(HookLocation::Entries(".devin/config.json")),
            user: Some(HookLocation::Entries(".config/devin/config.json")),
        },
        format: HOOKS,
        source: source(
            "Devin CLI, Hooks; Lifecycle Hooks; Configuration: project and user settings",
            "2026-11-16",
        ),
    }),
    servers: Some(TypeSupport {
        location: ScopedValue {
            project: Some(".devin/mcp_config.json"),
            user: Some(".config/devin/mcp_config.json"),
        },
        format: SERVERS,
        source: source(
            "Devin CLI, MCP Configuration; Devin CLI 3000.3.22, changelog; upstash/context7#3090",
            "2026-11-18",
        ),
    }),
    instructions: Some(TypeSupport {
        location: ScopedValue {
            project: Some(InstructionLocation {
                rules: Some(Directory::Own("rules")),
                blocks: &[COMMON_INSTRUCTIONS],
            }),
            user: Some(InstructionLocation {
                rules: None,
                blocks: &[".config/devin/AGENTS.md"],
            }),
        },
        format: InstructionFormat::rules(RULES),
        source: source(
            "Devin Desktop, Memories and rules; Devin CLI, Rules; stbenjam/skillsaw, devin-rules-valid",
            "2026-11-18",
        ),
    }),
    layer_files: SourcedList::new(
        &[".devin/**", ".windsurf/**", ".windsurfrules"],
        source(
            "Devin CLI, Extensibility: import from other tools",
            "2026-11-16",
        ),
    ),
    credentials: SourcedList::new(
        &[&[".local", "share", "devin", "credentials.toml"]],
        source(
            "Devin CLI, login; programs that read the file",
            "2026-11-16",
        ),
    ),
    foreign_hooks: Some(ForeignHooks {
        tool: "claude-code",
        reading: ForeignReading::Always,
        source: source("Devin CLI, Lifecycle Hooks", "2026-11-16"),
    }),
    config: CONFIG,
    further_directories: SourcedList::new(
        &[
            ("instructions", ".windsurf/rules"),
            ("commands", ".windsurf/workflows"),
            ("skills", ".windsurf/skills"),
        ],
        source("Windsurf, Rules; Workflows; Skills", "2026-11-19"),
    ),
    users_files: UsersFiles {
        directories: &[
            ("skills", ".windsurf/skills"),
            ("instructions", ".windsurf/rules"),
        ],
        instructions: &[".windsurfrules"],
        ..UsersFiles::NONE
    },
    names_elsewhere: &["windsurf", "devin"],
    ..ToolDefinition::new("windsurf", TITLE)
};

const AGENTS: AgentFormat = AgentFormat {
    marks: AgentMarks {
        extensions: &[],
        fields: &["allowed-tools", "max-nesting"],
    },
    copied: CopiedAgents::Marked,
    ..AgentFormat::new(AgentForm::Fields(AgentFields::new(
        ModelNames {
            vendor: None,
            inherited: InheritedModel::Implied,
            form: ModelForm::Identifier,
        },
        AgentLimit::List(ToolList {
            key: "allowed-tools",
            ..ToolList::new(&TOOL_NAMES)
        }),
    )))
};

const HOOKS: HookFormat = HookFormat {
    events: &[
        HookEvent::same("SessionStart", MatcherRule::Missing),
        HookEvent::same("SessionEnd", MatcherRule::Missing),
        HookEvent::same("UserPromptSubmit", MatcherRule::Ignored),
        HookEvent::same("PreToolUse", MatcherRule::Tools),
        HookEvent::same("PostToolUse", MatcherRule::Tools),
        HookEvent::same("PermissionRequest", MatcherRule::Tools),
        HookEvent::new("PostCompact", "PostCompaction", MatcherRule::Missing),
        HookEvent::same("Stop", MatcherRule::Ignored),
    ],
    keys: &[
        HookKey::same("type"),
        HookKey::same("command"),
        HookKey::same("prompt"),
        HookKey::same("timeout"),
    ],
    types: &["command", "prompt"],
    matchers: MatcherSyntax::Anchored,
    reference_variables: ReferenceVariables::Unset,
    ..HookFormat::new(TITLE, HookShape::Groups, &TOOL_NAMES)
};

static TOOL_NAMES: ToolNames = ToolNames {
    names: &[
        ("Read", &["read"]),
        ("NotebookRead", &["notebook_read"]),
        ("Grep", &["grep"]),
        ("Glob", &["glob", "find_file_by_name"]),
        ("Write", &["write"]),
        ("Edit", &["edit"]),
        ("NotebookEdit", &["notebook_edit"]),
        ("Bash", &["exec"]),
        ("WebSearch", &["web_search"]),
        ("TodoWrite", &["todo_write"]),
        ("AskUserQuestion", &["ask_user_question"]),
    ],
    servers: Some(ServerTools::REFERENCE),
    ..ToolNames::new(source(
        "Devin CLI, Lifecycle Hooks; tool ids that Devin CLI sends over the Agent Client Protocol",
        "2026-11-16",
    ))
};

/// Variables are not mentioned, so they are taken not to be replaced.
const SERVERS: ServerFormat = ServerFormat {
    directory: None,
    switch: ServerSwitch::Disabled,
    passes: &["transport", "disabledTools"],
    limits: &["disabledTools"],
    ..ServerFormat::new("mcpServers", Variables::kept_by(TITLE))
};

/// A list is the one form that both the editor and the CLI read.
const RULES: RuleFormat = RuleFormat::triggered(PatternList::List);

const CONFIG: &[ConfigFile] = &[
    ConfigFile::new(
        &[
            ".devin/config.json",
            ".devin/config.local.json",
            ".config/devin/config.json",
        ],
        &[
            key("hooks", KeyEffect::Hooks),
            key("mcpServers", KeyEffect::Servers),
            key("permissions/allow", KeyEffect::Allows),
            key("permissions/deny", KeyEffect::Denies),
            harmless("$schema"),
            key("permissions/ask", KeyEffect::Asks),
            harmless("agent/model"),
            harmless("model"),
            harmless("theme"),
        ],
        source(
            "Devin CLI, Configuration: project and user settings",
            "2026-11-19",
        ),
    ),
    ConfigFile::new(
        &[
            ".devin/hooks.v1.json",
            ".devin/hooks.json",
            ".windsurf/hooks.json",
        ],
        HOOK_FILE,
        source("Devin CLI, Lifecycle Hooks", "2026-11-19"),
    ),
    ConfigFile::new(
        &[
            ".devin/mcp_config.json",
            ".windsurf/mcp_config.json",
            ".config/devin/mcp_config.json",
        ],
        SERVER_FILE,
        source("Devin CLI, MCP Configuration", "2026-11-19"),
    ),
];
