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
    /// The node has another value.
    Edited,
}

/// A managed node that is modified or missing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeFinding {
    /// The position of the node.
    pub place: NodeLocation,
    /// The problem.
    pub state: NodeState,
    /// The resource it belongs to, as `TYPE/NAME`.
    pub owner: Owner,
}

impl OwnedNodes {
    /// Whether agpm wrote exactly this node before.
    pub fn holds(&self, node: &EntryNode) -> bool {
        let checksum = NodeSum::of(&node.value);
        self.nodes
            .iter()
            .any(|owned| owned.place == node.place && owned.checksum == checksum)
    }
}

/// Managed nodes that are missing or edited.
pub fn check_nodes(document: Option<&Document>, owned: &OwnedNodes) -> Vec<NodeFinding> {
    let finding = |node: &OwnedNode, state| NodeFinding {
        place: node.place.clone(),
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
    let known = owned
        .nodes
        .iter()
        .map(|node| (node.place.pointer(), node.checksum))
        .collect();
    let check = OwnershipCheck {
        sight: DocumentIndex::of(document),
        owned,
        known,
    };
    owned
        .nodes
        .iter()
        .filter_map(|node| Some(finding(node, check.state(node)?)))
        .collect()
}

struct OwnershipCheck<'a> {
    sight: DocumentIndex<'a>,
    owned: &'a OwnedNodes,
    known: HashSet<(&'a Pointer, NodeSum)>,
}

impl OwnershipCheck<'_> {
    fn state(&self, node: &OwnedNode) -> Option<NodeState> {
        if self.sight.holds(node) {
            return None;
        }
        let edited = match &node.place {
            // A user who replaced the parent with a string edited the node too; "missing" would suggest that an
            // install can restore it.
            place if find_obstruction(&self.sight, place).is_some() => true,
            NodeLocation::Key(at) => self.sight.at(at).is_some(),
            NodeLocation::Default(at) => match self.sight.at(at) {
                // Any value of the user's will do, in the location of a bare container any of its kind.
                Some(now) if !bare_of_another_kind(node, now) => return None,
                now => now.is_some(),
            },
            NodeLocation::Item(list) => self.is_edited_item(node, list),
            NodeLocation::Keyed { list, key, id } => !self.sight.with_id(list, key, id).is_empty(),
        };
        Some(if edited {
            NodeState::Edited
        } else {
            NodeState::Missing
        })
    }

    fn is_edited_item(&self, node: &OwnedNode, list: &Pointer) -> bool {
        // Without a command or a URL to recognize it by, a changed item cannot be distinguished from one of the
        // user: it is missing.
        if node.marks.is_empty() {
            return false;
        }
        let sums = self.sight.sums(list);
        let new = |item: NodeRef<'_>, sum: NodeSum| {
            resembles(item, node) && !self.owned.is_others(list, sum)
        };
        let is_ours = |(item, sum): (NodeRef<'_>, &NodeSum)| {
            !self.known.contains(&(list, *sum)) && (shares_mark(item, node) || new(item, *sum))
        };
        self.sight
            .items(list)
            .into_iter()
            .zip(&sums.all)
            .any(is_ours)
    }
}

/// Whether a managed node is an empty map or list, and something else exists there.
fn bare_of_another_kind(node: &OwnedNode, now: NodeRef<'_>) -> bool {
    let bare = [
        (NodeKind::Map, Value::Map(Vec::new())),
        (NodeKind::List, Value::List(Vec::new())),
    ];
    bare.iter()
        .any(|(kind, value)| NodeSum::of(value) == node.checksum && now.kind() != *kind)
}

/// Undoes a change in a file that was edited since: the managed nodes become as they were in `before`, and everything
/// that is the user's stays as it is now.
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
        // A user's later value at the position of a node stays.
        overwrite: OverwriteRule::Nothing,
    };
    task.plan_keys(normalize_desired(&old)?)
        .map(|done| done.outcome)
}

/// Nodes that agpm wrote: adopted ones are the user's, and stay.
fn without_adopted(owned: &OwnedNodes) -> OwnedNodes {
    let mut owned = owned.clone();
    owned.nodes.retain(|node| node.author == Author::Agpm);
    owned
}

/// The nodes managed before, and the user's values under keys that became managed.
fn desired_before(
    before: &Document,
    owned_before: Option<&OwnedNodes>,
    owned_after: Option<&OwnedNodes>,
) -> Vec<DesiredNode> {
    let sight = DocumentIndex::of(before);
    let nodes =
        |owned: Option<&OwnedNodes>| owned.map(|owned| owned.nodes.clone()).unwrap_or_default();
    let own = |node: OwnedNode| {
        let (index, at) = sight.spot(&node, |_| true)?;
        Some((index, desired_at(before.at(&at)?, node)))
    };
    // A key that `--adopt` took over had a value of the user before, which the undo has to restore.
    let taken_over = |node: OwnedNode| {
        let now = match &node.place {
            NodeLocation::Key(at) => sight.at(at),
            NodeLocation::Keyed { list, key, id } => sight
                .with_id(list, key, id)
                .first()
                .and_then(|index| sight.item(list, *index)),
            NodeLocation::Item(_) | NodeLocation::Default(_) => None,
        };
        Some(desired_at(now?, node))
    };
    let mut placed: Vec<(usize, DesiredNode)> =
        nodes(owned_before).into_iter().filter_map(own).collect();
    // Items return in the order of the old file: order decides which hook runs first.
    placed.sort_by_key(|(index, _)| *index);
    let mut desired: Vec<DesiredNode> = placed.into_iter().map(|(_, node)| node).collect();
    let known: HashSet<NodeLocation> = desired.iter().map(|node| node.node.place.clone()).collect();
    let others = nodes(owned_after)
        .into_iter()
        .filter(|node| !known.contains(&node.place));
    desired.extend(others.filter_map(taken_over));
    desired
}

fn desired_at(now: NodeRef<'_>, node: OwnedNode) -> DesiredNode {
    let (place, value) = (node.place, to_value(now));
    // A list may have been held in several ways; only those of layers give way to each other.
    DesiredNode {
        node: EntryNode { place, value },
        owner: node.owner,
        on_equal: OnEqualUserValue::Keep,
    }
}
