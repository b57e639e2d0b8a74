//! The bytes of a resource as they are locked, and what is made of them.

use agpm_compose::RenderedResource;
use std::collections::BTreeSet;

use agpm_diag::{Failure, Notes, Severity};
use agpm_model::Lockfile;
use agpm_store::ProjectStore;

use crate::explain::resource::Target;
use crate::packages::{Sources, frozen, render_these};
use crate::world::World;

/// Makes the copies for all its tools as an install would, or tells why that cannot be done.
pub(super) fn of(
    target: &Target<'_>,
    world: &World,
    store: &ProjectStore,
    lock: &Lockfile,
) -> Result<Vec<RenderedResource>, String> {
    let sources = Sources::open_all(world, target.manifest, store.path());
    // Those that need it say with which variables; if they cannot be had, it is told as it is without.
    let made = family(target).made(target, world, &sources, lock);
    made.or_else(|_| own(target).made(target, world, &sources, lock))
}

/// Entries of a lockfile, by number.
struct Chosen(BTreeSet<usize>);

/// The entry and what it needs.
fn own(target: &Target<'_>) -> Chosen {
    Chosen(reached(BTreeSet::from([target.number]), &target.view.needs))
}

/// The entry, all that need it, and what those need.
fn family(target: &Target<'_>) -> Chosen {
    let above = reached(BTreeSet::from([target.number]), &target.view.needed_by());
    Chosen(reached(above, &target.view.needs))
}

fn reached(mut found: BTreeSet<usize>, edges: &[Vec<usize>]) -> BTreeSet<usize> {
    let mut waiting: Vec<usize> = found.iter().copied().collect();
    while let Some(at) = waiting.pop() {
        waiting.extend(edges[at].iter().copied().filter(|next| found.insert(*next)));
    }
    found
}

impl Chosen {
    fn made(
        self,
        target: &Target<'_>,
        world: &World,
        sources: &Sources,
        lock: &Lockfile,
    ) -> Result<Vec<RenderedResource>, String> {
        let entries = self
            .0
            .into_iter()
            // Parts follow from their plugin, which is among those that need them.
            .filter_map(|at| lock.entries.get(at).cloned())
            .collect();
        let lock = Lockfile {
            entries,
            sources: lock.sources.clone(),
            ..Lockfile::default()
        };
        let mut notes = Notes::default();
        let copies = made(target, world, sources, &lock, &mut notes)
            .map_err(|failure| reason(failure, notes))?;
        if copies.is_empty() {
            let why = "the manifest does not say any more what it is, or for which tool";
            return Err(why.to_owned());
        }
        Ok(copies)
    }
}

fn made(
    target: &Target<'_>,
    world: &World,
    sources: &Sources,
    lock: &Lockfile,
    notes: &mut Notes,
) -> Result<Vec<RenderedResource>, Failure> {
    let manifest = target.manifest;
    let entries = frozen::as_locked(world, manifest, sources, lock, notes)?;
    let rendered = render_these(manifest, sources, entries, notes)?;
    let locked = target.locked;
    let is_it = |resource: &RenderedResource| {
        let one = &resource.resolved;
        let same_tool = locked.tools().any(|tool| *tool == one.entry.tool);
        let same_unit = one.part_of.is_some() || one.entry.unit == locked.unit;
        one.label() == locked.label() && same_unit && same_tool
    };
    Ok(rendered.resources.into_iter().filter(is_it).collect())
}

/// The last word on a failure, or the first error that was found.
fn reason(failure: Failure, notes: Notes) -> String {
    let is_error = |severity| severity == Severity::Error;
    let found = notes
        .diagnostics
        .into_iter()
        .find(|found| is_error(found.severity));
    failure
        .diagnostic
        .or(found)
        .map_or_else(|| "see `agpm validate`".to_owned(), |found| found.message)
}
