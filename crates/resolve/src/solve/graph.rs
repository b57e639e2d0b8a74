//! The graph of a survey, depth-first and by name: who comes before whom, and the first ring.

use crate::solve::fact_cache::{FactCache, UnitId, UnitRequirement};
use crate::solve::facts::UnitFacts;
use crate::solve::survey::UnitSurvey;

/// The result of one depth-first walk.
pub(crate) struct GraphTrace {
    /// Children before parents, as far as no ring exists.
    pub(crate) upwards: Vec<UnitId>,
    /// The first ring, with its first unit repeated at the end.
    pub(crate) ring: Option<Vec<UnitId>>,
}

#[derive(Clone, Copy, PartialEq)]
enum VisitState {
    New,
    Open,
    Done,
}

struct GraphWalk {
    trace: GraphTrace,
    states: Vec<VisitState>,
    /// The way down, each with the children that are still to be visited, last first.
    // An explicit stack: a hostile source can chain thousands of resources, and recursion would overflow.
    path: Vec<(UnitId, Vec<UnitId>)>,
}

/// Walks from the smallest root on, children by name.
pub(crate) fn trace<F: UnitFacts>(
    facts: &FactCache<'_, F>,
    survey: &UnitSurvey<F::Need>,
    roots: &[UnitRequirement],
) -> GraphTrace {
    // Sorted once by name; the walk then orders children by position, a number, and the result still does not
    // depend on ids.
    let mut by_name = survey.reached.clone();
    by_name.sort_by(|one, two| facts.unit(*one).cmp(facts.unit(*two)));
    let size = by_name
        .iter()
        .map(|unit| unit.index() + 1)
        .max()
        .unwrap_or(0);
    let mut order = vec![0; size];
    by_name
        .iter()
        .enumerate()
        .for_each(|(position, unit)| order[unit.index()] = position);
    let pending = |mut units: Vec<UnitId>| {
        units.sort_unstable_by_key(|unit| std::cmp::Reverse(order[unit.index()]));
        units.dedup();
        units
    };
    let below = |unit: UnitId| {
        pending(
            survey
                .children(unit)
                .iter()
                .map(|(child, _)| *child)
                .collect(),
        )
    };
    let mut walk = GraphWalk {
        trace: GraphTrace {
            upwards: Vec::new(),
            ring: None,
        },
        states: vec![VisitState::New; size],
        path: Vec::new(),
    };
    for root in pending(roots.iter().map(|(unit, _)| *unit).collect())
        .into_iter()
        .rev()
    {
        walk.visit(root, &below);
        while walk.step(&below) {}
    }
    walk.trace
}

impl GraphWalk {
    fn visit(&mut self, unit: UnitId, below: &impl Fn(UnitId) -> Vec<UnitId>) {
        match self.states[unit.index()] {
            VisitState::New => {
                self.states[unit.index()] = VisitState::Open;
                self.path.push((unit, below(unit)));
            }
            // Only the first cycle is kept. Others often share its units, and one is enough to act on.
            VisitState::Open if self.trace.ring.is_none() => self.close_ring(unit),
            VisitState::Open | VisitState::Done => {}
        }
    }

    /// One unit further; `false` at the end.
    fn step(&mut self, below: &impl Fn(UnitId) -> Vec<UnitId>) -> bool {
        let Some((unit, pending)) = self.path.last_mut() else {
            return false;
        };
        let unit = *unit;
        if let Some(child) = pending.pop() {
            self.visit(child, below);
        } else {
            self.states[unit.index()] = VisitState::Done;
            self.trace.upwards.push(unit);
            self.path.pop();
        }
        true
    }

    fn close_ring(&mut self, unit: UnitId) {
        let on_path = self.path.iter().map(|(unit, _)| *unit);
        let ring = on_path.skip_while(|other| *other != unit).chain([unit]);
        self.trace.ring = Some(ring.collect());
    }
}
