//! What the layers give to an install.

use agpm_diag::{Failure, Notes};
use agpm_layers::{
    LayerLock, LayeredFile, Pinning, Watching, layers_as_locked, locked_layers, refuse_missing,
};
use agpm_model::{LockedLayer, Lockfile, Manifest};
use agpm_resolve::{UpdateScope, with_names_of};

use crate::install::request::LockUse;
use crate::install::run::Run;
use crate::layers::{fold_all, snapshots};
use crate::packages::Sources;
use crate::world::World;

/// What the layers give.
#[derive(Default)]
pub(super) struct Layered {
    /// By path.
    pub(super) files: Vec<LayeredFile>,
    pub(super) locked: Vec<LockedLayer>,
    pub(super) watching: Watching,
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
    let mut pinning = Pinning::of(manifest, Some(&lock), &job.moving);
    if job.request.lock == LockUse::Frozen {
        pinning = pinning.used_as(LayerLock::Alone);
        layers_as_locked(manifest, &lock, |name| sources.versioned(name).is_some())?;
    }
    let snapshots = snapshots(world, manifest, sources, &pinning, notes)?;
    if matches!(job.request.lock, LockUse::Frozen | LockUse::Locked) {
        refuse_missing(manifest, &snapshots, &lock)?;
    }
    let locked = locked_layers(manifest, &snapshots, &lock);
    let watching = Watching::of(&snapshots);
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

/// The files that the layers gave when they were locked; fails if they cannot be had any more.
pub(super) fn as_locked(
    world: &World,
    manifest: &Manifest,
    sources: &Sources,
    lock: &Lockfile,
) -> Result<Vec<LayeredFile>, Failure> {
    let pinning = Pinning::of(manifest, Some(lock), &UpdateScope::Nothing);
    let pinning = pinning.used_as(LayerLock::AsItWas);
    // What is wrong with the old state is nothing that this run could fix.
    let mut quiet = Notes::default();
    let snapshots = snapshots(world, manifest, sources, &pinning, &mut quiet)?;
    fold_all(world, manifest, snapshots, &mut quiet)
}
