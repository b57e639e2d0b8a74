//! Which candidate of which unit: PubGrub over facts that may still be missing, and explanations.
//!
//! Knows no files, no git and no manifest; it sees the world through one small trait.
//! The way through it: an `attempt` surveys greedily (`survey`), which settles most inputs and finds all facts that are
//! missing (`outlook` names them while they are read); what is left goes to PubGrub (`search`); [`solve`] turns a refusal into data (`proof`, `explain`).

mod attempt;
mod chain;
mod clash;
mod explain;
mod fact_cache;
mod facts;
mod graph;
mod limits;
mod number_set;
mod outcome;
mod outlook;
mod package;
mod proof;
mod search;
mod solver;
mod survey;

pub use facts::{CandidateRank, RequiredUnit, RootRequirement, UnitContent, UnitFacts};
pub use outcome::{
    AnswerTo, ChosenCandidate, ClashKind, Conflict, ConflictingUnit, RequirementChain, Solution,
    SolverOutcome, SuggestedChange,
};
pub use outlook::SolverOutlook;
pub use solver::{ProbeBudget, ProbeOutcome, probe, solve};
