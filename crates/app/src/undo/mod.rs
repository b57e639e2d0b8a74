//! `agpm undo`: reverts the last transaction.

mod report;

pub use report::{PastEntry, UndoAction, UndoReport};

use agpm_diag::{Diagnostic, Failure, FailureKind, Notes, Outcome, Severity, codes};

use agpm_model::{FileChangeKind, RelativePath};
use agpm_plan::{ChangedFile, Ledger, UndoneLedgers};
use agpm_store::{
    ForceUndo, HistoryEntry, HistoryUse, KEPT_TRANSACTIONS, ProjectStore, ReconciledFile, UndoError,
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
    /// Whether files that were modified since are overwritten.
    pub overwrite: OverwriteRule,
}

/// Reverts the newest transaction, or lists all transactions.
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
    if action == UndoAction::List {
        return Ok(UndoReport {
            entries: history.into_iter().map(past).collect(),
            action,
            kept: None,
        });
    }
    if history.is_empty() && (action == UndoAction::Preview || !store.needs_recovery()) {
        return Err(nothing(&store));
    }
    if action == UndoAction::Preview {
        let newest = history
            .into_iter()
            .next()
            .map(past)
            .ok_or_else(|| nothing(&store))?;
        return preview(&files, &store, request, newest, notes);
    }
    let interrupted = store.interrupted_undo()?;
    let Some(lock) = lock_project(world, &store, WriteMode::Apply, notes)? else {
        return Err(nothing(&store));
    };
    // Taking the lock finished an interrupted `undo`. That is the requested undo; another one would revert a second
    // transaction.
    if let Some(number) = interrupted
        && store.history()?.iter().all(|entry| entry.number != number)
    {
        let undone = history.into_iter().filter(|entry| entry.number == number);
        return Ok(UndoReport {
            entries: undone.map(past).collect(),
            action,
            kept: None,
        });
    }
    let newest = store
        .history()?
        .into_iter()
        .next()
        .map(past)
        .ok_or_else(|| nothing(&store))?;
    let (reconciled, kept) = reconcile_edited_files(&files, &store, request, &newest, notes)?;
    let force = if request.overwrite == OverwriteRule::Everything {
        ForceUndo::Yes
    } else {
        ForceUndo::No
    };
    store
        .undo(&lock, force, &reconciled)
        .map_err(|error| refused(error, &store, notes))?;
    tell_out_of_reach(&files, notes);
    store.remove_unused_state(lock, HistoryUse::Kept);
    Ok(UndoReport {
        entries: vec![newest],
        action,
        kept,
    })
}

/// Makes the checks of an undo without writing.
fn preview(
    files: &ManifestFiles,
    store: &ProjectStore,
    request: &UndoRequest,
    newest: PastEntry,
    notes: &mut Notes,
) -> Result<UndoReport, Failure> {
    let (reconciled, kept) = reconcile_edited_files(files, store, request, &newest, notes)?;
    if request.overwrite == OverwriteRule::Nothing {
        store
            .require_undoable(&reconciled)
            .map_err(|error| refused(error, store, notes))?;
    }
    tell_out_of_reach(files, notes);
    Ok(UndoReport {
        entries: vec![newest],
        action: UndoAction::Preview,
        kept,
    })
}

/// Returns the files that were modified since the transaction, with the content that undo writes for them, and the path
/// of the manifest if it is one of them.
fn reconcile_edited_files(
    files: &ManifestFiles,
    store: &ProjectStore,
    request: &UndoRequest,
    newest: &PastEntry,
    notes: &mut Notes,
) -> Result<(Vec<ReconciledFile>, Option<RelativePath>), Failure> {
    // With `--force`, the exact bytes from before the transaction are restored.
    let forced = request.overwrite == OverwriteRule::Everything;
    let mut reconciled = if forced {
        Vec::new()
    } else {
        reconcile_shared_files(store, newest, notes)?
    };
    let manifest = edited_manifest(files, store, newest)?;
    let kept = manifest.as_ref().map(|manifest| manifest.path.clone());
    reconciled.extend(manifest);
    Ok((reconciled, kept))
}

/// Returns the manifest if the transaction created it and the user edited it since. It is the user's work, so it is
/// kept even with `--force`.
fn edited_manifest(
    files: &ManifestFiles,
    store: &ProjectStore,
    newest: &PastEntry,
) -> Result<Option<ReconciledFile>, Failure> {
    let SiblingFile::Within(manifest) = files.manifest_file()? else {
        return Ok(None);
    };
    if !newest
        .files
        .contains(&(manifest.clone(), FileChangeKind::Created))
    {
        return Ok(None);
    }
    let Some(now) = store.observe(&manifest)?.checksum() else {
        return Ok(None);
    };
    if store.left_by_newest(&manifest)? == Some(now) {
        return Ok(None);
    }
    let content = store
        .read(&manifest, limit())
        .map_err(|error| error.seen_from(store.path()))?;
    Ok(Some(ReconciledFile {
        path: manifest,
        now,
        content: Some(content),
    }))
}

/// Computes the new content of shared files that were modified since the transaction.
fn reconcile_shared_files(
    store: &ProjectStore,
    newest: &PastEntry,
    notes: &mut Notes,
) -> Result<Vec<ReconciledFile>, Failure> {
    let after = read_ledger(store)?;
    let before = match store.before_newest(&store.ledger())? {
        Some(bytes) => ledger_in(store, bytes)?,
        None => Ledger::default(),
    };
    let ledgers = UndoneLedgers {
        before: &before,
        after: &after,
    };
    // A shared file also has entries of the user, who may have edited it since the transaction. Restoring the old bytes
    // would lose that edit, so only the managed entries are reverted.
    let mut reconciled = Vec::new();
    for (path, _) in &newest.files {
        let Some(now) = store.observe(path)?.checksum() else {
            continue;
        };
        if !ledgers.is_shared(path) || store.left_by_newest(path)? == Some(now) {
            continue;
        }
        let bytes = store.read(path, limit());
        let file = ChangedFile {
            now: bytes.map_err(|error| error.seen_from(store.path()))?,
            before: store.before_newest(path)?,
        };
        reconciled.push(ReconciledFile {
            path: path.clone(),
            now,
            content: ledgers.take_back(path, file, notes)?,
        });
    }
    Ok(reconciled)
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

fn refused(error: UndoError, store: &ProjectStore, notes: &mut Notes) -> Failure {
    let paths = match error {
        UndoError::Nothing => return nothing(store),
        UndoError::Store(error) => return error.seen_from(store.path()).into(),
        UndoError::Changed(paths) => paths,
    };
    for path in paths.iter().take(MOST_CHANGED_SHOWN) {
        let diagnostic = Diagnostic::new(&codes::UNDO_EDITED, format!("`{path}` changed since"));
        let help = "`agpm undo --force` overwrites it with the version from before";
        notes
            .diagnostics
            .push(diagnostic.in_file(path.as_str()).help(help));
    }
    Failure::reported_as(FailureKind::Refused)
}

/// Converts a history entry to its report, without agpm's own records.
fn past_entry(entry: HistoryEntry, store: &ProjectStore) -> PastEntry {
    let ledger = store.ledger();
    let mut files: Vec<(RelativePath, FileChangeKind)> = entry
        .changes
        .into_iter()
        .filter(|(path, _)| *path != ledger && !store.is_base_file(path))
        .collect();
    files.sort_by(|left, right| left.0.cmp(&right.0));
    PastEntry {
        number: entry.number.to_string(),
        title: entry.title,
        files,
        damaged: entry.damaged,
    }
}
