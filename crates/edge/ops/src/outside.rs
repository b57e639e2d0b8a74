//! What a manifest reads outside of its project: shown, and refused where credentials are kept.

use std::collections::BTreeSet;
use std::path::Path;

use agpm_diag::{Failure, visible};
use agpm_model::normalize;
use agpm_model::{AddressKind, LayerPlace, Manifest, ResourceOrigin, SourceName};
use agpm_source::AllowedDirectory;
use agpm_store as store;

use crate::bases::LoadedBase;
use crate::gather::Project;
use crate::reading::local_path;
use crate::world::{Environment, InstallScope};

/// The paths of a manifest that lead out of its folder, each once, as they are written; a place for credentials is refused.
pub(crate) fn reads_outside(
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

/// Every path on this machine that a manifest names.
fn written_paths(manifest: &Manifest) -> Vec<String> {
    let local = manifest
        .dependencies
        .iter()
        .filter(|one| one.unit.origin == ResourceOrigin::Local);
    let local = local.map(|one| {
        if one.unit.path.is_pattern() {
            one.unit.path.literal_folder().to_owned()
        } else {
            one.unit.path.to_string()
        }
    });
    let of_dependencies = manifest
        .dependencies
        .iter()
        .filter_map(|one| one.unit.origin.source());
    let of_layers = manifest
        .layers
        .iter()
        .filter_map(|layer| layer.place.source());
    let used: BTreeSet<&SourceName> = of_dependencies.chain(of_layers).collect();
    let sources = manifest
        .sources
        .iter()
        .filter(|source| used.contains(&source.name));
    let sources = sources.filter_map(|source| match source.address.kind() {
        AddressKind::Folder(path) => Some(path.to_owned()),
        AddressKind::FileUrl(path) => Some(path.to_owned()),
        AddressKind::Remote => None,
    });
    let layers = manifest
        .layers
        .iter()
        .filter_map(|layer| match &layer.place {
            LayerPlace::Folder(path) => Some(path.clone()),
            LayerPlace::Source(..) => None,
        });
    local.chain(sources).chain(layers).collect()
}
