//! Formats of agents.

use crate::format::checked::CheckedAgent;
use crate::models::ModelNames;
use crate::tool_names::ToolNames;

/// The format of a tool's agents.
#[derive(Debug, PartialEq, Eq)]
pub struct AgentFormat {
    /// The form of a file.
    pub form: AgentForm,
    /// The extension of its files; `None` leaves that of the source.
    pub extension: Option<&'static str>,
    /// Whether the tool looks into directories under the one of its agents.
    pub subdirectories: Subdirectories,
    /// The signs that an agent was written for this tool.
    pub marks: AgentMarks,
    /// The agents that are already in the tool's format.
    pub copied: CopiedAgents,
    /// The treatment of an agent without a `name`.
    pub nameless: NamelessAgents,
    /// The treatment of agents with the same name.
    pub same_name: &'static str,
}

impl AgentFormat {
    /// A format with what most tools have in common.
    pub(crate) const fn new(form: AgentForm) -> Self {
        AgentFormat {
            form,
            extension: None,
            subdirectories: Subdirectories::Read,
            marks: AgentMarks {
                extensions: &[],
                fields: &[],
            },
            copied: CopiedAgents::None,
            nameless: NamelessAgents::Loaded,
            same_name: "loads only one of them",
        }
    }
}

/// The named formats of an agent.
#[derive(Debug, PartialEq, Eq)]
pub enum AgentForm {
    /// Every field by its name: kept, renamed or left out.
    Fields(AgentFields),
    /// The file stays, but for fields whose type the tool does not accept.
    Checked(CheckedAgent),
}

/// An agent whose fields are converted one by one.
#[derive(Debug, PartialEq, Eq)]
pub struct AgentFields {
    /// The container of the fields.
    pub container: AgentContainer,
    /// The allowed names of agents.
    pub names: AgentNames,
    /// The available models.
    pub models: ModelNames,
    /// Fields that mean there what they mean here, or that only this tool has.
    pub passes: &'static [&'static str],
    /// Fields that are called otherwise there.
    pub renames: &'static [(&'static str, &'static str)],
    /// How the tool limits an agent.
    pub limit: AgentLimit,
    /// The treatment of unknown keys.
    pub unknown: UnknownKeys,
}

impl AgentFields {
    /// Markdown with the fields that all tools have.
    pub(crate) const fn new(models: ModelNames, limit: AgentLimit) -> Self {
        AgentFields {
            container: AgentContainer::Markdown,
            names: AgentNames::Any,
            models,
            passes: &[],
            renames: &[],
            limit,
            unknown: UnknownKeys::Ignored,
        }
    }
}

/// The container of an agent's fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AgentContainer {
    /// Front matter of Markdown.
    Markdown,
    /// TOML, with the text of the agent under this key.
    Toml(&'static str),
}

/// The names that a tool gives its agents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AgentNames {
    /// Any name.
    Any,
    /// Lowercase letters, digits, `-` and `_`.
    Slug,
}

/// How a tool limits an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AgentLimit {
    /// All or nothing: this field with this text, or `true` without one, forbids changes.
    ReadOnly(&'static str, Option<&'static str>),
    /// A list of what is allowed.
    List(ToolList),
    /// Not at all.
    Never,
}

/// A list of the tools that an agent may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ToolList {
    /// The field that holds it.
    pub key: &'static str,
    /// The names of its items.
    pub names: &'static ToolNames,
    /// The tools of an agent without the field.
    pub missing: MissingToolList,
    /// The field for tools that are not allowed, in the reference's names; `None` if there is none.
    pub deny: Option<&'static str>,
}

impl ToolList {
    /// Under `tools`; an agent without it may use everything.
    pub(crate) const fn new(names: &'static ToolNames) -> Self {
        ToolList {
            key: "tools",
            names,
            missing: MissingToolList::AllTools,
            deny: None,
        }
    }
}

/// The tools of an agent without a list of tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MissingToolList {
    /// Every tool.
    AllTools,
    /// None, so a list with this item is written.
    NoTools(&'static str),
}

/// The treatment of unknown keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnknownKeys {
    /// Unknown keys are ignored.
    Ignored,
    /// A file with unknown keys is refused.
    Refused,
}

/// Whether a tool looks into directories under the one of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subdirectories {
    /// Subdirectories are read.
    Read,
    /// Subdirectories are ignored.
    Ignored,
}

/// Marks of an agent that was written for one tool.
#[derive(Debug, PartialEq, Eq)]
pub struct AgentMarks {
    /// Extensions that only this tool uses, with their dot.
    pub extensions: &'static [&'static str],
    /// Fields that only this tool has.
    pub fields: &'static [&'static str],
}

/// The agents that are copied unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CopiedAgents {
    /// None: converting one that is in the tool's own format gives the same.
    None,
    /// Agents that are recognized as written for this tool.
    Marked,
    /// Agents that are not recognized as written for another tool.
    Unmarked,
}

/// The treatment of an agent without a `name`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NamelessAgents {
    /// It takes the name of the file.
    Loaded,
    /// The agent is not loaded.
    Ignored,
}
