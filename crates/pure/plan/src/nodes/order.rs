//! Where new items come in lists: next to those that they are wanted next to.

use std::collections::{BTreeMap, HashMap};

use agpm_text::{Edit, Pointer, Value};

/// Items in the order in which they are wanted.
#[derive(Default)]
pub(super) struct ItemOrder {
    /// Of the node that is decided about.
    pub(super) turn: usize,
    /// Where items stand, by list and turn.
    there: HashMap<Pointer, BTreeMap<usize, usize>>,
    new: Vec<(usize, Pointer, Value)>,
}

impl ItemOrder {
    /// An item of a list represents the node that is decided about.
    pub(super) fn find(&mut self, list: &Pointer, index: usize) {
        self.there
            .entry(list.clone())
            .or_default()
            .insert(self.turn, index);
    }

    /// The node that is decided about is new in a list.
    pub(super) fn add(&mut self, list: Pointer, value: Value) {
        self.new.push((self.turn, list, value));
    }

    /// Edits for all that is new, with the index of each in its list as it is now; none at the end.
    pub(super) fn edits(&mut self) -> Vec<(Option<usize>, Edit)> {
        let mut new = std::mem::take(&mut self.new);
        new.sort_by_key(|(turn, ..)| *turn);
        let edit = |(turn, list, value): (usize, Pointer, Value)| match self.place(&list, turn) {
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

    /// After the one that comes before it, or else before the one that comes after it.
    fn place(&self, list: &Pointer, turn: usize) -> Option<usize> {
        let there = self.there.get(list)?;
        let after = there.range(..turn).next_back().map(|(_, index)| index + 1);
        after.or_else(|| there.range(turn..).next().map(|(_, index)| *index))
    }
}
