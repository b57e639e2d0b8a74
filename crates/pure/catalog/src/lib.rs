//! Catalogs: manifests of agents and workflows, and which row of which manifest counts.
//!
//! Knows rows, ranks and names, and nothing of files: where manifests lie is for the caller, who hands them over highest
//! rank first.

mod catalog;
mod columns;
mod csv;
mod find;
mod kind;
mod limits;
mod manifest;
mod place;
mod row;
mod select;

pub use catalog::Catalog;
pub use columns::COLUMNS;
pub use csv::{Table, other_name};
pub use find::{Filter, Found, Reference};
pub use kind::{ENTRY_KINDS, EntryKind, Habitat};
pub use manifest::{Manifest, left_out, read_manifest};
pub use place::{CONFIG_FOLDERS, Home, PathFault, ROOTS, Root, Standing, places, skill_folders};
pub use row::{RowId, RowRef};
pub use select::Entry;
