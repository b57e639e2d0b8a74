//! The whole row of the highest rank, for every identity, in one pass over all rows.

use std::collections::BTreeMap;
use std::hash::BuildHasher;

use agpm_diag::{Diagnostic, codes};
use foldhash::fast::FixedState;
use hashbrown::HashTable;

use crate::kind::EntryKind;
use crate::manifest::{CatalogManifest, NamedRow};
use crate::row::{RowId, RowRef};

/// One identity: the row of the highest rank that has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CatalogEntry {
    /// The row that applies.
    pub winner: RowId,
    /// The range of the rows that it shadows.
    pub(crate) shadowed: std::ops::Range<u32>,
}

/// The result of the selection.
pub(crate) struct SelectedRows {
    pub(crate) entries: Vec<CatalogEntry>,
    pub(crate) shadowed: Vec<RowId>,
    /// Rows of one file that repeat an identity, each with the one that applies.
    pub(crate) duplicates: Vec<(RowId, RowId)>,
}

/// The identity of a row.
#[derive(PartialEq, Eq, Hash)]
struct RowIdentity<'m> {
    kind: EntryKind,
    module: &'m str,
    name: &'m str,
}

/// An identity in the making.
struct IdentityCandidate<'m> {
    identity: RowIdentity<'m>,
    /// The beginning of the name, which decides most comparisons.
    prefix: u128,
    winner: RowId,
    /// The latest row of it that applies in its manifest.
    latest: RowId,
}

/// Selects out of manifests, highest first.
// One pass over the rows instead of a fold: 300,000 rows are chosen in a fraction of the time, and a law checks that
// the fold would choose the same.
pub(crate) fn select(manifests: &[CatalogManifest]) -> SelectedRows {
    let hasher = FixedState::default();
    let rows = manifests.iter().map(CatalogManifest::len).sum();
    let mut index: HashTable<u32> = HashTable::with_capacity(rows);
    let mut candidates: Vec<IdentityCandidate<'_>> = Vec::with_capacity(rows);
    let mut lower: Vec<(u32, RowId)> = Vec::new();
    let mut duplicates = Vec::new();
    for (id, identity) in all_rows(manifests) {
        let hash = hasher.hash_one(&identity);
        match index.find(hash, |at| candidates[*at as usize].identity == identity) {
            None => {
                let at = candidates.len() as u32;
                index.insert_unique(hash, at, |at| {
                    hasher.hash_one(&candidates[*at as usize].identity)
                });
                let prefix = prefix(identity.name);
                candidates.push(IdentityCandidate {
                    identity,
                    prefix,
                    winner: id,
                    latest: id,
                });
            }
            Some(at) => {
                let candidate = &mut candidates[*at as usize];
                lower.push((*at, id));
                if candidate.latest.manifest == id.manifest {
                    duplicates.push((candidate.latest, id));
                } else {
                    candidate.latest = id;
                }
            }
        }
    }
    let order = in_order(&candidates);
    let (entries, shadowed) = gather(&candidates, &order, lower);
    SelectedRows {
        entries,
        shadowed,
        duplicates,
    }
}

fn all_rows(manifests: &[CatalogManifest]) -> impl Iterator<Item = (RowId, RowIdentity<'_>)> {
    manifests.iter().enumerate().flat_map(|(at, manifest)| {
        let identity = move |(row, found): (usize, &NamedRow)| {
            let id = RowId {
                manifest: at as u32,
                row: row as u32,
            };
            let (module, name) = (manifest.module(*found), manifest.name(*found));
            (
                id,
                RowIdentity {
                    kind: manifest.kind(),
                    module,
                    name,
                },
            )
        };
        manifest.rows.iter().enumerate().map(identity)
    })
}

/// The first bytes as a number that compares as they do.
fn prefix(name: &str) -> u128 {
    let mut first = [0; 16];
    let count = name.len().min(first.len());
    first[..count].copy_from_slice(&name.as_bytes()[..count]);
    u128::from_be_bytes(first)
}

/// By kind, module and name. Modules are few, so they are compared by number.
fn in_order(candidates: &[IdentityCandidate<'_>]) -> Vec<u32> {
    let mut modules: BTreeMap<&str, u32> = BTreeMap::new();
    for candidate in candidates {
        if !modules.contains_key(candidate.identity.module) {
            modules.insert(candidate.identity.module, 0);
        }
    }
    modules
        .values_mut()
        .zip(0..)
        .for_each(|(rank, at)| *rank = at);
    let key = |at: u32| {
        let candidate = &candidates[at as usize];
        (
            candidate.identity.kind,
            modules[candidate.identity.module],
            candidate.prefix,
            at,
        )
    };
    let mut keys: Vec<_> = (0..candidates.len() as u32).map(key).collect();
    let name = |at: u32| candidates[at as usize].identity.name;
    keys.sort_unstable_by(|left, right| {
        let coarse = (left.0, left.1, left.2).cmp(&(right.0, right.1, right.2));
        coarse.then_with(|| name(left.3).cmp(name(right.3)))
    });
    keys.into_iter().map(|(_, _, _, at)| at).collect()
}

/// The entries in order, with their shadowed rows side by side.
fn gather(
    candidates: &[IdentityCandidate<'_>],
    order: &[u32],
    mut lower: Vec<(u32, RowId)>,
) -> (Vec<CatalogEntry>, Vec<RowId>) {
    let mut positions = vec![0_u32; candidates.len()];
    order
        .iter()
        .zip(0..)
        .for_each(|(at, rank)| positions[*at as usize] = rank);
    // Stable: those of one identity stay highest first.
    lower.sort_by_key(|(at, _)| positions[*at as usize]);
    let mut next = 0;
    let mut entries = Vec::with_capacity(order.len());
    for at in order {
        let start = next;
        while lower.get(next).is_some_and(|(of, _)| of == at) {
            next += 1;
        }
        let winner = candidates[*at as usize].winner;
        entries.push(CatalogEntry {
            winner,
            shadowed: start as u32..next as u32,
        });
    }
    (entries, lower.into_iter().map(|(_, row)| row).collect())
}

/// The finding about a row whose identity is above it in the same file.
pub(crate) fn duplicate(counts: RowRef<'_>, again: RowRef<'_>) -> Diagnostic {
    let message = format!(
        "duplicate {} `{}`; the first row applies",
        again.kind(),
        again.label()
    );
    let source = again.node().source();
    Diagnostic::new(&codes::CATALOG_DUPLICATE, message)
        .at(source, again.node().span(), "again here")
        .at(source, counts.node().span(), "this one applies")
        .help("remove or rename one of them")
}
