//! The rows of a catalog that apply, and those that they shadow.

use std::io;

use agpm_catalog::{CatalogRow, EntryFilter, ListedRow, RowWriter, ShadowedRows};
use agpm_diag::SourceMap;
use agpm_store::parallel;

use crate::catalog::open::OpenCatalog;

/// How many rows make a piece of text, and how many pieces are made side by side before they are written.
const PIECE: usize = 2048;
const PIECES: usize = 8;

/// The rows of a catalog.
#[derive(Debug)]
pub struct CatalogReport {
    /// Where they are from.
    pub catalog: OpenCatalog,
    /// By kind, module and name; shadowed rows follow the one that applies, highest first.
    rows: Vec<ListedRow>,
    shadowed: ShadowedRows,
}

impl OpenCatalog {
    /// The entries that fit as CSV, as `agpm catalog --format csv` prints them.
    pub fn csv(&self, filter: &EntryFilter) -> String {
        let mut text = String::new();
        let listed = self.content.listed(filter, ShadowedRows::Hidden);
        let written = self.each_csv_piece(&listed, ShadowedRows::Hidden, |piece| {
            text.push_str(piece);
            Ok(())
        });
        written.map(|()| text).unwrap_or_default()
    }

    /// The same piece by piece: a catalog may be large, and its text is needed only once.
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

/// Makes something of rows, piece by piece on as many threads as the machine has cores, and calls `take` with it in order.
/// Only a few pieces are kept at a time.
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

    /// The rows, in order.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = CatalogRow<'_>> {
        self.rows.iter().map(|listed| self.row(*listed))
    }

    fn row(&self, listed: ListedRow) -> CatalogRow<'_> {
        self.catalog.content.reported(listed, self.shadowed)
    }

    /// Calls `write` with the text of the whole as CSV, piece by piece.
    pub fn each_csv_piece(&self, write: impl FnMut(&str) -> io::Result<()>) -> io::Result<()> {
        self.catalog
            .each_csv_piece(&self.rows, self.shadowed, write)
    }

    /// Calls `write` with the rows as items of a JSON list, piece by piece. Each begins on its own line, with `indent`.
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

    /// Makes something of the rows, piece by piece, and calls `take` with it in order.
    pub fn each_piece<'c, T: Send>(
        &'c self,
        make: impl Fn(&mut dyn Iterator<Item = CatalogRow<'c>>) -> T + Sync,
        take: impl FnMut(T) -> io::Result<()>,
    ) -> io::Result<()> {
        let of_rows = |rows: &[ListedRow]| make(&mut rows.iter().map(|listed| self.row(*listed)));
        each_piece(&self.rows, of_rows, take)
    }

    /// Which layer each entry came from, line by line.
    pub fn origins(&self, sources: &SourceMap) -> Vec<String> {
        self.rows().map(|row| row.origin(sources)).collect()
    }
}
