//! Layers and the lockfile: where the two must agree, and what the next one holds.

use agpm_diag::Failure;
use agpm_model::outdated_lock;
use agpm_model::{Layer, LayerLocation, LayerName, LockedLayer, Lockfile, Manifest, SourceName};
use agpm_plan::WatchedDirectory;

use crate::snapshot::LayerSnapshot;

/// Fails where manifest and lockfile differ in their layers. Only sources with versions have pins.
pub fn layers_as_locked(
    manifest: &Manifest,
    lock: &Lockfile,
    is_versioned: impl Fn(&SourceName) -> bool,
) -> Result<(), Failure> {
    let is_asked = |locked: &&LockedLayer| {
        manifest
            .layers
            .iter()
            .any(|layer| layer.name == locked.name)
    };
    if let Some(gone) = lock.layers.iter().find(|locked| !is_asked(locked)) {
        return Err(outdated_lock(format!(
            "{} is no longer in the manifest",
            gone.name.label()
        )));
    }
    // Rank follows from the order, so a lockfile with another one gives other files from the same pins.
    let order = manifest
        .layers
        .iter()
        .filter(|layer| lock.layers.iter().any(|locked| locked.name == layer.name));
    if !order
        .map(|layer| &layer.name)
        .eq(lock.layers.iter().map(|locked| &locked.name))
    {
        return Err(outdated_lock("the order of the layers differs".to_owned()));
    }
    let differs = |layer: &&Layer| match &layer.location {
        LayerLocation::Source(source, requirement) if is_versioned(source) => {
            let locked = lock.layers.iter().find(|locked| locked.name == layer.name);
            let pin = locked.and_then(|locked| locked.pin.as_ref());
            !pin.is_some_and(|pin| {
                pin.source.name() == Some(source)
                    && pin.requirement.as_deref() == Some(requirement.as_str())
            })
        }
        _ => false,
    };
    match manifest.layers.iter().find(differs) {
        Some(layer) => Err(other_than_locked(layer)),
        None => Ok(()),
    }
}

pub(crate) fn other_than_locked(layer: &Layer) -> Failure {
    outdated_lock(format!(
        "the lockfile entry of {} does not match the manifest",
        layer.name.label()
    ))
}

/// The refusal of a locked layer that does not exist.
pub fn missing_layer(gone: &LockedLayer) -> Failure {
    let mut failure = outdated_lock(format!(
        "{} is locked, but its directory does not exist",
        gone.name.label()
    ));
    let help = "create the directory, or remove the layer from the manifest and run `agpm install`";
    failure.diagnostic = failure.diagnostic.map(|found| found.help(help));
    failure
}

/// If the lockfile must not change, all locked layers must exist.
pub fn refuse_missing(
    manifest: &Manifest,
    snapshots: &[LayerSnapshot<'_>],
    lock: &Lockfile,
) -> Result<(), Failure> {
    let is_asked = |name: &LayerName| manifest.layers.iter().any(|layer| layer.name == *name);
    let is_there = |name: &LayerName| {
        snapshots
            .iter()
            .any(|snapshot| snapshot.layer.name == *name)
    };
    let missing = |locked: &&LockedLayer| is_asked(&locked.name) && !is_there(&locked.name);
    match lock.layers.iter().find(missing) {
        Some(gone) => Err(missing_layer(gone)),
        None => Ok(()),
    }
}

/// The layers of the new lockfile. One that does not exist on this machine stays as it was locked.
pub fn locked_layers(
    manifest: &Manifest,
    snapshots: &[LayerSnapshot<'_>],
    lock: &Lockfile,
) -> Vec<LockedLayer> {
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
    // A personal layer exists on one machine only. Dropping its entry elsewhere would change the lockfile back and
    // forth.
    let of_layer = |name| now(name).map_or_else(|| before(name), LayerSnapshot::locked);
    manifest
        .layers
        .iter()
        .filter_map(|layer| of_layer(&layer.name))
        .collect()
}

/// How later runs detect changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WatchMode {
    /// By a look at these directories.
    Folders(Vec<WatchedDirectory>),
    /// Something changed just now: they have to read it all again.
    Unsettled,
}

impl Default for WatchMode {
    fn default() -> Self {
        WatchMode::Folders(Vec::new())
    }
}

impl WatchMode {
    /// How changes of these layers are detected.
    pub fn of(snapshots: &[LayerSnapshot<'_>]) -> Self {
        // Pinned layers cannot change without the lockfile, so only directories are watched.
        let directories = snapshots.iter().filter(|snapshot| snapshot.pin.is_none());
        let watched: Option<Vec<WatchedDirectory>> =
            directories.map(|one| one.watched.clone()).collect();
        watched.map_or(WatchMode::Unsettled, WatchMode::Folders)
    }
}
