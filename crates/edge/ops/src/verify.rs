//! `agpm verify`: whether every installed file is as it was installed.

use std::collections::BTreeSet;

use agpm_diag::{Failure, Notes, Outcome};
use agpm_inspect::{
    Coverage, RecordedState, VerifyReport, drift_of_plan, drift_of_unreadable, extra_files,
    inputs_changed, interrupted, not_cached, not_comparable, nothing_installed, own_directory,
};
use agpm_model::{Lockfile, Manifest, ObjectId, PinId, SourceName};
use agpm_plan::{Ledger, OverwriteRule, recover_ownership, refuse_foreign_paths};
use agpm_resolve::add_locked_sources;
use agpm_store::ProjectStore;

use crate::install::{LockedState, Observer, inputs_of, read_ledger};
use agpm_project::disk_record::{compare_with_record, observe_files};
use agpm_project::gather::{ManifestFiles, Project};
use agpm_project::packages::{ProjectSources, read_lock};
use agpm_project::world::World;

/// Skills are not nested deeper than this.
const MOST_LEVELS: usize = 64;

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

/// Where the bytes come from that installed files are compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SourceUse {
    /// From the sources, as far as they are not in the cache.
    Fetch,
    /// From the cache alone: commands that only show something fetch nothing.
    CachedOnly,
    /// From nowhere: the checksums in lockfile and ledger have to do, where an answer in milliseconds matters.
    RecordsOnly,
}

/// The same as a part of something larger.
pub(crate) fn find_drift(
    world: &World,
    source_use: SourceUse,
    notes: &mut Notes,
) -> Result<VerifyReport, Failure> {
    let files = ManifestFiles::require(&world.environment)?;
    let store = files.store()?;
    let read = read_lock(&world.environment, &store, notes)?;
    let is_locked = read.is_some();
    let (lock, lock_text) = read.unwrap_or_default();
    let ledger = read_ledger(&store)?;
    if ledger
        .inputs
        .is_some_and(|inputs| inputs != inputs_of(&files.fingerprint(), &lock_text))
    {
        notes.diagnostics.push(inputs_changed());
    }
    let mut manifest = Project::of(world, files, notes)?.manifest;
    add_locked_sources(&mut manifest, &lock);
    refuse_foreign_paths(&lock, &manifest, world.environment.scope, &ledger)?;
    if store.needs_recovery() {
        notes.diagnostics.push(interrupted());
    }
    let recorded = RecordedState::new(lock.entries.iter().collect(), &ledger);
    if !is_locked {
        return compare_with_record(&store, &recorded, &ledger);
    }
    if source_use == SourceUse::RecordsOnly {
        return compare_with_record(&store, &recorded.without_unknown(), &ledger);
    }
    if source_use == SourceUse::CachedOnly
        && let Some(source) = uncached_source(world, &manifest, &lock, &store)
    {
        notes.diagnostics.push(not_cached(source));
        return compare_with_record(&store, &recorded.without_unknown(), &ledger);
    }
    let mut report = match LockedState::read(world, &manifest, &lock, &store) {
        Ok(state) => compare(&store, &lock, &ledger, state, notes)?,
        Err(failure) if ledger == Ledger::default() => return Err(failure),
        Err(failure) => {
            notes.diagnostics.push(not_comparable(failure));
            compare_with_record(&store, &recorded, &ledger)?
        }
    };
    report.findings.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(report)
}

/// The manifest of a project without a lockfile.
fn unlocked_manifest(world: &World) -> Option<Manifest> {
    let files = ManifestFiles::require(&world.environment).ok()?;
    let store = files.store().ok()?;
    let quiet = &mut Notes::default();
    let is_locked = read_lock(&world.environment, &store, quiet).ok()?.is_some();
    let manifest = Project::of(world, files, quiet).ok()?.manifest;
    (!is_locked).then_some(manifest)
}

/// A source of which a locked commit is not in the cache.
pub(crate) fn uncached_source<'l>(
    world: &World,
    manifest: &Manifest,
    lock: &'l Lockfile,
    store: &ProjectStore,
) -> Option<&'l SourceName> {
    let sources = ProjectSources::open_all(world, manifest, store.path());
    // The catalog is not verified.
    let commits: BTreeSet<(&SourceName, &ObjectId)> = lock
        .pins()
        .filter(|one| !matches!(one.id, PinId::Remote(_)))
        .filter_map(|one| Some((one.pin.source.name()?, &one.pin.commit)))
        .collect();
    let is_cached = |source: &SourceName, commit: &ObjectId| {
        let source = sources.versioned(source);
        source.is_none_or(|source| source.has_revision(commit))
    };
    commits
        .into_iter()
        .find(|(source, commit)| !is_cached(source, commit))
        .map(|(source, _)| source)
}

/// Compares the disk with what the lockfile represents, byte by byte.
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
    let mut disk = Observer::new(store);
    disk.observe(&desired, &coverage.by_bytes)?;
    let broken = disk.observation().unreadable();
    report.checked += broken.len();
    let unreadable = broken.iter();
    report
        .findings
        .extend(unreadable.map(|path| drift_of_unreadable(path, ledger)));
    coverage.leave_out(broken);
    desired.leave_out(broken);
    let known = recover_ownership(&desired, disk.observation(), &coverage.by_bytes);
    let plan = disk.plan(&desired, &known, OverwriteRule::Nothing, notes)?;
    report.add(drift_of_plan(&plan, ledger));
    for resource in &state.resources {
        let Some(directory) = own_directory(resource) else {
            continue;
        };
        let found = agpm_store::files_below(&store.path().join(directory.as_str()), MOST_LEVELS)?;
        report.findings.extend(extra_files(resource, &found));
    }
    Ok(report)
}
