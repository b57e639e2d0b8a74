//! The thorough part: PubGrub, for what the survey cannot settle.

use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::BTreeSet;

use pubgrub::{
    Dependencies, DependencyProvider, PackageResolutionStatistics, PubGrubError, VersionSet,
    resolve,
};

use crate::solve::fact_cache::{
    FactCache, HashMap, RequirementId, UnitBody, UnitId, UnitRequirement,
};
use crate::solve::facts::UnitFacts;
use crate::solve::limits::{MOST_CONTENTS, MOST_NAMED};
use crate::solve::number_set::{CandidateSet, work};
use crate::solve::package::{ExclusionReason, SolverPackage};
use crate::solve::proof::Proof;

/// The result of PubGrub.
pub(crate) enum SearchOutcome<N> {
    Chosen(HashMap<UnitId, u32>),
    Need(BTreeSet<N>),
    Refuted(Proof),
    /// The budget is exhausted; the units that were decided most often, which are the conflicting ones.
    GivenUp(Vec<UnitId>),
}

/// Searches with `order`, most important unit first; roots must be in order of name.
pub(crate) fn search<F: UnitFacts>(
    facts: &mut FactCache<'_, F>,
    roots: &[UnitRequirement],
    order: impl Iterator<Item = UnitId>,
) -> SearchOutcome<F::Need> {
    let ranks = order.zip(0..).collect();
    let start = work();
    let limit = start.saturating_add(facts.budget);
    let provider = FactProvider {
        facts: RefCell::new(facts),
        roots,
        ranks,
        chosen: RefCell::default(),
        needs: RefCell::default(),
        decisions: RefCell::default(),
        limit,
    };
    let resolved = resolve(&provider, SolverPackage::Root, 0_u32);
    let facts = provider.facts.into_inner();
    facts.budget = facts.budget.saturating_sub(work() - start);
    match resolved {
        Ok(selected) => {
            let decisions = selected.into_iter();
            let chosen =
                decisions.filter_map(|(package, number)| Some((unit_of_package(package)?, number)));
            SearchOutcome::Chosen(chosen.collect())
        }
        Err(PubGrubError::NoSolution(tree)) => SearchOutcome::Refuted(Proof::new(tree)),
        // PubGrub has one error for both. An empty budget is final, so it is checked before the missing facts,
        // which would start another round.
        Err(_) if facts.budget == 0 => {
            SearchOutcome::GivenUp(most_decided(facts, provider.decisions.into_inner()))
        }
        Err(_) => SearchOutcome::Need(provider.needs.into_inner()),
    }
}

/// The units that were decided most often, those of the same number by name.
fn most_decided<F: UnitFacts>(
    facts: &FactCache<'_, F>,
    decisions: HashMap<SolverPackage, u32>,
) -> Vec<UnitId> {
    let mut units: Vec<(UnitId, u32)> = decisions
        .into_iter()
        .filter_map(|(package, count)| Some((unit_of_package(package)?, count)))
        .collect();
    units.sort_by(|(left, left_count), (right, right_count)| {
        right_count
            .cmp(left_count)
            .then_with(|| facts.unit(*left).cmp(facts.unit(*right)))
    });
    units
        .into_iter()
        .take(MOST_NAMED)
        .map(|(unit, _)| unit)
        .collect()
}

fn unit_of_package(package: SolverPackage) -> Option<UnitId> {
    match package {
        SolverPackage::Unit(unit) => Some(unit),
        SolverPackage::Root | SolverPackage::Requirement(..) => None,
    }
}

/// The greatest is decided first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum DecisionTier {
    Requirement,
    Unit,
    Root,
}

/// A fact is missing, and the needs are kept aside; or the budget is used up.
#[derive(Debug, thiserror::Error)]
#[error("a fact is missing, or the budget is used up")]
struct FactUnavailable;

struct FactProvider<'p, 'f, F: UnitFacts> {
    facts: RefCell<&'p mut FactCache<'f, F>>,
    roots: &'p [UnitRequirement],
    ranks: HashMap<UnitId, u32>,
    /// The last decision on each unit; requirements are decided after all units, so it is final.
    chosen: RefCell<HashMap<UnitId, u32>>,
    needs: RefCell<BTreeSet<F::Need>>,
    /// The number of decisions on each package.
    decisions: RefCell<HashMap<SolverPackage, u32>>,
    /// Up to which work the search may go.
    limit: u64,
}

type Wanted = Dependencies<SolverPackage, CandidateSet, ExclusionReason>;

impl<F: UnitFacts> FactProvider<'_, '_, F> {
    fn found<T>(&self, fact: Result<T, F::Need>) -> Result<T, FactUnavailable> {
        fact.map_err(|need| {
            self.needs.borrow_mut().insert(need);
            FactUnavailable
        })
    }

    fn allows(&self, ask: UnitRequirement, number: u32) -> Result<bool, FactUnavailable> {
        let list = self.found(self.facts.borrow_mut().allowed(ask))?;
        Ok(list.binary_search(&number).is_ok())
    }

    /// The best of the range.
    fn choose_unit(&self, unit: UnitId, range: &[u32]) -> Result<Option<u32>, FactUnavailable> {
        let best = self.first_readable(unit, range.iter().copied())?;
        self.chosen
            .borrow_mut()
            .extend(best.map(|best| (unit, best)));
        Ok(best)
    }

    /// The candidate of the unit if possible: any other fails at once.
    fn choose_requirement(
        &self,
        ask: UnitRequirement,
        range: &CandidateSet,
    ) -> Result<Option<u32>, FactUnavailable> {
        // A requirement is decided after its unit. Another candidate than the chosen one would only force PubGrub
        // to learn that the two are tied.
        let chosen = self.chosen.borrow().get(&ask.0).copied();
        let list = self.found(self.facts.borrow_mut().allowed(ask))?;
        let open = |number: &u32| range.contains(number) && list.binary_search(number).is_ok();
        self.first_readable(
            ask.0,
            chosen.into_iter().chain(list.iter().copied()).filter(open),
        )
    }

    /// The first of the numbers, if its content is known; if not, the next ones are requested as well.
    fn first_readable(
        &self,
        unit: UnitId,
        mut numbers: impl Iterator<Item = u32>,
    ) -> Result<Option<u32>, FactUnavailable> {
        let Some(first) = numbers.next() else {
            return Ok(None);
        };
        let mut facts = self.facts.borrow_mut();
        if let Err(need) = facts.body(unit, first) {
            // Each round of missing facts is a fetch. The next candidates are requested with the first, since a
            // search that fails here tries them next.
            let remaining = numbers
                .take(MOST_CONTENTS)
                .filter_map(|number| facts.body(unit, number).err());
            self.needs.borrow_mut().extend(remaining.chain([need]));
            return Err(FactUnavailable);
        }
        Ok(Some(first))
    }

    /// Each ask, and the unit within what the requirement allows; all facts that are missing at once.
    fn dependencies(
        &self,
        asks: Vec<UnitRequirement>,
    ) -> Result<Vec<(SolverPackage, CandidateSet)>, FactUnavailable> {
        let mut facts = self.facts.borrow_mut();
        let asks = facts.in_order(asks);
        let lists: Vec<_> = asks
            .iter()
            .map(|ask| self.found(facts.allowed(*ask)))
            .collect();
        let mut dependencies = Vec::with_capacity(2 * asks.len());
        for ((unit, requirement), list) in asks.into_iter().zip(lists) {
            dependencies.push((SolverPackage::Unit(unit), CandidateSet::Only(list?)));
            dependencies.push((
                SolverPackage::Requirement(unit, requirement),
                CandidateSet::full(),
            ));
        }
        Ok(dependencies)
    }

    fn below_unit(&self, unit: UnitId, number: u32) -> Result<Wanted, FactUnavailable> {
        let body = self.found(self.facts.borrow_mut().body(unit, number))?;
        let UnitBody::Present(children) = body else {
            return Ok(Dependencies::Unavailable(ExclusionReason::Absent));
        };
        let asks = children
            .iter()
            .filter_map(|(child, own_requirement)| Some((*child, (*own_requirement)?)));
        let asks = self.facts.borrow().in_order(asks);
        // PubGrub knows no package that depends on itself, so case is answered here.
        for (_, requirement) in asks.iter().filter(|(child, _)| *child == unit) {
            if !self.allows((unit, *requirement), number)? {
                return Ok(Dependencies::Unavailable(ExclusionReason::ExcludesItself(
                    *requirement,
                )));
            }
        }
        let mut dependencies = self.dependencies(asks)?;
        // The dependency on itself was answered above, and PubGrub must not see it.
        dependencies.retain(|(package, _)| *package != SolverPackage::Unit(unit));
        Ok(Dependencies::Available(dependencies.into_iter().collect()))
    }

    fn below_requirement(
        &self,
        unit: UnitId,
        requirement: RequirementId,
        number: u32,
    ) -> Result<Wanted, FactUnavailable> {
        let tie = (SolverPackage::Unit(unit), CandidateSet::singleton(number));
        let body = self.found(self.facts.borrow_mut().body(unit, number))?;
        let UnitBody::Present(children) = body else {
            // The unit itself reports that it is absent. Reporting it here too would put one fact into the proof
            // twice.
            return Ok(Dependencies::Available([tie].into_iter().collect()));
        };
        let heirs = children
            .iter()
            .filter(|(child, own_requirement)| own_requirement.is_none() && *child != unit);
        let dependencies =
            self.dependencies(heirs.map(|(child, _)| (*child, requirement)).collect())?;
        Ok(Dependencies::Available(
            [tie].into_iter().chain(dependencies).collect(),
        ))
    }
}

impl<F: UnitFacts> DependencyProvider for FactProvider<'_, '_, F> {
    type P = SolverPackage;
    type V = u32;
    type VS = CandidateSet;
    type M = ExclusionReason;
    type Err = FactUnavailable;
    type Priority = (DecisionTier, Reverse<u32>);

    /// Units before asks, and parents before children: a parent's best weighs more.
    // Parents are decided before children: otherwise a newer child could hold back the resource that the manifest
    // requires.
    fn prioritize(
        &self,
        package: &SolverPackage,
        _range: &CandidateSet,
        _statistics: &PackageResolutionStatistics,
    ) -> Self::Priority {
        match package {
            SolverPackage::Root => (DecisionTier::Root, Reverse(0)),
            SolverPackage::Unit(unit) => (
                DecisionTier::Unit,
                Reverse(self.ranks.get(unit).copied().unwrap_or(u32::MAX)),
            ),
            // Last: a requirement follows the candidate of its unit, so it must be decided when that one is known.
            SolverPackage::Requirement(..) => (DecisionTier::Requirement, Reverse(0)),
        }
    }

    // A source chooses its dependencies, so it can state a problem that takes years. The budget ends the search with
    // an error.
    fn should_cancel(&self) -> Result<(), FactUnavailable> {
        if work() < self.limit {
            Ok(())
        } else {
            Err(FactUnavailable)
        }
    }

    fn choose_version(
        &self,
        package: &SolverPackage,
        range: &CandidateSet,
    ) -> Result<Option<u32>, FactUnavailable> {
        *self.decisions.borrow_mut().entry(*package).or_default() += 1;
        match package {
            SolverPackage::Root => Ok(Some(0)),
            SolverPackage::Requirement(unit, requirement) => {
                self.choose_requirement((*unit, *requirement), range)
            }
            SolverPackage::Unit(unit) => self.choose_unit(*unit, range.members()),
        }
    }

    fn get_dependencies(
        &self,
        package: &SolverPackage,
        number: &u32,
    ) -> Result<Wanted, FactUnavailable> {
        match package {
            SolverPackage::Root => Ok(Dependencies::Available(
                self.dependencies(self.roots.to_vec())?
                    .into_iter()
                    .collect(),
            )),
            SolverPackage::Requirement(unit, requirement) => {
                self.below_requirement(*unit, *requirement, *number)
            }
            SolverPackage::Unit(unit) => self.below_unit(*unit, *number),
        }
    }
}
