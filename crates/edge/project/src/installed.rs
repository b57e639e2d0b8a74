//! One installed resource: its file, by what the lockfile says of it.

use agpm_diag::{Failure, Notes, Outcome};
use agpm_inspect::{InstalledIndex, installed_path};
use agpm_model::{RelativePath, ResourceType};
use agpm_resolve::LockedResource;
use agpm_store::ProjectStore;

use crate::locked::lock_view;
use crate::scope::state_of;
use crate::world::{InstallScope, World};

/// The installed resources of a project, as of its manifest and lockfile when they were read.
#[derive(Debug)]
pub struct InstalledResources {
    index: InstalledIndex,
    scope: InstallScope,
}

/// Which resource.
#[derive(Clone, Debug)]
pub struct InstalledRequest {
    /// Its type.
    pub kind: ResourceType,
    /// Its name.
    pub name: String,
    /// The largest file that is read.
    pub limit: u64,
}

/// An installed resource.
#[derive(Debug)]
pub struct InstalledReport {
    /// The record in the lockfile.
    pub entry: LockedResource,
    /// Its file; nothing for entries of files that others write too.
    pub file: Option<InstalledFile>,
}

/// A file as it is on the disk.
#[derive(Debug)]
pub struct InstalledFile {
    /// From the directory of the project.
    pub path: RelativePath,
    /// The content.
    pub bytes: Vec<u8>,
}

/// Reads manifest and lockfile, for everyone who reads resources until they change.
pub fn open_installed(world: &World) -> Outcome<InstalledResources> {
    let mut notes = Notes::default();
    let view = lock_view(world, &mut notes);
    let result = view.map(|view| InstalledResources {
        index: InstalledIndex::of(view),
        scope: world.environment.scope,
    });
    notes.outcome(result)
}

impl InstalledResources {
    /// Reads a resource.
    pub fn read(&self, request: &InstalledRequest) -> Outcome<InstalledReport> {
        Notes::default().outcome(self.read_one(request))
    }

    fn read_one(&self, request: &InstalledRequest) -> Result<InstalledReport, Failure> {
        let entry = self.index.find(request.kind, &request.name)?;
        let file = match installed_path(entry)? {
            Some(path) => {
                let store = ProjectStore::open_at(&self.index.view.folder, state_of(self.scope))?;
                let bytes = store
                    .read(&path, request.limit)
                    .map_err(|error| error.seen_from(store.path()))?;
                Some(InstalledFile { path, bytes })
            }
            None => None,
        };
        Ok(InstalledReport {
            entry: LockedResource::of(entry),
            file,
        })
    }
}
