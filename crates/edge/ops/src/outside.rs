//! What a manifest reads outside of its project: shown, and refused where credentials are kept.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use agpm_diag::visible;
use agpm_model::{AddressKind, LayerPlace, Manifest, Origin, SourceName, is_credential_path};
use agpm_store::{self as store, Problem, StoreError};

use crate::failure::Failure;
use crate::packages::{local_path, normal};
use crate::world::{Environment, Scope};

/// The paths of a manifest that lead out of its folder, each once, as they are written; a place for credentials is refused.
pub(crate) fn reads_outside(
    environment: &Environment,
    manifest: &Manifest,
    folder: &Path,
) -> Result<Vec<String>, Failure> {
    let bounds = Bounds::of(folder);
    let mut found = Vec::new();
    for written in written_paths(manifest) {
        let path = normal(&local_path(&written, folder, environment));
        bounds
            .guard(&path)
            .map_err(|error| error.seen_from(folder))?;
        let real = store::real_path(&path);
        // A manifest of the user's own is written to read things all over home.
        if environment.scope == Scope::Project && bounds.is_outside(&real) {
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
        .filter(|one| one.unit.origin == Origin::Local);
    let local = local.map(|one| match one.unit.path.is_pattern() {
        true => one.unit.path.literal_folder().to_owned(),
        false => one.unit.path.to_string(),
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

/// The folder that a manifest may read without a word.
pub(crate) struct Bounds {
    /// As it is named, and as it really is.
    folders: [PathBuf; 2],
}

impl Bounds {
    /// Everything in this folder.
    pub(crate) fn of(folder: &Path) -> Self {
        Bounds {
            folders: [normal(folder), store::real_path(folder)],
        }
    }

    fn is_outside(&self, path: &Path) -> bool {
        !self.folders.iter().any(|folder| path.starts_with(folder))
    }

    /// Refuses to read a place for credentials outside, by whatever links it is reached.
    pub(crate) fn guard(&self, path: &Path) -> Result<(), StoreError> {
        let is_secret =
            |path: &Path| self.is_outside(path) && is_credential_path(&path.to_string_lossy());
        match is_secret(&normal(path)) || is_secret(&store::real_path(path)) {
            true => Err(StoreError {
                path: path.to_owned(),
                problem: Problem::Credentials,
            }),
            false => Ok(()),
        }
    }
}
