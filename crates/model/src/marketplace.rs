//! Plugins by their names in marketplaces.

use crate::digest::Revision;
use crate::name::SourceName;

/// A plugin by its name in a marketplace.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MarketplacePlugin {
    /// The source that has the `marketplace.json`.
    pub marketplace: SourceName,
    /// The plugin's name there.
    pub name: String,
}

/// The locked marketplace of a plugin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LockedMarketplace {
    /// The plugin, as the marketplace names it, and the source of the marketplace.
    pub plugin: MarketplacePlugin,
    /// The requirement on that source.
    pub requirement: String,
    /// The commit at which it was read; `None` for a directory.
    pub commit: Option<Revision>,
}
