//! Whether there is room for what is desired next to each other: duplicates are desired once, different
//! values for one place are an error, and a list that a layer wants whole and another adds to is wanted item by item.

use std::borrow::Cow;
use std::collections::HashMap;

use agpm_model::{EntryNode, NodeLocation};
use agpm_text::{Pointer, Value, fingerprint};

use super::desired::{DesiredNode, OnEqualUserValue};
use super::error::NodeError;

/// A desired node; no node is desired twice.
pub(super) type WantedNode<'d> = Cow<'d, DesiredNode>;

/// The desired nodes, each location once, in their order.
pub(super) fn normalize_desired(desired: &[DesiredNode]) -> Result<Vec<WantedNode<'_>>, NodeError> {
    let mut order: Vec<usize> = (0..desired.len()).collect();
    // Indices are sorted and not the nodes: the result keeps the order of the layers, which decides the order in
    // the file.
    order.sort_by(|left, right| pointer(&desired[*left]).cmp(pointer(&desired[*right])));
    let mut sieve = DesiredSet {
        desired,
        fates: vec![DesiredNodeState::Kept; desired.len()],
        above: Vec::new(),
    };
    for group in order.chunk_by(|left, right| pointer(&desired[*left]) == pointer(&desired[*right]))
    {
        sieve.add(group)?;
    }
    let fates = sieve.fates;
    let nodes = desired
        .iter()
        .zip(fates)
        .flat_map(|(node, fate)| match fate {
            DesiredNodeState::Kept => vec![Cow::Borrowed(node)],
            DesiredNodeState::Split => split(node),
            DesiredNodeState::Dropped => Vec::new(),
        });
    Ok(nodes.collect())
}

/// The items of a list that was wanted whole.
pub(super) fn split<'d>(node: &DesiredNode) -> Vec<WantedNode<'d>> {
    let place = NodeLocation::Item(node.node.place.pointer().clone());
    let item = |value: &Value| EntryNode {
        place: place.clone(),
        value: value.clone(),
    };
    let desired = |item| {
        Cow::Owned(DesiredNode {
            node: item,
            owner: node.owner.clone(),
            on_equal: node.on_equal,
        })
    };
    items_of(&node.node.value)
        .iter()
        .map(item)
        .map(desired)
        .collect()
}

pub(super) fn items_of(value: &Value) -> &[Value] {
    match value {
        Value::List(items) => items,
        _ => &[],
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum DesiredNodeState {
    Kept,
    /// A list of which others want items, too.
    Split,
    /// Another node has the same value.
    Dropped,
}

/// Goes through locations in their order, so what is above comes before what is below.
struct DesiredSet<'d> {
    desired: &'d [DesiredNode],
    fates: Vec<DesiredNodeState>,
    /// Nodes on the way to the present place.
    above: Vec<usize>,
}

fn pointer(node: &DesiredNode) -> &Pointer {
    node.node.place.pointer()
}

impl<'d> DesiredSet<'d> {
    fn add(&mut self, group: &[usize]) -> Result<(), NodeError> {
        let at = pointer(&self.desired[group[0]]);
        self.above
            .retain(|node| at.is_within(pointer(&self.desired[*node])));
        for node in group {
            self.check_above(*node)?;
        }
        let key = self.add_keys(group)?;
        let items = self.add_items(group, key)?;
        self.above.extend(key);
        self.above.extend(items);
        Ok(())
    }

    fn clash(&self, one: usize, other: usize) -> NodeError {
        let (first, second) = (&self.desired[one.min(other)], &self.desired[one.max(other)]);
        NodeError::Clash {
            at: pointer(second).clone(),
            first: first.owner.clone(),
            second: second.owner.clone(),
        }
    }

    /// A node below another one must be part of it; a bare container accepts any.
    fn check_above(&mut self, node: usize) -> Result<(), NodeError> {
        for above in &self.above {
            let (outer, inner) = (&self.desired[*above], &self.desired[node]);
            let part = match &outer.node.place {
                // An empty object that a layer wants as a default states that the container exists, not that
                // nothing may be in it.
                NodeLocation::Default(_) if outer.node.value == Value::Map(Vec::new()) => continue,
                NodeLocation::Key(at) => find(
                    &outer.node.value,
                    &pointer(inner).steps()[at.steps().len()..],
                ),
                _ => None,
            };
            if !part.is_some_and(|part| equals_desired(part, inner)) {
                return Err(self.clash(*above, node));
            }
            self.fates[node] = DesiredNodeState::Dropped;
        }
        Ok(())
    }

    fn kept<'s>(&'s self, group: &'s [usize]) -> impl Iterator<Item = usize> + 's {
        group
            .iter()
            .copied()
            .filter(|node| self.fates[*node] != DesiredNodeState::Dropped)
    }

    /// The one node under a key that applies.
    fn add_keys(&mut self, group: &[usize]) -> Result<Option<usize>, NodeError> {
        let place = |node: usize| &self.desired[node].node.place;
        let is_key = |node: &usize| matches!(place(*node), NodeLocation::Key(_));
        let is_default = |node: &usize| matches!(place(*node), NodeLocation::Default(_));
        let keys: Vec<usize> = self.kept(group).filter(is_key).collect();
        let all: Vec<usize> = keys
            .iter()
            .copied()
            .chain(self.kept(group).filter(is_default))
            .collect();
        let Some((first, others)) = all.split_first() else {
            return Ok(None);
        };
        let value = |node: usize| &self.desired[node].node.value;
        // Two resources with different values for one key: picking one would silently drop the other, and the order
        // of installation would decide.
        if let Some(other) = keys.iter().find(|other| value(*first) != value(**other)) {
            return Err(self.clash(*first, *other));
        }
        others
            .iter()
            .for_each(|other| self.fates[*other] = DesiredNodeState::Dropped);
        Ok(Some(*first))
    }

    /// Items of a list, each once; one that represents them blocking below.
    fn add_items(
        &mut self,
        group: &[usize],
        key: Option<usize>,
    ) -> Result<Option<usize>, NodeError> {
        let is_key = |node: &usize| {
            matches!(
                self.desired[*node].node.place,
                NodeLocation::Key(_) | NodeLocation::Default(_)
            )
        };
        let mut items: Vec<usize> = self.kept(group).filter(|node| !is_key(node)).collect();
        let Some(first) = items.first().copied() else {
            return Ok(None);
        };
        let mut seen = ListContents::default();
        if let Some(key) = key {
            self.split_for(key, first, &mut seen)?;
        }
        // Nodes with a name come before those without.
        items.sort_by_key(|node| matches!(self.desired[*node].node.place, NodeLocation::Item(_)));
        for node in items {
            self.add_item(node, &mut seen)?;
        }
        Ok(Some(first))
    }

    fn split_for(
        &mut self,
        key: usize,
        item: usize,
        seen: &mut ListContents<'d>,
    ) -> Result<(), NodeError> {
        let desired = &self.desired[key];
        match (&desired.node.place, &desired.node.value) {
            (NodeLocation::Default(_), Value::List(items)) if items.is_empty() => Ok(()),
            (NodeLocation::Key(_), Value::List(items))
                // Only lists of layers are split. A list that a resource writes whole belongs to it, and a second
                // writer is an error.
                if desired.on_equal == OnEqualUserValue::Keep =>
            {
                self.fates[key] = DesiredNodeState::Split;
                items.iter().for_each(|item| seen.insert(item, key));
                Ok(())
            }
            _ => Err(self.clash(key, item)),
        }
    }

    fn add_item(&mut self, node: usize, seen: &mut ListContents<'d>) -> Result<(), NodeError> {
        let desired = &self.desired[node];
        if let NodeLocation::Keyed { key, id, .. } = &desired.node.place {
            let other = *seen.ids.entry((key, id)).or_insert(node);
            if self.desired[other].node.value != desired.node.value {
                return Err(self.clash(other, node));
            }
        }
        match seen.find(&desired.node.value) {
            // Layers may say a thing twice.
            Some(other) if !self.repeats(other, node) => {
                self.fates[node] = DesiredNodeState::Dropped
            }
            _ => seen.insert(&desired.node.value, node),
        }
        Ok(())
    }

    fn repeats(&self, one: usize, other: usize) -> bool {
        let (one, other) = (&self.desired[one], &self.desired[other]);
        let items = matches!(
            (&one.node.place, &other.node.place),
            (NodeLocation::Item(_), NodeLocation::Item(_))
        );
        items && other.on_equal == OnEqualUserValue::Keep && one.on_equal == other.on_equal
    }
}

/// The items of one list so far.
#[derive(Default)]
struct ListContents<'d> {
    values: HashMap<u64, Vec<(&'d Value, usize)>>,
    ids: HashMap<(&'d String, &'d String), usize>,
}

impl<'d> ListContents<'d> {
    fn insert(&mut self, value: &'d Value, node: usize) {
        self.values
            .entry(fingerprint(value))
            .or_default()
            .push((value, node));
    }

    fn find(&self, value: &Value) -> Option<usize> {
        // A fingerprint narrows the comparison: permission lists have thousands of entries, and comparing all pairs
        // is quadratic.
        let same = self.values.get(&fingerprint(value)).into_iter().flatten();
        same.filter(|(other, _)| *other == value)
            .map(|(_, node)| *node)
            .next()
    }
}

fn find<'v>(value: &'v Value, steps: &[String]) -> Option<&'v Value> {
    steps
        .iter()
        .try_fold(value, |value, step| value.child(step))
}

/// Whether a part of another node is just what this one wants.
fn equals_desired(part: &Value, node: &DesiredNode) -> bool {
    match &node.node.place {
        NodeLocation::Key(_) => *part == node.node.value,
        NodeLocation::Default(_) => true,
        NodeLocation::Item(_) | NodeLocation::Keyed { .. } => {
            items_of(part).contains(&node.node.value)
        }
    }
}
