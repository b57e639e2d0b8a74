use std::fmt;

use agpm_model::{FileChangeKind, RelativePath};
use cap_std::fs::Dir;

use crate::error::{StoreError, StoreProblem};
use crate::journal::{Journal, JournalOperation};
use crate::project::{ProjectStore, StateUse};
use crate::staging::{HISTORY, JOURNAL, read_journal, throw_away};
use crate::steps::exists;

/// How many transactions can be undone.
pub const KEPT_TRANSACTIONS: usize = 50;
/// Marks a history whose oldest entries were dropped.
const DROPPED: &str = "dropped";

/// The number of a transaction in the history, counted from one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EntryNumber(pub(crate) u32);

/// A transaction in the history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HistoryEntry {
    /// The number of the transaction.
    pub number: EntryNumber,
    /// The title of the transaction.
    pub title: String,
    /// The seconds since 1970 when it was made, if they were recorded.
    pub time: Option<u64>,
    /// The files of the transaction, in order.
    pub changes: Vec<(RelativePath, FileChangeKind)>,
    /// Why the entry cannot be read; then the other fields are empty.
    pub damaged: Option<String>,
}

impl fmt::Display for EntryNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl JournalOperation {
    /// Returns `None` if nothing was removed.
    pub(crate) fn done(&self) -> Option<FileChangeKind> {
        match (&self.before, &self.after) {
            (None, Some(_)) => Some(FileChangeKind::Created),
            (Some(_), Some(_)) => Some(FileChangeKind::Updated),
            (Some(_), None) => Some(FileChangeKind::Removed),
            (None, None) => None,
        }
    }
}

impl ProjectStore {
    /// Returns the transactions that can be undone, newest first.
    pub fn history(&self) -> Result<Vec<HistoryEntry>, StoreError> {
        let Some(history) = self.believed_history()? else {
            return Ok(Vec::new());
        };
        let numbers = self.numbers(&history)?.into_iter().rev();
        let listed = numbers.filter_map(|number| match self.entry(&history, number) {
            Ok((_, journal)) => Some(listed(number, &journal)),
            // Another process undid it in the meantime.
            Err(StoreError {
                problem: StoreProblem::NotFound,
                ..
            }) => None,
            // One unreadable entry is listed as damaged. Failing for all would hide the entries that can still be
            // undone.
            Err(error) => Some(damaged_entry(number, &error)),
        });
        Ok(listed.collect())
    }

    /// Returns whether older transactions were dropped from the history.
    pub fn has_dropped_history(&self) -> bool {
        let history = self.history_directory().ok().flatten();
        history.is_some_and(|history| exists(&history, DROPPED).unwrap_or(false))
    }

    pub(crate) fn next_number(&self) -> Result<u32, StoreError> {
        let Some(history) = self.history_directory()? else {
            return Ok(1);
        };
        Ok(self
            .numbers(&history)?
            .last()
            .map_or(1, |number| number.saturating_add(1)))
    }

    /// Returns the history, unless somebody else may have written it.
    pub(crate) fn believed_history(&self) -> Result<Option<Dir>, StoreError> {
        match self.state_use {
            StateUse::Believed => self.history_directory(),
            // The history of a clone names files to restore and to remove, and anybody could have written it.
            StateUse::Ignored => Ok(None),
        }
    }

    /// Removes the oldest entries; errors are ignored.
    pub(crate) fn forget_oldest(&self, state: &Dir, history: &Dir) {
        let numbers = self.numbers(history).unwrap_or_default();
        for number in numbers.iter().rev().skip(KEPT_TRANSACTIONS) {
            if throw_away(history, &number.to_string(), state).is_ok() {
                // With this marker, an empty list can be explained by dropped entries instead of no transaction at all.
                let _ = history.write(DROPPED, b"");
            }
        }
    }

    fn history_directory(&self) -> Result<Option<Dir>, StoreError> {
        match self.state()? {
            Some(state) => self.inner(&state, HISTORY, &self.state.inner(HISTORY)),
            None => Ok(None),
        }
    }

    pub(crate) fn numbers(&self, history: &Dir) -> Result<Vec<u32>, StoreError> {
        let fail = self.at(&self.state.inner(HISTORY));
        let mut numbers = Vec::new();
        for entry in history.entries().map_err(&fail)? {
            let name = entry.map_err(&fail)?.file_name();
            numbers.extend(name.to_str().and_then(|name| name.parse::<u32>().ok()));
        }
        numbers.sort_unstable();
        Ok(numbers)
    }

    /// Returns the directory of an entry.
    pub(crate) fn kept_in(&self, number: u32) -> String {
        self.state.inner(&format!("{HISTORY}/{number}"))
    }

    pub(crate) fn entry(&self, history: &Dir, number: u32) -> Result<(Dir, Journal), StoreError> {
        let path = self.kept_in(number);
        let missing = || self.error(&path, StoreProblem::NotFound);
        let dir = self
            .inner(history, &number.to_string(), &path)?
            .ok_or_else(missing)?;
        let journal =
            read_journal(self, &dir, &format!("{path}/{JOURNAL}"))?.ok_or_else(missing)?;
        Ok((dir, journal))
    }
}

fn listed(number: u32, journal: &Journal) -> HistoryEntry {
    let changes = journal
        .files()
        .filter_map(|(_, file)| Some((file.path.clone(), file.done()?)))
        .collect();
    HistoryEntry {
        number: EntryNumber(number),
        title: journal.title.clone(),
        time: journal.time,
        changes,
        damaged: None,
    }
}

fn damaged_entry(number: u32, error: &StoreError) -> HistoryEntry {
    let why = Some(error.problem.to_string());
    HistoryEntry {
        number: EntryNumber(number),
        title: String::new(),
        time: None,
        changes: Vec::new(),
        damaged: why,
    }
}
