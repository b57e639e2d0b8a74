//! What only a comparison with a git ref has.

use agpm_model::{Owner, Revision};
use serde::Serialize;

/// The ref that a project is compared with, and what only such a comparison has.
#[derive(Debug, Serialize)]
pub struct RefComparison {
    /// The ref as it was named.
    #[serde(rename = "ref")]
    pub reference: String,
    /// Its commit.
    pub commit: Revision,
    /// Resources, layers and bases that the ref does not have.
    pub added: Vec<PinnedId>,
    /// Resources, layers and bases that only the ref has.
    pub removed: Vec<PinnedId>,
    /// Sources whose URL changes.
    pub sources: Vec<SourceChange>,
}

impl RefComparison {
    /// Whether both sides have the same ids and sources.
    pub fn is_empty(&self) -> bool {
        self.added.is_empty() && self.removed.is_empty() && self.sources.is_empty()
    }

    /// Keeps these ids; sources belong to none.
    pub(super) fn keep_ids(&mut self, is_kept: impl Fn(&Owner) -> bool) {
        let is_kept = |one: &PinnedId| is_kept(&Owner::from(one.id.as_str()));
        self.added.retain(is_kept);
        self.removed.retain(is_kept);
        self.sources.clear();
    }
}

/// A resource, layer or base with its version.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PinnedId {
    /// `TYPE/NAME`, `layers/NAME` or `bases/NAME`.
    pub id: String,
    /// The version; nothing for a file or directory of the project.
    pub version: Option<String>,
    /// The commit.
    pub commit: Option<Revision>,
    /// The URL of the source, without secrets.
    pub url: Option<String>,
}

/// A source of both lockfiles with another URL.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SourceChange {
    /// The name of the source.
    pub name: String,
    /// The URL at the ref; nothing for a directory.
    pub before: Option<String>,
    /// The URL now; nothing for a directory.
    pub after: Option<String>,
}
