//! `agpm verify`: checks that every installed file is as it was installed.

use std::collections::BTreeSet;

use crate::drift::{
    Coverage, RecordedState, VerifyReport, add_bases, drift_of_plan, drift_of_unreadable,
    inputs_changed, interrupted, not_cached, not_comparable, nothing_installed,
};
use agpm_diag::{Failure, FailureKind, Notes, Outcome};
use agpm_model::{Lockfile, Manifest, PinId, Revision, SourceName};
use agpm_plan::{Ledger, OverwriteRule, recover_ownership};
use agpm_resolve::add_locked_sources;
use agpm_resolve::refuse_foreign_paths;
use agpm_store::ProjectStore;

use crate::drift::disk_record::{compare_with_record, observe_files};
use crate::drift::unexpected::unexpected_files;
use crate::install::{LockedState, inputs_of};
use crate::project::gather::{ManifestFiles, Project};
use crate::project::ledger::read_ledger;
use crate::project::observer::PathObserver;
use crate::project::packages::{ProjectSources, read_lock};
use crate::project::world::World;

/// Checks every installed file.
pub fn verify(world: &World) -> Outcome<VerifyReport> {
    let mut notes = Notes::default();
    let result = find_drift(world, SourceUse::Fetch, &mut notes);
    if result.as_ref().is_ok_and(|report| report.checked == 0) {
        let unlocked = unlocked_manifest(world);
        notes
            .diagnostics
            .extend(unlocked.and_then(|manifest| nothing_installed(&manifest)));
    }
    notes.outcome(result)
}

/// Where the content comes from that installed files are compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SourceUse {
    /// From the cache, and from the sources if the cache lacks it.
    Fetch,
    /// From the cache only, for commands that must not fetch.
    CachedOnly,
    /// From the checksums in lockfile and ledger only, for commands that must answer in milliseconds.
    RecordsOnly,
}

/// Compares the installed files with the lockfile, or with recorded checksums where their content is not available.
pub(crate) fn find_drift(
    world: &World,
    source_use: SourceUse,
    notes: &mut Notes,
) -> Result<VerifyReport, Failure> {
    let files = ManifestFiles::require(&world.environment)?;
    let store = files.store()?;
    let read = read_lock(&world.environment, &store, notes)?;
    let ledger = read_ledger(&store)?;
    let mut report = compare_project(world, source_use, files, &read, &ledger, notes)?;
    if let Some((lock, _)) = &read {
        add_bases(&mut report, lock, &ledger);
    }
    Ok(report)
}

fn compare_project(
    world: &World,
    source_use: SourceUse,
    files: ManifestFiles,
    read: &Option<(Lockfile, Vec<u8>)>,
    ledger: &Ledger,
    notes: &mut Notes,
) -> Result<VerifyReport, Failure> {
    let store = files.store()?;
    let is_locked = read.is_some();
    let unlocked = (Lockfile::default(), Vec::new());
    let (lock, lock_text) = read.as_ref().unwrap_or(&unlocked);
    if ledger
        .inputs
        .is_some_and(|inputs| inputs != inputs_of(&files.fingerprint(), lock_text))
    {
        notes.diagnostics.push(inputs_changed());
    }
    let recorded = RecordedState::new(lock.entries.iter().collect(), ledger);
    let project = match source_use {
        SourceUse::Fetch => Project::of(world, files, notes),
        SourceUse::CachedOnly | SourceUse::RecordsOnly => {
            Project::of(&world.offline(), files, notes)
        }
    };
    let mut manifest = match project {
        Ok(project) => project.manifest,
        // Without the manifest, the records have to do.
        Err(failure) if failure.kind == FailureKind::Network && source_use != SourceUse::Fetch => {
            return compare_with_record(&store, &recorded.without_unknown(), ledger);
        }
        Err(failure) => return Err(failure),
    };
    add_locked_sources(&mut manifest, lock);
    refuse_foreign_paths(lock, &manifest, world.environment.scope, &|path| {
        ledger.records(path)
    })?;
    if store.needs_recovery() {
        notes.diagnostics.push(interrupted());
    }
    if !is_locked {
        return compare_with_record(&store, &recorded, ledger);
    }
    if source_use == SourceUse::RecordsOnly {
        return compare_with_record(&store, &recorded.without_unknown(), ledger);
    }
    if source_use == SourceUse::CachedOnly
        && let Some(source) = uncached_source(world, &manifest, lock, &store)
    {
        notes.diagnostics.push(not_cached(source));
        return compare_with_record(&store, &recorded.without_unknown(), ledger);
    }
    let mut report = match LockedState::read(world, &manifest, lock, &store) {
        Ok(state) => compare(&store, lock, ledger, state, notes)?,
        Err(failure) if *ledger == Ledger::default() => return Err(failure),
        Err(failure) => {
            notes.diagnostics.push(not_comparable(failure));
            compare_with_record(&store, &recorded, ledger)?
        }
    };
    report.findings.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(report)
}

/// Returns the manifest of a project without a lockfile; `None` if it has one.
fn unlocked_manifest(world: &World) -> Option<Manifest> {
    let files = ManifestFiles::require(&world.environment).ok()?;
    let store = files.store().ok()?;
    let quiet = &mut Notes::default();
    let is_locked = read_lock(&world.environment, &store, quiet).ok()?.is_some();
    let manifest = Project::of(world, files, quiet).ok()?.manifest;
    (!is_locked).then_some(manifest)
}

/// Returns a source whose locked commit is not in the cache.
pub(crate) fn uncached_source<'l>(
    world: &World,
    manifest: &Manifest,
    lock: &'l Lockfile,
    store: &ProjectStore,
) -> Option<&'l SourceName> {
    let sources = ProjectSources::open_all(world, manifest, store.path());
    // Catalog remotes install no files, so their commits are not needed.
    let commits: BTreeSet<(&SourceName, &Revision)> = lock
        .pins()
        .filter(|pin| !matches!(pin.id, PinId::Remote(_)))
        .filter_map(|pin| Some((pin.pin.source.name()?, &pin.pin.commit)))
        .collect();
    let is_cached = |source: &SourceName, commit: &Revision| {
        let source = sources.versioned_source(source);
        source.is_none_or(|source| source.has_revision(commit))
    };
    commits
        .into_iter()
        .find(|(source, commit)| !is_cached(source, commit))
        .map(|(source, _)| source)
}

/// Compares the disk with the state that the lockfile describes, byte by byte.
pub(crate) fn compare(
    store: &ProjectStore,
    lock: &Lockfile,
    ledger: &Ledger,
    mut state: LockedState,
    notes: &mut Notes,
) -> Result<VerifyReport, Failure> {
    state.expect_recorded_modes(ledger);
    let layer_failure = state.layer_failure.take();
    let mut coverage = Coverage::of(lock, ledger, &state.resources, layer_failure.as_ref());
    notes
        .diagnostics
        .extend(layer_failure.and_then(|failure| failure.diagnostic));
    let recorded = RecordedState::new(coverage.recorded.clone(), &coverage.by_record);
    let mut report = compare_with_record(store, &recorded, &coverage.by_record)?;
    let in_place = observe_files(store, coverage.paths_in_place().collect())?;
    report.add(coverage.drift_in_place(&in_place));
    let mut desired = state.desired(store)?;
    let mut disk = PathObserver::new(store);
    disk.observe(&desired, &coverage.by_bytes)?;
    let broken = disk.observation().unreadable();
    report.checked += broken.len();
    let unreadable = broken.iter();
    report
        .findings
        .extend(unreadable.map(|path| drift_of_unreadable(path, ledger)));
    coverage.leave_out(broken);
    desired.leave_out(broken);
    let recovered = recover_ownership(&desired, disk.observation(), &coverage.by_bytes);
    let plan = disk.plan(&desired, &recovered, OverwriteRule::Nothing, notes)?;
    report.add(drift_of_plan(&plan, ledger));
    report
        .findings
        .extend(unexpected_files(store, &state.resources)?);
    Ok(report)
}
