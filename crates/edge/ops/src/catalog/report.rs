//! `agpm catalog`: the rows that count, and those that they shadow.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::io;
use std::path::PathBuf;

use agpm_catalog::{COLUMNS, Entry, EntryKind, Filter, RowId, RowRef, Table, other_name};
use agpm_diag::{Diagnostic, Failure, Notes, Outcome, SourceMap, codes, did_you_mean};
use serde::{Serialize, Serializer};

use crate::catalog::ground::{CatalogPlaces, LayerKind};
use crate::catalog::json::RowWriter;
use crate::catalog::open::{OpenCatalog, open};
use crate::world::World;
use agpm_store::parallel;

/// How many rows make a piece of text, and how many pieces are made side by side before they are written.
const PIECE: usize = 2048;
const PIECES: usize = 8;

/// Columns that tell what becomes of a row.
const MARKS: [&str; 2] = ["layer", "shadowedBy"];

/// What to list.
#[derive(Clone, Debug, Default)]
pub struct CatalogRequest {
    /// Where to look.
    pub places: CatalogPlaces,
    /// Which entries.
    pub filter: Filter,
    /// Whether shadowed rows are listed.
    pub shadowed: Shadowed,
}

/// Whether shadowed rows are listed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shadowed {
    /// They are not.
    #[default]
    Hidden,
    /// They are, marked.
    Listed,
}

/// The rows of a catalog.
#[derive(Debug)]
pub struct CatalogReport {
    /// Where they are from.
    pub catalog: OpenCatalog,
    /// By kind, module and name; shadowed rows follow the one that counts, highest first.
    rows: Vec<Listed>,
    shadowed: Shadowed,
}

/// A row of the list.
#[derive(Clone, Copy, Debug)]
struct Listed {
    row: RowId,
    /// The row that counts instead.
    instead: Option<RowId>,
}

/// A row as it is told.
#[derive(Clone, Copy, Debug)]
pub struct CatalogRow<'c> {
    open: &'c OpenCatalog,
    row: RowRef<'c>,
    pub(super) standing: Mark<'c>,
}

/// One thing that is told of a row.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub(super) enum Told<'c> {
    /// A text.
    Text(Cow<'c, str>),
    /// Yes or no.
    Flag(bool),
    /// That there is none.
    Nothing,
}

/// Whether a row counts.
#[derive(Clone, Copy, Debug)]
pub(super) enum Mark<'c> {
    /// It does, and nobody asked for others.
    Unasked,
    /// It does.
    Counts,
    /// This one counts instead.
    Shadowed(RowRef<'c>),
}

/// Lists what counts.
pub fn catalog(world: &World, request: &CatalogRequest) -> Outcome<CatalogReport> {
    let mut notes = Notes::default();
    let result = list(world, request, &mut notes);
    notes.outcome(result)
}

pub(crate) fn list(
    world: &World,
    request: &CatalogRequest,
    notes: &mut Notes,
) -> Result<CatalogReport, Failure> {
    let catalog = open(world, &request.places, request.filter.kind, notes)?;
    let left_out = notes
        .diagnostics
        .iter()
        .any(|told| told.code == &codes::CATALOG_MALFORMED);
    if catalog.files.is_empty() && !left_out {
        notes
            .diagnostics
            .push(nowhere(&request.places, request.filter.kind));
    }
    let rows = catalog.listed(&request.filter, request.shadowed);
    if rows.is_empty() {
        notes
            .diagnostics
            .extend(no_module(&catalog, &request.filter));
    }
    Ok(CatalogReport {
        catalog,
        rows,
        shadowed: request.shadowed,
    })
}

pub(super) fn nowhere(places: &CatalogPlaces, kind: Option<EntryKind>) -> Diagnostic {
    let kinds = [
        (LayerKind::Project, "the project"),
        (LayerKind::User, "home"),
        (LayerKind::Git, "the remotes"),
    ];
    let looked = kinds
        .into_iter()
        .filter(|(kind, _)| places.mode.has(*kind))
        .map(|(_, place)| place);
    let what = kind.map_or_else(
        || "catalog".to_owned(),
        |kind| format!("catalog of {}", kind.plural()),
    );
    let message = format!(
        "no {what} was found in {}",
        looked.collect::<Vec<_>>().join(", ")
    );
    let name = kind.unwrap_or(EntryKind::Agent).manifest_name();
    Diagnostic::new(&codes::CATALOG_EMPTY, message).help(format!(
        "a catalog is a manifest such as `bmad/_cfg/{name}`"
    ))
}

/// A module that nothing is of is probably mistyped.
fn no_module(open: &OpenCatalog, filter: &Filter) -> Option<Diagnostic> {
    let wanted = filter.module.as_deref()?;
    let rows = open
        .catalog
        .entries()
        .iter()
        .map(|entry| open.catalog.winner(entry).module());
    let modules: BTreeSet<&str> = rows.filter(|module| !module.is_empty()).collect();
    if open.catalog.entries().is_empty() || modules.contains(wanted) {
        return None;
    }
    let mut note = Diagnostic::new(
        &codes::CATALOG_EMPTY,
        format!("no entry is of the module `{wanted}`"),
    );
    note.help = did_you_mean(wanted, "modules are", modules.iter().copied());
    Some(note)
}

impl OpenCatalog {
    fn listed(&self, filter: &Filter, shadowed: Shadowed) -> Vec<Listed> {
        let mut rows = Vec::new();
        for (_, entry) in self.catalog.filtered(filter) {
            rows.push(Listed {
                row: entry.winner,
                instead: None,
            });
            if shadowed == Shadowed::Listed {
                let lower = self.catalog.shadowed(entry).iter();
                rows.extend(lower.map(|row| Listed {
                    row: *row,
                    instead: Some(entry.winner),
                }));
            }
        }
        rows
    }

    /// The entries that fit, as they are told, each with its place among all.
    pub fn rows<'c>(&'c self, filter: &'c Filter) -> impl Iterator<Item = (usize, CatalogRow<'c>)> {
        self.catalog
            .filtered(filter)
            .map(|(at, entry)| (at, self.told(entry)))
    }

    /// The entry at a place, and behind it the rows that it shadows.
    pub fn rows_at(&self, place: usize) -> impl Iterator<Item = CatalogRow<'_>> {
        let entries = self.catalog.entries().get(place).into_iter();
        entries.flat_map(move |entry| {
            let winner = self.catalog.winner(entry);
            let row = move |row, standing| CatalogRow {
                open: self,
                row,
                standing,
            };
            let lower = self
                .catalog
                .shadowed(entry)
                .iter()
                .map(|lower| self.catalog.row(*lower));
            [row(winner, Mark::Counts)]
                .into_iter()
                .chain(lower.map(move |lower| row(lower, Mark::Shadowed(winner))))
        })
    }

    fn told(&self, entry: &Entry) -> CatalogRow<'_> {
        CatalogRow {
            open: self,
            row: self.catalog.winner(entry),
            standing: Mark::Unasked,
        }
    }

    /// The entries that fit as CSV, as `agpm catalog --format csv` prints them.
    pub fn csv(&self, filter: &Filter) -> String {
        let mut text = String::new();
        let listed = self.listed(filter, Shadowed::Hidden);
        let written = self.each_csv_piece(&listed, Shadowed::Hidden, |piece| {
            text.push_str(piece);
            Ok(())
        });
        written.map(|()| text).unwrap_or_default()
    }

    /// The same piece by piece: a catalog may be large, and its text is needed only once.
    fn each_csv_piece(
        &self,
        listed: &[Listed],
        shadowed: Shadowed,
        mut write: impl FnMut(&str) -> io::Result<()>,
    ) -> io::Result<()> {
        let table = Table::new(
            &self.catalog,
            listed.iter().map(|listed| self.catalog.row(listed.row)),
        );
        let mut header = String::new();
        table.write_header(
            if shadowed == Shadowed::Listed {
                &MARKS
            } else {
                &[]
            },
            &mut header,
        );
        write(&header)?;
        for pieces in listed.chunks(PIECE * PIECES) {
            let text = |rows: &[Listed]| self.csv_piece(&table, rows, shadowed);
            let texts = parallel::map(pieces.chunks(PIECE).collect(), text);
            texts.iter().try_for_each(|text| write(text))?;
        }
        Ok(())
    }

    fn csv_piece(&self, table: &Table<'_>, rows: &[Listed], shadowed: Shadowed) -> String {
        let label = |row: RowId| self.layer(self.catalog.row(row)).label();
        let mut text = String::new();
        for one in rows {
            let row = self.catalog.row(one.row);
            match shadowed {
                Shadowed::Hidden => table.write_row(row, &[], &mut text),
                Shadowed::Listed => {
                    let (layer, by) = (label(one.row), one.instead.map(label).unwrap_or_default());
                    table.write_row(row, &[&layer, &by], &mut text);
                }
            }
        }
        text
    }
}

impl CatalogReport {
    /// The rows, in order.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = CatalogRow<'_>> {
        self.rows.iter().map(|listed| self.row(*listed))
    }

    fn row(&self, listed: Listed) -> CatalogRow<'_> {
        let open = &self.catalog;
        let standing = match (listed.instead, self.shadowed) {
            (Some(row), _) => Mark::Shadowed(open.catalog.row(row)),
            (None, Shadowed::Listed) => Mark::Counts,
            (None, Shadowed::Hidden) => Mark::Unasked,
        };
        CatalogRow {
            open,
            row: open.catalog.row(listed.row),
            standing,
        }
    }

    /// Calls `write` with the text of the whole as CSV, piece by piece.
    pub fn each_csv_piece(&self, write: impl FnMut(&str) -> io::Result<()>) -> io::Result<()> {
        self.catalog
            .each_csv_piece(&self.rows, self.shadowed, write)
    }

    /// Calls `write` with the rows as items of a JSON list, piece by piece. Each begins on a line of its own, with `indent`.
    pub fn each_json_piece(
        &self,
        indent: &str,
        mut write: impl FnMut(&str) -> io::Result<()>,
    ) -> io::Result<()> {
        let writer = RowWriter::new(&self.catalog, indent);
        let mut between = "";
        self.each_piece(
            |rows| writer.piece(rows),
            |text| {
                write(std::mem::replace(&mut between, ",\n"))?;
                write(&text)
            },
        )
    }

    /// Makes something of the rows, piece by piece on as many threads as the machine has cores, and calls `take` with it in
    /// order. Only a few pieces are kept at a time.
    pub fn each_piece<'c, T: Send>(
        &'c self,
        make: impl Fn(&mut dyn Iterator<Item = CatalogRow<'c>>) -> T + Sync,
        mut take: impl FnMut(T) -> io::Result<()>,
    ) -> io::Result<()> {
        for pieces in self.rows.chunks(PIECE * PIECES) {
            let made = |rows: &[Listed]| make(&mut rows.iter().map(|listed| self.row(*listed)));
            parallel::map(pieces.chunks(PIECE).collect(), made)
                .into_iter()
                .try_for_each(&mut take)?;
        }
        Ok(())
    }

    /// Which layer each entry came from, line by line.
    pub fn origins(&self, sources: &SourceMap) -> Vec<String> {
        self.rows().map(|row| row.origin(sources)).collect()
    }
}

/// Keys of a row that are ours; a column of that name is told under another one.
pub(super) const OWN_KEYS: [&str; 7] = [
    "kind",
    "layer",
    "remote",
    "manifest",
    "file",
    "shadowed",
    "shadowedBy",
];

impl Serialize for CatalogRow<'_> {
    /// Its columns, then where it is from.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        agpm_text::pairs(&self.told(), serializer)
    }
}

impl<'c> CatalogRow<'c> {
    /// What it says.
    pub fn row(self) -> RowRef<'c> {
        self.row
    }

    /// The layer it is from.
    pub fn layer(self) -> String {
        self.open.layer(self.row).label()
    }

    /// The layer that shadows it.
    pub fn shadowed_by(self) -> Option<String> {
        match self.standing {
            Mark::Shadowed(row) => Some(self.open.layer(row).label()),
            Mark::Unasked | Mark::Counts => None,
        }
    }

    /// What is told of it, by key: its columns, then where it is from.
    pub(super) fn told(self) -> Vec<(Cow<'c, str>, Told<'c>)> {
        let (row, layer) = (self.row, self.open.layer(self.row));
        let text = |text: &'c str| Told::Text(Cow::from(text));
        let mut told = vec![(Cow::from("kind"), text(row.kind().singular()))];
        let blank = |module: &str| module.trim().is_empty();
        if row.get("module").is_none_or(blank) {
            told.push((Cow::from("module"), text(row.module())));
        }
        let known = COLUMNS
            .iter()
            .filter_map(|column| Some((*column, row.get(column)?)));
        let others = row.fields().filter(|(column, _)| !COLUMNS.contains(column));
        for (column, value) in known
            .chain(others)
            .filter(|(column, value)| *column != "module" || !blank(value))
        {
            let taken = OWN_KEYS.contains(&column);
            told.push((
                if taken {
                    Cow::from(other_name(column))
                } else {
                    Cow::from(column)
                },
                text(value),
            ));
        }
        told.push((Cow::from("layer"), text(layer.kind.word())));
        told.extend(
            layer
                .remote
                .as_deref()
                .map(|remote| (Cow::from("remote"), text(remote))),
        );
        let path = |path: PathBuf| Told::Text(Cow::from(path.display().to_string()));
        told.push((Cow::from("manifest"), path(self.open.manifest_path(row))));
        told.push((
            Cow::from("file"),
            self.open.path_of(row).map_or(Told::Nothing, path),
        ));
        if !matches!(self.standing, Mark::Unasked) {
            let by = self.shadowed_by();
            told.push((Cow::from("shadowed"), Told::Flag(by.is_some())));
            told.extend(by.map(|by| (Cow::from("shadowedBy"), Told::Text(Cow::from(by)))));
        }
        told
    }

    fn origin(self, sources: &SourceMap) -> String {
        let node = self.row.node();
        let line = sources.line(node.document().source(), node.span().start);
        let file = &self.open.file(self.row).shown;
        let mut told = format!(
            "{} {}: {}, {file}:{line}",
            self.row.kind(),
            self.row.label(),
            self.layer()
        );
        if let Some(by) = self.shadowed_by() {
            told.push_str(&format!(", shadowed by {by}"));
        }
        told
    }
}
