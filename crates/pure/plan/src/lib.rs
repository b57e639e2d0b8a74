//! Target files of resources, desired against observed, and the ledger of what is ours.
//!
//! Knows no disk: what is there is told to it, and what is to be done is given back as data.

mod entries;
mod ledger;
mod levels;
mod limits;
mod names;
mod nodes;
mod plan;
mod target;

pub use entries::{Entry, EntryError, Graph, Need, entries};
pub use ledger::{Author, Ledger, LedgerFile, Owned, Watched};
pub use levels::levels;
pub use names::{Excluded, excluded};
pub use nodes::{
    DesiredNode, FileOrigin, FileOutcome, Hunk, NodeError, NodeFinding, NodePlan, NodeState,
    NodeSum, NodesRecord, OwnedNode, OwnedNodes, Seams, SharedFile, Twin, check_nodes, plan_nodes,
    recognise_file, recognise_nodes, take_back,
};
pub use plan::{
    Action, Change, Desired, Observed, Obstacle, Overwrite, Plan, Reason, Refusal, plan,
};
pub use target::{Clash, Wanted, clashes, could_install_at, path_in_type_folder, target};
