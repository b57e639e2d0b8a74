//! Reconciles lists whose kind of ownership changes: whole, item by item, or by a key of the items.

use std::collections::{BTreeMap, HashMap, HashSet};

use agpm_model::{NodeLocation, Owner};
use agpm_text::{Document, NodeKind, NodeRef, Pointer, Value, to_value};

use super::desired_set::{WantedNode, items_of, split};
use super::document_index::DocumentIndex;
use super::managed_nodes::ManagedNodes;
use super::owned::OwnedNode;
use super::resemblance::{fingerprint_node, is_bare};
use super::sum::NodeSum;
use crate::change::OverwriteRule;

/// The ownership of a list.
#[derive(Clone, PartialEq, Eq)]
enum ListOwnership {
    Whole,
    Items,
    Keyed(String),
}

impl ListOwnership {
    /// The same ownership, item by item.
    fn apart(&self) -> ListOwnership {
        match self {
            ListOwnership::Keyed(key) => ListOwnership::Keyed(key.clone()),
            ListOwnership::Whole | ListOwnership::Items => ListOwnership::Items,
        }
    }
}

/// Gives each list the same kind of ownership in the managed and the desired nodes.
pub(super) fn reconcile<'d>(
    document: &Document,
    wanted: Vec<WantedNode<'d>>,
    managed: &mut ManagedNodes,
    overwrite: OverwriteRule,
) -> Vec<WantedNode<'d>> {
    let mut holds = wanted_holds(&wanted);
    let moving = take_moving(&holds, managed);
    if moving.is_empty() {
        return wanted;
    }
    let document_index = DocumentIndex::of(document);
    let bare = bare_lists(&wanted);
    let twins = if overwrite >= OverwriteRule::Unowned {
        items_of_lists(&wanted)
    } else {
        HashSet::new()
    };
    for (list, nodes) in &moving {
        let Some(hold) = holds.get_mut(list) else {
            continue;
        };
        match (
            &*hold,
            ownership_change(&document_index, list, nodes, managed, &twins),
        ) {
            (ListOwnership::Whole, OwnershipChange::Whole(node)) => managed.nodes.push(node),
            // A list that is desired as a whole replaces the items; a user's change to it is an edit.
            (ListOwnership::Whole, OwnershipChange::Gone) => {
                managed.nodes.push(empty_list_node(list, &nodes[0].owner))
            }
            (ListOwnership::Whole, OwnershipChange::Mixed) if bare.contains(list) => {}
            _ => {
                *hold = hold.apart();
                nodes
                    .iter()
                    .for_each(|node| take_apart(&document_index, list, node, hold, managed));
            }
        }
    }
    let is_split = |node: &WantedNode<'_>| {
        let list = node.node.location.pointer();
        hold_of(node) == Some(ListOwnership::Whole)
            && holds.get(list) == Some(&ListOwnership::Items)
    };
    wanted
        .into_iter()
        .flat_map(|node| {
            if is_split(&node) {
                split(&node)
            } else {
                vec![node]
            }
        })
        .collect()
}

fn hold_of(node: &WantedNode<'_>) -> Option<ListOwnership> {
    match (&node.node.location, &node.node.value) {
        (NodeLocation::Key(_), Value::List(_)) => Some(ListOwnership::Whole),
        (NodeLocation::Item(_), _) => Some(ListOwnership::Items),
        (NodeLocation::Keyed { key, .. }, _) => Some(ListOwnership::Keyed(key.clone())),
        _ => None,
    }
}

fn wanted_holds(wanted: &[WantedNode<'_>]) -> HashMap<Pointer, ListOwnership> {
    let mut holds = HashMap::new();
    for node in wanted {
        let Some(hold) = hold_of(node) else { continue };
        let list = node.node.location.pointer();
        // Items with an identity come before those without.
        if !matches!(holds.get(list), Some(ListOwnership::Keyed(_))) {
            holds.insert(list.clone(), hold);
        }
    }
    holds
}

/// Takes out the nodes of lists whose kind of ownership changes.
fn take_moving(
    holds: &HashMap<Pointer, ListOwnership>,
    managed: &mut ManagedNodes,
) -> BTreeMap<Pointer, Vec<OwnedNode>> {
    let moves = |node: &OwnedNode| match (&node.location, holds.get(node.location.pointer())) {
        (_, None) | (NodeLocation::Default(_), _) => false,
        (NodeLocation::Key(_), Some(hold)) => *hold != ListOwnership::Whole,
        (NodeLocation::Item(_), Some(hold)) => *hold != ListOwnership::Items,
        (NodeLocation::Keyed { key, .. }, Some(hold)) => *hold != ListOwnership::Keyed(key.clone()),
    };
    let mut moving: BTreeMap<Pointer, Vec<OwnedNode>> = BTreeMap::new();
    for node in managed.nodes.extract_if(.., |node| moves(node)) {
        moving
            .entry(node.location.pointer().clone())
            .or_default()
            .push(node);
    }
    moving
}

/// The change of managed items whose list becomes owned as a whole.
enum OwnershipChange {
    /// All items are managed.
    Whole(OwnedNode),
    /// The list no longer exists.
    Gone,
    /// The list also has items of the user.
    Mixed,
}

fn ownership_change(
    document_index: &DocumentIndex<'_>,
    list: &Pointer,
    nodes: &[OwnedNode],
    managed: &ManagedNodes,
    twins: &HashSet<(Pointer, NodeSum)>,
) -> OwnershipChange {
    let Some(now) = document_index
        .at(list)
        .filter(|now| now.kind() == NodeKind::List)
    else {
        return OwnershipChange::Gone;
    };
    let managed_indices: HashSet<usize> = document_index
        .spots(nodes)
        .into_iter()
        .map(|(index, _)| index)
        .collect();
    let sums = document_index.sums(list);
    let mut items = sums.all.iter().enumerate();
    let all = items.all(|(index, sum)| {
        managed_indices.contains(&index) || twins.contains(&(list.clone(), *sum))
    });
    if all && managed.containers.contains(list) {
        OwnershipChange::Whole(fingerprint_node(
            &NodeLocation::Key(list.clone()),
            now,
            &nodes[0].owner,
        ))
    } else {
        OwnershipChange::Mixed
    }
}

/// A node for a managed list of unknown content.
fn empty_list_node(list: &Pointer, owner: &Owner) -> OwnedNode {
    fingerprint_node(
        &NodeLocation::Key(list.clone()),
        &Value::List(Vec::new()),
        owner,
    )
}

/// Items of lists that are desired as a whole; equal items of the user may become managed.
fn items_of_lists(wanted: &[WantedNode<'_>]) -> HashSet<(Pointer, NodeSum)> {
    let whole_lists = wanted
        .iter()
        .filter(|node| hold_of(node) == Some(ListOwnership::Whole));
    let item = |node: &WantedNode<'_>, item: &Value| {
        (node.node.location.pointer().clone(), NodeSum::of(item))
    };
    whole_lists
        .flat_map(|node| {
            items_of(&node.node.value)
                .iter()
                .map(|value| item(node, value))
        })
        .collect()
}

/// Empty lists that are desired as a whole.
fn bare_lists(wanted: &[WantedNode<'_>]) -> HashSet<Pointer> {
    let is_bare = |node: &&WantedNode<'_>| {
        hold_of(node) == Some(ListOwnership::Whole) && is_bare(&node.node.value)
    };
    wanted
        .iter()
        .filter(is_bare)
        .map(|node| node.node.location.pointer().clone())
        .collect()
}

/// Converts a node of a list to its new kind of ownership, if it is unmodified.
fn take_apart(
    document_index: &DocumentIndex<'_>,
    list: &Pointer,
    node: &OwnedNode,
    hold: &ListOwnership,
    managed: &mut ManagedNodes,
) {
    let owned_item =
        |item: NodeRef<'_>| fingerprint_node(&item_location(list, item, hold), item, &node.owner);
    let spot = document_index.spot(node, |_| true);
    let now = document_index
        .at(list)
        .filter(|now| spot.is_some() && now.kind() == NodeKind::List);
    match (&node.location, now, spot) {
        (NodeLocation::Key(_), Some(now), _) => {
            managed.containers.insert(list.clone());
            managed.nodes.extend(now.items().map(owned_item));
        }
        (_, Some(_), Some((index, _))) => managed
            .nodes
            .extend(document_index.item(list, index).map(owned_item)),
        _ => managed.nodes.push(node.clone()),
    }
}

fn item_location(list: &Pointer, item: NodeRef<'_>, hold: &ListOwnership) -> NodeLocation {
    match hold {
        ListOwnership::Keyed(key) => item
            .get(key)
            .map(|id| NodeLocation::keyed(list.clone(), key, &to_value(id))),
        _ => None,
    }
    .unwrap_or_else(|| NodeLocation::Item(list.clone()))
}
