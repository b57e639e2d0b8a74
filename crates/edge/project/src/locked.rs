//! Reads the lockfile for commands that only show something of it.

use agpm_diag::{Failure, Notes};
use agpm_model::Lockfile;
use agpm_resolve::no_lockfile;

use crate::gather::{ManifestFiles, Project};
use crate::packages::read_lock;
use crate::world::World;

pub use agpm_resolve::LockView;

/// Reads manifest and lockfile; without a lockfile that is reported, and the view is empty.
pub fn lock_view(world: &World, notes: &mut Notes) -> Result<LockView, Failure> {
    let environment = &world.environment;
    let files = ManifestFiles::require(environment)?;
    let store = files.store()?;
    let folder = files.root().to_owned();
    let manifest = Project::of(world, files, notes)?.manifest;
    let lock = match read_lock(environment, &store, notes)? {
        Some((lock, _)) => lock,
        None => {
            if !manifest.dependencies.is_empty() || !manifest.layers.is_empty() {
                notes.diagnostics.push(no_lockfile());
            }
            Lockfile::default()
        }
    };
    let view = LockView::of(lock, &manifest, folder);
    view.note_unlocked(&manifest, notes);
    Ok(view)
}
