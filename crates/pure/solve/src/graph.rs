//! The graph of a survey, depth-first and by name: who comes before whom, and the first ring.

use crate::facts::Facts;
use crate::known::{Asked, Known, UnitId};
use crate::survey::Survey;

/// What one depth-first walk finds.
pub(crate) struct Trace {
    /// Children before parents, as far as there is no ring.
    pub(crate) upwards: Vec<UnitId>,
    /// The first ring, with its first unit repeated at the end.
    pub(crate) ring: Option<Vec<UnitId>>,
}

#[derive(Clone, Copy, PartialEq)]
enum State {
    New,
    Open,
    Done,
}

struct Walk {
    trace: Trace,
    states: Vec<State>,
    /// The way down, each with the children that are still to be visited, last first.
    path: Vec<(UnitId, Vec<UnitId>)>,
}

/// Walks from the smallest root on, children by name.
pub(crate) fn trace<F: Facts>(
    known: &Known<'_, F>,
    survey: &Survey<F::Need>,
    roots: &[Asked],
) -> Trace {
    let mut by_name = survey.reached.clone();
    by_name.sort_by(|one, two| known.unit(*one).cmp(known.unit(*two)));
    let size = by_name
        .iter()
        .map(|unit| unit.index() + 1)
        .max()
        .unwrap_or(0);
    let mut places = vec![0; size];
    by_name
        .iter()
        .enumerate()
        .for_each(|(place, unit)| places[unit.index()] = place);
    let pending = |mut units: Vec<UnitId>| {
        units.sort_unstable_by_key(|unit| std::cmp::Reverse(places[unit.index()]));
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
    let mut walk = Walk {
        trace: Trace {
            upwards: Vec::new(),
            ring: None,
        },
        states: vec![State::New; size],
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

impl Walk {
    fn visit(&mut self, unit: UnitId, below: &impl Fn(UnitId) -> Vec<UnitId>) {
        match self.states[unit.index()] {
            State::New => {
                self.states[unit.index()] = State::Open;
                self.path.push((unit, below(unit)));
            }
            State::Open if self.trace.ring.is_none() => self.close_ring(unit),
            State::Open | State::Done => {}
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
            self.states[unit.index()] = State::Done;
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
