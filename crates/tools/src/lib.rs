//! The facts about each AI coding client, as data: one file per tool, registered in [`TOOLS`].
//!
//! A tool's file says where each type of resource goes, which of the named formats it is written in, what events, tools
//! and models are called there, and which document says so. Knows nothing of manifests, documents or conversions, and
//! depends on no other crate.

mod agents;
mod agpm;
mod amp;
mod antigravity;
mod claude_code;
mod cline;
mod codex;
mod config;
mod copilot;
mod copilot_cli;
mod cursor;
mod definition;
mod format;
mod gemini;
mod goose;
mod kiro;
mod models;
mod opencode;
mod prelude;
pub mod server_tools;
mod source;
mod tool_names;
mod vocabulary;
mod windsurf;
mod zed;

use config::matches_path;
pub use config::{
    COMMON_KEYS, ConfigFile, ConfigKey, FRONT_MATTER_KEYS, HARMLESS_VARIABLES, HOOK_KEYS,
    KeyEffect, SERVER_KEYS,
};
pub use definition::{
    COMMON_INSTRUCTIONS, COMMON_SKILLS, Directory, Executable, ForeignHooks, ForeignReading,
    HookLocation, InstructionLocation, Listing, ListingEntry, PluginManifestPath, ProjectRoot,
    Replacement, ScopedValue, SkillFormat, SkillMetadata, SourcedList, ToolDefinition, TypeSupport,
    UnchangedFiles, UnreadFile, UsersFiles,
};
pub use format::agent::{
    AgentContainer, AgentFields, AgentForm, AgentFormat, AgentLimit, AgentMarks, AgentNames,
    CopiedAgents, MissingToolList, NamelessAgents, Subdirectories, ToolList, UnknownKeys,
};
pub use format::checked::{AcceptedValue, CheckedAgent, CheckedCommand};
pub use format::command::{CommandFormat, MarkdownCommand, Placeholders, TomlCommand};
pub use format::hook::{
    HookEvent, HookFormat, HookKey, HookShape, KeyChange, MatcherRule, MatcherSyntax,
    ReferenceVariables,
};
pub use format::instruction::{
    InstructionFormat, PatternList, RuleDescription, RuleField, RuleFormat, RuleValue,
};
pub use format::server::{
    CommandLine, CopiedServers, FileSyntax, NamedVariables, RemoteServers, ServerFormat,
    ServerSwitch, ServerTypes, ServerUrls, VariableSyntax, Variables,
};
pub use format::{EntryFormat, FileFormat};
pub use models::{InheritedModel, ModelForm, ModelNames, Vendor};
pub use source::FactSource;
pub use tool_names::{LookAlikes, ServerSplit, ServerTools, ToolNames};
pub use vocabulary::{
    OTHER_SERVER_LIMITS, REFERENCE_EVENTS, REFERENCE_TOOLS, REFERENCE_VARIABLES, ReferenceTool,
    ToolReach, is_reference_model,
};

/// Every tool, in the order in which messages list them. A new tool gets a line here.
pub static TOOLS: &[&ToolDefinition] = &[
    &claude_code::TOOL,
    &opencode::TOOL,
    &agpm::TOOL,
    &codex::TOOL,
    &cursor::TOOL,
    &copilot::TOOL,
    &gemini::TOOL,
    &agents::TOOL,
    &windsurf::TOOL,
    &zed::TOOL,
    &amp::TOOL,
    &kiro::TOOL,
    &cline::TOOL,
    &goose::TOOL,
    &antigravity::TOOL,
    &copilot_cli::TOOL,
];

/// The tool in whose formats resources are written; other tools get converted resources.
pub static REFERENCE_TOOL: &ToolDefinition = &claude_code::TOOL;

/// The tool for resources that no other tool reads.
pub static OWN_TOOL: &ToolDefinition = &agpm::TOOL;

/// Whether a tool runs a file of the project when it starts, whatever its mode.
pub fn is_loaded_code(path: &str) -> bool {
    let mut directories = TOOLS.iter().flat_map(|tool| tool.loaded_code.items);
    directories.any(|directory| path.starts_with(directory))
}

/// The type of a file in a directory that a tool reads besides those of its types, and its path there.
pub fn further_directory(path: &str) -> Option<(&'static str, &str)> {
    let mut directories = TOOLS.iter().flat_map(|tool| tool.further_directories.items);
    directories.find_map(|(kind, directory)| {
        let inner = path.strip_prefix(directory)?.strip_prefix('/')?;
        Some((*kind, inner))
    })
}

/// Whether a file is one of those directly in the directory of a tool, where tools keep their configuration.
pub fn is_of_tool_directory(path: &str) -> bool {
    let directory = path.rsplit_once('/').map(|(directory, _)| directory);
    directory.is_some_and(|directory| {
        let mut tools = TOOLS.iter();
        tools.any(|tool| [tool.directory.project, tool.directory.user].contains(&directory))
    })
}

/// The configuration file with a path in a project or in home.
pub fn config_file(path: &str) -> Option<&'static ConfigFile> {
    let mut files = TOOLS.iter().flat_map(|tool| tool.config);
    files.find(|file| file.paths.iter().any(|pattern| matches_path(pattern, path)))
}

/// The tool of that name.
pub fn find(name: &str) -> Option<&'static ToolDefinition> {
    TOOLS.iter().copied().find(|tool| tool.name == name)
}

/// Formats of hooks other than the reference's.
pub fn hook_formats() -> impl DoubleEndedIterator<Item = &'static HookFormat> {
    let formats = TOOLS
        .iter()
        .filter_map(|tool| Some(&tool.hooks.as_ref()?.format));
    formats.filter(|format| format.shape != HookShape::Reference)
}

/// Formats of MCP servers, the reference's first.
pub fn server_formats() -> impl DoubleEndedIterator<Item = &'static ServerFormat> {
    TOOLS
        .iter()
        .filter_map(|tool| Some(&tool.servers.as_ref()?.format))
}

/// Formats of instructions that are files, the reference's first.
pub fn rule_formats() -> impl Iterator<Item = &'static RuleFormat> {
    TOOLS
        .iter()
        .filter_map(|tool| tool.instructions.as_ref()?.format.rule.as_ref())
}

/// Formats of agents, the reference's first.
pub fn agent_formats() -> impl Iterator<Item = &'static AgentFormat> {
    TOOLS
        .iter()
        .filter_map(|tool| Some(&tool.agents.as_ref()?.format))
}

/// Names of tools in every client: in lists of agents and in matchers of hooks.
pub fn tool_name_tables() -> impl Iterator<Item = &'static ToolNames> {
    let of_agents = agent_formats().filter_map(|format| match &format.form {
        AgentForm::Fields(fields) => match fields.limit {
            AgentLimit::List(list) => Some(list.names),
            AgentLimit::ReadOnly(..) | AgentLimit::Never => None,
        },
        AgentForm::Checked(_) => None,
    });
    of_agents.chain(hook_formats().map(|format| format.tool_names))
}
