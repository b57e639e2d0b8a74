//! One bottle or one agent as written.

use std::sync::Arc;

use agpm_diag::{Diagnostic, SourceId, SourceSpan, Span};
use agpm_text::{Document, NodeRef};

use crate::kind::UnitKind;
use crate::name::BottleName;
use crate::schema::PROMPT;

/// One bottle or one agent, unchecked.
#[derive(Clone, Debug)]
pub(crate) struct BottleUnit {
    pub(crate) kind: UnitKind,
    pub(crate) name: BottleName,
    /// The path of its file as shown to the user.
    pub(crate) file: String,
    pub(crate) document: Arc<Document>,
    pub(crate) prompt: PromptSource,
    pub(crate) state: UnitState,
    /// The start of the unit; `None` if its file could not be read.
    pub(crate) spot: Option<SourceSpan>,
}

/// The location of an agent's prompt.
#[derive(Clone, Debug)]
pub(crate) enum PromptSource {
    /// Markdown: after the front matter.
    Body(String),
    /// JSON: at a key.
    Key,
}

/// Whether a unit can be checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UnitState {
    Whole,
    /// Unreadable; the error was reported when it was read.
    Broken,
}

impl BottleUnit {
    /// Returns the root value; `None` if it is empty or broken.
    pub(crate) fn root(&self) -> Option<NodeRef<'_>> {
        self.document
            .root()
            .filter(|_| self.state == UnitState::Whole)
    }

    /// The value of a key at its top.
    pub(crate) fn get(&self, key: &str) -> Option<NodeRef<'_>> {
        self.root()?.get(key)
    }

    /// The string under a key at its top.
    pub(crate) fn text(&self, key: &str) -> Option<&str> {
        self.get(key)?.as_str()
    }

    /// The prompt of the agent.
    pub(crate) fn prompt(&self) -> &str {
        match &self.prompt {
            PromptSource::Body(body) => body.trim(),
            PromptSource::Key => self.text(PROMPT).unwrap_or_default().trim(),
        }
    }

    /// Returns a finding about the whole unit.
    pub(crate) fn at_location(&self, diagnostic: Diagnostic) -> Diagnostic {
        match self.spot {
            Some(spot) => diagnostic.at_spot(spot),
            None => diagnostic.in_file(self.file.as_str()),
        }
    }
}

/// The beginning of text.
pub(crate) fn start_of(source: SourceId) -> SourceSpan {
    SourceSpan {
        source,
        span: Span::at(0),
    }
}
