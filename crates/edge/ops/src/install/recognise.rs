//! What is ours although the ledger does not say so: in a fresh clone there is none, and after a pull it is behind.
//! The lockfile tells what was written, and what is still just that is ours.

use std::collections::BTreeMap;

use agpm_model::{Locked, Lockfile, Manifest, RelativePath};
use agpm_plan::{Ledger, Observed, Owned, Plan, recognise_file, recognise_nodes};
use agpm_store::ProjectStore;

use crate::failure::Notes;
use crate::install::layered::as_locked;
use crate::install::planning::Wanted;
use crate::install::planning::observe;
use crate::install::shared::{Shared, format_of, read, shared_files};
use crate::layers::LayeredFile;
use crate::packages::{Made, ResolvedEntry, Sources, frozen, make_these};
use crate::world::World;

/// Whether a plan meets things that the lockfile may explain.
pub(super) fn is_puzzled(store: &ProjectStore, plan: &Plan, ledger: &Ledger, lock: &Lockfile) -> bool {
    let known = ledger.owners();
    let unknown = |locked: &Locked| locked.installed_at.is_some() && !known.contains(locked.label().as_str());
    let moved_on = |(path, seen): (&RelativePath, _)| {
        observe(store, path).is_ok_and(|now| now.checksum().is_some_and(|now| now != seen))
    };
    let newly_equal = |path: &RelativePath| !ledger.theirs.contains_key(path);
    lock.entries.iter().any(unknown)
        || !lock.layers.is_empty() && plan.ledger.theirs.keys().any(newly_equal)
        || !plan.refusals.is_empty()
        || plan.changes.iter().any(|change| change.action == agpm_plan::Action::Keep)
        || ledger.shared.iter().map(|(path, owned)| (path, owned.seen)).any(moved_on)
}

/// Whether a lockfile has things of which it does not tell by itself what was written.
pub(super) fn is_silent(lock: &Lockfile) -> bool {
    let silent = |locked: &Locked| !locked.kind.is_file() || !locked.patches.is_empty();
    !lock.layers.is_empty() || lock.entries.iter().any(silent)
}

/// The ledger with everything that is as the lockfile's entries would be written.
pub(super) fn recognise(
    world: &World,
    (manifest, lock): (&Manifest, &Lockfile),
    store: &ProjectStore,
    ledger: &Ledger,
) -> Option<Ledger> {
    let sources = Sources::open_all(&world.environment, manifest, store.path());
    let own = &mut Notes::default();
    let entries = frozen::as_locked(world, (manifest, &sources), lock, own).ok()?;
    let making = make_these(manifest, &sources, &entries, own).ok()?;
    let layers = as_locked(world, (manifest, &sources), lock).unwrap_or_default();
    let mut known = ledger.clone();
    for (resolved, made) in entries.iter().zip(&making.made) {
        known.files.extend(files(store, resolved, made));
    }
    let shared = shared_files(&Wanted { entries: &entries, made: &making.made, layers: &layers });
    for (path, shared) in &shared {
        known.shared = with_nodes(store, known.shared, path, shared);
    }
    let is_users = |file: &&LayeredFile| ledger.theirs.contains_key(&file.path);
    for file in layers.iter().filter(|file| !shared.contains_key(&file.path) && !is_users(file)) {
        known.files.extend(whole(store, file));
    }
    Some(known)
}

/// Files that hold just what was made.
fn files(
    store: &ProjectStore,
    resolved: &ResolvedEntry,
    made: &Made,
) -> impl Iterator<Item = (RelativePath, Owned)> {
    let found = made.files.iter().filter_map(move |file| {
        let checksum = file.bytes.checksum();
        let Ok(Observed::File(now, mode)) = observe(store, &file.path) else { return None };
        let source = Some(file.source).filter(|source| *source != checksum);
        let owned = Owned { checksum, source, mode, owner: resolved.label() };
        (now == checksum).then(|| (file.path.clone(), owned))
    });
    found.collect::<Vec<_>>().into_iter()
}

/// The same for a file of the layers.
fn whole(store: &ProjectStore, file: &LayeredFile) -> Option<(RelativePath, Owned)> {
    let checksum = file.checksum();
    let Ok(Observed::File(now, mode)) = observe(store, &file.path) else { return None };
    let owned = Owned { checksum, source: None, mode, owner: file.owner.clone() };
    (now == checksum).then(|| (file.path.clone(), owned))
}

fn with_nodes(
    store: &ProjectStore,
    mut entries: BTreeMap<RelativePath, agpm_plan::OwnedNodes>,
    path: &RelativePath,
    shared: &Shared<'_>,
) -> BTreeMap<RelativePath, agpm_plan::OwnedNodes> {
    let Ok(document) = read(store, path, format_of(path), &mut Notes::default()) else { return entries };
    let whole = shared.base.and_then(|base| recognise_file(&document, base, &shared.nodes));
    if let Some(owned) = whole.or_else(|| recognise_nodes(&document, &shared.nodes, entries.get(path))) {
        entries.insert(path.clone(), owned);
    }
    entries
}
