//! Packages: from the manifest's dependencies to entries with bytes.

mod fetch;
pub(crate) mod frozen;
mod locking;
mod marketplaces;
mod rendering;
mod resolve;
mod sources;

pub(crate) use fetch::Fetcher;
pub(crate) use locking::read_lock;
pub(crate) use marketplaces::{bind_plugins, check_marketplace_size};
pub(crate) use rendering::{render_all, render_these};
pub(crate) use resolve::{Resolution, VersionLimits, resolve};
pub(crate) use sources::{Sources, git, is_versioned, versions_of};
