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

/// The columns of the manifests that rows are from: known ones in their order, then others as first seen. Without rows,
/// those of all manifests.
pub fn union_of_columns<'c>(manifests: &'c [Manifest], rows: &[RowRef<'c>]) -> Vec<&'c str> {
    let mut used = vec![rows.is_empty(); manifests.len()];
    rows.iter().for_each(|row| used[row.manifest_index()] = true);
    let used = || manifests.iter().zip(&used).filter(|(_, used)| **used).map(|(manifest, _)| manifest);
    let occurs = |column: &str| used().any(|manifest| manifest.columns().any(|own| own == column));
    let mut columns: Vec<&str> = COLUMNS.into_iter().filter(|column| occurs(column)).collect();
    for column in used().flat_map(Manifest::columns) {
        if !columns.contains(&column) {
            columns.push(column);
        }
    }
    columns
}
