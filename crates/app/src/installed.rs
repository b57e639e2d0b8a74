//! Reads the file of one installed resource, by its entry in the lockfile.

use crate::project::installed_index::{InstalledIndex, installed_path};
use agpm_diag::{Failure, Notes, Outcome};
use agpm_model::{RelativePath, ResourceType};
use agpm_resolve::LockedResource;
use agpm_store::ProjectStore;

use crate::project::locked::lock_view;
use crate::project::scope::state_of;
use crate::project::world::{InstallScope, World};

/// The installed resources of a project, when manifest and lockfile were read.
#[derive(Debug)]
pub struct InstalledResources {
    index: InstalledIndex,
    scope: InstallScope,
}

/// Selects a resource.
#[derive(Clone, Debug)]
pub struct InstalledRequest {
    /// The type of the resource.
    pub kind: ResourceType,
    /// The name in the lockfile.
    pub name: String,
    /// The maximum size of the file.
    pub limit: u64,
}

/// An installed resource.
#[derive(Debug)]
pub struct InstalledReport {
    /// The entry of the lockfile.
    pub entry: LockedResource,
    /// The file; `None` for entries in shared files.
    pub file: Option<InstalledFile>,
}

/// A file on disk.
#[derive(Debug)]
pub struct InstalledFile {
    /// The path relative to the project.
    pub path: RelativePath,
    /// The content of the file.
    pub bytes: Vec<u8>,
}

/// Reads manifest and lockfile once, for clients that read several resources.
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
                let store = ProjectStore::open_at(
                    &self.index.view.project_directory,
                    state_of(self.scope),
                )?;
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
