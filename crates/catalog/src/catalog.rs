//! Everything that is listed, and which row of it wins.

use agpm_diag::{Diagnostic, at_most};

use crate::limits::MOST_FINDINGS;
use crate::manifest::CatalogManifest;
use crate::row::{RowId, RowRef};
use crate::select::{CatalogEntry, duplicate, select};

/// Ranked manifests, folded: one row for every identity.
#[derive(Clone, Debug, Default)]
pub struct Catalog {
    manifests: Vec<CatalogManifest>,
    entries: Vec<CatalogEntry>,
    shadowed: Vec<RowId>,
}

impl Catalog {
    /// Folds manifests, highest first; rows that exist twice in one file are reported.
    pub fn new(manifests: Vec<CatalogManifest>) -> (Self, Vec<Diagnostic>) {
        let selected = select(&manifests);
        let (entries, shadowed) = (selected.entries, selected.shadowed);
        let catalog = Catalog {
            manifests,
            entries,
            shadowed,
        };
        let findings = selected.duplicates.into_iter();
        let findings = findings
            .map(|(counts, again)| duplicate(catalog.row(counts), catalog.row(again)))
            .collect();
        (catalog, at_most(findings, MOST_FINDINGS))
    }

    /// The manifests, highest first.
    pub fn manifests(&self) -> &[CatalogManifest] {
        &self.manifests
    }

    /// Every identity, by kind, module and name.
    pub fn entries(&self) -> &[CatalogEntry] {
        &self.entries
    }

    /// The rows that an entry shadows, highest first.
    pub fn shadowed(&self, entry: &CatalogEntry) -> &[RowId] {
        &self.shadowed[entry.shadowed.start as usize..entry.shadowed.end as usize]
    }

    /// The row that applies.
    pub fn winner(&self, entry: &CatalogEntry) -> RowRef<'_> {
        self.row(entry.winner)
    }

    /// A row.
    pub fn row(&self, id: RowId) -> RowRef<'_> {
        RowRef::new(&self.manifests[id.manifest as usize], id)
    }

    /// Every row of a manifest that applies or could.
    pub fn rows_of(&self, manifest: usize) -> impl Iterator<Item = RowRef<'_>> {
        let count = self.manifests.get(manifest).map_or(0, CatalogManifest::len);
        let id = move |row: usize| RowId {
            manifest: manifest as u32,
            row: row as u32,
        };
        (0..count).map(move |row| self.row(id(row)))
    }
}
