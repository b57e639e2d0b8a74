//! Layers: directories and repositories that contribute files, merged file by file.

mod folding;
mod reading;
mod snapshot;
mod version;

pub use folding::fold_all;
pub use snapshot::{missing_folders, snapshots};
pub use version::VersionedLayer;
