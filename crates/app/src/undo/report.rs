//! The transactions of a project, as `undo` lists and reverts them.

use agpm_diag::counted;
use agpm_model::{FileChangeKind, RelativePath};
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

/// The action of `undo`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UndoAction {
    /// List it.
    List,
    /// Show what undoing the transactions would do.
    Preview,
    /// Undo the transactions.
    Apply,
}

/// The transactions that were or can be undone.
#[derive(Debug)]
pub struct UndoReport {
    /// Transactions, the newest first; only those that are undone unless they are listed.
    pub entries: Vec<PastEntry>,
    /// The action.
    pub action: UndoAction,
    /// The files that change when all of them are undone.
    pub changes: Vec<(RelativePath, FileChangeKind)>,
    /// Files that changed since, and so stay as they are.
    pub kept: Vec<RelativePath>,
    /// A manifest that was edited after it was created, and so is not removed.
    pub kept_manifest: Option<RelativePath>,
}

/// An earlier transaction.
#[derive(Debug)]
pub struct PastEntry {
    /// The number of the past entry.
    pub number: String,
    /// The command that made it.
    pub title: String,
    /// The time when it was made, in UTC, if it was recorded.
    pub time: Option<String>,
    /// Its files, and what it did to them; the state of agpm itself is left out.
    pub files: Vec<(RelativePath, FileChangeKind)>,
    /// The reason why it cannot be read; then nothing else is known about it.
    pub damaged: Option<String>,
}

impl PastEntry {
    /// The number of files by what happened to them, as in `2 files created, 1 updated`.
    pub fn summary(&self) -> String {
        let kinds = [
            FileChangeKind::Created,
            FileChangeKind::Updated,
            FileChangeKind::Removed,
        ];
        let mut parts: Vec<String> = Vec::new();
        for kind in kinds {
            let files = self.files.iter();
            let count = files.filter(|(_, done)| *done == kind).count();
            match (count, parts.is_empty()) {
                (0, _) => {}
                (count, true) => {
                    parts.push(format!(
                        "{} {}",
                        counted(count, "file", "files"),
                        kind.word()
                    ));
                }
                (count, false) => parts.push(format!("{count} {}", kind.word())),
            }
        }
        if parts.is_empty() {
            return "no files changed".to_owned();
        }
        parts.join(", ")
    }
}

impl UndoReport {
    /// All files that stay.
    pub fn all_kept(&self) -> Vec<&RelativePath> {
        self.kept.iter().chain(&self.kept_manifest).collect()
    }

    /// The undone transactions as one: the number of the oldest, and the files of all.
    fn undone(&self) -> Option<EntryRow<'_>> {
        let oldest = self.entries.last()?;
        let file = |(path, done): &'_ (RelativePath, FileChangeKind)| FileRow {
            path: path.clone(),
            action: done.undone_word(),
        };
        Some(EntryRow {
            files: self.changes.iter().map(file).collect(),
            ..EntryRow::of(oldest)
        })
    }
}

impl Serialize for UndoReport {
    /// Under `undone` or `would_undo`, or with a list under `history`.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let rows = || self.entries.iter().map(EntryRow::of).collect::<Vec<_>>();
        let mut map = serializer.serialize_map(None)?;
        match self.action {
            UndoAction::List => {
                map.serialize_entry("history", &rows())?;
                return map.end();
            }
            UndoAction::Preview => map.serialize_entry("would_undo", &self.undone())?,
            UndoAction::Apply => map.serialize_entry("undone", &self.undone())?,
        }
        map.serialize_entry("transactions", &rows())?;
        map.serialize_entry("kept", &self.all_kept())?;
        map.end()
    }
}

/// A transaction in a document.
#[derive(Serialize)]
struct EntryRow<'e> {
    number: Option<usize>,
    time: Option<&'e str>,
    command: &'e str,
    /// The same under its older name.
    title: &'e str,
    summary: String,
    files: Vec<FileRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    damaged: Option<&'e str>,
}

#[derive(Serialize)]
struct FileRow {
    path: RelativePath,
    action: &'static str,
}

impl<'e> EntryRow<'e> {
    fn of(entry: &'e PastEntry) -> Self {
        let file = |(path, done): &(RelativePath, FileChangeKind)| FileRow {
            path: path.clone(),
            action: done.word(),
        };
        EntryRow {
            number: entry.number.parse().ok(),
            time: entry.time.as_deref(),
            command: &entry.title,
            title: &entry.title,
            summary: entry.summary(),
            files: entry.files.iter().map(file).collect(),
            damaged: entry.damaged.as_deref(),
        }
    }
}
