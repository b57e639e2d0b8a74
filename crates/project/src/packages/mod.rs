//! Packages: resolves the manifest's dependencies to entries with content.

mod fetch;
pub mod frozen;
mod locking;
mod marketplace_cache;
mod marketplaces;
mod rendering;
mod resolve;
mod sources;

pub use fetch::FactFetcher;
pub use locking::read_lock;
pub use marketplaces::{bind_plugins, check_marketplace_size};
pub use rendering::{render_all, render_these};
pub use resolve::{Resolution, VersionLimits, resolve};
pub use sources::{ProjectSources, git, is_versioned, versions_of};
