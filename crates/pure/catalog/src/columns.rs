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
pub(crate) const CANONICAL_ID: &str = "canonicalId";

/// The columns that a table of rows has: those of the manifests that the rows are from, known ones in their order, then
/// others as first seen. Without rows, those of all manifests.
pub(crate) fn union_of_columns<'c>(
    manifests: &'c [Manifest],
    rows: impl Iterator<Item = RowRef<'c>>,
) -> Vec<&'c str> {
    let mut is_used = vec![false; manifests.len()];
    let mut in_modules = false;
    for row in rows {
        is_used[row.manifest_index()] = true;
        in_modules |= !row.module().is_empty();
    }
    let none = !is_used.contains(&true);
    let used = || {
        manifests
            .iter()
            .zip(&is_used)
            .filter(|(_, used)| **used || none)
            .map(|(manifest, _)| manifest)
    };
    let occurs = |column: &str| {
        used().any(|manifest| manifest.columns().any(|own| own == column))
            || (column == MODULE && in_modules)
    };
    let mut columns: Vec<&str> = COLUMNS
        .into_iter()
        .filter(|column| occurs(column))
        .collect();
    for column in used().flat_map(Manifest::columns) {
        if !columns.contains(&column) {
            columns.push(column);
        }
    }
    columns
}
