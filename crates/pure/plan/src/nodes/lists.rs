//! Lists that were ours in one way and are wanted in another: whole, item by item, or by a key of the items.

use std::collections::{BTreeMap, HashMap, HashSet};

use agpm_model::{Owner, Place};
use agpm_text::{Document, NodeKind, NodeRef, Pointer, Value, to_value};

use super::look::{is_bare, remember};
use super::ours::Ours;
use super::room::{Wanted, items_of, split};
use super::sight::Sight;
use super::{NodeSum, OwnedNode};
use crate::change::Overwrite;

/// How a list is held.
#[derive(Clone, PartialEq, Eq)]
enum Hold {
    Whole,
    Items,
    Keyed(String),
}

impl Hold {
    /// Not whole.
    fn apart(&self) -> Hold {
        match self {
            Hold::Keyed(key) => Hold::Keyed(key.clone()),
            Hold::Whole | Hold::Items => Hold::Items,
        }
    }
}

/// Makes what is ours and what is wanted hold each list in the same way.
pub(super) fn reconcile<'d>(
    document: &Document,
    wanted: Vec<Wanted<'d>>,
    ours: &mut Ours,
    overwrite: Overwrite,
) -> Vec<Wanted<'d>> {
    let mut holds = wanted_holds(&wanted);
    let moving = take_moving(&holds, ours);
    if moving.is_empty() {
        return wanted;
    }
    let sight = Sight::of(document);
    let bare = bare_lists(&wanted);
    let twins = if overwrite >= Overwrite::Unowned {
        items_of_lists(&wanted)
    } else {
        HashSet::new()
    };
    for (list, nodes) in &moving {
        let Some(hold) = holds.get_mut(list) else {
            continue;
        };
        match (&*hold, becoming(&sight, list, nodes, ours, &twins)) {
            (Hold::Whole, Becoming::Whole(node)) => ours.nodes.push(node),
            // What is wanted whole takes their place; what the user put there is an edit.
            (Hold::Whole, Becoming::Gone) => ours.nodes.push(emptied(list, &nodes[0].owner)),
            (Hold::Whole, Becoming::Mixed) if bare.contains(list) => {}
            _ => {
                *hold = hold.apart();
                nodes
                    .iter()
                    .for_each(|node| take_apart(&sight, list, node, hold, ours));
            }
        }
    }
    let is_split = |node: &Wanted<'_>| {
        let list = node.node.place.pointer();
        hold_of(node) == Some(Hold::Whole) && holds.get(list) == Some(&Hold::Items)
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

fn hold_of(node: &Wanted<'_>) -> Option<Hold> {
    match (&node.node.place, &node.node.value) {
        (Place::Key(_), Value::List(_)) => Some(Hold::Whole),
        (Place::Item(_), _) => Some(Hold::Items),
        (Place::Keyed { key, .. }, _) => Some(Hold::Keyed(key.clone())),
        _ => None,
    }
}

fn wanted_holds(wanted: &[Wanted<'_>]) -> HashMap<Pointer, Hold> {
    let mut holds = HashMap::new();
    for node in wanted {
        let Some(hold) = hold_of(node) else { continue };
        let list = node.node.place.pointer();
        // What has a name counts before what has none.
        if !matches!(holds.get(list), Some(Hold::Keyed(_))) {
            holds.insert(list.clone(), hold);
        }
    }
    holds
}

/// Takes out the nodes of lists that are wanted in another way.
fn take_moving(
    holds: &HashMap<Pointer, Hold>,
    ours: &mut Ours,
) -> BTreeMap<Pointer, Vec<OwnedNode>> {
    let moves = |node: &OwnedNode| match (&node.place, holds.get(node.place.pointer())) {
        (_, None) | (Place::Default(_), _) => false,
        (Place::Key(_), Some(hold)) => *hold != Hold::Whole,
        (Place::Item(_), Some(hold)) => *hold != Hold::Items,
        (Place::Keyed { key, .. }, Some(hold)) => *hold != Hold::Keyed(key.clone()),
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

/// What items of ours are in a list that is wanted whole.
enum Becoming {
    /// All there is.
    Whole(OwnedNode),
    /// There is no list any more.
    Gone,
    /// Something of the user's is beside them.
    Mixed,
}

fn becoming(
    sight: &Sight<'_>,
    list: &Pointer,
    nodes: &[OwnedNode],
    ours: &Ours,
    twins: &HashSet<(Pointer, NodeSum)>,
) -> Becoming {
    let Some(now) = sight.at(list).filter(|now| now.kind() == NodeKind::List) else {
        return Becoming::Gone;
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
        Becoming::Whole(remember(&Place::Key(list.clone()), now, &nodes[0].owner))
    } else {
        Becoming::Mixed
    }
}

/// A list of which nothing is known but that it was ours.
fn emptied(list: &Pointer, owner: &Owner) -> OwnedNode {
    remember(&Place::Key(list.clone()), &Value::List(Vec::new()), owner)
}

/// Items of lists that are wanted whole: those of the user's that say the same may become ours.
fn items_of_lists(wanted: &[Wanted<'_>]) -> HashSet<(Pointer, NodeSum)> {
    let whole = wanted
        .iter()
        .filter(|node| hold_of(node) == Some(Hold::Whole));
    let item =
        |node: &Wanted<'_>, item: &Value| (node.node.place.pointer().clone(), NodeSum::of(item));
    whole
        .flat_map(|node| {
            items_of(&node.node.value)
                .iter()
                .map(|value| item(node, value))
        })
        .collect()
}

/// Lists that are wanted whole and without an item.
fn bare_lists(wanted: &[Wanted<'_>]) -> HashSet<Pointer> {
    let is_bare =
        |node: &&Wanted<'_>| hold_of(node) == Some(Hold::Whole) && is_bare(&node.node.value);
    wanted
        .iter()
        .filter(is_bare)
        .map(|node| node.node.place.pointer().clone())
        .collect()
}

/// A node of a list, held in another way if it is as we wrote it.
fn take_apart(sight: &Sight<'_>, list: &Pointer, node: &OwnedNode, hold: &Hold, ours: &mut Ours) {
    let held = |item: NodeRef<'_>| remember(&place(list, item, hold), item, &node.owner);
    let spot = sight.spot(node, |_| true);
    let now = sight
        .at(list)
        .filter(|now| spot.is_some() && now.kind() == NodeKind::List);
    match (&node.place, now, spot) {
        (Place::Key(_), Some(now), _) => {
            ours.containers.insert(list.clone());
            ours.nodes.extend(now.items().map(held));
        }
        (_, Some(_), Some((index, _))) => ours.nodes.extend(sight.item(list, index).map(held)),
        _ => ours.nodes.push(node.clone()),
    }
}

fn place(list: &Pointer, item: NodeRef<'_>, hold: &Hold) -> Place {
    match hold {
        Hold::Keyed(key) => item
            .get(key)
            .map(|id| Place::keyed(list.clone(), key, &to_value(id))),
        _ => None,
    }
    .unwrap_or_else(|| Place::Item(list.clone()))
}
