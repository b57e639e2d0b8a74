//! The file of a catalog entry.

use std::path::PathBuf;

use agpm_catalog::{EntryFile, EntryKind, EntryReference, LayerKind};
use agpm_diag::{Failure, Notes, Outcome};
use serde::{Serialize, Serializer};

use crate::catalog::open::{OpenCatalog, read_inside};

/// An entry's file.
#[derive(Clone, Debug, Serialize)]
pub struct CatalogFile {
    /// The kind.
    #[serde(serialize_with = "singular")]
    pub kind: EntryKind,
    /// Its module; empty if it has none.
    pub module: String,
    /// Its name.
    pub name: String,
    /// The layer that won.
    pub layer: LayerKind,
    /// The remote that it is, as users know it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remote: Option<String>,
    /// Where the file is.
    #[serde(rename = "file", serialize_with = "agpm_model::serialize_path")]
    pub path: PathBuf,
    /// Its bytes, unchanged.
    #[serde(rename = "content", serialize_with = "text")]
    pub bytes: Vec<u8>,
}

fn singular<S: Serializer>(kind: &EntryKind, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(kind.singular())
}

/// Content that is not text is read from the file.
fn text<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    str::from_utf8(bytes).ok().serialize(serializer)
}

impl OpenCatalog {
    /// The file of the entry that a name means, of at most so many bytes.
    pub fn read_file(
        &self,
        name: &str,
        kind: Option<EntryKind>,
        largest: u64,
    ) -> Outcome<CatalogFile> {
        let result = self.read(EntryReference { kind, text: name }, largest);
        Notes::default().outcome(result)
    }

    /// The file of the entry that a reference means, of at most so many bytes.
    pub fn read(
        &self,
        reference: EntryReference<'_>,
        largest: u64,
    ) -> Result<CatalogFile, Failure> {
        let EntryFile { row, place } = self.content.entry_file(reference)?;
        let layer = self.content.layer(row);
        let bytes = read_inside(&layer.folder, &place, largest)?;
        Ok(CatalogFile {
            kind: row.kind(),
            module: row.module().to_owned(),
            name: row.name().to_owned(),
            layer: layer.kind,
            remote: layer.remote.clone(),
            path: layer.folder.join(place),
            bytes,
        })
    }
}
