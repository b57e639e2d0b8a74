//! Compares two states of a project: capabilities first, then versions, then content.

use std::collections::{BTreeMap, BTreeSet};

use agpm_model::{LockedPin, Lockfile, Owner, Pin, PinId, RelativePath, Revision};
use agpm_plan::{FileDifference, FileVersions, PlannedChange};
use agpm_trust::{CapabilityChange, CapabilitySet};

use crate::diff::project_state::{ProjectFile, ProjectState};
use crate::diff::ref_comparison::{PinnedId, RefComparison, SourceChange};
use crate::diff::report::DiffReport;
use crate::install::ResourceCount;
use crate::install::{InstallReport, LockChange, UpdatedPin, new_programs, url_of};
use crate::project::write_mode::WriteMode;

/// The differences between the project at a ref and its working tree.
pub(super) fn compare(
    reference: &str,
    commit: Revision,
    before: &ProjectState,
    after: &ProjectState,
) -> DiffReport {
    let old = pins_by_id(&before.lock);
    let new = pins_by_id(&after.lock);
    let mut capabilities = Vec::new();
    for id in new.keys() {
        let owner = Owner::from(id.as_str());
        let is_new = !old.contains_key(id);
        let earlier = if is_new {
            None
        } else {
            before.capabilities(&owner)
        };
        let now = after.capabilities(&owner).unwrap_or_default();
        capabilities.extend(capability_change(owner, earlier, now));
    }
    let files = changed_files(before, after);
    let paths: BTreeSet<&RelativePath> = files.iter().map(|file| &file.path).collect();
    let programs = after.content.as_ref().map(|content| {
        let is_changed = |change: &&PlannedChange| paths.contains(&change.path);
        let changes: Vec<PlannedChange> =
            content.changes.iter().filter(is_changed).cloned().collect();
        new_programs(
            &after.manifest,
            &content.resources,
            &content.layers,
            &changes,
        )
    });
    let lock = if before.lock == after.lock {
        LockChange::Unchanged
    } else {
        LockChange::Written
    };
    let report = InstallReport {
        capabilities,
        moved: moved_pins(before, after),
        programs: programs.unwrap_or_default(),
        lock,
        ..InstallReport::unchanged(0, ResourceCount::default(), WriteMode::Show)
    };
    let comparison = RefComparison {
        reference: reference.to_owned(),
        commit,
        added: only_in(&new, &old, after),
        removed: only_in(&old, &new, before),
        sources: changed_sources(&before.lock, &after.lock),
    };
    let mut report = DiffReport::new(report, Vec::new(), files);
    report.from = Some(comparison);
    report
}

/// The change of one id; `None` if it can do the same as before.
fn capability_change(
    id: Owner,
    before: Option<CapabilitySet>,
    after: CapabilitySet,
) -> Option<CapabilityChange> {
    let is_same = before
        .as_ref()
        .is_some_and(|before| before.to_locked() == after.to_locked());
    let is_empty = after.is_empty() && before.as_ref().is_none_or(CapabilitySet::is_empty);
    (!is_same && !is_empty).then(|| CapabilityChange::new(id, before, after))
}

/// Everything that a lockfile has, by id; files and directories of the project have no pin.
fn pins_by_id(lock: &Lockfile) -> BTreeMap<String, Option<&Pin>> {
    let resources = lock
        .entries
        .iter()
        .map(|entry| (entry.id().to_string(), entry.pin.as_ref()));
    let layers = lock
        .layers
        .iter()
        .map(|layer| (layer.name.label(), layer.pin.as_ref()));
    let bases = lock
        .bases
        .iter()
        .map(|base| (base.name().label(), base.pin.as_ref()));
    resources.chain(layers).chain(bases).collect()
}

/// The ids of one side that the other does not have.
fn only_in(
    these: &BTreeMap<String, Option<&Pin>>,
    others: &BTreeMap<String, Option<&Pin>>,
    state: &ProjectState,
) -> Vec<PinnedId> {
    let mut found = Vec::new();
    for (id, pin) in these {
        if others.contains_key(id) {
            continue;
        }
        found.push(PinnedId {
            id: id.clone(),
            version: pin.map(|pin| pin.version.to_string()),
            commit: pin.map(|pin| pin.commit.clone()),
            url: pin.and_then(|pin| url_of(&state.manifest, &pin.source)),
        });
    }
    found
}

/// Pins of both sides that differ, also where the id comes from another source now.
fn moved_pins(before: &ProjectState, after: &ProjectState) -> Vec<UpdatedPin> {
    let old: BTreeMap<PinId, &Pin> = before.lock.pins().map(|one| (one.id, one.pin)).collect();
    let mut moved = Vec::new();
    for LockedPin { id, pin } in after.lock.pins() {
        let Some(was) = old.get(&id) else { continue };
        if was.commit == pin.commit && was.version == pin.version && was.source == pin.source {
            continue;
        }
        moved.push(UpdatedPin {
            id,
            url: url_of(&after.manifest, &pin.source),
            old: (*was).clone(),
            new: pin.clone(),
            changelog: Vec::new(),
        });
    }
    moved
}

fn changed_sources(before: &Lockfile, after: &Lockfile) -> Vec<SourceChange> {
    let mut changed = Vec::new();
    for now in &after.sources {
        let was = before.sources.iter().find(|was| was.name == now.name);
        let Some(was) = was.filter(|was| was.url != now.url) else {
            continue;
        };
        changed.push(SourceChange {
            name: now.name.to_string(),
            before: was.url.clone(),
            after: now.url.clone(),
        });
    }
    changed
}

/// Files whose content or mode differs. If one side cannot be read, nothing can be said about any file.
fn changed_files(before: &ProjectState, after: &ProjectState) -> Vec<FileDifference> {
    let (Some(before), Some(after)) = (&before.content, &after.content) else {
        return Vec::new();
    };
    let paths: BTreeSet<&RelativePath> = before.files.keys().chain(after.files.keys()).collect();
    let mut changed = Vec::new();
    for path in paths {
        let (old, new) = (before.files.get(path), after.files.get(path));
        let is_same = match (old, new) {
            (Some(old), Some(new)) => old.bytes == new.bytes && old.mode == new.mode,
            _ => false,
        };
        if is_same {
            continue;
        }
        let Some(file) = new.or(old) else { continue };
        let bytes = |file: Option<&ProjectFile>| file.map(|file| file.bytes.clone());
        let versions = FileVersions {
            path: path.clone(),
            owners: file.owners.clone(),
            before: bytes(old),
            after: bytes(new),
            mode: file.mode,
        };
        changed.push(versions.difference());
    }
    changed
}
