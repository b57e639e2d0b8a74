//! Limits, since nothing from a source is trusted.

/// Characters of a description that are kept; the format of skills allows 1,024.
pub(crate) const LONGEST_DESCRIPTION: usize = 1024;
/// Bytes of a file that is read for its type or description: no front matter is longer.
pub(crate) const LARGEST_FILE: usize = 1 << 20;
/// Files whose type only their content shows. A repository with more has another purpose.
pub(crate) const MOST_UNDECIDED: usize = 500;
/// Plugins of one marketplace.
pub(crate) const MOST_PLUGINS: usize = 5000;
