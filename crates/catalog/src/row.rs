//! Rows of manifests, with their values.

use agpm_text::NodeRef;

use crate::columns::{CANONICAL_ID, PATH};
use crate::kind::EntryKind;
use crate::manifest::{CatalogManifest, NamedRow};

/// A row of one of the manifests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowId {
    /// The index of the manifest, from the highest.
    pub manifest: u32,
    /// The index of the row.
    pub row: u32,
}

/// A row with its values.
#[derive(Clone, Copy, Debug)]
pub struct RowRef<'c> {
    manifest: &'c CatalogManifest,
    id: RowId,
    row: NamedRow,
}

impl<'c> RowRef<'c> {
    pub(crate) fn new(manifest: &'c CatalogManifest, id: RowId) -> Self {
        RowRef {
            manifest,
            id,
            row: manifest.rows[id.row as usize],
        }
    }

    /// The id of the row.
    pub fn id(self) -> RowId {
        self.id
    }

    /// The kind of its entry.
    pub fn kind(self) -> EntryKind {
        self.manifest.kind()
    }

    /// The name of the row.
    pub fn name(self) -> &'c str {
        self.manifest.name(self.row)
    }

    /// Its module; empty if it has none.
    pub fn module(self) -> &'c str {
        self.manifest.module(self.row)
    }

    /// Whether the row itself names its module, not the location of its manifest.
    pub(crate) fn names_its_module(self) -> bool {
        self.row.module.is_some() || self.module().is_empty()
    }

    /// `MODULE/NAME`, or the name alone.
    pub fn label(self) -> String {
        match self.module() {
            "" => self.name().to_owned(),
            module => format!("{module}/{}", self.name()),
        }
    }

    /// The path of its file, as written.
    pub fn path(self) -> Option<&'c str> {
        self.get(PATH).filter(|path| !path.trim().is_empty())
    }

    /// The name under which installers put it into the directories of tools.
    pub fn canonical_id(self) -> Option<&'c str> {
        self.get(CANONICAL_ID)
            .map(str::trim)
            .filter(|id| !id.is_empty())
    }

    /// The field of a column; `None` if it has no such field.
    pub fn get(self, column: &str) -> Option<&'c str> {
        self.nth(self.manifest.position(column)?)
    }

    /// The field at a position of its manifest's columns.
    pub fn nth(self, position: usize) -> Option<&'c str> {
        self.manifest.nth(self.row, position)
    }

    /// Its columns with their values, in the order of its manifest.
    pub fn fields(self) -> impl Iterator<Item = (&'c str, &'c str)> {
        self.manifest.fields(self.row)
    }

    /// Its location in the manifest.
    pub fn node(self) -> NodeRef<'c> {
        self.manifest.document().node(self.row.node)
    }

    /// The index of its manifest, from the highest.
    pub fn manifest_index(self) -> usize {
        self.id.manifest as usize
    }
}
