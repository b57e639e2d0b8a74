//! Limits of planning, and the reasons.

/// Bytes that edits of one file may read in all. One edit at a time leaves the most as it was, but each reads the whole
/// text again; what would read more is done at once.
pub(crate) const MOST_READ_AGAIN: usize = 1 << 20;

/// Files blocking that are reported one by one. Whoever has more than these has them for one reason.
pub(crate) const MOST_REFUSALS_SHOWN: usize = 20;

/// Bytes of a file up to which its lines are compared for people to read.
pub(crate) const LARGEST_COMPARED: usize = 1 << 20;
