//! The lockfile of a project, for commands that only read it.

use agpm_diag::{Failure, Notes};
use agpm_model::{Locked, Lockfile, Origin};

use crate::gather::{ManifestFiles, Project};
use crate::packages::read_lock;
use crate::world::World;

pub(crate) use agpm_resolve::{
    LockView, WrittenId, lockfile_note as note, means, near_ids, no_lockfile, nothing_listed,
};
pub use agpm_resolve::{LockedResource, Placements, ResourceIdentity};

/// Reads manifest and lockfile; without a lockfile, the view is empty and a note reports it.
pub(crate) fn lock_view(world: &World, notes: &mut Notes) -> Result<LockView, Failure> {
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

/// The name of its source; nothing if it is local.
pub(crate) fn source(entry: &Locked) -> Option<&str> {
    match &entry.unit.origin {
        Origin::Source(name) => Some(name.as_str()),
        Origin::Local | Origin::Manifest => None,
    }
}
