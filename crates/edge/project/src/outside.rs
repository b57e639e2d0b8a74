//! Reads of a manifest outside of its project: shown, and refused where credentials are kept.

use std::path::Path;

use agpm_diag::{Failure, visible};
use agpm_manifest::{LoadedBase, written_paths};
use agpm_model::normalize;
use agpm_source::AllowedDirectory;
use agpm_store as store;

use crate::gather::Project;
use crate::reading::local_path;
use crate::world::{Environment, InstallScope};

/// The paths of a manifest that lead out of its directory, each once, as they are written; a location for credentials is refused.
pub fn reads_outside(
    environment: &Environment,
    project: &Project,
    folder: &Path,
) -> Result<Vec<String>, Failure> {
    let bounds = AllowedDirectory::of(folder);
    let mut found = Vec::new();
    let bases = project.bases.iter().filter_map(LoadedBase::local_file);
    let paths = written_paths(&project.manifest).into_iter().chain(bases);
    for written in paths {
        let path = normalize(&local_path(&written, folder, environment));
        bounds
            .guard(&path)
            .map_err(|error| error.seen_from(folder))?;
        let real = store::real_path(&path);
        // A manifest of the user's own is written to read things all over home.
        if environment.scope == InstallScope::Project && bounds.is_outside(&real) {
            let is_link = !bounds.is_outside(&path);
            let shown = if is_link {
                format!("{written} -> {}", real.display())
            } else {
                written
            };
            found.push(visible(&shown));
        }
    }
    found.sort();
    found.dedup();
    Ok(found)
}
