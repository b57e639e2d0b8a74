//! The types of resources, as one table.

use std::fmt;

use agpm_tools::{OWN_TOOL, REFERENCE_TOOL};

use crate::unit::ResourceExtent;

/// A resource type, in the order of lockfiles and lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ResourceType {
    /// Markdown that describes an agent.
    Agents,
    /// Text that other resources include.
    Snippets,
    /// Slash commands.
    Commands,
    /// Programs.
    Scripts,
    /// Entries of a tool's hook configuration.
    Hooks,
    /// Entries of a tool's MCP configuration.
    McpServers,
    /// Directories with a `SKILL.md`.
    Skills,
    /// Markdown that a tool reads with every request, or with those about some files.
    Instructions,
    /// Directories with resources of several types, the plugin's parts.
    Plugins,
}

/// The file that identifies the directory of a skill.
pub const SKILL_FILE: &str = "SKILL.md";

/// The paths of the plugin list in a source; the first that exists is used.
pub const MARKETPLACE_FILES: [&str; 5] = [
    ".claude-plugin/marketplace.json",
    ".cursor-plugin/marketplace.json",
    ".agents/plugins/marketplace.json",
    ".agents/plugins/api_marketplace.json",
    ".github/plugin/marketplace.json",
];

/// Whether the directories between the type's directory and the file are kept in the target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TargetLayout {
    /// The file name alone.
    Flat,
    /// The directories of the source.
    Folders,
}

impl TargetLayout {
    /// The layout for a value of the key `flatten`.
    pub const fn of_flatten(flatten: bool) -> Self {
        if flatten {
            TargetLayout::Flat
        } else {
            TargetLayout::Folders
        }
    }
}

struct ResourceTypeRow {
    plural: &'static str,
    singular: &'static str,
    layout: TargetLayout,
    default_tool: &'static str,
    shape: ResourceShape,
}

/// The shape of a resource on disk.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ResourceShape {
    /// A file.
    File,
    /// A directory.
    Directory,
    /// A separate directory, with parts at the paths of their types.
    Plugin,
    /// Entries of a file that users write too.
    Entries,
    /// A separate file, or a block in a file that users write too.
    FileOrBlock,
}

const fn row(
    plural: &'static str,
    singular: &'static str,
    layout: TargetLayout,
    default_tool: &'static str,
) -> ResourceTypeRow {
    ResourceTypeRow {
        plural,
        singular,
        layout,
        default_tool,
        shape: ResourceShape::File,
    }
}

const fn entries(row: ResourceTypeRow) -> ResourceTypeRow {
    ResourceTypeRow {
        shape: ResourceShape::Entries,
        ..row
    }
}

/// All types, in order.
pub const RESOURCE_TYPES: [ResourceType; 9] = [
    ResourceType::Agents,
    ResourceType::Snippets,
    ResourceType::Commands,
    ResourceType::Scripts,
    ResourceType::Hooks,
    ResourceType::McpServers,
    ResourceType::Skills,
    ResourceType::Instructions,
    ResourceType::Plugins,
];

/// The types that parts of a plugin can have.
pub const PLUGIN_PARTS: [ResourceType; 5] = [
    ResourceType::Agents,
    ResourceType::Commands,
    ResourceType::Hooks,
    ResourceType::McpServers,
    ResourceType::Skills,
];

impl ResourceType {
    const fn row(self) -> ResourceTypeRow {
        match self {
            ResourceType::Agents => row("agents", "agent", TargetLayout::Flat, REFERENCE_TOOL.name),
            ResourceType::Snippets => {
                row("snippets", "snippet", TargetLayout::Folders, OWN_TOOL.name)
            }
            ResourceType::Commands => row(
                "commands",
                "command",
                TargetLayout::Flat,
                REFERENCE_TOOL.name,
            ),
            ResourceType::Scripts => row(
                "scripts",
                "script",
                TargetLayout::Folders,
                REFERENCE_TOOL.name,
            ),
            ResourceType::Hooks => entries(row(
                "hooks",
                "hook",
                TargetLayout::Flat,
                REFERENCE_TOOL.name,
            )),
            ResourceType::McpServers => entries(row(
                "mcp-servers",
                "mcp-server",
                TargetLayout::Flat,
                REFERENCE_TOOL.name,
            )),
            ResourceType::Skills => ResourceTypeRow {
                shape: ResourceShape::Directory,
                ..row("skills", "skill", TargetLayout::Flat, REFERENCE_TOOL.name)
            },
            ResourceType::Instructions => ResourceTypeRow {
                shape: ResourceShape::FileOrBlock,
                ..row(
                    "instructions",
                    "instruction",
                    TargetLayout::Flat,
                    REFERENCE_TOOL.name,
                )
            },
            ResourceType::Plugins => ResourceTypeRow {
                shape: ResourceShape::Plugin,
                ..row("plugins", "plugin", TargetLayout::Flat, REFERENCE_TOOL.name)
            },
        }
    }

    /// The name of the manifest's table.
    pub const fn plural(self) -> &'static str {
        self.row().plural
    }

    /// The singular.
    pub const fn singular(self) -> &'static str {
        self.row().singular
    }

    /// The default layout of its files.
    pub const fn layout(self) -> TargetLayout {
        self.row().layout
    }

    /// The default tool of the type.
    pub const fn default_tool(self) -> &'static str {
        self.row().default_tool
    }

    /// The files of one resource.
    pub const fn extent(self) -> ResourceExtent {
        match self.row().shape {
            ResourceShape::Directory => ResourceExtent::Directory,
            ResourceShape::Plugin => ResourceExtent::Plugin,
            ResourceShape::File | ResourceShape::Entries | ResourceShape::FileOrBlock => {
                ResourceExtent::File
            }
        }
    }

    /// Whether a resource of the type is always a separate file.
    pub fn is_file(self) -> bool {
        self.row().shape == ResourceShape::File
    }

    /// Whether a user's file or directory can be described in place.
    pub fn can_be_in_place(self) -> bool {
        !self.is_merged() && self != ResourceType::Plugins
    }

    /// Whether resources of the type are entries of files that users write too.
    pub fn is_merged(self) -> bool {
        self.row().shape == ResourceShape::Entries
    }

    /// The directory of a skill for the path of its `SKILL.md`; other paths are returned as they are.
    pub fn directory_of(self, path: &str) -> &str {
        let file = (self == ResourceType::Skills)
            .then(|| path.strip_suffix(SKILL_FILE))
            .flatten();
        match file {
            Some("") => ".",
            file => file
                .and_then(|directory| directory.strip_suffix('/'))
                .unwrap_or(path),
        }
    }

    /// The type with a singular or plural name.
    pub fn named(word: &str) -> Option<Self> {
        RESOURCE_TYPES
            .into_iter()
            .find(|kind| kind.plural() == word || kind.singular() == word)
    }
}

impl fmt::Display for ResourceType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.plural())
    }
}
