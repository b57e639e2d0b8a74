//! The seven kinds of resources, as one table.

use std::fmt;

use crate::unit::Extent;

/// A kind of resource; the order is that of lockfiles and lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ResourceType {
    /// Markdown that describes an agent.
    Agents,
    /// Text that others include.
    Snippets,
    /// Slash commands.
    Commands,
    /// Programs.
    Scripts,
    /// Entries of a tool's hook configuration.
    Hooks,
    /// Entries of a tool's MCP configuration.
    McpServers,
    /// Folders with a `SKILL.md`.
    Skills,
}

/// The file that makes a folder a skill.
pub const SKILL_FILE: &str = "SKILL.md";

/// Whether folders between the type's folder and the file are kept at the target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// The file name alone.
    Flat,
    /// As in the source.
    Folders,
}

struct Row {
    plural: &'static str,
    singular: &'static str,
    layout: Layout,
    default_tool: &'static str,
    extent: Extent,
}

const fn row(
    plural: &'static str,
    singular: &'static str,
    layout: Layout,
    default_tool: &'static str,
) -> Row {
    Row { plural, singular, layout, default_tool, extent: Extent::File }
}

/// Every kind, in order.
pub const RESOURCE_TYPES: [ResourceType; 7] = [
    ResourceType::Agents,
    ResourceType::Snippets,
    ResourceType::Commands,
    ResourceType::Scripts,
    ResourceType::Hooks,
    ResourceType::McpServers,
    ResourceType::Skills,
];

impl ResourceType {
    const fn row(self) -> Row {
        match self {
            ResourceType::Agents => row("agents", "agent", Layout::Flat, "claude-code"),
            ResourceType::Snippets => row("snippets", "snippet", Layout::Folders, "agpm"),
            ResourceType::Commands => row("commands", "command", Layout::Flat, "claude-code"),
            ResourceType::Scripts => row("scripts", "script", Layout::Folders, "claude-code"),
            ResourceType::Hooks => row("hooks", "hook", Layout::Flat, "claude-code"),
            ResourceType::McpServers => row("mcp-servers", "mcp-server", Layout::Flat, "claude-code"),
            ResourceType::Skills => {
                Row { extent: Extent::Folder, ..row("skills", "skill", Layout::Flat, "claude-code") }
            }
        }
    }

    /// The word of the manifest's table.
    pub const fn plural(self) -> &'static str {
        self.row().plural
    }

    /// The word for one.
    pub const fn singular(self) -> &'static str {
        self.row().singular
    }

    /// How its files are laid out unless `flatten` says otherwise.
    pub const fn layout(self) -> Layout {
        self.row().layout
    }

    /// The tool it goes to unless something else is said.
    pub const fn default_tool(self) -> &'static str {
        self.row().default_tool
    }

    /// What one of them is made of.
    pub const fn extent(self) -> Extent {
        self.row().extent
    }

    /// The folder that is meant by the path of a skill's own file; other paths mean themselves.
    pub fn folder_of(self, path: &str) -> &str {
        let file = (self == ResourceType::Skills).then(|| path.strip_suffix(SKILL_FILE)).flatten();
        file.and_then(|folder| folder.strip_suffix('/')).unwrap_or(path)
    }

    /// The kind of that name, singular or plural.
    pub fn named(word: &str) -> Option<Self> {
        RESOURCE_TYPES.into_iter().find(|kind| kind.plural() == word || kind.singular() == word)
    }
}

impl fmt::Display for ResourceType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.plural())
    }
}
