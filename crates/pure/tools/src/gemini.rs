//! Gemini CLI.

use crate::definition::{
    Directory, HookPlace, Scoped, SharedFacts, SkillFormat, Support, ToolDefinition, source,
};
use crate::format::agent::{
    AgentContainer, AgentFields, AgentForm, AgentFormat, AgentLimit, AgentMarks, AgentNames,
    Subdirectories, UnknownKeys,
};
use crate::format::command::{CommandFormat, Placeholders, TomlCommand};
use crate::format::hook::{
    HookEvent, HookFormat, HookKey, HookShape, KeyChange, MatcherRule, MatcherSyntax,
    ReferenceVariables,
};
use crate::format::server::{
    CommandLine, CopiedServers, FileSyntax, ServerFormat, ServerSwitch, ServerTypes, ServerUrls,
    VariableSyntax, Variables,
};
use crate::models::{InheritedModel, ModelForm, ModelNames, Vendor};
use crate::tool_names::{ServerTools, ToolNames};

const TITLE: &str = "Gemini CLI";

pub(crate) static TOOL: ToolDefinition = ToolDefinition {
    directory: Scoped::both(".gemini"),
    agents: Some(Support {
        place: Scoped::both(Some(Directory::Own("agents"))),
        format: AGENTS,
        source: source(
            "Gemini CLI, Subagents: configuration schema; `loadAgentsFromDirectory` of Gemini CLI 0.61.0",
            "2026-11-16",
        ),
    }),
    commands: Some(Support {
        place: Scoped::both(Some(Directory::Own("commands"))),
        format: CommandFormat::Toml(COMMANDS),
        source: source(
            "Gemini CLI, Custom commands: TOML file format",
            "2026-11-15",
        ),
    }),
    skills: Some(Support {
        place: Scoped::both(Some(Directory::Own("skills"))),
        format: SkillFormat::PLAIN,
        source: source("Gemini CLI, Agent Skills", "2026-11-15"),
    }),
    hooks: Some(Support {
        place: Scoped::both(Some(HookPlace::Entries(".gemini/settings.json"))),
        format: HOOKS,
        source: source(
            "Gemini CLI, Hooks reference: configuration schema",
            "2026-11-15",
        ),
    }),
    servers: Some(Support {
        place: Scoped::both(Some(".gemini/settings.json")),
        format: SERVERS,
        source: source(
            "Gemini CLI, MCP servers: configuration properties",
            "2026-11-15",
        ),
    }),
    layer_files: SharedFacts::new(
        &["GEMINI.md", ".gemini/**"],
        source("Gemini CLI, Context files (GEMINI.md)", "2026-11-15"),
    ),
    credentials: SharedFacts::new(
        &[&[".gemini", "oauth_creds.json"]],
        source("Gemini CLI, login with Google", "2026-11-16"),
    ),
    plugin_variables: SharedFacts::new(
        &["extensionPath"],
        source("Gemini CLI, Extensions: variables", "2026-11-16"),
    ),
    ..ToolDefinition::new("gemini", TITLE)
};

const AGENTS: AgentFormat = AgentFormat {
    subdirectories: Subdirectories::Ignored,
    marks: AgentMarks {
        extensions: &[],
        fields: &["max_turns", "timeout_mins", "display_name"],
    },
    ..AgentFormat::new(AgentForm::Fields(AgentFields {
        container: AgentContainer::Markdown,
        names: AgentNames::Slug,
        models: ModelNames {
            vendor: Some(Vendor::Google),
            inherited: InheritedModel::Named,
            form: ModelForm::Identifier,
        },
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
        limit: AgentLimit::List(&TOOL_NAMES),
        unknown: UnknownKeys::Refused,
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
    title: TITLE,
    shape: HookShape::Groups,
    version: None,
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
    spellings: &[],
    keys: &[
        HookKey::same("type"),
        HookKey::same("command"),
        HookKey::new("timeout", "timeout", KeyChange::Milliseconds),
        HookKey::same("name"),
        HookKey::same("description"),
    ],
    own_keys: &[],
    group_keys: &["sequential"],
    types: &["command"],
    tool_names: &TOOL_NAMES,
    matchers: MatcherSyntax::Anchored,
    caveat: "",
    reference_variables: ReferenceVariables::Set,
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
    aliases: &[],
    servers: ServerTools::Prefixed("mcp_"),
    source: source("Gemini CLI, Tools reference", "2026-11-15"),
};

/// `url` is for events there, `httpUrl` for the rest.
const SERVERS: ServerFormat = ServerFormat {
    key: "mcpServers",
    syntax: FileSyntax::Json,
    command: CommandLine::Parts,
    env: "env",
    directory: Some("cwd"),
    types: ServerTypes::UNSAID,
    urls: ServerUrls {
        http: "httpUrl",
        sse: Some("url"),
    },
    variables: Variables::Replaced(VariableSyntax::ShellNewDefaults),
    switch: ServerSwitch::Absent,
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
    copied: CopiedServers::None,
};
