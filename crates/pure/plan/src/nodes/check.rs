//! Whether our nodes are as we left them, and how they get back to how they were before.

use agpm_model::{Checksum, EntryNode, Place};
use agpm_text::{Document, NodeRef, Pointer, to_value};

use super::engine::Engine;
use super::look::{checksum_of, items_at, keyed_at, locate, remember, resembles, shares_mark};
use super::{DesiredNode, FileOrigin, FileOutcome, NodeError, OwnedNode, OwnedNodes, Twin};
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

/// What is ours in a file if these nodes were written by us: those that are there just so, beside what is known.
/// Nothing if there is none.
pub fn recognise_nodes(
    now: &Document,
    written: &[DesiredNode],
    known: Option<&OwnedNodes>,
) -> Option<OwnedNodes> {
    let node = |one: &DesiredNode| remember(&one.node.place, &one.node.value, &one.owner);
    // What two resources give alike is one node, whoever it is written down for.
    let is_known = |node: &OwnedNode| {
        let mut nodes = known.into_iter().flat_map(|known| &known.nodes);
        nodes.any(|old| old.place == node.place && old.checksum == node.checksum)
    };
    let mut there: Vec<OwnedNode> =
        written.iter().map(node).filter(|node| locate(now, node).is_some() && !is_known(node)).collect();
    there.sort();
    there.dedup_by(|left, right| left.place == right.place && left.checksum == right.checksum);
    let stands_for = |old: &OwnedNode, new: &OwnedNode| old.place == new.place && old.owner == new.owner;
    let replaced = |old: &&OwnedNode| {
        let gone = locate(now, old).is_none();
        there.iter().any(|new| *old == new || gone && stands_for(old, new))
    };
    let rest = known.into_iter().flat_map(|known| &known.nodes).filter(|old| !replaced(old));
    let mut nodes: Vec<OwnedNode> = rest.cloned().chain(there.iter().cloned()).collect();
    nodes.sort();
    nodes.dedup();
    (!there.is_empty()).then(|| OwnedNodes {
        seen: known.map_or_else(|| Checksum::of(now.text().as_bytes()), |known| known.seen),
        file: known.map_or(FileOrigin::Users, |known| known.file),
        containers: known.map(|known| known.containers.clone()).unwrap_or_default(),
        others: known.map(|known| known.others.clone()).unwrap_or_default(),
        theirs: known.map(|known| known.theirs.clone()).unwrap_or_default(),
        seams: known.and_then(|known| known.seams.clone()),
        nodes,
    })
}

impl OwnedNodes {
    /// Whether we wrote this very node before.
    pub fn holds(&self, node: &EntryNode) -> bool {
        let checksum = checksum_of(&node.value);
        self.nodes.iter().any(|owned| owned.place == node.place && owned.checksum == checksum)
    }
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
        Place::Keyed { list, key, id } => keyed_at(document, list, key, id).is_some(),
        // Any value of the user's will do.
        Place::Default(at) if document.at(at).is_some() => return None,
        Place::Default(_) => false,
        Place::Item(list) => {
            let new = |item: NodeRef<'_>| resembles(item, node) && !owned.is_others(list, checksum_of(item));
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
        Place::Item(_) | Place::Default(_) | Place::Keyed { .. } => None,
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
    Some(DesiredNode { node: EntryNode { place: node.place, value }, owner: node.owner, twin: Twin::Taken })
}
