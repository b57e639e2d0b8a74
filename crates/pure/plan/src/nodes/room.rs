//! Whether there is room for what is desired: among the user's things, and beside each other.

use agpm_model::Place;
use agpm_text::{Document, Kind, Pointer};

use super::{DesiredNode, NodeError};

/// The first thing on the way to a place that has no room for it.
pub(super) fn in_the_way(document: &Document, place: &Place) -> Option<(Pointer, Kind)> {
    let steps = place.pointer().steps();
    (0..=steps.len()).find_map(|length| {
        let wanted = match place {
            Place::Item(_) if length == steps.len() => Kind::List,
            _ if length == steps.len() => return None,
            _ => Kind::Map,
        };
        let way: Pointer = steps[..length].iter().cloned().collect();
        let kind = document.at(&way)?.kind();
        (kind != wanted).then_some((way, kind))
    })
}

/// What is asked for twice is asked for once; different values for one place are an error.
pub(super) fn without_repeats(desired: &[DesiredNode]) -> Result<Vec<&DesiredNode>, NodeError> {
    let has_key = |at: &Pointer| desired.iter().any(|node| node.node.place == Place::Key(at.clone()));
    let mut kept: Vec<&DesiredNode> = Vec::new();
    for node in desired {
        if matches!(&node.node.place, Place::Default(at) if has_key(at)) {
            continue;
        }
        let mut relations = kept.iter().map(|other| (other, relation(other, node)));
        match relations.find(|(_, relation)| *relation != Relation::Apart) {
            None => kept.push(node),
            Some((_, Relation::Same)) => {}
            Some((other, _)) => {
                return Err(NodeError::Clash {
                    at: node.node.place.pointer().clone(),
                    first: other.owner.clone(),
                    second: node.owner.clone(),
                });
            }
        }
    }
    Ok(kept)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Relation {
    Apart,
    Same,
    Clash,
}

fn relation(one: &DesiredNode, other: &DesiredNode) -> Relation {
    let (left, right) = (one.node.place.pointer(), other.node.place.pointer());
    let same = one.node.value == other.node.value;
    match (&one.node.place, &other.node.place) {
        _ if !left.is_within(right) && !right.is_within(left) => Relation::Apart,
        (Place::Item(_), Place::Item(_)) if left == right && !same => Relation::Apart,
        (Place::Default(_), Place::Default(_)) if left == right => Relation::Same,
        _ if one.node.place == other.node.place && same => Relation::Same,
        _ => Relation::Clash,
    }
}
