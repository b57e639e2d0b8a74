use std::borrow::Cow;

use agpm_model::{Checksum, ObservedPath, RelativePath};
use cap_std::fs::Dir;

use crate::directory_chain::DirectoryChain;
use crate::error::{StoreError, StoreProblem};
use crate::file_step::{ExpectedFile, FileStep, RequestedMode};
use crate::history::EntryNumber;
use crate::journal::{Journal, JournalPurpose, JournaledFile};
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

impl ProjectStore {
    /// Returns the content of a file before the newest transaction; `None` if it did not change the file or created it.
    pub fn before_newest(&self, path: &RelativePath) -> Result<Option<Vec<u8>>, StoreError> {
        let Some((number, dir, journal)) = self.newest()? else {
            return Ok(None);
        };
        let directory = format!("{}/old", self.kept_in(number));
        let file = journal.files().find(|(_, file)| file.path == *path);
        let before = file.and_then(|(at, file)| Some((at, file.before?)));
        match (before, self.inner(&dir, "old", &directory)?) {
            (Some((at, before)), Some(old)) => self
                .read_backup(&old, &format!("{directory}/{at}"), &before, ForceUndo::No)
                .map(|(bytes, _)| Some(bytes.into_owned())),
            _ => Ok(None),
        }
    }

    /// Returns the checksum of a file after the newest transaction; `None` if it did not change the file or removed it.
    pub fn left_by_newest(&self, path: &RelativePath) -> Result<Option<Checksum>, StoreError> {
        let Some((_, _, journal)) = self.newest()? else {
            return Ok(None);
        };
        let file = journal.files().find(|(_, file)| file.path == *path);
        Ok(file
            .and_then(|(_, file)| file.after)
            .map(|after| after.checksum))
    }

    /// Undoes the newest transaction and removes it from the history. Fails for files that were edited since, except
    /// those in `reconciled`.
    pub fn undo(
        &self,
        lock: &ProjectLock,
        force: ForceUndo,
        reconciled: &[ReconciledFile],
    ) -> Result<UndoneEntry, UndoError> {
        self.recover(lock)?;
        let (number, dir, journal) = self.newest()?.ok_or(UndoError::Nothing)?;
        if force == ForceUndo::No {
            // All files are compared before the first is written: a partial undo is worse than none.
            self.require_untouched(&journal, reconciled)?;
        }
        let path = format!("{}/old", self.kept_in(number));
        let old = self.inner(&dir, "old", &path)?;
        let mut steps = Vec::new();
        for (at, file) in journal.files() {
            if let Some(reconciled) = reconciled
                .iter()
                .find(|reconciled| reconciled.path == file.path)
            {
                steps.push(reconciled.step());
                continue;
            }
            let content = match (&file.before, &old) {
                (Some(before), Some(old)) => {
                    // A ledger that differs from the backup may claim files of the user, so force does not apply to it.
                    let force = self.force_for(&file.path, force);
                    Some(self.read_backup(old, &format!("{path}/{at}"), before, force)?)
                }
                (Some(_), None) => {
                    let why = "the backup of the files is missing".to_owned();
                    return Err(self.error(&path, StoreProblem::Damaged(why)).into());
                }
                (None, _) => None,
            };
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
        let title = format!("undo {}", journal.title);
        // An undo is a transaction with a journal too, so a crash in it is recovered the same way.
        let applied = self.run(&title, JournalPurpose::Undo(number), steps, &|_| {})?;
        Ok(UndoneEntry {
            number: EntryNumber(number),
            title: journal.title,
            files: applied.files,
        })
    }

    /// Fails if the newest transaction cannot be undone because files changed since.
    pub fn require_undoable(&self, reconciled: &[ReconciledFile]) -> Result<(), UndoError> {
        let (_, _, journal) = self.newest()?.ok_or(UndoError::Nothing)?;
        self.require_untouched(&journal, reconciled)
    }

    fn require_untouched(
        &self,
        journal: &Journal,
        reconciled: &[ReconciledFile],
    ) -> Result<(), UndoError> {
        let mut chain = DirectoryChain::new(&self.root);
        let mut changed = Vec::new();
        let counts = |path: &RelativePath| {
            !self.is_own_record(path)
                && reconciled.iter().all(|reconciled| reconciled.path != *path)
        };
        for (_, file) in journal.files().filter(|(_, file)| counts(&file.path)) {
            let same = match (self.observe_path(&mut chain, &file.path)?, &file.after) {
                (ObservedPath::Missing, None) => true,
                // A directory is at its path.
                (ObservedPath::Directory, None) => journal
                    .make
                    .iter()
                    .any(|created| created == file.path.as_str()),
                (ObservedPath::File(now), Some(after)) => is_same(&now.content, after),
                _ => false,
            };
            changed.extend((!same).then(|| file.path.clone()));
        }
        if changed.is_empty() {
            Ok(())
        } else {
            Err(UndoError::Changed(changed))
        }
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
