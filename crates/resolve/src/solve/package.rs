//! The packages that PubGrub chooses versions for.
//!
//! `Unit(u)` at a candidate brings the children with their own requirement; `Requirement(u, w)` at a candidate brings those
//! that inherit `w`, and ties itself to `Unit(u)` at the same one.

use std::fmt::{Display, Formatter};

use crate::solve::fact_cache::{RequirementId, UnitId};

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) enum SolverPackage {
    Root,
    // In PubGrub, dependencies may depend on the version alone. A child without a version inherits the requirement on
    // its parent, so the requirement has to be a package.
    Requirement(UnitId, RequirementId),
    Unit(UnitId),
}

impl Display for SolverPackage {
    fn fmt(&self, out: &mut Formatter<'_>) -> std::fmt::Result {
        write!(out, "{self:?}")
    }
}

/// The reason why a unit is impossible at a candidate, whatever else is chosen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ExclusionReason {
    Absent,
    /// It requires itself under a requirement that this candidate does not satisfy.
    ExcludesItself(RequirementId),
}

impl Display for ExclusionReason {
    fn fmt(&self, out: &mut Formatter<'_>) -> std::fmt::Result {
        write!(out, "{self:?}")
    }
}
