//! Everything that is to be done, as data.

use agpm_diag::Diagnostic;
use agpm_model::{FileMode, ObservedPath, RelativePath};

use crate::change::{PlannedChange, RefusedChange};
use crate::ledger::Ledger;
use crate::nodes::FileOutcome;

/// What becomes of a file that others write too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedChange {
    /// From the project.
    pub path: RelativePath,
    /// The file afterwards.
    pub outcome: FileOutcome,
    /// The mode of a file that is new.
    pub mode: FileMode,
    /// What is there now.
    pub before: ObservedPath,
}

/// Everything that is to be done, by path.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plan {
    /// Changes by path.
    pub changes: Vec<PlannedChange>,
    /// The texts of shared files that change.
    pub shared: Vec<SharedChange>,
    /// What must not be done. If there is any, nothing is.
    pub refusals: Vec<RefusedChange>,
    /// What is ours afterwards.
    pub ledger: Ledger,
    /// How many files are as they should be.
    pub unchanged: usize,
    /// What users should know of the result.
    pub findings: Vec<Diagnostic>,
}

impl Plan {
    /// Whether files change.
    pub fn is_empty(&self) -> bool {
        self.changes
            .iter()
            .all(|change| !change.action.changes_disk())
    }
}

/// Why there is no plan.
#[derive(Debug)]
pub enum PlanError {
    /// A shared file exists and cannot be understood.
    Unreadable(RelativePath),
    /// Resources want different things of one place.
    Clash(Box<Diagnostic>),
}
