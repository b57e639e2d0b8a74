//! Cursor.

use crate::definition::{
    Directory, HookPlace, Scoped, SharedFacts, SkillFormat, Support, ToolDefinition, source,
};
use crate::format::agent::{
    AgentContainer, AgentFields, AgentForm, AgentFormat, AgentLimit, AgentMarks, AgentNames,
    UnknownKeys,
};
use crate::format::command::CommandFormat;
use crate::format::hook::{
    HookEvent, HookFormat, HookKey, HookShape, KeyChange, MatcherRule, MatcherSyntax,
    ReferenceVariables,
};
use crate::format::server::{
    CommandLine, CopiedServers, FileSyntax, ServerFormat, ServerSwitch, ServerTypes, ServerUrls,
    VariableSyntax, Variables,
};
use crate::models::{InheritedModel, ModelForm, ModelNames};
use crate::tool_names::{ServerTools, ToolNames};

const TITLE: &str = "Cursor";

pub(crate) static TOOL: ToolDefinition = ToolDefinition {
    directory: Scoped::both(".cursor"),
    agents: Some(Support {
        place: Scoped::both(Some(Directory::Own("agents"))),
        format: AGENTS,
        source: source("Cursor, Subagents: configuration fields", "2026-11-15"),
    }),
    commands: Some(Support {
        place: Scoped::both(Some(Directory::Own("commands"))),
        format: CommandFormat::Unchanged,
        source: source("Cursor, Commands", "2026-11-15"),
    }),
    skills: Some(Support {
        place: Scoped::both(Some(Directory::Own("skills"))),
        format: SkillFormat::PLAIN,
        source: source("Cursor, Agent Skills", "2026-11-15"),
    }),
    hooks: Some(Support {
        place: Scoped::both(Some(HookPlace::Entries(".cursor/hooks.json"))),
        format: HOOKS,
        source: source(
            "Cursor, Hooks: per-script configuration; Third Party Hooks",
            "2026-11-15",
        ),
    }),
    servers: Some(Support {
        place: Scoped::both(Some(".cursor/mcp.json")),
        format: SERVERS,
        source: source(
            "Cursor, Model Context Protocol: configuration, config interpolation",
            "2026-11-15",
        ),
    }),
    layer_files: SharedFacts::new(
        &[".cursor/**", ".cursorrules"],
        source("Cursor, Rules", "2026-11-15"),
    ),
    plugin_variables: SharedFacts::new(
        &["CURSOR_PLUGIN_ROOT"],
        source("plugins for Cursor that read it", "2026-11-16"),
    ),
    ..ToolDefinition::new("cursor", TITLE)
};

const AGENTS: AgentFormat = AgentFormat {
    marks: AgentMarks {
        extensions: &[],
        fields: &["readonly", "is_background"],
    },
    ..AgentFormat::new(AgentForm::Fields(AgentFields {
        container: AgentContainer::Markdown,
        names: AgentNames::Any,
        models: ModelNames {
            vendor: None,
            inherited: InheritedModel::Named,
            form: ModelForm::Identifier,
        },
        passes: &["readonly", "is_background"],
        renames: &[("background", "is_background")],
        limit: AgentLimit::ReadOnly("readonly", None),
        unknown: UnknownKeys::Ignored,
    }))
};

const HOOKS: HookFormat = HookFormat {
    title: TITLE,
    shape: HookShape::Flat,
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
    spellings: &[],
    keys: &[
        HookKey::same("command"),
        HookKey::new("type", "type", KeyChange::OmitCommand),
        HookKey::same("prompt"),
        HookKey::same("timeout"),
        HookKey::same("failClosed"),
        HookKey::same("loop_limit"),
    ],
    own_keys: &[],
    group_keys: &[],
    types: &["command", "prompt"],
    tool_names: &TOOL_NAMES,
    matchers: MatcherSyntax::Joined,
    caveat: "",
    reference_variables: ReferenceVariables::Set,
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
    aliases: &[],
    servers: ServerTools::None,
    source: source("Cursor, Third Party Hooks: tool name mapping", "2026-11-15"),
};

const SERVERS: ServerFormat = ServerFormat {
    key: "mcpServers",
    syntax: FileSyntax::Json,
    command: CommandLine::Parts,
    env: "env",
    directory: None,
    types: ServerTypes::UNSAID,
    urls: ServerUrls::SAME,
    variables: Variables::Replaced(VariableSyntax::Editor),
    switch: ServerSwitch::Absent,
    passes: &["envFile", "auth"],
    renames: &[],
    limits: &[],
    copied: CopiedServers::None,
};
