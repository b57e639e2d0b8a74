//! Formats of a tool that checks the type of each field, and refuses its whole configuration for one that is wrong.

use crate::models::ModelNames;
use crate::tool_names::ServerTools;

/// An agent that stays as it is, but for fields that the tool would refuse.
#[derive(Debug, PartialEq, Eq)]
pub struct CheckedAgent {
    /// The tool, for messages.
    pub title: &'static str,
    /// The available models.
    pub models: ModelNames,
    /// Fields with a type; others may hold anything.
    pub fields: &'static [(&'static str, AcceptedValue)],
    /// Tools of the reference, and the key of `permission` that each of them has there.
    pub permissions: &'static [(&'static [&'static str], &'static str)],
    /// The keys of `permission` for tools of MCP servers.
    pub servers: ServerTools,
    /// Fields that stay in the file and mean nothing there.
    pub unread: &'static [&'static str],
}

/// A command that stays as it is, but for fields that the tool would refuse.
#[derive(Debug, PartialEq, Eq)]
pub struct CheckedCommand {
    /// The tool, for messages.
    pub title: &'static str,
    /// The available models.
    pub models: ModelNames,
    /// Fields with a type; others may hold anything.
    pub fields: &'static [(&'static str, AcceptedValue)],
}

/// The values that a tool accepts for a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AcceptedValue {
    /// A string.
    Text,
    /// A number.
    Number,
    /// A positive integer.
    Count,
    /// True or false.
    Flag,
    /// One of the given words.
    OneOf(&'static [&'static str]),
    /// `#rrggbb`, or one of these names.
    Color(&'static [&'static str]),
    /// `provider/model`.
    Model,
    /// An object.
    Object,
    /// Whether each tool may be used.
    Flags,
    /// An action, or actions by tool.
    Permission,
}
