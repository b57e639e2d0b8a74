//! The end of a project's state: what is recorded of one file, and removing a state that nothing needs.

use agpm_model::{Checksum, RelativePath};
use cap_std::fs::Dir;

use crate::error::StoreError;
use crate::project::{IGNORE, IGNORED, IGNORED_BEFORE, LOCK, ProjectLock, ProjectStore, StateUse};
use crate::seen_files::is_seen_files;
use crate::staging::{DISCARDED, HISTORY, throw_away};
use crate::state::{BASES, StateDirectory};
use crate::steps;
use crate::undo::ForceUndo;

/// The change of one file in a transaction of the history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedChange {
    /// The title of the transaction.
    pub title: String,
    /// The bytes before; `None` if the file did not exist.
    pub before: Option<Vec<u8>>,
    /// The checksum after; `None` if the file was removed.
    pub after: Option<Checksum>,
}

/// How much of the history is left when a project ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HistoryUse {
    /// Transactions can still be undone, so a state with one is needed.
    Kept,
    /// The project no longer exists, and its transactions go with it.
    Dropped,
}

impl ProjectStore {
    /// Returns every recorded change of a file, oldest first; nothing if a part of the history is lost.
    pub fn recorded_changes(&self, path: &RelativePath) -> Result<Vec<RecordedChange>, StoreError> {
        let Some(history) = self
            .believed_history()?
            .filter(|_| !self.has_dropped_history())
        else {
            return Ok(Vec::new());
        };
        let mut changes = Vec::new();
        for number in self.numbers(&history)? {
            let Ok((dir, journal)) = self.entry(&history, number) else {
                return Ok(Vec::new());
            };
            let Some((at, file)) = journal.files().find(|(_, file)| file.path == *path) else {
                continue;
            };
            let before = match &file.before {
                None => None,
                Some(before) => {
                    let directory = format!("{}/old", self.kept_in(number));
                    let Some(old) = self.inner(&dir, "old", &directory)? else {
                        return Ok(Vec::new());
                    };
                    let backup = format!("{directory}/{at}");
                    let Ok((bytes, _)) = self.read_backup(&old, &backup, before, ForceUndo::No)
                    else {
                        return Ok(Vec::new());
                    };
                    Some(bytes.into_owned())
                }
            };
            changes.push(RecordedChange {
                title: journal.title.clone(),
                before,
                after: file.after.map(|after| after.checksum),
            });
        }
        Ok(changes)
    }

    /// Removes the state of a project if nothing needs it: nothing is managed, and nothing can be undone. Errors are
    /// ignored, because a state that stays does no harm.
    pub fn remove_unused_state(&self, lock: ProjectLock, history_use: HistoryUse) {
        if self.state == StateDirectory::Project && self.state_use == StateUse::Believed {
            let _ = self.try_remove_state(history_use);
        }
        drop(lock);
    }

    fn try_remove_state(&self, history_use: HistoryUse) -> std::io::Result<()> {
        let Ok(Some(state)) = self.state() else {
            return Ok(());
        };
        if !self.is_unused(&state, history_use)? {
            return Ok(());
        }
        if steps::exists(&state, HISTORY)? {
            throw_away(&state, HISTORY, &state)?;
        }
        steps::remove_if_empty(&state, BASES)?;
        let (_, list) = self
            .state
            .directory_list()
            .rsplit_once('/')
            .unwrap_or_default();
        for name in state.entries()?.flatten().map(|entry| entry.file_name()) {
            if let Some(name) = name.to_str().filter(|name| is_seen_files(name)) {
                steps::remove_file(&state, name)?;
            }
        }
        for name in [list, IGNORE] {
            if steps::exists(&state, name)? {
                steps::remove_file(&state, name)?;
            }
        }
        // The lock goes last: until then, no other process can begin.
        steps::remove_file(&state, LOCK)?;
        steps::remove_if_empty(&self.root, self.state.path())
    }

    /// Whether the state has only records of runs, none of which can be undone.
    fn is_unused(&self, state: &Dir, history_use: HistoryUse) -> std::io::Result<bool> {
        let list = self.state.directory_list().rsplit_once('/');
        for entry in state.entries()? {
            let entry = entry?;
            let name = entry.file_name();
            let is_record = match name.to_str() {
                Some(LOCK | DISCARDED) => true,
                Some(name) if is_seen_files(name) => true,
                Some(HISTORY) if history_use == HistoryUse::Dropped => true,
                Some(HISTORY) => state.read_dir(HISTORY)?.next().is_none(),
                Some(BASES) => state.read_dir(BASES)?.next().is_none(),
                Some(IGNORE) => {
                    let bytes = state.read(IGNORE)?;
                    bytes == IGNORED || bytes == IGNORED_BEFORE
                }
                name => list.is_some_and(|(_, list)| name == Some(list)),
            };
            if !is_record {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
