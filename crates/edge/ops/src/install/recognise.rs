//! What is ours although the ledger does not say so: in a fresh clone there is none, and after a pull it is behind.
//! The lockfile tells what was written, and what is still just that is ours.

use agpm_diag::{Failure, Notes};
use std::collections::{BTreeMap, BTreeSet};

use agpm_model::{Extent, Locked, Lockfile, Manifest, RelativePath};
use agpm_plan::{
    Author, Ledger, Observed, Overwrite, Owned, Plan, recognise_file, recognise_nodes,
};
use agpm_resolve::ResolvedEntry;
use agpm_store::ProjectStore;

use crate::install::layered::as_locked;
use crate::install::planning::{Wanted, make_plan, observe};
use crate::install::shared::{Shared, format_of, read, shared_files};
use crate::layers::LayeredFile;
use crate::packages::{Made, Sources, frozen, make_these};
use crate::world::World;

/// Whether a plan meets things that the lockfile may explain.
pub(super) fn is_puzzled(
    store: &ProjectStore,
    plan: &Plan,
    ledger: &Ledger,
    lock: &Lockfile,
) -> bool {
    let known = ledger.owners();
    let unknown =
        |locked: &Locked| locked.installed_at.is_some() && !known.contains(locked.label().as_str());
    let moved_on = |(path, seen): (&RelativePath, _)| {
        observe(store, path).is_ok_and(|now| now.checksum().is_some_and(|now| now != seen))
    };
    let newly_equal = |path: &RelativePath| !ledger.theirs.contains_key(path);
    lock.entries.iter().any(unknown)
        || !lock.layers.is_empty() && plan.ledger.theirs.keys().any(newly_equal)
        || !plan.refusals.is_empty()
        || plan
            .changes
            .iter()
            .any(|change| change.action == agpm_plan::Action::Keep)
        || ledger
            .shared
            .iter()
            .map(|(path, owned)| (path, owned.seen))
            .any(moved_on)
}

/// Whether a lockfile has things of which it does not tell by itself what was written.
pub(super) fn is_silent(lock: &Lockfile) -> bool {
    let silent = |locked: &Locked| !locked.kind.is_file() || !locked.patches.is_empty();
    !lock.layers.is_empty() || lock.entries.iter().any(silent)
}

/// Everything that is on the disk if it is as the lockfile says.
pub(crate) struct LockedState {
    pub(crate) entries: Vec<ResolvedEntry>,
    pub(crate) made: Vec<Made>,
    pub(crate) layers: Vec<LayeredFile>,
    /// Why the layers cannot be had as they were locked; then they count for nothing.
    pub(crate) layer_failure: Option<Failure>,
}

impl LockedState {
    pub(crate) fn read(
        world: &World,
        (manifest, lock): (&Manifest, &Lockfile),
        store: &ProjectStore,
    ) -> Result<Self, Failure> {
        let sources = Sources::open_all(world, manifest, store.path());
        let quiet = &mut Notes::default();
        let entries = frozen::as_locked(world, (manifest, &sources), lock, quiet)?;
        let made = make_these(manifest, &sources, &entries, quiet)?.made;
        let (layers, layer_failure) = match as_locked(world, (manifest, &sources), lock) {
            Ok(layers) => (layers, None),
            Err(failure) => (Vec::new(), Some(failure)),
        };
        Ok(LockedState {
            entries,
            made,
            layers,
            layer_failure,
        })
    }

    pub(super) fn wanted(&self) -> Wanted<'_> {
        Wanted {
            entries: &self.entries,
            made: &self.made,
            layers: &self.layers,
        }
    }

    /// Modes are not locked: a file whose bytes were taken from the disk has the one that the last install gave it.
    pub(crate) fn expect_recorded_modes(&mut self, ledger: &Ledger) {
        for (resolved, made) in self.entries.iter().zip(&mut self.made) {
            if resolved.version.commit.is_none() || resolved.entry.unit.extent == Extent::Folder {
                continue;
            }
            for file in &mut made.files {
                file.mode = ledger
                    .files
                    .get(&file.path)
                    .map_or(file.mode, |owned| owned.mode);
            }
        }
    }

    /// Leaves out files that others write too and that cannot be read, and says which these are.
    pub(crate) fn drop_unreadable(
        &mut self,
        store: &ProjectStore,
        ledger: &mut Ledger,
    ) -> Vec<RelativePath> {
        let is_readable = |path: &RelativePath| {
            let exists = !matches!(
                observe(store, path),
                Ok(Observed::Missing | Observed::Other(_))
            );
            !exists || read(store, path, format_of(path), &mut Notes::default()).is_ok()
        };
        let paths: BTreeSet<RelativePath> = shared_files(&self.wanted())
            .into_keys()
            .chain(ledger.shared.keys().cloned())
            .collect();
        let broken: Vec<RelativePath> = paths
            .into_iter()
            .filter(|path| !is_readable(path))
            .collect();
        ledger.shared.retain(|path, _| !broken.contains(path));
        for made in &mut self.made {
            made.entries = made
                .entries
                .take()
                .filter(|entries| !broken.contains(&entries.file));
        }
        self.layers.retain(|file| !broken.contains(&file.path));
        broken
    }

    /// What an install of this state would do.
    pub(crate) fn plan(
        &self,
        store: &ProjectStore,
        ledger: &Ledger,
        notes: &mut Notes,
    ) -> Result<Plan, Failure> {
        make_plan(store, &self.wanted(), (ledger, Overwrite::Nothing), notes)
            .map(|planned| planned.plan)
    }

    /// The ledger with everything that is as the lockfile's entries would be written.
    pub(crate) fn recognise(&self, store: &ProjectStore, ledger: &Ledger) -> Ledger {
        let mut known = ledger.clone();
        for (resolved, made) in self.entries.iter().zip(&self.made) {
            let is_news = |(path, now): &(RelativePath, Owned)| {
                ledger
                    .files
                    .get(path)
                    .is_none_or(|owned| owned.checksum != now.checksum)
            };
            known
                .files
                .extend(files(store, resolved, made).filter(is_news));
        }
        let shared = shared_files(&self.wanted());
        for (path, shared) in &shared {
            known.shared = with_nodes(store, known.shared, path, shared);
        }
        let is_users = |file: &&LayeredFile| ledger.theirs.contains_key(&file.path);
        for file in self
            .layers
            .iter()
            .filter(|file| !shared.contains_key(&file.path) && !is_users(file))
        {
            known.files.extend(whole(store, file));
        }
        known
    }
}

/// Files that hold just what was made.
fn files(
    store: &ProjectStore,
    resolved: &ResolvedEntry,
    made: &Made,
) -> impl Iterator<Item = (RelativePath, Owned)> {
    let found = made.files.iter().filter_map(move |file| {
        let checksum = file.bytes.checksum();
        let Ok(Observed::File(now, mode)) = observe(store, &file.path) else {
            return None;
        };
        let source = Some(file.source).filter(|source| *source != checksum);
        let owned = Owned {
            checksum,
            source,
            mode,
            owner: resolved.label(),
            author: Author::Agpm,
        };
        (now == checksum).then(|| (file.path.clone(), owned))
    });
    found.collect::<Vec<_>>().into_iter()
}

/// The same for a file of the layers.
fn whole(store: &ProjectStore, file: &LayeredFile) -> Option<(RelativePath, Owned)> {
    let checksum = file.checksum();
    let Ok(Observed::File(now, mode)) = observe(store, &file.path) else {
        return None;
    };
    let owned = Owned {
        checksum,
        source: None,
        mode,
        owner: file.owner.clone(),
        author: Author::Agpm,
    };
    (now == checksum).then(|| (file.path.clone(), owned))
}

fn with_nodes(
    store: &ProjectStore,
    mut entries: BTreeMap<RelativePath, agpm_plan::OwnedNodes>,
    path: &RelativePath,
    shared: &Shared<'_>,
) -> BTreeMap<RelativePath, agpm_plan::OwnedNodes> {
    let Ok(document) = read(store, path, format_of(path), &mut Notes::default()) else {
        return entries;
    };
    let whole = shared
        .base
        .and_then(|base| recognise_file(&document, base, &shared.nodes));
    if let Some(owned) =
        whole.or_else(|| recognise_nodes(&document, &shared.nodes, entries.get(path)))
    {
        entries.insert(path.clone(), owned);
    }
    entries
}
