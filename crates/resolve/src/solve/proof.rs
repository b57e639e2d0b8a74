//! The facts that PubGrub's refusal rests on: the leaves of its derivation, without the path to them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use pubgrub::{DerivationTree, Derived, External};

use crate::solve::fact_cache::{FactCache, RequirementId, UnitBody, UnitId, UnitRequirement};
use crate::solve::facts::UnitFacts;
use crate::solve::number_set::CandidateSet;
use crate::solve::package::{ExclusionReason, SolverPackage};

type Tree = DerivationTree<SolverPackage, CandidateSet, ExclusionReason>;

/// A dependency: `from` at any of `within` wants `to` in one of `allowed` (all numbers, if it is an ask).
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct ProofLeaf {
    from: SolverPackage,
    to: SolverPackage,
    allowed: Vec<u32>,
}

/// The dependencies in a derivation, each with the candidates of its parent.
pub(crate) struct Proof {
    leaves: BTreeMap<ProofLeaf, BTreeSet<u32>>,
    /// Units that require themselves under a requirement that they do not satisfy.
    selves: BTreeMap<UnitRequirement, BTreeSet<u32>>,
}

/// A dependency with the requirement that follows it.
#[derive(Clone, Debug)]
pub(crate) struct ProofEdge {
    pub(crate) from: SolverPackage,
    pub(crate) to: SolverPackage,
    /// The tie of an ask to its unit has none.
    pub(crate) requirement: Option<RequirementId>,
    /// The candidates of the parent that contain it.
    pub(crate) within: Vec<u32>,
}

impl Proof {
    /// Takes the tree apart without recursion: it may be deep, and a shared part is counted once.
    pub(crate) fn new(tree: Tree) -> Self {
        let mut proof = Self {
            leaves: BTreeMap::new(),
            selves: BTreeMap::new(),
        };
        let mut pending = vec![tree];
        while let Some(node) = pending.pop() {
            match node {
                // The last owner of a shared part descends into it.
                DerivationTree::Derived(Derived { cause1, cause2, .. }) => {
                    pending.extend([cause1, cause2].into_iter().filter_map(Arc::into_inner));
                }
                DerivationTree::External(external) => proof.add(external),
            }
        }
        proof
    }

    fn add(&mut self, external: External<SolverPackage, CandidateSet, ExclusionReason>) {
        match external {
            External::FromDependencyOf(from, within, to, allowed) => {
                let leaf = ProofLeaf {
                    from,
                    to,
                    allowed: allowed.members().to_vec(),
                };
                self.leaves
                    .entry(leaf)
                    .or_default()
                    .extend(within.members());
            }
            External::Custom(
                SolverPackage::Unit(unit),
                within,
                ExclusionReason::ExcludesItself(requirement),
            ) => {
                self.selves
                    .entry((unit, requirement))
                    .or_default()
                    .extend(within.members());
            }
            // These name no dependency. Their effect is visible in the sets of the edges that remain.
            External::NotRoot(..) | External::NoVersions(..) | External::Custom(..) => {}
        }
    }

    /// The edges by name.
    pub(crate) fn edges<F: UnitFacts>(
        &self,
        facts: &mut FactCache<'_, F>,
        roots: &[UnitRequirement],
    ) -> Vec<ProofEdge> {
        let mut edges: Vec<ProofEdge> = Vec::new();
        for (leaf, within) in &self.leaves {
            let requirement =
                leaf.requirement(facts, roots, within.first().copied().unwrap_or_default());
            let within = within.iter().copied().collect();
            edges.push(ProofEdge {
                from: leaf.from,
                to: leaf.to,
                requirement,
                within,
            });
        }
        for ((unit, requirement), within) in &self.selves {
            let (from, to) = (SolverPackage::Unit(*unit), SolverPackage::Unit(*unit));
            edges.push(ProofEdge {
                from,
                to,
                requirement: Some(*requirement),
                within: within.iter().copied().collect(),
            });
        }
        // The shape of the derivation depends on the order of decisions. Sorted edges give one message for one
        // conflict.
        edges.sort_by(|one, two| key(facts, one).cmp(&key(facts, two)));
        edges
    }
}

type Key<'k, U, W> = (Option<&'k U>, Option<&'k W>, Option<&'k U>, Option<&'k W>);

fn key<'k, F: UnitFacts>(
    facts: &'k FactCache<'_, F>,
    edge: &ProofEdge,
) -> Key<'k, F::Unit, F::Requirement> {
    let name = |package| match package {
        SolverPackage::Root => (None, None),
        SolverPackage::Unit(unit) => (Some(facts.unit(unit)), None),
        SolverPackage::Requirement(unit, requirement) => {
            (Some(facts.unit(unit)), Some(facts.requirement(requirement)))
        }
    };
    let ((from, from_wish), (to, _)) = (name(edge.from), name(edge.to));
    (
        from,
        from_wish,
        to,
        edge.requirement
            .map(|requirement| facts.requirement(requirement)),
    )
}

impl SolverPackage {
    pub(crate) fn unit(self) -> Option<UnitId> {
        match self {
            Self::Root => None,
            Self::Unit(unit) | Self::Requirement(unit, _) => Some(unit),
        }
    }
}

impl ProofLeaf {
    /// PubGrub keeps the set and not the requirement, so it is looked up where it was declared: here, in one candidate.
    fn requirement<F: UnitFacts>(
        &self,
        facts: &mut FactCache<'_, F>,
        roots: &[UnitRequirement],
        within: u32,
    ) -> Option<RequirementId> {
        let unit = match self.to {
            SolverPackage::Requirement(_, requirement) => return Some(requirement),
            SolverPackage::Unit(unit) => unit,
            SolverPackage::Root => return None,
        };
        let declared = match self.from {
            SolverPackage::Requirement(parent, _) if parent == unit => return None,
            SolverPackage::Requirement(_, requirement) => return Some(requirement),
            SolverPackage::Root => roots.to_vec(),
            SolverPackage::Unit(parent) => own_wishes(facts, parent, within),
        };
        let mine = facts.in_order(declared.into_iter().filter(|(child, _)| *child == unit));
        let same = |ask: &&UnitRequirement| {
            facts
                .allowed(**ask)
                .is_ok_and(|list| *list == *self.allowed)
        };
        mine.iter().find(same).map(|(_, requirement)| *requirement)
    }
}

fn own_wishes<F: UnitFacts>(
    facts: &mut FactCache<'_, F>,
    unit: UnitId,
    number: u32,
) -> Vec<UnitRequirement> {
    match facts.body(unit, number) {
        Ok(UnitBody::Present(children)) => children
            .iter()
            .filter_map(|(child, own_requirement)| Some((*child, (*own_requirement)?)))
            .collect(),
        Ok(UnitBody::Absent) | Err(_) => Vec::new(),
    }
}
