//! Converts configurations of other programs to sections of a manifest.

mod additions;
mod agent_manager;
mod base_directories;
mod findings;
mod mergers;
#[cfg(test)]
mod tests;

pub use crate::import::additions::{ImportAdditions, NewLayer};
pub use crate::import::agent_manager::read_agent_manager;
pub use crate::import::base_directories::BaseDirectories;

use agpm_text::Value;

use crate::address::SourceAddress;
use crate::name::LayerName;

/// The configuration of another program, as agpm expresses it.
#[derive(Clone, Debug, Default)]
pub struct ImportedConfiguration {
    /// The layers, lowest first.
    pub layers: Vec<ImportedLayer>,
    /// Lines of `[merge]`.
    pub merge: Vec<(String, Value)>,
}

/// A layer of another program.
#[derive(Clone, Debug)]
pub struct ImportedLayer {
    /// The name of the imported layer.
    pub name: LayerName,
    /// The location of the layer.
    pub location: ImportedLocation,
    /// The files that apply; those of all tools if it is empty.
    pub include: Vec<String>,
}

/// The location of an imported layer's files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ImportedLocation {
    /// A git repository, whose URL holds no secret, and its branch.
    Git(SourceAddress, Option<String>),
    /// A directory, as a manifest writes it.
    Directory(String),
}
