//! Whether our nodes are as we left them, and how they get back to how they were before.

use agpm_model::{EntryNode, Place};
use agpm_text::{Document, NodeRef, Pointer, to_value};

use super::engine::Engine;
use super::look::{checksum_of, has_marks, items_at, locate, shares_mark};
use super::{DesiredNode, FileOutcome, NodeError, OwnedNode, OwnedNodes};
use crate::plan::Overwrite;

/// What is wrong with a node of ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeState {
    /// It is gone.
    Missing,
    /// It says something else.
    Edited,
}

/// A node of ours that is not as we left it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeFinding {
    /// Where.
    pub place: Place,
    /// What is wrong.
    pub state: NodeState,
    /// The resource it belongs to, as `TYPE/NAME`.
    pub owner: String,
}

/// Our nodes that are missing or edited.
pub fn check_nodes(document: Option<&Document>, owned: &OwnedNodes) -> Vec<NodeFinding> {
    let finding = |node: &OwnedNode| {
        let state = match document {
            Some(document) => state(document, node, owned)?,
            None => NodeState::Missing,
        };
        Some(NodeFinding { place: node.place.clone(), state, owner: node.owner.clone() })
    };
    owned.nodes.iter().filter_map(finding).collect()
}

fn state(document: &Document, node: &OwnedNode, owned: &OwnedNodes) -> Option<NodeState> {
    if locate(document, node).is_some() {
        return None;
    }
    let is_other = |item: NodeRef<'_>| {
        let checksum = checksum_of(item);
        owned.nodes.iter().any(|other| other.place == node.place && other.checksum == checksum)
    };
    let edited = match &node.place {
        Place::Key(at) => document.at(at).is_some(),
        // Any value of the user's will do.
        Place::Default(at) if document.at(at).is_some() => return None,
        Place::Default(_) => false,
        Place::Item(list) => {
            let new = |item: NodeRef<'_>| has_marks(item) && !owned.is_others(list, checksum_of(item));
            let ours = |item: &NodeRef<'_>| !is_other(*item) && (shares_mark(*item, node) || new(*item));
            items_at(document, list).iter().any(ours)
        }
    };
    Some(if edited { NodeState::Edited } else { NodeState::Missing })
}

/// Takes a change of ours back in a file that was edited since: our nodes become as they were in `before`, and all that
/// is the user's stays as it is now.
pub fn take_back(
    now: &Document,
    before: Option<&Document>,
    owned_before: Option<&OwnedNodes>,
    owned_after: Option<&OwnedNodes>,
) -> Result<FileOutcome, NodeError> {
    let old = before.map(|before| desired_before(before, owned_before, owned_after)).unwrap_or_default();
    let engine = Engine::new(now.format(), Some(now), owned_after, Overwrite::Nothing);
    // What the user put in the place of a node since then stays.
    engine.run(&old).map(|done| done.outcome)
}

/// What was ours before, and what the user had under keys that became ours.
fn desired_before(
    before: &Document,
    owned_before: Option<&OwnedNodes>,
    owned_after: Option<&OwnedNodes>,
) -> Vec<DesiredNode> {
    let nodes = |owned: Option<&OwnedNodes>| owned.map(|owned| owned.nodes.clone()).unwrap_or_default();
    let own = |node: OwnedNode| desired_at(before, &locate(before, &node)?, node);
    let taken_over = |node: OwnedNode| match node.place.clone() {
        Place::Key(at) => desired_at(before, &at, node),
        Place::Item(_) | Place::Default(_) => None,
    };
    let mut desired: Vec<DesiredNode> = nodes(owned_before).into_iter().filter_map(own).collect();
    for old in nodes(owned_after).into_iter().filter_map(taken_over) {
        if desired.iter().all(|known| known.node.place != old.node.place) {
            desired.push(old);
        }
    }
    desired
}

fn desired_at(document: &Document, at: &Pointer, node: OwnedNode) -> Option<DesiredNode> {
    let value = to_value(document.at(at)?);
    Some(DesiredNode { node: EntryNode { place: node.place, value }, owner: node.owner })
}
