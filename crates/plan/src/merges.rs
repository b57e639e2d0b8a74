//! What settles edits of shared files of which a new version exists: merged values, and conflicts as the ledger has them.

use std::collections::BTreeMap;

use agpm_model::{Checksum, Owner, RelativePath};
use agpm_text::{BlockName, Pointer, Value};
use serde::{Deserialize, Serialize};

use crate::base_pack::BaseNumber;

/// An edited block of which a new version exists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EditedBlock {
    /// Its name.
    pub name: BlockName,
    /// The new version.
    pub new: String,
    /// The owner.
    pub owner: Owner,
}

/// The values to write in place of edited ones.
#[derive(Clone, Debug, Default)]
pub struct EditMerges {
    /// By file and position in it.
    pub nodes: BTreeMap<RelativePath, BTreeMap<Pointer, Value>>,
    /// By file and name.
    pub blocks: BTreeMap<RelativePath, BTreeMap<BlockName, String>>,
}

impl EditMerges {
    /// Whether nothing is merged.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty() && self.blocks.is_empty()
    }
}

/// Kept values of the entries of one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptValues {
    /// The checksum of their text.
    pub checksum: Checksum,
    /// The file that has it.
    pub base: BaseNumber,
}

/// A new version of a shared file that could not be merged into the user's edits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SharedConflict {
    /// The checksum of the whole resulting file, which is next to it.
    pub beside: Checksum,
    /// The user's values when the conflict arose, and the new ones, by what they are in the file.
    pub sides: Vec<ConflictSides>,
}

/// Both sides of one entry or block.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConflictSides {
    /// The record of the location, or the name of a block.
    pub location: String,
    /// The sum of the value that agpm wrote; empty for a block.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub base: String,
    /// The owner.
    pub owner: Owner,
    /// The user's side, as JSON.
    pub mine: String,
    /// The new version, as JSON.
    pub next: String,
}
