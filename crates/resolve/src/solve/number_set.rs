//! Sets of candidate numbers: exact, finite or the complement of a finite one.

use std::cell::Cell;
use std::fmt::{Display, Formatter, Result};
use std::ops::Deref;
use std::rc::Rc;

use pubgrub::VersionSet;

/// Sorted numbers that are in the set, or that are not; ranges would leave gaps between neighbors.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum CandidateSet {
    Only(NumberSet),
    Except(NumberSet),
}

/// Sorted numbers; none and one are so frequent in a search that they must cost nothing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum NumberSet {
    None,
    One(u32),
    /// At least two numbers.
    Many(Rc<[u32]>),
}

impl From<Vec<u32>> for NumberSet {
    fn from(mut list: Vec<u32>) -> Self {
        list.sort_unstable();
        list.dedup();
        match *list {
            [] => Self::None,
            [one] => Self::One(one),
            _ => Self::Many(list.into()),
        }
    }
}

impl Deref for NumberSet {
    type Target = [u32];

    fn deref(&self) -> &[u32] {
        match self {
            Self::None => &[],
            Self::One(one) => std::slice::from_ref(one),
            Self::Many(list) => list,
        }
    }
}

thread_local! {
    /// How many sets were compared. It is what a search spends its time on, and PubGrub offers no other place to count
    /// it: a step of the search is cheap at first and dear after thousands of conflicts.
    static WORK: Cell<u64> = const { Cell::new(0) };
}

/// The number of sets that this thread has compared so far.
pub(crate) fn work() -> u64 {
    WORK.get()
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
pub(crate) fn intersect(list: &[u32], other: &[u32]) -> Vec<u32> {
    list.iter()
        .copied()
        .filter(|number| other.binary_search(number).is_ok())
        .collect()
}

fn without(list: &[u32], other: &[u32]) -> Vec<u32> {
    list.iter()
        .copied()
        .filter(|number| other.binary_search(number).is_err())
        .collect()
}

impl VersionSet for CandidateSet {
    type V = u32;

    fn empty() -> Self {
        Self::Only(NumberSet::None)
    }

    fn singleton(number: u32) -> Self {
        Self::Only(NumberSet::One(number))
    }

    fn complement(&self) -> Self {
        match self {
            Self::Only(list) => Self::Except(list.clone()),
            Self::Except(list) => Self::Only(list.clone()),
        }
    }

    fn intersection(&self, other: &Self) -> Self {
        // Counted here because intersections are most of the time of a search; wall-clock limits would give
        // different answers on different machines.
        WORK.set(WORK.get() + 1);
        match (self, other) {
            // The shorter list drives the binary searches: one side often has a single number, and the other
            // hundreds.
            (Self::Only(one), Self::Only(two)) if one.len() > two.len() => {
                Self::Only(intersect(two, one).into())
            }
            (Self::Only(one), Self::Only(two)) => Self::Only(intersect(one, two).into()),
            (Self::Only(only), Self::Except(not)) | (Self::Except(not), Self::Only(only)) => {
                Self::Only(without(only, not).into())
            }
            (Self::Except(one), Self::Except(two)) => Self::Except([&**one, two].concat().into()),
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
            Self::Only(list) => write!(out, "{:?}", &**list),
            Self::Except(list) => write!(out, "not {:?}", &**list),
        }
    }
}
