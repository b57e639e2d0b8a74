//! The transaction of an install.

use std::borrow::Cow;

use crate::install::{LockChange, LockResult, PlannedInstall};
use crate::project::write_mode::WriteMode;
use agpm_diag::{Diagnostic, Failure, Notes, codes};
use agpm_model::{Checksum, ObservedPath, RelativePath};
use agpm_plan::{ChangeAction, FileOutcome, Ledger, Plan, SharedChange};
use agpm_store::{
    ExpectedFile, FileChange, HistoryUse, LockWait, ProjectLock, ProjectStore, RecoveryOutcome,
    StoreError,
};

use crate::install::changes::FileChanges;
use crate::install::run::{GatheredProject, InstallRun, OwnFiles};
use crate::project::gather::ManifestFiles;
use crate::project::ledger::{has_ledger, ledger_file};
use crate::project::scope::SiblingFile;
use crate::project::world::World;

/// Locks the project and recovers an interrupted transaction; a run that only shows takes no lock.
pub(crate) fn lock_project(
    world: &World,
    store: &ProjectStore,
    writing: WriteMode,
    notes: &mut Notes,
) -> Result<Option<ProjectLock>, Failure> {
    if writing == WriteMode::Show {
        return Ok(None);
    }
    let seen = |error: StoreError| error.seen_from(store.path());
    let lock = store
        .lock(LockWait::Block(&|| world.progress.waiting()))
        .map_err(seen)?;
    let recovered = store.recover(&lock).map_err(seen)?;
    let repair = match recovered {
        RecoveryOutcome::Nothing => return Ok(Some(lock)),
        RecoveryOutcome::RolledForward => "completed",
        RecoveryOutcome::RolledBack => "undone",
    };
    let message = format!("an earlier run was interrupted; its changes were {repair}");
    notes
        .diagnostics
        .push(Diagnostic::new(&codes::INSTALL_RECOVERED, message));
    Ok(Some(lock))
}

/// The result of `commit`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CommitOutcome {
    /// All changes are written, or no change was needed.
    Done,
    /// Another process changed the project; the pipeline must run again.
    Overtaken,
}

/// Writes the planned changes.
pub(super) fn commit(
    run: &InstallRun<'_>,
    gathered: GatheredProject,
    planned: &PlannedInstall,
    notes: &mut Notes,
) -> Result<CommitOutcome, Failure> {
    let InstallRun { world, store, job } = *run;
    let mut changes = all_changes(run, planned, &gathered.ledger, gathered.own_files);
    if job.request.writing == WriteMode::Show || changes.is_empty() {
        return Ok(CommitOutcome::Done);
    }
    let early = gathered.project_lock.is_some();
    let project_lock = match gathered.project_lock {
        Some(project_lock) => Some(project_lock),
        None => lock_project(world, store, WriteMode::Apply, notes)?,
    };
    // Without the lock at the beginning, another process may have installed or edited the manifest since it was read.
    let same = |now: ManifestFiles| now.fingerprint() == gathered.read;
    let overtaken =
        !early && (has_ledger(store) || !job.manifest_files(&world.environment).is_ok_and(same));
    let Some(project_lock) = project_lock.filter(|_| !overtaken) else {
        return Ok(CommitOutcome::Overtaken);
    };
    store
        .claim_directories(&project_lock, &planned.recovered)
        .map_err(|error| error.seen_from(store.path()))?;
    let ledger = store.ledger();
    let bases = &planned.edits.bases;
    let is_base = |path: &RelativePath| {
        bases.removed.contains(path) || bases.written.iter().any(|(written, _)| written == path)
    };
    let knowledge = |change: &FileChange<'_>| {
        let (FileChange::Write { path, .. } | FileChange::Remove { path, .. }) = change;
        *path == ledger || is_base(path)
    };
    if early && changes.inside.iter().all(knowledge) {
        // Only agpm's record changed. It is written without a transaction, because `undo` would have no file to revert.
        if let Some((path, bytes)) = &bases.written {
            store.write_base(&project_lock, path, bytes)?;
        }
        agpm_store::write_atomically(
            &ledger_file(store),
            planned.plan.ledger.to_text().as_bytes(),
        )?;
        changes.inside.clear();
    }
    let all = changes.inside.len();
    let progress = |done| world.progress.files(done, all);
    let applied = changes.apply(store, &project_lock, job.title.clone(), &progress);
    applied.map_err(|error| error.seen_from(store.path()))?;
    if job.ends_project() {
        store.remove_unused_state(project_lock, HistoryUse::Dropped);
    }
    Ok(CommitOutcome::Done)
}

/// Returns all changes of the transaction in writing order: files before the entries that refer to them, the lockfile
/// after everything that it describes, and removals at the end.
fn all_changes<'a>(
    run: &InstallRun<'a>,
    planned: &'a PlannedInstall,
    ledger: &Ledger,
    own_files: OwnFiles,
) -> FileChanges<'a> {
    let plan = &planned.plan;
    let mut changes = FileChanges::default();
    let mut removals = Vec::new();
    for change in file_changes(plan) {
        match change {
            FileChange::Write { .. } => changes.inside.push(change),
            FileChange::Remove { .. } => removals.push(change),
        }
    }
    changes
        .inside
        .extend(plan.shared.iter().filter_map(shared_change));
    changes.inside.extend(planned.edits.beside.iter().cloned());
    let edit = run.job.manifest.as_ref();
    for patch in edit.iter().flat_map(|edit| &edit.text_patches) {
        changes.put_text_patch(patch);
    }
    let unneeded_bases = planned.edits.bases.removed.iter().cloned().map(removal);
    if let Some(files) = run.job.ended_files() {
        changes.inside.extend(unneeded_bases);
        changes.inside.extend(removals);
        changes.inside.extend(files.iter().cloned().map(removal));
        changes.inside.push(removal(run.store.ledger()));
        return changes;
    }
    if let Some(edit) = &run.job.manifest {
        let before = edit
            .before
            .map_or(ExpectedFile::Missing, ExpectedFile::Checksum);
        // An edit of the private manifest alone leaves this one as it is.
        if edit.before != Some(Checksum::of(&edit.bytes)) {
            changes.put(own_files.manifest, Cow::Borrowed(&*edit.bytes), before);
        }
        if let Some(private) = &edit.private {
            let before = ExpectedFile::Checksum(private.before);
            changes.put(own_files.private, Cow::Borrowed(&private.bytes), before);
        }
        if let Some(ignored) = &edit.ignored {
            changes.put_ignored(ignored);
        }
    }
    if let Some((path, bytes)) = &planned.edits.bases.written {
        let file = SiblingFile::Within(path.clone());
        changes.put(file, Cow::Borrowed(bytes), ExpectedFile::Anything);
    }
    if plan.ledger != *ledger || !has_ledger(run.store) {
        let ledger = SiblingFile::Within(run.store.ledger());
        let text = plan.ledger.to_text().into_bytes();
        changes.put(ledger, text.into(), ExpectedFile::Anything);
    }
    // A process that reads the project during the transaction must not see a lockfile that is ahead of the files.
    if let Some(ignored) = &planned.ignored {
        changes.put_ignored(ignored);
    }
    put_lock(&mut changes, &planned.locks.private, own_files.private_lock);
    put_lock(&mut changes, &planned.locks.shared, own_files.lock);
    changes.inside.extend(removals);
    // Not by themselves: that would be a transaction of which `undo` restores nothing.
    if !changes.is_empty() {
        changes.inside.extend(unneeded_bases);
    }
    changes
}

/// The removal of one of agpm's own files, whatever it contains.
fn removal<'a>(path: RelativePath) -> FileChange<'a> {
    FileChange::Remove {
        path,
        before: ExpectedFile::Anything,
    }
}

fn put_lock<'a>(changes: &mut FileChanges<'a>, result: &'a LockResult, file: SiblingFile) {
    match (result.change, &result.text, file) {
        (LockChange::Written, Some(text), file) => {
            changes.put(file, Cow::Borrowed(text.as_slice()), ExpectedFile::Anything);
        }
        (LockChange::Removed, _, SiblingFile::Within(path)) => changes.inside.push(removal(path)),
        _ => {}
    }
}

/// Returns the changes of files that tools read, in no particular order.
pub(super) fn project_changes(planned: &PlannedInstall) -> Vec<FileChange<'_>> {
    let mut changes = file_changes(&planned.plan);
    changes.extend(planned.plan.shared.iter().filter_map(shared_change));
    changes
}

/// Returns the changes of whole files.
fn file_changes(plan: &Plan) -> Vec<FileChange<'_>> {
    let mut changes = Vec::new();
    for change in &plan.changes {
        // Entries and blocks of one shared file are written together, from `plan.shared`.
        if !change.is_of_whole_file() {
            continue;
        }
        let path = change.path.clone();
        let before = expected(change.before);
        if change.action == ChangeAction::Remove {
            changes.push(FileChange::Remove { path, before });
        } else if let Some(content) = &change.content {
            changes.push(FileChange::Write {
                path,
                bytes: Cow::Borrowed(&content.bytes),
                mode: content.mode,
                before,
            });
        }
    }
    changes
}

fn shared_change(change: &SharedChange) -> Option<FileChange<'_>> {
    let before = expected(change.before);
    let path = change.path.clone();
    match &change.outcome {
        FileOutcome::Unchanged => None,
        FileOutcome::Remove => Some(FileChange::Remove { path, before }),
        FileOutcome::Write(text) => Some(FileChange::Write {
            path,
            bytes: Cow::Borrowed(text.as_bytes()),
            mode: change.mode,
            before,
        }),
    }
}

fn expected(before: ObservedPath) -> ExpectedFile {
    match before {
        ObservedPath::File(file) => ExpectedFile::Checksum(file.checksum),
        _ => ExpectedFile::Missing,
    }
}
