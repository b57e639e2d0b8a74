//! The new lockfile, compared with the current one.

use std::collections::{BTreeMap, BTreeSet};

use agpm_diag::{Diagnostic, Failure, FailureKind, Notes, codes};
use agpm_model::outdated_lock;
use agpm_model::{LOCK_NAME, Lockfile, Manifest, PRIVATE_LOCK_NAME, PinSource, ResourceId};
use agpm_resolve::{
    MovedPin, capability_difference, frozen_difference, lacks_capabilities, lock_difference,
    moved_pins,
};

use crate::install::{LockChange, UpdatedPin};
use agpm_model::LockUse;

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

/// The change of the lockfile of what one user adds; fails if it must not change and would.
pub fn private_lock_change(
    old: Option<&Lockfile>,
    new: &Lockfile,
    lock_use: LockUse,
) -> Result<LockChange, Failure> {
    let change = match (old, new.is_empty()) {
        (None, true) => return Ok(LockChange::Unchanged),
        (Some(_), true) => LockChange::Removed,
        (old, false) if old == Some(new) => return Ok(LockChange::Unchanged),
        (_, false) => LockChange::Written,
    };
    match lock_use {
        LockUse::Update => Ok(change),
        LockUse::Unwritten => Ok(LockChange::NotWritten),
        LockUse::Locked | LockUse::Frozen => {
            let message = match old {
                None => format!("`{PRIVATE_LOCK_NAME}` not found"),
                Some(old) => lock_difference(old, new)
                    .or_else(|| capability_difference(old, new))
                    .unwrap_or_else(|| format!("`{PRIVATE_LOCK_NAME}` is not up to date")),
            };
            let help = "run `agpm install` without `--locked` or `--frozen`";
            let diagnostic = Diagnostic::new(&codes::LOCK_OUTDATED, message)
                .in_file(PRIVATE_LOCK_NAME)
                .help(help);
            Err(Failure::new(FailureKind::Lock, diagnostic))
        }
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
pub(super) fn changed_resources(old: &Lockfile, new: &Lockfile) -> BTreeSet<ResourceId> {
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
pub(super) fn moves(manifest: &Manifest, old: &Lockfile, new: &Lockfile) -> Vec<UpdatedPin> {
    let report = |moved: MovedPin<'_>| UpdatedPin {
        id: moved.id,
        url: url_of(manifest, &moved.new.source),
        old: moved.old.clone(),
        new: moved.new.clone(),
        changelog: Vec::new(),
    };
    moved_pins(old, new).into_iter().map(report).collect()
}

/// The URL of a pin, without secrets; `None` for a source that the manifest does not have.
pub(crate) fn url_of(manifest: &Manifest, source: &PinSource) -> Option<String> {
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
