//! Reads the file of a catalog entry.

use std::path::PathBuf;

use agpm_catalog::{EntryFile, EntryKind, EntryReference, LayerKind};
use agpm_diag::{Failure, Notes, Outcome};
use serde::{Serialize, Serializer};

use crate::catalog::open::{OpenCatalog, read_inside};

/// The file of a catalog entry.
#[derive(Clone, Debug, Serialize)]
pub struct CatalogFile {
    /// The kind of the entry.
    #[serde(serialize_with = "singular")]
    pub kind: EntryKind,
    /// The module; empty if the entry has none.
    pub module: String,
    /// The name of the entry in the catalog.
    pub name: String,
    /// The layer that takes precedence.
    pub layer: LayerKind,
    /// The remote of the layer, without secrets; `None` if the layer is not a git repository.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remote: Option<String>,
    /// The path of the file on this machine.
    #[serde(rename = "file", serialize_with = "agpm_model::serialize_path")]
    pub path: PathBuf,
    /// The content of the file.
    #[serde(rename = "content", serialize_with = "text")]
    pub bytes: Vec<u8>,
}

fn singular<S: Serializer>(kind: &EntryKind, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(kind.singular())
}

/// Serializes the content as a string; `null` if it is not UTF-8.
fn text<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    str::from_utf8(bytes).ok().serialize(serializer)
}

impl OpenCatalog {
    /// Reads the file of the entry with a name, up to a maximum size.
    pub fn read_file(
        &self,
        name: &str,
        kind: Option<EntryKind>,
        largest: u64,
    ) -> Outcome<CatalogFile> {
        let result = self.read(EntryReference { kind, text: name }, largest);
        Notes::default().outcome(result)
    }

    /// Reads the file of the entry that a reference selects, up to a maximum size.
    pub fn read(
        &self,
        reference: EntryReference<'_>,
        largest: u64,
    ) -> Result<CatalogFile, Failure> {
        let EntryFile { row, path } = self.content.entry_file(reference)?;
        let layer = self.content.layer(row);
        let bytes = read_inside(&layer.directory, &path, largest)?;
        Ok(CatalogFile {
            kind: row.kind(),
            module: row.module().to_owned(),
            name: row.name().to_owned(),
            layer: layer.kind,
            remote: layer.remote.clone(),
            path: layer.directory.join(path),
            bytes,
        })
    }
}
