//! Checks whether managed nodes are unmodified, and restores their earlier state.

use std::collections::HashSet;

use agpm_model::{EntryNode, NodeLocation, Owner};
use agpm_text::{Document, NodeKind, NodeRef, Pointer, Value, to_value};

use super::desired::{DesiredNode, OnEqualUserValue};
use super::desired_set::normalize_desired;
use super::document_index::DocumentIndex;
use super::error::NodeError;
use super::owned::{OwnedNode, OwnedNodes};
use super::planner::find_obstruction;
use super::resemblance::{resembles, shares_mark};
use super::sum::NodeSum;
use super::task::FileOutcome;
use super::task::SharedFileTask;
use crate::change::{Author, OverwriteRule};

/// The problem with a managed node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeState {
    /// The node is missing.
    Missing,
    /// The node has a different value.
    Edited,
}

/// A managed node that is modified or missing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeFinding {
    /// The location of the node.
    pub location: NodeLocation,
    /// The problem.
    pub state: NodeState,
    /// The resource it belongs to, as `TYPE/NAME`.
    pub owner: Owner,
}

impl OwnedNodes {
    /// Whether agpm wrote exactly this node.
    pub fn holds(&self, node: &EntryNode) -> bool {
        let checksum = NodeSum::of(&node.value);
        self.nodes
            .iter()
            .any(|owned| owned.location == node.location && owned.checksum == checksum)
    }
}

/// Managed nodes that are missing or edited.
pub fn check_nodes(document: Option<&Document>, owned: &OwnedNodes) -> Vec<NodeFinding> {
    let finding = |node: &OwnedNode, state| NodeFinding {
        location: node.location.clone(),
        state,
        owner: node.owner.clone(),
    };
    let Some(document) = document else {
        return owned
            .nodes
            .iter()
            .map(|node| finding(node, NodeState::Missing))
            .collect();
    };
    let managed_values = owned
        .nodes
        .iter()
        .map(|node| (node.location.pointer(), node.checksum))
        .collect();
    let check = OwnershipCheck {
        document_index: DocumentIndex::of(document),
        owned,
        managed_values,
    };
    owned
        .nodes
        .iter()
        .filter_map(|node| Some(finding(node, check.state(node)?)))
        .collect()
}

struct OwnershipCheck<'a> {
    document_index: DocumentIndex<'a>,
    owned: &'a OwnedNodes,
    managed_values: HashSet<(&'a Pointer, NodeSum)>,
}

impl OwnershipCheck<'_> {
    fn state(&self, node: &OwnedNode) -> Option<NodeState> {
        if self.document_index.holds(node) {
            return None;
        }
        let edited = match &node.location {
            // A user who replaced the parent with a string edited the node too; "missing" would suggest that an
            // install can restore it.
            location if find_obstruction(&self.document_index, location).is_some() => true,
            NodeLocation::Key(at) => self.document_index.at(at).is_some(),
            NodeLocation::Default(at) => match self.document_index.at(at) {
                // Any value of the user is accepted; for an empty container, any container of its kind.
                Some(now) if !bare_of_another_kind(node, now) => return None,
                now => now.is_some(),
            },
            NodeLocation::Item(list) => self.is_edited_item(node, list),
            NodeLocation::Keyed { list, key, id } => {
                !self.document_index.with_id(list, key, id).is_empty()
            }
        };
        Some(if edited {
            NodeState::Edited
        } else {
            NodeState::Missing
        })
    }

    fn is_edited_item(&self, node: &OwnedNode, list: &Pointer) -> bool {
        // Without a command or URL to recognize it by, an edited item cannot be distinguished from the user's, so it
        // is reported as missing.
        if node.marks.is_empty() {
            return false;
        }
        let sums = self.document_index.sums(list);
        let new = |item: NodeRef<'_>, sum: NodeSum| {
            resembles(item, node) && !self.owned.is_others(list, sum)
        };
        let is_managed = |(item, sum): (NodeRef<'_>, &NodeSum)| {
            !self.managed_values.contains(&(list, *sum))
                && (shares_mark(item, node) || new(item, *sum))
        };
        self.document_index
            .items(list)
            .into_iter()
            .zip(&sums.all)
            .any(is_managed)
    }
}

/// Whether a managed node is an empty map or list, and a value of another kind replaced it.
fn bare_of_another_kind(node: &OwnedNode, now: NodeRef<'_>) -> bool {
    let bare = [
        (NodeKind::Map, Value::Map(Vec::new())),
        (NodeKind::List, Value::List(Vec::new())),
    ];
    bare.iter()
        .any(|(kind, value)| NodeSum::of(value) == node.checksum && now.kind() != *kind)
}

/// Undoes a change in a file that was edited since: managed nodes return to their state in `before`, and everything of
/// the user stays as it is now.
pub fn take_back(
    now: &Document,
    before: Option<&Document>,
    owned_before: Option<&OwnedNodes>,
    owned_after: Option<&OwnedNodes>,
) -> Result<FileOutcome, NodeError> {
    let old = before
        .map(|before| desired_before(before, owned_before, owned_after))
        .unwrap_or_default();
    // An adopted value existed before agpm. Removing it in an undo would delete what the user wrote.
    let written = owned_after.map(without_adopted);
    let task = SharedFileTask {
        format: now.format(),
        existing: Some(now),
        owned: written.as_ref(),
        base: None,
        merged: None,
        // A later value of the user at the location of a node stays.
        overwrite: OverwriteRule::Nothing,
    };
    task.plan_keys(normalize_desired(&old)?)
        .map(|done| done.outcome)
}

/// The nodes that agpm wrote; adopted ones are the user's and stay.
fn without_adopted(owned: &OwnedNodes) -> OwnedNodes {
    let mut owned = owned.clone();
    owned.nodes.retain(|node| node.author == Author::Agpm);
    owned
}

/// The nodes that were managed before, and the user's values under keys that became managed.
fn desired_before(
    before: &Document,
    owned_before: Option<&OwnedNodes>,
    owned_after: Option<&OwnedNodes>,
) -> Vec<DesiredNode> {
    let document_index = DocumentIndex::of(before);
    let nodes =
        |owned: Option<&OwnedNodes>| owned.map(|owned| owned.nodes.clone()).unwrap_or_default();
    let restored = |node: OwnedNode| {
        let (index, at) = document_index.spot(&node, |_| true)?;
        Some((index, desired_at(before.at(&at)?, node)))
    };
    // A key that `--adopt` took over had a value of the user before, which the undo has to restore.
    let taken_over = |node: OwnedNode| {
        let now = match &node.location {
            NodeLocation::Key(at) => document_index.at(at),
            NodeLocation::Keyed { list, key, id } => document_index
                .with_id(list, key, id)
                .first()
                .and_then(|index| document_index.item(list, *index)),
            NodeLocation::Item(_) | NodeLocation::Default(_) => None,
        };
        Some(desired_at(now?, node))
    };
    let mut placed: Vec<(usize, DesiredNode)> = nodes(owned_before)
        .into_iter()
        .filter_map(restored)
        .collect();
    // Items return in the order of the old file: order decides which hook runs first.
    placed.sort_by_key(|(index, _)| *index);
    let mut desired: Vec<DesiredNode> = placed.into_iter().map(|(_, node)| node).collect();
    let restored_locations: HashSet<NodeLocation> = desired
        .iter()
        .map(|node| node.node.location.clone())
        .collect();
    let later = nodes(owned_after)
        .into_iter()
        .filter(|node| !restored_locations.contains(&node.location));
    desired.extend(later.filter_map(taken_over));
    desired
}

fn desired_at(now: NodeRef<'_>, node: OwnedNode) -> DesiredNode {
    let (location, value) = (node.location, to_value(now));
    // A list may have been owned in several ways; only those of layers replace each other.
    DesiredNode {
        node: EntryNode { location, value },
        owner: node.owner,
        on_equal: OnEqualUserValue::Keep,
    }
}
