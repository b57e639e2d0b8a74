//! The facts of one call: units and requirements as numbers, and every fact requested once.

use std::cmp::Ordering;
use std::hash::Hash;
use std::rc::Rc;

use foldhash::fast::FixedState;

use crate::solve::facts::{CandidateRank, UnitContent, UnitFacts};
use crate::solve::limits::{BUDGET, BUDGET_PER_UNIT};
use crate::solve::number_set::NumberSet;

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct UnitId(u32);

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct RequirementId(u32);

/// Never iterated: its order must not show.
pub(crate) type HashMap<K, V> = std::collections::HashMap<K, V, FixedState>;

/// A unit and a requirement on it.
pub(crate) type UnitRequirement = (UnitId, RequirementId);

/// The dependencies of a unit, as declared; without a requirement the child inherits.
pub(crate) type Children = Rc<[(UnitId, Option<RequirementId>)]>;

#[derive(Clone)]
pub(crate) enum UnitBody {
    Absent,
    Present(Children),
}

impl UnitId {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

pub(crate) struct FactCache<'f, F: UnitFacts> {
    facts: &'f F,
    units: Interner<F::Unit>,
    requirements: Interner<F::Requirement>,
    allowed: HashMap<UnitRequirement, NumberSet>,
    bodies: HashMap<(UnitId, u32), UnitBody>,
    /// How many comparisons of sets may still be made. A puzzle of a dozen units can take longer than anyone waits, and
    /// the same input must give the same answer on every machine: so work is counted, not time.
    pub(crate) budget: u64,
    granted: usize,
}

impl<'f, F: UnitFacts> FactCache<'f, F> {
    pub(crate) fn new(facts: &'f F) -> Self {
        let (allowed, bodies) = (HashMap::default(), HashMap::default());
        let (units, requirements) = (Interner::default(), Interner::default());
        Self {
            facts,
            units,
            requirements,
            allowed,
            bodies,
            budget: BUDGET,
            granted: 0,
        }
    }

    /// Adds to the budget for units beyond the most that any search of this call had so far.
    pub(crate) fn grant(&mut self, units: usize) {
        // Granted once per unit and call: an explanation runs many searches over the same units, and each would
        // extend the limit again.
        let more = units.saturating_sub(self.granted);
        self.granted += more;
        self.budget = self
            .budget
            .saturating_add(BUDGET_PER_UNIT.saturating_mul(more as u64));
    }

    /// The whole budget again, for another purpose.
    pub(crate) fn refill(&mut self) {
        self.budget = BUDGET + BUDGET_PER_UNIT * self.granted as u64;
    }

    pub(crate) fn facts(&self) -> &'f F {
        self.facts
    }

    pub(crate) fn ask(&mut self, unit: &F::Unit, requirement: &F::Requirement) -> UnitRequirement {
        (
            UnitId(self.units.id(unit)),
            RequirementId(self.requirements.id(requirement)),
        )
    }

    pub(crate) fn unit(&self, id: UnitId) -> &F::Unit {
        &self.units.items[id.index()]
    }

    pub(crate) fn requirement(&self, id: RequirementId) -> &F::Requirement {
        &self.requirements.items[id.0 as usize]
    }

    pub(crate) fn label(&self, unit: UnitId, number: u32) -> String {
        self.facts.label(self.unit(unit), CandidateRank(number))
    }

    /// The candidates that the requirement allows, sorted.
    pub(crate) fn allowed(&mut self, ask: UnitRequirement) -> Result<NumberSet, F::Need> {
        if let Some(facts) = self.allowed.get(&ask) {
            return Ok(facts.clone());
        }
        // Errors are not cached: the caller reads a missing fact between two calls, and then it must be found.
        let candidates = self
            .facts
            .allowed(self.unit(ask.0), self.requirement(ask.1))?;
        let numbers: Vec<u32> = candidates
            .into_iter()
            .map(|CandidateRank(number)| number)
            .collect();
        Ok(self.allowed.entry(ask).or_insert(numbers.into()).clone())
    }

    pub(crate) fn body(&mut self, unit: UnitId, number: u32) -> Result<UnitBody, F::Need> {
        if let Some(facts) = self.bodies.get(&(unit, number)) {
            return Ok(facts.clone());
        }
        let body = match self
            .facts
            .content(&self.units.items[unit.index()], CandidateRank(number))?
        {
            UnitContent::Absent => UnitBody::Absent,
            UnitContent::Children(children) => {
                let (units, requirements) = (&mut self.units, &mut self.requirements);
                let ids = children.iter().map(|child| {
                    (
                        UnitId(units.id(&child.unit)),
                        child
                            .requirement
                            .as_ref()
                            .map(|requirement| RequirementId(requirements.id(requirement))),
                    )
                });
                UnitBody::Present(ids.collect())
            }
        };
        Ok(self.bodies.entry((unit, number)).or_insert(body).clone())
    }

    /// Whether the unit is known not to be in this candidate.
    pub(crate) fn is_absent(&mut self, unit: UnitId, number: u32) -> bool {
        matches!(self.body(unit, number), Ok(UnitBody::Absent))
    }

    /// By name: numbers follow the order of discovery, which must not show.
    pub(crate) fn compare(&self, one: UnitRequirement, two: UnitRequirement) -> Ordering {
        let units = || self.unit(one.0).cmp(self.unit(two.0));
        let requirements = || self.requirement(one.1).cmp(self.requirement(two.1));
        if one.0 == two.0 {
            requirements()
        } else {
            units()
        }
    }

    /// The asks by name, each once.
    pub(crate) fn in_order(
        &self,
        asks: impl IntoIterator<Item = UnitRequirement>,
    ) -> Vec<UnitRequirement> {
        let mut asks: Vec<UnitRequirement> = asks.into_iter().collect();
        asks.sort_by(|one, two| self.compare(*one, *two));
        asks.dedup();
        asks
    }
}

struct Interner<T> {
    ids: HashMap<T, u32>,
    items: Vec<T>,
}

impl<T> Default for Interner<T> {
    fn default() -> Self {
        Self {
            ids: HashMap::default(),
            items: Vec::new(),
        }
    }
}

impl<T: Clone + Eq + Hash> Interner<T> {
    fn id(&mut self, item: &T) -> u32 {
        if let Some(facts) = self.ids.get(item) {
            return *facts;
        }
        // Numbers instead of clones: PubGrub copies packages and sets in its inner loop.
        let id = u32::try_from(self.items.len()).unwrap_or(u32::MAX);
        self.items.push(item.clone());
        self.ids.insert(item.clone(), id);
        id
    }
}
