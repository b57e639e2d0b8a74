use agpm_model::MergeOperation;
use agpm_text::{NodeRef, Pointer};

/// A strategy of an embedder's own, asked at every place where several layers apply.
///
/// It chooses among what the layers said and cannot invent a value, so every leaf of the result still has its
/// layer, file and line.
pub trait Combine {
    /// The combination at this location; `None` leaves it to the strategy's rules.
    fn combine(&self, place: &MergePoint<'_>) -> Option<Combination<'_>>;
}

/// A location where at least two layers apply.
#[derive(Debug)]
pub struct MergePoint<'a> {
    /// The position.
    pub pointer: &'a Pointer,
    /// The value of each of them, lowest first.
    pub contributions: &'a [NodeRef<'a>],
}

/// The combination at a location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Combination<'s> {
    /// A built-in operation.
    Operation(&'s MergeOperation),
    /// A list of these items. Each is given as (contribution, item) pairs, lowest first: the last is the item of the
    /// result, the others are what it shadows.
    Items(Vec<Vec<(usize, usize)>>),
}
