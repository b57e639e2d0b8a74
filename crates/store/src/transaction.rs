use std::borrow::Cow;
use std::collections::BTreeSet;

use agpm_model::{FileMode as Mode, RelativePath};

use crate::directory_chain::is_reserved;
use crate::error::{StoreError, StoreProblem};
use crate::execute::{JournalExecution, UnexpectedFile};
use crate::file_step::{ExpectedFile, FileStep, RequestedMode};
use crate::history::EntryNumber;
use crate::journal::JournalPurpose;
use crate::project::{ProjectLock, ProjectStore};
use crate::staging::{PreparedTransaction, StagingDirectory};

/// Changes that are applied all or none.
#[derive(Clone, Debug)]
pub struct Transaction<'a> {
    /// The title in the history.
    pub title: String,
    /// The files, each once; they are written in this order, then removals follow.
    pub changes: Vec<FileChange<'a>>,
}

/// The change of one file.
#[derive(Clone, Debug)]
pub enum FileChange<'a> {
    /// Writes this content; permission bits other than the executable ones stay.
    Write {
        /// The file.
        path: RelativePath,
        /// The new content.
        bytes: Cow<'a, [u8]>,
        /// Whether the file is executable.
        mode: Mode,
        /// The file that the plan saw.
        before: ExpectedFile,
    },
    /// Removes the file, and the managed directories that become empty.
    Remove {
        /// The file.
        path: RelativePath,
        /// The file that the plan saw.
        before: ExpectedFile,
    },
}

/// The result of a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AppliedTransaction {
    /// The entry in the history; `None` if nothing had to be done.
    pub entry: Option<EntryNumber>,
    /// The number of files that were written or removed.
    pub files: usize,
}

/// The result of recovering an unfinished transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecoveryOutcome {
    /// No transaction was unfinished.
    Nothing,
    /// The transaction was completed.
    RolledForward,
    /// The transaction was undone.
    RolledBack,
}

impl<'a> From<&'a FileChange<'_>> for FileStep<'a> {
    fn from(change: &'a FileChange<'_>) -> Self {
        match change {
            FileChange::Write {
                path,
                bytes,
                mode,
                before,
            } => FileStep {
                path: path.clone(),
                content: Some((Cow::Borrowed(bytes), RequestedMode::Mode(*mode))),
                expected: *before,
            },
            FileChange::Remove { path, before } => FileStep {
                path: path.clone(),
                content: None,
                expected: *before,
            },
        }
    }
}

impl ProjectStore {
    /// Applies all changes or none, after recovering an unfinished transaction. Calls `progress` with the number of
    /// contents on the disk.
    pub fn apply(
        &self,
        lock: &ProjectLock,
        transaction: &Transaction<'_>,
        progress: &dyn Fn(usize),
    ) -> Result<AppliedTransaction, StoreError> {
        // A journal of a killed run describes future files. Planning over a half-applied transaction would record a
        // mixture as the old state.
        self.recover(lock)?;
        self.renew_ignored()?;
        let purpose = JournalPurpose::Entry(self.next_number()?);
        let steps = transaction.changes.iter().map(FileStep::from).collect();
        self.run(&transaction.title, purpose, steps, progress)
    }

    pub(crate) fn run(
        &self,
        title: &str,
        purpose: JournalPurpose,
        steps: Vec<FileStep<'_>>,
        progress: &dyn Fn(usize),
    ) -> Result<AppliedTransaction, StoreError> {
        // Checked before the first byte is written: the result of a transaction that names a file twice is undefined.
        self.admit(&steps)?;
        let staging = StagingDirectory::create(self)?;
        let prepared = staging
            .prepare(title, purpose, &steps, progress)
            .and_then(|prepared| {
                if !prepared.journal.does_nothing() {
                    staging.commit()?;
                }
                Ok(prepared)
            });
        match prepared {
            Ok(prepared) if prepared.journal.does_nothing() => {
                staging.discard().map(|()| AppliedTransaction {
                    entry: None,
                    files: 0,
                })
            }
            Ok(prepared) => self.carry_out(&staging, &prepared),
            Err(error) => {
                // If even this fails, no final journal exists, and the next run removes the draft.
                let _ = staging.discard();
                Err(error)
            }
        }
    }

    fn carry_out(
        &self,
        staging: &StagingDirectory<'_>,
        prepared: &PreparedTransaction,
    ) -> Result<AppliedTransaction, StoreError> {
        let journal = &prepared.journal;
        let mut execution =
            JournalExecution::new(staging, journal, UnexpectedFile::Fail, &prepared.stamps);
        let forward = execution
            .roll_forward()
            .and_then(|()| execution.require_untouched());
        let done = forward.and_then(|()| staging.finish(journal.purpose));
        if let Err(error) = done {
            // If this fails too, the journal stays, and the next run finishes the transaction.
            let _ = execution.roll_back().and_then(|()| staging.discard());
            return Err(error);
        }
        let files = journal.files().count();
        Ok(match journal.purpose {
            JournalPurpose::Entry(number) => AppliedTransaction {
                entry: Some(EntryNumber(number)),
                files,
            },
            JournalPurpose::Undo(_) => AppliedTransaction { entry: None, files },
        })
    }

    fn admit(&self, steps: &[FileStep<'_>]) -> Result<(), StoreError> {
        // A resource must not write to the journal or the history, which determine what the next recovery does.
        if let Some(step) = steps.iter().find(|step| is_reserved(&step.path)) {
            return Err(self.error(step.path.as_str(), StoreProblem::Reserved));
        }
        let mut seen = BTreeSet::new();
        match steps.iter().find(|step| !seen.insert(&step.path)) {
            Some(step) => Err(self.error(step.path.as_str(), StoreProblem::Exists)),
            None => Ok(()),
        }
    }
}
