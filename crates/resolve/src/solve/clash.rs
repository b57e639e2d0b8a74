//! The units on which a proof breaks.

use crate::solve::chain::ProofPaths;
use crate::solve::fact_cache::{FactCache, HashMap, UnitId, UnitRequirement};
use crate::solve::facts::UnitFacts;
use crate::solve::number_set::intersect;
use crate::solve::outcome::{ClashKind, ConflictingUnit};
use crate::solve::package::SolverPackage;
use crate::solve::proof::ProofEdge;

/// Whether the edges of a proof can all hold at once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ProofShape {
    Straight,
    /// Some belong to different candidates of one parent.
    Forked,
}

/// A proof is forked if there is a parent for which no candidate has all of its edges.
pub(crate) fn shape(edges: &[ProofEdge]) -> ProofShape {
    let mut within: HashMap<UnitId, Vec<u32>> = HashMap::default();
    for edge in edges.iter().filter(|edge| edge.requirement.is_some()) {
        let Some(parent) = edge.from.unit() else {
            continue;
        };
        let common = within.entry(parent).or_insert_with(|| edge.within.clone());
        *common = intersect(common, &edge.within);
    }
    if within.values().any(Vec::is_empty) {
        ProofShape::Forked
    } else {
        ProofShape::Straight
    }
}

/// The units for which the asks in the proof leave nothing, by name.
///
/// There is always one: if each unit had a candidate that all its asks allow, those would satisfy the whole proof.
pub(crate) fn clashes<F: UnitFacts>(
    facts: &mut FactCache<'_, F>,
    roots: &[UnitRequirement],
    edges: &[ProofEdge],
) -> Vec<ConflictingUnit<F::Unit, F::Requirement>> {
    let chains = ProofPaths::new(edges, roots);
    let shape = shape(edges);
    let mut units: Vec<UnitId> = edges.iter().filter_map(|edge| edge.to.unit()).collect();
    // Ids follow the order in which facts arrived, which depends on the cache; messages must not depend on it.
    units.sort_by(|one, two| facts.unit(*one).cmp(facts.unit(*two)));
    units.dedup();
    let mut found = Vec::new();
    for unit in units {
        let is_ask =
            |edge: &&ProofEdge| edge.to == SolverPackage::Unit(unit) && edge.requirement.is_some();
        let asks: Vec<&ProofEdge> = edges.iter().filter(is_ask).collect();
        if asks.is_empty() || is_possible(facts, unit, &asks) {
            continue;
        }
        let asks = fewest(facts, unit, asks, shape);
        let kind = kind(facts, unit, &asks, shape);
        let asks = asks
            .into_iter()
            .filter_map(|edge| chains.describe(facts, unit, edge))
            .collect();
        found.push(ConflictingUnit {
            unit: facts.unit(unit).clone(),
            kind,
            asks,
        });
    }
    found
}

/// The candidates that all these asks allow.
fn common<F: UnitFacts>(
    facts: &mut FactCache<'_, F>,
    unit: UnitId,
    asks: &[&ProofEdge],
) -> Vec<u32> {
    let requirements = asks.iter().filter_map(|edge| edge.requirement);
    let lists = requirements.filter_map(|requirement| facts.allowed((unit, requirement)).ok());
    lists
        .map(|list| list.to_vec())
        .reduce(|one, two| intersect(&one, &two))
        .unwrap_or_default()
}

fn is_possible<F: UnitFacts>(
    facts: &mut FactCache<'_, F>,
    unit: UnitId,
    asks: &[&ProofEdge],
) -> bool {
    common(facts, unit, asks)
        .into_iter()
        .any(|number| !facts.is_absent(unit, number))
}

/// As few asks as still leave nothing; asks that cannot hold at once are all needed.
fn fewest<'e, F: UnitFacts>(
    facts: &mut FactCache<'_, F>,
    unit: UnitId,
    mut asks: Vec<&'e ProofEdge>,
    shape: ProofShape,
) -> Vec<&'e ProofEdge> {
    // A requirement that nothing satisfies explains the conflict alone; the others would only distract from it.
    if let Some(alone) = asks.iter().find(|edge| !is_possible(facts, unit, &[edge])) {
        return vec![alone];
    }
    let mut index = asks.len();
    // Removed from the end, so the requirements that stay are the first by name and the message is stable.
    while shape == ProofShape::Straight && index > 0 {
        index -= 1;
        let left_out = asks.remove(index);
        if is_possible(facts, unit, &asks) {
            asks.insert(index, left_out);
        }
    }
    asks
}

fn kind<F: UnitFacts>(
    facts: &mut FactCache<'_, F>,
    unit: UnitId,
    asks: &[&ProofEdge],
    shape: ProofShape,
) -> ClashKind {
    match (common(facts, unit, asks).is_empty(), asks.len(), shape) {
        (true, 1, _) => ClashKind::NoCandidate,
        (false, 1, _) | (false, _, ProofShape::Straight) => ClashKind::Absent,
        (true, _, ProofShape::Straight) => ClashKind::Incompatible,
        (_, _, ProofShape::Forked) => ClashKind::Exhausted,
    }
}
