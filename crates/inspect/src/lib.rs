//! Questions about a project: what is installed, what requires it, and what is not as it was installed.
//!
//! Knows manifests, lockfiles, ledgers and what was observed; reads nothing itself.

mod checks;
mod config;
mod doctor;
mod drift;
mod graph;
mod history;
mod installed;
mod list;
mod outdated;
mod status;
#[cfg(test)]
mod testing;
mod tree;
mod validation;
mod why;

pub use checks::{
    CheckCause, CheckName, CheckOutcome, CheckResult, Checks, CiReport, ProjectChecks,
    RecursiveCiReport,
};
pub use config::{ConfigAnswer, ConfigReport};
pub use doctor::{
    CheckRow, CheckState, CheckSummary, DoctorReport, FinishedCheck, NO_MANIFEST, ownership_line,
    tool_line, weighed,
};
pub use drift::{
    Coverage, DiskRecord, DriftFinding, RecordedState, SharedContent, VerifyReport, drift_of_plan,
    drift_of_unreadable, extra_files, inputs_changed, interrupted, not_cached, not_comparable,
    nothing_installed, own_directory,
};
pub use graph::{family_of, needs_of};
pub use history::{PastEntry, UndoAction, UndoReport};
pub use installed::{InstalledIndex, installed_path};
pub use list::{
    AppliedPatches, ClientCount, DiskCheck, DiskState, LOCAL, ListDetail, ListReport, ListRequest,
    ListedEntries, ListedResource, MASKED, PatchedField, PathBase, no_resources,
};
pub use outdated::{
    AllowedVersion, ContentChange, LockfileState, MOST_TRIED, MovedBranch, OutdatedReport,
    OutdatedRequest, OutdatedRow, OutdatedRows, VersionComparison,
};
pub use status::{NextInstall, ProjectFound, StatusReport, outdated_unknown};
pub use tree::{LineExpansion, SiblingPosition, TreeDirection, TreeLine, TreeReport, TreeRequest};
pub use validation::{
    LocalContent, LocalForm, ValidateCheck, ValidateReport, ValidateRequest, report_broken_links,
    stale_lockfile,
};
pub use why::{
    ChainFinder, ChainLink, RequiredResource, RequirementChains, WhyQuestion, WhyReport,
};
