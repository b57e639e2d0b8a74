//! Everything that is to be done, as data.

use agpm_diag::Diagnostic;
use agpm_model::{FileMode, ObservedPath, RelativePath};

use crate::change::{PlannedChange, RefusedChange};
use crate::ledger::Ledger;
use crate::nodes::FileOutcome;

/// The change to a file that others write too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedChange {
    /// From the project.
    pub path: RelativePath,
    /// The file afterwards.
    pub outcome: FileOutcome,
    /// The mode of a file that is new.
    pub mode: FileMode,
    /// The current state.
    pub before: ObservedPath,
}

/// Everything that is to be done, by path.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plan {
    /// Changes by path.
    pub changes: Vec<PlannedChange>,
    /// The strings of shared files that change.
    pub shared: Vec<SharedChange>,
    /// Changes that are refused. If there is any, nothing is.
    pub refusals: Vec<RefusedChange>,
    /// The ledger afterwards.
    pub ledger: Ledger,
    /// How many files are as they should be.
    pub unchanged: usize,
    /// Findings for users.
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

/// The reason why planning failed.
#[derive(Debug)]
pub enum PlanError {
    /// A shared file exists and cannot be understood.
    Unreadable(RelativePath),
    /// Resources want different things of one place.
    Clash(Box<Diagnostic>),
}
