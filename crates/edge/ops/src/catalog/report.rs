//! `agpm catalog`: the rows that count, and those that they shadow.

use std::borrow::Cow;

use agpm_catalog::{COLUMNS, Entry, Filter, RowId, RowRef, Table, to_csv};
use agpm_diag::{Diagnostic, SourceMap, codes};
use agpm_text::Value;

use crate::catalog::ground::{CatalogPlaces, LayerKind};
use crate::catalog::open::{OpenCatalog, open};
use crate::failure::{Failure, Notes, Outcome};
use crate::world::World;

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
    standing: Mark<'c>,
}

/// Whether a row counts.
#[derive(Clone, Copy, Debug)]
enum Mark<'c> {
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

fn list(world: &World, request: &CatalogRequest, notes: &mut Notes) -> Result<CatalogReport, Failure> {
    let catalog = open(world, &request.places, notes)?;
    let left_out = notes.diagnostics.iter().any(|told| told.code == &codes::CATALOG_MALFORMED);
    if catalog.files.is_empty() && !left_out {
        notes.diagnostics.push(nowhere(&request.places));
    }
    let rows = catalog.listed(&request.filter, request.shadowed);
    Ok(CatalogReport { catalog, rows, shadowed: request.shadowed })
}

fn nowhere(places: &CatalogPlaces) -> Diagnostic {
    let kinds = [
        (LayerKind::Project, "this folder and those above"),
        (LayerKind::User, "home"),
        (LayerKind::Git, "the remotes"),
    ];
    let looked = kinds.into_iter().filter(|(kind, _)| places.mode.has(*kind)).map(|(_, place)| place);
    let message = format!("no catalog was found in {}", looked.collect::<Vec<_>>().join(", "));
    let help = "a catalog is a manifest such as `bmad/_cfg/agent-manifest.csv`";
    Diagnostic::new(&codes::CATALOG_EMPTY, message).help(help)
}

impl OpenCatalog {
    fn listed(&self, filter: &Filter, shadowed: Shadowed) -> Vec<Listed> {
        let mut rows = Vec::new();
        for entry in self.catalog.filtered(filter) {
            rows.push(Listed { row: entry.winner, instead: None });
            if shadowed == Shadowed::Listed {
                let lower = self.catalog.shadowed(entry).iter();
                rows.extend(lower.map(|row| Listed { row: *row, instead: Some(entry.winner) }));
            }
        }
        rows
    }

    /// The entries that fit, as they are told.
    pub fn rows<'c>(&'c self, filter: &'c Filter) -> impl Iterator<Item = CatalogRow<'c>> {
        self.catalog.filtered(filter).map(|entry| self.told(entry))
    }

    fn told(&self, entry: &Entry) -> CatalogRow<'_> {
        CatalogRow { open: self, row: self.catalog.winner(entry), standing: Mark::Unasked }
    }

    /// The entries that fit as CSV, as `agpm catalog --format csv` prints them.
    pub fn csv(&self, filter: &Filter) -> String {
        self.csv_of(&self.listed(filter, Shadowed::Hidden), Shadowed::Hidden)
    }

    fn csv_of(&self, listed: &[Listed], shadowed: Shadowed) -> String {
        let rows: Vec<RowRef<'_>> = listed.iter().map(|listed| self.catalog.row(listed.row)).collect();
        let table = Table::new(self.catalog.manifests(), &rows);
        let mut head: Vec<Cow<'_, str>> = table.columns().iter().map(|column| Cow::from(*column)).collect();
        if shadowed == Shadowed::Listed {
            let ours = |column: &&mut Cow<'_, str>| MARKS.contains(&column.as_ref());
            head.iter_mut().filter(ours).for_each(|column| *column = other_key(column).into());
            head.extend(MARKS.map(Cow::from));
        }
        let marks: Vec<(String, String)> = match shadowed {
            Shadowed::Hidden => Vec::new(),
            Shadowed::Listed => {
                let label = |row: RowId| self.layer(self.catalog.row(row)).label();
                let mark =
                    |listed: &Listed| (label(listed.row), listed.instead.map(label).unwrap_or_default());
                listed.iter().map(mark).collect()
            }
        };
        let fields = rows.iter().enumerate().map(|(index, row)| {
            let own = table.fields(*row);
            own.chain(marks.get(index).into_iter().flat_map(|(layer, by)| [layer.as_str(), by.as_str()]))
        });
        let head: Vec<&str> = head.iter().map(AsRef::as_ref).collect();
        to_csv(&head, fields)
    }
}

impl CatalogReport {
    /// The rows, in order.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = CatalogRow<'_>> {
        let open = &self.catalog;
        self.rows.iter().map(move |listed| {
            let standing = match (listed.instead, self.shadowed) {
                (Some(row), _) => Mark::Shadowed(open.catalog.row(row)),
                (None, Shadowed::Listed) => Mark::Counts,
                (None, Shadowed::Hidden) => Mark::Unasked,
            };
            CatalogRow { open, row: open.catalog.row(listed.row), standing }
        })
    }

    /// As CSV.
    pub fn csv(&self) -> String {
        self.catalog.csv_of(&self.rows, self.shadowed)
    }

    /// The fields of a report.
    pub fn fields(&self) -> Vec<(&'static str, Value)> {
        vec![("rows", Value::list(self.rows().map(CatalogRow::value)))]
    }

    /// Which layer each entry came from, line by line.
    pub fn origins(&self, sources: &SourceMap) -> Vec<String> {
        self.rows().map(|row| row.origin(sources)).collect()
    }
}

/// Keys of a row that are ours; a column of that name is told under another one.
const OWN_KEYS: [&str; 7] = ["kind", "layer", "remote", "manifest", "file", "shadowed", "shadowedBy"];

/// Those of them that are columns where shadowed rows are listed.
const MARKS: [&str; 2] = ["layer", "shadowedBy"];

/// What a column is called whose name is taken.
fn other_key(column: &str) -> String {
    format!("column:{column}")
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

    /// As a value: its columns, then where it is from.
    pub fn value(self) -> Value {
        let text = |value: &str| Value::from(value);
        let mut map: Vec<(String, Value)> = vec![("kind".to_owned(), text(self.row.kind().singular()))];
        let blank = |module: &str| module.trim().is_empty();
        if self.row.get("module").is_none_or(blank) {
            map.push(("module".to_owned(), text(self.row.module())));
        }
        let known = COLUMNS.iter().filter_map(|column| Some((*column, self.row.get(column)?)));
        let others = self.row.fields().filter(|(column, _)| !COLUMNS.contains(column));
        for (column, value) in known.chain(others) {
            if column == "module" && blank(value) {
                continue;
            }
            let key = if OWN_KEYS.contains(&column) { other_key(column) } else { column.to_owned() };
            map.push((key, text(value)));
        }
        let layer = self.open.layer(self.row);
        map.push(("layer".to_owned(), text(layer.kind.word())));
        map.extend(layer.remote.as_deref().map(|remote| ("remote".to_owned(), text(remote))));
        let manifest = self.open.manifest_path(self.row);
        map.push(("manifest".to_owned(), manifest.display().to_string().into()));
        let file = self.open.path_of(self.row).ok().map(|path| path.display().to_string());
        map.push(("file".to_owned(), file.into()));
        if !matches!(self.standing, Mark::Unasked) {
            let by = self.shadowed_by();
            map.push(("shadowed".to_owned(), by.is_some().into()));
            map.extend(by.map(|by| ("shadowedBy".to_owned(), by.into())));
        }
        Value::Map(map)
    }

    fn origin(self, sources: &SourceMap) -> String {
        let node = self.row.node();
        let line = sources.line(node.document().source(), node.span().start);
        let file = &self.open.file(self.row).shown;
        let mut told = format!("{} {}: {}, {file}:{line}", self.row.kind(), self.row.label(), self.layer());
        if let Some(by) = self.shadowed_by() {
            told.push_str(&format!(", shadowed by {by}"));
        }
        told
    }
}
