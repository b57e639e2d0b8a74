//! How each tool writes its MCP servers, as a table.

use super::variables::Spelling;

/// A tool's own form of servers.
pub(super) struct ServerForm {
    /// The key that servers stand below.
    pub(super) below: &'static str,
    pub(super) spelling: Spelling,
    pub(super) command: Command,
    pub(super) env: &'static str,
    /// The key of the program's folder, if there is one.
    pub(super) folder: Option<&'static str>,
    /// What `type` says of a program, an address and one that sends events; empty if it is not said.
    pub(super) types: [&'static str; 3],
    /// The keys of an address, and of one that sends events; empty if it cannot be reached.
    pub(super) urls: [&'static str; 2],
    /// Whether a server can be there and not be used.
    pub(super) off: Off,
    /// Keys that mean the same there, or that only this tool has.
    pub(super) passes: &'static [&'static str],
    pub(super) renames: &'static [(&'static str, &'static str)],
}

/// How a command line is written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Command {
    /// `command` and `args`.
    Parts,
    /// `command` as one list.
    List,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Off {
    /// By `enabled = false`.
    Enabled,
    /// Only by not being there.
    Absent,
}

/// Source: Claude Code "Connect Claude Code to tools via MCP".
pub(super) const CLAUDE: ServerForm = ServerForm {
    below: "mcpServers",
    spelling: Spelling::Plain,
    command: Command::Parts,
    env: "env",
    folder: Some("cwd"),
    types: ["", "http", "sse"],
    urls: ["url", "url"],
    off: Off::Absent,
    passes: &["oauth", "headersHelper", "timeout", "alwaysLoad"],
    renames: &[],
};

/// Source: OpenCode "MCP servers".
pub(super) const OPENCODE: ServerForm = ServerForm {
    below: "mcp",
    spelling: Spelling::OpenCode,
    command: Command::List,
    env: "environment",
    folder: Some("cwd"),
    types: ["local", "remote", "remote"],
    urls: ["url", "url"],
    off: Off::Enabled,
    passes: &[],
    renames: &[],
};

/// Source: Codex "Configuration Reference" (`mcp_servers`).
pub(super) const CODEX: ServerForm = ServerForm {
    below: "mcp_servers",
    spelling: Spelling::Never,
    command: Command::Parts,
    env: "env",
    folder: Some("cwd"),
    types: ["", "", ""],
    urls: ["url", ""],
    off: Off::Enabled,
    passes: &[
        "enabled_tools",
        "disabled_tools",
        "startup_timeout_sec",
        "tool_timeout_sec",
        "required",
    ],
    renames: &[
        ("includeTools", "enabled_tools"),
        ("excludeTools", "disabled_tools"),
        ("tools", "enabled_tools"),
    ],
};

/// Source: Cursor "Model Context Protocol" (configuration, config interpolation).
pub(super) const CURSOR: ServerForm = ServerForm {
    below: "mcpServers",
    spelling: Spelling::Editor,
    command: Command::Parts,
    env: "env",
    folder: None,
    types: ["", "", ""],
    urls: ["url", "url"],
    off: Off::Absent,
    passes: &["envFile", "auth"],
    renames: &[],
};

/// Source: Gemini CLI "MCP servers" (configuration properties): `url` is for events there, `httpUrl` for the rest.
pub(super) const GEMINI: ServerForm = ServerForm {
    below: "mcpServers",
    spelling: Spelling::Gemini,
    command: Command::Parts,
    env: "env",
    folder: Some("cwd"),
    types: ["", "", ""],
    urls: ["httpUrl", "url"],
    off: Off::Absent,
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
};

/// Source: VS Code "MCP configuration reference".
pub(super) const VS_CODE: ServerForm = ServerForm {
    below: "servers",
    spelling: Spelling::Editor,
    command: Command::Parts,
    env: "env",
    folder: Some("cwd"),
    types: ["stdio", "http", "sse"],
    urls: ["url", "url"],
    off: Off::Absent,
    passes: &["envFile", "dev"],
    renames: &[],
};

/// Keys that hold something back: to leave one out is to allow more.
pub(super) const GUARDS: [&str; 8] = [
    "includeTools",
    "excludeTools",
    "enabled_tools",
    "disabled_tools",
    "disabledTools",
    "allowedTools",
    "tools",
    "sandbox",
];
