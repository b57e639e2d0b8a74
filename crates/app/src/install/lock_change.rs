//! The new lockfile, compared with the current one.

use std::collections::{BTreeMap, BTreeSet};

use agpm_diag::{Diagnostic, Failure, Notes, codes};
use agpm_model::outdated_lock;
use agpm_model::{LOCK_NAME, Lockfile, Manifest, PinSource, ResourceId};
use agpm_resolve::{
    MovedPin, capability_difference, checksum_findings, frozen_difference, lacks_capabilities,
    lock_difference, moved_pins,
};

use crate::install::changelogs::add_changelogs;
use crate::install::run::{GatheredProject, InstallRun, LockState};
use crate::install::{ChangelogReading, LockChange, UpdatedPin};
use crate::project::packages::ProjectSources;
use agpm_model::LockUse;

/// The new lockfile, and how it differs from the current one.
pub(super) struct PlannedLock {
    pub(super) new: Lockfile,
    pub(super) change: LockChange,
    /// The file afterwards.
    pub(super) text: Vec<u8>,
    /// Pins that moved.
    pub(super) moved: Vec<UpdatedPin>,
    /// Resources whose files in the source differ from the lockfile.
    pub(super) changed_resources: BTreeSet<ResourceId>,
}

/// Compares the new lockfile with the current one; fails if it must not change and would.
pub(super) fn plan_lock(
    run: &InstallRun<'_>,
    gathered: &GatheredProject,
    new: Lockfile,
    sources: &ProjectSources,
    notes: &mut Notes,
) -> Result<PlannedLock, Failure> {
    let request = &run.job.request;
    let old = gathered.lock.as_ref().map(|(lock, _)| lock);
    let mut moved = Vec::new();
    let mut changed = BTreeSet::new();
    if let Some(old) = old {
        moved = moves(&gathered.project.manifest, old, &new);
        changed = changed_resources(old, &new);
        notes.diagnostics.extend(checksum_findings(old, &new));
    }
    if request.changelogs == ChangelogReading::Read {
        add_changelogs(sources, &mut moved);
    }
    // A file with conflict markers differs from every lockfile.
    let written = old.filter(|_| gathered.lock_state == LockState::AsWritten);
    let mut change = lock_change(written, &new, request.lock)?;
    // A project that requires nothing needs no lockfile. Without an edit of the manifest an existing one stays, because
    // somebody may have committed it.
    if change == LockChange::Written && gathered.requires_nothing() {
        change = match (old, &run.job.manifest) {
            (Some(_), Some(_)) => LockChange::Removed,
            (Some(_), None) => LockChange::Written,
            (None, _) => LockChange::Unchanged,
        };
    }
    note_missing_digests(old, &new, request.lock, notes);
    let text = match (change, &gathered.lock) {
        // The file stays as it is, and the ledger records a digest of it.
        (LockChange::Unchanged, Some((_, bytes))) => bytes.clone(),
        _ => new.to_text().into_bytes(),
    };
    Ok(PlannedLock {
        new,
        change,
        text,
        moved,
        changed_resources: changed,
    })
}

/// The change of the lockfile; fails if it must not change and would.
pub fn lock_change(
    old: Option<&Lockfile>,
    new: &Lockfile,
    lock_use: LockUse,
) -> Result<LockChange, Failure> {
    let difference = match (lock_use, old) {
        (LockUse::Frozen, Some(old)) => frozen_difference(old, new),
        _ if old == Some(new) => return Ok(LockChange::Unchanged),
        (LockUse::Update, _) => return Ok(LockChange::Written),
        (LockUse::Unwritten, _) => return Ok(LockChange::NotWritten),
        (LockUse::Locked | LockUse::Frozen, None) => {
            return Err(outdated_lock(format!("`{LOCK_NAME}` not found")));
        }
        (LockUse::Locked, Some(old)) => {
            lock_difference(old, new).or_else(|| capability_difference(old, new))
        }
    };
    match difference {
        Some(difference) => Err(outdated_lock(difference)),
        None => Ok(LockChange::Unchanged),
    }
}

/// Warns where capabilities cannot be compared, since an older program locked none.
pub fn note_missing_digests(
    old: Option<&Lockfile>,
    new: &Lockfile,
    lock_use: LockUse,
    notes: &mut Notes,
) {
    let is_kept = matches!(lock_use, LockUse::Locked | LockUse::Frozen);
    if is_kept && old.is_some_and(|old| lacks_capabilities(old, new)) {
        let message = format!("`{LOCK_NAME}` has no digests of capabilities");
        notes.diagnostics.push(
            Diagnostic::new(&codes::LOCK_CAPABILITIES, message)
                .help("run `agpm install`, and commit the lockfile"),
        );
    }
}

/// The resources of both lockfiles whose files are not what they were.
fn changed_resources(old: &Lockfile, new: &Lockfile) -> BTreeSet<ResourceId> {
    let mut before = BTreeMap::new();
    for locked in &old.entries {
        before.insert(locked.id(), locked.checksum);
    }
    let mut changed = BTreeSet::new();
    for locked in &new.entries {
        let id = locked.id();
        if before.get(&id).is_some_and(|was| *was != locked.checksum) {
            changed.insert(id);
        }
    }
    changed
}

/// The pins that moved between two lockfiles.
fn moves(manifest: &Manifest, old: &Lockfile, new: &Lockfile) -> Vec<UpdatedPin> {
    let report = |moved: MovedPin<'_>| UpdatedPin {
        id: moved.id,
        url: url_of(manifest, &moved.new.source),
        old: moved.old.clone(),
        new: moved.new.clone(),
        changelog: Vec::new(),
    };
    moved_pins(old, new).into_iter().map(report).collect()
}

fn url_of(manifest: &Manifest, source: &PinSource) -> Option<String> {
    match source {
        PinSource::Address(written) => {
            let address = written.strip_prefix("git+").unwrap_or(written);
            Some(address.to_owned())
        }
        PinSource::Named(name) => {
            let source = manifest.source(name)?;
            Some(source.address.redacted().to_owned())
        }
    }
}
