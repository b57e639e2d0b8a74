//! Finds the paths outside of the project that a manifest reads, and refuses locations of credentials.

use std::path::Path;

use crate::manifest::{LoadedBase, written_paths};
use agpm_diag::{Failure, visible};
use agpm_model::normalize;
use agpm_source::AllowedDirectory;
use agpm_store as store;

use crate::project::gather::Project;
use crate::project::reading::local_path;
use crate::project::world::{Environment, InstallScope};

/// Returns the paths in a manifest that lead out of its directory, without duplicates and as written; fails for a
/// location of credentials.
pub(crate) fn reads_outside(
    environment: &Environment,
    project: &Project,
    directory: &Path,
) -> Result<Vec<String>, Failure> {
    let bounds = AllowedDirectory::of(directory);
    let mut found = Vec::new();
    let bases = project.bases.iter().filter_map(LoadedBase::local_path);
    let paths = written_paths(&project.manifest).into_iter().chain(bases);
    for written in paths {
        let path = normalize(&local_path(&written, directory, environment));
        bounds
            .guard(&path)
            .map_err(|error| error.seen_from(directory))?;
        let real = store::real_path(&path);
        // A user manifest is expected to read paths all over home, so they are not listed.
        if environment.scope == InstallScope::Project && bounds.is_outside(&real) {
            let is_link = !bounds.is_outside(&path);
            let display = if is_link {
                format!("{written} -> {}", real.display())
            } else {
                written
            };
            found.push(visible(&display));
        }
    }
    found.sort();
    found.dedup();
    Ok(found)
}
