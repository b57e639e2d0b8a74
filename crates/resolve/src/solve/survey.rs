//! The greedy part: for every unit the best candidate that all requirements on it allow, again until nothing moves.
//!
//! A state that no step changes is a solution, and the one the specification requires: each unit has the best
//! candidate that satisfies all its requirements. Everything here is a matter of sets, level by level, so no order
//! shows.

use std::collections::BTreeSet;

use crate::solve::fact_cache::{
    Children, FactCache, HashMap, RequirementId, UnitBody, UnitId, UnitRequirement,
};
use crate::solve::facts::UnitFacts;
use crate::solve::limits::MOST_WALKS;
use crate::solve::number_set::{NumberSet, intersect};

/// The candidate of a unit during a walk.
#[derive(Clone)]
pub(crate) enum UnitPick {
    At(u32, Children),
    /// A fact is missing.
    Unknown,
    /// No candidate is left.
    Stuck,
}

struct SurveyEntry {
    requirements: Vec<RequirementId>,
    pick: UnitPick,
}

/// One walk from the roots over all that is requested.
pub(crate) struct UnitSurvey<N> {
    /// The entries, by unit.
    entries: Vec<Option<SurveyEntry>>,
    /// The units, in the order of discovery.
    pub(crate) reached: Vec<UnitId>,
    pub(crate) needs: BTreeSet<N>,
}

/// Whether the survey settles the question.
pub(crate) enum SurveyOutcome<N> {
    Settled(UnitSurvey<N>),
    Open(UnitSurvey<N>),
}

/// Walks until the requirements on every unit are those under which its candidate was picked.
pub(crate) fn survey<F: UnitFacts>(
    facts: &mut FactCache<'_, F>,
    roots: &[UnitRequirement],
) -> SurveyOutcome<F::Need> {
    // A greedy walk settles nearly all inputs, and reports all missing facts of a level at once. PubGrub stops at the
    // first missing fact, which would cost one fetch each.
    let mut last = UnitSurvey::empty();
    let mut memory: HashMap<UnitId, (Vec<RequirementId>, UnitPick)> = HashMap::default();
    // Two units can drive each other back and forth without end; such inputs are left to PubGrub.
    for _ in 0..MOST_WALKS {
        let next = walk(facts, roots, |facts, unit, requirements, needs| {
            // The requirements of the walk before: within one walk a unit is chosen when it is first reached,
            // before its later dependents are known.
            let requirements = last.requirements(unit).unwrap_or(requirements);
            match memory.get(&unit) {
                Some((under, at @ UnitPick::At(..))) if under == requirements => at.clone(),
                _ => {
                    let pick = pick(facts, unit, requirements, needs);
                    memory.insert(unit, (requirements.to_vec(), pick.clone()));
                    pick
                }
            }
        });
        last = next;
        // To go on without them would make the outcome depend on what happens to be known.
        if !last.needs.is_empty() {
            break;
        }
        let stands = |unit: &UnitId| {
            memory
                .get(unit)
                .is_some_and(|(under, _)| last.requirements(*unit) == Some(under))
        };
        if last.reached.iter().all(stands) {
            return if last.is_complete() {
                SurveyOutcome::Settled(last)
            } else {
                SurveyOutcome::Open(last)
            };
        }
    }
    SurveyOutcome::Open(last)
}

/// Goes breadth-first through everything requested, with the candidates that `choose` gives.
pub(crate) fn walk<'f, F: UnitFacts>(
    facts: &mut FactCache<'f, F>,
    roots: &[UnitRequirement],
    mut choose: impl FnMut(
        &mut FactCache<'f, F>,
        UnitId,
        &[RequirementId],
        &mut BTreeSet<F::Need>,
    ) -> UnitPick,
) -> UnitSurvey<F::Need> {
    let mut survey = UnitSurvey::empty();
    let mut level = roots.to_vec();
    while !level.is_empty() {
        let first_new = survey.reached.len();
        // A requirement that was seen before is dropped here, which is also what ends the walk when units depend on
        // each other in a cycle.
        level.retain(|(unit, requirement)| survey.note(*unit, *requirement));
        for index in first_new..survey.reached.len() {
            let unit = survey.reached[index];
            let mut needs = std::mem::take(&mut survey.needs);
            let pick = choose(
                facts,
                unit,
                survey.requirements(unit).unwrap_or_default(),
                &mut needs,
            );
            survey.needs = needs;
            survey.set_pick(unit, pick);
        }
        level = level
            .iter()
            .flat_map(|(unit, requirement)| survey.requirements_below(*unit, *requirement))
            .collect();
    }
    survey
}

/// The best candidate that all requirements allow and that has the unit.
pub(crate) fn pick<F: UnitFacts>(
    facts: &mut FactCache<'_, F>,
    unit: UnitId,
    requirements: &[RequirementId],
    needs: &mut BTreeSet<F::Need>,
) -> UnitPick {
    let Some(common) = common(facts, unit, requirements, needs) else {
        return UnitPick::Unknown;
    };
    let mut rest = common.iter();
    while let Some(number) = rest.next() {
        match facts.body(unit, *number) {
            Ok(UnitBody::Present(children)) => return UnitPick::At(*number, children),
            Ok(UnitBody::Absent) => {}
            Err(need) => {
                needs.insert(need);
                // Absent in a better one: it may be in none, and one large batch is cheaper than many small ones.
                if *number != common[0] {
                    needs.extend(rest.filter_map(|number| facts.body(unit, *number).err()));
                }
                return UnitPick::Unknown;
            }
        }
    }
    UnitPick::Stuck
}

/// The candidates that all requirements allow, best first; `None` if a requirement is not known yet.
fn common<F: UnitFacts>(
    facts: &mut FactCache<'_, F>,
    unit: UnitId,
    requirements: &[RequirementId],
    needs: &mut BTreeSet<F::Need>,
) -> Option<NumberSet> {
    let mut narrowed: Option<NumberSet> = None;
    let mut is_decidable = true;
    for requirement in requirements {
        match (facts.allowed((unit, *requirement)), &narrowed) {
            (Ok(list), Some(shared)) if list != *shared => {
                narrowed = Some(intersect(&list, shared).into())
            }
            (Ok(list), _) => narrowed = Some(list),
            (Err(need), _) => {
                needs.insert(need);
                is_decidable = false;
            }
        }
    }
    // All requirements are read before giving up: each that is unknown becomes a need, and one round fetches them
    // together.
    narrowed.filter(|_| is_decidable)
}

impl<N: Ord> UnitSurvey<N> {
    fn empty() -> Self {
        Self {
            entries: Vec::new(),
            reached: Vec::new(),
            needs: BTreeSet::new(),
        }
    }

    fn entry(&self, unit: UnitId) -> Option<&SurveyEntry> {
        self.entries.get(unit.index())?.as_ref()
    }

    pub(crate) fn requirements(&self, unit: UnitId) -> Option<&[RequirementId]> {
        self.entry(unit).map(|entry| &*entry.requirements)
    }

    pub(crate) fn pick(&self, unit: UnitId) -> Option<&UnitPick> {
        self.entry(unit).map(|entry| &entry.pick)
    }

    pub(crate) fn children(&self, unit: UnitId) -> &[(UnitId, Option<RequirementId>)] {
        match self.pick(unit) {
            Some(UnitPick::At(_, children)) => children,
            _ => &[],
        }
    }

    /// Takes the ask down; `true` if it is new.
    fn note(&mut self, unit: UnitId, requirement: RequirementId) -> bool {
        if self.entries.len() <= unit.index() {
            self.entries.resize_with(unit.index() + 1, || None);
        }
        let Some(entry) = &mut self.entries[unit.index()] else {
            self.entries[unit.index()] = Some(SurveyEntry {
                requirements: vec![requirement],
                pick: UnitPick::Unknown,
            });
            self.reached.push(unit);
            return true;
        };
        let position = entry.requirements.binary_search(&requirement);
        position
            .map_err(|position| entry.requirements.insert(position, requirement))
            .is_err()
    }

    fn set_pick(&mut self, unit: UnitId, pick: UnitPick) {
        if let Some(Some(entry)) = self.entries.get_mut(unit.index()) {
            entry.pick = pick;
        }
    }

    fn requirements_below(
        &self,
        unit: UnitId,
        requirement: RequirementId,
    ) -> impl Iterator<Item = UnitRequirement> {
        self.children(unit)
            .iter()
            .map(move |(child, own_requirement)| (*child, own_requirement.unwrap_or(requirement)))
    }

    fn is_complete(&self) -> bool {
        self.reached
            .iter()
            .all(|unit| matches!(self.pick(*unit), Some(UnitPick::At(..))))
    }
}
