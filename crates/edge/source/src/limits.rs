//! Limits for listing and reading the files of a source. Nothing from a source is trusted.

/// Directories of one walk. A git tree can contain itself many times, so a small repository can have endless ones.
pub const MOST_DIRECTORIES: usize = 20_000;
/// Directories under directories: deeper ones are not searched.
pub const DEEPEST: usize = 64;
/// Files of one skill.
pub const MOST_SKILL_FILES: usize = 1000;
/// Bytes of one skill.
pub const MOST_SKILL_BYTES: u64 = 100 << 20;
/// Bytes of one layer.
pub const MOST_LAYER_BYTES: u64 = 1 << 30;
/// Bytes of one file on this machine. Larger ones are not text that a person wrote.
pub const MOST_FILE_BYTES: u64 = 1 << 30;
/// Files of one plugin.
pub const MOST_PLUGIN_FILES: usize = 5_000;
/// Bytes of one plugin.
pub const MOST_PLUGIN_BYTES: u64 = 100 << 20;
/// Symlinks of one plugin that lead to each other.
pub const MOST_LINKS: usize = 8;
