use crate::error::StoreError;
use crate::execute::{JournalExecution, UnexpectedFile};
use crate::history::EntryNumber;
use crate::journal::JournalPurpose;
use crate::project::{ProjectLock, ProjectStore, StateUse};
use crate::staging::{self, DISCARDED, StagingDirectory};
use crate::state::TRANSACTION;
use crate::steps;
use crate::transaction::RecoveryOutcome;

impl ProjectStore {
    /// Returns whether a killed process left a transaction to finish; reads one name and writes nothing.
    pub fn needs_recovery(&self) -> bool {
        self.state_use == StateUse::Believed && self.has_transaction()
    }

    fn has_transaction(&self) -> bool {
        let state = self.state().ok().flatten();
        // A name that cannot be read is treated as an unfinished transaction, because a write over one would mix two
        // states.
        state.is_some_and(|state| steps::exists(&state, TRANSACTION).unwrap_or(true))
    }

    /// Returns the entry that a killed process was undoing, if it was committed.
    pub fn interrupted_undo(&self) -> Result<Option<EntryNumber>, StoreError> {
        let staging = if self.needs_recovery() {
            StagingDirectory::open(self)?
        } else {
            None
        };
        let Some(staging) = staging else {
            return Ok(None);
        };
        Ok(staging
            .journal()?
            .and_then(|journal| match journal.purpose {
                JournalPurpose::Undo(number) => Some(EntryNumber(number)),
                JournalPurpose::Entry(_) => None,
            }))
    }

    /// Finishes a committed transaction of a killed process, or removes one that was only prepared.
    pub fn recover(&self, _: &ProjectLock) -> Result<RecoveryOutcome, StoreError> {
        let Some(state) = self.state()? else {
            return Ok(RecoveryOutcome::Nothing);
        };
        if !self.has_transaction() {
            return Ok(RecoveryOutcome::Nothing);
        }
        let fail = self.at(&self.state.inner(TRANSACTION));
        // A run that was killed while discarding left this name, and the rename below needs it free.
        staging::sweep(&state).map_err(self.at(&self.state.inner(DISCARDED)))?;
        if self.state_use == StateUse::Ignored {
            // An unfinished transaction of somebody else is discarded, not executed.
            staging::discard(&state).map_err(fail)?;
            return Ok(RecoveryOutcome::Nothing);
        }
        // Killed before `new` and `old` existed: no journal can exist either, so nothing in the project was
        // changed.
        let Some(staging) = StagingDirectory::open(self)? else {
            staging::discard(&state).map_err(fail)?;
            return Ok(RecoveryOutcome::RolledBack);
        };
        // Without a journal the commit point was not reached. The staged contents are only copies.
        let Some(journal) = staging.journal()? else {
            staging.discard()?;
            return Ok(RecoveryOutcome::RolledBack);
        };
        // Time may have passed since the crash, and a user may have edited files. Their edits stay; failing here
        // would block every later command.
        let mut execution = JournalExecution::new(&staging, &journal, UnexpectedFile::Leave, &[]);
        // After a power cut the journal may be on disk without all contents. Going forward would write truncated
        // files, so it goes back.
        if !staging.is_whole(&journal) {
            execution.roll_back()?;
            staging.discard()?;
            return Ok(RecoveryOutcome::RolledBack);
        }
        execution.roll_forward()?;
        staging.finish(journal.purpose)?;
        Ok(RecoveryOutcome::RolledForward)
    }
}
