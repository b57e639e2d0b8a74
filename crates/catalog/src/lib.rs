//! Catalogs: manifests of agents and workflows, where they are, and which row of which manifest applies.
//!
//! Sees files through [`agpm_model::MachineFiles`]; fetching remotes and reading side by side is for the caller.

mod catalog;
mod columns;
mod content;
mod csv;
mod discovery;
mod entry_file;
mod find;
mod json;
mod kind;
mod layer;
mod limits;
mod lint;
mod listing;
mod location;
mod lookup;
mod manifest;
mod reading;
mod remotes;
mod row;
mod select;

pub use catalog::Catalog;
pub use columns::COLUMNS;
pub use content::CatalogContent;
pub use csv::{CsvTable, other_name};
pub use discovery::CatalogDiscovery;
pub use entry_file::{EntryFile, KindMention};
pub use find::{EntryFilter, EntryReference, ReferenceMatch};
pub use json::RowWriter;
pub use kind::{ENTRY_KINDS, EntryKind, FileConvention};
pub use layer::{CatalogLayer, CatalogMode, LayerKind, ManifestFile};
pub use listing::{CatalogRow, ListedRow, ShadowedRows, empty_catalog, unknown_module};
pub use location::{
    CONFIG_FOLDERS, CatalogRoot, LayerHome, ManifestLocation, PathFault, ROOTS, candidate_paths,
    skill_directories,
};
pub use manifest::{CatalogManifest, left_out, read_manifest};
pub use reading::{ParsedManifest, ReadManifests, UnparsedManifest};
pub use remotes::{
    NamedBy, WantedRemote, pin_of, refuse_other_remotes, typed_remotes, wanted_remotes,
};
pub use row::{RowId, RowRef};
pub use select::CatalogEntry;
