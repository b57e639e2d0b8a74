//! The solver's result.

use std::collections::{BTreeMap, BTreeSet};

use crate::solve::facts::{CandidateRank, UnitFacts};

/// The answer in the caller's own types.
pub type AnswerTo<F> =
    SolverOutcome<<F as UnitFacts>::Unit, <F as UnitFacts>::Requirement, <F as UnitFacts>::Need>;

/// The result of one call.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SolverOutcome<U: Ord, W: Ord, N: Ord> {
    /// Every requirement is satisfied.
    Solved(Solution<U, W>),
    /// These facts are missing; ask again when they are known.
    Need(BTreeSet<N>),
    /// No choice of candidates satisfies every requirement.
    Conflict(Conflict<U, W>),
    /// Units that need each other in a ring; the first is repeated at the end.
    Cycle(Vec<U>),
    /// The search was given up after a fixed number of steps; the units that it went back to most often.
    TooHard(Vec<U>),
}

/// One candidate for every unit that is reachable from the roots.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Solution<U: Ord, W: Ord> {
    /// The chosen candidates.
    pub units: BTreeMap<U, ChosenCandidate<U, W>>,
    /// Better candidates that every requirement allows but in which the unit is absent, best first.
    pub passed_over: Vec<(U, Vec<CandidateRank>)>,
}

/// The chosen candidate of one unit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ChosenCandidate<U, W: Ord> {
    /// The one candidate that satisfies all requirements.
    pub candidate: CandidateRank,
    /// Every requirement under which the unit is requested, own and inherited.
    pub requirements: BTreeSet<W>,
    /// The units it needs, as declared, in order.
    pub children: Vec<U>,
}

/// The reason why solving failed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Conflict<U, W> {
    /// The indices of the roots that cannot be had together, as few as possible.
    pub roots: Vec<usize>,
    /// The units on which it breaks: one, unless every candidate of a parent fails for another reason.
    pub clashes: Vec<ConflictingUnit<U, W>>,
    /// Changes of a single root that help, each on its own.
    pub suggestions: Vec<SuggestedChange<W>>,
}

/// A unit on which a conflict breaks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ConflictingUnit<U, W> {
    /// The unit that cannot be chosen.
    pub unit: U,
    /// The kind of failure.
    pub kind: ClashKind,
    /// The requirements; all of them are needed for the conflict.
    pub asks: Vec<RequirementChain<U, W>>,
}

/// The kind of a failure.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ClashKind {
    /// A requirement allows nothing at all.
    NoCandidate,
    /// Candidates are allowed, but the unit is in none of them.
    Absent,
    /// The requirements exclude each other; without any one of them a candidate is left.
    Incompatible,
    /// The asks stem from different candidates of a parent, and each way is closed.
    Exhausted,
}

/// One requirement on a unit, and how it came about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RequirementChain<U, W> {
    /// The index of the root where the chain starts.
    pub root: usize,
    /// The units from that root to the asked one, both included.
    pub chain: Vec<U>,
    /// The candidates of the last parent that ask so, by label; empty for a root's own requirement.
    pub within: Vec<String>,
    /// The requirement.
    pub requirement: W,
    /// The candidates that the requirement allows, by label.
    pub allows: Vec<String>,
}

/// A root whose change alone makes everything solvable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SuggestedChange<W> {
    /// The index of the root.
    pub root: usize,
    /// The requirement to give it instead.
    pub requirement: W,
}
