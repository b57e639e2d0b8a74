//! `agpm undo`: reverts the last transaction, or all from one on.

mod report;

pub use report::{PastEntry, UndoAction, UndoReport};

use std::collections::BTreeSet;

use agpm_diag::{Diagnostic, Failure, Notes, Outcome, Severity, codes, counted, unknown_name};

use agpm_model::{Checksum, FileChangeKind, RelativePath};
use agpm_plan::{ChangedFile, Ledger, UndoneLedgers};
use agpm_store::{
    EntryNumber, ForceUndo, HistoryEntry, HistoryUse, KEPT_TRANSACTIONS, ProjectStore,
    ReconciledFile, UndoError, UndoneSpan,
};

use crate::install::lock_project;
use crate::project::gather::{ManifestFiles, ignored_state};
use crate::project::ledger::{ledger_in, read_ledger};
use crate::project::reading::limit;
use crate::project::scope::SiblingFile;
use crate::project::world::World;
use crate::project::write_mode::WriteMode;
use agpm_plan::OverwriteRule;

/// The maximum number of files for which a finding is printed because they changed since the transaction.
const MOST_CHANGED_SHOWN: usize = 20;

/// The arguments of `undo`.
#[derive(Clone, Copy, Debug)]
pub struct UndoRequest {
    /// Revert, preview or list transactions.
    pub action: UndoAction,
    /// The oldest transaction to revert; without one, only the newest is.
    pub first: Option<u32>,
    /// Whether files that were modified since are overwritten.
    pub overwrite: OverwriteRule,
}

/// Reverts the newest transactions, or lists all transactions.
pub fn undo(world: &World, request: &UndoRequest) -> Outcome<UndoReport> {
    let mut notes = Notes::default();
    let result = run(world, request, &mut notes);
    notes.outcome(result)
}

fn run(world: &World, request: &UndoRequest, notes: &mut Notes) -> Result<UndoReport, Failure> {
    let files = ManifestFiles::find_or_new(&world.environment)?;
    let store = files.store()?;
    notes
        .diagnostics
        .extend(ignored_state(&store, world.environment.scope));
    let past = |entry| past_entry(entry, &store);
    let action = request.action;
    let history = store.history()?;
    let with_entries = |entries: Vec<HistoryEntry>| UndoReport {
        entries: entries.into_iter().map(past).collect(),
        action,
        changes: Vec::new(),
        kept: Vec::new(),
        kept_manifest: None,
    };
    if action == UndoAction::List {
        return Ok(with_entries(history));
    }
    let needs_recovery = store.needs_recovery();
    if history.is_empty() && (action == UndoAction::Preview || !needs_recovery) {
        return Err(nothing(&store));
    }
    if action == UndoAction::Preview || !needs_recovery {
        // A wrong number is reported before anything is locked.
        first_undone(&history, request.first, &store)?;
    }
    if action == UndoAction::Preview {
        let undo = PlannedUndo::of(&files, &store, request, notes)?;
        warn_of_kept(&undo.kept, notes);
        tell_out_of_reach(&files, notes);
        return Ok(undo.report(action));
    }
    let interrupted = store.interrupted_undo()?;
    let Some(lock) = lock_project(world, &store, WriteMode::Apply, notes)? else {
        return Err(nothing(&store));
    };
    // Taking the lock finished an interrupted `undo`. That is the requested undo, unless more is; another one would
    // revert one more transaction.
    if let Some(first) = interrupted
        && store.history()?.iter().all(|entry| entry.number != first)
    {
        let left = store.history()?;
        let goes_on = request
            .first
            .is_some_and(|number| has_number(&left, number));
        if !goes_on {
            let undone = history.into_iter().filter(|entry| entry.number >= first);
            return Ok(with_entries(undone.collect()));
        }
    }
    let undo = PlannedUndo::of(&files, &store, request, notes)?;
    let force = if request.overwrite == OverwriteRule::Everything {
        ForceUndo::Yes
    } else {
        ForceUndo::No
    };
    let kept = undo.kept_paths();
    store
        .undo(&lock, &undo.span, force, &undo.reconciled, &kept)
        .map_err(|error| failure_of(error, &store))?;
    tell_out_of_reach(&files, notes);
    store.remove_unused_state(lock, HistoryUse::Kept);
    Ok(undo.report(action))
}

fn has_number(history: &[HistoryEntry], number: u32) -> bool {
    let number = number.to_string();
    history
        .iter()
        .any(|entry| entry.number.to_string() == number)
}

/// The oldest transaction to undo; fails for one that is not in the history.
fn first_undone(
    history: &[HistoryEntry],
    wanted: Option<u32>,
    store: &ProjectStore,
) -> Result<Option<EntryNumber>, Failure> {
    let Some(wanted) = wanted else {
        return Ok(None);
    };
    let wanted = wanted.to_string();
    let found = history
        .iter()
        .find(|entry| entry.number.to_string() == wanted);
    if let Some(found) = found {
        return Ok(Some(found.number));
    }
    let known = history.iter().map(|entry| entry.number);
    let help = match (known.clone().min(), known.max()) {
        (Some(first), Some(last)) if first == last => {
            format!("only transaction {first} can be undone")
        }
        (Some(first), Some(last)) => {
            let dropped = if store.has_dropped_history() {
                format!("; only the last {KEPT_TRANSACTIONS} are kept")
            } else {
                String::new()
            };
            format!("transactions {first} to {last} can be undone{dropped}")
        }
        _ => "no transaction can be undone".to_owned(),
    };
    Err(unknown_name("transaction", &wanted, Some(help)))
}

/// An undo before it is made.
struct PlannedUndo {
    span: UndoneSpan,
    entries: Vec<PastEntry>,
    changes: Vec<(RelativePath, FileChangeKind)>,
    /// Files with content of the user in which only the managed content is reverted.
    reconciled: Vec<ReconciledFile>,
    kept: Vec<RelativePath>,
    /// A manifest that the user edited after it was created.
    kept_manifest: Option<RelativePath>,
}

impl PlannedUndo {
    fn of(
        files: &ManifestFiles,
        store: &ProjectStore,
        request: &UndoRequest,
        notes: &mut Notes,
    ) -> Result<Self, Failure> {
        let history = store.history()?;
        let first = first_undone(&history, request.first, store)?;
        let span = store
            .undone_span(first)
            .map_err(|error| failure_of(error, store))?;
        let first = first.or_else(|| history.first().map(|entry| entry.number));
        let undone = history
            .into_iter()
            .filter(|entry| Some(entry.number) >= first);
        let entries = undone.map(|entry| past_entry(entry, store)).collect();
        let mut changes = span.changes();
        changes.retain(|(path, _)| !is_own_record(path, store));
        changes.sort_by(|left, right| left.0.cmp(&right.0));
        let mut undo = PlannedUndo {
            kept_manifest: edited_manifest(files, store, &span)?,
            span,
            entries,
            changes,
            reconciled: Vec::new(),
            kept: Vec::new(),
        };
        // With `--force`, the exact bytes from before the transaction are restored.
        if request.overwrite != OverwriteRule::Everything {
            undo.reconcile(store, notes)?;
        }
        Ok(undo)
    }

    /// Decides about every file that changed since: entries and blocks of agpm are reverted in files with content of the
    /// user, and other files stay.
    fn reconcile(&mut self, store: &ProjectStore, notes: &mut Notes) -> Result<(), Failure> {
        let after = read_ledger(store)?;
        let before = match store.content_before(&self.span, &store.ledger())? {
            Some(bytes) => ledger_in(store, bytes)?,
            None => Ledger::default(),
        };
        let ledgers = UndoneLedgers {
            before: &before,
            after: &after,
        };
        let mut restored = before.clone();
        let changed = store.changed_since(&self.span)?;
        for path in changed {
            if self.kept_manifest.as_ref() == Some(&path) {
                continue;
            }
            let now = store.observe(&path)?.checksum();
            let Some(now) = now.filter(|_| ledgers.is_shared(&path)) else {
                self.kept.push(path);
                continue;
            };
            let bytes = store.read(&path, limit());
            let file = ChangedFile {
                now: bytes.map_err(|error| error.seen_from(store.path()))?,
                before: store.content_before(&self.span, &path)?,
            };
            match ledgers.take_back(&path, file, notes) {
                Ok(content) => self.reconciled.push(ReconciledFile { path, now, content }),
                Err(failure) if is_edit(&failure) => {
                    // The entries stay in the file, so they stay managed.
                    restored.keep_shared(&path, &after);
                    self.kept.push(path);
                }
                Err(failure) => return Err(failure),
            }
        }
        if restored != before {
            let path = store.ledger();
            let bytes = store.read(&path, limit());
            let bytes = bytes.map_err(|error| error.seen_from(store.path()))?;
            self.reconciled.push(ReconciledFile {
                path,
                now: Checksum::of(&bytes),
                content: Some(restored.to_text().into_bytes()),
            });
        }
        Ok(())
    }

    fn kept_paths(&self) -> BTreeSet<RelativePath> {
        self.kept
            .iter()
            .chain(&self.kept_manifest)
            .cloned()
            .collect()
    }

    fn report(self, action: UndoAction) -> UndoReport {
        let kept = self.kept_paths();
        let changes = self.changes.into_iter();
        UndoReport {
            entries: self.entries,
            action,
            changes: changes.filter(|(path, _)| !kept.contains(path)).collect(),
            kept: self.kept,
            kept_manifest: self.kept_manifest,
        }
    }
}

/// Whether a failure is only that the user edited what would be reverted.
fn is_edit(failure: &Failure) -> bool {
    let diagnostic = failure.diagnostic.as_ref();
    diagnostic.is_some_and(|found| *found.code == codes::UNDO_EDITED)
}

/// Returns the manifest if the transactions created it and the user edited it since. It is the user's work, so it is
/// kept even with `--force`.
fn edited_manifest(
    files: &ManifestFiles,
    store: &ProjectStore,
    span: &UndoneSpan,
) -> Result<Option<RelativePath>, Failure> {
    let SiblingFile::Within(manifest) = files.manifest_file()? else {
        return Ok(None);
    };
    if !span
        .changes()
        .contains(&(manifest.clone(), FileChangeKind::Created))
    {
        return Ok(None);
    }
    let now = store.observe(&manifest)?.checksum();
    let is_edited = now.is_some() && span.left(&manifest) != now;
    Ok(is_edited.then_some(manifest))
}

/// Warns of files that an undo would keep, as long as there is a choice.
fn warn_of_kept(kept: &[RelativePath], notes: &mut Notes) {
    for path in kept.iter().take(MOST_CHANGED_SHOWN) {
        let message = format!("`{path}` changed since, so it would be kept");
        let help = "`agpm undo --force` overwrites it with the version from before";
        let found = Diagnostic::new(&codes::UNDO_EDITED, message);
        notes
            .diagnostics
            .push(found.in_file(path.as_str()).help(help));
    }
}

/// Reports that the manifest and lockfile outside of home are not reverted, because the transaction did not write them.
fn tell_out_of_reach(files: &ManifestFiles, notes: &mut Notes) {
    if let SiblingFile::Outside(lock) = files.lock_file() {
        let message = format!(
            "`{}` and its manifest are not in home and stay unchanged",
            lock.display()
        );
        let mut diagnostic = Diagnostic::new(&codes::LOCK_OUTDATED, message);
        diagnostic.severity = Severity::Note;
        notes
            .diagnostics
            .push(diagnostic.help("`agpm install -g` installs what they say again"));
    }
}

fn nothing(store: &ProjectStore) -> Failure {
    let diagnostic = Diagnostic::new(&codes::UNDO_NOTHING, "nothing to undo");
    if store.has_dropped_history() {
        let help = format!(
            "only the last {KEPT_TRANSACTIONS} transactions are kept, and all of them are undone"
        );
        return diagnostic.help(help).into();
    }
    diagnostic
        .help("`agpm undo --list` lists the transactions that can be undone")
        .into()
}

fn failure_of(error: UndoError, store: &ProjectStore) -> Failure {
    match error {
        UndoError::Nothing => nothing(store),
        UndoError::Store(error) => error.seen_from(store.path()).into(),
        // Files that changed are kept, so one that changes now is edited at this moment.
        UndoError::Changed(paths) => {
            let changed = counted(paths.len(), "file changed", "files changed");
            let path = paths.first().map_or("", RelativePath::as_str);
            Diagnostic::new(&codes::UNDO_EDITED, format!("{changed} during the undo"))
                .in_file(path)
                .help("run the command again")
                .into()
        }
    }
}

fn is_own_record(path: &RelativePath, store: &ProjectStore) -> bool {
    *path == store.ledger() || store.is_base_file(path)
}

/// Converts a history entry to its report, without agpm's own records.
fn past_entry(entry: HistoryEntry, store: &ProjectStore) -> PastEntry {
    let mut files: Vec<(RelativePath, FileChangeKind)> = entry
        .changes
        .into_iter()
        .filter(|(path, _)| !is_own_record(path, store))
        .collect();
    files.sort_by(|left, right| left.0.cmp(&right.0));
    PastEntry {
        number: entry.number.to_string(),
        title: entry.title,
        time: entry.time.map(crate::utc_time::utc_time),
        files,
        damaged: entry.damaged,
    }
}
