//! Limits of planning, with their reasons.

/// The bytes that edits of one file may parse in total. Single edits preserve the most layout, but each parses the
/// whole text again; beyond this, all edits are made at once.
pub(crate) const MOST_READ_AGAIN: usize = 1 << 20;

/// The blocking files that are reported one by one. More than these usually have one cause.
pub(crate) const MOST_REFUSALS_SHOWN: usize = 20;

/// The largest file, in bytes, whose lines are compared.
pub(crate) const LARGEST_COMPARED: usize = 1 << 20;
