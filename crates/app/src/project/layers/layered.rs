//! Reads, merges and pins the layers of an install.

use std::collections::BTreeMap;

use agpm_compose::{JudgedFile, capability_set_of_layer};
use agpm_diag::{Failure, Notes};
use agpm_layers::{
    LayerLock, LayerPinning, LayerSnapshot, LayeredFile, WatchMode, layers_as_locked,
    locked_layers, refuse_missing,
};
use agpm_model::LockUse;
use agpm_model::with_names_of;
use agpm_model::{LayerName, LockedCapabilitySet, LockedLayer, Lockfile, Manifest, Owner};
use agpm_resolve::UpdateScope;
use agpm_trust::CapabilitySet;

use crate::project::layers::folding::fold_all;
use crate::project::layers::snapshot::snapshots;
use crate::project::packages::ProjectSources;
use crate::project::pinning::PinningContext;
use crate::project::world::World;

/// The result of reading the layers of a project.
#[derive(Default)]
pub(crate) struct LayeredProject {
    /// The merged files, sorted by path.
    pub files: Vec<LayeredFile>,
    /// The pins of the lockfile.
    pub locked: Vec<LockedLayer>,
    /// The capabilities of each layer.
    pub capabilities: LayerCapabilities,
    /// Whether a later run can rely on unchanged directories.
    pub watching: WatchMode,
}

impl PinningContext<'_> {
    /// Reads and merges all layers.
    pub(crate) fn read_layers(
        &self,
        lock: Option<&Lockfile>,
        notes: &mut Notes,
    ) -> Result<LayeredProject, Failure> {
        let PinningContext {
            world,
            manifest,
            sources,
            lock_use,
            moving,
        } = *self;
        if manifest.layers.is_empty() && lock.is_none_or(|lock| lock.layers.is_empty()) {
            return Ok(LayeredProject::default());
        }
        let lock = lock
            .map(|lock| with_names_of(manifest, lock))
            .unwrap_or_default();
        let mut pinning = LayerPinning::of(manifest, Some(&lock), moving);
        if lock_use == LockUse::Frozen {
            pinning = pinning.used_as(LayerLock::Alone);
            layers_as_locked(manifest, &lock, |name| {
                sources.versioned_source(name).is_some()
            })?;
        }
        let snapshots = snapshots(world, manifest, sources, &pinning, notes)?;
        if matches!(lock_use, LockUse::Frozen | LockUse::Locked) {
            refuse_missing(manifest, &snapshots, &lock)?;
        }
        // The capabilities are those of the layer's own files. Those of the merged result would make the
        // lockfile depend on the personal layers of one user (ADR 19).
        let capabilities = layer_capabilities(manifest, &snapshots);
        let mut locked = locked_layers(manifest, &snapshots, &lock);
        for layer in &mut locked {
            if let Some(set) = capabilities.get(&layer.name) {
                layer.capabilities = LockedCapabilitySet::of(set.to_locked());
            }
        }
        let watching = WatchMode::of(&snapshots);
        let files = fold_all(world, manifest, snapshots, notes)?;
        // A changed merge executable cannot be detected, so the next run must merge again.
        let driven = files.iter().any(|file| file.driven);
        Ok(LayeredProject {
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
}

/// The capabilities of each layer.
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

/// Reads the layers at their locked versions; fails if those are no longer available.
fn snapshots_as_locked<'m>(
    world: &World,
    manifest: &'m Manifest,
    sources: &ProjectSources,
    lock: &Lockfile,
) -> Result<Vec<LayerSnapshot<'m>>, Failure> {
    let pinning = LayerPinning::of(manifest, Some(lock), &UpdateScope::Nothing);
    let pinning = pinning.used_as(LayerLock::AsItWas);
    // Findings about the old state are dropped, because this run cannot fix them.
    snapshots(world, manifest, sources, &pinning, &mut Notes::default())
}

/// Returns the merged files of the locked layers.
pub(crate) fn layers_of_lock(
    world: &World,
    manifest: &Manifest,
    sources: &ProjectSources,
    lock: &Lockfile,
) -> Result<Vec<LayeredFile>, Failure> {
    let snapshots = snapshots_as_locked(world, manifest, sources, lock)?;
    fold_all(world, manifest, snapshots, &mut Notes::default())
}

/// Returns the capabilities of the locked layers.
pub(crate) fn layer_capabilities_of_lock(
    world: &World,
    manifest: &Manifest,
    sources: &ProjectSources,
    lock: &Lockfile,
) -> Result<LayerCapabilities, Failure> {
    let snapshots = snapshots_as_locked(world, manifest, sources, lock)?;
    Ok(layer_capabilities(manifest, &snapshots))
}
