//! Managed nodes without a decision yet.

use std::collections::BTreeMap;

use agpm_model::{NodeLocation, Owner};
use agpm_text::Pointer;

use super::owned::OwnedNode;
use super::sum::NodeSum;

#[derive(Default)]
pub(super) struct UndecidedNodes<'a> {
    by_location: BTreeMap<&'a NodeLocation, BTreeMap<NodeSum, Vec<&'a OwnedNode>>>,
}

impl<'a> UndecidedNodes<'a> {
    pub(super) fn of(nodes: &'a [OwnedNode]) -> Self {
        let mut left = UndecidedNodes::default();
        for node in nodes {
            left.by_location
                .entry(&node.location)
                .or_default()
                .entry(node.checksum)
                .or_default()
                .push(node);
        }
        left
    }

    /// Takes the node at a location with a checksum.
    pub(super) fn take(&mut self, location: &NodeLocation, sum: NodeSum) -> Option<&'a OwnedNode> {
        let sums = self.by_location.get_mut(location)?;
        let nodes = sums.get_mut(&sum)?;
        let node = nodes.remove(0);
        if nodes.is_empty() {
            sums.remove(&sum);
        }
        Some(node)
    }

    /// Takes the first node at a location, whatever its value.
    pub(super) fn take_at(&mut self, location: &NodeLocation) -> Option<&'a OwnedNode> {
        let sum = *self.by_location.get(location)?.keys().next()?;
        self.take(location, sum)
    }

    /// Takes the node under a key.
    pub(super) fn take_key(&mut self, at: &Pointer) -> Option<&'a OwnedNode> {
        self.take_at(&NodeLocation::Key(at.clone()))
            .or_else(|| self.take_at(&NodeLocation::Default(at.clone())))
    }

    pub(super) fn take_this(&mut self, node: &OwnedNode) {
        let Some(sums) = self.by_location.get_mut(&node.location) else {
            return;
        };
        let Some(nodes) = sums.get_mut(&node.checksum) else {
            return;
        };
        nodes.retain(|other| !std::ptr::eq(*other, node));
        if nodes.is_empty() {
            sums.remove(&node.checksum);
        }
    }

    /// The nodes of one owner in a list.
    pub(super) fn siblings(
        &self,
        location: &NodeLocation,
        owner: &Owner,
    ) -> impl Iterator<Item = &'a OwnedNode> {
        let nodes = self
            .by_location
            .get(location)
            .into_iter()
            .flat_map(BTreeMap::values)
            .flatten();
        nodes.filter(move |node| node.owner == *owner).copied()
    }

    /// Takes the first node of one owner in a list.
    pub(super) fn take_sibling(
        &mut self,
        location: &NodeLocation,
        owner: &Owner,
    ) -> Option<&'a OwnedNode> {
        let node = self.siblings(location, owner).next()?;
        self.take_this(node);
        Some(node)
    }

    /// Takes the nodes that match.
    pub(super) fn take_where(
        &mut self,
        matches: impl Fn(&OwnedNode) -> bool,
    ) -> Vec<&'a OwnedNode> {
        let all = self
            .by_location
            .values()
            .flat_map(BTreeMap::values)
            .flatten()
            .copied();
        let matching: Vec<&OwnedNode> = all.filter(|node| matches(node)).collect();
        matching.iter().for_each(|node| self.take_this(node));
        matching
    }

    /// Takes all nodes, by location.
    pub(super) fn drain(&mut self) -> Vec<&'a OwnedNode> {
        std::mem::take(&mut self.by_location)
            .into_values()
            .flat_map(BTreeMap::into_values)
            .flatten()
            .collect()
    }
}
