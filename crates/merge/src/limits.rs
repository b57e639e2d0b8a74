//! Limits of a merge, and the reasons.

/// Changes of a value's type that are reported one by one; the rest is counted, because they often have one cause.
pub(crate) const MOST_TYPE_CHANGES: usize = 10;

/// Values longer than this are cut in explanations.
pub(crate) const LONGEST_VALUE: usize = 120;
