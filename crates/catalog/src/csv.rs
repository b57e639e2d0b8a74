//! Rows as CSV: the header bare, every field in quotes, a line feed after every row.

use std::borrow::Cow;

use agpm_text::NodeRef;
use memchr::memchr;

use crate::catalog::Catalog;
use crate::columns::{COLUMNS, MODULE};
use crate::manifest::CatalogManifest;
use crate::row::RowRef;

/// Columns of an output, and where they are in each manifest.
#[derive(Clone, Debug)]
pub struct CsvTable<'c> {
    columns: Vec<&'c str>,
    /// For each manifest, for each column.
    positions: Vec<Vec<Option<usize>>>,
}

impl<'c> CsvTable<'c> {
    /// The table that rows make, whichever manifests they are from.
    pub fn new(catalog: &'c Catalog, rows: impl Iterator<Item = RowRef<'c>>) -> Self {
        let columns = union_of_columns(catalog.manifests(), rows);
        let of = |manifest: &CatalogManifest| {
            columns
                .iter()
                .map(|column| manifest.position(column))
                .collect()
        };
        CsvTable {
            positions: catalog.manifests().iter().map(of).collect(),
            columns,
        }
    }

    /// Adds the header, with more columns at its end; a column of the same name is reported under another one.
    pub fn write_header(&self, more: &[&str], out: &mut String) {
        let cells = self.columns.iter().map(|column| {
            if more.contains(column) {
                Cow::from(other_name(column))
            } else {
                Cow::from(*column)
            }
        });
        let before = out.len();
        for column in cells.chain(more.iter().map(|column| Cow::from(*column))) {
            if out.len() > before {
                out.push(',');
            }
            // A name that would break the line, or lose its spaces, needs quotes.
            let bare = column == column.trim() && !column.contains([',', '"', '\n', '\r']);
            if bare {
                out.push_str(&column)
            } else {
                quote(&column, out)
            }
        }
        if out.len() > before {
            out.push('\n');
        }
    }

    /// Adds a row, with more fields at its end. A module that only the location of the manifest reports is reported here too:
    /// without it, rows of two modules would look the same.
    pub fn write_row(&self, row: RowRef<'_>, more: &[&str], out: &mut String) {
        let node = row.node();
        let (fields, before) = (node.entries(), out.len());
        for (column, position) in self
            .columns
            .iter()
            .zip(&self.positions[row.manifest_index()])
        {
            if out.len() > before {
                out.push(',');
            }
            match position.and_then(|position| fields.clone().nth(position)) {
                _ if *column == MODULE && !row.names_its_module() => quote(row.module(), out),
                Some((_, field)) => write_field(field, out),
                None => out.push_str("\"\""),
            }
        }
        for field in more {
            out.push(',');
            quote(field, out);
        }
        out.push('\n');
    }
}

/// The name under which a reserved column is reported.
pub fn other_name(column: &str) -> String {
    format!("column:{column}")
}

/// A quoted field is valid already.
fn write_field(field: NodeRef<'_>, out: &mut String) {
    let raw = &field.document().text()[field.span().range()];
    if raw.starts_with('"') {
        out.push_str(raw)
    } else {
        quote(raw, out)
    }
}

fn quote(field: &str, out: &mut String) {
    out.push('"');
    let mut rest = field;
    while let Some(at) = memchr(b'"', rest.as_bytes()) {
        out.push_str(&rest[..=at]);
        out.push('"');
        rest = &rest[at + 1..];
    }
    out.push_str(rest);
    out.push('"');
}

/// The columns that a table of rows has: those of the manifests that the rows are from, known ones in their order, then
/// others as first seen. Without rows, those of all manifests.
fn union_of_columns<'c>(
    manifests: &'c [CatalogManifest],
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
        used().any(|manifest| manifest.columns().any(|cells| cells == column))
            || (column == MODULE && in_modules)
    };
    let mut columns: Vec<&str> = COLUMNS
        .into_iter()
        .filter(|column| occurs(column))
        .collect();
    for column in used().flat_map(CatalogManifest::columns) {
        if !columns.contains(&column) {
            columns.push(column);
        }
    }
    columns
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kind::EntryKind;
    use crate::manifest::read_manifest;
    use agpm_text::{Format, parse_alone};

    #[test]
    fn the_header_is_bare_and_every_field_is_quoted() {
        let text = "name,\"odd,one\",layer,\" x\"\npm, says \"hi\" ,\"a,\"\"b\"\"\nc\",y\ndev\n";
        let (manifest, _) = read_manifest(parse_alone(text, Format::Csv), EntryKind::Agent, "bmm");
        let (catalog, _) = Catalog::new(manifest.into_iter().collect());
        let table = CsvTable::new(&catalog, catalog.rows_of(0));
        let mut out = String::new();
        table.write_header(&["layer"], &mut out);
        for row in catalog.rows_of(0) {
            table.write_row(row, &["user"], &mut out);
        }
        assert_eq!(
            out,
            "name,module,\"odd,one\",column:layer,\" x\",layer\n\
             \"pm\",\"bmm\",\"says \"\"hi\"\"\",\"a,\"\"b\"\"\nc\",\"y\",\"user\"\n\
             \"dev\",\"bmm\",\"\",\"\",\"\",\"user\"\n"
        );
    }
}
