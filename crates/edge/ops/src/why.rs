//! `agpm why`: who asked for a resource.

use agpm_diag::{Failure, Notes, Outcome};
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap, VecDeque};

use agpm_model::{LayerSet, LockEntry, LockedLayer, Owner, RelativePath};
use agpm_plan::Ledger;
use serde::Serialize;

use crate::gather::ManifestFiles;
use crate::install::read_ledger;
use crate::locked::{LockView, ResourceIdentity};
use crate::tree::titled;
use crate::world::{Environment, World};

/// How many chains are told; a graph may have more of them than anyone can read.
const MOST_CHAINS: usize = 100;

/// Which resource.
#[derive(Clone, Debug)]
pub struct WhyRequest {
    /// Its name, `TYPE/NAME`, or the path of its file.
    pub name: String,
}

/// Resources and who asked for them.
#[derive(Debug, Serialize)]
pub struct WhyReport {
    /// The resources meant; several if a pattern brought them.
    pub resources: Vec<RequiredResource>,
}

/// A resource and the chains that lead to it.
#[derive(Debug, Serialize)]
pub struct RequiredResource {
    /// `TYPE/NAME (VERSION)`.
    #[serde(skip)]
    pub title: String,
    /// Which resource.
    #[serde(flatten)]
    pub identity: ResourceIdentity,
    /// Who requires it.
    #[serde(flatten)]
    pub required: Chains,
}

/// Who requires a resource.
#[derive(Debug, Serialize)]
pub struct Chains {
    /// From what the manifest asks for down to the resource, the shortest first.
    pub chains: Vec<Vec<Link>>,
    /// Whether longer ones are left out.
    pub more: bool,
}

/// One resource on the way.
#[derive(Clone, Debug, Serialize)]
pub struct Link {
    /// `TYPE/NAME (VERSION)`.
    #[serde(skip)]
    pub title: String,
    /// Which resource.
    #[serde(flatten)]
    pub identity: ResourceIdentity,
    /// What it was asked for as, as far as that is known.
    pub requirement: Option<String>,
}

/// Tells who asked for a resource.
pub fn why(world: &World, request: &WhyRequest) -> Outcome<WhyReport> {
    let mut notes = Notes::default();
    let result = run(world, request, &mut notes);
    notes.outcome(result)
}

fn run(world: &World, request: &WhyRequest, notes: &mut Notes) -> Result<WhyReport, Failure> {
    let view = LockView::load(world, notes)?.with_parts();
    let ledger = read_ledger(&ManifestFiles::require(&world.environment)?.store()?)?;
    let layers = layers_at(&world.environment, &view, &ledger, &request.name);
    let mut at_path = view.at_path(&world.environment, &request.name);
    if at_path.is_empty() {
        let owned = view.owned_at(&world.environment, &ledger, &request.name);
        at_path.extend(owned.into_iter().filter(|at| view.part_of.contains_key(at)));
    }
    let found = if at_path.is_empty() && layers.is_empty() {
        view.find(&request.name)?
    } else {
        at_path
    };
    let askers = Askers::of(&view);
    let resources = found.into_iter().map(|target| askers.of_entry(target));
    Ok(WhyReport {
        resources: resources.chain(layers).collect(),
    })
}

/// The layers that gave a file, or something in it.
fn layers_at(
    environment: &Environment,
    view: &LockView,
    ledger: &Ledger,
    word: &str,
) -> Vec<RequiredResource> {
    let mut owners: BTreeSet<&Owner> = BTreeSet::new();
    for path in view
        .paths_of(environment, word)
        .iter()
        .filter_map(|path| RelativePath::new(path).ok())
    {
        owners.extend(ledger.owners_at(&path));
    }
    let named = |set: &LayerSet| {
        let name = set.as_str();
        view.layers.iter().find(|layer| layer.name.as_str() == name)
    };
    owners
        .into_iter()
        .filter_map(Owner::layers)
        .filter_map(named)
        .map(of_layer)
        .collect()
}

/// A layer, which the manifest itself names.
fn of_layer(layer: &LockedLayer) -> RequiredResource {
    let pin = layer.pin.as_ref();
    let version = pin.map(|pin| pin.version.as_str());
    let title = format!("{} ({})", layer.name.label(), version.unwrap_or("local"));
    let identity = ResourceIdentity {
        kind: "layer",
        name: layer.name.to_string(),
        version: version.map(str::to_owned),
        source: pin.map(|pin| pin.source.to_string()),
    };
    let link = Link {
        title: title.clone(),
        identity: identity.clone(),
        requirement: pin.and_then(|pin| pin.requirement.clone()),
    };
    RequiredResource {
        title,
        identity,
        required: Chains {
            chains: vec![vec![link]],
            more: false,
        },
    }
}

/// Who asks for whom in a lockfile.
pub(crate) struct Askers<'v> {
    view: &'v LockView,
    needed_by: Vec<Vec<usize>>,
    far: Vec<Option<usize>>,
}

impl<'v> Askers<'v> {
    pub(crate) fn of(view: &'v LockView) -> Self {
        Askers {
            view,
            needed_by: view.needed_by(),
            far: distances(&view.roots, &view.needs),
        }
    }

    /// The entry and the chains that lead to it.
    pub(crate) fn of_entry(&self, target: usize) -> RequiredResource {
        let mut chains = chains(target, &self.needed_by, &self.far, &self.view.roots);
        let more = chains.len() > MOST_CHAINS;
        chains.truncate(MOST_CHAINS);
        let link = |at: &usize| link(&self.view.entries[*at]);
        let entry = &self.view.entries[target];
        RequiredResource {
            title: titled(entry),
            identity: ResourceIdentity::of(entry),
            required: Chains {
                chains: chains
                    .iter()
                    .map(|chain| chain.iter().map(link).collect())
                    .collect(),
                more,
            },
        }
    }
}

fn link(entry: &LockEntry) -> Link {
    Link {
        title: titled(entry),
        identity: ResourceIdentity::of(entry),
        requirement: entry.requirement().map(str::to_owned),
    }
}

/// How far each entry is from the nearest that the manifest asks for; nothing if none leads to it.
fn distances(roots: &[usize], needs: &[Vec<usize>]) -> Vec<Option<usize>> {
    let mut far = vec![None; needs.len()];
    let mut waiting: VecDeque<usize> = roots.iter().copied().collect();
    roots.iter().for_each(|root| far[*root] = Some(0));
    while let Some(at) = waiting.pop_front() {
        for need in &needs[at] {
            if far[*need].is_none() {
                far[*need] = far[at].map(|far| far + 1);
                waiting.push_back(*need);
            }
        }
    }
    far
}

/// A step up from another one, by number.
struct Step {
    node: usize,
    length: usize,
    from: Option<usize>,
}

/// The shortest chains, and one more than are told, from the manifest down to the target. The distance that is still to go leads the search, and of
/// two as good ways the longer one goes on, so that a graph with very many ways costs no more than the chains told.
fn chains(
    target: usize,
    needed_by: &[Vec<usize>],
    far: &[Option<usize>],
    roots: &[usize],
) -> Vec<Vec<usize>> {
    let mut steps: Vec<Step> = Vec::new();
    let mut waiting = BinaryHeap::new();
    let mut found = Vec::new();
    let reach =
        |node: usize, length: usize, from, steps: &mut Vec<Step>, waiting: &mut BinaryHeap<_>| {
            if let Some(far) = far[node] {
                waiting.push((
                    Reverse(length + far),
                    length,
                    Reverse(steps.len()),
                    Goal::Pass,
                ));
                if far == 0 && roots.binary_search(&node).is_ok() {
                    waiting.push((Reverse(length), length, Reverse(steps.len()), Goal::End));
                }
                steps.push(Step { node, length, from });
            }
        };
    reach(target, 0, None, &mut steps, &mut waiting);
    while let Some((_, _, Reverse(at), goal)) = waiting.pop() {
        let way = way(&steps, at);
        if goal == Goal::End {
            found.push(way);
            if found.len() > MOST_CHAINS {
                break;
            }
            continue;
        }
        let length = steps[at].length + 1;
        let above: Vec<usize> = needed_by[steps[at].node].clone();
        for node in above.into_iter().filter(|node| !way.contains(node)) {
            reach(node, length, Some(at), &mut steps, &mut waiting);
        }
    }
    found
}

/// What is done with a step that was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Goal {
    /// Chains go on through it.
    Pass,
    /// It is where a chain begins.
    End,
}

/// From a step down to the target.
fn way(steps: &[Step], at: usize) -> Vec<usize> {
    let mut way = Vec::new();
    let mut next = Some(at);
    while let Some(at) = next {
        way.push(steps[at].node);
        next = steps[at].from;
    }
    way
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chains_to(target: usize, needs: &[Vec<usize>], roots: &[usize]) -> Vec<Vec<usize>> {
        let mut needed_by = vec![Vec::new(); needs.len()];
        for (at, needs) in needs.iter().enumerate() {
            needs
                .iter()
                .for_each(|need: &usize| needed_by[*need].push(at));
        }
        chains(target, &needed_by, &distances(roots, needs), roots)
    }

    #[test]
    fn every_chain_is_found_the_shortest_first() {
        let needs = [vec![1, 3], vec![2], vec![3], vec![]];
        assert_eq!(
            chains_to(3, &needs, &[0, 2]),
            [vec![0, 3], vec![2, 3], vec![0, 1, 2, 3]]
        );
        assert_eq!(chains_to(0, &needs, &[0]), [vec![0]]);
        assert!(chains_to(0, &needs, &[2]).is_empty());
    }

    #[test]
    fn cycles_and_ladders_and_long_chains_end() {
        assert_eq!(chains_to(1, &[vec![1], vec![0]], &[0]), [vec![0, 1]]);
        // Thirty diamonds below each other have a milliard of ways.
        let mut ladder = Vec::new();
        for rung in 0..30 {
            let next = 3 * (rung + 1);
            ladder.extend([vec![next - 2, next - 1], vec![next], vec![next]]);
        }
        ladder.push(vec![]);
        let found = chains_to(90, &ladder, &[0]);
        assert_eq!((found.len(), found[0].len()), (MOST_CHAINS + 1, 61));
        let long: Vec<Vec<usize>> = (0..5000)
            .map(|at| if at < 4999 { vec![at + 1] } else { vec![] })
            .collect();
        assert_eq!(chains_to(4999, &long, &[0])[0].len(), 5000);
    }
}
