//! The columns of manifests of every generation, and which of them an output has.

use crate::catalog::RowRef;
use crate::manifest::Manifest;

/// The columns that are known, in the order of every output.
pub const COLUMNS: [&str; 14] = [
    "name",
    "displayName",
    "title",
    "icon",
    "capabilities",
    "role",
    "identity",
    "communicationStyle",
    "principles",
    "description",
    "module",
    "path",
    "standalone",
    "canonicalId",
];

/// The column that every manifest has.
pub(crate) const NAME: &str = "name";
pub(crate) const MODULE: &str = "module";
pub(crate) const PATH: &str = "path";

/// The table that rows make, whichever manifests they are from.
#[derive(Clone, Debug)]
pub struct Table<'c> {
    columns: Vec<&'c str>,
    /// Where the columns stand in each manifest.
    positions: Vec<Vec<Option<usize>>>,
}

impl<'c> Table<'c> {
    /// Of rows of these manifests.
    pub fn new(manifests: &'c [Manifest], rows: &[RowRef<'c>]) -> Self {
        let columns = union_of_columns(manifests, rows);
        let of = |manifest: &Manifest| columns.iter().map(|column| manifest.position(column)).collect();
        let positions = manifests.iter().map(of).collect();
        Table { columns, positions }
    }

    /// Its columns.
    pub fn columns(&self) -> &[&'c str] {
        &self.columns
    }

    /// The fields of a row, one for each column. A module that only the place of the manifest tells is told here too:
    /// without it, rows of two modules would look the same.
    pub fn fields<'t>(&'t self, row: RowRef<'c>) -> impl Iterator<Item = &'c str> + 't {
        let positions = &self.positions[row.manifest_index()];
        self.columns.iter().zip(positions).map(move |(column, at)| {
            let own = at.and_then(|at| row.nth(at)).unwrap_or_default();
            let elsewhere = *column == MODULE && own.trim().is_empty() && !row.module().is_empty();
            if elsewhere { row.module() } else { own }
        })
    }
}

/// The columns of the manifests that rows are from: known ones in their order, then others as first seen. Without rows,
/// those of all manifests.
fn union_of_columns<'c>(manifests: &'c [Manifest], rows: &[RowRef<'c>]) -> Vec<&'c str> {
    let mut used = vec![rows.is_empty(); manifests.len()];
    rows.iter().for_each(|row| used[row.manifest_index()] = true);
    let used = || manifests.iter().zip(&used).filter(|(_, used)| **used).map(|(manifest, _)| manifest);
    let in_modules = rows.iter().any(|row| !row.module().is_empty());
    let occurs = |column: &str| {
        used().any(|manifest| manifest.columns().any(|own| own == column)) || (column == MODULE && in_modules)
    };
    let mut columns: Vec<&str> = COLUMNS.into_iter().filter(|column| occurs(column)).collect();
    for column in used().flat_map(Manifest::columns) {
        if !columns.contains(&column) {
            columns.push(column);
        }
    }
    columns
}
