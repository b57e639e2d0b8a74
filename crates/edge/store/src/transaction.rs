use std::borrow::Cow;
use std::collections::BTreeSet;

use agpm_model::{Checksum, FileMode as Mode, RelativePath};

use crate::chain::is_reserved;
use crate::error::{Problem, StoreError};
use crate::execute::{Clash, Execution};
use crate::history::EntryNumber;
use crate::journal::Purpose;
use crate::project::{ProjectLock, ProjectStore};
use crate::staging::{Prepared, Staging};
use crate::steps::Bits;

/// Changes that are made all together or not at all.
#[derive(Clone, Debug)]
pub struct Transaction<'a> {
    /// What it is called in the history.
    pub title: String,
    /// The files, each once; they are written in this order, and removed after that.
    pub changes: Vec<FileChange<'a>>,
}

/// What happens to one file.
#[derive(Clone, Debug)]
pub enum FileChange<'a> {
    /// It gets this content; bits other than those for running stay as they were.
    Write {
        /// The file.
        path: RelativePath,
        /// All of it.
        bytes: Cow<'a, [u8]>,
        /// Whether it can be run.
        mode: Mode,
        /// What the plan saw there.
        before: Expected,
    },
    /// It goes, and with it the folders of ours that become empty.
    Remove {
        /// The file.
        path: RelativePath,
        /// What the plan saw there.
        before: Expected,
    },
}

/// What must be at a path for a change to be right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// Nothing.
    Missing,
    /// A file of this content.
    Checksum(Checksum),
    /// A file, or nothing; links and folders are refused all the same.
    Anything,
}

/// What a transaction did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Applied {
    /// Its entry in the history; none if there was nothing to do.
    pub entry: Option<EntryNumber>,
    /// How many files it wrote or removed.
    pub files: usize,
}

/// What became of the work of a process that was killed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recovered {
    /// There was none.
    Nothing,
    /// It was finished.
    RolledForward,
    /// It was taken back.
    RolledBack,
}

/// One file's change, as both a plan and an undo ask for it.
pub(crate) struct Step<'a> {
    pub(crate) path: RelativePath,
    /// Nothing to remove it.
    pub(crate) content: Option<(Cow<'a, [u8]>, Wanted)>,
    pub(crate) expected: Expected,
}

/// The permission bits that a file shall get.
#[derive(Clone, Copy)]
pub(crate) enum Wanted {
    Mode(Mode),
    Exact(Bits),
}

impl From<Bits> for Mode {
    fn from(bits: Bits) -> Self {
        if bits.is_executable() {
            Mode::Executable
        } else {
            Mode::Plain
        }
    }
}

impl Wanted {
    pub(crate) fn is_exact(self) -> bool {
        matches!(self, Wanted::Exact(_))
    }

    /// What is private stays private when we write it anew.
    pub(crate) fn bits(self, before: Option<Bits>) -> Bits {
        match (self, before) {
            (Wanted::Exact(bits), _) => bits,
            (Wanted::Mode(Mode::Plain), None) => Bits::PLAIN,
            (Wanted::Mode(Mode::Executable), None) => Bits::EXECUTABLE,
            (Wanted::Mode(Mode::Plain), Some(Bits(old))) => Bits(old & 0o666),
            (Wanted::Mode(Mode::Executable), Some(Bits(old))) => {
                Bits(old & 0o666 | (old & 0o444) >> 2)
            }
        }
    }
}

impl<'a> From<&'a FileChange<'_>> for Step<'a> {
    fn from(change: &'a FileChange<'_>) -> Self {
        match change {
            FileChange::Write {
                path,
                bytes,
                mode,
                before,
            } => Step {
                path: path.clone(),
                content: Some((Cow::Borrowed(bytes), Wanted::Mode(*mode))),
                expected: *before,
            },
            FileChange::Remove { path, before } => Step {
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
    ) -> Result<Applied, StoreError> {
        self.recover(lock)?;
        self.renew_ignored()?;
        let purpose = Purpose::Entry(self.next_number()?);
        let steps = transaction.changes.iter().map(Step::from).collect();
        self.run(&transaction.title, purpose, steps, progress)
    }

    pub(crate) fn run(
        &self,
        title: &str,
        purpose: Purpose,
        steps: Vec<Step<'_>>,
        progress: &dyn Fn(usize),
    ) -> Result<Applied, StoreError> {
        self.admit(&steps)?;
        let staging = Staging::create(self)?;
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
                staging.discard().map(|()| Applied {
                    entry: None,
                    files: 0,
                })
            }
            Ok(prepared) => self.carry_out(&staging, &prepared),
            Err(error) => {
                // If even this fails, there is no final journal, and the next run throws it away.
                let _ = staging.discard();
                Err(error)
            }
        }
    }

    fn carry_out(&self, staging: &Staging<'_>, prepared: &Prepared) -> Result<Applied, StoreError> {
        let journal = &prepared.journal;
        let mut execution = Execution::new(staging, journal, Clash::Fail, &prepared.stamps);
        let forward = execution
            .forward()
            .and_then(|()| execution.require_untouched());
        let done = forward.and_then(|()| staging.finish(journal.purpose));
        if let Err(error) = done {
            // If this fails too, the journal stays, and the next run finishes what it says.
            let _ = execution.back().and_then(|()| staging.discard());
            return Err(error);
        }
        let files = journal.files().count();
        Ok(match journal.purpose {
            Purpose::Entry(number) => Applied {
                entry: Some(EntryNumber(number)),
                files,
            },
            Purpose::Undo(_) => Applied { entry: None, files },
        })
    }

    fn admit(&self, steps: &[Step<'_>]) -> Result<(), StoreError> {
        if let Some(step) = steps.iter().find(|step| is_reserved(&step.path)) {
            return Err(self.error(step.path.as_str(), Problem::Reserved));
        }
        let mut seen = BTreeSet::new();
        match steps.iter().find(|step| !seen.insert(&step.path)) {
            Some(step) => Err(self.error(step.path.as_str(), Problem::Exists)),
            None => Ok(()),
        }
    }
}
