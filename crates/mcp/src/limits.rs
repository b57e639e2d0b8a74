//! Limits on the size of results.

/// The largest file that is sent.
pub(crate) const LARGEST_FILE: u64 = 8 << 20;
