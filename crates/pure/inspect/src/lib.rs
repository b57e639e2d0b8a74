//! Questions about a project: what is installed, what requires it, and what is not as it was installed.
//!
//! Knows manifests, lockfiles, ledgers and what was observed; reads nothing itself.

mod drift;
mod graph;
mod list;
#[cfg(test)]
mod testing;
mod tree;
mod why;

pub use drift::{
    Coverage, DiskRecord, DriftFinding, RecordedState, SharedContent, VerifyReport, drift_of_plan,
    drift_of_unreadable, extra_files, inputs_changed, interrupted, not_cached, not_comparable,
    nothing_installed, own_directory,
};
pub use graph::{family_of, needs_of};
pub use list::{
    AppliedPatches, Clients, DiskCheck, Drift, LOCAL, ListDetail, ListReport, ListRequest,
    ListedEntries, ListedResource, MASKED, PatchedField, no_resources,
};
pub use tree::{Below, Direction, Sibling, TreeLine, TreeReport, TreeRequest};
pub use why::{ChainFinder, Chains, Link, RequiredResource, WhyReport};
