//! The decisions of an install: the desired state of the disk, the needed approvals, the new lockfile, and the inputs
//! that the next run compares.
//!
//! Knows no disk and no sources: resources are rendered, files are observed and approvals are given elsewhere.

mod approvals;
mod counts;
mod desired;
mod diff;
mod findings;
mod increases;
mod judging;
mod lock_change;
mod loosened_bases;
mod older_files;
mod open_refusals;
mod planned;
mod program_approval;
mod programs;
mod record;
mod report;
mod request;

pub use approvals::{CommandApprovals, matches_id};
pub use counts::{InstalledOwners, ResourceCount, ResourceCounts, ResourceOutcome};
pub use desired::desired_state;
pub use diff::DiffReport;
pub use findings::{
    bases_of_edits, report_conflicts, report_kept, report_refusals, stop_on_warnings,
};
pub use increases::{IncreaseRules, unapproved_refusals};
pub use judging::{JudgedInstall, SourceFacts};
pub use lock_change::{changed_resources, lock_change, moves, note_missing_digests};
pub use loosened_bases::{BASE_APPROVAL, loosened_bases, unknown_base_policy};
pub use older_files::{OlderFile, older_files};
pub use open_refusals::{ApprovalCommand, OpenRefusals, UnapprovedRefusal};
pub use planned::{DiscardedPlan, PlannedInstall};
pub use program_approval::{ApprovalFile, ManifestProgram, ProgramApproval, programs_never_run};
pub use programs::new_programs;
pub use record::{InstallInputs, inputs_of, installed_owners, is_unsettled, owners_of_nothing};
pub use report::{
    ConvertedResource, InstallReport, LockChange, ReportedProgram, RequiredBy, SourceFileState,
    UpdatedPin,
};
pub use request::{
    ChangelogReading, FidelityPolicy, InstallRequest, LockUse, TransitiveExecutables, WriteMode,
    is_dry_run,
};
