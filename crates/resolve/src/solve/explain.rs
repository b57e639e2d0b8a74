//! From a proof to what a person wants to know: who requires what, and which change would help.

use crate::solve::attempt::{AttemptOutcome, attempt};
use crate::solve::clash::{ProofShape, clashes, shape};
use crate::solve::fact_cache::{FactCache, UnitRequirement};
use crate::solve::facts::UnitFacts;
use crate::solve::graph::trace;
use crate::solve::limits::{MOST_SHRINKING, MOST_SUGGESTING};
use crate::solve::outcome::{Conflict, SuggestedChange};
use crate::solve::package::SolverPackage;
use crate::solve::proof::{Proof, ProofEdge};

/// Explains why `roots` have no solution, with as few of them as possible, and what would help.
pub(crate) fn explain<F: UnitFacts>(
    facts: &mut FactCache<'_, F>,
    roots: &[UnitRequirement],
    proof: &Proof,
) -> Conflict<F::Unit, F::Requirement> {
    // Making a refusal shorter or more helpful may cost as much again as the refusal itself, not a multiple of it.
    facts.refill();
    let edges = proof.edges(facts, roots);
    let edges = shrink(facts, edges);
    let clashes = clashes(facts, roots, &edges);
    let index = |ask: &UnitRequirement| roots.iter().position(|root| root == ask);
    let mut involved: Vec<usize> = is_required_by_root(facts, &edges)
        .iter()
        .filter_map(index)
        .collect();
    involved.sort_unstable();
    let suggestions = suggestions(facts, roots, &edges, &involved);
    Conflict {
        roots: involved,
        clashes,
        suggestions,
    }
}

/// The proof from those roots alone without which no conflict exists.
fn shrink<F: UnitFacts>(facts: &mut FactCache<'_, F>, mut edges: Vec<ProofEdge>) -> Vec<ProofEdge> {
    let mut involved = is_required_by_root(facts, &edges);
    // Leaving out one root at a time gives a minimal set, not the smallest one: that would need a search over all
    // subsets.
    for ask in involved.clone().into_iter().take(MOST_SHRINKING) {
        let fewer: Vec<UnitRequirement> = involved
            .iter()
            .copied()
            .filter(|other| *other != ask)
            .collect();
        if fewer.len() == involved.len() {
            continue;
        }
        // Only a refutation removes a root. An attempt that lacks facts or gives up proves nothing about the remaining
        // roots.
        if let AttemptOutcome::Refuted(proof) = attempt(facts, &fewer) {
            edges = proof.edges(facts, &fewer);
            involved = is_required_by_root(facts, &edges);
        }
    }
    edges
}

fn is_required_by_root<F: UnitFacts>(
    facts: &FactCache<'_, F>,
    edges: &[ProofEdge],
) -> Vec<UnitRequirement> {
    let of_root = edges.iter().filter(|edge| edge.from == SolverPackage::Root);
    facts.in_order(of_root.filter_map(|edge| Some((edge.to.unit()?, edge.requirement?))))
}

/// For each root in the proof the best requirement that makes everything solvable, if there is one.
fn suggestions<F: UnitFacts>(
    facts: &mut FactCache<'_, F>,
    roots: &[UnitRequirement],
    edges: &[ProofEdge],
    involved: &[usize],
) -> Vec<SuggestedChange<F::Requirement>> {
    let tries = MOST_SUGGESTING / involved.len().clamp(1, MOST_SUGGESTING);
    let indices = involved.iter().copied().take(MOST_SUGGESTING);
    indices
        .filter_map(|index| suggest(facts, roots, edges, index, tries))
        .collect()
}

fn suggest<F: UnitFacts>(
    facts: &mut FactCache<'_, F>,
    roots: &[UnitRequirement],
    edges: &[ProofEdge],
    index: usize,
    tries: usize,
) -> Option<SuggestedChange<F::Requirement>> {
    let unit = facts.unit(roots[index].0).clone();
    let mut all = facts.facts().all(&unit);
    // Trying a candidate is a search. Those that every other dependent already allows are tried first, so the
    // budget is spent where it may help.
    all.sort_by_cached_key(|(candidate, _)| repair_chance(facts, edges, roots[index], candidate.0));
    let mut changed = roots.to_vec();
    let helps = |(_, requirement): &(_, F::Requirement)| {
        changed[index] = facts.ask(&unit, requirement);
        // A suggestion is printed only after it was solved: an untested one could lead to the next conflict.
        changed[index] != roots[index] && is_solvable(facts, &changed)
    };
    let (_, requirement) = all.into_iter().take(tries).find(helps)?;
    Some(SuggestedChange {
        root: index,
        requirement,
    })
}

/// The smallest is tried first.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum RepairChance {
    /// Everyone else who requires the unit allows the candidate.
    Good,
    Faint,
}

fn repair_chance<F: UnitFacts>(
    facts: &mut FactCache<'_, F>,
    edges: &[ProofEdge],
    root: UnitRequirement,
    number: u32,
) -> RepairChance {
    let is_other = |edge: &&ProofEdge| {
        edge.to == SolverPackage::Unit(root.0)
            && (edge.from != SolverPackage::Root || edge.requirement != Some(root.1))
    };
    let mut requirements = edges
        .iter()
        .filter(is_other)
        .filter_map(|edge| edge.requirement);
    let allows = |requirement| {
        facts
            .allowed((root.0, requirement))
            .is_ok_and(|list| list.binary_search(&number).is_ok())
    };
    if shape(edges) == ProofShape::Forked || requirements.all(allows) {
        RepairChance::Good
    } else {
        RepairChance::Faint
    }
}

fn is_solvable<F: UnitFacts>(facts: &mut FactCache<'_, F>, roots: &[UnitRequirement]) -> bool {
    match attempt(facts, roots) {
        // A change that resolves versions but closes a dependency cycle would fail the next install.
        AttemptOutcome::Solved(survey) => trace(facts, &survey, roots).ring.is_none(),
        AttemptOutcome::Need(_) | AttemptOutcome::Refuted(_) | AttemptOutcome::GivenUp(_) => false,
    }
}
