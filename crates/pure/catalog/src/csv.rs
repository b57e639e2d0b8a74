//! Rows as CSV: the header bare, every field in quotes, a line feed after every row.

use agpm_text::NodeRef;
use memchr::memchr;

use crate::catalog::{Catalog, RowRef};

/// Columns of an output, and where they stand in each manifest.
#[derive(Clone, Debug)]
pub struct Table<'c> {
    columns: Vec<&'c str>,
    /// For each manifest, for each column.
    positions: Vec<Vec<Option<usize>>>,
}

impl<'c> Table<'c> {
    /// A table with these columns.
    pub fn new(catalog: &Catalog, columns: Vec<&'c str>) -> Self {
        let positions = catalog.manifests().iter().map(|manifest| {
            columns.iter().map(|column| manifest.position(column)).collect::<Vec<Option<usize>>>()
        });
        Table { positions: positions.collect(), columns }
    }

    /// Adds the header, with more columns at its end.
    pub fn write_header(&self, more: &[&str], out: &mut String) {
        let before = out.len();
        for column in self.columns.iter().chain(more) {
            if out.len() > before {
                out.push(',');
            }
            // A name that would break the line is the one that cannot stand bare.
            match column.contains([',', '"', '\n', '\r']) {
                true => quote(column, out),
                false => out.push_str(column),
            }
        }
        if out.len() > before {
            out.push('\n');
        }
    }

    /// Adds a row, with more fields at its end.
    pub fn write_row(&self, row: RowRef<'_>, more: &[&str], out: &mut String) {
        let node = row.node();
        let (fields, before) = (node.entries(), out.len());
        for position in &self.positions[row.manifest_index()] {
            if out.len() > before {
                out.push(',');
            }
            match position.and_then(|position| fields.clone().nth(position)) {
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

/// What is quoted already is as it must be.
fn write_field(field: NodeRef<'_>, out: &mut String) {
    let raw = &field.document().text()[field.span().range()];
    if raw.starts_with('"') { out.push_str(raw) } else { quote(raw, out) }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kind::EntryKind;
    use crate::manifest::read_manifest;
    use agpm_text::{Format, parse_alone};

    #[test]
    fn the_header_is_bare_and_every_field_is_quoted() {
        let text = "name,\"odd,one\",x\npm, says \"hi\" ,\"a,\"\"b\"\"\nc\"\ndev\n";
        let (manifest, _) = read_manifest(parse_alone(text, Format::Csv), EntryKind::Agent, "");
        let (catalog, _) = Catalog::new(manifest.into_iter().collect());
        let table = Table::new(&catalog, vec!["name", "odd,one", "x", "nowhere"]);
        let mut out = String::new();
        table.write_header(&["layer"], &mut out);
        for row in catalog.rows_of(0) {
            table.write_row(row, &["user"], &mut out);
        }
        assert_eq!(
            out,
            "name,\"odd,one\",x,nowhere,layer\n\"pm\",\"says \"\"hi\"\"\",\"a,\"\"b\"\"\nc\",\"\",\"user\"\n\
             \"dev\",\"\",\"\",\"\",\"user\"\n"
        );
    }
}
