//! The names of a tool for the actions of an agent.

use crate::source::{FactSource, source};

/// Names of an agent's tools in one client.
#[derive(Debug, PartialEq, Eq)]
pub struct ToolNames {
    /// Tools by their usual name in the reference, and what they are called there.
    pub names: &'static [(&'static str, &'static [&'static str])],
    /// Further names there that represent tools of the reference.
    pub aliases: &'static [(&'static str, &'static [&'static str])],
    /// Tools of MCP servers; `None` if they have no names.
    pub servers: Option<ServerTools>,
    /// The evidence for the names.
    pub source: FactSource,
}

/// The names of tools of MCP servers: `PREFIX SERVER SEPARATOR TOOL`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ServerTools {
    /// The text before the server.
    pub prefix: &'static str,
    /// The text between the server and one of its tools.
    pub separator: &'static str,
    /// The suffixes of a name that means all tools of a server, the usual one first.
    pub all: &'static [&'static str],
    /// The name for the tools of all servers, if there is one.
    pub every: Option<&'static str>,
    /// Names, and words in place of a server, that mean something else, such as sets of the tool's own.
    pub reserved: &'static [&'static str],
    /// The characters of servers and tools besides letters and digits, which others become `_`; `None` keeps all.
    pub characters: Option<&'static str>,
    /// How a server with the separator in its name is read.
    pub split: ServerSplit,
    /// Other tools with names of this form.
    pub look_alikes: LookAlikes,
    /// The evidence for the names.
    pub source: FactSource,
}

/// How names whose server contains the separator are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServerSplit {
    /// The server ends at the first separator, so all tools of such a server have no valid name.
    First,
    /// The server ends at the last separator.
    Last,
    /// Names are compared as a whole, so where the server ends is not known.
    Whole,
}

/// Tools that are named like those of servers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LookAlikes {
    /// Only servers have such names.
    None,
    /// Tools of extensions, with `PUBLISHER.EXTENSION` in place of the server.
    Extensions,
}

impl ServerTools {
    /// The names of the reference tool.
    pub const REFERENCE: ServerTools = ServerTools {
        prefix: "mcp__",
        separator: "__",
        all: &["", "__*"],
        every: None,
        reserved: &[],
        characters: Some("_-"),
        split: ServerSplit::Whole,
        look_alikes: LookAlikes::None,
        source: source(
            "Claude Code, Create custom subagents: available tools; Identity and access management: MCP permission rules",
            "2026-11-18",
        ),
    };
}

impl ToolNames {
    /// A table without names.
    pub(crate) const fn new(source: FactSource) -> Self {
        ToolNames {
            names: &[],
            aliases: &[],
            servers: None,
            source,
        }
    }

    /// The names of a reference tool in this tool; empty if it has none.
    pub fn of(&self, reference: &str) -> &'static [&'static str] {
        let row = self.names.iter().find(|(name, _)| *name == reference);
        row.map_or(&[], |(_, names)| names)
    }
}
