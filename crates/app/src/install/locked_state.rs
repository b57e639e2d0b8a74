//! Renders the state that the lockfile describes.

use crate::install::desired_state;
use agpm_diag::{Failure, Notes};
use agpm_model::{Lockfile, Manifest, ResourceExtent};
use agpm_plan::{DesiredState, Ledger};
use agpm_store::ProjectStore;

use crate::project::layers::layers_of_lock;
use crate::project::packages::{ProjectSources, frozen, render_these};
use crate::project::world::World;
use agpm_compose::RenderedResource;
use agpm_layers::LayeredFile;

/// Everything that the lockfile requires on disk.
pub(crate) struct LockedState {
    /// The rendered resources of the lockfile.
    pub resources: Vec<RenderedResource>,
    /// The merged files of the locked layers.
    pub layers: Vec<LayeredFile>,
    /// The reason why the locked layers are not available; `layers` is then empty.
    pub layer_failure: Option<Failure>,
}

/// Renders the resources of a lockfile.
pub(super) fn resources_as_locked(
    world: &World,
    manifest: &Manifest,
    lock: &Lockfile,
    store: &ProjectStore,
) -> Result<Vec<RenderedResource>, Failure> {
    let sources = ProjectSources::open_all(world, manifest, store.path());
    // Findings about the old state are dropped, because this run cannot fix them.
    let quiet = &mut Notes::default();
    let entries = frozen::as_locked(manifest, &sources, lock, quiet)?;
    Ok(render_these(manifest, &sources, entries, quiet)?.resources)
}

impl LockedState {
    /// Renders the resources and layers of a lockfile.
    pub(crate) fn read(
        world: &World,
        manifest: &Manifest,
        lock: &Lockfile,
        store: &ProjectStore,
    ) -> Result<Self, Failure> {
        let sources = ProjectSources::open_all(world, manifest, store.path());
        let resources = resources_as_locked(world, manifest, lock, store)?;
        let (layers, layer_failure) = match layers_of_lock(world, manifest, &sources, lock) {
            Ok(layers) => (layers, None),
            Err(failure) => (Vec::new(), Some(failure)),
        };
        Ok(LockedState {
            resources,
            layers,
            layer_failure,
        })
    }

    /// Returns the state as a plan compares it.
    pub(crate) fn desired(&self, store: &ProjectStore) -> Result<DesiredState<'_>, Failure> {
        desired_state(store.path(), &self.resources, &self.layers)
    }

    /// Sets the modes of single files from the ledger, because the lockfile does not contain modes.
    pub(crate) fn expect_recorded_modes(&mut self, ledger: &Ledger) {
        for RenderedResource { resolved, output } in &mut self.resources {
            if resolved.version.commit.is_none()
                || resolved.entry.unit.extent != ResourceExtent::File
            {
                continue;
            }
            for file in &mut output.files {
                file.mode = ledger
                    .files
                    .get(&file.path)
                    .map_or(file.mode, |owned| owned.mode);
            }
        }
    }
}
