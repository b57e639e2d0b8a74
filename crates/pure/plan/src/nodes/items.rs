//! Items of lists. They have no names: one is known by what it says, and an edited one by its commands.

use agpm_model::Place;
use agpm_text::{NodeRef, Pointer, equal};

use super::engine::Engine;
use super::look::{checksum_of, items_at, marks_of, remember, resembles, shares_mark};
use super::{DesiredNode, NodeError, OwnedNode};
use crate::plan::{Action, Overwrite, Reason};

impl Engine<'_> {
    /// An equal item that is there and stands for nothing else.
    pub(super) fn equal_item<'d>(&self, desired: &'d DesiredNode) -> Option<(&'d Pointer, usize)> {
        let Place::Item(list) = &desired.node.place else { return None };
        let found = self.unclaimed(list).find(|(_, item)| equal(*item, &desired.node.value));
        found.map(|(index, _)| (list, index))
    }

    /// Takes an item that is there for the desired one.
    pub(super) fn adopt_item(
        &mut self,
        desired: &DesiredNode,
        list: &Pointer,
        index: usize,
    ) -> Result<(), NodeError> {
        self.claimed.insert((list.clone(), index));
        let node = remember(&desired.node.place, &desired.node.value, &desired.owner);
        self.take_left(|left| left.place == node.place && left.checksum == node.checksum);
        self.leave(desired)
    }

    pub(super) fn decide_item(&mut self, desired: &DesiredNode, list: &Pointer) -> Result<(), NodeError> {
        let siblings = || {
            let own = |node: &&&OwnedNode| node.place == desired.node.place && node.owner == desired.owner;
            self.left.iter().filter(own).copied()
        };
        let untouched = siblings().find_map(|node| Some((node, self.untouched_item(node, list)?)));
        if let Some((node, index)) = untouched {
            return self.replace_item(desired, node, index, Reason::Content);
        }
        let edited = siblings().find_map(|node| Some((node, self.edited_item(node, list)?)));
        match (edited, siblings().next()) {
            (Some((node, index)), _) if self.may_drop(node, list, index) => {
                self.replace_item(desired, node, index, Reason::EditDropped)
            }
            (Some((node, index)), _) => {
                let says = items_at(&self.draft.document, list).get(index).map(|item| checksum_of(*item));
                self.kept.extend(says.map(|says| (list.clone(), says)));
                self.claimed.insert((list.clone(), index));
                self.take_left(|left| std::ptr::eq(left, node));
                self.keep(node)
            }
            (None, Some(gone)) => {
                self.take_left(|left| std::ptr::eq(left, gone));
                self.append_item(desired, list, Reason::WasMissing)
            }
            (None, None) => self.append_item(desired, list, Reason::New),
        }
    }

    fn replace_item(
        &mut self,
        desired: &DesiredNode,
        old: &OwnedNode,
        index: usize,
        reason: Reason,
    ) -> Result<(), NodeError> {
        let Place::Item(list) = &old.place else { return Ok(()) };
        self.draft.set(&list.child(index.to_string()), &desired.node.value)?;
        self.claimed.insert((list.clone(), index));
        self.take_left(|left| std::ptr::eq(left, old));
        self.own(desired, Vec::new());
        self.tell(list, Action::Update, reason, &desired.owner);
        Ok(())
    }

    fn append_item(
        &mut self,
        desired: &DesiredNode,
        list: &Pointer,
        reason: Reason,
    ) -> Result<(), NodeError> {
        let made = self.draft.append(list, &desired.node.value)?;
        let last = items_at(&self.draft.document, list).len().saturating_sub(1);
        self.claimed.insert((list.clone(), last));
        self.own(desired, made);
        self.tell(list, Action::Create, reason, &desired.owner);
        Ok(())
    }

    /// Whether an edited item may be overwritten: not if it holds commands of the user's own beside ours.
    pub(super) fn may_drop(&self, node: &OwnedNode, list: &Pointer, index: usize) -> bool {
        let items = items_at(&self.draft.document, list);
        let is_mixed = |item: &NodeRef<'_>| {
            let ours = marks_of(*item).into_iter().filter(|mark| node.marks.contains(mark)).count();
            ours > 0 && ours < marks_of(*item).len()
        };
        self.overwrite == Overwrite::Everything && items.get(index).is_some_and(|item| !is_mixed(item))
    }

    /// The index of an item that is as we wrote it.
    pub(super) fn untouched_item(&self, node: &OwnedNode, list: &Pointer) -> Option<usize> {
        let found = self.unclaimed(list).find(|(_, item)| checksum_of(*item) == node.checksum);
        found.map(|(index, _)| index)
    }

    /// The index of an item that we wrote and that says something else now: it has our command, or it was not there
    /// when we last looked, and is no other node.
    pub(super) fn edited_item(&self, node: &OwnedNode, list: &Pointer) -> Option<usize> {
        let is_other = |item: NodeRef<'_>| {
            let checksum = checksum_of(item);
            let mut nodes = self.left.iter().copied().chain(&self.nodes);
            nodes.any(|other| other.place == node.place && other.checksum == checksum)
        };
        let unclaimed: Vec<(usize, NodeRef<'_>)> =
            self.unclaimed(list).filter(|(_, item)| !is_other(*item)).collect();
        // A user may put several of ours into one.
        let together = |index: &usize, item: NodeRef<'_>| {
            let says = (list.clone(), checksum_of(item));
            self.claimed.contains(&(list.clone(), *index)) && self.kept.contains(&says)
        };
        let items = items_at(&self.draft.document, list).into_iter().enumerate();
        let kept: Vec<(usize, NodeRef<'_>)> = items.filter(|(index, item)| together(index, *item)).collect();
        let marked = unclaimed.iter().chain(&kept).find(|(_, item)| shares_mark(*item, node));
        let mut new =
            unclaimed.iter().filter(|(_, item)| resembles(*item, node) && !self.is_users(list, *item));
        let new = || match (new.next(), new.next(), self.overwrite) {
            // What cannot be told from the user's own is not overwritten.
            (Some(_), Some(_), Overwrite::Everything) => None,
            (first, ..) => first,
        };
        marked.or_else(new).map(|(index, _)| *index)
    }

    fn unclaimed<'s>(&'s self, list: &Pointer) -> impl Iterator<Item = (usize, NodeRef<'s>)> {
        let free = |(index, _): &(usize, NodeRef<'s>)| !self.claimed.contains(&(list.clone(), *index));
        items_at(&self.draft.document, list)
            .into_iter()
            .enumerate()
            .filter(free)
            .collect::<Vec<_>>()
            .into_iter()
    }
}
