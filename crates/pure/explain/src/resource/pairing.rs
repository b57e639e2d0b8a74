//! Which stated value an installed one comes from.

use std::collections::{BTreeMap, BTreeSet};

use agpm_merge::{ExplainedLeaf, Resolution, nearest_key};
use agpm_text::{Pointer, equal};

use super::rendered::RenderedValues;

/// How a value that is installed and one that is stated belong together, the surest first.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Likeness {
    /// The same value at the same place.
    Same,
    /// The same value under the same key, elsewhere.
    Moved,
    /// The same text under another key.
    Renamed,
    /// Another value at the same place.
    Changed,
    /// Another value under the same key, elsewhere.
    Rewritten,
}

impl Likeness {
    const ALL: [Likeness; 5] = [
        Likeness::Same,
        Likeness::Moved,
        Likeness::Renamed,
        Likeness::Changed,
        Likeness::Rewritten,
    ];

    pub(super) fn is_same(self) -> bool {
        matches!(self, Likeness::Same | Likeness::Moved | Likeness::Renamed)
    }
}

/// Finds for values that are installed the ones that are stated.
pub(super) struct Pairing<'a> {
    pub(super) rendered: &'a RenderedValues,
    pub(super) resolution: &'a Resolution,
    pub(super) stated: &'a [ExplainedLeaf],
}

/// The stated value that an installed one belongs to.
#[derive(Clone, Copy)]
pub(super) struct Pair {
    /// Its number.
    pub(super) stated: usize,
    pub(super) likeness: Likeness,
}

impl Pairing<'_> {
    /// For each leaf the one that is stated.
    pub(super) fn pairs(&self, here: &[ExplainedLeaf]) -> Vec<Option<Pair>> {
        let by_place: BTreeMap<&Pointer, usize> = self
            .stated
            .iter()
            .enumerate()
            .map(|(at, leaf)| (&leaf.pointer, at))
            .collect();
        let mut free: BTreeSet<usize> = (0..self.stated.len()).collect();
        let mut pairs = vec![None; here.len()];
        for likeness in Likeness::ALL {
            let unpaired = here
                .iter()
                .zip(&mut pairs)
                .filter(|(_, pair)| pair.is_none());
            for (leaf, pair) in unpaired {
                let pointer = &leaf.pointer;
                let places = [&self.rendered.relative(pointer), pointer];
                let at_place = || places.iter().find_map(|place| by_place.get(place)).copied();
                let found = |at: &usize| self.fits(likeness, pointer, *at);
                let at = match likeness {
                    Likeness::Same | Likeness::Changed => {
                        at_place().filter(|at| free.contains(at) && found(at))
                    }
                    Likeness::Renamed | Likeness::Rewritten => free.iter().copied().find(found),
                    // A hook for two events is stated once, and is in the file twice.
                    Likeness::Moved => {
                        let free = free.iter().copied().find(found);
                        free.or_else(|| (0..self.stated.len()).find(found))
                    }
                };
                if let Some(at) = at {
                    free.remove(&at);
                    *pair = Some(Pair {
                        stated: at,
                        likeness,
                    });
                }
            }
        }
        pairs
    }

    fn fits(&self, likeness: Likeness, here: &Pointer, at: usize) -> bool {
        let there = &self.stated[at].pointer;
        let (Some(installed), Some(stated)) =
            (self.rendered.document.at(here), self.resolution.at(there))
        else {
            return false;
        };
        let same_key = nearest_key(here) == nearest_key(there);
        let text = installed.as_str().filter(|text| !text.is_empty());
        match likeness {
            Likeness::Same => equal(installed, stated),
            Likeness::Moved => same_key && equal(installed, stated),
            Likeness::Renamed => text.is_some() && equal(installed, stated),
            Likeness::Changed => true,
            Likeness::Rewritten => same_key,
        }
    }
}
