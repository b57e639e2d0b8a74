//! The resources and files that were found.

use agpm_model::ResourceType;
use agpm_tools::TOOLS;
use serde::{Serialize, Serializer};

/// Everything in a project that AI coding clients or other managers read.
#[derive(Clone, Debug, Default, Serialize)]
pub struct ProjectSurvey {
    /// Agents, skills, commands and instructions that are their own files.
    pub resources: Vec<FoundResource>,
    /// Files with instructions that users write by hand.
    pub rules: Vec<FoundRule>,
    /// Files with hooks.
    pub hooks: Vec<FoundEntries>,
    /// Files with MCP servers.
    pub servers: Vec<FoundEntries>,
    /// Files of other managers.
    pub managers: Vec<FoundManager>,
    /// Files that look like a resource and cannot be described.
    pub skipped: Vec<SkippedFile>,
}

impl ProjectSurvey {
    /// Whether there is nothing to report.
    pub fn is_empty(&self) -> bool {
        self.resources.is_empty()
            && self.rules.is_empty()
            && self.hooks.is_empty()
            && self.servers.is_empty()
            && self.managers.is_empty()
    }
}

/// A resource that a tool reads.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct FoundResource {
    /// The type of the found resource.
    #[serde(rename = "type", serialize_with = "singular")]
    pub kind: ResourceType,
    /// Its name, from its file or directory.
    pub name: String,
    /// The file, or the directory of a skill, from the project.
    pub path: String,
    /// The tool whose directory it is in.
    pub tool: &'static str,
}

/// A file with instructions.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct FoundRule {
    /// The file, from the project.
    pub path: String,
    /// The tool that it is written for.
    pub tool: &'static str,
}

/// A file with entries of one type.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct FoundEntries {
    /// The file, from the project.
    pub path: String,
    /// The tool that reads it.
    pub tool: &'static str,
    /// The names of servers, or the events of hooks.
    pub names: Vec<String>,
}

/// A file of another manager.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct FoundManager {
    /// The manager.
    pub name: &'static str,
    /// Its file, from the project.
    pub path: String,
    /// The format name for `agpm import`; nothing if its files cannot be imported.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<&'static str>,
}

/// A file that is not described, and why.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct SkippedFile {
    /// The file or directory, from the project.
    pub path: String,
    /// The reason, as words that follow "it".
    pub reason: String,
}

/// The tools that a project is for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ChosenTools {
    /// Their names, in the order of the table of tools.
    pub tools: Vec<&'static str>,
    /// The scope in which the tools were detected.
    #[serde(rename = "tools_from", skip_serializing_if = "Option::is_none")]
    pub found_in: Option<DetectedIn>,
}

/// A name that no tool has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownTool {
    /// The name.
    pub name: String,
    /// The names that tools have.
    pub known: Vec<&'static str>,
}

impl ChosenTools {
    /// The tools of these names, in the order of the table of tools.
    pub fn named(names: &[String]) -> Result<Self, UnknownTool> {
        let known: Vec<&'static str> = TOOLS.iter().map(|tool| tool.name).collect();
        if let Some(name) = names.iter().find(|name| !known.contains(&name.as_str())) {
            let name = name.clone();
            return Err(UnknownTool { name, known });
        }
        let is_named = |tool: &&'static str| names.iter().any(|name| name == tool);
        Ok(ChosenTools {
            tools: known.into_iter().filter(is_named).collect(),
            found_in: None,
        })
    }
}

/// The scope in which tools were detected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum DetectedIn {
    /// In the project.
    Project,
    /// In home, since the project has none.
    Home,
}

fn singular<S: Serializer>(kind: &ResourceType, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(kind.singular())
}
