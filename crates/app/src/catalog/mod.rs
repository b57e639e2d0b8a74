//! `catalog`: one list of agents and workflows from the project, the home directory and git repositories.
//!
//! `open` finds and reads the layers. `remotes` makes git repositories available as layers, `refresh` fetches their
//! versions, and `pins` keeps them in the lockfile.

mod entry_file;
mod failures;
mod listing;
mod open;
mod pins;
mod refresh;
mod remotes;

use agpm_catalog::{EntryFilter as CatalogFilter, EntryKind, ShadowedRows};
use agpm_catalog::{EntryReference, empty_catalog, unknown_module};
use agpm_diag::{Failure, Notes, Outcome, codes};

use crate::project::reading::limit;

use crate::project::world::World;

pub use entry_file::CatalogFile;
pub use listing::CatalogReport;
pub use open::{CatalogSelection, CatalogWatch, OpenCatalog, open_catalog, watch_catalog};
pub(crate) use open::{open, open_cached};
pub(crate) use pins::{ask_remotes, remote_today, remotes_as_locked};

/// The arguments of `catalog`.
#[derive(Clone, Debug, Default)]
pub struct CatalogRequest {
    /// The directories and remotes to read catalogs from.
    pub selection: CatalogSelection,
    /// Selects the entries to list.
    pub filter: CatalogFilter,
    /// Whether overridden rows are listed too.
    pub shadowed: ShadowedRows,
}

/// Lists the entries of the combined catalog.
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
    let catalog = open(world, &request.selection, request.filter.kind, notes)?;
    let left_out = notes
        .diagnostics
        .iter()
        .any(|found| found.code == &codes::CATALOG_MALFORMED);
    if catalog.content.files.is_empty() && !left_out {
        notes
            .diagnostics
            .push(empty_catalog(request.selection.mode, request.filter.kind));
    }
    let report = CatalogReport::select(catalog, &request.filter, request.shadowed);
    if report.rows().len() == 0 {
        let content = &report.catalog.content;
        notes
            .diagnostics
            .extend(unknown_module(content, &request.filter));
    }
    Ok(report)
}

/// The arguments of `catalog show`.
#[derive(Clone, Debug)]
pub struct CatalogRead {
    /// The directories and remotes to read catalogs from.
    pub selection: CatalogSelection,
    /// The name as `[MODULE/]NAME`.
    pub name: String,
    /// The kind; needed if entries of several kinds have the name.
    pub kind: Option<EntryKind>,
}

/// Shows the file of the entry that takes precedence.
pub fn catalog_show(world: &World, request: &CatalogRead) -> Outcome<CatalogFile> {
    let mut notes = Notes::default();
    let read = |notes: &mut Notes| {
        let open = open(world, &request.selection, request.kind, notes)?;
        open.read(
            EntryReference {
                kind: request.kind,
                text: &request.name,
            },
            limit(),
        )
    };
    let result = read(&mut notes);
    notes.outcome(result)
}

/// Checks every layer of the catalog for `doctor`, and returns the number of entries in effect.
pub(crate) fn lint_catalog(world: &World, notes: &mut Notes) -> Result<usize, Failure> {
    let open = crate::catalog::open_cached(world, notes)?;
    Ok(open.content.lint(notes))
}
