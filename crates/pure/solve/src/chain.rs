//! How an ask came about: the shortest way through a proof from a root to it.

use std::collections::VecDeque;

use crate::answer::Ask;
use crate::facts::Facts;
use crate::known::{Asked, HashMap, Known, UnitId};
use crate::package::Package;
use crate::proof::Edge;

/// For every package of a proof the edge by which it is reached first.
pub(crate) struct Chains<'e> {
    roots: &'e [Asked],
    reached_by: HashMap<Package, &'e Edge>,
}

impl<'e> Chains<'e> {
    pub(crate) fn new(edges: &'e [Edge], roots: &'e [Asked]) -> Self {
        let mut below: HashMap<Package, Vec<&Edge>> = HashMap::default();
        edges
            .iter()
            .for_each(|edge| below.entry(edge.from).or_default().push(edge));
        let mut reached_by = HashMap::default();
        let mut pending = VecDeque::from([Package::Root]);
        while let Some(package) = pending.pop_front() {
            for edge in below.remove(&package).unwrap_or_default() {
                reached_by.entry(edge.to).or_insert_with(|| {
                    pending.push_back(edge.to);
                    edge
                });
            }
        }
        Self { roots, reached_by }
    }

    /// The ask of `edge` on `unit`, from its root on.
    pub(crate) fn tell<F: Facts>(
        &self,
        known: &mut Known<'_, F>,
        unit: UnitId,
        edge: &Edge,
    ) -> Option<Ask<F::Unit, F::Wish>> {
        let (root, path) = self.path(edge)?;
        let wish = edge.wish?;
        let allowed = known.allowed((unit, wish)).ok()?;
        let parent = edge.from.unit();
        let within = parent.map(|parent| {
            edge.within
                .iter()
                .map(|number| known.label(parent, *number))
                .collect()
        });
        Some(Ask {
            root,
            chain: path
                .into_iter()
                .map(|unit| known.unit(unit).clone())
                .collect(),
            within: within.unwrap_or_default(),
            wish: known.wish(wish).clone(),
            allows: allowed
                .iter()
                .map(|number| known.label(unit, *number))
                .collect(),
        })
    }

    /// The root's index, and the units from it to the end of `edge`.
    fn path(&self, edge: &Edge) -> Option<(usize, Vec<UnitId>)> {
        let mut edge = edge;
        let mut units = Vec::new();
        loop {
            // The tie between an ask and its unit is no step.
            units.extend(edge.wish.and(edge.to.unit()));
            if edge.from == Package::Root {
                break;
            }
            edge = self.reached_by.get(&edge.from)?;
        }
        let first = (edge.to.unit()?, edge.wish?);
        units.reverse();
        Some((self.roots.iter().position(|root| *root == first)?, units))
    }
}
