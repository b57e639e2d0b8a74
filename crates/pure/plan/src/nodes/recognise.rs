//! Managed nodes that no ledger records.

use std::collections::{HashMap, HashSet};

use agpm_model::{Checksum, NodeLocation, Owner};
use agpm_text::{Document, LazyDocument, NodeKind, Pointer};

use super::desired::{DesiredNode, OnEqualUserValue};
use super::desired_set::{WantedNode, normalize_desired};
use super::document_index::DocumentIndex;
use super::new_file;
use super::owned::{FileOrigin, OwnedNode, OwnedNodes};
use super::resemblance::remember;
use super::sum::NodeSum;

/// The managed nodes of a file if agpm wrote these nodes: those that exist exactly so, besides the known ones. Nothing
/// if there is none.
pub fn recognise_nodes(
    now: &Document,
    written: &[DesiredNode],
    known: Option<&OwnedNodes>,
) -> Option<OwnedNodes> {
    let sight = DocumentIndex::of(now);
    let there = newly_known(&sight, written, known);
    let places: HashSet<(&NodeLocation, &Owner)> = there
        .iter()
        .map(|node| (&node.place, &node.owner))
        .collect();
    let ways = OwnershipModes::of(there.iter().map(|node| &node.place));
    let is_replaced = |old: &OwnedNode| {
        let is_anew = places.contains(&(&old.place, &old.owner)) || ways.has_other(&old.place);
        is_anew && !sight.holds(old)
    };
    let rest = known
        .into_iter()
        .flat_map(|known| &known.nodes)
        .filter(|old| !is_replaced(old));
    let mut nodes: Vec<OwnedNode> = rest.chain(&there).cloned().collect();
    nodes.sort();
    let mut containers = known
        .map(|known| known.containers.clone())
        .unwrap_or_default();
    containers.extend(there.iter().filter_map(|node| bare_container(&sight, node)));
    (!there.is_empty()).then(|| OwnedNodes {
        seen: known.map_or_else(|| Checksum::of(now.text().as_bytes()), |known| known.seen),
        file: known.map_or(FileOrigin::Users, |known| known.file),
        containers,
        others: known.map(|known| known.others.clone()).unwrap_or_default(),
        theirs: known.map(|known| known.theirs.clone()).unwrap_or_default(),
        seams: known.and_then(|known| known.seams.clone()),
        nodes,
    })
}

/// A file with exactly the bytes that agpm would write to an empty path is wholly managed.
pub fn recognise_file(
    now: &Document,
    base: &LazyDocument,
    written: &[DesiredNode],
) -> Option<OwnedNodes> {
    let made =
        new_file::build_shared_file(now.format(), Some(base), &normalize_desired(written).ok()?)
            .ok()?;
    (*made.text == **now.text()).then_some(made.owned)
}

/// The container that a managed default is.
fn bare_container(sight: &DocumentIndex<'_>, node: &OwnedNode) -> Option<Pointer> {
    let NodeLocation::Default(at) = &node.place else {
        return None;
    };
    let is_container = sight
        .at(at)
        .is_some_and(|now| matches!(now.kind(), NodeKind::Map | NodeKind::List));
    is_container.then(|| at.clone())
}

/// Nodes that exist as written and that nobody is known to have put there.
fn newly_known(
    sight: &DocumentIndex<'_>,
    written: &[DesiredNode],
    known: Option<&OwnedNodes>,
) -> Vec<OwnedNode> {
    let old = || known.into_iter().flat_map(|known| &known.nodes);
    let theirs: HashSet<&NodeLocation> =
        known.into_iter().flat_map(|known| &known.theirs).collect();
    // Equal values of two resources are one node, whichever of them it is recorded for.
    let mut seen: HashSet<(NodeLocation, NodeSum)> = old()
        .map(|node| (node.place.clone(), node.checksum))
        .collect();
    let is_users = |on_equal: OnEqualUserValue, node: &OwnedNode| {
        let list = node.place.pointer();
        let is_other = || known.is_some_and(|known| known.is_others(list, node.checksum));
        on_equal == OnEqualUserValue::Keep
            && theirs.contains(&node.place)
            && (!matches!(node.place, NodeLocation::Item(_)) || is_other())
    };
    let held = old()
        .filter(|node| sight.holds(node))
        .map(|node| &node.place);
    let ways = OwnershipModes::of(held.chain(theirs.iter().copied()));
    let mut there = Vec::new();
    for one in split_lists(written) {
        let node = remember(&one.node.place, &one.node.value, &one.owner);
        // A default is written only where nothing is, and the ledger of a known file has those that agpm wrote: one that
        // it lacks was the user's before.
        let is_users_default = known.is_some() && matches!(node.place, NodeLocation::Default(_));
        if !is_users(one.on_equal, &node)
            && !is_users_default
            && !ways.has_other(&node.place)
            && sight.holds(&node)
            && seen.insert((node.place.clone(), node.checksum))
        {
            there.push(node);
        }
    }
    there
}

/// The nodes as they were written: a list that others extend is split into its items.
fn split_lists(written: &[DesiredNode]) -> Vec<WantedNode<'_>> {
    normalize_desired(written)
        .unwrap_or_else(|_| written.iter().map(WantedNode::Borrowed).collect())
}

/// In which ways locations are held: a list may be whole, or by its items, and never both.
struct OwnershipModes<'p>(HashMap<&'p Pointer, Vec<&'p NodeLocation>>);

impl<'p> OwnershipModes<'p> {
    fn of(places: impl Iterator<Item = &'p NodeLocation>) -> Self {
        let mut ways: HashMap<&Pointer, Vec<&NodeLocation>> = HashMap::new();
        for place in places {
            let here = ways.entry(place.pointer()).or_default();
            if !here.iter().any(|other| is_alike(other, place)) {
                here.push(place);
            }
        }
        OwnershipModes(ways)
    }

    fn has_other(&self, place: &NodeLocation) -> bool {
        self.0
            .get(place.pointer())
            .is_some_and(|here| here.iter().any(|other| !is_alike(other, place)))
    }
}

fn is_alike(one: &NodeLocation, other: &NodeLocation) -> bool {
    match (one, other) {
        (NodeLocation::Keyed { key: one, .. }, NodeLocation::Keyed { key: other, .. }) => {
            one == other
        }
        _ => std::mem::discriminant(one) == std::mem::discriminant(other),
    }
}
