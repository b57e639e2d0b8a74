//! Compares the capabilities of resources and layers with the lockfile.

use std::collections::{BTreeMap, BTreeSet};

use agpm_compose::{CapabilityChanges, LockedBefore, ProjectCapabilities, capability_sets};
use agpm_diag::SourceId;
use agpm_model::{Lockfile, Manifest, Owner};
use agpm_trust::CapabilitySet;

use crate::install::locked_state::resources_as_locked;
use crate::install::run::{GatheredProject, InstallRun};
use crate::manifest::LoadedBase;
use crate::project::layers::layer_capabilities_of_lock;
use crate::project::packages::ProjectSources;

/// A project with its capabilities and its new lockfile.
#[derive(Clone, Copy)]
pub(crate) struct LockedSubject<'a> {
    pub(crate) gathered: &'a GatheredProject,
    pub(crate) capabilities: &'a ProjectCapabilities,
    pub(crate) new: &'a Lockfile,
}

/// Returns the capability changes since the project was locked.
pub(super) fn changes_since_lock(
    run: &InstallRun<'_>,
    subject: LockedSubject<'_>,
) -> CapabilityChanges {
    let gathered = subject.gathered;
    let lock = gathered.lock.as_ref().map(|(lock, _)| lock);
    let manifest = &gathered.project.manifest;
    let as_locked = |ids: &BTreeSet<Owner>| match lock {
        Some(lock) => sets_as_locked(run, manifest, lock, ids),
        None => BTreeMap::new(),
    };
    let new_bases = new_bases(&gathered.project.bases, lock);
    let before = LockedBefore {
        lock,
        new_bases: &new_bases,
        mode: gathered.policies.set().executable_mode(),
        as_locked: &as_locked,
    };
    subject.capabilities.changes(subject.new, &before)
}

/// The files of the bases that the project names and the lockfile does not know yet, with those that they extend. A base
/// that only a known one extends is not an entry of the project.
fn new_bases(bases: &[LoadedBase], lock: Option<&Lockfile>) -> BTreeSet<SourceId> {
    let mut known = BTreeSet::new();
    for base in lock.iter().flat_map(|lock| &lock.bases) {
        known.insert(base.name());
    }
    let files: BTreeSet<SourceId> = bases.iter().map(|base| base.document.source()).collect();
    let mut new = BTreeSet::new();
    // Highest rank first: a base comes before those that extend it, so its own entry is decided already.
    for base in bases.iter().rev() {
        if known.contains(&base.locked.name()) {
            continue;
        }
        let mut named_in = base.named_in.iter();
        if named_in.any(|file| new.contains(file) || !files.contains(file)) {
            new.insert(base.document.source());
        }
    }
    new
}

/// Computes the capabilities at the locked versions, for those resources and layers whose sources still have them.
fn sets_as_locked(
    run: &InstallRun<'_>,
    manifest: &Manifest,
    lock: &Lockfile,
    ids: &BTreeSet<Owner>,
) -> BTreeMap<Owner, CapabilitySet> {
    let mut sets = BTreeMap::new();
    let mut wanted = lock.clone();
    wanted
        .entries
        .retain(|entry| ids.contains(&Owner::from(entry.id())));
    if !wanted.entries.is_empty()
        && let Ok(resources) = resources_as_locked(run.world, manifest, &wanted, run.store)
    {
        for (id, set) in capability_sets(&resources) {
            sets.insert(Owner::from(id), set);
        }
    }
    let mut layers = lock.layers.iter();
    if layers.any(|layer| ids.contains(&Owner::layer(&layer.name))) {
        let sources = ProjectSources::open_all(run.world, manifest, run.store.path());
        let found = layer_capabilities_of_lock(run.world, manifest, &sources, &wanted);
        for (name, set) in found.unwrap_or_default() {
            sets.insert(Owner::layer(&name), set);
        }
    }
    sets
}
