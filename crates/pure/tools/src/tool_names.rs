//! The names of a tool for the actions of an agent.

use crate::source::FactSource;

/// Names of an agent's tools in one client.
#[derive(Debug, PartialEq, Eq)]
pub struct ToolNames {
    /// Tools by their usual name in the reference, and what they are called there.
    pub names: &'static [(&'static str, &'static [&'static str])],
    /// Further names there that represent tools of the reference.
    pub aliases: &'static [(&'static str, &'static [&'static str])],
    /// Tools of MCP servers.
    pub servers: ServerTools,
    /// The evidence for the names.
    pub source: FactSource,
}

/// The names of tools of MCP servers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServerTools {
    /// `mcp__SERVER__TOOL`, as in the reference.
    Reference,
    /// `SERVER/TOOL`, with `*` for all of a server; other tools may have their set before them, too.
    Slashed,
    /// Names that begin with this, and that no name of the reference can be turned into.
    Prefixed(&'static str),
    /// The tools of servers have no names.
    None,
}

impl ToolNames {
    /// A table without names.
    pub(crate) const fn new(source: FactSource) -> Self {
        ToolNames {
            names: &[],
            aliases: &[],
            servers: ServerTools::None,
            source,
        }
    }

    /// The names of a reference tool in this tool; empty if it has none.
    pub fn of(&self, reference: &str) -> &'static [&'static str] {
        let row = self.names.iter().find(|(name, _)| *name == reference);
        row.map_or(&[], |(_, names)| names)
    }
}
