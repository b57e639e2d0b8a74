//! Two lockfiles: the one that was, and the one that comes out.

use std::collections::{BTreeMap, BTreeSet};

use agpm_diag::{Diagnostic, Failure, FailureKind, Severity, codes};
use agpm_model::{
    LOCK_NAME, Locked, LockedPin, Lockfile, Manifest, Pin, PinId, RelativePath, ResourceName,
    ResourceType, Scope, Tool, Tools, Unit,
};

use crate::ledger::Ledger;
use crate::target::could_install_at;

/// The failure of a lockfile that does not fit and must not change.
pub fn outdated_lock(message: String) -> Failure {
    let help = "run `agpm install` without `--locked` or `--frozen`, and commit `agpm.lock`";
    Failure::new(
        FailureKind::Lock,
        Diagnostic::new(&codes::LOCK_OUTDATED, message).help(help),
    )
}

/// Refuses a lockfile with paths where no tool of the manifest installs anything, unless an install put something there
/// before: whoever can change the lockfile would choose which files of the project are deleted.
pub fn refuse_foreign_paths(
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

/// How a lockfile would change for everybody, in words; nothing if it would not.
pub fn lock_difference(old: &Lockfile, new: &Lockfile) -> Option<String> {
    let (old, new) = (shared_part(old), shared_part(new));
    (old != new).then(|| difference(&old, &new))
}

/// The same for lockfiles that can differ in nothing but their patches.
pub fn patch_difference(old: &Lockfile, new: &Lockfile) -> Option<String> {
    let (old, new) = (shared_part(old), shared_part(new));
    (patches_of(&old) != patches_of(&new)).then(|| difference(&old, &new))
}

/// What is the same for everybody: private patches are the matter of one user.
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

/// Warnings about resources whose bytes are not those that were locked. A commit does not change, so somebody changed the
/// lockfile.
pub fn checksum_findings(old: &Lockfile, new: &Lockfile) -> Vec<Diagnostic> {
    let mut findings = Vec::new();
    for now in &new.entries {
        let was = old.entries.iter().find(|was| is_same_pin(was, now));
        if was.is_some_and(|was| was.checksum != now.checksum) {
            let message = format!(
                "{} has another checksum in `{LOCK_NAME}` than its source",
                now.label()
            );
            let mut found = Diagnostic::new(&codes::LOCK_CHECKSUM, message)
                .help("somebody changed the lockfile; it is written anew with what the source has");
            found.severity = Severity::Warning;
            findings.push(found);
        }
    }
    findings
}

fn is_same_pin(was: &Locked, now: &Locked) -> bool {
    was.name == now.name
        && was.unit == now.unit
        && was.commit().is_some()
        && was.commit() == now.commit()
        && was.requirement().is_some()
}

/// A pin that is in both lockfiles with different commits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MovedPin<'l> {
    /// What it is of.
    pub id: PinId,
    /// What was locked.
    pub old: &'l Pin,
    /// What is locked now.
    pub new: &'l Pin,
}

/// Pins in both lockfiles whose commit differs. A resource that is another file of its source now did not move.
pub fn moved_pins<'l>(old: &'l Lockfile, new: &'l Lockfile) -> Vec<MovedPin<'l>> {
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
            .copied()
            .filter(|was| was.source == pin.source && was.commit != pin.commit);
        if let Some(old) = was.filter(|_| !replaced.contains(&id)) {
            moved.push(MovedPin { id, old, new: pin });
        }
    }
    moved
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
