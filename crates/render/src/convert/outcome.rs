//! The outcomes of conversions, for each field.

use agpm_diag::Span;
use agpm_model::EntryNode;
use serde::Serialize;

/// The outcome of converting one field.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct FieldOutcome {
    /// The field; `(body)` is the text after the front matter.
    pub field: String,
    /// The quality of the conversion.
    #[serde(rename = "fate")]
    pub kind: FieldOutcomeKind,
    /// A short reason; may be empty.
    pub note: String,
}

/// The quality of a conversion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum FieldOutcomeKind {
    /// The converted field means the same.
    Exact,
    /// The converted field means nearly the same.
    Approximated,
    /// The field is dropped.
    Dropped,
    /// The field is dropped or changed, which permits more than the author wrote.
    Widened,
}

/// A file in a tool's format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConvertedFile {
    /// The text of the converted file.
    pub text: String,
    /// The outcome of each field, sorted by field.
    pub outcomes: Vec<FieldOutcome>,
}

/// Entries of a shared file.
#[derive(Clone, Debug, PartialEq)]
pub struct ConvertedEntries {
    /// The entries and their locations.
    pub nodes: Vec<EntryNode>,
    /// The outcome of each field, sorted by field.
    pub outcomes: Vec<FieldOutcome>,
}

/// The reason why a resource cannot be converted for a tool.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ConvertError {
    /// The problem.
    pub message: String,
    /// The expected form.
    pub help: &'static str,
    /// The span of the mistake, if it is known.
    pub at: Option<Span>,
}

impl ConvertError {
    pub(super) fn new(message: impl Into<String>, help: &'static str) -> Self {
        ConvertError {
            message: message.into(),
            help,
            at: None,
        }
    }
}

impl ConvertedFile {
    /// An unchanged file.
    pub fn unchanged(text: &str) -> Self {
        ConvertedFile {
            text: text.to_owned(),
            outcomes: Vec::new(),
        }
    }
}

impl FieldOutcomeKind {
    /// The quality as users read it.
    pub fn word(self) -> &'static str {
        match self {
            FieldOutcomeKind::Exact => "exact",
            FieldOutcomeKind::Approximated => "approximated",
            FieldOutcomeKind::Dropped => "dropped",
            FieldOutcomeKind::Widened => "widened",
        }
    }
}

/// The outcomes so far.
#[derive(Debug, Default)]
pub(super) struct FieldOutcomes(pub(super) Vec<FieldOutcome>);

impl FieldOutcomes {
    pub(super) fn add(
        &mut self,
        field: impl Into<String>,
        kind: FieldOutcomeKind,
        note: impl Into<String>,
    ) {
        self.0.push(FieldOutcome {
            field: field.into(),
            kind,
            note: note.into(),
        });
    }

    pub(super) fn exact(&mut self, field: impl Into<String>) {
        self.add(field, FieldOutcomeKind::Exact, "");
    }

    pub(super) fn sorted(mut self) -> Vec<FieldOutcome> {
        self.0.sort();
        self.0.dedup();
        self.0
    }
}
