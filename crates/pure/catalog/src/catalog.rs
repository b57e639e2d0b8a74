//! Everything that has a say, and which row of it counts.

use agpm_diag::{Diagnostic, at_most};
use agpm_text::NodeRef;

use crate::columns::{CANONICAL_ID, PATH};
use crate::kind::EntryKind;
use crate::limits::MOST_FINDINGS;
use crate::manifest::{Manifest, Row};
use crate::select::{duplicate, select};

/// Ranked manifests, folded: one row for every identity.
#[derive(Clone, Debug, Default)]
pub struct Catalog {
    manifests: Vec<Manifest>,
    entries: Vec<Entry>,
    shadowed: Vec<RowId>,
}

/// One identity: the row of the highest rank that has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The row that counts.
    pub winner: RowId,
    /// Where the rows that it shadows are kept.
    pub(crate) shadowed: std::ops::Range<u32>,
}

/// A row of one of the manifests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowId {
    /// Which manifest, counted from the highest.
    pub manifest: u32,
    /// Which of its rows.
    pub row: u32,
}

/// A row with what it says.
#[derive(Clone, Copy, Debug)]
pub struct RowRef<'c> {
    manifest: &'c Manifest,
    id: RowId,
    row: Row,
}

impl Catalog {
    /// Folds manifests, highest first; rows that are there twice in one file are told.
    pub fn new(manifests: Vec<Manifest>) -> (Self, Vec<Diagnostic>) {
        let selected = select(&manifests);
        let (entries, shadowed) = (selected.entries, selected.shadowed);
        let catalog = Catalog {
            manifests,
            entries,
            shadowed,
        };
        let told = selected.duplicates.into_iter();
        let told = told
            .map(|(counts, again)| duplicate(catalog.row(counts), catalog.row(again)))
            .collect();
        (catalog, at_most(told, MOST_FINDINGS))
    }

    /// The manifests, highest first.
    pub fn manifests(&self) -> &[Manifest] {
        &self.manifests
    }

    /// Every identity, by kind, module and name.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The rows that an entry shadows, highest first.
    pub fn shadowed(&self, entry: &Entry) -> &[RowId] {
        &self.shadowed[entry.shadowed.start as usize..entry.shadowed.end as usize]
    }

    /// The row that counts.
    pub fn winner(&self, entry: &Entry) -> RowRef<'_> {
        self.row(entry.winner)
    }

    /// A row.
    pub fn row(&self, id: RowId) -> RowRef<'_> {
        let manifest = &self.manifests[id.manifest as usize];
        RowRef {
            manifest,
            id,
            row: manifest.rows[id.row as usize],
        }
    }

    /// Every row of a manifest that counts or could.
    pub fn rows_of(&self, manifest: usize) -> impl Iterator<Item = RowRef<'_>> {
        let count = self.manifests.get(manifest).map_or(0, Manifest::len);
        let id = move |row: usize| RowId {
            manifest: manifest as u32,
            row: row as u32,
        };
        (0..count).map(move |row| self.row(id(row)))
    }
}

impl<'c> RowRef<'c> {
    /// Which row it is.
    pub fn id(self) -> RowId {
        self.id
    }

    /// What it lists.
    pub fn kind(self) -> EntryKind {
        self.manifest.kind()
    }

    /// Its name.
    pub fn name(self) -> &'c str {
        self.manifest.name(self.row)
    }

    /// Its module; empty if it has none.
    pub fn module(self) -> &'c str {
        self.manifest.module(self.row)
    }

    /// Whether the row itself says its module, not the place of its manifest.
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

    /// Where its file is, as written.
    pub fn path(self) -> Option<&'c str> {
        self.get(PATH).filter(|path| !path.trim().is_empty())
    }

    /// The name under which installers put it into the folders of tools.
    pub fn canonical_id(self) -> Option<&'c str> {
        self.get(CANONICAL_ID)
            .map(str::trim)
            .filter(|id| !id.is_empty())
    }

    /// What it says in a column; nothing if it has no such field.
    pub fn get(self, column: &str) -> Option<&'c str> {
        self.nth(self.manifest.position(column)?)
    }

    /// What it says at a position of its manifest's columns.
    pub fn nth(self, position: usize) -> Option<&'c str> {
        self.manifest.nth(self.row, position)
    }

    /// Its columns with what it says there, in the order of its manifest.
    pub fn fields(self) -> impl Iterator<Item = (&'c str, &'c str)> {
        self.manifest.fields(self.row)
    }

    /// Its place in the manifest.
    pub fn node(self) -> NodeRef<'c> {
        self.manifest.document().node(self.row.node)
    }

    /// Which manifest it is from, counted from the highest.
    pub fn manifest_index(self) -> usize {
        self.id.manifest as usize
    }
}
