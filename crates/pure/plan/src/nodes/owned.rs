//! Nodes as agpm left them: what the ledger holds of a shared file.

use std::collections::BTreeMap;

use agpm_model::{Checksum, NodeLocation, Owner};
use agpm_text::Pointer;
use serde::{Deserialize, Serialize};

use super::removal_whitespace::RemovalWhitespace;
use super::sum::NodeSum;
use crate::change::Author;

/// Who made a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FileOrigin {
    /// We did, and all that is in it, comments too, is ours.
    Whole,
    /// We did: it goes when nothing is left in it.
    Ours,
    /// The user did: it stays.
    #[default]
    Users,
}

/// What is ours inside one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnedNodes {
    /// Of the whole file as we left it.
    pub seen: Checksum,
    /// Who made the file.
    pub file: FileOrigin,
    /// Maps and lists that we made to hold our nodes, outermost first; they go when they are empty.
    pub containers: Vec<Pointer>,
    /// By place.
    pub nodes: Vec<OwnedNode>,
    /// The user's own items in lists that hold nodes of ours: what is none of them and not ours is new, or ours and edited.
    pub others: BTreeMap<Pointer, Vec<NodeSum>>,
    /// Places where the user's own value is just what is wanted.
    pub theirs: Vec<NodeLocation>,
    /// Blanks that removing all nodes would not bring back by itself.
    pub seams: Option<RemovalWhitespace>,
}

impl OwnedNodes {
    /// A file that is wholly ours and of which no node is known.
    pub fn whole(seen: Checksum) -> Self {
        OwnedNodes {
            seen,
            file: FileOrigin::Whole,
            containers: Vec::new(),
            nodes: Vec::new(),
            others: BTreeMap::new(),
            seams: None,
            theirs: Vec::new(),
        }
    }

    /// Whether a file of this checksum is wholly ours.
    pub fn is_whole(&self, now: Checksum) -> bool {
        self.file == FileOrigin::Whole && self.seen == now
    }

    /// How many things of ours there are: a file that is wholly ours is one.
    pub fn count(&self) -> usize {
        if self.file == FileOrigin::Whole {
            1
        } else {
            self.nodes.len()
        }
    }

    /// Whether an item of a list was the user's when we last looked.
    pub(super) fn is_others(&self, list: &Pointer, sum: NodeSum) -> bool {
        self.others
            .get(list)
            .is_some_and(|others| others.contains(&sum))
    }
}

/// A node of ours.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct OwnedNode {
    /// Where.
    pub place: NodeLocation,
    /// Of what we wrote, however it is spelled.
    pub checksum: NodeSum,
    /// The commands in an item, by which an edited one is known.
    pub marks: Vec<String>,
    /// What an item is for, by which one is known whose command was edited.
    pub matcher: Option<String>,
    /// Whose it is.
    pub owner: Owner,
    /// Who wrote it.
    pub author: Author,
}
