//! Lists that were managed in one way and are wanted in another: whole, item by item, or by a key of the items.

use std::collections::{BTreeMap, HashMap, HashSet};

use agpm_model::{NodeLocation, Owner};
use agpm_text::{Document, NodeKind, NodeRef, Pointer, Value, to_value};

use super::desired_set::{WantedNode, items_of, split};
use super::document_index::DocumentIndex;
use super::managed_nodes::ManagedNodes;
use super::owned::OwnedNode;
use super::resemblance::{is_bare, remember};
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

/// Makes what is managed and what is wanted hold each list in the same way.
pub(super) fn reconcile<'d>(
    document: &Document,
    wanted: Vec<WantedNode<'d>>,
    ours: &mut ManagedNodes,
    overwrite: OverwriteRule,
) -> Vec<WantedNode<'d>> {
    let mut holds = wanted_holds(&wanted);
    let moving = take_moving(&holds, ours);
    if moving.is_empty() {
        return wanted;
    }
    let sight = DocumentIndex::of(document);
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
        match (&*hold, ownership_change(&sight, list, nodes, ours, &twins)) {
            (ListOwnership::Whole, OwnershipChange::Whole(node)) => ours.nodes.push(node),
            // A list that is wanted as a whole replaces the items; a user's change there is an edit.
            (ListOwnership::Whole, OwnershipChange::Gone) => {
                ours.nodes.push(empty_list_node(list, &nodes[0].owner))
            }
            (ListOwnership::Whole, OwnershipChange::Mixed) if bare.contains(list) => {}
            _ => {
                *hold = hold.apart();
                nodes
                    .iter()
                    .for_each(|node| take_apart(&sight, list, node, hold, ours));
            }
        }
    }
    let is_split = |node: &WantedNode<'_>| {
        let list = node.node.place.pointer();
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
    match (&node.node.place, &node.node.value) {
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
        let list = node.node.place.pointer();
        // Items with a name come before those without.
        if !matches!(holds.get(list), Some(ListOwnership::Keyed(_))) {
            holds.insert(list.clone(), hold);
        }
    }
    holds
}

/// Takes out the nodes of lists that are wanted in another way.
fn take_moving(
    holds: &HashMap<Pointer, ListOwnership>,
    ours: &mut ManagedNodes,
) -> BTreeMap<Pointer, Vec<OwnedNode>> {
    let moves = |node: &OwnedNode| match (&node.place, holds.get(node.place.pointer())) {
        (_, None) | (NodeLocation::Default(_), _) => false,
        (NodeLocation::Key(_), Some(hold)) => *hold != ListOwnership::Whole,
        (NodeLocation::Item(_), Some(hold)) => *hold != ListOwnership::Items,
        (NodeLocation::Keyed { key, .. }, Some(hold)) => *hold != ListOwnership::Keyed(key.clone()),
    };
    let mut moving: BTreeMap<Pointer, Vec<OwnedNode>> = BTreeMap::new();
    for node in ours.nodes.extract_if(.., |node| moves(node)) {
        moving
            .entry(node.place.pointer().clone())
            .or_default()
            .push(node);
    }
    moving
}

/// The change of ownership of managed items in a list that is wanted as a whole.
enum OwnershipChange {
    /// All there is.
    Whole(OwnedNode),
    /// No list exists any more.
    Gone,
    /// Something of the user's is next to them.
    Mixed,
}

fn ownership_change(
    sight: &DocumentIndex<'_>,
    list: &Pointer,
    nodes: &[OwnedNode],
    ours: &ManagedNodes,
    twins: &HashSet<(Pointer, NodeSum)>,
) -> OwnershipChange {
    let Some(now) = sight.at(list).filter(|now| now.kind() == NodeKind::List) else {
        return OwnershipChange::Gone;
    };
    let known: HashSet<usize> = sight
        .spots(nodes)
        .into_iter()
        .map(|(index, _)| index)
        .collect();
    let sums = sight.sums(list);
    let mut items = sums.all.iter().enumerate();
    let all =
        items.all(|(index, sum)| known.contains(&index) || twins.contains(&(list.clone(), *sum)));
    if all && ours.containers.contains(list) {
        OwnershipChange::Whole(remember(
            &NodeLocation::Key(list.clone()),
            now,
            &nodes[0].owner,
        ))
    } else {
        OwnershipChange::Mixed
    }
}

/// A list of which nothing is known but that it was managed.
fn empty_list_node(list: &Pointer, owner: &Owner) -> OwnedNode {
    remember(
        &NodeLocation::Key(list.clone()),
        &Value::List(Vec::new()),
        owner,
    )
}

/// Items of lists that are wanted whole: those of the user's that say the same may become managed.
fn items_of_lists(wanted: &[WantedNode<'_>]) -> HashSet<(Pointer, NodeSum)> {
    let whole = wanted
        .iter()
        .filter(|node| hold_of(node) == Some(ListOwnership::Whole));
    let item = |node: &WantedNode<'_>, item: &Value| {
        (node.node.place.pointer().clone(), NodeSum::of(item))
    };
    whole
        .flat_map(|node| {
            items_of(&node.node.value)
                .iter()
                .map(|value| item(node, value))
        })
        .collect()
}

/// Lists that are wanted whole and without an item.
fn bare_lists(wanted: &[WantedNode<'_>]) -> HashSet<Pointer> {
    let is_bare = |node: &&WantedNode<'_>| {
        hold_of(node) == Some(ListOwnership::Whole) && is_bare(&node.node.value)
    };
    wanted
        .iter()
        .filter(is_bare)
        .map(|node| node.node.place.pointer().clone())
        .collect()
}

/// A node of a list under its new kind of ownership, if it is unmodified.
fn take_apart(
    sight: &DocumentIndex<'_>,
    list: &Pointer,
    node: &OwnedNode,
    hold: &ListOwnership,
    ours: &mut ManagedNodes,
) {
    let held = |item: NodeRef<'_>| remember(&place(list, item, hold), item, &node.owner);
    let spot = sight.spot(node, |_| true);
    let now = sight
        .at(list)
        .filter(|now| spot.is_some() && now.kind() == NodeKind::List);
    match (&node.place, now, spot) {
        (NodeLocation::Key(_), Some(now), _) => {
            ours.containers.insert(list.clone());
            ours.nodes.extend(now.items().map(held));
        }
        (_, Some(_), Some((index, _))) => ours.nodes.extend(sight.item(list, index).map(held)),
        _ => ours.nodes.push(node.clone()),
    }
}

fn place(list: &Pointer, item: NodeRef<'_>, hold: &ListOwnership) -> NodeLocation {
    match hold {
        ListOwnership::Keyed(key) => item
            .get(key)
            .map(|id| NodeLocation::keyed(list.clone(), key, &to_value(id))),
        _ => None,
    }
    .unwrap_or_else(|| NodeLocation::Item(list.clone()))
}
