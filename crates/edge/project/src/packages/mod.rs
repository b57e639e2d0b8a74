//! Packages: from the manifest's dependencies to entries with bytes.

mod fetch;
pub mod frozen;
mod locking;
mod marketplaces;
mod rendering;
mod resolve;
mod sources;

pub use fetch::Fetcher;
pub use locking::read_lock;
pub use marketplaces::{bind_plugins, check_marketplace_size};
pub use rendering::{render_all, render_these};
pub use resolve::{Resolution, VersionLimits, resolve};
pub use sources::{ProjectSources, git, is_versioned, versions_of};
