//! `list`: rows of one kind, filtered and in pages.

use std::borrow::Cow;

use agpm_app::bottle::{BottleInput, bottle_list};
use agpm_app::lineage::personas;
use agpm_catalog::{ENTRY_KINDS, EntryFilter as CatalogFilter, EntryKind};
use agpm_diag::WarningPolicy;
use agpm_model::{RESOURCE_TYPES, ResourceType};
use rmcp::ErrorData;
use rmcp::model::CallToolResult;
use serde_json::{Map, Value as Json, json};

use crate::answer::{OperationFailure, ToolAnswer, annotate_report, succeeded};
use crate::catalog::EffectiveRow;
use crate::json::json as json_of;
use crate::kind::ItemKind;
use crate::paging::{PageRequest, page};
use crate::protocol::error::PARAMETERS;

use crate::shared::{PERSONA_PLACE, SharedState};
use crate::tool::arguments::ListQuery;

/// A row that matches.
enum MatchingRow<'a> {
    /// A row with its key and value.
    Known(&'a str, &'a Json),
    /// A row of the catalog. Its value is made only if the row is sent.
    Catalog(EffectiveRow<'a>),
}

impl MatchingRow<'_> {
    fn key(&self) -> Cow<'_, str> {
        match self {
            MatchingRow::Known(key, _) => Cow::from(*key),
            MatchingRow::Catalog(row) => Cow::from(row.key()),
        }
    }

    fn value(&self) -> Json {
        match self {
            MatchingRow::Known(_, value) => (*value).clone(),
            MatchingRow::Catalog(row) => row.value(),
        }
    }

    /// A few words about the row.
    fn about(&self) -> String {
        match self {
            MatchingRow::Known(_, value) => {
                value["version"].as_str().unwrap_or_default().to_owned()
            }
            MatchingRow::Catalog(row) => row.description().unwrap_or_default(),
        }
    }
}

pub(super) fn list(shared: &SharedState, listing: &ListQuery) -> ToolAnswer {
    if listing.module.is_some() && !matches!(listing.kind, None | Some(ItemKind::Catalog(_))) {
        return Err(PARAMETERS.error("`module` applies only to catalog kinds"));
    }
    let found = match listing.kind {
        None | Some(ItemKind::Catalog(_)) => {
            let (filter, query) = (filter_of(listing), listing.query.as_deref());
            shared.catalog().map(|view| {
                let rows: Vec<MatchingRow<'_>> = view
                    .found(&filter, query, listing.shadowed)
                    .map(MatchingRow::Catalog)
                    .collect();
                if rows.is_empty() && listing.kind.is_none() {
                    Ok(other_kinds(&counts(shared), &view.diagnostics))
                } else {
                    paginate(rows, listing, &view.diagnostics)
                }
            })
        }
        Some(ItemKind::Installed(kind)) => shared.installed().map(|view| {
            let rows = view
                .rows
                .iter()
                .filter(|row| kind.is_none_or(|kind| row.kind == kind));
            let rows = rows.map(|row| (row.name.as_str(), row.label.as_str(), &row.value));
            paginate(of_names(rows, listing), listing, &view.diagnostics)
        }),
        Some(kind) => others(shared, kind).map(|(rows, diagnostics)| {
            let rows = rows
                .iter()
                .map(|(name, value)| (name.as_str(), name.as_str(), value));
            paginate(of_names(rows, listing), listing, &diagnostics)
        }),
    };
    match found {
        Ok(page) => page.map(Ok),
        Err(failed) => Ok(Err(failed)),
    }
}

/// The number of items of every kind, without kinds that cannot be listed.
fn counts(shared: &SharedState) -> Vec<(String, usize)> {
    let mut counts: Vec<(String, usize)> = Vec::new();
    if let Ok(view) = shared.catalog() {
        let count = |kind: EntryKind| (ItemKind::Catalog(kind).word(), view.of_kind(kind).count());
        counts.extend(ENTRY_KINDS.map(count));
    }
    if let Ok(view) = shared.installed() {
        let count = |kind: ResourceType| {
            let rows = view.rows.iter().filter(|row| row.kind == kind);
            (ItemKind::Installed(Some(kind)).word(), rows.count())
        };
        counts.extend(RESOURCE_TYPES.map(count));
    }
    for kind in [ItemKind::Persona, ItemKind::Bottle, ItemKind::BottleAgent] {
        counts.extend(names_of(shared, kind).map(|names| (kind.word(), names.len())));
    }
    counts.retain(|(_, count)| *count > 0);
    counts
}

/// The result without a match in the catalog: a client that names no kind may not know the others.
fn other_kinds(counts: &[(String, usize)], diagnostics: &[Json]) -> CallToolResult {
    let named: Vec<String> = counts
        .iter()
        .map(|(kind, count)| format!("{kind} ({count})"))
        .collect();
    let text = if named.is_empty() {
        "No matching catalog entry, and nothing is installed.\n".to_owned()
    } else {
        format!(
            "No matching catalog entry. Set `kind` to list others: {}.\n",
            named.join(", ")
        )
    };
    let kinds: Map<String, Json> = counts
        .iter()
        .map(|(kind, count)| (kind.clone(), (*count).into()))
        .collect();
    let value =
        json!({ "ok": true, "rows": [], "total": 0, "kinds": kinds, "diagnostics": diagnostics });
    succeeded(value, text)
}

fn filter_of(listing: &ListQuery) -> CatalogFilter {
    let kind = match listing.kind {
        Some(ItemKind::Catalog(kind)) => Some(kind),
        _ => None,
    };
    CatalogFilter {
        kind,
        module: listing.module.clone(),
    }
}

/// Rows by name, each with its key and value.
fn of_names<'r>(
    rows: impl Iterator<Item = (&'r str, &'r str, &'r Json)>,
    listing: &ListQuery,
) -> Vec<MatchingRow<'r>> {
    let query = listing.query.as_ref().map(|query| query.to_lowercase());
    let fits = |name: &str| {
        query
            .as_ref()
            .is_none_or(|query| name.to_lowercase().contains(query))
    };
    let listed = |(_, key, value): (&str, &'r str, &'r Json)| MatchingRow::Known(key, value);
    rows.filter(|(name, ..)| fits(name)).map(listed).collect()
}

/// Rows with their names, and diagnostics.
type Named = (Vec<(String, Json)>, Vec<Json>);

fn others(shared: &SharedState, kind: ItemKind) -> Result<Named, OperationFailure> {
    let world = &shared.world;
    if kind == ItemKind::Persona {
        let annotated = annotate_report(personas(world, &PERSONA_PLACE, WarningPolicy::Report))?;
        let rows = annotated
            .report
            .personas
            .iter()
            .map(|row| (row.slug.to_string(), json_of(row)));
        return Ok((rows.collect(), annotated.diagnostics()));
    }
    let annotated = annotate_report(bottle_list(world, &BottleInput::default()))?;
    let rows = match kind {
        ItemKind::BottleAgent => annotated
            .report
            .agents
            .iter()
            .map(|row| (row.name.to_string(), json_of(row)))
            .collect(),
        _ => annotated
            .report
            .bottles
            .iter()
            .map(|row| (row.name.to_string(), json_of(row)))
            .collect(),
    };
    Ok((rows, annotated.diagnostics()))
}

/// The names of a kind that is neither in the catalog nor installed.
pub(crate) fn names_of(
    shared: &SharedState,
    kind: ItemKind,
) -> Result<Vec<String>, OperationFailure> {
    Ok(others(shared, kind)?
        .0
        .into_iter()
        .map(|(name, _)| name)
        .collect())
}

fn paginate(
    rows: Vec<MatchingRow<'_>>,
    listing: &ListQuery,
    diagnostics: &[Json],
) -> Result<CallToolResult, ErrorData> {
    let list = listing
        .kind
        .map_or_else(|| "catalog".to_owned(), ItemKind::word);
    let asked = PageRequest {
        list: &list,
        cursor: listing.cursor.as_deref(),
        size: listing.limit,
    };
    let page = page(&rows, asked, MatchingRow::key)?;
    Ok(answer(page.items, rows.len(), page.next, diagnostics))
}

fn answer(
    rows: &[MatchingRow<'_>],
    total: usize,
    next: Option<String>,
    diagnostics: &[Json],
) -> CallToolResult {
    let line = |row: &MatchingRow<'_>| match row.about().as_str() {
        "" => format!("{}\n", row.key()),
        about => format!("{}: {about}\n", row.key()),
    };
    let mut text: String = rows.iter().map(line).collect();
    match (rows.len(), &next) {
        (0, _) => text.push_str("No results\n"),
        (shown, Some(_)) => text.push_str(&format!("{shown} of {total}; use `cursor` for more\n")),
        _ => {}
    }
    let values: Vec<Json> = rows.iter().map(MatchingRow::value).collect();
    let mut value = json!({ "ok": true, "rows": values, "total": total });
    if let Some(next) = next {
        value["nextCursor"] = next.into();
    }
    value["diagnostics"] = diagnostics.to_vec().into();
    succeeded(value, text)
}
