//! Sets of candidate numbers: exact, finite or the complement of a finite one.

use std::fmt::{Display, Formatter, Result};
use std::rc::Rc;

use pubgrub::VersionSet;

/// Sorted numbers that are in the set, or that are not; ranges would leave gaps between neighbours.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum CandidateSet {
    Only(Rc<[u32]>),
    Except(Rc<[u32]>),
}

impl CandidateSet {
    /// The members of a finite set; the complement of one has no list.
    pub(crate) fn members(&self) -> &[u32] {
        match self {
            Self::Only(members) => members,
            Self::Except(_) => &[],
        }
    }
}

/// The members of `list`, all in order, that `other` has.
pub(crate) fn both(list: &[u32], other: &[u32]) -> Vec<u32> {
    list.iter().copied().filter(|number| other.binary_search(number).is_ok()).collect()
}

fn without(list: &[u32], other: &[u32]) -> Rc<[u32]> {
    list.iter().copied().filter(|number| other.binary_search(number).is_err()).collect()
}

fn either(list: &[u32], other: &[u32]) -> Rc<[u32]> {
    let mut all = [list, other].concat();
    all.sort_unstable();
    all.dedup();
    all.into()
}

impl VersionSet for CandidateSet {
    type V = u32;

    fn empty() -> Self {
        Self::Only(Rc::default())
    }

    fn singleton(number: u32) -> Self {
        Self::Only([number].into())
    }

    fn complement(&self) -> Self {
        match self {
            Self::Only(list) => Self::Except(list.clone()),
            Self::Except(list) => Self::Only(list.clone()),
        }
    }

    fn intersection(&self, other: &Self) -> Self {
        match (self, other) {
            (Self::Only(one), Self::Only(two)) if one.len() > two.len() => Self::Only(both(two, one).into()),
            (Self::Only(one), Self::Only(two)) => Self::Only(both(one, two).into()),
            (Self::Only(only), Self::Except(not)) | (Self::Except(not), Self::Only(only)) => {
                Self::Only(without(only, not))
            }
            (Self::Except(one), Self::Except(two)) => Self::Except(either(one, two)),
        }
    }

    fn contains(&self, number: &u32) -> bool {
        match self {
            Self::Only(list) => list.binary_search(number).is_ok(),
            Self::Except(list) => list.binary_search(number).is_err(),
        }
    }
}

impl Display for CandidateSet {
    fn fmt(&self, out: &mut Formatter<'_>) -> Result {
        match self {
            Self::Only(list) => write!(out, "{list:?}"),
            Self::Except(list) => write!(out, "not {list:?}"),
        }
    }
}
