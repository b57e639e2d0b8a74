//! What the project knows of a file: what its layers say, and what is on the disk.

use std::path::{Path, PathBuf};

use agpm_diag::{Diagnostic, Failure, FailureKind, Notes, codes, nearest};
use agpm_layers::{LayerPinning, LayerSnapshot, contributions};
use agpm_merge::LayerFile;
use agpm_model::{LayerName, PathError, RelativePath};
use agpm_resolve::UpdateScope;
use agpm_store::{self as store, ProjectStore, StoreError, StoreProblem};

use crate::explain::installed::Installed;
use crate::gather::{Project, layer_file, unknown_name};
use crate::layers::snapshots;
use crate::merge::ReadFiles;
use crate::packages::{Sources, read_lock};
use crate::reading::{limit, shown};
use crate::scope::state_of;
use crate::world::{Environment, InstallScope, OutsideReads, World};
use agpm_model::normalize;

/// What the project knows of a file.
pub(super) struct FromProject {
    /// As the strategy is chosen by.
    pub(super) named: PathBuf,
    /// Lowest first.
    pub(super) files: Vec<LayerFile>,
    pub(super) installed: Option<Installed>,
    /// What is on the disk.
    pub(super) now: Option<Vec<u8>>,
}

pub(super) fn not_in_layers(file: &str, near: Option<&str>) -> Failure {
    let help = match near {
        Some(near) => format!("did you mean `{near}`?"),
        None => "no layer of the project has it; the path is from the manifest's folder".to_owned(),
    };
    unknown_name("file", file, Some(help))
}

/// The file in every layer of the project; without layers, the file itself.
pub(super) fn from_project(
    world: &World,
    project: &Project,
    file: &str,
    notes: &mut Notes,
) -> Result<FromProject, Failure> {
    match &project.root {
        Some(root) if !project.manifest.layers.is_empty() => {
            layered(world, project, root, file, notes)
        }
        root => alone(&world.environment, root.as_deref(), file, notes),
    }
}

fn alone(
    environment: &Environment,
    root: Option<&Path>,
    file: &str,
    notes: &mut Notes,
) -> Result<FromProject, Failure> {
    if let Some(root) = root {
        let store = ProjectStore::open_at(root, state_of(environment.scope))?;
        for path in paths_of(environment, root, file).unwrap_or_default() {
            // What is not ours in it is the user's: no layer says anything.
            if let Some(installed) = Installed::find(&store, &path, notes)? {
                let named = root.join(path.as_str());
                return Ok(FromProject {
                    named,
                    files: Vec::new(),
                    installed: Some(installed),
                    now: None,
                });
            }
        }
    }
    let root = root.filter(|_| environment.scope == InstallScope::User);
    let path = root.unwrap_or(&environment.folder).join(file);
    let name = LayerName::new(file).map_err(|_| not_in_layers(file, None))?;
    let inside = store::real_path(root.unwrap_or(&environment.folder));
    if environment.outside == OutsideReads::Refused && !store::real_path(&path).starts_with(inside)
    {
        return Err(not_in_project(file));
    }
    let bytes = match store::read(&path, limit()) {
        Err(StoreError {
            problem: StoreProblem::NotFound,
            ..
        }) => return Err(not_in_layers(file, None)),
        other => other.map_err(|error| error.seen_from(&environment.folder))?,
    };
    let files = vec![layer_file(name, &shown(environment, &path), bytes, notes)];
    Ok(FromProject {
        named: PathBuf::from(file),
        files,
        installed: None,
        now: None,
    })
}

fn layered(
    world: &World,
    project: &Project,
    root: &Path,
    file: &str,
    notes: &mut Notes,
) -> Result<FromProject, Failure> {
    let environment = &world.environment;
    let paths = paths_of(environment, root, file)?;
    let store = ProjectStore::open_at(root, state_of(environment.scope))?;
    let lock = read_lock(environment, &store, notes)?.map(|(lock, _)| lock);
    let sources = Sources::open(world, &project.manifest, store.path());
    let pinning = LayerPinning::of(&project.manifest, lock.as_ref(), &UpdateScope::Nothing);
    let snapshots = snapshots(world, &project.manifest, &sources, &pinning, notes)?;
    for path in paths {
        let installed = Installed::find(&store, &path, notes)?;
        let has_file = |one: &LayerSnapshot<'_>| one.files.iter().any(|file| file.path == path);
        if installed.is_some() || snapshots.iter().any(has_file) {
            let files = ReadFiles {
                files: contributions(snapshots, &path),
                failure: None,
            }
            .parse(notes)?;
            let now = store.read(&path, limit()).ok();
            return Ok(FromProject {
                named: root.join(path.as_str()),
                files,
                installed,
                now,
            });
        }
    }
    let known = snapshots
        .iter()
        .flat_map(|one| &one.files)
        .map(|file| file.path.as_str());
    Err(not_in_layers(file, nearest(file, known)))
}

fn not_in_project(file: &str) -> Failure {
    let message = format!("`{file}` is not in the project");
    let diagnostic = Diagnostic::new(&codes::IO_UNREADABLE, message);
    let help = "name the file by its path from the manifest's folder";
    Failure::new(FailureKind::Refused, diagnostic.help(help))
}

/// A path is from the manifest's folder; where one works in a folder below, it may also be from there.
pub(super) fn paths_of(
    environment: &Environment,
    root: &Path,
    file: &str,
) -> Result<Vec<RelativePath>, Failure> {
    let from_manifest = RelativePath::new(file);
    let here = normalize(&environment.resolve(Path::new(file)));
    let from_here = here.strip_prefix(root).map_err(|_| PathError::Escapes);
    let from_here =
        from_here.and_then(|inner| RelativePath::new(&inner.to_string_lossy().replace('\\', "/")));
    if from_manifest.is_err() && from_here.is_err() {
        return Err(not_in_project(file));
    }
    Ok([from_manifest, from_here].into_iter().flatten().collect())
}
