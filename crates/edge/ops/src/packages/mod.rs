//! Packages: from the manifest's dependencies to entries with bytes.

pub(crate) mod executables;
mod fetch;
pub(crate) mod fidelity;
mod folding;
pub(crate) mod frozen;
mod locking;
mod made;
mod patching;
pub(crate) mod placement;
mod resolve;
mod sources;
mod templates;

pub(crate) use fetch::Fetcher;
pub(crate) use locking::{LOCK_NAME, lock_of, read_lock};
pub(crate) use made::{Made, MadeEntries, MadeFile, Making, make_all, make_these};
pub(crate) use patching::{AppliedField, check_names as check_patched_names, patched_file};
pub(crate) use resolve::resolve;
pub(crate) use sources::{
    GIT_HELP, Sources, git, is_versioned, local_path, source_failure, source_failure_of,
    versions_of,
};
