//! The state that the lockfile describes, made from its sources.

use agpm_diag::{Failure, Notes};
use agpm_install::desired_state;
use agpm_model::{Lockfile, Manifest, ResourceExtent};
use agpm_plan::{DesiredState, Ledger};
use agpm_store::ProjectStore;

use crate::install::layered::as_locked;
use agpm_compose::RenderedResource;
use agpm_layers::LayeredFile;
use agpm_project::packages::{Sources, frozen, render_these};
use agpm_project::world::World;

/// Everything that is on the disk if it is as the lockfile says.
pub(crate) struct LockedState {
    pub(crate) resources: Vec<RenderedResource>,
    pub(crate) layers: Vec<LayeredFile>,
    /// Why the layers cannot be had as they were locked; then they are left out.
    pub(crate) layer_failure: Option<Failure>,
}

/// The resources of a lockfile, rendered.
pub(super) fn resources_as_locked(
    world: &World,
    manifest: &Manifest,
    lock: &Lockfile,
    store: &ProjectStore,
) -> Result<Vec<RenderedResource>, Failure> {
    let sources = Sources::open_all(world, manifest, store.path());
    // What is wrong with the old state is nothing that this run could fix.
    let quiet = &mut Notes::default();
    let entries = frozen::as_locked(world, manifest, &sources, lock, quiet)?;
    Ok(render_these(manifest, &sources, entries, quiet)?.resources)
}

impl LockedState {
    pub(crate) fn read(
        world: &World,
        manifest: &Manifest,
        lock: &Lockfile,
        store: &ProjectStore,
    ) -> Result<Self, Failure> {
        let sources = Sources::open_all(world, manifest, store.path());
        let resources = resources_as_locked(world, manifest, lock, store)?;
        let (layers, layer_failure) = match as_locked(world, manifest, &sources, lock) {
            Ok(layers) => (layers, None),
            Err(failure) => (Vec::new(), Some(failure)),
        };
        Ok(LockedState {
            resources,
            layers,
            layer_failure,
        })
    }

    /// The state as a plan compares it.
    pub(crate) fn desired(&self, store: &ProjectStore) -> Result<DesiredState<'_>, Failure> {
        desired_state(store.path(), &self.resources, &self.layers)
    }

    /// Modes are not locked: a file whose bytes were taken from the disk has the one that the last install gave it.
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
