//! Nodes of ours inside files that users write too: what is to be against what is there, key by key.
//!
//! Users' bytes stay: a node is inserted, changed or removed by an edit of its own.

mod check;
mod desired_index;
mod desired_set;
mod document_index;
mod draft;
mod file;
mod items;
mod lists;
mod managed_nodes;
mod new_file;
mod order;
mod owner;
mod planner;
mod recognise;
mod record;
mod removal_whitespace;
mod resemblance;
mod retire;
mod sum;
mod target;
mod undecided_nodes;

use std::collections::BTreeMap;

use agpm_model::{Checksum, EntryNode, NodeLocation, ObservedPath, Owner, RelativePath};
use agpm_text::{Document, EditError, Format, LazyDocument, Pointer};
use serde::{Deserialize, Serialize};

use crate::change::{Author, OverwriteRule, PlannedChange, RefusedChange};
use file::SharedFileTask;

pub use check::{NodeFinding, NodeState, check_nodes, take_back};
pub use recognise::{recognise_file, recognise_nodes};
pub use record::NodesRecord;
pub use removal_whitespace::{Hunk, RemovalWhitespace};
pub use sum::NodeSum;

/// A node as it is to be in a file that others write too.
#[derive(Clone, Debug, PartialEq)]
pub struct DesiredNode {
    /// Where and what.
    pub node: EntryNode,
    /// Whose it is.
    pub owner: Owner,
    /// What becomes of a node of the user's that says the same.
    pub twin: OnEqualUserValue,
}

/// What becomes of a node of the user's that is there already and says the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnEqualUserValue {
    /// It is adopted: managed from now on, and left in place when it is no longer wanted.
    Taken,
    /// It stays the user's.
    Left,
}

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
    fn is_others(&self, list: &Pointer, sum: NodeSum) -> bool {
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

/// A file that others write too, and what is to be in it.
#[derive(Clone, Copy, Debug)]
pub struct SharedFile<'a> {
    /// From the project.
    pub path: &'a RelativePath,
    /// What a new file is written as.
    pub format: Format,
    /// What is at the path.
    pub before: ObservedPath,
    /// Its structure; nothing if there is no file.
    pub document: Option<&'a Document>,
    /// Our nodes as they are to be.
    pub desired: &'a [DesiredNode],
    /// Our nodes as we left them.
    pub owned: Option<&'a OwnedNodes>,
    /// The text that the layers give; a file that is not there, or wholly ours, is made from it.
    pub base: Option<&'a LazyDocument>,
    /// What may be overwritten.
    pub overwrite: OverwriteRule,
}

/// What happens to the whole file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileOutcome {
    /// Nothing.
    Unchanged,
    /// It gets this text.
    Write(String),
    /// It goes.
    Remove,
}

/// Everything that is to be done to one shared file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodePlan {
    /// The file afterwards. With refusals it is unchanged.
    pub outcome: FileOutcome,
    /// Changes by place.
    pub changes: Vec<PlannedChange>,
    /// What must not be done.
    pub refusals: Vec<RefusedChange>,
    /// What is ours afterwards; nothing if no node is, and none of the user's is just what is wanted.
    pub owned: Option<OwnedNodes>,
    /// How many nodes are as they should be.
    pub unchanged: usize,
}

/// Why there is no plan for a file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NodeError {
    /// Two resources want different things of one place.
    #[error("{first} and {second} write different values to `{at}`")]
    Clash {
        /// The place.
        at: Pointer,
        /// One owner.
        first: Owner,
        /// The other.
        second: Owner,
    },
    /// The text cannot be edited there.
    #[error("`{at}` cannot be written: {why}")]
    Edit {
        /// The place.
        at: Pointer,
        /// Why not.
        #[source]
        why: EditError,
    },
}

/// Compares what is to be in a shared file with what is there.
pub fn plan_nodes(file: &SharedFile<'_>) -> Result<NodePlan, NodeError> {
    let task = SharedFileTask {
        format: file.format,
        existing: file.document,
        owned: file.owned,
        base: file.base,
        overwrite: file.overwrite,
    };
    let done = task.plan(file.desired)?;
    let change = |step: planner::NodeStep| PlannedChange {
        path: file.path.clone(),
        place: Some(step.at),
        block: None,
        action: step.action,
        before: file.before,
        reason: step.reason,
        owner: step.owner,
    };
    let refusal = |refused: planner::RefusedNode| RefusedChange {
        path: file.path.clone(),
        place: Some(refused.at),
        block: None,
        what: refused.what,
        owner: refused.owner,
    };
    let refused = !done.refused.is_empty();
    Ok(NodePlan {
        outcome: if refused {
            FileOutcome::Unchanged
        } else {
            done.outcome
        },
        changes: done.steps.into_iter().map(change).collect(),
        refusals: done.refused.into_iter().map(refusal).collect(),
        owned: if refused {
            file.owned.cloned()
        } else {
            done.owned
        },
        unchanged: done.unchanged,
    })
}
