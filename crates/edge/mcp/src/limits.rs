//! Limits on the amount that a client may read at once.

/// The largest file that is sent.
pub(crate) const LARGEST_FILE: u64 = 8 << 20;
