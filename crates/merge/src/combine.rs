use agpm_model::MergeOperation;
use agpm_text::{NodeRef, Pointer};

/// A custom strategy of an embedder, called for every value that several layers have.
///
/// It chooses among the values of the layers and cannot invent one, so every leaf of the result still has its layer,
/// file and line.
pub trait Combine {
    /// The combination of a value; `None` leaves it to the strategy's rules.
    fn combine(&self, point: &MergePoint<'_>) -> Option<Combination<'_>>;
}

/// A value that at least two layers have.
#[derive(Debug)]
pub struct MergePoint<'a> {
    /// The pointer.
    pub pointer: &'a Pointer,
    /// The value of each layer, lowest first.
    pub contributions: &'a [NodeRef<'a>],
}

/// The combination of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Combination<'s> {
    /// A built-in operation.
    Operation(&'s MergeOperation),
    /// A list of these items. Each consists of (contribution, item) pairs, lowest first: the last is the item of the
    /// result, and the others are shadowed by it.
    Items(Vec<Vec<(usize, usize)>>),
}
