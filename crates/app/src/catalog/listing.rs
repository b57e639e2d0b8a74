//! The report of the rows in a catalog and of the rows that they override.

use std::io;

use agpm_catalog::{CatalogRow, EntryFilter, ListedRow, RowWriter, ShadowedRows};
use agpm_diag::SourceMap;
use agpm_store::parallel;

use crate::catalog::open::OpenCatalog;

/// The number of rows per piece of output, and of pieces that are built in parallel before they are written.
const PIECE: usize = 2048;
const PIECES: usize = 8;

/// The selected rows of a catalog.
#[derive(Debug)]
pub struct CatalogReport {
    /// The catalog that the rows come from.
    pub catalog: OpenCatalog,
    /// Sorted by kind, module and name; overridden rows follow the one in effect, highest rank first.
    rows: Vec<ListedRow>,
    shadowed: ShadowedRows,
}

impl OpenCatalog {
    /// Returns the selected entries as CSV, as `agpm catalog --format csv` prints them.
    pub fn csv(&self, filter: &EntryFilter) -> String {
        let mut text = String::new();
        let listed = self.content.listed(filter, ShadowedRows::Hidden);
        let written = self.each_csv_piece(&listed, ShadowedRows::Hidden, |piece| {
            text.push_str(piece);
            Ok(())
        });
        written.map(|()| text).unwrap_or_default()
    }

    /// Calls `write` with the CSV in pieces, because a catalog may be too large to build as one string.
    fn each_csv_piece(
        &self,
        listed: &[ListedRow],
        shadowed: ShadowedRows,
        mut write: impl FnMut(&str) -> io::Result<()>,
    ) -> io::Result<()> {
        let (table, header) = self.content.csv_table(listed, shadowed);
        write(&header)?;
        let lines = |rows: &[ListedRow]| self.content.csv_lines(&table, rows, shadowed);
        each_piece(listed, lines, |text| write(&text))
    }
}

/// Calls `make` with pieces of the rows on all cores, and `take` with the results in order. Only a few results are in
/// memory at a time.
fn each_piece<T: Send>(
    listed: &[ListedRow],
    make: impl Fn(&[ListedRow]) -> T + Sync,
    mut take: impl FnMut(T) -> io::Result<()>,
) -> io::Result<()> {
    for pieces in listed.chunks(PIECE * PIECES) {
        parallel::map(pieces.chunks(PIECE).collect(), &make)
            .into_iter()
            .try_for_each(&mut take)?;
    }
    Ok(())
}

impl CatalogReport {
    /// Selects rows of a catalog.
    pub fn select(catalog: OpenCatalog, filter: &EntryFilter, shadowed: ShadowedRows) -> Self {
        CatalogReport {
            rows: catalog.content.listed(filter, shadowed),
            catalog,
            shadowed,
        }
    }

    /// Returns the rows in order.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = CatalogRow<'_>> {
        self.rows.iter().map(|listed| self.row(*listed))
    }

    fn row(&self, listed: ListedRow) -> CatalogRow<'_> {
        self.catalog.content.reported(listed, self.shadowed)
    }

    /// Calls `write` with the CSV of all rows, in pieces.
    pub fn each_csv_piece(&self, write: impl FnMut(&str) -> io::Result<()>) -> io::Result<()> {
        self.catalog
            .each_csv_piece(&self.rows, self.shadowed, write)
    }

    /// Calls `write` with the rows as items of a JSON list, in pieces. Each row starts on a new line with `indent`.
    pub fn each_json_piece(
        &self,
        indent: &str,
        mut write: impl FnMut(&str) -> io::Result<()>,
    ) -> io::Result<()> {
        let writer = RowWriter::new(&self.catalog.content, indent);
        let mut between = "";
        self.each_piece(
            |rows| writer.piece(rows),
            |text| {
                write(std::mem::replace(&mut between, ",\n"))?;
                write(&text)
            },
        )
    }

    /// Calls `make` with pieces of the rows in parallel, and `take` with the results in order.
    pub fn each_piece<'c, T: Send>(
        &'c self,
        make: impl Fn(&mut dyn Iterator<Item = CatalogRow<'c>>) -> T + Sync,
        take: impl FnMut(T) -> io::Result<()>,
    ) -> io::Result<()> {
        let of_rows = |rows: &[ListedRow]| make(&mut rows.iter().map(|listed| self.row(*listed)));
        each_piece(&self.rows, of_rows, take)
    }

    /// Returns one line per entry with the layer that it comes from.
    pub fn origins(&self, sources: &SourceMap) -> Vec<String> {
        self.rows().map(|row| row.origin(sources)).collect()
    }
}
