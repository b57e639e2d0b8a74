//! The origin of a requirement: the shortest path through a proof from a root to it.

use std::collections::VecDeque;

use crate::solve::fact_cache::{FactCache, HashMap, UnitId, UnitRequirement};
use crate::solve::facts::UnitFacts;
use crate::solve::outcome::RequirementChain;
use crate::solve::package::SolverPackage;
use crate::solve::proof::ProofEdge;

/// For every package of a proof the edge by which it is reached first.
pub(crate) struct ProofPaths<'e> {
    roots: &'e [UnitRequirement],
    reached_by: HashMap<SolverPackage, &'e ProofEdge>,
}

impl<'e> ProofPaths<'e> {
    pub(crate) fn new(edges: &'e [ProofEdge], roots: &'e [UnitRequirement]) -> Self {
        let mut below: HashMap<SolverPackage, Vec<&ProofEdge>> = HashMap::default();
        edges
            .iter()
            .for_each(|edge| below.entry(edge.from).or_default().push(edge));
        let mut reached_by = HashMap::default();
        // Breadth first: the first edge that reaches a package is on a shortest chain, which is the one a reader
        // can follow.
        let mut pending = VecDeque::from([SolverPackage::Root]);
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
    pub(crate) fn describe<F: UnitFacts>(
        &self,
        facts: &mut FactCache<'_, F>,
        unit: UnitId,
        edge: &ProofEdge,
    ) -> Option<RequirementChain<F::Unit, F::Requirement>> {
        let (root, path) = self.path(edge)?;
        let requirement = edge.requirement?;
        let allowed = facts.allowed((unit, requirement)).ok()?;
        let parent = edge.from.unit();
        let within = parent.map(|parent| {
            edge.within
                .iter()
                .map(|number| facts.label(parent, *number))
                .collect()
        });
        Some(RequirementChain {
            root,
            chain: path
                .into_iter()
                .map(|unit| facts.unit(unit).clone())
                .collect(),
            within: within.unwrap_or_default(),
            requirement: facts.requirement(requirement).clone(),
            allows: allowed
                .iter()
                .map(|number| facts.label(unit, *number))
                .collect(),
        })
    }

    /// The root's index, and the units from it to the end of `edge`.
    fn path(&self, edge: &ProofEdge) -> Option<(usize, Vec<UnitId>)> {
        let mut edge = edge;
        let mut units = Vec::new();
        loop {
            // The tie between an ask and its unit is not a step.
            units.extend(edge.requirement.and(edge.to.unit()));
            if edge.from == SolverPackage::Root {
                break;
            }
            edge = self.reached_by.get(&edge.from)?;
        }
        let first = (edge.to.unit()?, edge.requirement?);
        units.reverse();
        Some((self.roots.iter().position(|root| *root == first)?, units))
    }
}
