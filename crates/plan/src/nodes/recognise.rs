//! Recognizes managed nodes that no ledger records.

use std::collections::{HashMap, HashSet};

use agpm_model::{Checksum, NodeLocation, Owner};
use agpm_text::{Document, LazyDocument, NodeKind, Pointer};

use super::desired::{DesiredNode, OnEqualUserValue};
use super::desired_set::{WantedNode, normalize_desired};
use super::document_index::DocumentIndex;
use super::draft::DraftDocument;
use super::file::is_blank;
use super::managed_nodes;
use super::new_file;
use super::owned::{FileOrigin, OwnedNode, OwnedNodes};
use super::resemblance::fingerprint_node;
use super::sum::NodeSum;

/// The managed nodes of a file if agpm wrote these nodes: the recorded ones and those that exist exactly as written.
/// `None` without new ones.
pub fn recognise_nodes(
    now: &Document,
    written: &[DesiredNode],
    recorded: Option<&OwnedNodes>,
) -> Option<OwnedNodes> {
    let document_index = DocumentIndex::of(now);
    let found = unrecorded_nodes(&document_index, written, recorded);
    let locations: HashSet<(&NodeLocation, &Owner)> = found
        .iter()
        .map(|node| (&node.location, &node.owner))
        .collect();
    let modes = OwnershipModes::of(found.iter().map(|node| &node.location));
    let is_replaced = |old: &OwnedNode| {
        let is_found_again =
            locations.contains(&(&old.location, &old.owner)) || modes.conflicts_with(&old.location);
        is_found_again && !document_index.holds(old)
    };
    let rest = recorded
        .into_iter()
        .flat_map(|recorded| &recorded.nodes)
        .filter(|old| !is_replaced(old));
    let mut nodes: Vec<OwnedNode> = rest.chain(&found).cloned().collect();
    nodes.sort();
    let mut containers = recorded
        .map(|recorded| recorded.containers.clone())
        .unwrap_or_default();
    containers.extend(
        found
            .iter()
            .filter_map(|node| bare_container(&document_index, node)),
    );
    if found.is_empty() {
        return None;
    }
    let emptied = EmptiedFile::of(now, &nodes, &found);
    let is_new = |at: &Pointer| !containers.contains(at);
    let new: Vec<Pointer> = emptied.containers.into_iter().filter(is_new).collect();
    containers.extend(new);
    containers.sort_by_key(|at| (at.steps().len(), at.clone()));
    Some(OwnedNodes {
        seen: recorded.map_or_else(
            || Checksum::of(now.text().as_bytes()),
            |recorded| recorded.seen,
        ),
        file: recorded.map_or(emptied.origin, |recorded| recorded.file),
        containers,
        others: recorded
            .map(|recorded| recorded.others.clone())
            .unwrap_or_default(),
        equal_user_nodes: recorded
            .map(|recorded| recorded.equal_user_nodes.clone())
            .unwrap_or_default(),
        seams: recorded.and_then(|recorded| recorded.seams.clone()),
        nodes,
        values: None,
        conflict: None,
    })
}

/// The rest of a file without its managed nodes.
struct EmptiedFile {
    /// Containers around recognized nodes that would be empty, outermost first.
    containers: Vec<Pointer>,
    origin: FileOrigin,
}

impl EmptiedFile {
    /// No ledger records which containers agpm created. One that holds only managed nodes is removed with them:
    /// an empty one would be left otherwise.
    fn of(now: &Document, managed: &[OwnedNode], found: &[OwnedNode]) -> Self {
        let around = managed_nodes::containers(found, now.format());
        let around: Vec<Pointer> = around.into_iter().collect();
        let mut rest = DraftDocument::new(now);
        if rest.strip(managed, &around).is_err() {
            return EmptiedFile {
                containers: Vec::new(),
                origin: FileOrigin::Users,
            };
        }
        let origin = if is_blank(rest.text()) {
            FileOrigin::Ours
        } else {
            FileOrigin::Users
        };
        let is_emptied = |at: &Pointer| rest.document.at(at).is_none();
        EmptiedFile {
            containers: around.into_iter().filter(is_emptied).collect(),
            origin,
        }
    }
}

/// A file with exactly the bytes that agpm would write to an empty path is wholly managed.
pub fn recognise_file(
    now: &Document,
    base: &LazyDocument,
    written: &[DesiredNode],
) -> Option<OwnedNodes> {
    let built =
        new_file::build_shared_file(now.format(), Some(base), &normalize_desired(written).ok()?)
            .ok()?;
    (*built.text == **now.text()).then_some(built.owned)
}

/// The container of a managed default.
fn bare_container(document_index: &DocumentIndex<'_>, node: &OwnedNode) -> Option<Pointer> {
    let NodeLocation::Default(at) = &node.location else {
        return None;
    };
    let is_container = document_index
        .at(at)
        .is_some_and(|now| matches!(now.kind(), NodeKind::Map | NodeKind::List));
    is_container.then(|| at.clone())
}

/// Nodes that exist as written and have no recorded author.
fn unrecorded_nodes(
    document_index: &DocumentIndex<'_>,
    written: &[DesiredNode],
    recorded: Option<&OwnedNodes>,
) -> Vec<OwnedNode> {
    let old = || recorded.into_iter().flat_map(|recorded| &recorded.nodes);
    let equal_user_nodes: HashSet<&NodeLocation> = recorded
        .into_iter()
        .flat_map(|recorded| &recorded.equal_user_nodes)
        .collect();
    // Equal values of two resources are one node, whichever of them it is recorded for.
    let mut seen: HashSet<(NodeLocation, NodeSum)> = old()
        .map(|node| (node.location.clone(), node.checksum))
        .collect();
    let is_users = |on_equal: OnEqualUserValue, node: &OwnedNode| {
        let list = node.location.pointer();
        let is_other = || recorded.is_some_and(|recorded| recorded.is_others(list, node.checksum));
        on_equal == OnEqualUserValue::Keep
            && equal_user_nodes.contains(&node.location)
            && (!matches!(node.location, NodeLocation::Item(_)) || is_other())
    };
    let unmodified = old()
        .filter(|node| document_index.holds(node))
        .map(|node| &node.location);
    let modes = OwnershipModes::of(unmodified.chain(equal_user_nodes.iter().copied()));
    let mut found = Vec::new();
    for first in split_lists(written) {
        let node = fingerprint_node(&first.node.location, &first.node.value, &first.owner);
        // A default is written only where nothing exists, and the ledger records those that agpm wrote: one that it
        // lacks existed before.
        let is_users_default =
            recorded.is_some() && matches!(node.location, NodeLocation::Default(_));
        if !is_users(first.on_equal, &node)
            && !is_users_default
            && !modes.conflicts_with(&node.location)
            && document_index.holds(&node)
            && seen.insert((node.location.clone(), node.checksum))
        {
            found.push(node);
        }
    }
    found
}

/// The nodes as they were written: a list that others extend is split into its items.
fn split_lists(written: &[DesiredNode]) -> Vec<WantedNode<'_>> {
    normalize_desired(written)
        .unwrap_or_else(|_| written.iter().map(WantedNode::Borrowed).collect())
}

/// How locations are owned: a list is owned as a whole or by items, never both.
struct OwnershipModes<'p>(HashMap<&'p Pointer, Vec<&'p NodeLocation>>);

impl<'p> OwnershipModes<'p> {
    fn of(locations: impl Iterator<Item = &'p NodeLocation>) -> Self {
        let mut modes: HashMap<&Pointer, Vec<&NodeLocation>> = HashMap::new();
        for location in locations {
            let modes_here = modes.entry(location.pointer()).or_default();
            if !modes_here.iter().any(|second| is_alike(second, location)) {
                modes_here.push(location);
            }
        }
        OwnershipModes(modes)
    }

    fn conflicts_with(&self, location: &NodeLocation) -> bool {
        self.0
            .get(location.pointer())
            .is_some_and(|modes_here| modes_here.iter().any(|second| !is_alike(second, location)))
    }
}

fn is_alike(first: &NodeLocation, second: &NodeLocation) -> bool {
    match (first, second) {
        (NodeLocation::Keyed { key: first, .. }, NodeLocation::Keyed { key: second, .. }) => {
            first == second
        }
        _ => std::mem::discriminant(first) == std::mem::discriminant(second),
    }
}
