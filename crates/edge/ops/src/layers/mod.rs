//! Layers: places that contribute files, brought together file by file.

mod folding;
mod reading;
mod snapshot;
mod version;

use agpm_diag::{Failure, Notes, Outcome};
use agpm_layers::{LayerPinning, LayersReport, rows};
use agpm_resolve::UpdateScope;

use crate::approve::note_unapproved;
use crate::gather::{ManifestFiles, Project};
use crate::packages::{Sources, read_lock};
use crate::world::World;

pub(crate) use folding::fold_all;
pub(crate) use snapshot::{missing_folders, snapshots};
pub(crate) use version::VersionedLayer;

/// Lists the layers of a project.
pub fn layers(world: &World) -> Outcome<LayersReport> {
    let mut notes = Notes::default();
    let result = run(world, &mut notes);
    notes.outcome(result)
}

fn run(world: &World, notes: &mut Notes) -> Result<LayersReport, Failure> {
    let files = ManifestFiles::require(&world.environment)?;
    let store = files.store()?;
    let project = Project::of(world, files, notes)?;
    let lock = read_lock(&world.environment, &store, notes)?.map(|(lock, _)| lock);
    let manifest = &project.manifest;
    note_unapproved(&world.environment, manifest, notes);
    let sources = Sources::open(world, manifest, store.path());
    let pinning = LayerPinning::of(manifest, lock.as_ref(), &UpdateScope::Nothing);
    let snapshots = snapshots(world, manifest, &sources, &pinning, notes)?;
    Ok(rows(manifest, &snapshots))
}
