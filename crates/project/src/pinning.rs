//! The inputs that decide the pins of layers and of remotes of the catalog.

use agpm_install::LockUse;
use agpm_model::Manifest;
use agpm_resolve::UpdateScope;

use crate::packages::ProjectSources;
use crate::world::World;

/// The inputs that decide which versions are read, and which are locked.
pub struct PinningContext<'a> {
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
