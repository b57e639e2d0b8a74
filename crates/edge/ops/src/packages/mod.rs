//! Packages: from the manifest's dependencies to entries with bytes.

mod conflict;
mod declared;
mod facts;
mod fetch;
mod locking;
mod resolve;
mod sources;

pub(crate) use facts::{Known, Pin, Resource};
pub(crate) use locking::{LOCK_NAME, lock_of, pins, read_lock};
pub(crate) use resolve::{Resolved, ResolvedEntry, resolve};
pub(crate) use sources::Sources;
