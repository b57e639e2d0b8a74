use agpm_model::MergeOperation;
use agpm_text::{NodeRef, Pointer};

/// A strategy of an embedder's own, asked at every place where several layers have a say.
///
/// It chooses among what the layers said and cannot invent a value, so that every leaf of the result still has its
/// layer, file and line.
pub trait Combine {
    /// What happens at this place; `None` leaves it to the strategy's rules.
    fn combine(&self, place: &MergePoint<'_>) -> Option<Combination<'_>>;
}

/// A place where at least two layers have a say.
#[derive(Debug)]
pub struct MergePoint<'a> {
    /// Where it is.
    pub pointer: &'a Pointer,
    /// What each of them says, lowest first.
    pub contributions: &'a [NodeRef<'a>],
}

/// What happens at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Combination<'s> {
    /// One of the operations.
    Operation(&'s MergeOperation),
    /// A list of these items. Each is given as (contribution, item) pairs, lowest first: the last is the item of the
    /// result, the others are what it shadows.
    Items(Vec<Vec<(usize, usize)>>),
}
