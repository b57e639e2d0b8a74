//! Packages: resolves the manifest's dependencies to entries with content.

mod fetch;
pub(crate) mod frozen;
mod locking;
mod marketplace_cache;
mod marketplaces;
mod rendering;
mod resolve;
mod sources;

pub(crate) use fetch::FactFetcher;
pub(crate) use locking::{
    LockOnDisk, ProjectLocks, joined_note, parse_side, read_lock, read_updatable_lock,
    readable_locks, refuse_conflicted_lock,
};
pub(crate) use marketplaces::{bind_plugins, check_marketplace_size};
pub(crate) use rendering::{render_all, render_keeping, render_these};
pub(crate) use resolve::{Resolution, VersionLimits, resolve};
pub(crate) use sources::{ProjectSources, entry_at, git, is_versioned, versions_of};
