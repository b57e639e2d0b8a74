//! What the layers give to an install.

use agpm_diag::{Failure, Notes};
use agpm_model::{LayerName, LockedLayer, Lockfile, Manifest};
use agpm_plan::{Watched, outdated_lock};

use crate::install::request::LockUse;
use crate::install::run::Run;
use crate::layers::{
    LayerLock, LayeredFile, Pinning, Snapshot, fold_all, layers_as_locked, snapshots,
};
use crate::packages::Sources;
use crate::world::World;
use agpm_resolve::{UpdateScope, with_names_of};

/// What the layers give.
#[derive(Default)]
pub(super) struct Layered {
    /// By path.
    pub(super) files: Vec<LayeredFile>,
    pub(super) locked: Vec<LockedLayer>,
    pub(super) watching: Watching,
}

/// How later runs see that nothing changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Watching {
    /// By a look at these folders.
    Folders(Vec<Watched>),
    /// Something changed just now: they have to read it all again.
    Unsettled,
}

impl Default for Watching {
    fn default() -> Self {
        Watching::Folders(Vec::new())
    }
}

/// Reads and folds all layers as this run wants them.
pub(super) fn layered(
    run: &Run<'_>,
    manifest: &Manifest,
    sources: &Sources,
    lock: Option<&Lockfile>,
    notes: &mut Notes,
) -> Result<Layered, Failure> {
    let Run { world, job, .. } = *run;
    if manifest.layers.is_empty() && lock.is_none_or(|lock| lock.layers.is_empty()) {
        return Ok(Layered::default());
    }
    let lock = lock
        .map(|lock| with_names_of(manifest, lock))
        .unwrap_or_default();
    let alone = job.request.lock == LockUse::Frozen;
    let pinning = Pinning {
        lock: if alone {
            LayerLock::Alone
        } else {
            LayerLock::Pins
        },
        ..Pinning::of(manifest, Some(&lock), &job.moving)
    };
    if alone {
        layers_as_locked(manifest, sources, &lock)?;
    }
    let snapshots = snapshots(world, (manifest, sources), &pinning, notes)?;
    refuse_missing(manifest, &snapshots, &lock, job.request.lock)?;
    let locked = locked(manifest, &snapshots, &lock);
    let watching = watching(&snapshots);
    let files = fold_all(world, manifest, snapshots, notes)?;
    // Nobody tells when a program changes.
    let driven = files.iter().any(|file| file.driven);
    Ok(Layered {
        locked,
        watching: if driven {
            Watching::Unsettled
        } else {
            watching
        },
        files,
    })
}

/// What is said of a locked layer that is not there.
pub(crate) fn not_there(gone: &LockedLayer) -> Failure {
    let mut failure = outdated_lock(format!(
        "{} is locked, and its folder is not there",
        gone.name.label()
    ));
    let help = "make the folder, or remove the layer from the manifest and run `agpm install`";
    failure.diagnostic = failure.diagnostic.map(|found| found.help(help));
    failure
}

/// Where the lockfile must not change, what is locked must be there.
fn refuse_missing(
    manifest: &Manifest,
    snapshots: &[Snapshot<'_>],
    lock: &Lockfile,
    lock_use: LockUse,
) -> Result<(), Failure> {
    let is_asked = |name: &LayerName| manifest.layers.iter().any(|layer| layer.name == *name);
    let is_there = |name: &LayerName| {
        snapshots
            .iter()
            .any(|snapshot| snapshot.layer.name == *name)
    };
    let missing = |locked: &&LockedLayer| is_asked(&locked.name) && !is_there(&locked.name);
    match lock.layers.iter().find(missing) {
        Some(gone) if matches!(lock_use, LockUse::Frozen | LockUse::Locked) => Err(not_there(gone)),
        _ => Ok(()),
    }
}

/// The files that the layers gave when they were locked; fails if they cannot be had any more.
pub(super) fn as_locked(
    world: &World,
    manifest: &Manifest,
    sources: &Sources,
    lock: &Lockfile,
) -> Result<Vec<LayeredFile>, Failure> {
    let pinning = Pinning {
        lock: LayerLock::AsItWas,
        ..Pinning::of(manifest, Some(lock), &UpdateScope::Nothing)
    };
    // What is wrong with the old state is nothing that this run could fix.
    let mut quiet = Notes::default();
    let snapshots = snapshots(world, (manifest, sources), &pinning, &mut quiet)?;
    fold_all(world, manifest, snapshots, &mut quiet)
}

/// What is not there on this machine stays as it was locked.
fn locked(manifest: &Manifest, snapshots: &[Snapshot<'_>], lock: &Lockfile) -> Vec<LockedLayer> {
    let now = |name: &LayerName| {
        snapshots
            .iter()
            .find(|snapshot| snapshot.layer.name == *name)
    };
    let before = |name: &LayerName| {
        lock.layers
            .iter()
            .find(|locked| locked.name == *name)
            .cloned()
    };
    let of_layer = |name| now(name).map_or_else(|| before(name), Snapshot::locked);
    manifest
        .layers
        .iter()
        .filter_map(|layer| of_layer(&layer.name))
        .collect()
}

fn watching(snapshots: &[Snapshot<'_>]) -> Watching {
    let folders = snapshots.iter().filter(|snapshot| snapshot.pin.is_none());
    let watched: Option<Vec<Watched>> = folders.map(|snapshot| snapshot.watched.clone()).collect();
    watched.map_or(Watching::Unsettled, Watching::Folders)
}
