//! The catalog of `ops`, as the server uses it.

use std::hash::{DefaultHasher, Hash, Hasher};

use agpm_app::catalog::{CatalogFile, CatalogSelection, OpenCatalog, open_catalog};
use agpm_app::project::world::World;
use agpm_catalog::{CatalogRow, EntryFilter as CatalogFilter, EntryKind, ShadowedRows};
use serde_json::Value as Json;

use crate::answer::{OperationFailure, annotate_report};
use crate::json::json;
use crate::limits::LARGEST_FILE;
use crate::search::SearchText;

/// Columns with a short name for people, best first.
const TITLES: [&str; 2] = ["displayName", "title"];
/// Columns with a description, best first.
const DESCRIPTIONS: [&str; 3] = ["description", "title", "role"];
/// The most characters of a title or description. Longer ones are cut.
const LONGEST: usize = 200;

/// The catalog at the time when it was read.
pub(crate) struct CatalogView {
    open: OpenCatalog,
    /// The diagnostics of its files.
    pub(crate) diagnostics: Vec<Json>,
    search: SearchText,
    everything: CatalogFilter,
    /// The digest of all rows.
    pub(crate) digest: u64,
}

impl CatalogView {
    /// Reads the catalog. Remotes are contacted once; later views keep those of the view `before`.
    pub(crate) fn open(
        world: &World,
        selection: &CatalogSelection,
        before: Option<&Self>,
    ) -> Result<Self, OperationFailure> {
        let annotated = annotate_report(open_catalog(
            world,
            selection,
            before.map(|before| &before.open),
        ))?;
        let diagnostics = annotated.diagnostics();
        let everything = CatalogFilter::default();
        let search = SearchText::new(annotated.report.content.rows(&everything).map(|(_, row)| {
            let row = row.row();
            std::iter::once(row.module()).chain(row.fields().map(|(_, value)| value))
        }));
        let mut hasher = DefaultHasher::new();
        for (_, row) in annotated.report.content.rows(&everything) {
            (row.row().kind().singular(), row.row().label()).hash(&mut hasher);
            row.row().fields().for_each(|field| field.hash(&mut hasher));
        }
        Ok(CatalogView {
            open: annotated.report,
            diagnostics,
            search,
            everything,
            digest: hasher.finish(),
        })
    }

    /// Whether the view may be used again, by the stamps of its files.
    pub(crate) fn is_current(&self) -> bool {
        self.open.is_current()
    }

    /// Whether a file changed since the catalog was read.
    pub(crate) fn has_changed(&self) -> bool {
        self.open.has_changed()
    }

    /// Every row that applies, by kind, module and name.
    pub(crate) fn rows(&self) -> impl Iterator<Item = EffectiveRow<'_>> {
        self.open
            .content
            .rows(&self.everything)
            .map(|(_, row)| EffectiveRow(row))
    }

    /// The rows of a kind.
    pub(crate) fn of_kind(&self, kind: EntryKind) -> impl Iterator<Item = EffectiveRow<'_>> {
        self.rows().filter(move |row| row.kind() == kind)
    }

    /// The rows that match a filter, and contain the query in any field and any letter case.
    pub(crate) fn found<'c>(
        &'c self,
        filter: &'c CatalogFilter,
        query: Option<&str>,
        shadowed: ShadowedRows,
    ) -> impl Iterator<Item = EffectiveRow<'c>> {
        let hits = query.map(|query| self.search.hits(query));
        let hit = move |at: usize| hits.as_ref().is_none_or(|hits| hits[at]);
        let rows = self
            .open
            .content
            .rows(filter)
            .filter(move |(at, _)| hit(*at));
        rows.flat_map(move |(at, row)| {
            let lower = (shadowed == ShadowedRows::Listed).then(|| self.open.content.rows_at(at));
            let alone = lower.is_none().then_some(row);
            alone
                .into_iter()
                .chain(lower.into_iter().flatten())
                .map(EffectiveRow)
        })
    }

    /// The file of the entry `[MODULE/]NAME`.
    pub(crate) fn read(
        &self,
        kind: Option<EntryKind>,
        reference: &str,
    ) -> Result<CatalogFile, OperationFailure> {
        annotate_report(self.open.read_file(reference, kind, LARGEST_FILE))
            .map(|annotated| annotated.report)
    }

    /// All rows of a kind as a manifest.
    pub(crate) fn csv(&self, kind: EntryKind) -> String {
        self.open.csv(&CatalogFilter {
            kind: Some(kind),
            ..CatalogFilter::default()
        })
    }
}

/// A row that applies.
#[derive(Clone, Copy)]
pub(crate) struct EffectiveRow<'c>(CatalogRow<'c>);

impl<'c> EffectiveRow<'c> {
    pub(crate) fn kind(self) -> EntryKind {
        self.0.row().kind()
    }

    pub(crate) fn module(self) -> &'c str {
        self.0.row().module()
    }

    pub(crate) fn name(self) -> &'c str {
        self.0.row().name()
    }

    /// `MODULE/NAME`, or the name alone.
    pub(crate) fn reference(self) -> String {
        self.0.row().label()
    }

    /// The key, which is unique in a list.
    pub(crate) fn key(self) -> String {
        let key = format!("{} {}", self.kind().singular(), self.reference());
        match self.0.shadowed_by() {
            Some(by) => format!("{key} ({}, shadowed by {by})", self.0.layer()),
            None => key,
        }
    }

    /// The path in the row.
    pub(crate) fn path(self) -> &'c str {
        self.0.row().path().unwrap_or_default()
    }

    /// The name for people.
    pub(crate) fn title(self) -> Option<String> {
        self.first(&TITLES)
    }

    /// The purpose of the entry.
    pub(crate) fn description(self) -> Option<String> {
        self.first(&DESCRIPTIONS)
    }

    fn first(self, columns: &[&str]) -> Option<String> {
        let cells = columns.iter().filter_map(|column| self.0.row().get(column));
        let text = cells.map(str::trim).find(|text| !text.is_empty())?;
        Some(match text.char_indices().nth(LONGEST) {
            Some((end, _)) => format!("{}…", &text[..end]),
            None => text.to_owned(),
        })
    }

    /// The row of `agpm catalog --json`.
    pub(crate) fn value(self) -> Json {
        json(&self.0)
    }
}
