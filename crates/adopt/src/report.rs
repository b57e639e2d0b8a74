//! The choices of `init` about existing files, and its report.

use serde::Serialize;

use crate::found::{ChosenTools, ProjectSurvey};

/// How `init` treats files that tools already read.
pub enum Adoption<'a> {
    /// Do not search for them.
    Bare,
    /// Report them.
    Report,
    /// Describe them in the manifest.
    Describe,
    /// Ask the user whether to describe them.
    Ask(&'a dyn Fn(&ProjectSurvey) -> AdoptionAnswer),
}

/// The answer of the user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AdoptionAnswer {
    /// Describe the files in the manifest.
    Yes,
    /// Only report the files.
    No,
    /// Write nothing.
    Cancel,
}

/// The result of `init`.
#[derive(Clone, Debug, Default, Serialize)]
pub struct InitReport {
    /// The written files, relative to the working directory.
    pub files: Vec<String>,
    /// The tools in the manifest.
    #[serde(flatten)]
    pub tooling: ChosenTools,
    /// The existing files; `None` if they were not searched for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub found: Option<ProjectSurvey>,
    /// The resources that the manifest describes; `None` if none were adopted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub adopted: Option<Vec<AdoptedResource>>,
    /// How the manifest was written.
    #[serde(skip)]
    pub manifest: ManifestWrite,
}

/// How `init` writes a manifest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ManifestWrite {
    /// It did not exist.
    #[default]
    Created,
    /// Adopted resources were added to an existing one.
    Extended,
    /// An existing one was replaced.
    Replaced,
}

/// A resource that was adopted, with its origin.
#[derive(Clone, Debug, Serialize)]
pub struct AdoptedResource {
    /// The id as `TYPE/NAME`.
    pub id: String,
    /// The path relative to the project.
    pub path: String,
    /// The URL of the source with the same bytes; `None` for a file in place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The version, branch or commit of that source.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The reason why a possible source is not used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}
