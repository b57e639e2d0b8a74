//! Formats of commands.

use crate::format::checked::CheckedCommand;
use crate::models::ModelNames;

/// The format of a tool's commands.
#[derive(Debug, PartialEq, Eq)]
pub enum CommandFormat {
    /// The file is unchanged.
    Unchanged,
    /// Markdown with other fields and placeholders.
    Markdown(MarkdownCommand),
    /// TOML with the prompt as a string.
    Toml(TomlCommand),
    /// As they are, but for fields whose type the tool does not accept.
    Checked(CheckedCommand),
}

impl CommandFormat {
    /// The extension of its files; `None` leaves that of the source.
    pub(crate) fn extension(&self) -> Option<&'static str> {
        match self {
            CommandFormat::Unchanged | CommandFormat::Checked(_) => None,
            CommandFormat::Markdown(format) => format.extension,
            CommandFormat::Toml(_) => Some("toml"),
        }
    }
}

/// Markdown with the fields and placeholders of one tool.
#[derive(Debug, PartialEq, Eq)]
pub struct MarkdownCommand {
    /// The extension of its files, by which a command in this format is known.
    pub extension: Option<&'static str>,
    /// The fields that it may have.
    pub fields: &'static [&'static str],
    /// The available models.
    pub models: ModelNames,
    /// The placeholders in the text.
    pub placeholders: Placeholders,
}

/// TOML with a description and the prompt.
#[derive(Debug, PartialEq, Eq)]
pub struct TomlCommand {
    /// The key of the text.
    pub prompt: &'static str,
    /// The placeholders in the text.
    pub placeholders: Placeholders,
}

/// A tool's notation for the placeholders of commands; `None` if it has none.
#[derive(Debug, PartialEq, Eq)]
pub struct Placeholders {
    /// All arguments.
    pub arguments: &'static str,
    /// Around a command line whose output is wanted.
    pub output: Option<(&'static str, &'static str)>,
    /// Around the path of a file whose text is wanted.
    pub file: Option<(&'static str, &'static str)>,
}
