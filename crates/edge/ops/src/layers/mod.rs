//! Layers: places that contribute files, brought together file by file.

mod clashes;
mod folding;
mod making;
mod pinning;
mod reading;
mod report;
mod skipping;
mod snapshot;

pub(crate) use folding::{LayeredFile, contributions, fold_all};
pub(crate) use pinning::{LayerLock, Pinning, RequiredVersion, choose, layers_as_locked};
pub use report::{LayerRow, LayerState, LayersReport, SkippedRow, layers};
pub(crate) use snapshot::{Snapshot, missing_folders, snapshots};
