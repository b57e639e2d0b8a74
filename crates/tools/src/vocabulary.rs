//! The words that resources are written in: those of the reference tool. The tables of all tools refer to them.

/// The reach of an agent's tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolReach {
    /// The tool only reads.
    Looks,
    /// It changes files or runs executables.
    Changes,
}

/// A tool of an agent, as authors name it.
#[derive(Debug, PartialEq, Eq)]
pub struct ReferenceTool {
    /// Its names, the usual one first.
    pub names: &'static [&'static str],
    /// The reach of the reference tool.
    pub reach: ToolReach,
}

const fn tool(names: &'static [&'static str], reach: ToolReach) -> ReferenceTool {
    ReferenceTool { names, reach }
}

/// Every tool of an agent.
pub const REFERENCE_TOOLS: &[ReferenceTool] = &[
    tool(&["Read"], ToolReach::Looks),
    tool(&["NotebookRead"], ToolReach::Looks),
    tool(&["LS"], ToolReach::Looks),
    tool(&["Grep"], ToolReach::Looks),
    tool(&["Glob"], ToolReach::Looks),
    tool(&["Write"], ToolReach::Changes),
    tool(&["Edit", "MultiEdit"], ToolReach::Changes),
    tool(&["NotebookEdit"], ToolReach::Changes),
    tool(&["Bash"], ToolReach::Changes),
    tool(&["WebFetch"], ToolReach::Looks),
    tool(&["WebSearch"], ToolReach::Looks),
    tool(&["Task", "Agent"], ToolReach::Looks),
    tool(&["TodoWrite"], ToolReach::Looks),
    tool(&["AskUserQuestion"], ToolReach::Looks),
    tool(&["Skill"], ToolReach::Looks),
];

/// Events of hooks that some other tool has too. The reference tool has more; they need no row, because a hook for them
/// runs nowhere else.
pub const REFERENCE_EVENTS: &[&str] = &[
    "SessionStart",
    "SessionEnd",
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "PermissionRequest",
    "PreCompact",
    "PostCompact",
    "SubagentStart",
    "SubagentStop",
    "Stop",
    "Notification",
];

/// Keys of MCP servers that hold something back, in clients that have no file here.
pub const OTHER_SERVER_LIMITS: &[&str] = &["allowedTools"];

/// The prefix of the environment variables that the reference tool sets for hooks.
pub const REFERENCE_VARIABLES: &str = "CLAUDE_";

/// Whether a model is named as only the reference tool does: by an alias or an identifier. `Claude Sonnet 4.5`, as
/// another tool displays it, is neither.
pub fn is_reference_model(name: &str) -> bool {
    let aliases = ["sonnet", "opus", "haiku", "sonnet[1m]", "opusplan"];
    aliases.contains(&name) || name.starts_with("claude-")
}
