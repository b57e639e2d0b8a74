//! The plan: all changes, as data.

use std::collections::BTreeMap;

use agpm_diag::Diagnostic;
use agpm_model::{FileMode, ObservedPath, RelativePath};

use crate::change::{PlannedChange, RefusedChange};
use crate::ledger::Ledger;
use crate::merges::EditedBlock;
use crate::nodes::{EditedNode, FileOutcome};

/// The change to a file that users write too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedChange {
    /// The path, from the project.
    pub path: RelativePath,
    /// The resulting file.
    pub outcome: FileOutcome,
    /// The mode of a new file.
    pub mode: FileMode,
    /// The current state.
    pub before: ObservedPath,
}

/// All planned changes, by path.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plan {
    /// Changes by path.
    pub changes: Vec<PlannedChange>,
    /// The changes to the text of shared files.
    pub shared: Vec<SharedChange>,
    /// Refused changes. If there are any, no change is made.
    pub refusals: Vec<RefusedChange>,
    /// The ledger afterwards.
    pub ledger: Ledger,
    /// The number of unchanged files.
    pub unchanged: usize,
    /// The values or lines that both sides changed, for each file in conflict, as users read them.
    pub clashes: BTreeMap<RelativePath, String>,
    /// Edited entries of which a new version exists, with their files.
    pub edited_nodes: Vec<(RelativePath, EditedNode)>,
    /// Edited blocks of which a new version exists, with their files.
    pub edited_blocks: Vec<(RelativePath, EditedBlock)>,
    /// Findings for users.
    pub findings: Vec<Diagnostic>,
}

impl Plan {
    /// Whether the plan changes no file.
    pub fn is_empty(&self) -> bool {
        self.changes
            .iter()
            .all(|change| !change.action.changes_disk())
    }
}

/// The reason why planning failed.
#[derive(Debug)]
pub enum PlanError {
    /// A shared file exists and cannot be parsed.
    Unreadable(RelativePath),
    /// Resources need different values at one location.
    Clash(Box<Diagnostic>),
}
