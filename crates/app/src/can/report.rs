//! The answer to a question about capabilities.

use agpm_model::Owner;
use agpm_trust::CapabilityWay;
use serde::Serialize;

/// Who can do it.
#[derive(Debug, Serialize)]
pub struct CanReport {
    /// The question, in words.
    pub capability: String,
    /// The number of projects.
    pub checked: usize,
    /// The projects in which somebody can, in the order of the arguments.
    #[serde(rename = "projects")]
    pub able: Vec<ProjectAbilities>,
}

/// Who can do it in one project.
#[derive(Debug, Serialize)]
pub struct ProjectAbilities {
    /// The directory.
    pub project: String,
    /// One for each reason, by file and line.
    pub abilities: Vec<Ability>,
}

/// One reason why somebody can do it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Ability {
    /// The file.
    pub path: String,
    /// The line, from one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// How it is done.
    pub way: CapabilityWay,
    /// The command, host, rule, variable or line.
    pub value: String,
    /// The resource or layer; `None` for a file that agpm did not write.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<Owner>,
    /// The clients that read the file.
    pub tools: Vec<String>,
    /// The source of the resource.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Its version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Its commit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
}
