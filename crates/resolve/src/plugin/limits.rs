//! Limits of plugins and marketplaces, and the reasons. Nothing from a source is trusted.

/// Bytes of a `marketplace.json`. The largest one that is known has 300 KiB.
pub const MOST_MARKETPLACE_BYTES: u64 = 16 << 20;
/// Bytes of a `plugin.json`, of hooks and of servers: people write them.
pub(crate) const MOST_MANIFEST_BYTES: usize = 4 << 20;
/// Parts of one plugin: more than tools can list.
pub(crate) const MOST_PARTS: usize = 2_000;
/// Names that lead to each other in `renames`.
pub(crate) const MOST_RENAMES: usize = 32;
