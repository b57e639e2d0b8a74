//! Compares the capabilities of resources and layers with the lockfile, and requires approval for increases.

use std::collections::{BTreeMap, BTreeSet};

use crate::install::{IncreaseRules, OpenRefusals, unapproved_refusals};
use crate::project::write_mode::WriteMode;
use agpm_compose::{LockedBefore, ProjectCapabilities, RenderedResource, capability_sets};
use agpm_diag::{Failure, Notes, SourceId};
use agpm_model::LockUse;
use agpm_model::{LayerName, Lockfile, Manifest, Owner};
use agpm_trust::{CapabilityChange, CapabilitySet};

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

/// Returns the capability changes since the project was locked. An increase that nobody approves is refused with
/// everything else that needs approval.
pub(crate) fn approved_changes(
    run: &InstallRun<'_>,
    subject: LockedSubject<'_>,
    resources: &[RenderedResource],
    open: &mut OpenRefusals,
    notes: &mut Notes,
) -> Result<Vec<CapabilityChange>, Failure> {
    let LockedSubject {
        gathered,
        capabilities,
        new,
    } = subject;
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
    let changes = capabilities.changes(new, &before);
    let approvals = run.approvals();
    approvals.check(capabilities)?;
    let rules = IncreaseRules {
        manifest,
        lock: new,
        approvals,
    };
    let refused = rules.refused(&changes);
    let InstallRun { world, job, .. } = *run;
    // A question about a part of what is refused would not let the run go on.
    let is_writing = job.request.writing == WriteMode::Apply && job.request.lock != LockUse::Frozen;
    let may_ask = is_writing && open.is_empty();
    let is_confirmed = || {
        let shown: Vec<CapabilityChange> = refused.iter().map(|one| one.change.clone()).collect();
        may_ask && world.confirm.is_some_and(|confirm| confirm(&shown))
    };
    if !refused.is_empty() && !is_confirmed() {
        let command = run.approval_command();
        for refusal in unapproved_refusals(&refused, resources) {
            open.add(refusal, &command, job.request.writing, notes)?;
        }
    }
    Ok(changes.all)
}

/// The files of the bases that the project names and the lockfile does not know yet, with those that they extend. A base
/// that only a known one extends is not an entry of the project.
fn new_bases(bases: &[LoadedBase], lock: Option<&Lockfile>) -> BTreeSet<SourceId> {
    let known = lock.map_or(&[][..], |lock| &lock.bases);
    let is_known = |base: &LoadedBase| {
        let mut known = known.iter();
        known.any(|known| known.name() == base.locked.name())
    };
    let files: BTreeSet<SourceId> = bases.iter().map(|base| base.document.source()).collect();
    let mut new = BTreeSet::new();
    // A base comes before those that extend it.
    for base in bases.iter().rev() {
        let is_entry = |file: &SourceId| new.contains(file) || !files.contains(file);
        if !is_known(base) && base.named_in.iter().any(is_entry) {
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
    let mut lock = lock.clone();
    lock.entries
        .retain(|set| ids.contains(&Owner::from(set.id())));
    if !lock.entries.is_empty()
        && let Ok(resources) = resources_as_locked(run.world, manifest, &lock, run.store)
    {
        let found = capability_sets(&resources).into_iter();
        sets.extend(found.map(|(id, set)| (Owner::from(id), set)));
    }
    if lock
        .layers
        .iter()
        .any(|layer| ids.contains(&Owner::layer(&layer.name)))
    {
        let sources = ProjectSources::open_all(run.world, manifest, run.store.path());
        let found = layer_capabilities_of_lock(run.world, manifest, &sources, &lock);
        let found = found.unwrap_or_default().into_iter();
        let of_layer = |(name, set): (LayerName, CapabilitySet)| (Owner::layer(&name), set);
        sets.extend(found.map(of_layer));
    }
    sets
}
