//! `layers`: lists the layers of a project in their order.

use agpm_diag::{Failure, Notes, Outcome};
use agpm_layers::{LayerPinning, LayersReport, rows};
use agpm_resolve::UpdateScope;

use crate::project::gather::{ManifestFiles, Project};
use crate::project::layers::snapshots;
use crate::project::packages::{ProjectSources, read_lock};
use crate::project::permits::note_unapproved;
use crate::project::world::World;

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
    let sources = ProjectSources::open_used(world, manifest, store.path());
    let pinning = LayerPinning::of(manifest, lock.as_ref(), &UpdateScope::Nothing);
    let snapshots = snapshots(world, manifest, &sources, &pinning, notes)?;
    Ok(rows(manifest, &snapshots))
}
