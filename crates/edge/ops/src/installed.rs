//! One installed resource: its file, by what the lockfile says of it.

use std::collections::{BTreeSet, HashMap};

use agpm_diag::{Diagnostic, Failure, Notes, Outcome, codes, did_you_mean};
use agpm_model::{LockEntry, RelativePath, ResourceExtent, ResourceType, SKILL_FILE};
use agpm_resolve::LockedResource;
use agpm_store::ProjectStore;

use crate::gather::unknown_name;
use crate::locked::{LockView, lock_view};
use crate::scope::state_of;
use crate::world::{InstallScope, World};

/// What is installed in a project, as of its manifest and lockfile when they were read.
#[derive(Debug)]
pub struct InstalledResources {
    view: LockView,
    scope: InstallScope,
    /// Where each entry is, by type and name.
    places: HashMap<(ResourceType, String), usize>,
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
    /// What the lockfile has of it.
    pub entry: LockedResource,
    /// Its file; nothing for entries of files that others write too.
    pub file: Option<InstalledFile>,
}

/// A file as it is on the disk.
#[derive(Debug)]
pub struct InstalledFile {
    /// From the folder of the project.
    pub path: RelativePath,
    /// What it holds.
    pub bytes: Vec<u8>,
}

/// Reads manifest and lockfile, for everyone who reads resources until they change.
pub fn open_installed(world: &World) -> Outcome<InstalledResources> {
    let mut notes = Notes::default();
    let view = lock_view(world, &mut notes);
    let result = view.map(|view| InstalledResources::of(view, world.environment.scope));
    notes.outcome(result)
}

impl InstalledResources {
    fn of(view: LockView, scope: InstallScope) -> Self {
        let mut places = HashMap::new();
        for (at, entry) in view.entries.iter().enumerate() {
            places
                .entry((entry.kind, entry.name.to_string()))
                .or_insert(at);
        }
        InstalledResources {
            view,
            scope,
            places,
        }
    }

    /// Reads a resource.
    pub fn read(&self, request: &InstalledRequest) -> Outcome<InstalledReport> {
        Notes::default().outcome(self.read_one(request))
    }

    fn read_one(&self, request: &InstalledRequest) -> Result<InstalledReport, Failure> {
        let locked = self.entry(request)?;
        let file = match path_of(locked)? {
            Some(path) => {
                let store = ProjectStore::open_at(&self.view.folder, state_of(self.scope))?;
                let bytes = store
                    .read(&path, request.limit)
                    .map_err(|error| error.seen_from(store.path()))?;
                Some(InstalledFile { path, bytes })
            }
            None => None,
        };
        Ok(InstalledReport {
            entry: LockedResource::of(locked),
            file,
        })
    }

    fn entry(&self, request: &InstalledRequest) -> Result<&LockEntry, Failure> {
        let entries = &self.view.entries;
        if let Some(at) = self.places.get(&(request.kind, request.name.clone())) {
            return Ok(&entries[*at]);
        }
        // It may be called as the manifest calls it.
        let label = format!("{}/{}", request.kind, request.name);
        let found = self
            .view
            .find(&label)
            .ok()
            .and_then(|found| found.first().copied());
        found
            .map(|at| &entries[at])
            .ok_or_else(|| self.unknown(request.kind, &label))
    }

    /// Names of another type would lead astray.
    fn unknown(&self, kind: ResourceType, label: &str) -> Failure {
        let of_kind = self.view.entries.iter().filter(|entry| entry.kind == kind);
        let known: BTreeSet<String> = of_kind.map(LockEntry::label).collect();
        let near = did_you_mean(
            label,
            "installed resources are",
            known.iter().map(String::as_str),
        );
        let none = || format!("no {kind} are installed; `agpm list` shows what is");
        unknown_name("resource", label, Some(near.unwrap_or_else(none)))
    }
}

/// The file that is the resource's own.
fn path_of(locked: &LockEntry) -> Result<Option<RelativePath>, Failure> {
    if locked.kind.is_merged() {
        return Ok(None);
    }
    // The copies for several tools are of one resource; the first stands for all.
    let paths = locked.paths();
    let place = paths.first().ok_or_else(|| not_written(locked))?;
    let inner = match locked.kind.extent() {
        ResourceExtent::File => Some((*place).clone()),
        ResourceExtent::Folder => RelativePath::new(&format!("{place}/{SKILL_FILE}")).ok(),
        // A plugin is no text; its parts are resources of their own.
        ResourceExtent::Plugin => None,
    };
    Ok(inner)
}

fn not_written(locked: &LockEntry) -> Failure {
    let message = format!(
        "`{}` is resolved for others and not written",
        locked.label()
    );
    Diagnostic::new(&codes::IO_NOT_FOUND, message)
        .help("`agpm tree` shows who needs it")
        .into()
}
