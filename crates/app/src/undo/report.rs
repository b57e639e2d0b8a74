//! The transactions of a project, as `undo` lists and reverts them.

use agpm_model::{FileChangeKind, RelativePath};
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

/// The action of `undo`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UndoAction {
    /// List it.
    List,
    /// Show what undoing the newest transaction would do.
    Preview,
    /// Undo the newest transaction.
    Apply,
}

/// The transactions that were or can be undone.
#[derive(Debug)]
pub struct UndoReport {
    /// Transactions, the newest first; only the one that is undone unless they are listed.
    pub entries: Vec<PastEntry>,
    /// The action.
    pub action: UndoAction,
    /// A manifest that was edited after it was created, and so is not removed.
    pub kept: Option<RelativePath>,
}

/// An earlier transaction.
#[derive(Debug)]
pub struct PastEntry {
    /// The number of the past entry.
    pub number: String,
    /// The command that made it.
    pub title: String,
    /// Its files, and what it did to them; the state of agpm itself is left out.
    pub files: Vec<(RelativePath, FileChangeKind)>,
    /// The reason why it cannot be read; then nothing else is known about it.
    pub damaged: Option<String>,
}

impl UndoReport {
    /// The files of an entry that change when it is undone.
    pub fn changed<'e>(
        &self,
        entry: &'e PastEntry,
    ) -> impl Iterator<Item = &'e (RelativePath, FileChangeKind)> {
        let kept = self.kept.clone();
        entry
            .files
            .iter()
            .filter(move |(path, _)| kept.as_ref() != Some(path))
    }
}

impl Serialize for UndoReport {
    /// Under `undone` or `would_undo`, or with a list under `history`.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut entries = self.entries.iter().map(|entry| self.row(entry));
        let mut map = serializer.serialize_map(None)?;
        match self.action {
            UndoAction::List => {
                map.serialize_entry("history", &entries.collect::<Vec<_>>())?;
                return map.end();
            }
            UndoAction::Preview => map.serialize_entry("would_undo", &entries.next())?,
            UndoAction::Apply => map.serialize_entry("undone", &entries.next())?,
        }
        map.serialize_entry("kept", self.kept.as_slice())?;
        map.end()
    }
}

/// A transaction in a document.
#[derive(Serialize)]
struct EntryRow<'e> {
    number: Option<usize>,
    title: &'e str,
    files: Vec<FileRow<'e>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    damaged: Option<&'e str>,
}

#[derive(Serialize)]
struct FileRow<'e> {
    path: &'e RelativePath,
    action: &'static str,
}

impl UndoReport {
    fn row<'e>(&self, entry: &'e PastEntry) -> EntryRow<'e> {
        let word = if self.action == UndoAction::List {
            FileChangeKind::word
        } else {
            FileChangeKind::undone_word
        };
        let file = |(path, done): &'e (RelativePath, FileChangeKind)| FileRow {
            path,
            action: word(*done),
        };
        EntryRow {
            number: entry.number.parse().ok(),
            title: &entry.title,
            files: self.changed(entry).map(file).collect(),
            damaged: entry.damaged.as_deref(),
        }
    }
}
