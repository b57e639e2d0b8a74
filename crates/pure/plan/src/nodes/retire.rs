//! Managed nodes that are no longer desired.

use agpm_model::NodeLocation;
use agpm_text::{NodeKind, Pointer};

use super::draft::shifts;
use super::owned::OwnedNode;
use super::planner::{NodeDecisions, NodePlanner};
use crate::change::{Author, ChangeAction, ChangeReason, OverwriteRule};

impl NodePlanner<'_> {
    /// Decides with removals only.
    pub(super) fn retire_all(mut self) -> NodeDecisions {
        self.retire();
        self.made
    }

    pub(super) fn retire(&mut self) {
        let mut doomed: Vec<(usize, Pointer)> = Vec::new();
        for node in self.left.drain() {
            let list = node.place.pointer();
            let untouched = self.sight.spot(node, |index| self.is_free(list, index));
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
            let shown = if action == ChangeAction::Keep {
                &spot.1
            } else {
                list
            };
            self.record_step(shown, action, reason, &node.owner);
            if matches!(
                node.place,
                NodeLocation::Item(_) | NodeLocation::Keyed { .. }
            ) {
                self.claimed.insert((list.clone(), spot.0));
            }
            doomed.extend(
                Some(spot).filter(|_| action == ChangeAction::Remove && !self.is_container(node)),
            );
        }
        let new = self.order.edits();
        self.made.edits.extend(shifts(new, doomed));
    }

    /// Managed Containers go when nothing is in them, not even a comment.
    fn is_container(&self, node: &OwnedNode) -> bool {
        let is_bare = |at: &Pointer| {
            let now = self.sight.at(at);
            now.is_some_and(|now| {
                matches!(now.kind(), NodeKind::Map | NodeKind::List) && now.len() == 0
            })
        };
        matches!(&node.place, NodeLocation::Default(at) if self.ours.containers.contains(at) && is_bare(at))
    }

    fn may_drop_spot(&self, node: &OwnedNode, index: usize) -> bool {
        match &node.place {
            NodeLocation::Item(list) => self.may_drop(node, list, index),
            _ => self.overwrite == OverwriteRule::Everything,
        }
    }

    /// Where a node is that was edited. A default that was edited is the user's.
    fn edited_spot(&self, node: &OwnedNode) -> Option<(usize, Pointer)> {
        let item = |list: &Pointer, at: usize| (at, list.child(at.to_string()));
        match &node.place {
            NodeLocation::Item(list) => self.edited_item(node, list).map(|at| item(list, at)),
            NodeLocation::Keyed { list, key, id } => self
                .keyed_item(list, key, id, [None, None])
                .map(|at| item(list, at)),
            NodeLocation::Key(at) => self.sight.at(at).map(|_| (0, at.clone())),
            NodeLocation::Default(_) => None,
        }
    }
}
