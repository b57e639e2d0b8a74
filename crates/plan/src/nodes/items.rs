//! Plans items of lists. They have no names: an item is recognized by its value, and an edited one by its commands.

use std::collections::{HashSet, VecDeque};

use agpm_model::NodeLocation;
use agpm_text::{NodeRef, Pointer};

use super::desired::{DesiredNode, OnEqualUserValue};
use super::owned::OwnedNode;
use super::planner::NodePlanner;
use super::resemblance::{marks_of, resembles, shares_mark};
use super::sum::NodeSum;
use crate::change::{Author, ChangeAction, ChangeReason, OverwriteRule};

impl<'a> NodePlanner<'a> {
    /// An equal item that no other node has claimed.
    // Items of a list have no names. Their content is the identity: an index would move with every item that the user
    // adds.
    pub(super) fn equal_item<'d>(&self, desired: &'d DesiredNode) -> Option<(&'d Pointer, usize)> {
        let NodeLocation::Item(list) = &desired.node.location else {
            return None;
        };
        self.free_item(list, NodeSum::of(&desired.node.value))
            .map(|index| (list, index))
    }

    fn free_item(&self, list: &Pointer, sum: NodeSum) -> Option<usize> {
        let sums = self.document_index.sums(list);
        sums.positions(sum)
            .iter()
            .copied()
            .find(|index| self.is_free(list, *index))
    }

    pub(super) fn is_free(&self, list: &Pointer, index: usize) -> bool {
        !self.claimed.contains(&(list.clone(), index))
    }

    /// Claims an item for the current node.
    pub(super) fn claim(&mut self, list: &Pointer, index: usize) {
        self.claimed.insert((list.clone(), index));
        self.order.find(list, index);
    }

    /// Uses an existing item for the desired one.
    pub(super) fn find_item(&mut self, desired: &DesiredNode, list: &Pointer, index: usize) {
        self.claim(list, index);
        let owned = self
            .left
            .take(&desired.node.location, NodeSum::of(&desired.node.value));
        match owned {
            Some(owned) => self.leave(desired, owned.author),
            // The user had the same item already. A second copy would run a hook twice.
            None if desired.on_equal == OnEqualUserValue::Adopt => self.adopt(desired),
            None if self.adopts_equal(desired) => self.leave(desired, Author::Agpm),
            None => self.accept(desired),
        }
    }

    pub(super) fn decide_item(&mut self, desired: &DesiredNode, list: &Pointer) {
        if let Some((index, node)) = self.next_untouched(desired, list) {
            return self.replace_item(desired, node, index, ChangeReason::Content);
        }
        let siblings = || self.left.siblings(&desired.node.location, &desired.owner);
        let edited = siblings().find_map(|node| Some((node, self.edited_item(node, list)?)));
        let first = siblings().next();
        match (edited, first) {
            (Some((node, index)), _) if self.may_drop(node, list, index) => {
                self.replace_item(desired, node, index, ChangeReason::EditDropped);
            }
            (Some((node, index)), _) => {
                self.keep_item(list, index);
                self.left.take_this(node);
                self.keep(node, &list.child(index.to_string()), desired);
            }
            // The owner had an item here that the user deleted. It is written again and reported as missing before,
            // not as new.
            (None, Some(gone)) => {
                self.left.take_this(gone);
                self.append_item(desired, list, ChangeReason::WasMissing);
            }
            (None, None) => self.append_item(desired, list, ChangeReason::New),
        }
    }

    /// The first unmodified item of the same owner that is no longer desired.
    fn next_untouched(
        &mut self,
        desired: &DesiredNode,
        list: &Pointer,
    ) -> Option<(usize, &'a OwnedNode)> {
        let key = (list.clone(), desired.owner.clone());
        if !self.untouched.contains_key(&key) {
            let nodes: Vec<&OwnedNode> = self
                .left
                .siblings(&desired.node.location, &desired.owner)
                .collect();
            let queue = self.in_order(nodes, list);
            self.untouched.insert(key.clone(), queue);
        }
        self.untouched.get_mut(&key)?.pop_front()
    }

    /// Unmodified nodes with their indices, in list order.
    fn in_order(
        &self,
        nodes: Vec<&'a OwnedNode>,
        list: &Pointer,
    ) -> VecDeque<(usize, &'a OwnedNode)> {
        let mut taken = HashSet::new();
        let mut found = Vec::new();
        for node in nodes {
            let is_free = |index: usize| self.is_free(list, index) && !taken.contains(&index);
            if let Some((index, _)) = self.document_index.spot(node, is_free) {
                taken.insert(index);
                found.push((index, node));
            }
        }
        found.sort_by_key(|(index, _)| *index);
        found.into()
    }

    /// Records the value of an edited item.
    pub(super) fn keep_item(&mut self, list: &Pointer, index: usize) {
        let says = self.document_index.sums(list).all.get(index).copied();
        self.decisions
            .kept_values
            .extend(says.map(|says| (list.clone(), says)));
        self.claim(list, index);
    }

    fn replace_item(
        &mut self,
        desired: &DesiredNode,
        old: &'a OwnedNode,
        index: usize,
        reason: ChangeReason,
    ) {
        let list = old.location.pointer();
        self.left.take_this(old);
        self.write_item(desired, list, Some(index));
        self.record_step(list, ChangeAction::Update, reason, &desired.owner);
    }

    fn append_item(&mut self, desired: &DesiredNode, list: &Pointer, reason: ChangeReason) {
        self.write_item(desired, list, None);
        self.record_step(list, ChangeAction::Create, reason, &desired.owner);
    }

    /// Whether an edited item may be overwritten: not if it also holds commands of the user.
    pub(super) fn may_drop(&self, node: &OwnedNode, list: &Pointer, index: usize) -> bool {
        let is_mixed = |item: NodeRef<'_>| {
            let marks = marks_of(item);
            let managed = marks
                .iter()
                .filter(|mark| node.marks.contains(mark))
                .count();
            // A hook group with a command of the user is also the user's: `--force` would delete a command that agpm
            // never wrote.
            managed > 0 && managed < marks.len()
        };
        let item = self.document_index.item(list, index);
        self.overwrite == OverwriteRule::Everything && item.is_some_and(|item| !is_mixed(item))
    }

    /// The index of a managed item that was edited: it has the same command, or it is new since the last observation
    /// and belongs to no other node.
    // Without this, an edited hook would look like one hook of the user and one missing hook, and the next install
    // would add a duplicate.
    pub(super) fn edited_item(&self, node: &OwnedNode, list: &Pointer) -> Option<usize> {
        if node.marks.is_empty() {
            return None;
        }
        let sums = self.document_index.sums(list);
        let items: Vec<(usize, NodeRef<'_>)> = self
            .document_index
            .items(list)
            .into_iter()
            .enumerate()
            .collect();
        let says = |index: usize| (list.clone(), sums.all[index]);
        let is_open =
            |index: usize| self.is_free(list, index) && !self.managed_values.contains(&says(index));
        // A user may merge several managed items into one.
        let is_together = |index: usize| {
            !self.is_free(list, index) && self.decisions.kept_values.contains(&says(index))
        };
        let open = || items.iter().filter(|(index, _)| is_open(*index));
        let together = items.iter().filter(|(index, _)| is_together(*index));
        let marked = open()
            .chain(together)
            .find(|(_, item)| shares_mark(*item, node));
        let is_new = |index: usize| !self.managed.is_others(list, sums.all[index]);
        let mut new = open().filter(|(index, item)| resembles(*item, node) && is_new(*index));
        let new = || match (new.next(), new.next(), self.overwrite) {
            // An item that cannot be distinguished from the user's own is not overwritten.
            (Some(_), Some(_), OverwriteRule::Everything) => None,
            (first, ..) => first,
        };
        marked.or_else(new).map(|(index, _)| *index)
    }
}
