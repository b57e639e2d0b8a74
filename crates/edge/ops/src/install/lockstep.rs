//! The lockfile that was against the one that comes out.

use std::collections::{BTreeMap, BTreeSet};

use agpm_diag::{Diagnostic, Failure, FailureKind, Notes, Severity, codes};
use agpm_model::{
    Locked, LockedPin, Lockfile, Manifest, Pin, PinId, PinSource, RelativePath, ResourceName,
    ResourceType, Tool, Tools, Unit,
};
use agpm_plan::{Ledger, could_install_at};

use crate::install::{LockChange, LockUse, Moved};
use crate::packages::LOCK_NAME;
use crate::world::Scope;

pub(crate) fn outdated(message: String) -> Failure {
    let help = "run `agpm install` without `--locked` or `--frozen`, and commit `agpm.lock`";
    Failure::new(
        FailureKind::Lock,
        Diagnostic::new(&codes::LOCK_OUTDATED, message).help(help),
    )
}

/// Refuses a lockfile with paths where no tool of the manifest installs anything, unless an install put something there
/// before: whoever can change the lockfile would choose which files of the project are deleted.
pub(crate) fn refuse_foreign_paths(
    lock: &Lockfile,
    manifest: &Manifest,
    scope: Scope,
    ledger: &Ledger,
) -> Result<(), Failure> {
    let built_in = Tools::in_scope(scope);
    let is_foreign = |locked: &&Locked| {
        let Some(path) = &locked.installed_at else {
            return false;
        };
        let could_install = |tool: &Tool| could_install_at(tool, locked.kind, path);
        let is_recorded = ledger.files.contains_key(path) || ledger.shared.contains_key(path);
        !is_recorded
            && !manifest
                .tools
                .iter()
                .chain(built_in.iter())
                .any(could_install)
    };
    let Some(locked) = lock.entries.iter().find(is_foreign) else {
        return Ok(());
    };
    let at = locked
        .installed_at
        .as_ref()
        .map(RelativePath::as_str)
        .unwrap_or_default();
    let message = format!(
        "`{LOCK_NAME}` has {} at `{at}`, where no tool installs it",
        locked.label()
    );
    let help =
        "restore the lockfile with `git checkout agpm.lock`, or delete it and run `agpm install`";
    let diagnostic = Diagnostic::new(&codes::LOCK_BROKEN, message)
        .in_file(LOCK_NAME)
        .help(help);
    Err(Failure::new(FailureKind::Lock, diagnostic))
}

pub(super) fn compare(
    old: Option<&Lockfile>,
    new: &Lockfile,
    lock: LockUse,
) -> Result<LockChange, Failure> {
    match lock {
        _ if old == Some(new) => Ok(LockChange::Unchanged),
        LockUse::Update => Ok(LockChange::Written),
        LockUse::Unwritten => Ok(LockChange::NotWritten),
        LockUse::Locked | LockUse::Frozen => {
            let Some(old) = old else {
                return Err(outdated(format!("there is no `{LOCK_NAME}`")));
            };
            let (old, new) = (shared_part(old), shared_part(new));
            let differs = match lock {
                // All else was checked before anything was read.
                LockUse::Frozen => patches_of(&old) != patches_of(&new),
                _ => old != new,
            };
            if differs {
                Err(outdated(difference(&old, &new)))
            } else {
                Ok(LockChange::Unchanged)
            }
        }
    }
}

/// What is the same for everybody: one user's patches are nobody else's matter.
fn shared_part(lock: &Lockfile) -> Lockfile {
    let mut lock = lock.clone();
    for entry in &mut lock.entries {
        let private = std::mem::take(&mut entry.private_patches);
        entry.patches.retain(|field| !private.contains(field));
    }
    lock
}

fn patches_of(lock: &Lockfile) -> BTreeSet<(String, &[String])> {
    lock.entries
        .iter()
        .map(|entry| (entry.label(), entry.patches.as_slice()))
        .collect()
}

/// A commit does not change, so bytes that differ from what was locked mean that somebody changed the lockfile.
pub(super) fn tell_other_bytes(old: &Lockfile, new: &Lockfile, notes: &mut Notes) {
    let same = |was: &&Locked, now: &Locked| {
        was.commit().is_some()
            && was.unit == now.unit
            && was.commit() == now.commit()
            && was.requirement().is_some()
    };
    for now in &new.entries {
        let was = old
            .entries
            .iter()
            .filter(|was| was.name == now.name)
            .find(|was| same(was, now));
        if was.is_some_and(|was| was.checksum != now.checksum) {
            let message = format!(
                "{}/{} has another checksum in `{LOCK_NAME}` than its source",
                now.kind, now.name
            );
            let mut found = Diagnostic::new(&codes::LOCK_CHECKSUM, message)
                .help("somebody changed the lockfile; it is written anew with what the source has");
            found.severity = Severity::Warning;
            notes.diagnostics.push(found);
        }
    }
}

/// Pins in both lockfiles whose commit differs. A resource that is another file of its source now did not move.
pub(super) fn moves(manifest: &Manifest, old: &Lockfile, new: &Lockfile) -> Vec<Moved> {
    let before: BTreeMap<PinId, &Pin> = old.pins().map(|one| (one.id, one.pin)).collect();
    let units: BTreeSet<&Unit> = old.entries.iter().map(|locked| &locked.unit).collect();
    let replaced: BTreeSet<PinId> = new
        .entries
        .iter()
        .filter(|locked| !units.contains(&locked.unit))
        .map(|locked| PinId::Resource(locked.id()))
        .collect();
    let mut moved = Vec::new();
    for LockedPin { id, pin } in new.pins() {
        let was = before
            .get(&id)
            .filter(|was| was.source == pin.source && was.commit != pin.commit);
        if let Some(was) = was.filter(|_| !replaced.contains(&id)) {
            moved.push(Moved {
                id,
                url: url_of(manifest, &pin.source),
                old: (*was).clone(),
                new: pin.clone(),
                changelog: Vec::new(),
            });
        }
    }
    moved
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

fn difference(old: &Lockfile, new: &Lockfile) -> String {
    let key = |locked: &Locked| (locked.kind, locked.name.clone());
    let keys = |lock: &Lockfile| lock.entries.iter().map(key).collect::<BTreeSet<_>>();
    let (was, is) = (keys(old), keys(new));
    let name = |(kind, name): &(ResourceType, ResourceName)| format!("{kind}/{name}");
    let what = if let Some(added) = is.difference(&was).next() {
        format!("{} would be added", name(added))
    } else if let Some(removed) = was.difference(&is).next() {
        format!("{} would be removed", name(removed))
    } else if let Some(changed) = new
        .entries
        .iter()
        .find(|entry| !old.entries.contains(entry))
    {
        format!("{} is not what is locked", name(&key(changed)))
    } else if let Some(changed) = new.layers.iter().find(|layer| !old.layers.contains(layer)) {
        format!("{} is not what is locked", changed.name.label())
    } else if let Some(gone) = old.layers.iter().find(|layer| !new.layers.contains(layer)) {
        format!("{} would be removed", gone.name.label())
    } else if old.layers != new.layers {
        "the layers have another order".to_owned()
    } else if let Some(changed) = new
        .catalog
        .iter()
        .find(|remote| !old.catalog.contains(remote))
    {
        format!("{} is not what is locked", changed.remote().label())
    } else if let Some(gone) = old
        .catalog
        .iter()
        .find(|remote| !new.catalog.contains(remote))
    {
        format!("{} would be removed", gone.remote().label())
    } else if old.catalog != new.catalog {
        "the remotes of the catalog have another order".to_owned()
    } else {
        "its sources are not those of the manifest".to_owned()
    };
    format!("`{LOCK_NAME}` would change: {what}")
}
