//! Limits for listing and reading the files of a source. Nothing from a source is trusted.

/// The most directories of one listing. A git tree can contain itself many times, so a small repository can have
/// endless ones.
pub const MOST_DIRECTORIES: usize = 20_000;
/// The deepest nesting of directories; deeper ones are not searched.
pub const DEEPEST: usize = 64;
/// Files of one skill.
pub const MOST_SKILL_FILES: usize = 1000;
/// Bytes of one skill.
pub const MOST_SKILL_BYTES: u64 = 100 << 20;
/// Bytes of one layer.
pub const MOST_LAYER_BYTES: u64 = 1 << 30;
/// The most bytes of a local file. Larger ones are not text that a person wrote.
pub const MOST_FILE_BYTES: u64 = 1 << 30;
/// Files of one plugin.
pub const MOST_PLUGIN_FILES: usize = 5_000;
/// Bytes of one plugin.
pub const MOST_PLUGIN_BYTES: u64 = 100 << 20;
/// The longest chain of symlinks in a plugin.
pub const MOST_LINKS: usize = 8;
