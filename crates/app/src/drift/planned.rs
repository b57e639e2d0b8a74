//! Compares the disk byte by byte with the locked state.
//!
//! A ledger proves nothing, since a clone can contain one; it only helps to explain differences.

use std::collections::{BTreeMap, BTreeSet};

use agpm_compose::RenderedResource;
use agpm_diag::{Failure, codes, visible};
use agpm_model::{
    InstallMode, LockEntry, Lockfile, ObservedPath, Owner, RelativePath, ResourceExtent, ResourceId,
};
use agpm_plan::{
    ChangeAction, ChangeReason, Ledger, Obstacle, Plan, PlannedChange, RefusedChange,
    ledger_of_lock,
};
use agpm_text::BlockName;

use super::findings::{
    ABSENT, NEVER_INSTALLED, OTHER_BYTES, OTHER_MODE, UNREADABLE, has_other_block, has_other_entry,
    lacks_block, lacks_entry, not_as_locked, not_locked, unlocked_block,
};
use super::recorded::drift_in_place;
use super::report::{DriftFinding, VerifyReport};

/// How each locked entry can be compared.
pub struct Coverage<'l> {
    /// Resources whose source is the installed file itself, and whose bytes are not the locked ones.
    changed_in_place: Vec<&'l LockEntry>,
    /// The number of resources in place, changed or not.
    in_place: usize,
    /// Entries whose bytes cannot be had any more, such as a local file that changed: they have only their record.
    pub recorded: Vec<&'l LockEntry>,
    /// Their state after the last install.
    pub by_record: Ledger,
    /// The state of everything else after the last install.
    pub by_bytes: Ledger,
}

impl<'l> Coverage<'l> {
    /// Sorts the entries by what could be rendered; layers that failed have only their record.
    pub fn of(
        lock: &'l Lockfile,
        ledger: &Ledger,
        rendered: &[RenderedResource],
        layer_failure: Option<&Failure>,
    ) -> Self {
        let covered: BTreeSet<ResourceId> = rendered.iter().map(|one| one.resolved.id()).collect();
        let (changed_in_place, recorded): (Vec<&LockEntry>, Vec<&LockEntry>) = lock
            .entries
            .iter()
            .filter(|locked| !covered.contains(&locked.id()))
            .partition(|locked| locked.install == InstallMode::InPlace);
        let owners: BTreeSet<Owner> = recorded.iter().map(|locked| locked.id().into()).collect();
        let is_recorded = |owner: &Owner| {
            owners.contains(owner) || layer_failure.is_some() && owner.layers().is_some()
        };
        let (by_record, mut by_bytes) = ledger.clone().split(is_recorded);
        if *ledger == Ledger::default() {
            by_bytes = ledger_of_lock(lock, |_| true);
        }
        let in_place = lock.entries.iter();
        let in_place = in_place.filter(|locked| locked.install == InstallMode::InPlace);
        Coverage {
            changed_in_place,
            in_place: in_place.count(),
            recorded,
            by_record,
            by_bytes,
        }
    }

    /// The paths of resources in place that have to be observed.
    pub fn paths_in_place(&self) -> impl Iterator<Item = &'l RelativePath> {
        self.changed_in_place.iter().flat_map(|one| one.paths())
    }

    /// Resources in place that differ from the locked state.
    pub fn drift_in_place(&self, disk: &BTreeMap<RelativePath, ObservedPath>) -> VerifyReport {
        let changed = self.changed_in_place.iter();
        let findings = changed.flat_map(|locked| drift_in_place(locked, disk));
        VerifyReport {
            checked: self.in_place,
            findings: findings.collect(),
        }
    }

    /// Without files that cannot be understood: nothing can be planned for them.
    pub fn leave_out(&mut self, broken: &BTreeSet<RelativePath>) {
        self.by_bytes
            .shared
            .retain(|path, _| !broken.contains(path));
        self.by_bytes
            .blocks
            .retain(|path, _| !broken.contains(path));
    }
}

/// The changes of installing the lockfile, as findings.
pub fn drift_of_plan(plan: &Plan, ledger: &Ledger) -> VerifyReport {
    let changes = plan.changes.iter();
    let changes = changes.filter_map(|change| drift_of(change, ledger));
    let findings = changes.chain(plan.refusals.iter().map(drift_of_refusal));
    VerifyReport {
        checked: plan.unchanged + plan.changes.len() + plan.refusals.len(),
        findings: findings.collect(),
    }
}

fn drift_of(change: &PlannedChange, ledger: &Ledger) -> Option<DriftFinding> {
    if matches!(change.action, ChangeAction::Adopt | ChangeAction::Release) {
        return None;
    }
    if let Some(block) = &change.block {
        return Some(drift_of_block(change, block));
    }
    let missing = |message: String| {
        let owner = change.owner.clone();
        Some(DriftFinding::missing(&change.path, owner, message))
    };
    let changed = |message: String| {
        let owner = change.owner.clone();
        Some(DriftFinding::changed(&change.path, owner, message))
    };
    let edited = |message: String| {
        let owner = change.owner.clone();
        Some(DriftFinding::edited(&change.path, owner, message))
    };
    let is_known = ledger.files.contains_key(&change.path) || *ledger == Ledger::default();
    match (change.action, change.reason, change.inner_pointer()) {
        (ChangeAction::Remove, ..) | (ChangeAction::Keep, ChangeReason::UnaskedEdited, _) => {
            changed(not_locked())
        }
        (ChangeAction::Create, _, Some(pointer)) => missing(lacks_entry(pointer)),
        (ChangeAction::Keep, ChangeReason::Deleted, _) => missing(ABSENT.to_owned()),
        (ChangeAction::Create, ..) if is_known || change.pointer.is_some() => {
            missing(ABSENT.to_owned())
        }
        (ChangeAction::Create, ..) => missing(NEVER_INSTALLED.to_owned()),
        (_, _, Some(pointer)) => edited(has_other_entry(pointer)),
        (_, ChangeReason::Mode, _) => changed(OTHER_MODE.to_owned()),
        (_, ChangeReason::Edited | ChangeReason::Conflict, _) => edited(OTHER_BYTES.to_owned()),
        _ => changed(not_as_locked()),
    }
}

fn drift_of_block(change: &PlannedChange, block: &BlockName) -> DriftFinding {
    let (path, owner) = (&change.path, change.owner.clone());
    match change.action {
        ChangeAction::Create => DriftFinding::missing(path, owner, lacks_block(block)),
        ChangeAction::Remove => DriftFinding::changed(path, owner, unlocked_block(block)),
        _ => DriftFinding::edited(path, owner, has_other_block(block)),
    }
}

/// The finding about an obstacle at the path of a locked resource.
fn drift_of_refusal(refusal: &RefusedChange) -> DriftFinding {
    let message = match (&refusal.pointer, refusal.obstacle) {
        (None, Obstacle::Block) => match &refusal.block {
            Some(block) => has_other_block(block),
            None => "has another block than was installed".to_owned(),
        },
        (Some(position), _) => has_other_entry(position),
        (None, Obstacle::File | Obstacle::Entry) => "differs from the lockfile".to_owned(),
        (None, obstacle) => format!("is {} now", obstacle.words()),
    };
    DriftFinding::changed(&refusal.path, refusal.owner.clone(), message)
}

/// A file with managed entries that cannot be understood.
pub fn drift_of_unreadable(path: &RelativePath, ledger: &Ledger) -> DriftFinding {
    let owner = ledger.owners_at(path).into_iter().next().cloned();
    DriftFinding::changed(path, owner.unwrap_or_default(), UNREADABLE)
}

/// The directory that a resource has for itself.
pub fn own_directory(resource: &RenderedResource) -> Option<&RelativePath> {
    let entry = &resource.resolved.entry;
    let is_written =
        entry.install == InstallMode::Write && entry.unit.extent != ResourceExtent::File;
    entry.target.as_ref().filter(|_| is_written)
}

/// Files in the directory of a resource that are not part of it.
pub fn extra_files(resource: &RenderedResource, found: &[String]) -> Vec<DriftFinding> {
    let Some(directory) = own_directory(resource) else {
        return Vec::new();
    };
    let RenderedResource { resolved, output } = resource;
    let paths: BTreeSet<&str> = output.files.iter().map(|file| file.path.as_str()).collect();
    let extra = |path: RelativePath, message: String| DriftFinding {
        code: &codes::VERIFY_EXTRA,
        path,
        resource: resolved.id().into(),
        message,
        status: None,
        base: None,
    };
    let of_name = |name: &String| {
        let kind = resolved.entry.kind.singular();
        match RelativePath::new(&format!("{directory}/{name}")) {
            Ok(path) if paths.contains(path.as_str()) => None,
            Ok(path) => Some(extra(path, format!("is not part of the {kind}"))),
            // No resource has such a name, so it is not part of this one either.
            Err(_) => {
                let message = format!("has `{}`, which is not part of the {kind}", visible(name));
                Some(extra(directory.clone(), message))
            }
        }
    };
    found.iter().filter_map(of_name).collect()
}
