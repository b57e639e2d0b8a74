//! Managed Nodes that nothing was decided about yet.

use std::collections::BTreeMap;

use agpm_model::{NodeLocation, Owner};
use agpm_text::Pointer;

use super::owned::OwnedNode;
use super::sum::NodeSum;

#[derive(Default)]
pub(super) struct UndecidedNodes<'a> {
    places: BTreeMap<&'a NodeLocation, BTreeMap<NodeSum, Vec<&'a OwnedNode>>>,
}

impl<'a> UndecidedNodes<'a> {
    pub(super) fn of(nodes: &'a [OwnedNode]) -> Self {
        let mut left = UndecidedNodes::default();
        for node in nodes {
            left.places
                .entry(&node.place)
                .or_default()
                .entry(node.checksum)
                .or_default()
                .push(node);
        }
        left
    }

    /// The node at a location that says this.
    pub(super) fn take(&mut self, place: &NodeLocation, sum: NodeSum) -> Option<&'a OwnedNode> {
        let sums = self.places.get_mut(place)?;
        let nodes = sums.get_mut(&sum)?;
        let node = nodes.remove(0);
        if nodes.is_empty() {
            sums.remove(&sum);
        }
        Some(node)
    }

    /// The first node at a location, whatever it says.
    pub(super) fn take_at(&mut self, place: &NodeLocation) -> Option<&'a OwnedNode> {
        let sum = *self.places.get(place)?.keys().next()?;
        self.take(place, sum)
    }

    /// The node under a key.
    pub(super) fn take_key(&mut self, at: &Pointer) -> Option<&'a OwnedNode> {
        self.take_at(&NodeLocation::Key(at.clone()))
            .or_else(|| self.take_at(&NodeLocation::Default(at.clone())))
    }

    pub(super) fn take_this(&mut self, node: &OwnedNode) {
        let Some(sums) = self.places.get_mut(&node.place) else {
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
        place: &NodeLocation,
        owner: &Owner,
    ) -> impl Iterator<Item = &'a OwnedNode> {
        let nodes = self
            .places
            .get(place)
            .into_iter()
            .flat_map(BTreeMap::values)
            .flatten();
        nodes.filter(move |node| node.owner == *owner).copied()
    }

    /// The first node of one owner in a list.
    pub(super) fn take_sibling(
        &mut self,
        place: &NodeLocation,
        owner: &Owner,
    ) -> Option<&'a OwnedNode> {
        let node = self.siblings(place, owner).next()?;
        self.take_this(node);
        Some(node)
    }

    /// Takes the nodes that match.
    pub(super) fn take_where(
        &mut self,
        is_meant: impl Fn(&OwnedNode) -> bool,
    ) -> Vec<&'a OwnedNode> {
        let all = self
            .places
            .values()
            .flat_map(BTreeMap::values)
            .flatten()
            .copied();
        let meant: Vec<&OwnedNode> = all.filter(|node| is_meant(node)).collect();
        meant.iter().for_each(|node| self.take_this(node));
        meant
    }

    /// Takes all nodes, by location.
    pub(super) fn drain(&mut self) -> Vec<&'a OwnedNode> {
        std::mem::take(&mut self.places)
            .into_values()
            .flat_map(BTreeMap::into_values)
            .flatten()
            .collect()
    }
}
