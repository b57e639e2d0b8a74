//! Plans of desired against observed state, and the ledger of managed content.
//!
//! The crate has no access to the disk: it is given the observed state, and returns the changes as data.

mod base_pack;
mod blocks;
mod change;
mod desired;
mod difference;
mod edits;
mod files;
mod findings;
mod ledger;
mod limits;
mod merges;
mod nodes;
mod observation;
mod plan;
mod planner;
mod recovery;
mod shared;
mod undo;

pub use base_pack::{BaseNumber, BasePack, base_in_pack};
pub use blocks::{
    BlockChanged, BlockFile, BlockFinding, BlockState, DesiredBlock, OwnedBlock, OwnedBlocks,
    OwnedSeam, ReadLimit, check_blocks, plan_block_file, read_block_file, take_back_blocks,
};
pub use change::{
    Author, ChangeAction, ChangeReason, NewContent, Obstacle, OverwriteRule, PlannedChange,
    RefusedChange,
};
pub use desired::{
    DesiredFile, DesiredShared, DesiredState, LayerDocument, is_reserved, reserved_target,
};
pub use difference::{FieldDifference, FileAction, FileDifference, FileVersions};
pub use edits::{ConflictTake, KeptBytes, ResolutionError, path_beside};
pub use ledger::{
    InstalledNumbers, Ledger, LedgerFile, LedgerVersion, OpenConflict, OwnedFile, WatchedDirectory,
};
pub use merges::{ConflictSides, EditMerges, EditedBlock, KeptValues, SharedConflict};
pub use nodes::{
    DesiredNode, EditedNode, FileOrigin, FileOutcome, Hunk, NodeError, NodeFinding, NodePlan,
    NodeState, NodeSum, NodesRecord, OnEqualUserValue, OwnedNode, OwnedNodes, RemovalWhitespace,
    SharedFile, check_nodes, location_of_record, location_record, plan_nodes, position_of,
    recognise_file, recognise_nodes, take_back, with_value,
};
pub use observation::{Observation, read_shared_file, shared_format};
pub use plan::{Plan, PlanError, SharedChange};
pub use planner::{PlanEach, plan};
pub use recovery::{hides_written_bytes, ledger_of_lock, may_explain, recover_ownership};
pub use shared::SharedFilePlan;
pub use undo::{ChangedFile, UndoneLedgers};
