//! Positions of new items in lists: next to their neighbors in the desired order.

use std::collections::{BTreeMap, HashMap};

use agpm_text::{Edit, Pointer, Value};

/// The desired order of items.
#[derive(Default)]
pub(super) struct ItemOrder {
    /// The position of the current node in the desired order.
    pub(super) turn: usize,
    /// The indices of existing items, by list and desired position.
    existing: HashMap<Pointer, BTreeMap<usize, usize>>,
    new: Vec<(usize, Pointer, Value)>,
}

impl ItemOrder {
    /// Records the existing item of the current node.
    pub(super) fn find(&mut self, list: &Pointer, index: usize) {
        self.existing
            .entry(list.clone())
            .or_default()
            .insert(self.turn, index);
    }

    /// Adds the current node to a list as a new item.
    pub(super) fn add(&mut self, list: Pointer, value: Value) {
        self.new.push((self.turn, list, value));
    }

    /// Edits for all new items, with the current index of each in its list; `None` at the end.
    pub(super) fn edits(&mut self) -> Vec<(Option<usize>, Edit)> {
        let mut new = std::mem::take(&mut self.new);
        new.sort_by_key(|(turn, ..)| *turn);
        let edit = |(turn, list, value): (usize, Pointer, Value)| match self
            .insertion_index(&list, turn)
        {
            Some(index) => (
                Some(index),
                Edit::Insert {
                    at: list.child(index.to_string()),
                    value,
                },
            ),
            None => (None, Edit::Append { to: list, value }),
        };
        new.into_iter().map(edit).collect()
    }

    /// The index after the preceding item, or else before the following one.
    fn insertion_index(&self, list: &Pointer, turn: usize) -> Option<usize> {
        let existing = self.existing.get(list)?;
        let after = existing
            .range(..turn)
            .next_back()
            .map(|(_, index)| index + 1);
        after.or_else(|| existing.range(turn..).next().map(|(_, index)| *index))
    }
}
