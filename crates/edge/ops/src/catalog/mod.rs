//! The catalog: one list of agents and workflows out of project, home and git.
//!
//! `open` finds and reads the layers, `report` and `file` are what is made of them. `remotes` makes layers of git remotes,
//! `refresh` brings their versions here, and `pins` keeps them in the lockfile.

mod failures;
mod file;
mod open;
mod pins;
mod refresh;
mod remotes;
mod report;

pub use agpm_catalog::{
    CatalogLayer, CatalogMode, CatalogRow, ENTRY_KINDS, EntryFilter as CatalogFilter, EntryKind,
    LayerKind, ShadowedRows,
};
use agpm_diag::{Failure, Notes};

use crate::world::World;

pub use file::{CatalogFile, CatalogRead, catalog_show};
pub(crate) use open::open;
pub use open::{CatalogPlaces, CatalogWatch, OpenCatalog, open_catalog, watch_catalog};
pub(crate) use pins::{RemoteLocking, ask_remotes, remote_today, remotes_as_locked};
pub(crate) use report::list;
pub use report::{CatalogReport, CatalogRequest, catalog};

/// Checks every layer for `doctor`; gives how many entries apply.
pub(crate) fn lint_catalog(world: &World, notes: &mut Notes) -> Result<usize, Failure> {
    let open = open::open_kept(world, notes)?;
    Ok(open.content.lint(notes))
}
