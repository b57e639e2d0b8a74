//! Removes managed nodes that are no longer desired.

use agpm_model::NodeLocation;
use agpm_text::{NodeKind, Pointer};

use super::draft::shifts;
use super::owned::OwnedNode;
use super::planner::{NodeDecisions, NodePlanner};
use crate::change::{Author, ChangeAction, ChangeReason, OverwriteRule};

impl NodePlanner<'_> {
    /// Decides about removals only.
    pub(super) fn retire_all(mut self) -> NodeDecisions {
        self.retire();
        self.decisions
    }

    pub(super) fn retire(&mut self) {
        let mut removed_items: Vec<(usize, Pointer)> = Vec::new();
        for node in self.left.drain() {
            let list = node.location.pointer();
            let untouched = self
                .document_index
                .spot(node, |index| self.is_free(list, index));
            let Some(spot) = untouched.clone().or_else(|| self.edited_spot(node)) else {
                continue;
            };
            let (action, reason) = match untouched {
                _ if node.author == Author::User => (ChangeAction::Release, ChangeReason::UsersOwn),
                Some(_) => (ChangeAction::Remove, ChangeReason::Unasked),
                None if self.may_drop_spot(node, spot.0) => {
                    (ChangeAction::Remove, ChangeReason::UnaskedEditDropped)
                }
                None => (ChangeAction::Keep, ChangeReason::UnaskedEdited),
            };
            let reported_pointer = if action == ChangeAction::Keep {
                &spot.1
            } else {
                list
            };
            self.record_step(reported_pointer, action, reason, &node.owner);
            if matches!(
                node.location,
                NodeLocation::Item(_) | NodeLocation::Keyed { .. }
            ) {
                self.claimed.insert((list.clone(), spot.0));
            }
            removed_items.extend(
                Some(spot).filter(|_| action == ChangeAction::Remove && !self.is_container(node)),
            );
        }
        let new = self.order.edits();
        self.decisions.edits.extend(shifts(new, removed_items));
    }

    /// Whether a node is an empty managed container, without even a comment.
    fn is_container(&self, node: &OwnedNode) -> bool {
        let is_bare = |at: &Pointer| {
            let now = self.document_index.at(at);
            now.is_some_and(|now| {
                matches!(now.kind(), NodeKind::Map | NodeKind::List) && now.len() == 0
            })
        };
        matches!(&node.location, NodeLocation::Default(at) if self.managed.containers.contains(at) && is_bare(at))
    }

    fn may_drop_spot(&self, node: &OwnedNode, index: usize) -> bool {
        match &node.location {
            NodeLocation::Item(list) => self.may_drop(node, list, index),
            _ => self.overwrite == OverwriteRule::Everything,
        }
    }

    /// The location of an edited node. An edited default belongs to the user.
    fn edited_spot(&self, node: &OwnedNode) -> Option<(usize, Pointer)> {
        let item = |list: &Pointer, at: usize| (at, list.child(at.to_string()));
        match &node.location {
            NodeLocation::Item(list) => self.edited_item(node, list).map(|at| item(list, at)),
            NodeLocation::Keyed { list, key, id } => self
                .keyed_item(list, key, id, [None, None])
                .map(|at| item(list, at)),
            NodeLocation::Key(at) => self.document_index.at(at).map(|_| (0, at.clone())),
            NodeLocation::Default(_) => None,
        }
    }
}
