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

/// Changes that are made all together or not at all.
#[derive(Clone, Debug)]
pub struct Transaction<'a> {
    /// The title in the history.
    pub title: String,
    /// The files, each once; they are written in this order, and removed after that.
    pub changes: Vec<FileChange<'a>>,
}

/// The change to one file.
#[derive(Clone, Debug)]
pub enum FileChange<'a> {
    /// It gets this content; bits other than those for running stay as they were.
    Write {
        /// The file.
        path: RelativePath,
        /// The whole content.
        bytes: Cow<'a, [u8]>,
        /// Whether it can be run.
        mode: Mode,
        /// The file that the plan saw.
        before: ExpectedFile,
    },
    /// It goes, and with it the managed directories that become empty.
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
    /// Its entry in the history; none if there was nothing to do.
    pub entry: Option<EntryNumber>,
    /// How many files it wrote or removed.
    pub files: usize,
}

/// The treatment of an unfinished transaction of a killed process.
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
    /// Makes all changes or none, telling `progress` how many contents are on the disk; what a killed process
    /// left is finished first.
    pub fn apply(
        &self,
        lock: &ProjectLock,
        transaction: &Transaction<'_>,
        progress: &dyn Fn(usize),
    ) -> Result<AppliedTransaction, StoreError> {
        // A journal of a killed run describes the files as they will be. Planning over half of it would record a
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
        // Checked before the first byte is written: a transaction that names a file twice has no defined result to
        // recover.
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
                // If even this fails, no final journal exists, and the next run throws the draft away.
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
            // If this fails too, the journal stays, and the next run finishes what it says.
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
        // A resource must not write into the journal or the history, or it could choose what the next recovery
        // does.
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
