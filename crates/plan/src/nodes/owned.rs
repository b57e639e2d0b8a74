//! The ledger's record of a shared file.

use std::collections::BTreeMap;

use agpm_model::{Checksum, NodeLocation, Owner};
use agpm_text::Pointer;
use serde::{Deserialize, Serialize};

use super::removal_whitespace::RemovalWhitespace;
use super::sum::NodeSum;
use crate::change::Author;
use crate::merges::{KeptValues, SharedConflict};

/// The author of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FileOrigin {
    /// agpm created it, and all of its content is managed, including comments.
    Whole,
    /// agpm created it; it is removed when it becomes empty.
    Ours,
    /// The user created it; it stays.
    #[default]
    Users,
}

/// The managed nodes of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnedNodes {
    /// The checksum of the whole file as agpm left it.
    pub seen: Checksum,
    /// The author of the file.
    pub file: FileOrigin,
    /// Maps and lists that agpm created to hold its nodes, outermost first; they are removed when they become empty.
    pub containers: Vec<Pointer>,
    /// The nodes, by location.
    pub nodes: Vec<OwnedNode>,
    /// The user's items in lists that hold managed nodes: any other unmanaged item is new, or a managed one that was
    /// edited.
    pub others: BTreeMap<Pointer, Vec<NodeSum>>,
    /// Locations where the user's value equals the desired one.
    pub equal_user_nodes: Vec<NodeLocation>,
    /// Whitespace that removing all nodes would not restore.
    pub seams: Option<RemovalWhitespace>,
    /// The kept values of the nodes, which merges start from.
    pub values: Option<KeptValues>,
    /// The new version that could not be merged into the user's edits.
    pub conflict: Option<SharedConflict>,
}

impl OwnedNodes {
    /// The record of a wholly managed file without known nodes.
    pub fn whole(seen: Checksum) -> Self {
        OwnedNodes {
            seen,
            file: FileOrigin::Whole,
            containers: Vec::new(),
            nodes: Vec::new(),
            others: BTreeMap::new(),
            seams: None,
            equal_user_nodes: Vec::new(),
            values: None,
            conflict: None,
        }
    }

    /// Whether a file with this checksum is wholly managed.
    pub fn is_whole(&self, now: Checksum) -> bool {
        self.file == FileOrigin::Whole && self.seen == now
    }

    /// The number of managed nodes; a wholly managed file is one.
    pub fn count(&self) -> usize {
        if self.file == FileOrigin::Whole {
            1
        } else {
            self.nodes.len()
        }
    }

    /// Whether an item of a list was the user's at the last observation.
    pub(super) fn is_others(&self, list: &Pointer, sum: NodeSum) -> bool {
        self.others
            .get(list)
            .is_some_and(|others| others.contains(&sum))
    }
}

/// A managed node.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct OwnedNode {
    /// The location of the node.
    pub location: NodeLocation,
    /// The checksum of the written value, independent of its spelling.
    pub checksum: NodeSum,
    /// The commands in an item, by which an edited one is recognized.
    pub marks: Vec<String>,
    /// The matcher of a hook, by which an item with an edited command is recognized.
    pub matcher: Option<String>,
    /// The owner.
    pub owner: Owner,
    /// The author of the value.
    pub author: Author,
}
