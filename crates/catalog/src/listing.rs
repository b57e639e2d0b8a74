//! The rows that apply, and those that they shadow, as they are reported.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::PathBuf;

use agpm_diag::{Diagnostic, SourceMap, codes, did_you_mean};
use serde::{Serialize, Serializer};

use crate::columns::COLUMNS;
use crate::content::CatalogContent;
use crate::csv::{CsvTable, other_name};
use crate::find::EntryFilter;
use crate::kind::EntryKind;
use crate::layer::{CatalogMode, LayerKind};
use crate::row::{RowId, RowRef};
use crate::select::CatalogEntry;

/// Columns about the status of a row.
const MARKS: [&str; 2] = ["layer", "shadowedBy"];

/// Whether shadowed rows are listed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ShadowedRows {
    /// Overridden rows are hidden.
    #[default]
    Hidden,
    /// Overridden rows are listed and marked.
    Listed,
}

/// A row of the list.
#[derive(Clone, Copy, Debug)]
pub struct ListedRow {
    row: RowId,
    /// The row that applies instead.
    instead: Option<RowId>,
}

/// A row as it is reported.
#[derive(Clone, Copy, Debug)]
pub struct CatalogRow<'c> {
    content: &'c CatalogContent<'c>,
    row: RowRef<'c>,
    pub(crate) standing: RowStatus<'c>,
}

/// One thing that is reported of a row.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub(crate) enum CellValue<'c> {
    /// Text.
    Text(Cow<'c, str>),
    /// A boolean.
    Flag(bool),
    /// That there is none.
    Nothing,
}

/// Whether a row applies.
#[derive(Clone, Copy, Debug)]
pub(crate) enum RowStatus<'c> {
    /// It applies, and overridden rows were not requested.
    Unasked,
    /// The row applies.
    Counts,
    /// This one applies instead.
    Shadowed(RowRef<'c>),
}

/// The finding where no catalog was found.
pub fn empty_catalog(mode: CatalogMode, kind: Option<EntryKind>) -> Diagnostic {
    let kinds = [
        (LayerKind::Project, "the project"),
        (LayerKind::User, "home"),
        (LayerKind::Git, "the remotes"),
    ];
    let searched = kinds
        .into_iter()
        .filter(|(kind, _)| mode.has(*kind))
        .map(|(_, place)| place);
    let what = kind.map_or_else(
        || "catalog".to_owned(),
        |kind| format!("catalog of {}", kind.plural()),
    );
    let searched: Vec<&str> = searched.collect();
    let message = match searched.split_last() {
        Some((last, [])) => format!("no {what} found in {last}"),
        Some((last, others)) => format!("no {what} found in {} or {last}", others.join(", ")),
        None => format!("no {what} found"),
    };
    let name = kind.unwrap_or(EntryKind::Agent).manifest_name();
    Diagnostic::new(&codes::CATALOG_EMPTY, message)
        .help(format!("a catalog is a file such as `bmad/_cfg/{name}`"))
}

/// The finding about a module without entries; it is probably mistyped.
pub fn unknown_module(content: &CatalogContent<'_>, filter: &EntryFilter) -> Option<Diagnostic> {
    let wanted = filter.module.as_deref()?;
    let rows = content
        .catalog
        .entries()
        .iter()
        .map(|entry| content.catalog.winner(entry).module());
    let modules: BTreeSet<&str> = rows.filter(|module| !module.is_empty()).collect();
    if content.catalog.entries().is_empty() || modules.contains(wanted) {
        return None;
    }
    let mut note = Diagnostic::new(
        &codes::CATALOG_EMPTY,
        format!("no entry has the module `{wanted}`"),
    );
    note.help = did_you_mean(wanted, "modules are", modules.iter().copied())
        .or_else(|| Some("run `agpm catalog` to list all entries".to_owned()));
    Some(note)
}

impl CatalogContent<'_> {
    /// The rows that a filter lets through.
    pub fn listed(&self, filter: &EntryFilter, shadowed: ShadowedRows) -> Vec<ListedRow> {
        let mut rows = Vec::new();
        for (_, entry) in self.catalog.filtered(filter) {
            rows.push(ListedRow {
                row: entry.winner,
                instead: None,
            });
            if shadowed == ShadowedRows::Listed {
                let lower = self.catalog.shadowed(entry).iter();
                rows.extend(lower.map(|row| ListedRow {
                    row: *row,
                    instead: Some(entry.winner),
                }));
            }
        }
        rows
    }

    /// The entries that fit, as they are reported, each with its location among all.
    pub fn rows<'c>(
        &'c self,
        filter: &'c EntryFilter,
    ) -> impl Iterator<Item = (usize, CatalogRow<'c>)> {
        self.catalog
            .filtered(filter)
            .map(|(at, entry)| (at, self.row_of(entry)))
    }

    /// The entry at a location, and after it the rows that it shadows.
    pub fn rows_at(&self, place: usize) -> impl Iterator<Item = CatalogRow<'_>> {
        let entries = self.catalog.entries().get(place).into_iter();
        entries.flat_map(move |entry| {
            let winner = self.catalog.winner(entry);
            let row = move |row, standing| CatalogRow {
                content: self,
                row,
                standing,
            };
            let lower = self
                .catalog
                .shadowed(entry)
                .iter()
                .map(|lower| self.catalog.row(*lower));
            [row(winner, RowStatus::Counts)]
                .into_iter()
                .chain(lower.map(move |lower| row(lower, RowStatus::Shadowed(winner))))
        })
    }

    fn row_of(&self, entry: &CatalogEntry) -> CatalogRow<'_> {
        CatalogRow {
            content: self,
            row: self.catalog.winner(entry),
            standing: RowStatus::Unasked,
        }
    }

    /// A row of a list as it is reported.
    pub fn reported(&self, listed: ListedRow, shadowed: ShadowedRows) -> CatalogRow<'_> {
        let standing = match (listed.instead, shadowed) {
            (Some(row), _) => RowStatus::Shadowed(self.catalog.row(row)),
            (None, ShadowedRows::Listed) => RowStatus::Counts,
            (None, ShadowedRows::Hidden) => RowStatus::Unasked,
        };
        CatalogRow {
            content: self,
            row: self.catalog.row(listed.row),
            standing,
        }
    }

    /// The columns of a list as CSV, and its first line.
    pub fn csv_table(
        &self,
        listed: &[ListedRow],
        shadowed: ShadowedRows,
    ) -> (CsvTable<'_>, String) {
        let rows = listed.iter().map(|listed| self.catalog.row(listed.row));
        let table = CsvTable::new(&self.catalog, rows);
        let marks: &[&str] = match shadowed {
            ShadowedRows::Listed => &MARKS,
            ShadowedRows::Hidden => &[],
        };
        let mut header = String::new();
        table.write_header(marks, &mut header);
        (table, header)
    }

    /// Rows as lines of CSV.
    pub fn csv_lines(
        &self,
        table: &CsvTable<'_>,
        rows: &[ListedRow],
        shadowed: ShadowedRows,
    ) -> String {
        let label = |row: RowId| self.layer(self.catalog.row(row)).label();
        let mut text = String::new();
        for one in rows {
            let row = self.catalog.row(one.row);
            match shadowed {
                ShadowedRows::Hidden => table.write_row(row, &[], &mut text),
                ShadowedRows::Listed => {
                    let (layer, by) = (label(one.row), one.instead.map(label).unwrap_or_default());
                    table.write_row(row, &[&layer, &by], &mut text);
                }
            }
        }
        text
    }
}

/// Keys that agpm adds to a row; a column of that name is printed under another one.
pub(crate) const OWN_KEYS: [&str; 7] = [
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
        agpm_text::pairs(&self.fields(), serializer)
    }
}

impl<'c> CatalogRow<'c> {
    /// The row itself.
    pub fn row(self) -> RowRef<'c> {
        self.row
    }

    /// The layer it is from.
    pub fn layer(self) -> String {
        self.content.layer(self.row).label()
    }

    /// The layer that shadows it.
    pub fn shadowed_by(self) -> Option<String> {
        match self.standing {
            RowStatus::Shadowed(row) => Some(self.content.layer(row).label()),
            RowStatus::Unasked | RowStatus::Counts => None,
        }
    }

    /// The fields to print, by key: its columns, then its origin.
    pub(crate) fn fields(self) -> Vec<(Cow<'c, str>, CellValue<'c>)> {
        let (row, layer) = (self.row, self.content.layer(self.row));
        let text = |text: &'c str| CellValue::Text(Cow::from(text));
        let mut cells = vec![(Cow::from("kind"), text(row.kind().singular()))];
        let blank = |module: &str| module.trim().is_empty();
        if row.get("module").is_none_or(blank) {
            cells.push((Cow::from("module"), text(row.module())));
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
            cells.push((
                if taken {
                    Cow::from(other_name(column))
                } else {
                    Cow::from(column)
                },
                text(value),
            ));
        }
        cells.push((Cow::from("layer"), text(layer.kind.word())));
        cells.extend(
            layer
                .remote
                .as_deref()
                .map(|remote| (Cow::from("remote"), text(remote))),
        );
        let path = |path: PathBuf| CellValue::Text(Cow::from(path.display().to_string()));
        cells.push((Cow::from("manifest"), path(self.content.manifest_path(row))));
        cells.push((
            Cow::from("file"),
            self.content.path_of(row).map_or(CellValue::Nothing, path),
        ));
        if !matches!(self.standing, RowStatus::Unasked) {
            let by = self.shadowed_by();
            cells.push((Cow::from("shadowed"), CellValue::Flag(by.is_some())));
            cells.extend(by.map(|by| (Cow::from("shadowedBy"), CellValue::Text(Cow::from(by)))));
        }
        cells
    }

    /// The manifest and layer that it is from, on one line.
    pub fn origin(self, sources: &SourceMap) -> String {
        let node = self.row.node();
        let line = sources.line(node.source(), node.span().start);
        let file = &self.content.manifest_file(self.row).shown;
        let mut label = format!(
            "{} {}: {}, {file}:{line}",
            self.row.kind(),
            self.row.label(),
            self.layer()
        );
        if let Some(by) = self.shadowed_by() {
            label.push_str(&format!(", shadowed by {by}"));
        }
        label
    }
}
