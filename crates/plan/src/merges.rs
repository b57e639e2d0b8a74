//! Edited entries and blocks of shared files of which a new version exists, and the values that settle them.

use std::collections::{BTreeMap, HashMap};

use agpm_model::{Checksum, NodeLocation, Owner, RelativePath};
use agpm_text::{
    BlockName, Document, Edit, EditError, NodeKind, NodeRef, Pointer, Value, equal, parse_alone,
    to_value,
};
use serde::{Deserialize, Serialize};

use crate::base_pack::BaseNumber;
use crate::desired::DesiredState;
use crate::nodes::NodeSum;

/// An edited entry of which a new version exists.
#[derive(Clone, Debug, PartialEq)]
pub struct EditedNode {
    /// Its position in the user's file.
    pub at: Pointer,
    /// Its location, as it is managed.
    pub location: NodeLocation,
    /// The value that agpm wrote.
    pub base: NodeSum,
    /// The new version.
    pub new: Value,
    /// The owner.
    pub owner: Owner,
}

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
    /// The user's values or texts when the conflict arose, and the new ones, by what they are in the file.
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

impl<'a> DesiredState<'a> {
    /// The state with values to write in place of edited ones.
    #[must_use]
    pub fn with_merges(&self, merges: EditMerges) -> DesiredState<'a> {
        let mut desired = self.clone();
        desired.merges = merges;
        desired
    }

    /// The desired text of a block.
    pub fn block_text(&self, path: &RelativePath, name: &BlockName) -> Option<&str> {
        let blocks = self.blocks.get(path)?;
        let block = blocks.iter().find(|block| block.name == *name)?;
        Some(&block.text)
    }

    /// The desired values in a shared file, by their sums.
    pub fn node_values(&self, path: &RelativePath) -> HashMap<NodeSum, &Value> {
        let nodes = self.shared.get(path).into_iter();
        let nodes = nodes.flat_map(|shared| shared.nodes.iter());
        nodes
            .map(|node| (NodeSum::of(&node.node.value), &node.node.value))
            .collect()
    }
}

/// The position of an entry in a file; of an item of a list, the one that equals a value.
pub fn position_of(document: &Document, location: &NodeLocation, value: &Value) -> Option<Pointer> {
    match location {
        NodeLocation::Key(at) | NodeLocation::Default(at) => document.at(at).map(|_| at.clone()),
        NodeLocation::Item(list) => {
            let mut items = document.at(list)?.items();
            let index = items.position(|item| equal(item, value))?;
            Some(list.child(index.to_string()))
        }
        NodeLocation::Keyed { list, key, id } => {
            let mut items = document.at(list)?.items();
            let has_id = |item: NodeRef<'_>| {
                let found = item.get(key).map(|value| to_value(value).to_json());
                found.is_some_and(|found| found.trim_end() == id)
            };
            let index = items.position(has_id)?;
            Some(list.child(index.to_string()))
        }
    }
}

/// The text of a file with another value at a pointer.
pub fn with_value(document: &Document, at: &Pointer, value: &Value) -> Result<String, EditError> {
    let edits = match document.at(at) {
        Some(now) => edits_between(at, now, value),
        None => vec![set(at, value)],
    };
    let mut text = document.text().to_string();
    for edit in &edits {
        text = parse_alone(text, document.format()).document.edit(edit)?;
    }
    Ok(text)
}

/// The edits that turn a value into another one and leave everything equal as it is written.
pub(crate) fn edits_between(at: &Pointer, now: NodeRef<'_>, wanted: &Value) -> Vec<Edit> {
    if equal(now, wanted) {
        return Vec::new();
    }
    let Value::Map(entries) = wanted else {
        return vec![set(at, wanted)];
    };
    if now.kind() != NodeKind::Map {
        return vec![set(at, wanted)];
    }
    let mut edits = Vec::new();
    for (key, _) in now.entries() {
        if wanted.get(key.content()).is_none() {
            edits.push(Edit::Remove {
                at: at.child(key.content()),
            });
        }
    }
    for (key, value) in entries {
        let at = at.child(key.as_str());
        match now.get(key) {
            Some(now) => edits.extend(edits_between(&at, now, value)),
            None => edits.push(set(&at, value)),
        }
    }
    edits
}

fn set(at: &Pointer, value: &Value) -> Edit {
    Edit::Set {
        at: at.clone(),
        value: value.clone(),
    }
}
