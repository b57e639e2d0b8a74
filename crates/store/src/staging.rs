//! The directory of a transaction: `transaction` in the state while it runs, `history/N` afterwards.

use std::io;

use agpm_model::Checksum;
use agpm_text::FormatVersion;
use cap_std::fs::Dir;

use crate::clock::now;
use crate::error::{StoreError, StoreProblem};
use crate::file_step::FileStep;
use crate::journal::{Journal, JournalOperation, JournalPurpose, JournaledFile};
use crate::open_file::read_open;
use crate::platform::{self, PermissionBits};
use crate::pre_commit_check::PreCommitCheck;
use crate::project::ProjectStore;
use crate::stamp::FileStamp;
use crate::state::{TRANSACTION, relative};
use crate::steps;

pub(crate) const JOURNAL: &str = "journal.json";
const DRAFT: &str = "journal.draft";
pub(crate) const HISTORY: &str = "history";
pub(crate) const DISCARDED: &str = "discarded";
const UNDONE: &str = "undone";
const LARGEST_JOURNAL: u64 = 1 << 30;

/// A transaction that can be committed.
pub(crate) struct PreparedTransaction {
    pub(crate) journal: Journal,
    /// The files as they were when they were compared with the plan, in the order of the journal.
    pub(crate) stamps: Vec<Option<FileStamp>>,
}

/// The directory of a transaction, with its subdirectories open.
pub(crate) struct StagingDirectory<'a> {
    pub(crate) store: &'a ProjectStore,
    state: Dir,
    dir: Dir,
    /// The new contents of files, by their number in the journal.
    pub(crate) new: Dir,
    /// The old contents of files.
    pub(crate) old: Dir,
}

impl<'a> StagingDirectory<'a> {
    pub(crate) fn create(store: &'a ProjectStore) -> Result<Self, StoreError> {
        let path = store.state.inner(TRANSACTION);
        let state = store
            .state()?
            .ok_or_else(|| store.error(store.state.path(), StoreProblem::NotFound))?;
        steps::remove_tree(&state, DISCARDED).map_err(store.at(&store.state.inner(DISCARDED)))?;
        // It contains old files, some of which only their owner may read.
        let created = steps::make_private_directory(&state, TRANSACTION).and_then(|()| {
            let dir = state.open_dir(TRANSACTION)?;
            steps::make_directory(&dir, "new")?;
            steps::make_directory(&dir, "old")
        });
        let opened = created
            .map_err(store.at(&path))
            .and_then(|()| StagingDirectory::open(store));
        match opened {
            Ok(Some(staging)) => Ok(staging),
            other => {
                let _ = discard(&state);
                Err(other
                    .err()
                    .unwrap_or_else(|| store.error(&path, StoreProblem::NotFound)))
            }
        }
    }

    /// Opens an existing staging directory; `None` if it does not exist or is incomplete after a kill.
    pub(crate) fn open(store: &'a ProjectStore) -> Result<Option<Self>, StoreError> {
        let Some(state) = store.state()? else {
            return Ok(None);
        };
        let path = store.state.inner(TRANSACTION);
        let Some(dir) = store.inner(&state, TRANSACTION, &path)? else {
            return Ok(None);
        };
        let part = |name| store.inner(&dir, name, &path);
        let (new, old) = (part("new")?, part("old")?);
        let parts_missing = new.is_none() || old.is_none();
        let journal = journal_path(store);
        // A journal without its contents was damaged by hand. Discarding it would hide that files are half old and
        // half new.
        if parts_missing && steps::exists(&dir, JOURNAL).map_err(store.at(&journal))? {
            let why = "`new` or `old` next to it is missing".to_owned();
            return Err(store.error(&journal, StoreProblem::Damaged(why)));
        }
        Ok(new.zip(old).map(|(new, old)| StagingDirectory {
            store,
            state,
            dir,
            new,
            old,
        }))
    }

    /// Writes all contents to the disk, checks the current files, and drafts the journal.
    pub(crate) fn prepare(
        &self,
        title: &str,
        purpose: JournalPurpose,
        steps: &[FileStep<'_>],
        progress: &dyn Fn(usize),
    ) -> Result<PreparedTransaction, StoreError> {
        // All new contents are on disk before the journal exists: a full disk or a crash here has changed nothing yet.
        for (at, step) in steps.iter().enumerate() {
            self.stage(at, step)?;
            progress(at + 1);
        }
        // The plan was made from an earlier observation, so every path is compared with it again, as late as possible.
        let mut check = PreCommitCheck::new(self.store, steps)?;
        let mut operations = Vec::with_capacity(steps.len() + 1);
        let mut stamps = Vec::with_capacity(steps.len());
        for (at, step) in steps.iter().enumerate() {
            let (operation, stamp) = check.operation(step)?;
            self.settle_bits(at, &operation, step)?;
            operations.push(operation);
            stamps.push(stamp);
        }
        let (make, prune) = check.directory_changes()?;
        // The list of managed directories is one more file of the transaction: written on its own, a crash could
        // leave it claiming a directory that was never made.
        if let Some((before, bytes)) = check.owned_after(&make, &prune) {
            operations.push(self.stage_owned(operations.len(), before, &bytes)?);
        }
        let journal = Journal {
            version: FormatVersion,
            title: title.to_owned(),
            time: Some(now()),
            purpose,
            make,
            prune,
            operations,
        };
        self.draft(&journal)
            .map_err(self.store.at(&journal_path(self.store)))?;
        Ok(PreparedTransaction { journal, stamps })
    }

    fn stage(&self, at: usize, step: &FileStep<'_>) -> Result<(), StoreError> {
        let Some((bytes, wanted)) = &step.content else {
            return Ok(());
        };
        let written = steps::write_new(&self.new, &at.to_string(), bytes, wanted.bits(None));
        written.map(drop).map_err(self.store.at(step.path.as_str()))
    }

    /// Sets the permission bits: a new file keeps those from the system, and one that replaces another gets the old
    /// bits.
    fn settle_bits(
        &self,
        at: usize,
        operation: &JournalOperation,
        step: &FileStep<'_>,
    ) -> Result<(), StoreError> {
        let exact = step
            .content
            .as_ref()
            .is_some_and(|(_, wanted)| wanted.is_exact());
        match operation.after {
            Some(after) if exact || operation.before.is_some() => {
                let set = steps::set_bits(&self.new, &at.to_string(), after.bits);
                set.map_err(self.store.at(step.path.as_str()))
            }
            _ => Ok(()),
        }
    }

    fn stage_owned(
        &self,
        at: usize,
        before: Option<JournaledFile>,
        bytes: &[u8],
    ) -> Result<JournalOperation, StoreError> {
        let list = self.store.state.directory_list();
        steps::write_new(&self.new, &at.to_string(), bytes, PermissionBits::PLAIN)
            .map_err(self.store.at(list))?;
        let after = JournaledFile {
            checksum: Checksum::of(bytes),
            bits: PermissionBits::PLAIN,
        };
        Ok(JournalOperation {
            path: relative(list),
            before,
            after: Some(after),
        })
    }

    fn draft(&self, journal: &Journal) -> io::Result<()> {
        let file = steps::write_new(
            &self.dir,
            DRAFT,
            journal.encode().as_bytes(),
            PermissionBits::PLAIN,
        )?;
        // One sync instead of one per file: a killed process needs none, and after a power cut a complete journal is
        // enough, because recovery compares the staged contents with it and goes back if one is missing.
        file.sync_data()
    }

    /// The commit point: from here on, the journal is binding.
    pub(crate) fn commit(&self) -> Result<(), StoreError> {
        // A rename is atomic: the journal exists with all its bytes or not at all, so a half-written one is never
        // read.
        let renamed = steps::rename(&self.dir, DRAFT, &self.dir, JOURNAL);
        renamed.map_err(self.store.at(&journal_path(self.store)))
    }

    /// Returns the journal, if the commit point was passed.
    pub(crate) fn journal(&self) -> Result<Option<Journal>, StoreError> {
        read_journal(self.store, &self.dir, &journal_path(self.store))
    }

    /// Returns whether every content that is not in its path yet arrived on the disk.
    pub(crate) fn is_whole(&self, journal: &Journal) -> bool {
        journal
            .writes()
            .all(|(at, operation)| match self.new.read(at.to_string()) {
                Ok(bytes) => {
                    let arrived = operation
                        .after
                        .is_some_and(|after| after.checksum == Checksum::of(&bytes));
                    // After an exchange, the name in `new` is the old file, whose checksum differs without any loss.
                    arrived || self.is_exchanged(&at.to_string())
                }
                // It is already at its path.
                Err(cause) => cause.kind() == io::ErrorKind::NotFound,
            })
    }

    /// Returns whether the old and the new file were exchanged, and only the second name is left to remove.
    pub(crate) fn is_exchanged(&self, at: &str) -> bool {
        steps::is_same(&self.new, at, &self.old, at)
    }

    /// The last step: moves the transaction to the history, or removes it with the entry that was undone.
    pub(crate) fn finish(&self, purpose: JournalPurpose) -> Result<(), StoreError> {
        let fail = self.store.at(&self.store.state.inner(HISTORY));
        steps::make_private_directory(&self.state, HISTORY).map_err(&fail)?;
        let history = self.history()?;
        match purpose {
            JournalPurpose::Entry(number) => {
                steps::rename(&self.state, TRANSACTION, &history, &number.to_string())
                    .map_err(fail)?;
                // From here on errors are ignored, because leftovers do no harm.
                let entry = history.open_dir(number.to_string());
                let _ = entry.and_then(|entry| steps::remove_if_empty(&entry, "new"));
                // Old files may contain secrets from settings files, and the history outlives the transaction.
                platform::make_private(&history, &self.old);
                self.store.forget_oldest(&self.state, &history);
                Ok(())
            }
            JournalPurpose::Undo(number) => {
                // The newest first: after a crash here, the history ends with an entry that is still to be undone.
                for undone in self.store.numbers(&history)?.into_iter().rev() {
                    if undone < number {
                        break;
                    }
                    // Moved instead of removed: it can go back until it is discarded below, so a crash here neither
                    // loses the entry nor undoes it twice.
                    let name = undone.to_string();
                    steps::rename(&history, &name, &self.dir, &undone_name(undone))
                        .map_err(&fail)?;
                }
                self.discard()
            }
        }
    }

    /// Reverts what `finish` did so far.
    pub(crate) fn revert_finish(&self, purpose: JournalPurpose) -> Result<(), StoreError> {
        let JournalPurpose::Undo(number) = purpose else {
            return Ok(());
        };
        let fail = self.store.at(&self.store.state.inner(HISTORY));
        let history = self.history()?;
        // The name of a program that undid one entry at a time.
        if steps::exists(&self.dir, UNDONE).map_err(&fail)? {
            steps::rename(&self.dir, UNDONE, &history, &number.to_string()).map_err(&fail)?;
        }
        for entry in self.dir.entries().map_err(&fail)? {
            let name = entry.map_err(&fail)?.file_name();
            let undone = name.to_str().and_then(|name| name.strip_prefix(UNDONE));
            let Some(undone) = undone.and_then(|rest| rest.strip_prefix('-')) else {
                continue;
            };
            steps::rename(&self.dir, &format!("{UNDONE}-{undone}"), &history, undone)
                .map_err(&fail)?;
        }
        Ok(())
    }

    pub(crate) fn discard(&self) -> Result<(), StoreError> {
        discard(&self.state).map_err(self.store.at(&self.store.state.inner(TRANSACTION)))
    }

    fn history(&self) -> Result<Dir, StoreError> {
        let path = self.store.state.inner(HISTORY);
        let history = self.store.inner(&self.state, HISTORY, &path)?;
        history.ok_or_else(|| self.store.error(&path, StoreProblem::NotFound))
    }
}

/// The name of an undone entry until it is discarded.
fn undone_name(number: u32) -> String {
    format!("{UNDONE}-{number}")
}

fn journal_path(store: &ProjectStore) -> String {
    store.state.inner(&format!("{TRANSACTION}/{JOURNAL}"))
}

/// Removes the transaction's directory. It is renamed first, so no process finds a part of it.
pub(crate) fn discard(state: &Dir) -> io::Result<()> {
    throw_away(state, TRANSACTION, state)
}

/// Removes a directory: renames it first, and deletes it as far as possible.
pub(crate) fn throw_away(dir: &Dir, name: &str, state: &Dir) -> io::Result<()> {
    // One rename makes it disappear for every reader; the slow removal after it may be interrupted at any file.
    steps::rename(dir, name, state, DISCARDED)?;
    let _ = sweep(state);
    Ok(())
}

/// Deletes renamed directories.
pub(crate) fn sweep(state: &Dir) -> io::Result<()> {
    steps::remove_tree(state, DISCARDED)
}

/// Reads the journal of a directory, if it has one; one that cannot be read is an error.
pub(crate) fn read_journal(
    store: &ProjectStore,
    dir: &Dir,
    path: &str,
) -> Result<Option<Journal>, StoreError> {
    let file = match dir.open(JOURNAL) {
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => return Ok(None),
        other => other.map_err(store.at(path))?,
    };
    let bytes = read_open(file.into_std(), &store.path().join(path), LARGEST_JOURNAL)?;
    Journal::decode(&bytes)
        .map(Some)
        .map_err(|why| store.error(path, StoreProblem::Damaged(why.to_string())))
}
