//! One try: a survey, and a search if that does not settle it.

use std::collections::BTreeSet;

use crate::solve::fact_cache::{FactCache, UnitBody, UnitId, UnitRequirement};
use crate::solve::facts::UnitFacts;
use crate::solve::graph::trace;
use crate::solve::proof::Proof;
use crate::solve::search::{SearchOutcome, search};
use crate::solve::survey::{SurveyOutcome, UnitPick, UnitSurvey, survey, walk};

/// A try with known facts.
pub(crate) enum AttemptOutcome<N> {
    Solved(UnitSurvey<N>),
    Need(BTreeSet<N>),
    Refuted(Proof),
    /// The budget is used up.
    GivenUp(Vec<UnitId>),
}

/// Surveys, and searches if that does not settle it.
pub(crate) fn attempt<F: UnitFacts>(
    facts: &mut FactCache<'_, F>,
    roots: &[UnitRequirement],
) -> AttemptOutcome<F::Need> {
    // The walk settles nearly all inputs without a search and collects all missing facts of a round at once: each round
    // is a fetch. It also yields the order, parents first, without which PubGrub keeps a newer dependency and an older parent.
    let open = match survey(facts, roots) {
        SurveyOutcome::Settled(survey) => return AttemptOutcome::Solved(survey),
        SurveyOutcome::Open(survey) => survey,
    };
    // A search on partial facts could refute what the missing ones would allow, so everything the walk could name
    // is fetched first.
    if !open.needs.is_empty() {
        return AttemptOutcome::Need(open.needs);
    }
    // The order comes from the unfinished walk: it is close enough for priorities, and a complete one needs the
    // solution.
    let order = trace(facts, &open, roots).upwards;
    facts.grant(open.reached.len());
    // Sorted by name, so two manifests that differ only in the order of their entries get the same versions.
    let roots = facts.in_order(roots.iter().copied());
    match search(facts, &roots, order.into_iter().rev()) {
        SearchOutcome::Need(needs) => AttemptOutcome::Need(needs),
        SearchOutcome::Refuted(proof) => AttemptOutcome::Refuted(proof),
        SearchOutcome::GivenUp(units) => AttemptOutcome::GivenUp(units),
        SearchOutcome::Chosen(chosen) => {
            // PubGrub returns numbers only. A walk over its choice collects requirements and children the same way
            // a survey does, so callers see one kind of result.
            AttemptOutcome::Solved(walk(facts, &roots, |facts, unit, _, _| {
                let number = chosen.get(&unit).copied();
                match number.map(|number| (number, facts.body(unit, number))) {
                    Some((number, Ok(UnitBody::Present(children)))) => {
                        UnitPick::At(number, children)
                    }
                    _ => UnitPick::Stuck,
                }
            }))
        }
    }
}
