//! Normalizes the desired nodes of a file: duplicates are dropped, different values for one location are an error, and
//! a list that one layer replaces and another extends is split into its items.

use std::borrow::Cow;
use std::collections::HashMap;

use agpm_model::{EntryNode, NodeLocation};
use agpm_text::{Pointer, Value, fingerprint};

use super::desired::{DesiredNode, OnEqualUserValue};
use super::error::NodeError;

/// A desired node; duplicates are removed.
pub(super) type WantedNode<'d> = Cow<'d, DesiredNode>;

/// The desired nodes without duplicates, in their order.
pub(super) fn normalize_desired(desired: &[DesiredNode]) -> Result<Vec<WantedNode<'_>>, NodeError> {
    let mut order: Vec<usize> = (0..desired.len()).collect();
    // Indices are sorted and not the nodes: the result keeps the order of the layers, which decides the order in
    // the file.
    order.sort_by(|left, right| pointer(&desired[*left]).cmp(pointer(&desired[*right])));
    let mut sieve = DesiredSet {
        desired,
        states: vec![DesiredNodeState::Kept; desired.len()],
        above: Vec::new(),
    };
    for group in order.chunk_by(|left, right| pointer(&desired[*left]) == pointer(&desired[*right]))
    {
        sieve.add(group)?;
    }
    let states = sieve.states;
    let nodes = desired
        .iter()
        .zip(states)
        .flat_map(|(node, outcome)| match outcome {
            DesiredNodeState::Kept => vec![Cow::Borrowed(node)],
            DesiredNodeState::Split => split(node),
            DesiredNodeState::Dropped => Vec::new(),
        });
    Ok(nodes.collect())
}

/// The items of a list that was desired as a whole.
pub(super) fn split<'d>(node: &DesiredNode) -> Vec<WantedNode<'d>> {
    let location = NodeLocation::Item(node.node.location.pointer().clone());
    let item = |value: &Value| EntryNode {
        location: location.clone(),
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
    /// A list that others add items to.
    Split,
    /// A duplicate of another node.
    Dropped,
}

/// Visits locations in order, so outer nodes come before inner ones.
struct DesiredSet<'d> {
    desired: &'d [DesiredNode],
    states: Vec<DesiredNodeState>,
    /// The nodes around the current location, outermost first.
    above: Vec<usize>,
}

fn pointer(node: &DesiredNode) -> &Pointer {
    node.node.location.pointer()
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

    fn clash(&self, left: usize, right: usize) -> NodeError {
        let (first, second) = (
            &self.desired[left.min(right)],
            &self.desired[left.max(right)],
        );
        NodeError::Clash {
            at: pointer(second).clone(),
            first: first.owner.clone(),
            second: second.owner.clone(),
        }
    }

    /// A node inside another one must be part of it; an empty container accepts any.
    fn check_above(&mut self, node: usize) -> Result<(), NodeError> {
        for above in &self.above {
            let (outer, inner) = (&self.desired[*above], &self.desired[node]);
            let part = match &outer.node.location {
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
            self.states[node] = DesiredNodeState::Dropped;
        }
        Ok(())
    }

    fn undropped<'s>(&'s self, group: &'s [usize]) -> impl Iterator<Item = usize> + 's {
        group
            .iter()
            .copied()
            .filter(|node| self.states[*node] != DesiredNodeState::Dropped)
    }

    /// Chooses the one node under a key that applies.
    fn add_keys(&mut self, group: &[usize]) -> Result<Option<usize>, NodeError> {
        let location = |node: usize| &self.desired[node].node.location;
        let is_key = |node: &usize| matches!(location(*node), NodeLocation::Key(_));
        let is_default = |node: &usize| matches!(location(*node), NodeLocation::Default(_));
        let keys: Vec<usize> = self.undropped(group).filter(is_key).collect();
        let all: Vec<usize> = keys
            .iter()
            .copied()
            .chain(self.undropped(group).filter(is_default))
            .collect();
        let Some((first, others)) = all.split_first() else {
            return Ok(None);
        };
        let value = |node: usize| &self.desired[node].node.value;
        // Two resources with different values for one key: picking one would silently drop the other, and the order
        // of installation would decide.
        if let Some(right) = keys.iter().find(|right| value(*first) != value(**right)) {
            return Err(self.clash(*first, *right));
        }
        others
            .iter()
            .for_each(|right| self.states[*right] = DesiredNodeState::Dropped);
        Ok(Some(*first))
    }

    /// Adds the items of a list, each once.
    fn add_items(
        &mut self,
        group: &[usize],
        key: Option<usize>,
    ) -> Result<Option<usize>, NodeError> {
        let is_key = |node: &usize| {
            matches!(
                self.desired[*node].node.location,
                NodeLocation::Key(_) | NodeLocation::Default(_)
            )
        };
        let mut items: Vec<usize> = self.undropped(group).filter(|node| !is_key(node)).collect();
        let Some(first) = items.first().copied() else {
            return Ok(None);
        };
        let mut contents = ListContents::default();
        if let Some(key) = key {
            self.split_for(key, first, &mut contents)?;
        }
        // Items with an identity come before those without.
        items
            .sort_by_key(|node| matches!(self.desired[*node].node.location, NodeLocation::Item(_)));
        for node in items {
            self.add_item(node, &mut contents)?;
        }
        Ok(Some(first))
    }

    fn split_for(
        &mut self,
        key: usize,
        item: usize,
        contents: &mut ListContents<'d>,
    ) -> Result<(), NodeError> {
        let desired = &self.desired[key];
        match (&desired.node.location, &desired.node.value) {
            (NodeLocation::Default(_), Value::List(items)) if items.is_empty() => Ok(()),
            (NodeLocation::Key(_), Value::List(items))
                // Only lists of layers are split. A list that a resource writes whole belongs to it, and a second
                // writer is an error.
                if desired.on_equal == OnEqualUserValue::Keep =>
            {
                self.states[key] = DesiredNodeState::Split;
                items.iter().for_each(|item| contents.insert(item, key));
                Ok(())
            }
            _ => Err(self.clash(key, item)),
        }
    }

    fn add_item(&mut self, node: usize, contents: &mut ListContents<'d>) -> Result<(), NodeError> {
        let desired = &self.desired[node];
        if let NodeLocation::Keyed { key, id, .. } = &desired.node.location {
            let right = *contents.ids.entry((key, id)).or_insert(node);
            if self.desired[right].node.value != desired.node.value {
                return Err(self.clash(right, node));
            }
        }
        match contents.find(&desired.node.value) {
            // Layers may contain a value twice.
            Some(right) if !self.repeats(right, node) => {
                self.states[node] = DesiredNodeState::Dropped
            }
            _ => contents.insert(&desired.node.value, node),
        }
        Ok(())
    }

    fn repeats(&self, left: usize, right: usize) -> bool {
        let (left, right) = (&self.desired[left], &self.desired[right]);
        let items = matches!(
            (&left.node.location, &right.node.location),
            (NodeLocation::Item(_), NodeLocation::Item(_))
        );
        items && right.on_equal == OnEqualUserValue::Keep && left.on_equal == right.on_equal
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
        same.filter(|(right, _)| *right == value)
            .map(|(_, node)| *node)
            .next()
    }
}

fn find<'v>(value: &'v Value, steps: &[String]) -> Option<&'v Value> {
    steps
        .iter()
        .try_fold(value, |value, step| value.child(step))
}

/// Whether a part of another node equals this node.
fn equals_desired(part: &Value, node: &DesiredNode) -> bool {
    match &node.node.location {
        NodeLocation::Key(_) => *part == node.node.value,
        NodeLocation::Default(_) => true,
        NodeLocation::Item(_) | NodeLocation::Keyed { .. } => {
            items_of(part).contains(&node.node.value)
        }
    }
}
