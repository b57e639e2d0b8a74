//! Finds the dependents of a resource.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap, VecDeque};
use std::path::Path;

use agpm_diag::Failure;
use agpm_model::{Dependency, LayerSet, LockEntry, LockedLayer, Manifest, Owner};
use agpm_plan::Ledger;
use agpm_resolve::{DeclaredRequirements, LockView, ResourceIdentity, ambiguous, means};
use serde::Serialize;

use crate::project::graph::{entry_title, owners_at, title};

/// The number of displayed chains; a graph may have more than anyone can read.
const MOST_CHAINS: usize = 100;

/// Resources and who requires them.
#[derive(Debug, Serialize)]
pub struct WhyReport {
    /// The resources meant; several if a pattern matched them.
    pub resources: Vec<RequiredResource>,
}

/// A resource and the chains that lead to it.
#[derive(Debug, Serialize)]
pub struct RequiredResource {
    /// `TYPE/NAME (VERSION)`.
    #[serde(skip)]
    pub title: String,
    /// The resource.
    #[serde(flatten)]
    pub identity: ResourceIdentity,
    /// The dependents of the required resource.
    #[serde(flatten)]
    pub required: RequirementChains,
}

/// The dependents of a resource.
#[derive(Debug, Serialize)]
pub struct RequirementChains {
    /// From what the manifest requires down to the resource, the shortest first.
    pub chains: Vec<Vec<ChainLink>>,
    /// Whether longer ones are left out.
    pub more: bool,
}

/// A resource in a chain of dependents.
#[derive(Clone, Debug, Serialize)]
pub struct ChainLink {
    /// `TYPE/NAME (VERSION)`.
    #[serde(skip)]
    pub title: String,
    /// The resource.
    #[serde(flatten)]
    pub identity: ResourceIdentity,
    /// The version that is required, as far as that is known.
    pub requirement: Option<String>,
}

impl WhyReport {
    /// The dependents of a name of the manifest that is not in the lockfile yet; `None` if the manifest does not have it.
    pub fn of_manifest(manifest: &Manifest, word: &str) -> Result<Option<Self>, Failure> {
        let dependencies = manifest.dependencies.iter();
        let found: Vec<&Dependency> = dependencies
            .filter(|one| means(word, one.kind, one.name.as_str()))
            .collect();
        match found.as_slice() {
            [] => Ok(None),
            [one] => Ok(Some(WhyReport::of_dependency(one))),
            several => {
                let ids: Vec<String> = several
                    .iter()
                    .map(|one| format!("`{}`", one.id()))
                    .collect();
                Err(ambiguous(word, &ids))
            }
        }
    }

    fn of_dependency(found: &Dependency) -> Self {
        let identity = ResourceIdentity {
            kind: found.kind.singular(),
            name: found.name.to_string(),
            version: None,
            source: found.unit.origin.source().map(ToString::to_string),
        };
        let title = format!("{}/{}", found.kind, found.name);
        let link = ChainLink {
            title: title.clone(),
            identity: identity.clone(),
            requirement: identity
                .source
                .is_some()
                .then(|| found.requirement.to_string()),
        };
        let required = RequirementChains {
            chains: vec![vec![link]],
            more: false,
        };
        WhyReport {
            resources: vec![RequiredResource {
                title,
                identity,
                required,
            }],
        }
    }

    /// The dependents of a name, an id, or a path that is seen from `here`.
    pub fn of(
        view: &LockView,
        ledger: &Ledger,
        question: &WhyQuestion<'_>,
    ) -> Result<Self, Failure> {
        let WhyQuestion {
            working_directory,
            word,
            declared,
        } = *question;
        let layers = layers_at(view, &owners_at(view, working_directory, ledger, word));
        let mut at_path = view.at_path(working_directory, word);
        if at_path.is_empty() {
            let owned = view.owned_at(working_directory, word, &|path| {
                ledger.owner_labels_at(path)
            });
            at_path.extend(owned.into_iter().filter(|at| view.part_of.contains_key(at)));
        }
        let found = if at_path.is_empty() && layers.is_empty() {
            view.find(word)?
        } else {
            at_path
        };
        let chains = ChainFinder::of(view, declared);
        let resources = found.into_iter().map(|target| chains.required(target));
        Ok(WhyReport {
            resources: resources.chain(layers).collect(),
        })
    }
}

/// A question about a lockfile.
#[derive(Clone, Copy)]
pub struct WhyQuestion<'a> {
    /// The directory that paths are seen from.
    pub working_directory: &'a Path,
    /// A name, an id or a path.
    pub word: &'a str,
    /// The requirements of the resources on each other, as far as their content is known.
    pub declared: &'a DeclaredRequirements,
}

/// The layers among the owners of a file.
fn layers_at(view: &LockView, owners: &BTreeSet<&Owner>) -> Vec<RequiredResource> {
    let named = |set: &LayerSet| {
        let name = set.as_str();
        view.layers.iter().find(|layer| layer.name.as_str() == name)
    };
    let sets = owners.iter().filter_map(|owner| owner.layers());
    sets.filter_map(named).map(of_layer).collect()
}

/// A layer, which the manifest itself names.
fn of_layer(layer: &LockedLayer) -> RequiredResource {
    let pin = layer.pin.as_ref();
    let version = pin.map(|pin| &pin.version);
    let title = title(&layer.name.label(), version);
    let identity = ResourceIdentity {
        kind: "layer",
        name: layer.name.to_string(),
        version: version.cloned(),
        source: pin.map(|pin| pin.source.to_string()),
    };
    let link = ChainLink {
        title: title.clone(),
        identity: identity.clone(),
        requirement: pin.and_then(|pin| pin.requirement.clone()),
    };
    RequiredResource {
        title,
        identity,
        required: RequirementChains {
            chains: vec![vec![link]],
            more: false,
        },
    }
}

/// Finds the chains of requirements that lead to entries of a lockfile.
pub struct ChainFinder<'v> {
    view: &'v LockView,
    declared: &'v DeclaredRequirements,
    needed_by: Vec<Vec<usize>>,
    far: Vec<Option<usize>>,
}

impl<'v> ChainFinder<'v> {
    /// For the entries of this lockfile.
    pub fn of(view: &'v LockView, declared: &'v DeclaredRequirements) -> Self {
        ChainFinder {
            view,
            declared,
            needed_by: view.needed_by(),
            far: distances(&view.roots, &view.needs),
        }
    }

    /// The entry and the chains that lead to it.
    pub fn required(&self, target: usize) -> RequiredResource {
        let mut chains = chains(target, &self.needed_by, &self.far, &self.view.roots);
        let more = chains.len() > MOST_CHAINS;
        chains.truncate(MOST_CHAINS);
        let entry = &self.view.entries[target];
        RequiredResource {
            title: entry_title(entry),
            identity: ResourceIdentity::of(entry),
            required: RequirementChains {
                chains: chains.iter().map(|chain| self.links(chain)).collect(),
                more,
            },
        }
    }

    /// The resources of a chain, each with the requirement of the one before it.
    fn links(&self, chain: &[usize]) -> Vec<ChainLink> {
        let mut links: Vec<ChainLink> = Vec::new();
        let mut before: Option<&LockEntry> = None;
        for entry in chain.iter().map(|at| &self.view.entries[*at]) {
            let mut link = link(entry);
            let stated = before.and_then(|before| self.declared.get(&before.id(), &entry.id()));
            if let Some(stated) = stated {
                let inherited = links.last().and_then(|last| last.requirement.clone());
                link.requirement = stated.map(str::to_owned).or(inherited);
            }
            links.push(link);
            before = Some(entry);
        }
        links
    }
}

fn link(entry: &LockEntry) -> ChainLink {
    ChainLink {
        title: entry_title(entry),
        identity: ResourceIdentity::of(entry),
        requirement: entry.requirement().map(str::to_owned),
    }
}

/// The distance of each entry from the nearest one in the manifest; `None` if none leads to it.
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

/// The shortest chains, and one more than are shown, from the manifest down to the target. The distance that is still to go leads the search, and of
/// two as good ways the longer one goes on, so a graph with very many ways costs no more than the chains shown.
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

/// The action at a step that was reached.
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
