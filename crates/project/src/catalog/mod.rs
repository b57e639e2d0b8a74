//! Finds, fetches, reads and merges the layers of the catalog.
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

pub use entry_file::CatalogFile;
pub use listing::CatalogReport;
pub use open::{
    CatalogSelection, CatalogWatch, OpenCatalog, open, open_cached, open_catalog, watch_catalog,
};
pub use pins::{ask_remotes, remote_today, remotes_as_locked};
