//! `list`: rows of one kind, filtered and in pages.

use agpm_ops::{BottleInput, LineagePlace, Submodules, Warnings, bottle_list, personas};
use rmcp::model::CallToolResult;
use serde_json::{Value as Json, json};

use crate::answer::{Failed, succeeded, told};
use crate::catalog::CatalogRow;
use crate::json::json as json_of;
use crate::kind::Kind;
use crate::paging::{Asked, page};
use crate::shared::{InstalledRow, Shared};
use crate::tool::arguments::Listing;
use crate::tool::operations::Answer;
use crate::trouble::PARAMETERS;

/// Where personas are looked for: from the working folder upward.
pub(crate) const HERE: LineagePlace = LineagePlace { path: None, ceiling: None, submodules: Submodules::Own };

/// A row that fits.
struct Row<'a> {
    key: String,
    /// What is told of it besides its key.
    about: &'a str,
    value: &'a Json,
}

pub(super) fn list(shared: &Shared, listing: &Listing) -> Answer {
    if listing.module.is_some() && !matches!(listing.kind, None | Some(Kind::Catalog(_))) {
        return Err(PARAMETERS.error("`module` is for kinds of the catalog"));
    }
    let query = listing.query.as_ref().map(|query| query.to_lowercase());
    let query = query.as_deref();
    match listing.kind {
        None | Some(Kind::Catalog(_)) => {
            let view = match shared.catalog() {
                Ok(view) => view,
                Err(failed) => return Ok(Err(failed)),
            };
            let rows = view.rows.iter().filter(|row| wanted(row, listing, query)).map(of_catalog);
            paged(rows.collect(), listing, &view.diagnostics)
        }
        Some(Kind::Installed(kind)) => {
            let view = match shared.installed() {
                Ok(view) => view,
                Err(failed) => return Ok(Err(failed)),
            };
            let fits =
                |row: &&InstalledRow| kind.is_none_or(|kind| row.kind == kind) && has(&row.name, query);
            paged(view.rows.iter().filter(fits).map(of_installed).collect(), listing, &view.diagnostics)
        }
        Some(kind) => {
            let (rows, diagnostics) = match others(shared, kind) {
                Ok(found) => found,
                Err(failed) => return Ok(Err(failed)),
            };
            let fitting = rows.iter().filter(|(name, _)| has(name, query));
            let rows = fitting.map(|(name, value)| Row { key: name.clone(), about: "", value });
            paged(rows.collect(), listing, &diagnostics)
        }
    }
}

fn has(text: &str, query: Option<&str>) -> bool {
    query.is_none_or(|query| text.to_lowercase().contains(query))
}

fn wanted(row: &CatalogRow, listing: &Listing, query: Option<&str>) -> bool {
    let texts = [Some(&row.name), row.title.as_ref(), row.description.as_ref()];
    let of_kind = listing.kind.is_none_or(|kind| kind == Kind::Catalog(row.kind));
    of_kind
        && listing.module.as_ref().is_none_or(|module| *module == row.module)
        && (query.is_none() || texts.into_iter().flatten().any(|text| has(text, query)))
}

fn of_catalog(row: &CatalogRow) -> Row<'_> {
    let key = format!("{} {}", row.kind.singular(), row.reference());
    Row {
        key,
        about: row.description.as_deref().or(row.title.as_deref()).unwrap_or_default(),
        value: &row.value,
    }
}

fn of_installed(row: &InstalledRow) -> Row<'_> {
    let about = row.value["version"].as_str().unwrap_or_default();
    Row { key: row.label.clone(), about, value: &row.value }
}

/// Personas, bottles and their agents, each with its name.
type Named = (Vec<(String, Json)>, Vec<Json>);

fn others(shared: &Shared, kind: Kind) -> Result<Named, Failed> {
    let world = &shared.world;
    if kind == Kind::Persona {
        let told = told(personas(world, &HERE, Warnings::Tell))?;
        let rows = told.report.personas.iter().map(|row| (row.slug.clone(), json_of(&row.value())));
        return Ok((rows.collect(), told.diagnostics()));
    }
    let told = told(bottle_list(world, &BottleInput::default()))?;
    let rows = match kind {
        Kind::BottleAgent => {
            told.report.agents.iter().map(|row| (row.name.clone(), json_of(&row.value()))).collect()
        }
        _ => told.report.bottles.iter().map(|row| (row.name.clone(), json_of(&row.value()))).collect(),
    };
    Ok((rows, told.diagnostics()))
}

/// The names of a kind that is neither in the catalog nor installed.
pub(crate) fn names_of(shared: &Shared, kind: Kind) -> Result<Vec<String>, Failed> {
    Ok(others(shared, kind)?.0.into_iter().map(|(name, _)| name).collect())
}

fn paged(rows: Vec<Row<'_>>, listing: &Listing, diagnostics: &[Json]) -> Answer {
    let list = listing.kind.map_or_else(|| "catalog".to_owned(), Kind::word);
    let asked = Asked { list: &list, cursor: listing.cursor.as_deref(), size: listing.limit };
    let page = page(&rows, asked, |row| row.key.as_str())?;
    Ok(Ok(answer(page.items, rows.len(), page.next, diagnostics)))
}

fn answer(rows: &[Row<'_>], total: usize, next: Option<String>, diagnostics: &[Json]) -> CallToolResult {
    let line = |row: &Row<'_>| match row.about {
        "" => format!("{}\n", row.key),
        about => format!("{}: {about}\n", row.key),
    };
    let mut text: String = rows.iter().map(line).collect();
    match (rows.len(), &next) {
        (0, _) => text.push_str("there are none\n"),
        (shown, Some(_)) => text.push_str(&format!("{shown} of {total}; ask with `cursor` for more\n")),
        _ => {}
    }
    let values: Vec<Json> = rows.iter().map(|row| row.value.clone()).collect();
    let mut value = json!({ "ok": true, "rows": values, "total": total });
    if let Some(next) = next {
        value["nextCursor"] = next.into();
    }
    value["diagnostics"] = diagnostics.to_vec().into();
    succeeded(value, text)
}
