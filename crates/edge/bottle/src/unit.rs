//! The loader's result: one bottle or one agent as it was written.

use std::sync::Arc;

use agpm_diag::{Diagnostic, SourceId, SourceSpan, Span};
use agpm_model::{LayerName, SchemaTable};
use agpm_text::{Document, NodeRef};

use crate::schema::{AGENT, BOTTLE, PROMPT};

/// The kind of a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum UnitKind {
    /// A sandbox.
    Bottle,
    /// An agent that runs in a bottle.
    Agent,
}

impl UnitKind {
    /// All kinds of units.
    pub const ALL: [UnitKind; 2] = [UnitKind::Bottle, UnitKind::Agent];

    /// The word that messages use.
    pub fn word(self) -> &'static str {
        match self {
            UnitKind::Bottle => "bottle",
            UnitKind::Agent => "agent",
        }
    }

    /// The key of the JSON object, and the directory of the Markdown files.
    pub fn plural(self) -> &'static str {
        match self {
            UnitKind::Bottle => "bottles",
            UnitKind::Agent => "agents",
        }
    }

    /// The other kind.
    pub fn other(self) -> UnitKind {
        match self {
            UnitKind::Bottle => UnitKind::Agent,
            UnitKind::Agent => UnitKind::Bottle,
        }
    }

    pub(crate) fn table(self) -> &'static SchemaTable {
        match self {
            UnitKind::Bottle => &BOTTLE,
            UnitKind::Agent => &AGENT,
        }
    }
}

/// One bottle or one agent, unchecked.
#[derive(Clone, Debug)]
pub(crate) struct BottleUnit {
    pub(crate) kind: UnitKind,
    pub(crate) name: LayerName,
    /// The file it is in, as users see it.
    pub(crate) file: String,
    pub(crate) document: Arc<Document>,
    pub(crate) prompt: PromptSource,
    pub(crate) state: UnitState,
    /// Where it starts; nothing if its file could not be read.
    pub(crate) spot: Option<SourceSpan>,
}

/// Where an agent's prompt stands.
#[derive(Clone, Debug)]
pub(crate) enum PromptSource {
    /// Markdown: under the front matter.
    Body(String),
    /// JSON: under a key.
    Key,
}

/// Whether a unit can be looked into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UnitState {
    Whole,
    /// It exists, and what is wrong with it was reported when it was read.
    Broken,
}

impl BottleUnit {
    /// The value of the whole; nothing if it is empty or broken.
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

    /// A finding about the unit as a whole.
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
