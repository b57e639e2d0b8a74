//! Managed nodes in files that users write too, planned key by key.
//!
//! Each node is inserted, changed or removed by a separate edit, which preserves the user's bytes.

mod check;
mod desired;
mod desired_index;
mod desired_set;
mod document_index;
mod draft;
mod edited;
mod error;
mod file;
mod items;
mod lists;
mod managed_nodes;
mod new_file;
mod order;
mod owned;
mod owner;
mod planner;
mod recognise;
mod record;
mod removal_whitespace;
mod resemblance;
mod retire;
mod sum;
mod target;
mod task;
mod undecided_nodes;

use std::collections::BTreeMap;

use agpm_model::{ObservedPath, RelativePath};
use agpm_text::{Document, Format, LazyDocument, Pointer, Value};

use crate::change::{OverwriteRule, PlannedChange, RefusedChange};
use task::SharedFileTask;

pub use check::{NodeFinding, NodeState, check_nodes, take_back};
pub use desired::{DesiredNode, OnEqualUserValue};
pub use edited::{EditedNode, position_of, with_value};
pub use error::NodeError;
pub use owned::{FileOrigin, OwnedNode, OwnedNodes};
pub use recognise::{recognise_file, recognise_nodes};
pub use record::{NodesRecord, location_of_record, location_record};
pub use removal_whitespace::{Hunk, RemovalWhitespace};
pub use sum::NodeSum;
pub use task::FileOutcome;

/// A file that users write too, and its desired nodes.
#[derive(Clone, Copy, Debug)]
pub struct SharedFile<'a> {
    /// The path, from the project.
    pub path: &'a RelativePath,
    /// The format of a new file.
    pub format: Format,
    /// The current state of the path.
    pub before: ObservedPath,
    /// The parsed file; `None` if it does not exist.
    pub document: Option<&'a Document>,
    /// The desired nodes.
    pub desired: &'a [DesiredNode],
    /// The managed nodes as agpm last wrote them.
    pub owned: Option<&'a OwnedNodes>,
    /// The merged text of the layers, used to create a file that does not exist or is wholly managed.
    pub base: Option<&'a LazyDocument>,
    /// Values to write in place of edited ones, by their position.
    pub merged: Option<&'a BTreeMap<Pointer, Value>>,
    /// The content that agpm may overwrite.
    pub overwrite: OverwriteRule,
}

/// The plan for one shared file.
#[derive(Clone, Debug, PartialEq)]
pub struct NodePlan {
    /// The resulting file; unchanged if anything was refused.
    pub outcome: FileOutcome,
    /// Changes by location.
    pub changes: Vec<PlannedChange>,
    /// Changes that are refused.
    pub refusals: Vec<RefusedChange>,
    /// The managed nodes afterwards; `None` if none are managed and no user's node equals a desired one.
    pub owned: Option<OwnedNodes>,
    /// The number of unchanged nodes.
    pub unchanged: usize,
    /// Edited nodes of which a new version exists.
    pub edited: Vec<EditedNode>,
}

/// Plans the desired nodes of a shared file against the existing ones.
pub fn plan_nodes(file: &SharedFile<'_>) -> Result<NodePlan, NodeError> {
    let task = SharedFileTask {
        format: file.format,
        existing: file.document,
        owned: file.owned,
        base: file.base,
        merged: file.merged,
        overwrite: file.overwrite,
    };
    let done = task.plan(file.desired)?;
    let change = |step: planner::NodeStep| PlannedChange {
        path: file.path.clone(),
        pointer: Some(step.at),
        block: None,
        action: step.action,
        before: file.before,
        content: None,
        reason: step.reason,
        owner: step.owner,
    };
    let refusal = |refused: planner::RefusedNode| RefusedChange {
        path: file.path.clone(),
        pointer: Some(refused.at),
        block: None,
        obstacle: refused.obstacle,
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
        edited: done.edited,
    })
}
