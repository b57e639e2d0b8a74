//! What a catalog promises, for manifests of any content.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use std::collections::BTreeMap;
use std::sync::Arc;

use agpm_catalog::{
    Catalog, CatalogEntry, CatalogManifest, CsvTable, ENTRY_KINDS, EntryFilter, EntryKind, RowId,
    RowRef, read_manifest,
};
use agpm_diag::SourceMap;
use agpm_merge::{Composition, Contribution, MergePolicy, ReferencePolicy, fold_parts};
use agpm_model::LayerName;
use agpm_text::{Format, Limits, NodeId, parse, to_value};
use proptest::prelude::*;

/// A manifest as somebody means it; how it is written is a matter of style.
#[derive(Clone, Debug)]
struct Sheet {
    kind: EntryKind,
    /// The module whose directory it is in; empty for the whole catalog.
    directory: &'static str,
    columns: Vec<&'static str>,
    rows: Vec<Vec<String>>,
    style: Style,
}

/// Ways to write the same fields.
#[derive(Clone, Copy, Debug)]
enum Style {
    /// Quotes only where they are needed.
    Bare,
    /// Quotes everywhere.
    Quoted,
    /// Spaces around fields, blank lines, a mark at the beginning, and the line ends of another system.
    Airy,
}

type Identity = (EntryKind, String, String);
type Record = Vec<(String, String)>;

const COLUMNS: [&str; 7] = [
    "title",
    "module",
    "path",
    "canonicalId",
    "x",
    "odd, one",
    " y",
];

fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[a-c]{0,3}",
        1 => "[ ,\"\r\nab\u{e9}\u{1f389}]{0,6}",
    ]
}

fn any_sheet() -> impl Strategy<Value = Sheet> {
    let kind = prop::sample::select(ENTRY_KINDS[..2].to_vec());
    let directory = prop::sample::select(vec!["", "m"]);
    let columns = prop::sample::subsequence(COLUMNS.to_vec(), 0..COLUMNS.len()).prop_shuffle();
    let style = prop::sample::select(vec![Style::Bare, Style::Quoted, Style::Airy]);
    (kind, directory, columns, 0..8_usize, style).prop_flat_map(
        |(kind, directory, mut columns, name_at, style)| {
            columns.insert(name_at.min(columns.len()), "name");
            let row: Vec<BoxedStrategy<String>> =
                columns.iter().map(|column| any_field(column)).collect();
            prop::collection::vec(row, 0..6).prop_map(move |rows| Sheet {
                kind,
                directory,
                columns: columns.clone(),
                rows,
                style,
            })
        },
    )
}

fn any_field(column: &str) -> BoxedStrategy<String> {
    match column {
        "name" => "[a-c]".boxed(),
        "module" => "[mn]?".boxed(),
        _ => any_text().boxed(),
    }
}

fn any_sheets() -> impl Strategy<Value = Vec<Sheet>> {
    prop::collection::vec(any_sheet(), 0..5)
}

impl Sheet {
    fn text(&self) -> String {
        let columns: Vec<String> = self
            .columns
            .iter()
            .map(|column| (*column).to_owned())
            .collect();
        let lines = [&columns].into_iter().chain(&self.rows);
        let lines: Vec<String> = lines.map(|line| self.line(line)).collect();
        match self.style {
            Style::Airy => format!("\u{feff}\r\n{}\r\n", lines.join("\r\n  \r\n")),
            Style::Bare | Style::Quoted => lines.join("\n"),
        }
    }

    fn line(&self, fields: &[String]) -> String {
        let bare = |field: &str| {
            !field.is_empty() && field == field.trim() && !field.contains([',', '"', '\n', '\r'])
        };
        let quoted = |field: &String| format!("\"{}\"", field.replace('"', "\"\""));
        let one = |field: &String| match self.style {
            Style::Bare if bare(field) => field.clone(),
            Style::Bare | Style::Quoted => quoted(field),
            Style::Airy if bare(field) => format!(" {field}\t"),
            Style::Airy => format!("\t{} ", quoted(field)),
        };
        fields.iter().map(one).collect::<Vec<_>>().join(",")
    }

    fn identity(&self, row: &[String]) -> Identity {
        let field = |wanted: &str| {
            let at = self.columns.iter().position(|column| *column == wanted);
            at.map_or("", |at| row[at].as_str())
        };
        let module = if field("module").is_empty() {
            self.directory
        } else {
            field("module")
        };
        (self.kind, module.to_owned(), field("name").to_owned())
    }

    fn record(&self, row: &[String]) -> Record {
        self.columns
            .iter()
            .map(|column| (*column).to_owned())
            .zip(row.iter().cloned())
            .collect()
    }

    /// Every row of it with its identity, the upper ones first.
    fn records(&self) -> Vec<(Identity, Record)> {
        self.rows
            .iter()
            .map(|row| (self.identity(row), self.record(row)))
            .collect()
    }
}

fn manifest(
    sources: &mut SourceMap,
    kind: EntryKind,
    directory: &str,
    text: &str,
) -> CatalogManifest {
    let parsed = parse(sources.add("x", text), text, Format::Csv, Limits::default());
    let (manifest, found) = read_manifest(parsed, kind, directory);
    assert!(found.is_empty(), "{found:?}\n{text}");
    manifest.unwrap()
}

fn catalog(sheets: &[Sheet]) -> Catalog {
    let mut sources = SourceMap::default();
    let read = |sheet: &Sheet| manifest(&mut sources, sheet.kind, sheet.directory, &sheet.text());
    Catalog::new(sheets.iter().map(read).collect()).0
}

fn record(row: RowRef<'_>) -> Record {
    row.fields()
        .map(|(column, field)| (column.to_owned(), field.to_owned()))
        .collect()
}

fn identity(row: RowRef<'_>) -> Identity {
    (row.kind(), row.module().to_owned(), row.name().to_owned())
}

/// What a catalog lists, in its order.
fn listed(catalog: &Catalog) -> Vec<(Identity, Record)> {
    let summary = |entry: &CatalogEntry| {
        (
            identity(catalog.winner(entry)),
            record(catalog.winner(entry)),
        )
    };
    catalog.entries().iter().map(summary).collect()
}

fn csv(catalog: &Catalog, kind: EntryKind) -> String {
    let filter = EntryFilter {
        kind: Some(kind),
        ..EntryFilter::default()
    };
    let rows: Vec<RowRef<'_>> = catalog
        .filtered(&filter)
        .map(|(_, entry)| catalog.winner(entry))
        .collect();
    let table = CsvTable::new(catalog, rows.iter().copied());
    let mut text = String::new();
    table.write_header(&[], &mut text);
    rows.iter()
        .for_each(|row| table.write_row(*row, &[], &mut text));
    text
}

proptest! {
    #[test]
    fn selection_agrees_with_a_plain_model(sheets in any_sheets()) {
        let mut model: BTreeMap<Identity, Vec<Record>> = BTreeMap::new();
        for (identity, record) in sheets.iter().flat_map(Sheet::records) {
            model.entry(identity).or_default().push(record);
        }
        let catalog = catalog(&sheets);
        let rows = |entry: &CatalogEntry| {
            let ranked = [&entry.winner].into_iter().chain(catalog.shadowed(entry));
            ranked.map(|row: &RowId| record(catalog.row(*row))).collect::<Vec<_>>()
        };
        let real: Vec<(Identity, Vec<Record>)> =
            catalog.entries().iter().map(|entry| (identity(catalog.winner(entry)), rows(entry))).collect();
        prop_assert_eq!(real, model.into_iter().collect::<Vec<_>>());
    }

    #[test]
    fn a_lower_layer_never_changes_a_row_that_a_higher_one_has(sheets in any_sheets(), lower in any_sheets()) {
        let before: BTreeMap<Identity, Record> = listed(&catalog(&sheets)).into_iter().collect();
        let after: BTreeMap<Identity, Record> =
            listed(&catalog(&[sheets, lower].concat())).into_iter().collect();
        for (identity, record) in before {
            prop_assert_eq!(after.get(&identity), Some(&record));
        }
    }

    #[test]
    fn an_empty_layer_changes_nothing(sheets in any_sheets(), empty in any_sheet(), at in 0..5_usize) {
        let mut more = sheets.clone();
        more.insert(at.min(sheets.len()), Sheet { rows: Vec::new(), ..empty });
        let (plain, more) = (catalog(&sheets), catalog(&more));
        prop_assert_eq!(listed(&plain), listed(&more));
        for kind in ENTRY_KINDS.into_iter().filter(|kind| listed(&plain).iter().any(|(of, _)| of.0 == *kind)) {
            prop_assert_eq!(csv(&plain, kind), csv(&more, kind));
        }
    }

    #[test]
    fn the_order_of_rows_across_identities_does_not_matter(
        sheets in any_sheets(),
        order in prop::collection::vec(any::<u8>(), 27),
    ) {
        let path = |(_, module, name): Identity| {
            let number = |text: &str| text.bytes().next().map_or(0, |byte| usize::from(byte) % 3);
            order[number(&module) * 3 + number(&name)]
        };
        let mixed: Vec<Sheet> = sheets
            .iter()
            .map(|sheet| {
                let mut mixed = sheet.clone();
                mixed.rows.sort_by_key(|row| path(sheet.identity(row)));
                mixed
            })
            .collect();
        prop_assert_eq!(listed(&catalog(&sheets)), listed(&catalog(&mixed)));
    }

    #[test]
    fn every_listed_row_is_a_row_of_one_manifest(sheets in any_sheets()) {
        let catalog = catalog(&sheets);
        for entry in catalog.entries() {
            let (row, sheet) = (catalog.winner(entry), &sheets[entry.winner.manifest as usize]);
            let text = sheet.text();
            let written = &text[row.node().span().range()];
            let rows: Vec<String> = sheet.rows.iter().map(|row| sheet.line(row)).collect();
            prop_assert!(rows.iter().any(|line| line.trim() == written.trim()), "{written:?} in {rows:?}");
            prop_assert!(sheet.rows.iter().any(|fields| sheet.record(fields) == record(row)));
        }
    }

    #[test]
    fn csv_output_is_a_catalog_file_of_the_same_rows(sheets in any_sheets()) {
        let catalog = catalog(&sheets);
        for kind in ENTRY_KINDS {
            let text = csv(&catalog, kind);
            if text.is_empty() {
                continue;
            }
            let (again, findings) = Catalog::new(vec![manifest(&mut SourceMap::default(), kind, "", &text)]);
            prop_assert!(findings.is_empty(), "{findings:?}\n{text}");
            prop_assert_eq!(csv(&again, kind), text);
            let described_all = |listed: Vec<(Identity, Record)>| -> Vec<(Identity, Record)> {
                listed.into_iter().map(|(identity, record)| (identity, described(record))).collect()
            };
            let of_kind = listed(&catalog).into_iter().filter(|(of, _)| of.0 == kind).collect();
            prop_assert_eq!(described_all(listed(&again)), described_all(of_kind));
        }
    }

    #[test]
    fn the_listing_equals_the_selection_of_the_engine(sheets in any_sheets()) {
        let catalog = catalog(&sheets);
        let policy = MergePolicy { composition: Composition::Select, references: ReferencePolicy::LENIENT };
        for entry in catalog.entries() {
            let wanted = identity(catalog.winner(entry));
            let upper = |at: usize| catalog.rows_of(at).find(|row| identity(*row) == wanted);
            let units = (0..sheets.len()).rev().filter_map(upper).map(|row| unit(&catalog, row)).collect();
            let resolution = fold_parts(units, &policy);
            let selected = resolution.root().map(to_value);
            prop_assert_eq!(selected, Some(to_value(catalog.winner(entry).node())));
        }
    }
}

/// What a record says, whatever columns stand around it; its module is part of the identity.
fn described(record: Record) -> Record {
    let mut fields: Record = record
        .into_iter()
        .filter(|(column, field)| column != "module" && !field.is_empty())
        .collect();
    fields.sort();
    fields
}

fn unit(catalog: &Catalog, row: RowRef<'_>) -> (Contribution, NodeId) {
    let layer = LayerName::new(&format!("layer{}", row.manifest_index())).unwrap();
    let document = Arc::clone(catalog.manifests()[row.manifest_index()].document());
    (Contribution { layer, document }, row.node().id())
}
