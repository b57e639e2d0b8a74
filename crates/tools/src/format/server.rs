//! Formats of MCP servers.

/// The format of a tool's MCP servers.
#[derive(Debug, PartialEq, Eq)]
pub struct ServerFormat {
    /// The key that servers are under.
    pub key: &'static str,
    /// The syntax of the file.
    pub syntax: FileSyntax,
    /// The notation of a command line.
    pub command: CommandLine,
    /// The key of the executable's environment.
    pub env: &'static str,
    /// The key of the executable's directory, if there is one.
    pub directory: Option<&'static str>,
    /// The values of `type`.
    pub types: ServerTypes,
    /// The keys of URLs.
    pub urls: ServerUrls,
    /// The treatment of environment variables in strings.
    pub variables: Variables,
    /// Whether a server can be a URL.
    pub remote: RemoteServers,
    /// The notation of a disabled server.
    pub switch: ServerSwitch,
    /// Keys that mean the same there, or that only this tool has.
    pub passes: &'static [&'static str],
    /// Keys that are called otherwise there.
    pub renames: &'static [(&'static str, &'static str)],
    /// Keys of this tool that hold something back: to leave one out is to allow more.
    pub limits: &'static [&'static str],
    /// The servers that are copied unchanged.
    pub copied: CopiedServers,
}

impl ServerFormat {
    /// A format with what most tools have in common.
    pub(crate) const fn new(key: &'static str, variables: Variables) -> Self {
        ServerFormat {
            key,
            syntax: FileSyntax::Json,
            command: CommandLine::Parts,
            env: "env",
            directory: Some("cwd"),
            types: ServerTypes {
                local: None,
                http: None,
                sse: None,
            },
            urls: ServerUrls {
                http: "url",
                sse: Some("url"),
            },
            variables,
            remote: RemoteServers::Supported,
            switch: ServerSwitch::Absent,
            passes: &[],
            renames: &[],
            limits: &[],
            copied: CopiedServers::None,
        }
    }
}

/// The syntax of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileSyntax {
    /// JSON, perhaps with comments.
    Json,
    /// TOML, which has no null.
    Toml,
}

/// The notation of a command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandLine {
    /// `command` and `args`.
    Parts,
    /// The same, with `args` even if there are none: the tool does not load a server without them.
    PartsWithArgs,
    /// `command` as one list.
    List,
}

/// The values of `type`; `None` if it is not written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ServerTypes {
    /// The type of an executable.
    pub local: Option<&'static str>,
    /// The type of a URL.
    pub http: Option<&'static str>,
    /// Of a URL that sends events.
    pub sse: Option<&'static str>,
}

/// The keys of URLs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ServerUrls {
    /// The key for a URL that answers.
    pub http: &'static str,
    /// Of one that sends events; `None` if the tool asks it like any other.
    pub sse: Option<&'static str>,
}

/// The treatment of environment variables in strings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variables {
    /// The tool replaces them.
    Replaced(VariableSyntax),
    /// The tool replaces none; it may take their names under their own keys.
    Named(NamedVariables),
}

impl Variables {
    /// The tool replaces none, and has no keys for their names.
    pub(crate) const fn kept_by(title: &'static str) -> Self {
        Variables::Named(NamedVariables {
            title,
            env_vars: None,
            headers: "headers",
            env_headers: None,
            bearer: None,
        })
    }
}

/// The notation of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VariableSyntax {
    /// `${NAME}`, and `${NAME:-default}`.
    Shell,
    /// `${NAME}`, and a default only in newer versions.
    ShellNewDefaults,
    /// `${env:NAME}`, next to words of the editor's own.
    Editor,
    /// `{env:NAME}`, and `{file:PATH}`.
    Braces,
    /// Variables are not supported.
    None,
}

/// Keys for the names of variables; `None` where the tool has no such key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NamedVariables {
    /// The tool, for messages.
    pub title: &'static str,
    /// Variables that the executable gets under their own names.
    pub env_vars: Option<&'static str>,
    /// Headers with fixed values.
    pub headers: &'static str,
    /// Headers whose values are variables.
    pub env_headers: Option<&'static str>,
    /// The variable of a bearer token.
    pub bearer: Option<&'static str>,
}

/// Whether a tool has servers that are URLs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RemoteServers {
    /// It does.
    Supported,
    /// It only runs executables.
    Unsupported,
}

/// The notation of a disabled server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServerSwitch {
    /// With `enabled = false`.
    Enabled,
    /// With `disabled = true`.
    Disabled,
    /// Only by removing the server.
    Absent,
}

/// The servers that are copied unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CopiedServers {
    /// None: each is written again.
    None,
    /// Servers without fields of other tools.
    Reference,
    /// Servers that the tool accepts; an invalid one makes it refuse its whole configuration.
    Valid,
}
