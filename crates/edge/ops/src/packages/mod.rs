//! Packages: from the manifest's dependencies to entries with bytes.

mod conflict;
mod declared;
pub(crate) mod executables;
mod facts;
mod fetch;
pub(crate) mod frozen;
mod locking;
mod resolve;
mod sources;
mod templates;
pub(crate) mod unsupported;

pub(crate) use locking::{LOCK_NAME, Moving, lock_of, pins, read_lock};
pub(crate) use resolve::{ResolvedEntry, report_moved_tags, resolve};
pub(crate) use sources::{Opened, Sources, git, git_failure, open, refs_of};
pub(crate) use templates::render_all;
