//! The change of the lockfile.

use std::collections::{BTreeMap, BTreeSet};

use agpm_diag::{Diagnostic, Failure, Notes, codes};
use agpm_model::outdated_lock;
use agpm_model::{LOCK_NAME, LockEntry, Lockfile, Manifest, PinSource, ResourceId};
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
pub fn changed_resources(old: &Lockfile, new: &Lockfile) -> BTreeSet<ResourceId> {
    let before: BTreeMap<ResourceId, _> = old
        .entries
        .iter()
        .map(|locked| (locked.id(), locked.checksum))
        .collect();
    let is_changed = |locked: &&LockEntry| {
        let was = before.get(&locked.id());
        was.is_some_and(|was| *was != locked.checksum)
    };
    let changed = new.entries.iter().filter(is_changed);
    changed.map(LockEntry::id).collect()
}

/// The pins that moved between two lockfiles.
pub fn moves(manifest: &Manifest, old: &Lockfile, new: &Lockfile) -> Vec<UpdatedPin> {
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
