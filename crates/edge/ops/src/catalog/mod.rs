//! The catalog: one list of agents and workflows out of project, home and git.
//!
//! `ground` finds the layers and their manifests, `open` reads and folds them, `report` and `file` are what is made of them.

mod file;
mod ground;
mod lint;
mod open;
mod remotes;
mod report;

pub use agpm_catalog::{ENTRY_KINDS, EntryKind, Filter as CatalogFilter};
pub use file::{CatalogFile, CatalogRead, catalog_show};
pub use ground::{CatalogLayer, CatalogMode, CatalogPlaces, LayerKind};
pub(crate) use lint::lint_catalog;
pub(crate) use open::open;
pub use open::{OpenCatalog, open_catalog};
pub use report::{CatalogReport, CatalogRequest, CatalogRow, Shadowed, catalog};
