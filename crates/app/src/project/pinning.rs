//! The inputs that decide the pins of layers and of remotes of the catalog.

use agpm_model::LockUse;
use agpm_model::Manifest;
use agpm_resolve::UpdateScope;

use crate::project::packages::ProjectSources;
use crate::project::world::World;

/// The inputs that decide which versions are read, and which are locked.
pub(crate) struct PinningContext<'a> {
    /// The ports to sources and environment.
    pub world: &'a World,
    /// The manifest that names layers and remotes.
    pub manifest: &'a Manifest,
    /// The opened sources of the project.
    pub sources: &'a ProjectSources,
    /// Whether the lockfile may change.
    pub lock_use: LockUse,
    /// The pins that may move.
    pub moving: &'a UpdateScope,
}
