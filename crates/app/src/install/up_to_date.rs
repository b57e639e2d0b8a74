//! Detects from the ledger and the disk alone that an install has nothing to do.

use std::path::Path;

use crate::install::{InstallReport, ResourceCount, inputs_of};
use agpm_model::{Checksum, ObservedPath, RelativePath};
use agpm_plan::{LedgerFile, WatchedDirectory};
use agpm_resolve::UpdateScope;
use agpm_store::{ProjectStore, StateUse};

use crate::install::run::InstallJob;
use crate::project::gather::ManifestFiles;
use crate::project::observer::observe_changed;
use crate::project::reading::limit;
use crate::project::write_mode::WriteMode;
use agpm_model::{LOCK_NAME, PRIVATE_LOCK_NAME};
use agpm_store::parallel;

/// Returns the report of an unchanged project if the same inputs were installed before and every managed file is
/// unchanged. No repository is opened and no process is started.
pub(super) fn nothing_to_do(
    files: &ManifestFiles,
    store: &ProjectStore,
    job: &InstallJob<'_>,
) -> Option<InstallReport> {
    // `--frozen`, `--locked` and `--check` never take this shortcut: the ledger is a memory of this machine and can be
    // forged in a clone, the lockfile is the root of trust (ADR 9).
    let may_rely_on_ledger = job.request.may_rely_on_ledger()
        && job.manifest.is_none()
        && job.moving == UpdateScope::Nothing;
    if !may_rely_on_ledger || store.needs_recovery() || store.state_use() == StateUse::Ignored {
        return None;
    }
    let bytes = store.read(&store.ledger(), limit()).ok()?;
    let ledger = LedgerFile::read_file(&bytes).ok()?;
    // The inputs are compared as bytes, so a run with nothing to do parses neither the manifest with its bases nor the
    // lockfile.
    let read_lock =
        |name: &str| agpm_store::read_regular(&files.directory().join(name), limit()).ok();
    let locks = [LOCK_NAME, PRIVATE_LOCK_NAME].map(read_lock);
    if locks.iter().all(Option::is_none) {
        return None;
    }
    let lock: Vec<u8> = locks.into_iter().flatten().flatten().collect();
    if ledger.inputs? != inputs_of(&files.fingerprint(), &lock) {
        return None;
    }
    let read =
        |path: &String| agpm_store::read_regular(&files.directory().join(path), limit()).ok();
    let same = ledger
        .reads
        .iter()
        .all(|(path, checksum)| read(path).is_some_and(|bytes| Checksum::of(&bytes) == *checksum));
    let all =
        same && is_as_seen(&ledger.watched) && is_untouched(store, &ledger, job.request.writing)?;
    let numbers = ledger.installed_numbers();
    let installed = ResourceCount {
        resources: numbers.resources,
        files: 0,
        layer_files: numbers.layer_files,
    };
    all.then(|| InstallReport::unchanged(ledger.count(), installed, job.request.writing))
}

/// Returns whether the directories of layers are unchanged since the last install.
fn is_as_seen(watched: &[WatchedDirectory]) -> bool {
    let same = |directory: &WatchedDirectory| {
        agpm_store::stamp(Path::new(&directory.folder), &directory.folders) == Some(directory.stamp)
    };
    parallel::map(watched.iter().collect(), same)
        .into_iter()
        .all(|same| same)
}

/// Returns whether every managed file, and every shared file with managed entries or blocks, is as the last install
/// left it.
fn is_untouched(store: &ProjectStore, ledger: &LedgerFile, writing: WriteMode) -> Option<bool> {
    let shared = ledger.shared.iter().map(|(path, nodes)| (path, nodes.seen));
    let identical = ledger
        .equal_user_files
        .iter()
        .map(|(path, seen)| (path, *seen));
    let blocks = ledger.blocks.iter().map(|(path, owned)| (path, owned.seen));
    let shared: Vec<(&RelativePath, Checksum)> = identical.chain(shared).chain(blocks).collect();
    let paths: Vec<&RelativePath> = ledger
        .files
        .keys()
        .chain(shared.iter().map(|(path, _)| *path))
        .collect();
    let now = observe_changed(store, &paths, writing).ok()?;
    let (files_now, shared_now) = now.split_at(ledger.files.len());
    let mut files = ledger.files.values().zip(files_now);
    let mut shared = shared.iter().zip(shared_now);
    Some(
        files.all(|(owned, now)| *now == ObservedPath::file(owned.checksum, owned.mode))
            && shared.all(|((_, seen), now)| now.checksum() == Some(*seen)),
    )
}
