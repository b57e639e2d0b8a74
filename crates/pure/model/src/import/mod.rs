//! Configurations of other programs as sections of a manifest.

mod additions;
mod agent_manager;
mod findings;
mod folders;
mod mergers;
#[cfg(test)]
mod tests;

pub use crate::import::additions::{ImportAdditions, NewLayer};
pub use crate::import::agent_manager::read_agent_manager;
pub use crate::import::folders::BaseDirectories;

use agpm_text::Value;

use crate::address::SourceAddress;
use crate::name::LayerName;

/// The configuration of another program, in terms of agpm.
#[derive(Clone, Debug, Default)]
pub struct ImportedConfiguration {
    /// Lowest first.
    pub layers: Vec<ImportedLayer>,
    /// Lines of `[merge]`.
    pub merge: Vec<(String, Value)>,
}

/// A layer that another program knows.
#[derive(Clone, Debug)]
pub struct ImportedLayer {
    /// The name of the imported layer.
    pub name: LayerName,
    /// Where it is.
    pub location: ImportedLocation,
    /// The files that count; those of all tools if there are none.
    pub include: Vec<String>,
}

/// Where the files of an imported layer are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ImportedLocation {
    /// A git repository, whose URL holds no secret, and the branch if one is named.
    Git(SourceAddress, Option<String>),
    /// A directory, as a manifest says it.
    Folder(String),
}
