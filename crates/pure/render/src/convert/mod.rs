//! From the form that authors write, which is Claude Code's, to the form that a tool reads.
//!
//! What a tool cannot say is left out and told, never lost in silence; what would allow more than the author wrote
//! is told apart from the rest.

mod agent;
mod agent_tools;
mod by_line;
mod command;
mod events;
mod front;
mod hook_dialect;
mod hook_file;
mod hook_forms;
mod hooks;
mod matcher;
mod models;
mod opencode;
mod parts;
mod plugin;
mod recognize;
mod server_forms;
mod servers;
mod tool_names;
mod transport;
mod variables;

use agpm_diag::Span;
use agpm_model::{EntryNode, FileForm};
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

/// Turns a file into the form that a tool reads; a file that is in that form already stays as it is.
pub fn convert_file(form: FileForm, name: &str, text: &str) -> Result<Converted, ConvertError> {
    match form {
        FileForm::Same => Ok(Converted {
            text: text.to_owned(),
            fates: Vec::new(),
        }),
        FileForm::ClaudeAgent => agent::convert(&agent::CLAUDE, name, text),
        FileForm::OpenCodeAgent => opencode::agent(text),
        FileForm::OpenCodeCommand => opencode::command(text),
        FileForm::CodexAgent => agent::convert(&agent::CODEX, name, text),
        FileForm::CursorAgent => agent::convert(&agent::CURSOR, name, text),
        FileForm::CopilotAgent => agent::convert(&agent::COPILOT, name, text),
        FileForm::GeminiAgent => agent::convert(&agent::GEMINI, name, text),
        FileForm::CopilotPrompt => command::to_prompt(text),
        FileForm::GeminiCommand => command::to_toml(name, text),
        FileForm::CopilotHooks => hooks::to_file(name, text),
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
