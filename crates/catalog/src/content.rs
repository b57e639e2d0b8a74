//! A catalog with all its inputs.

use std::path::{Path, PathBuf};

use agpm_diag::{Notes, counted};
use agpm_model::MachineFiles;

use crate::catalog::Catalog;
use crate::layer::{CatalogLayer, ManifestFile};
use crate::reading::ReadManifests;
use crate::row::RowRef;

/// A catalog with all its inputs.
#[derive(Debug)]
pub struct CatalogContent<'f> {
    pub(crate) machine: &'f dyn MachineFiles,
    /// The working directory, which users name paths from.
    pub(crate) here: PathBuf,
    /// The rows.
    pub catalog: Catalog,
    /// Highest first.
    pub layers: Vec<CatalogLayer>,
    /// One for every manifest of the catalog.
    pub files: Vec<ManifestFile>,
    /// Manifests that could not be read.
    pub left_out: Vec<ManifestFile>,
}

impl<'f> CatalogContent<'f> {
    /// Builds the catalog, and logs the inputs.
    pub fn new(
        machine: &'f dyn MachineFiles,
        here: &Path,
        layers: Vec<CatalogLayer>,
        read: ReadManifests,
        notes: &mut Notes,
    ) -> Self {
        let ReadManifests {
            files,
            manifests,
            left_out,
        } = read;
        for (file, manifest) in files.iter().zip(&manifests) {
            let rows = counted(manifest.len(), "row", "rows");
            let (shown, layer) = (&file.shown, layers[file.layer].label());
            notes
                .log
                .push(format!("used {shown}: {rows}, layer {layer}"));
        }
        let (catalog, twice) = Catalog::new(manifests);
        notes.diagnostics.extend(twice);
        CatalogContent {
            machine,
            here: here.to_owned(),
            catalog,
            layers,
            files,
            left_out,
        }
    }

    pub(crate) fn manifest_file(&self, row: RowRef<'_>) -> &ManifestFile {
        &self.files[row.manifest_index()]
    }

    /// The layer of a row.
    pub fn layer(&self, row: RowRef<'_>) -> &CatalogLayer {
        &self.layers[self.manifest_file(row).layer]
    }

    /// The path of the manifest of a row.
    pub(crate) fn manifest_path(&self, row: RowRef<'_>) -> PathBuf {
        self.layer(row)
            .directory
            .join(&self.manifest_file(row).path)
    }
}
