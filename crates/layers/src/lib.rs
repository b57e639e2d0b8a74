//! Layers: which of their files apply, which version of its source each one is, and one file out of the same file in
//! several layers.
//!
//! Knows what was read and what is locked; sources, directories and merge programs are the caller's.

mod clashes;
mod folding;
mod locking;
mod pinning;
mod report;
mod skipping;
mod snapshot;

pub use clashes::{refuse_clashes, refuse_own_directories};
pub use folding::{
    FileStack, FoldedFile, LayerBlock, LayeredFile, LayeredForm, MergeProgram, SharedKeys,
    contributions, stacks,
};
pub use locking::{WatchMode, layers_as_locked, locked_layers, missing_layer, refuse_missing};
pub use pinning::{LayerLock, LayerPinning, PinChoice, RequiredVersion};
pub use report::{LayerRow, LayerState, LayersReport, SkippedRow, rows};
pub use skipping::{SkipReason, SkippedItem, enters, included_file};
pub use snapshot::{
    LayerSnapshot, SnapshotFile, groups_by_source, ignored_version, layer_directory,
    missing_directory, missing_root, too_large,
};
