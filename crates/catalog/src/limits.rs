//! Limits of a catalog, and the reasons.

/// Findings that are reported of one manifest: one that is wrong all over is not worth reading further.
pub(crate) const MOST_FINDINGS: usize = 25;
