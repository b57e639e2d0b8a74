//! One installed resource: its file, by what the lockfile says of it.

use agpm_diag::{Diagnostic, codes};
use agpm_model::{Extent, Locked, RelativePath, ResourceType, SKILL_FILE};
use agpm_text::Value;

use crate::failure::{Failure, Notes, Outcome};
use crate::gather::ManifestFiles;
use crate::list::entry_value;
use crate::locked::LockView;
use crate::world::World;

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
    pub entry: Value,
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

/// Reads an installed resource.
pub fn installed(world: &World, request: &InstalledRequest) -> Outcome<InstalledReport> {
    let mut notes = Notes::default();
    let result = run(world, request, &mut notes);
    notes.outcome(result)
}

fn run(world: &World, request: &InstalledRequest, notes: &mut Notes) -> Result<InstalledReport, Failure> {
    let view = LockView::load(&world.environment, notes)?;
    let label = format!("{}/{}", request.kind, request.name);
    let found = view.find(&label)?;
    let locked = &view.entries[found[0]];
    let file = match path_of(locked)? {
        Some(path) => {
            let store = ManifestFiles::require(&world.environment)?.store()?;
            let bytes = store.read(&path, request.limit).map_err(|error| error.seen_from(store.path()))?;
            Some(InstalledFile { path, bytes })
        }
        None => None,
    };
    Ok(InstalledReport { entry: entry_value(locked), file })
}

/// The file that is the resource's own.
fn path_of(locked: &Locked) -> Result<Option<RelativePath>, Failure> {
    if locked.kind.is_merged() {
        return Ok(None);
    }
    let place = locked.installed_at.clone().ok_or_else(|| not_written(locked))?;
    let inner = match locked.kind.extent() {
        Extent::File => Some(place),
        Extent::Folder => RelativePath::new(&format!("{place}/{SKILL_FILE}")).ok(),
    };
    Ok(inner)
}

fn not_written(locked: &Locked) -> Failure {
    let message = format!("`{}` is resolved for others and not written", locked.label());
    Diagnostic::new(&codes::IO_NOT_FOUND, message).help("`agpm tree` shows who needs it").into()
}
