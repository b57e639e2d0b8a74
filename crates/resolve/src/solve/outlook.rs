//! The facts that a solution will need, followed from unit to unit while they are read.
//!
//! Solving again after each read walks over everything that is known: a chain of n units took n walks. An outlook
//! continues where it stopped, so it visits each unit once. It decides nothing: the solver does, when no fact is missing.

use std::collections::{BTreeMap, BTreeSet};

use crate::solve::fact_cache::{FactCache, RequirementId, UnitId};
use crate::solve::facts::{RequiredUnit, RootRequirement, UnitFacts};
use crate::solve::survey::{UnitPick, pick};

type Children<F> = Vec<RequiredUnit<<F as UnitFacts>::Unit, <F as UnitFacts>::Requirement>>;

/// Everything that the roots require, as far as it is known.
pub struct SolverOutlook<F: UnitFacts> {
    requests: BTreeMap<F::Unit, UnitRequest<F>>,
    /// The units that lack a fact.
    open: BTreeSet<F::Unit>,
}

struct UnitRequest<F: UnitFacts> {
    requirements: BTreeSet<F::Requirement>,
    /// The dependencies of the candidate that was picked first; `None` while a fact is missing.
    children: Option<Children<F>>,
}

impl<F: UnitFacts> SolverOutlook<F> {
    /// Starts at these roots.
    pub fn new(roots: &[RootRequirement<F::Unit, F::Requirement>]) -> Self {
        let mut outlook = SolverOutlook {
            requests: BTreeMap::new(),
            open: BTreeSet::new(),
        };
        for root in roots {
            outlook.request(&root.unit, &root.requirement);
        }
        outlook
    }

    /// Follows the facts that are known by now, and returns all that are missing.
    pub fn missing(&mut self, facts: &F) -> BTreeSet<F::Need> {
        let mut needs = BTreeSet::new();
        let mut waiting = BTreeSet::new();
        // Level by level, as the solver walks: most units then have all their requirements when they are picked.
        while !self.open.is_empty() {
            for unit in std::mem::take(&mut self.open) {
                match self.find_children(facts, &unit, &mut needs) {
                    Some(children) => self.add_children(&unit, children),
                    None => {
                        waiting.insert(unit);
                    }
                }
            }
        }
        self.open = waiting;
        needs
    }

    /// The dependencies of the best candidate; `None` if a fact is missing.
    fn find_children(
        &self,
        facts: &F,
        unit: &F::Unit,
        needs: &mut BTreeSet<F::Need>,
    ) -> Option<Children<F>> {
        let request = self.requests.get(unit)?;
        let mut cache = FactCache::new(facts);
        let asks = request.requirements.iter();
        let (units, requirements): (Vec<UnitId>, Vec<RequirementId>) =
            asks.map(|requirement| cache.ask(unit, requirement)).unzip();
        let picked = pick(&mut cache, *units.first()?, &requirements, needs);
        let child = |(child, requirement): &(UnitId, Option<RequirementId>)| RequiredUnit {
            unit: cache.unit(*child).clone(),
            requirement: requirement.map(|one| cache.requirement(one).clone()),
        };
        match picked {
            UnitPick::At(_, children) => Some(children.iter().map(child).collect()),
            UnitPick::Stuck => Some(Vec::new()),
            UnitPick::Unknown => None,
        }
    }

    fn add_children(&mut self, unit: &F::Unit, children: Children<F>) {
        let Some(request) = self.requests.get_mut(unit) else {
            return;
        };
        let inherited = request.requirements.clone();
        request.children = Some(children.clone());
        for child in children {
            match child.requirement {
                Some(requirement) => self.request(&child.unit, &requirement),
                None => {
                    for requirement in &inherited {
                        self.request(&child.unit, requirement);
                    }
                }
            }
        }
    }

    /// Adds a requirement on a unit, and on the dependencies that inherit it.
    fn request(&mut self, unit: &F::Unit, requirement: &F::Requirement) {
        // A list and no recursion: a source can chain thousands of units. Units that depend on each other end it,
        // because a requirement that a unit has is not passed on again.
        let mut requested = vec![unit.clone()];
        while let Some(unit) = requested.pop() {
            let request = self.requests.entry(unit.clone()).or_insert_with(|| {
                self.open.insert(unit);
                UnitRequest {
                    requirements: BTreeSet::new(),
                    children: None,
                }
            });
            if !request.requirements.insert(requirement.clone()) {
                continue;
            }
            for child in request.children.iter().flatten() {
                if child.requirement.is_none() {
                    requested.push(child.unit.clone());
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::cell::RefCell;
    use std::collections::BTreeMap;

    use super::*;
    use crate::solve::{CandidateRank, SolverOutcome, UnitContent, solve};

    /// Units with one candidate each, which are known only after they were read.
    #[derive(Default)]
    struct ReadUnits {
        children: BTreeMap<u32, Vec<RequiredUnit<u32, u32>>>,
        read: BTreeSet<u32>,
        /// How often the content of a unit was requested.
        requests: RefCell<usize>,
    }

    impl UnitFacts for ReadUnits {
        type Unit = u32;
        type Requirement = u32;
        type Need = u32;

        fn allowed(&self, _: &u32, _: &u32) -> Result<Vec<CandidateRank>, u32> {
            Ok(vec![CandidateRank(0)])
        }

        fn content(&self, unit: &u32, _: CandidateRank) -> Result<UnitContent<'_, u32, u32>, u32> {
            *self.requests.borrow_mut() += 1;
            if !self.read.contains(unit) {
                return Err(*unit);
            }
            let children = self.children.get(unit).cloned().unwrap_or_default();
            Ok(UnitContent::Children(children.into()))
        }

        fn label(&self, _: &u32, _: CandidateRank) -> String {
            String::new()
        }

        fn all(&self, _: &u32) -> Vec<(CandidateRank, u32)> {
            Vec::new()
        }
    }

    fn heir(unit: u32) -> RequiredUnit<u32, u32> {
        RequiredUnit {
            unit,
            requirement: None,
        }
    }

    const ROOT: RootRequirement<u32, u32> = RootRequirement {
        unit: 0,
        requirement: 7,
    };

    /// Reads what the outlook names until nothing is missing, and returns the units of each round.
    fn read_all(facts: &mut ReadUnits) -> Vec<Vec<u32>> {
        let mut outlook = SolverOutlook::new(&[ROOT]);
        let mut rounds = Vec::new();
        loop {
            let needs = outlook.missing(facts);
            if needs.is_empty() {
                return rounds;
            }
            facts.read.extend(&needs);
            rounds.push(needs.into_iter().collect());
        }
    }

    #[test]
    fn each_unit_of_a_chain_is_requested_a_fixed_number_of_times() {
        let length = 500;
        let children = (0..length - 1).map(|unit| (unit, vec![heir(unit + 1)]));
        let mut facts = ReadUnits {
            children: children.collect(),
            ..ReadUnits::default()
        };
        assert_eq!(read_all(&mut facts).len(), length as usize);
        // Once as missing and once as known: without the outlook, 125,000 times.
        assert_eq!(facts.requests.take(), 2 * length as usize);
        assert!(matches!(solve(&facts, &[ROOT]), SolverOutcome::Solved(_)));
    }

    #[test]
    fn a_round_names_everything_that_is_missing_and_cycles_end() {
        let children = [
            (0, vec![heir(1), heir(2)]),
            (1, vec![heir(3), heir(0)]),
            (2, vec![heir(4)]),
            (4, vec![heir(1)]),
        ];
        let mut facts = ReadUnits {
            children: children.into(),
            ..ReadUnits::default()
        };
        assert_eq!(read_all(&mut facts), [vec![0], vec![1, 2], vec![3, 4]]);
    }
}
