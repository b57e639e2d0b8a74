//! From the format that authors write, the reference tool's, to the format that a tool reads. The formats are named in
//! `agpm_tools`; each has one converter, and none knows a tool.
//!
//! What a tool cannot say is left out and told, never lost in silence; what would allow more than the author wrote
//! is told apart from the rest.

mod agent;
mod agent_tools;
mod by_line;
mod checked;
mod command;
mod command_markdown;
mod command_toml;
mod events;
mod front;
mod hook_file;
mod hook_origin;
mod hooks;
mod matcher;
mod models;
mod parts;
mod placeholders;
mod plugin;
mod recognize;
mod servers;
mod tool_names;
mod transport;
mod variables;

use agpm_diag::Span;
use agpm_model::EntryNode;
use agpm_tools::{AgentForm, CommandFormat, FileFormat};
use serde::Serialize;

pub use hooks::hook_entries;
pub use recognize::{agent_name, foreign_format, is_native};
pub use servers::{server_entries, server_names};

/// What became of one field on its way into a tool's own form.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Fate {
    /// The field; `(body)` is the text below the fields.
    pub field: String,
    /// How it fared.
    #[serde(rename = "fate")]
    pub kind: FateKind,
    /// Why, in a few words; may be empty.
    pub note: String,
}

/// How a field fared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum FateKind {
    /// It says the same.
    Exact,
    /// It says nearly the same.
    Approximated,
    /// It is left out.
    Dropped,
    /// Dropped or changed so that more is permitted than the author wrote.
    Widened,
}

/// A file in a tool's own form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Converted {
    /// Its text.
    pub text: String,
    /// What became of each field, sorted by field.
    pub fates: Vec<Fate>,
}

/// Entries of a shared file.
#[derive(Clone, Debug, PartialEq)]
pub struct Entries {
    /// The entries and their places.
    pub nodes: Vec<EntryNode>,
    /// What became of each field, sorted by field.
    pub fates: Vec<Fate>,
}

/// Why something has no form that a tool reads.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ConvertError {
    /// What is wrong.
    pub message: String,
    /// How to write it.
    pub help: &'static str,
    /// The bytes of the text concerned, if they are known.
    pub at: Option<Span>,
}

impl ConvertError {
    fn new(message: impl Into<String>, help: &'static str) -> Self {
        ConvertError {
            message: message.into(),
            help,
            at: None,
        }
    }
}

impl Converted {
    /// A file that stays as it is.
    pub fn unchanged(text: &str) -> Self {
        Converted {
            text: text.to_owned(),
            fates: Vec::new(),
        }
    }
}

/// Turns a file into the format that a tool reads; a file that is in that format already stays as it is.
pub fn convert_file(format: FileFormat, name: &str, text: &str) -> Result<Converted, ConvertError> {
    match format {
        FileFormat::Unchanged | FileFormat::Command(CommandFormat::Unchanged) => {
            Ok(Converted::unchanged(text))
        }
        FileFormat::Agent(format) => match &format.form {
            AgentForm::Fields(fields) => agent::convert(fields, name, text),
            AgentForm::Checked(checked) => checked::agent(checked, text),
        },
        FileFormat::Command(CommandFormat::Markdown(format)) => {
            command_markdown::convert(format, text)
        }
        FileFormat::Command(CommandFormat::Toml(format)) => {
            command_toml::convert(format, name, text)
        }
        FileFormat::Command(CommandFormat::Checked(format)) => checked::command(format, text),
        FileFormat::Hooks(format) => hooks::to_file(format, name, text),
    }
}

impl FateKind {
    /// The word that users read.
    pub fn word(self) -> &'static str {
        match self {
            FateKind::Exact => "exact",
            FateKind::Approximated => "approximated",
            FateKind::Dropped => "dropped",
            FateKind::Widened => "widened",
        }
    }
}

/// What became of the fields so far.
#[derive(Debug, Default)]
struct Fates(Vec<Fate>);

impl Fates {
    fn add(&mut self, field: impl Into<String>, kind: FateKind, note: impl Into<String>) {
        self.0.push(Fate {
            field: field.into(),
            kind,
            note: note.into(),
        });
    }

    fn exact(&mut self, field: impl Into<String>) {
        self.add(field, FateKind::Exact, "");
    }

    fn sorted(mut self) -> Vec<Fate> {
        self.0.sort();
        self.0.dedup();
        self.0
    }
}
