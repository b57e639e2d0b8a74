//! What the layers give to an install.

use std::collections::BTreeMap;

use agpm_compose::{JudgedFile, capability_set_of_layer};
use agpm_diag::{Failure, Notes};
use agpm_install::LockUse;
use agpm_layers::{
    LayerLock, LayerPinning, LayerSnapshot, LayeredFile, WatchMode, layers_as_locked,
    locked_layers, refuse_missing,
};
use agpm_model::{LayerName, LockedLayer, Lockfile, Manifest, Owner};
use agpm_resolve::{UpdateScope, with_names_of};
use agpm_trust::CapabilitySet;

use crate::install::run::Run;
use agpm_project::layers::{fold_all, snapshots};
use agpm_project::packages::Sources;
use agpm_project::world::World;

/// What the layers give.
#[derive(Default)]
pub(super) struct Layered {
    /// By path.
    pub(super) files: Vec<LayeredFile>,
    pub(super) locked: Vec<LockedLayer>,
    /// What each layer lets tools do.
    pub(super) capabilities: LayerCapabilities,
    pub(super) watching: WatchMode,
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
    let mut pinning = LayerPinning::of(manifest, Some(&lock), &job.moving);
    if job.request.lock == LockUse::Frozen {
        pinning = pinning.used_as(LayerLock::Alone);
        layers_as_locked(manifest, &lock, |name| sources.versioned(name).is_some())?;
    }
    let snapshots = snapshots(world, manifest, sources, &pinning, notes)?;
    if matches!(job.request.lock, LockUse::Frozen | LockUse::Locked) {
        refuse_missing(manifest, &snapshots, &lock)?;
    }
    let capabilities = layer_capabilities(manifest, &snapshots);
    let mut locked = locked_layers(manifest, &snapshots, &lock);
    for layer in &mut locked {
        if let Some(set) = capabilities.get(&layer.name) {
            layer.capabilities = set.locked_digest();
        }
    }
    let watching = WatchMode::of(&snapshots);
    let files = fold_all(world, manifest, snapshots, notes)?;
    // Nobody tells when a program changes.
    let driven = files.iter().any(|file| file.driven);
    Ok(Layered {
        locked,
        capabilities,
        watching: if driven {
            WatchMode::Unsettled
        } else {
            watching
        },
        files,
    })
}

/// What layers let tools do, by layer.
pub(super) type LayerCapabilities = BTreeMap<LayerName, CapabilitySet>;

fn layer_capabilities(manifest: &Manifest, snapshots: &[LayerSnapshot<'_>]) -> LayerCapabilities {
    let of_snapshot = |snapshot: &LayerSnapshot<'_>| {
        let owner = Owner::layer(&snapshot.layer.name);
        let files = snapshot.files.iter().map(|file| JudgedFile {
            path: &file.path,
            bytes: &file.bytes,
            mode: file.mode,
            owner: &owner,
            nodes: &[],
        });
        let set = capability_set_of_layer(manifest, files);
        (snapshot.layer.name.clone(), set)
    };
    snapshots.iter().map(of_snapshot).collect()
}

/// The layers as they were when they were locked; fails if they cannot be had any more.
fn snapshots_as_locked<'m>(
    world: &World,
    manifest: &'m Manifest,
    sources: &Sources,
    lock: &Lockfile,
) -> Result<Vec<LayerSnapshot<'m>>, Failure> {
    let pinning = LayerPinning::of(manifest, Some(lock), &UpdateScope::Nothing);
    let pinning = pinning.used_as(LayerLock::AsItWas);
    // What is wrong with the old state is nothing that this run could fix.
    snapshots(world, manifest, sources, &pinning, &mut Notes::default())
}

/// The files that the layers gave when they were locked.
pub(super) fn as_locked(
    world: &World,
    manifest: &Manifest,
    sources: &Sources,
    lock: &Lockfile,
) -> Result<Vec<LayeredFile>, Failure> {
    let snapshots = snapshots_as_locked(world, manifest, sources, lock)?;
    fold_all(world, manifest, snapshots, &mut Notes::default())
}

/// What the layers let tools do when they were locked.
pub(super) fn capabilities_as_locked(
    world: &World,
    manifest: &Manifest,
    sources: &Sources,
    lock: &Lockfile,
) -> Result<LayerCapabilities, Failure> {
    let snapshots = snapshots_as_locked(world, manifest, sources, lock)?;
    Ok(layer_capabilities(manifest, &snapshots))
}
