//! The files of the project's layers.

use std::path::{Path, PathBuf};

use agpm_diag::{Diagnostic, codes};
use agpm_merge::LayerFile;
use agpm_model::{Layer, LayerPlace, RelativePath};
use agpm_store::{Folder, Problem, StoreError};

use crate::failure::{Failure, Notes};
use crate::gather::{Project, layer_file, limit, shown};
use crate::world::Environment;

/// One file in every layer that has it, lowest first.
pub(crate) fn files_at(
    environment: &Environment,
    project: &Project,
    file: &RelativePath,
    notes: &mut Notes,
) -> Result<Vec<LayerFile>, Failure> {
    let seen = |error: StoreError| error.seen_from(&environment.folder);
    let mut files = Vec::new();
    for layer in project.manifest.layers.iter().filter(|layer| layer.includes(file)) {
        let place = folder_of(project.folder.as_deref().unwrap_or(&environment.folder), layer)?;
        let found = match Folder::open(&place) {
            Err(StoreError { problem: Problem::NotFound, .. }) => {
                report_missing(layer, &shown(environment, &place), notes);
                continue;
            }
            open => open.map_err(seen)?.read(file, limit()),
        };
        match found {
            Err(StoreError { problem: Problem::NotFound, .. }) => {
                notes.log.push(format!("layer `{}` does not have `{file}`", layer.name));
            }
            found => {
                let path = shown(environment, &place.join(file.as_str()));
                files.push(layer_file(layer.name.clone(), &path, found.map_err(seen)?, notes));
            }
        }
    }
    Ok(files)
}

fn report_missing(layer: &Layer, place: &str, notes: &mut Notes) {
    let message = format!("the folder of layer `{}`, `{place}`, is not there", layer.name);
    let diagnostic = Diagnostic::new(&codes::LAYERS_MISSING, message)
        .in_layer(layer.name.as_str())
        .at_spot(layer.spot)
        .help("its path is from the manifest's folder; make the folder, or remove the layer");
    if !notes.diagnostics.contains(&diagnostic) {
        notes.diagnostics.push(diagnostic);
    }
}

fn folder_of(manifest: &Path, layer: &Layer) -> Result<PathBuf, Failure> {
    match &layer.place {
        LayerPlace::Folder(path) => {
            let folder = manifest.join(path);
            Ok(layer.root.as_ref().map_or(folder.clone(), |root| folder.join(root.as_str())))
        }
        LayerPlace::Source(source) => {
            let message = format!(
                "layer `{}` comes from the git source `{source}`, which cannot be read yet",
                layer.name
            );
            Err(Diagnostic::new(&codes::EXPLAIN_NOT_FOUND, message)
                .in_layer(layer.name.as_str())
                .help("use `path` for a folder on this machine")
                .into())
        }
    }
}
