//! Packages: from the manifest's dependencies to entries with bytes.

mod conflict;
mod declared;
pub(crate) mod executables;
mod facts;
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

pub(crate) use declared::format_of;
pub(crate) use facts::{Known, Need, tree_line};
pub(crate) use fetch::Fetcher;
pub(crate) use locking::{
    LOCK_NAME, Moving, lock_of, pins, read_lock, relocated_sources, with_names_of,
};
pub(crate) use made::{Made, MadeEntries, MadeFile, Making, make_all, make_these};
pub(crate) use patching::{AppliedField, check_names as check_patched_names, patched_file};
pub(crate) use resolve::{
    ResolvedEntry, moved_tag, passed_over, report_moved_tags, resolve, source_relocated,
};
pub(crate) use sources::{
    GIT_HELP, Sources, git, is_versioned, local_path, source_failure, source_failure_of,
    versions_of,
};
