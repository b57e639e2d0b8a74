//! Collects the contributions to one file: from every layer, the disk and the ledger.

use std::path::{Path, PathBuf};

use crate::explain::{ManagedFile, file_paths, outside_project, unknown_file};
use agpm_diag::{Failure, Notes, nearest};
use agpm_layers::{LayerPinning, LayerSnapshot, contributions};
use agpm_merge::LayerFile;
use agpm_model::{LayerName, RelativePath};
use agpm_plan::read_shared_file;
use agpm_resolve::UpdateScope;
use agpm_store::{self as store, ProjectStore, StoreError, StoreProblem};

use crate::explain::project::ExplainedProject;
use crate::project::gather::{Project, layer_file};
use crate::project::layers::snapshots;
use crate::project::ledger::read_ledger;
use crate::project::merge_inputs::ReadFiles;
use crate::project::packages::ProjectSources;
use crate::project::reading::{display_path, limit};
use crate::project::scope::state_of;
use crate::project::world::{Environment, InstallScope, OutsideReads};

/// The contributions to one file.
pub(super) struct FileContributions {
    /// The path that selects the strategy.
    pub path: PathBuf,
    /// The files of the layers, lowest rank first.
    pub files: Vec<LayerFile>,
    /// The managed keys in the file, if it has any.
    pub managed: Option<ManagedFile>,
    /// The current content on disk.
    pub now: Option<Vec<u8>>,
}

/// Collects the file from every layer of the project; without layers, reads the file itself.
pub(super) fn contributions_of_project(
    explained: &ExplainedProject<'_>,
    project: &Project,
    file: &str,
    notes: &mut Notes,
) -> Result<FileContributions, Failure> {
    match &project.root {
        Some(root) if !project.manifest.layers.is_empty() => {
            contributions_of_layers(explained, project, root, file, notes)
        }
        root => without_layers(&explained.world.environment, root.as_deref(), file, notes),
    }
}

fn without_layers(
    environment: &Environment,
    root: Option<&Path>,
    file: &str,
    notes: &mut Notes,
) -> Result<FileContributions, Failure> {
    if let Some(root) = root {
        let store = ProjectStore::open_at(root, state_of(environment.scope))?;
        for path in file_paths(root, &environment.working_directory, file).unwrap_or_default() {
            // Without layers, everything that is not managed belongs to the user.
            if let Some(managed) = managed_file(&store, &path, notes)? {
                return Ok(FileContributions {
                    path: root.join(path.as_str()),
                    files: Vec::new(),
                    managed: Some(managed),
                    now: None,
                });
            }
        }
    }
    let root = root.filter(|_| environment.scope == InstallScope::User);
    let base = root.unwrap_or(&environment.working_directory);
    let path = base.join(file);
    let name = LayerName::new(file).map_err(|_| unknown_file(file, None))?;
    let is_inside = store::real_path(&path).starts_with(store::real_path(base));
    if environment.outside == OutsideReads::Refused && !is_inside {
        return Err(outside_project(file));
    }
    let bytes = match store::read_regular(&path, limit()) {
        Err(StoreError {
            problem: StoreProblem::NotFound,
            ..
        }) => return Err(unknown_file(file, None)),
        other => other.map_err(|error| error.seen_from(&environment.working_directory))?,
    };
    Ok(FileContributions {
        path: PathBuf::from(file),
        files: vec![layer_file(
            name,
            &display_path(environment, &path),
            bytes,
            notes,
        )],
        managed: None,
        now: None,
    })
}

fn contributions_of_layers(
    explained: &ExplainedProject<'_>,
    project: &Project,
    root: &Path,
    file: &str,
    notes: &mut Notes,
) -> Result<FileContributions, Failure> {
    let world = explained.world;
    let environment = &world.environment;
    let paths = file_paths(root, &environment.working_directory, file)?;
    let store = ProjectStore::open_at(root, state_of(environment.scope))?;
    let lock = explained.lock(notes)?;
    let sources = ProjectSources::open_used(world, &project.manifest, store.path());
    let pinning = LayerPinning::of(&project.manifest, lock, &UpdateScope::Nothing);
    let snapshots = snapshots(world, &project.manifest, &sources, &pinning, notes)?;
    for path in paths {
        let managed = managed_file(&store, &path, notes)?;
        if managed.is_none() && !is_in_layers(&snapshots, &path) {
            continue;
        }
        let read = ReadFiles {
            files: contributions(snapshots, &path),
            failure: None,
        };
        return Ok(FileContributions {
            files: read.parse(notes)?,
            now: store.read(&path, limit()).ok(),
            path: root.join(path.as_str()),
            managed,
        });
    }
    let files = snapshots.iter().flat_map(|snapshot| &snapshot.files);
    let near = nearest(file, files.map(|file| file.path.as_str()));
    Err(unknown_file(file, near))
}

fn is_in_layers(snapshots: &[LayerSnapshot<'_>], path: &RelativePath) -> bool {
    let mut files = snapshots.iter().flat_map(|snapshot| &snapshot.files);
    files.any(|file| file.path == *path)
}

/// Reads a file in which the ledger has keys; `None` if it has none or the file is unreadable.
fn managed_file(
    store: &ProjectStore,
    path: &RelativePath,
    notes: &mut Notes,
) -> Result<Option<ManagedFile>, Failure> {
    let Some(owned) = read_ledger(store)?.shared.remove(path) else {
        return Ok(None);
    };
    let Ok(bytes) = store.read(path, limit()) else {
        return Ok(None);
    };
    let document = read_shared_file(path, bytes, notes)?;
    Ok(Some(ManagedFile { document, owned }))
}
