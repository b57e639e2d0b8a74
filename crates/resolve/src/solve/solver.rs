//! Runs an attempt, and reports its outcome.

use std::collections::{BTreeMap, BTreeSet};

use crate::solve::attempt::{AttemptOutcome, attempt};
use crate::solve::explain::explain;
use crate::solve::fact_cache::{FactCache, UnitId, UnitRequirement};
use crate::solve::facts::{CandidateRank, RootRequirement, UnitFacts};
use crate::solve::graph::trace;
use crate::solve::limits::BUDGET;
use crate::solve::number_set::NumberSet;
use crate::solve::outcome::{AnswerTo, ChosenCandidate, Solution, SolverOutcome};
use crate::solve::survey::{UnitPick, UnitSurvey};

/// Chooses one candidate for every unit that the roots need, or reports what is missing or conflicting.
pub fn solve<F: UnitFacts>(
    facts: &F,
    roots: &[RootRequirement<F::Unit, F::Requirement>],
) -> AnswerTo<F> {
    let mut cache = FactCache::new(facts);
    let asks: Vec<UnitRequirement> = roots
        .iter()
        .map(|root| cache.ask(&root.unit, &root.requirement))
        .collect();
    match attempt(&mut cache, &asks) {
        AttemptOutcome::Need(needs) => SolverOutcome::Need(needs),
        AttemptOutcome::Refuted(proof) => {
            SolverOutcome::Conflict(explain(&mut cache, &asks, &proof))
        }
        AttemptOutcome::GivenUp(units) => SolverOutcome::TooHard(
            units
                .into_iter()
                .map(|unit| cache.unit(unit).clone())
                .collect(),
        ),
        // Cycles are found after solving: versions may exclude the cycle, and only the chosen ones can have it.
        AttemptOutcome::Solved(survey) => match trace(&cache, &survey, &asks).ring {
            Some(ring) => SolverOutcome::Cycle(
                ring.into_iter()
                    .map(|unit| cache.unit(unit).clone())
                    .collect(),
            ),
            None => SolverOutcome::Solved(solution(&mut cache, &survey)),
        },
    }
}

/// The work that several probes may take together.
#[derive(Debug)]
pub struct ProbeBudget {
    left: u64,
}

impl ProbeBudget {
    /// As much as one answer may take.
    pub fn of_one_answer() -> Self {
        ProbeBudget { left: BUDGET }
    }
}

/// The result of a probe.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ProbeOutcome<N: Ord> {
    /// There is a choice that satisfies every requirement.
    Solvable,
    /// These facts are missing; ask again when they are known.
    Need(BTreeSet<N>),
    /// There is none, or none was found within the effort.
    Unsolvable,
}

/// Whether the roots can be had, without saying why not: what would be tried for a better explanation is left out.
pub fn probe<F: UnitFacts>(
    facts: &F,
    roots: &[RootRequirement<F::Unit, F::Requirement>],
    effort: &mut ProbeBudget,
) -> ProbeOutcome<F::Need> {
    if effort.left == 0 {
        return ProbeOutcome::Unsolvable;
    }
    let mut cache = FactCache::new(facts);
    cache.budget = effort.left;
    let asks: Vec<UnitRequirement> = roots
        .iter()
        .map(|root| cache.ask(&root.unit, &root.requirement))
        .collect();
    let attempt = attempt(&mut cache, &asks);
    // The cache may have granted itself more for many units. A series of probes must still end, so the shared
    // budget only shrinks.
    effort.left = effort.left.min(cache.budget);
    match attempt {
        AttemptOutcome::Need(needs) => ProbeOutcome::Need(needs),
        AttemptOutcome::Solved(survey) if trace(&cache, &survey, &asks).ring.is_none() => {
            ProbeOutcome::Solvable
        }
        AttemptOutcome::Solved(_) | AttemptOutcome::Refuted(_) | AttemptOutcome::GivenUp(_) => {
            ProbeOutcome::Unsolvable
        }
    }
}

fn solution<F: UnitFacts>(
    facts: &mut FactCache<'_, F>,
    survey: &UnitSurvey<F::Need>,
) -> Solution<F::Unit, F::Requirement> {
    let mut units = BTreeMap::new();
    let mut passed_over = BTreeMap::new();
    for unit in &survey.reached {
        let Some(UnitPick::At(number, children)) = survey.pick(*unit) else {
            continue;
        };
        let name = facts.unit(*unit).clone();
        // A newer version without the file is skipped silently by the search. Users expect the newest one, so it is
        // reported.
        let passed = absent_before(facts, survey, *unit, *number);
        if !passed.is_empty() {
            passed_over.insert(name.clone(), passed);
        }
        let requirements = survey
            .requirements(*unit)
            .unwrap_or_default()
            .iter()
            .map(|requirement| facts.requirement(*requirement).clone());
        let children = children.iter().map(|(child, _)| facts.unit(*child).clone());
        let choice = ChosenCandidate {
            candidate: CandidateRank(*number),
            requirements: requirements.collect(),
            children: children.collect(),
        };
        units.insert(name, choice);
    }
    Solution {
        units,
        passed_over: passed_over.into_iter().collect(),
    }
}

/// The better candidates that all requirements allow and that do not have the unit.
fn absent_before<F: UnitFacts>(
    facts: &mut FactCache<'_, F>,
    survey: &UnitSurvey<F::Need>,
    unit: UnitId,
    number: u32,
) -> Vec<CandidateRank> {
    let requirements = survey.requirements(unit).unwrap_or_default();
    let mut lists = requirements
        .iter()
        .filter_map(|requirement| facts.allowed((unit, *requirement)).ok());
    let Some(first) = lists.next() else {
        return Vec::new();
    };
    let remaining: Vec<NumberSet> = lists.collect();
    let better = first.iter().copied().take_while(|other| *other < number);
    let common = better.filter(|other| {
        remaining
            .iter()
            .all(|list| list.binary_search(other).is_ok())
    });
    common
        .filter(|other| facts.is_absent(unit, *other))
        .map(CandidateRank)
        .collect()
}
