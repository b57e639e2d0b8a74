//! The solver's questions to its caller.

use std::borrow::Cow;
use std::fmt::{Debug, Display};
use std::hash::Hash;

/// A tag, branch tip or commit of one unit, numbered by the caller: the smaller, the better.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct CandidateRank(pub u32);

/// The world as far as it is known; a fact that must be read first is returned as a need.
pub trait UnitFacts {
    /// A resource or a pattern in a source.
    type Unit: Clone + Ord + Hash + Debug + Display;
    /// A version requirement.
    type Requirement: Clone + Ord + Hash + Debug + Display;
    /// A fact that the caller has to read before the solver can go on.
    type Need: Clone + Ord + Debug;

    /// The candidates of `unit` that `requirement` allows, best first.
    fn allowed(
        &self,
        unit: &Self::Unit,
        requirement: &Self::Requirement,
    ) -> Result<Vec<CandidateRank>, Self::Need>;

    /// The dependencies of the unit in this candidate.
    fn content(
        &self,
        unit: &Self::Unit,
        candidate: CandidateRank,
    ) -> Result<UnitContent<'_, Self::Unit, Self::Requirement>, Self::Need>;

    /// The name of a candidate, for messages.
    fn label(&self, unit: &Self::Unit, candidate: CandidateRank) -> String;

    /// The known candidates of the unit with the requirement that names exactly each, best first, for suggestions.
    fn all(&self, unit: &Self::Unit) -> Vec<(CandidateRank, Self::Requirement)>;
}

/// A unit as it is in one candidate.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum UnitContent<'a, U: Clone, W: Clone> {
    /// The unit does not exist there.
    Absent,
    /// The unit exists and needs these others.
    Children(Cow<'a, [RequiredUnit<U, W>]>),
}

/// A unit that another one needs.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct RequiredUnit<U, W> {
    /// The unit.
    pub unit: U,
    /// Its own requirement; without one it inherits every requirement under which the parent is requested.
    pub requirement: Option<W>,
}

/// A unit that the user requires; its index in the list is how answers refer to it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct RootRequirement<U, W> {
    /// The unit.
    pub unit: U,
    /// Under which requirement.
    pub requirement: W,
}
