//! One try: a survey, and a search if that does not settle it.

use std::collections::BTreeSet;

use crate::facts::Facts;
use crate::graph::trace;
use crate::known::{Asked, Body, Known, UnitId};
use crate::proof::Proof;
use crate::search::{Found, search};
use crate::survey::{Outcome, Pick, Survey, survey, walk};

/// A try with known facts.
pub(crate) enum Attempt<N> {
    Solved(Survey<N>),
    Need(BTreeSet<N>),
    Refuted(Proof),
    /// The budget is used up.
    GivenUp(Vec<UnitId>),
}

/// Surveys, and searches if that does not settle it.
pub(crate) fn attempt<F: Facts>(known: &mut Known<'_, F>, roots: &[Asked]) -> Attempt<F::Need> {
    let open = match survey(known, roots) {
        Outcome::Settled(survey) => return Attempt::Solved(survey),
        Outcome::Open(survey) => survey,
    };
    if !open.needs.is_empty() {
        return Attempt::Need(open.needs);
    }
    let order = trace(known, &open, roots).upwards;
    known.grant(open.reached.len());
    let roots = known.in_order(roots.iter().copied());
    match search(known, &roots, order.into_iter().rev()) {
        Found::Need(needs) => Attempt::Need(needs),
        Found::Refuted(proof) => Attempt::Refuted(proof),
        Found::GivenUp(units) => Attempt::GivenUp(units),
        Found::Chosen(chosen) => Attempt::Solved(walk(known, &roots, |known, unit, _, _| {
            let number = chosen.get(&unit).copied();
            match number.map(|number| (number, known.body(unit, number))) {
                Some((number, Ok(Body::Present(children)))) => Pick::At(number, children),
                _ => Pick::Stuck,
            }
        })),
    }
}
