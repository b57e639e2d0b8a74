//! Layers: directories and repositories of configuration files, merged file by file.

mod folding;
mod layered;
mod reading;
mod snapshot;
mod version;

pub use folding::fold_all;
pub use layered::{LayerCapabilities, LayeredProject, layer_capabilities_of_lock, layers_of_lock};
pub use snapshot::{missing_directories, snapshots};
pub use version::VersionedLayer;
