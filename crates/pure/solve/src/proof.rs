//! What PubGrub's refusal rests on: the facts at the leaves of its derivation, without the way it took.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use pubgrub::{DerivationTree, Derived, External};

use crate::facts::Facts;
use crate::known::{Asked, Body, Known, UnitId, WishId};
use crate::package::{Package, Reason};
use crate::set::CandidateSet;

type Tree = DerivationTree<Package, CandidateSet, Reason>;

/// A dependency: `from` at any of `within` wants `to` in one of `allowed` (all numbers, if it is an ask).
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Leaf {
    from: Package,
    to: Package,
    allowed: Vec<u32>,
}

/// The dependencies in a derivation, each with the candidates of its parent.
pub(crate) struct Proof {
    leaves: BTreeMap<Leaf, BTreeSet<u32>>,
    /// Units that ask for themselves under a wish that they do not satisfy.
    selves: BTreeMap<Asked, BTreeSet<u32>>,
}

/// A dependency with the wish that stands behind it.
#[derive(Clone, Debug)]
pub(crate) struct Edge {
    pub(crate) from: Package,
    pub(crate) to: Package,
    /// The tie of an ask to its unit has none.
    pub(crate) wish: Option<WishId>,
    /// The candidates of the parent in which it stands.
    pub(crate) within: Vec<u32>,
}

impl Proof {
    /// Takes the tree apart without recursion: it may be deep, and a shared part counts once.
    pub(crate) fn new(tree: Tree) -> Self {
        let mut proof = Self {
            leaves: BTreeMap::new(),
            selves: BTreeMap::new(),
        };
        let mut pending = vec![tree];
        while let Some(node) = pending.pop() {
            match node {
                // Whoever holds a shared part last goes into it.
                DerivationTree::Derived(Derived { cause1, cause2, .. }) => {
                    pending.extend([cause1, cause2].into_iter().filter_map(Arc::into_inner));
                }
                DerivationTree::External(external) => proof.add(external),
            }
        }
        proof
    }

    fn add(&mut self, external: External<Package, CandidateSet, Reason>) {
        match external {
            External::FromDependencyOf(from, within, to, allowed) => {
                let leaf = Leaf {
                    from,
                    to,
                    allowed: allowed.members().to_vec(),
                };
                self.leaves
                    .entry(leaf)
                    .or_default()
                    .extend(within.members());
            }
            External::Custom(Package::Unit(unit), within, Reason::ExcludesItself(wish)) => {
                self.selves
                    .entry((unit, wish))
                    .or_default()
                    .extend(within.members());
            }
            External::NotRoot(..) | External::NoVersions(..) | External::Custom(..) => {}
        }
    }

    /// The edges by name.
    pub(crate) fn edges<F: Facts>(&self, known: &mut Known<'_, F>, roots: &[Asked]) -> Vec<Edge> {
        let mut edges: Vec<Edge> = Vec::new();
        for (leaf, within) in &self.leaves {
            let wish = leaf.wish(known, roots, within.first().copied().unwrap_or_default());
            let within = within.iter().copied().collect();
            edges.push(Edge {
                from: leaf.from,
                to: leaf.to,
                wish,
                within,
            });
        }
        for ((unit, wish), within) in &self.selves {
            let (from, to) = (Package::Unit(*unit), Package::Unit(*unit));
            edges.push(Edge {
                from,
                to,
                wish: Some(*wish),
                within: within.iter().copied().collect(),
            });
        }
        edges.sort_by(|one, two| key(known, one).cmp(&key(known, two)));
        edges
    }
}

type Key<'k, U, W> = (Option<&'k U>, Option<&'k W>, Option<&'k U>, Option<&'k W>);

fn key<'k, F: Facts>(known: &'k Known<'_, F>, edge: &Edge) -> Key<'k, F::Unit, F::Wish> {
    let name = |package| match package {
        Package::Root => (None, None),
        Package::Unit(unit) => (Some(known.unit(unit)), None),
        Package::Ask(unit, wish) => (Some(known.unit(unit)), Some(known.wish(wish))),
    };
    let ((from, from_wish), (to, _)) = (name(edge.from), name(edge.to));
    (from, from_wish, to, edge.wish.map(|wish| known.wish(wish)))
}

impl Package {
    pub(crate) fn unit(self) -> Option<UnitId> {
        match self {
            Self::Root => None,
            Self::Unit(unit) | Self::Ask(unit, _) => Some(unit),
        }
    }
}

impl Leaf {
    /// PubGrub keeps the set and not the wish, so it is looked up where it was declared: here, in one candidate.
    fn wish<F: Facts>(
        &self,
        known: &mut Known<'_, F>,
        roots: &[Asked],
        within: u32,
    ) -> Option<WishId> {
        let unit = match self.to {
            Package::Ask(_, wish) => return Some(wish),
            Package::Unit(unit) => unit,
            Package::Root => return None,
        };
        let declared = match self.from {
            Package::Ask(parent, _) if parent == unit => return None,
            Package::Ask(_, wish) => return Some(wish),
            Package::Root => roots.to_vec(),
            Package::Unit(parent) => own_wishes(known, parent, within),
        };
        let mine = known.in_order(declared.into_iter().filter(|(child, _)| *child == unit));
        let same = |ask: &&Asked| {
            known
                .allowed(**ask)
                .is_ok_and(|list| *list == *self.allowed)
        };
        mine.iter().find(same).map(|(_, wish)| *wish)
    }
}

fn own_wishes<F: Facts>(known: &mut Known<'_, F>, unit: UnitId, number: u32) -> Vec<Asked> {
    match known.body(unit, number) {
        Ok(Body::Present(children)) => children
            .iter()
            .filter_map(|(child, own)| Some((*child, (*own)?)))
            .collect(),
        Ok(Body::Absent) | Err(_) => Vec::new(),
    }
}
