//! Plugins by their names in marketplaces.

use crate::digest::ObjectId;
use crate::name::SourceName;

/// A plugin by its name in a marketplace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MarketplacePlugin {
    /// The source that has the `marketplace.json`.
    pub marketplace: SourceName,
    /// The plugin's name there.
    pub name: String,
}

/// A marketplace as it was when it said where a plugin is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LockedMarketplace {
    /// The plugin, as the marketplace calls it, and the source that is the marketplace.
    pub plugin: MarketplacePlugin,
    /// The requirement on that source.
    pub requirement: String,
    /// The commit at which it was read; nothing for a directory.
    pub commit: Option<ObjectId>,
}
