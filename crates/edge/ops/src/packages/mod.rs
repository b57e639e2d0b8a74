//! Packages: from the manifest's dependencies to entries with bytes.

mod conflict;
mod declared;
pub(crate) mod executables;
mod facts;
mod fetch;
pub(crate) mod fidelity;
pub(crate) mod frozen;
mod locking;
mod made;
mod patching;
mod resolve;
mod sources;
mod templates;

pub(crate) use locking::{LOCK_NAME, Moving, lock_of, pins, read_lock};
pub(crate) use made::{Made, MadeFile, Making, make_all, make_these};
pub(crate) use patching::{AppliedField, check_names as check_patched_names};
pub(crate) use resolve::{ResolvedEntry, report_moved_tags, resolve};
pub(crate) use sources::{Opened, Sources, git, git_failure, normal, open, refs_of};
