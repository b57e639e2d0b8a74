//! The catalog: one list of agents and workflows out of project, home and git.
//!
//! `ground` finds the layers and their manifests, `reading` and `open` read and fold them, `report` and `file` are what is made of them.
//! `remotes` makes layers of git remotes, `choice` says which version of them, `refresh` brings it here, and `pins` keeps it in
//! the lockfile.

mod failures;
mod file;
mod ground;
mod json;
mod lint;
mod lookup;
mod open;
mod pins;
mod reading;
mod refresh;
mod remotes;
mod report;
#[cfg(test)]
mod tests;

pub use agpm_catalog::{ENTRY_KINDS, EntryKind, Filter as CatalogFilter};
pub(crate) use file::KindSaid;
pub use file::{CatalogFile, CatalogRead, catalog_show};
pub use ground::{CatalogLayer, CatalogMode, CatalogPlaces, LayerKind};
pub(crate) use lint::lint_catalog;
pub(crate) use open::open;
pub use open::{CatalogWatch, OpenCatalog, open_catalog, watch_catalog};
pub(crate) use pins::{RemoteLocking, ask_remotes, remote_today, remotes_as_locked};
pub(crate) use report::list;
pub use report::{CatalogReport, CatalogRequest, CatalogRow, Shadowed, catalog};
