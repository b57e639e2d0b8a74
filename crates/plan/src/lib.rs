//! Target paths of resources, plans of desired against observed state, and the ledger of managed content.
//!
//! The crate has no access to the disk: it is given the observed state, and returns the changes as data.

mod blocks;
mod change;
mod desired;
mod difference;
mod entries;
mod files;
mod findings;
mod ledger;
mod levels;
mod limits;
mod line_diff;
mod lock_capabilities;
mod lock_diff;
mod names;
mod nodes;
mod observation;
mod older_paths;
mod plan;
mod planner;
mod recovery;
mod shared;
mod skill_directories;
mod target;
mod undo;

pub use blocks::{
    BlockChanged, BlockFile, BlockFinding, BlockState, DesiredBlock, OwnedBlock, OwnedBlocks,
    OwnedSeam, ReadLimit, check_blocks, plan_block_file, read_block_file, take_back_blocks,
};
pub use change::{
    Author, ChangeAction, ChangeReason, Obstacle, OverwriteRule, PlannedChange, RefusedChange,
};
pub use desired::{
    DesiredFile, DesiredShared, DesiredState, LayerDocument, is_reserved, reserved_target,
};
pub use difference::{FieldDifference, FileAction, FileDifference, FileVersions};
pub use entries::{EntryError, EntryGraph, Need, ResourceEntry, entries};
pub use ledger::{
    InstalledNumbers, Ledger, LedgerFile, LedgerVersion, OwnedFile, WatchedDirectory,
};
pub use levels::levels;
pub use lock_capabilities::{
    EarlierCapabilities, LockedCapabilities, capability_difference, lacks_capabilities,
};
pub use lock_diff::{
    MovedPin, checksum_findings, frozen_difference, lock_difference, moved_pins, outdated_lock,
    refuse_foreign_paths,
};
pub use names::{ExcludedMatches, excluded};
pub use nodes::{
    DesiredNode, FileOrigin, FileOutcome, Hunk, NodeError, NodeFinding, NodePlan, NodeState,
    NodeSum, NodesRecord, OnEqualUserValue, OwnedNode, OwnedNodes, RemovalWhitespace, SharedFile,
    check_nodes, plan_nodes, recognise_file, recognise_nodes, take_back,
};
pub use observation::{Observation, read_shared_file, shared_format};
pub use older_paths::{MovedFile, is_older_path, moved_files};
pub use plan::{Plan, PlanError, SharedChange};
pub use planner::{PlanEach, plan};
pub use recovery::{hides_written_bytes, ledger_of_lock, may_explain, recover_ownership};
pub use shared::SharedFilePlan;
pub use target::{
    TargetClash, TargetRequest, ToolSharing, clashes, could_install_at, path_in_type_directory,
    placements, target,
};
pub use undo::{ChangedFile, UndoneLedgers};
