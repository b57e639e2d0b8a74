use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use agpm_model::{Checksum, FileChangeKind, ObservedPath, RelativePath};
use cap_std::fs::Dir;

use crate::directory_chain::DirectoryChain;
use crate::error::{StoreError, StoreProblem};
use crate::file_step::{ExpectedFile, FileStep, RequestedMode};
use crate::history::EntryNumber;
use crate::journal::{JournalPurpose, JournaledFile};
use crate::open_file::read_open;
use crate::project::{ProjectLock, ProjectStore};
use agpm_model::FileMode as Mode;

/// Whether to undo files that were edited since.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ForceUndo {
    /// Edits since then are overwritten.
    Yes,
    /// Edits since then are refused.
    No,
}

/// A file that was edited since, with its content after the undo.
#[derive(Clone, Debug)]
pub struct ReconciledFile {
    /// The file.
    pub path: RelativePath,
    /// The current content of the reconciled file.
    pub now: Checksum,
    /// The content after the undo; `None` if the file is removed.
    pub content: Option<Vec<u8>>,
}

/// A transaction that was undone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UndoneEntry {
    /// The entry, which is no longer in the history.
    pub number: EntryNumber,
    /// The title of the transaction.
    pub title: String,
    /// The number of changed files.
    pub files: usize,
}

/// Why nothing was undone.
#[derive(Debug, thiserror::Error)]
pub enum UndoError {
    /// The history is empty.
    #[error("nothing to undo")]
    Nothing,
    /// These files changed since the transaction.
    #[error("{} modified since, first `{}`", count(.0), first(.0))]
    Changed(Vec<RelativePath>),
    /// A file could not be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
}

fn count(paths: &[RelativePath]) -> String {
    if paths.len() == 1 {
        "1 file".to_owned()
    } else {
        format!("{} files", paths.len())
    }
}

fn first(paths: &[RelativePath]) -> &str {
    paths.first().map_or("", RelativePath::as_str)
}

/// The transactions from one on, as one change: what a file was before the first of them, and what the last one that
/// changed it left.
#[derive(Debug)]
pub struct UndoneSpan {
    first: u32,
    title: String,
    files: Vec<SpanFile>,
    /// Directories that the transactions created.
    made: BTreeSet<String>,
}

#[derive(Debug)]
struct SpanFile {
    path: RelativePath,
    before: Option<Backup>,
    after: Option<JournaledFile>,
}

/// Old bytes of a file in the history.
#[derive(Clone, Copy, Debug)]
struct Backup {
    entry: u32,
    at: usize,
    file: JournaledFile,
}

impl UndoneSpan {
    /// The files, in order, with what the transactions did to them altogether.
    pub fn changes(&self) -> Vec<(RelativePath, FileChangeKind)> {
        let changes = self.files.iter().filter_map(|file| {
            let kind = match (&file.before, &file.after) {
                (None, Some(_)) => FileChangeKind::Created,
                (Some(_), Some(_)) => FileChangeKind::Updated,
                (Some(_), None) => FileChangeKind::Removed,
                (None, None) => return None,
            };
            Some((file.path.clone(), kind))
        });
        changes.collect()
    }

    fn file(&self, path: &RelativePath) -> Option<&SpanFile> {
        self.files.iter().find(|file| file.path == *path)
    }

    /// The checksum that the transactions left of a file; `None` if they removed it or did not change it.
    pub fn left(&self, path: &RelativePath) -> Option<Checksum> {
        let after = self.file(path).and_then(|file| file.after);
        after.map(|after| after.checksum)
    }
}

impl ProjectStore {
    /// Returns the transactions from a number on; without a number, the newest.
    pub fn undone_span(&self, first: Option<EntryNumber>) -> Result<UndoneSpan, UndoError> {
        let history = self.believed_history()?.ok_or(UndoError::Nothing)?;
        let mut numbers = self.numbers(&history)?;
        let newest = numbers.last().copied().ok_or(UndoError::Nothing)?;
        let first = first.map_or(newest, |first| first.0);
        numbers.retain(|number| *number >= first);
        let mut span = UndoneSpan {
            first,
            title: String::new(),
            files: Vec::new(),
            made: BTreeSet::new(),
        };
        let mut positions: BTreeMap<RelativePath, usize> = BTreeMap::new();
        for entry in numbers {
            let (_, journal) = self.entry(&history, entry)?;
            for (at, operation) in journal.files() {
                let position = positions.entry(operation.path.clone()).or_insert_with(|| {
                    let before = operation.before.map(|file| Backup { entry, at, file });
                    span.files.push(SpanFile {
                        path: operation.path.clone(),
                        before,
                        after: None,
                    });
                    span.files.len() - 1
                });
                if let Some(file) = span.files.get_mut(*position) {
                    file.after = operation.after;
                }
            }
            span.title = journal.title;
            span.made.extend(journal.make);
        }
        // Created and removed again: nothing to undo.
        span.files
            .retain(|file| file.before.is_some() || file.after.is_some());
        Ok(span)
    }

    /// Returns the content of a file before the transactions; `None` if they did not change it or created it.
    pub fn content_before(
        &self,
        span: &UndoneSpan,
        path: &RelativePath,
    ) -> Result<Option<Vec<u8>>, StoreError> {
        let Some(backup) = span.file(path).and_then(|file| file.before) else {
            return Ok(None);
        };
        let (bytes, _) = self.read_entry_backup(backup, ForceUndo::No)?;
        Ok(Some(bytes.into_owned()))
    }

    /// Returns the files that changed since the transactions; agpm's own records are not compared.
    pub fn changed_since(&self, span: &UndoneSpan) -> Result<Vec<RelativePath>, StoreError> {
        let mut chain = DirectoryChain::new(&self.root);
        let mut changed = Vec::new();
        for file in &span.files {
            if self.is_own_record(&file.path) {
                continue;
            }
            let is_same = match (self.observe_path(&mut chain, &file.path)?, &file.after) {
                (ObservedPath::Missing, None) => true,
                // Created, and deleted by the user: it is as the undo leaves it.
                (ObservedPath::Missing, Some(_)) if file.before.is_none() => true,
                // A directory is at its path.
                (ObservedPath::Directory, None) => span.made.contains(file.path.as_str()),
                (ObservedPath::File(now), Some(after)) => is_same(&now.content, after),
                _ => false,
            };
            changed.extend((!is_same).then(|| file.path.clone()));
        }
        Ok(changed)
    }

    /// Undoes transactions and removes them from the history. Files in `kept` stay as they are. Fails for files that
    /// changed since and are neither there nor in `reconciled`.
    pub fn undo(
        &self,
        lock: &ProjectLock,
        span: &UndoneSpan,
        force: ForceUndo,
        reconciled: &[ReconciledFile],
        kept: &BTreeSet<RelativePath>,
    ) -> Result<UndoneEntry, UndoError> {
        self.recover(lock)?;
        if force == ForceUndo::No {
            // All files are compared before the first is written: a partial undo is worse than none.
            let mut changed = self.changed_since(span)?;
            changed.retain(|path| {
                !kept.contains(path) && reconciled.iter().all(|one| one.path != *path)
            });
            if !changed.is_empty() {
                return Err(UndoError::Changed(changed));
            }
        }
        let mut chain = DirectoryChain::new(&self.root);
        let mut steps = Vec::new();
        for file in span.files.iter().filter(|file| !kept.contains(&file.path)) {
            if let Some(reconciled) = reconciled
                .iter()
                .find(|reconciled| reconciled.path == file.path)
            {
                steps.push(reconciled.step());
                continue;
            }
            let content = match file.before {
                Some(backup) => {
                    // A ledger that differs from the backup may claim files of the user, so force does not apply to it.
                    let force = self.force_for(&file.path, force);
                    Some(self.read_entry_backup(backup, force)?)
                }
                None => None,
            };
            if file.before.is_none() {
                let now = self.observe_path(&mut chain, &file.path)?;
                if matches!(now, ObservedPath::Missing) {
                    continue;
                }
            }
            let expected = match (force, &file.after) {
                (ForceUndo::Yes, _) => ExpectedFile::Anything,
                _ if self.is_own_record(&file.path) => ExpectedFile::Anything,
                (ForceUndo::No, Some(after)) => ExpectedFile::Checksum(after.checksum),
                (ForceUndo::No, None) => ExpectedFile::Missing,
            };
            steps.push(FileStep {
                path: file.path.clone(),
                content,
                expected,
            });
        }
        let title = format!("undo {}", span.title);
        // An undo is a transaction with a journal too, so a crash in it is recovered the same way.
        let applied = self.run(&title, JournalPurpose::Undo(span.first), steps, &|_| {})?;
        Ok(UndoneEntry {
            number: EntryNumber(span.first),
            title: span.title.clone(),
            files: applied.files,
        })
    }

    fn read_entry_backup(
        &self,
        backup: Backup,
        force: ForceUndo,
    ) -> Result<(Cow<'static, [u8]>, RequestedMode), StoreError> {
        let path = format!("{}/old", self.kept_in(backup.entry));
        let missing = || {
            let why = "the backup of the files is missing".to_owned();
            self.error(&path, StoreProblem::Damaged(why))
        };
        let history = self.believed_history()?.ok_or_else(missing)?;
        let (dir, _) = self.entry(&history, backup.entry)?;
        let old = self.inner(&dir, "old", &path)?.ok_or_else(missing)?;
        let at = backup.at;
        self.read_backup(&old, &format!("{path}/{at}"), &backup.file, force)
    }

    /// Whether a file is written by agpm alone, so nobody's edit of it can be lost.
    fn is_own_record(&self, path: &RelativePath) -> bool {
        path.as_str() == self.state.ledger() || self.is_base_file(path)
    }

    /// agpm's own files are restored only if they are exactly the backups.
    fn force_for(&self, path: &RelativePath, force: ForceUndo) -> ForceUndo {
        if self.is_own_record(path) {
            ForceUndo::No
        } else {
            force
        }
    }

    pub(crate) fn read_backup(
        &self,
        old: &Dir,
        path: &str,
        before: &JournaledFile,
        force: ForceUndo,
    ) -> Result<(Cow<'static, [u8]>, RequestedMode), StoreError> {
        let name = path.rsplit('/').next().unwrap_or(path);
        let file = old.open(name).map_err(self.at(path))?;
        let bytes = read_open(file.into_std(), &self.path().join(path), u64::MAX - 1)?;
        // A program that had the file open may have written to it after it was replaced. With force, those bytes come
        // back: refusing them would also block every earlier entry.
        if force == ForceUndo::No && Checksum::of(&bytes) != before.checksum {
            let why =
                "its backup was modified; run `agpm undo --force` to restore it anyway".to_owned();
            return Err(self.error(path, StoreProblem::Damaged(why)));
        }
        Ok((Cow::Owned(bytes), RequestedMode::Exact(before.bits)))
    }
}

impl ReconciledFile {
    fn step(&self) -> FileStep<'_> {
        let content = self.content.as_deref();
        FileStep {
            path: self.path.clone(),
            content: content.map(|bytes| (Cow::Borrowed(bytes), RequestedMode::Mode(Mode::Plain))),
            expected: ExpectedFile::Checksum(self.now),
        }
    }
}

// The mode is compared too: a script whose executable bit the user removed was changed by the user.
fn is_same(now: &JournaledFile, left: &JournaledFile) -> bool {
    now.checksum == left.checksum && Mode::from(now.bits) == Mode::from(left.bits)
}
