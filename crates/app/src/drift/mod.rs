//! Installed files that are not as they were installed.
//!
//! `planned` compares with the bytes that the lockfile represents, `recorded` with the checksums of lockfile and ledger.

pub(crate) mod disk_record;
mod edit_status;
mod edited;
mod findings;
mod planned;
mod recorded;
mod report;
pub(crate) mod unexpected;

pub use edit_status::EditStatus;
pub(crate) use edited::add_bases;
pub use edited::base_label;
pub use findings::{inputs_changed, interrupted, not_cached, not_comparable, nothing_installed};
pub use planned::{Coverage, drift_of_plan, drift_of_unreadable, extra_files, own_directory};
pub use recorded::{DiskRecord, RecordedState, SharedContent};
pub use report::{DriftFinding, VerifyReport};
