//! Layers: directories and repositories of configuration files, merged file by file.

mod folding;
mod layered;
mod reading;
mod snapshot;
mod version;

pub(crate) use folding::fold_all;
pub(crate) use layered::{LayeredProject, layer_capabilities_of_lock, layers_of_lock};
pub(crate) use snapshot::{missing_directories, snapshots};
pub(crate) use version::VersionedLayer;
