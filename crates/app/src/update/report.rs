//! The result of `update`.

use serde::Serialize;

use crate::install::InstallReport;
use crate::manifest::ChangedResource;

/// The result of `update`.
#[derive(Clone, Debug, Serialize)]
pub struct UpdateReport {
    /// The dependencies whose requirement was rewritten.
    pub changed: Vec<ChangedResource>,
    /// The dependencies that a newer release would need another requirement for, and that a base requires.
    pub of_bases: Vec<BaseRequirement>,
    /// The report of the install.
    #[serde(flatten)]
    pub installed: InstallReport,
}

/// A requirement that only an edit of a base can change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BaseRequirement {
    /// `TYPE/NAME`.
    pub id: String,
    /// The base.
    pub base: String,
    /// The requirement that it states.
    pub requirement: String,
    /// The newest stable release.
    pub newest: String,
}
