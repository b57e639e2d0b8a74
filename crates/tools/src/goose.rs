//! Goose. Hooks and servers of a project belong to a plugin, which is a directory without a manifest.

use crate::prelude::*;

const TITLE: &str = "Goose";

pub(crate) static TOOL: ToolDefinition = ToolDefinition {
    directory: ScopedValue {
        project: ".goose",
        user: ".config/goose",
    },
    agents: Some(TypeSupport {
        location: own_directory("agents"),
        format: AGENTS,
        source: source(
            "aaif-goose/goose, `discover_filesystem_sources` and `AgentMetadata`",
            "2026-11-18",
        ),
    }),
    skills: Some(TypeSupport {
        location: own_directory("skills"),
        format: SkillFormat::also_reading(ScopedValue {
            project: &[".claude/skills", COMMON_SKILLS],
            user: &[COMMON_SKILLS, ".claude/skills", ".config/agents/skills"],
        }),
        source: source(
            "Goose, Agent Skills: skill locations; aaif-goose/goose, `skills/mod.rs`",
            "2026-11-18",
        ),
    }),
    hooks: Some(TypeSupport {
        location: ScopedValue::both(Some(HookLocation::Entries(
            ".agents/plugins/agpm/hooks/hooks.json",
        ))),
        format: HOOKS,
        source: source(
            "Goose, Hooks; aaif-goose/goose, `hooks/mod.rs` and `plugins/discovery.rs`",
            "2026-11-18",
        ),
    }),
    servers: Some(TypeSupport {
        location: ScopedValue::both(Some(".agents/plugins/agpm/.mcp.json")),
        format: SERVERS,
        source: source(
            "block/goose#9471, MCP servers of plugins since 1.39; dyoshikawa/rulesync#2404",
            "2026-11-18",
        ),
    }),
    instructions: Some(TypeSupport {
        location: blocks(&[COMMON_INSTRUCTIONS], Some(&[".config/goose/.goosehints"])),
        format: InstructionFormat::BLOCKS,
        source: source(
            "Goose, Using goosehints: `CONTEXT_FILE_NAMES`",
            "2026-11-18",
        ),
    }),
    layer_files: SourcedList::new(
        &[".goose/**", ".goosehints", ".gooseignore"],
        source("Goose, Using goosehints; Recipes", "2026-11-18"),
    ),
    config: CONFIG,
    users_files: UsersFiles {
        instructions: &[".goosehints"],
        ..UsersFiles::NONE
    },
    names_elsewhere: &["goose"],
    ..ToolDefinition::new("goose", TITLE)
};

/// It reads a name, a description and a model, and does not load an agent without a name.
const AGENTS: AgentFormat = AgentFormat {
    subdirectories: Subdirectories::Ignored,
    nameless: NamelessAgents::Ignored,
    same_name: "loads the first and ignores the rest",
    ..AgentFormat::new(AgentForm::Fields(AgentFields::new(
        ModelNames {
            vendor: None,
            inherited: InheritedModel::Implied,
            form: ModelForm::Identifier,
        },
        AgentLimit::Never,
    )))
};

/// A matcher of prompts is compared with the prompt itself, which the reference tool ignores.
const HOOKS: HookFormat = HookFormat {
    events: &[
        HookEvent::same("SessionStart", MatcherRule::Missing),
        HookEvent::same("SessionEnd", MatcherRule::Missing),
        HookEvent::same("UserPromptSubmit", MatcherRule::Ignored),
        HookEvent::same("PreToolUse", MatcherRule::Tools),
        HookEvent::same("PostToolUse", MatcherRule::Tools),
        HookEvent::same("PostToolUseFailure", MatcherRule::Tools),
        HookEvent::same("Stop", MatcherRule::Ignored),
    ],
    own_events: &[
        "BeforeReadFile",
        "AfterFileEdit",
        "BeforeShellExecution",
        "AfterShellExecution",
    ],
    keys: HookKey::COMMAND,
    matchers: MatcherSyntax::Anchored,
    reference_variables: ReferenceVariables::Unset,
    ..HookFormat::new(TITLE, HookShape::Groups, &TOOL_NAMES)
};

/// Tools of its developer extension, with and without the extension's name.
static TOOL_NAMES: ToolNames = ToolNames {
    names: &[
        ("LS", &["tree", "developer__tree"]),
        (
            "Write",
            &["write", "developer__write", "developer__text_editor"],
        ),
        (
            "Edit",
            &["edit", "developer__edit", "developer__text_editor"],
        ),
        ("Bash", &["shell", "developer__shell"]),
    ],
    ..ToolNames::new(source(
        "Goose, Hooks; aaif-goose/goose, `platform_extensions/developer`",
        "2026-11-18",
    ))
};

/// Variables are not mentioned, so they are taken not to be replaced.
const SERVERS: ServerFormat = ServerFormat {
    remote: RemoteServers::Unsupported,
    ..ServerFormat::new("mcpServers", Variables::kept_by(TITLE))
};

const CONFIG: &[ConfigFile] = &[
    ConfigFile::new(
        &[".agents/plugins/*/hooks/hooks.json"],
        HOOK_FILE,
        source("Goose, Hooks", "2026-11-19"),
    ),
    ConfigFile::new(
        &[".agents/plugins/*/.mcp.json"],
        SERVER_FILE,
        source("block/goose#9471, MCP servers of plugins", "2026-11-19"),
    ),
    ConfigFile::new(
        &[
            ".goose/recipes/**",
            ".goose/config.yaml",
            ".config/goose/config.yaml",
        ],
        &[
            key("extensions", KeyEffect::Servers),
            key("retry/checks/*/command", KeyEffect::Runs),
            key("retry/on_failure", KeyEffect::Runs),
            key(
                "GOOSE_MODE",
                KeyEffect::Mode(&["approve", "smart_approve", "chat"]),
            ),
            harmless("version"),
            harmless("title"),
            harmless("description"),
            harmless("instructions"),
            harmless("prompt"),
            harmless("activities"),
            harmless("author"),
            harmless("parameters"),
            harmless("response"),
            harmless("settings"),
            harmless("retry/max_retries"),
            harmless("retry/timeout_seconds"),
            harmless("retry/checks/*/type"),
            harmless("GOOSE_MODEL"),
            harmless("GOOSE_PROVIDER"),
        ],
        source("Goose, Recipe reference; Configuration file", "2026-11-19"),
    ),
];
