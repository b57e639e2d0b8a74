//! Something that a source offers: a resource, or a part of a plugin.

use std::fmt;

use agpm_model::ResourceType;
use serde::{Serialize, Serializer};

/// The type of something that a source offers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CandidateType {
    /// A directory with `SKILL.md`.
    Skill,
    /// An agent.
    Agent,
    /// A slash command.
    Command,
    /// Text that a tool always reads.
    Instruction,
    /// A file of hooks.
    Hook,
    /// An MCP server.
    McpServer,
    /// Text that others include.
    Snippet,
    /// An executable.
    Script,
    /// A directory with a plugin's manifest.
    Plugin,
}

/// Every type, in the order of lists.
pub const CANDIDATE_TYPES: [CandidateType; 9] = [
    CandidateType::Plugin,
    CandidateType::Skill,
    CandidateType::Agent,
    CandidateType::Command,
    CandidateType::Instruction,
    CandidateType::Hook,
    CandidateType::McpServer,
    CandidateType::Snippet,
    CandidateType::Script,
];

impl CandidateType {
    /// The singular and the plural, which is the word of the manifest's table.
    const fn words(self) -> [&'static str; 2] {
        match self {
            CandidateType::Skill => ["skill", "skills"],
            CandidateType::Agent => ["agent", "agents"],
            CandidateType::Command => ["command", "commands"],
            CandidateType::Instruction => ["instruction", "instructions"],
            CandidateType::Hook => ["hook", "hooks"],
            CandidateType::McpServer => ["mcp-server", "mcp-servers"],
            CandidateType::Snippet => ["snippet", "snippets"],
            CandidateType::Script => ["script", "scripts"],
            CandidateType::Plugin => ["plugin", "plugins"],
        }
    }

    /// The singular.
    pub const fn singular(self) -> &'static str {
        self.words()[0]
    }

    /// The word of the manifest's table.
    pub const fn plural(self) -> &'static str {
        self.words()[1]
    }

    /// The type of that name, singular or plural.
    pub fn named(word: &str) -> Option<Self> {
        CANDIDATE_TYPES
            .into_iter()
            .find(|kind| kind.words().contains(&word))
    }

    /// The resource type that a manifest can require; `None` for candidates that agpm does not install.
    pub fn resource_type(self) -> Option<ResourceType> {
        ResourceType::named(self.plural())
    }
}

impl fmt::Display for CandidateType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.singular())
    }
}

impl Serialize for CandidateType {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.singular())
    }
}

/// The relation of a candidate to a plugin.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PluginMembership {
    /// The candidate is not part of a plugin.
    Standalone,
    /// It is in the plugin's directory: without its name or path, the plugin is meant.
    Part(String),
    /// A marketplace lists it for a plugin of this name, and it is not in a directory of that plugin alone.
    Listed(String),
}

impl PluginMembership {
    /// The name of the plugin.
    pub fn plugin(&self) -> Option<&str> {
        match self {
            PluginMembership::Standalone => None,
            PluginMembership::Part(name) | PluginMembership::Listed(name) => Some(name),
        }
    }
}

/// The location of a plugin of a marketplace.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PluginPlacement {
    /// In a directory of the same source, with its own manifest.
    Here,
    /// In the same source, where only its marketplace describes it.
    Listed,
    /// In another repository, as its marketplace describes it.
    Elsewhere(String),
}

/// Something that a source offers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The type.
    pub kind: CandidateType,
    /// Its name, from its path.
    pub name: String,
    /// Its declared name, if that differs.
    pub declared_name: Option<String>,
    /// Its file or directory from the root of the source; empty for the root itself.
    pub path: String,
    /// Its description, on one line, if it was read.
    pub description: Option<String>,
    /// The plugin that it belongs to.
    pub membership: PluginMembership,
    /// The location of the plugin.
    pub location: PluginPlacement,
}

impl Candidate {
    /// `TYPE/NAME`, with the type in plural as resources have it.
    pub fn id(&self) -> String {
        format!("{}/{}", self.kind.plural(), self.name)
    }

    /// Whether this is its name, by its path or by its own declaration.
    pub fn is_called(&self, word: &str) -> bool {
        self.name == word || self.declared_name.as_deref() == Some(word)
    }
}
