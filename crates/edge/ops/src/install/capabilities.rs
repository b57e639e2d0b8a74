//! Increases of what resources and layers let tools do: compared with the lockfile, and approved.

use std::collections::{BTreeMap, BTreeSet};

use agpm_compose::{CapabilityChanges, LockedBefore, ProjectCapabilities, capability_sets};
use agpm_diag::{
    Diagnostic, Failure, FailureKind, Notes, Severity, codes, counted, did_you_mean, visible,
};
use agpm_model::{LayerName, Lockfile, Manifest, Owner};
use agpm_resolve::UpdateScope;
use agpm_trust::{CapabilityChange, CapabilityIncrease, CapabilitySet, IncreaseApproval};

use crate::gather::unknown_name;
use crate::install::layered::capabilities_as_locked;
use crate::install::locked_state::resources_as_locked;
use crate::install::request::{Executables, Writing};
use crate::install::run::{GatheredProject, Run};
use crate::locked::means;
use crate::packages::Sources;

/// The word that approves everything in one run.
const ALL: &str = "all";

/// What changed since the project was locked; fails if it is more than anybody approved.
pub(super) fn approved_changes(
    run: &Run<'_>,
    gathered: &GatheredProject,
    capabilities: &ProjectCapabilities,
    new: &Lockfile,
    notes: &mut Notes,
) -> Result<Vec<CapabilityChange>, Failure> {
    let lock = gathered.lock.as_ref().map(|(lock, _)| lock);
    let manifest = &gathered.project.manifest;
    let as_locked = |ids: &BTreeSet<Owner>| match lock {
        Some(lock) => sets_as_locked(run, manifest, lock, ids),
        None => BTreeMap::new(),
    };
    let before = LockedBefore {
        lock,
        recorded: gathered.ledger.capabilities.as_ref(),
        as_locked: &as_locked,
    };
    let changes = capabilities.changes(new, &before);
    refuse_unknown_ids(run, capabilities)?;
    let allows_runs = |id: &Owner| allows_runs(manifest, new, id);
    require_approval(run, &allows_runs, &changes, notes)?;
    Ok(changes.all)
}

/// What some resources and layers let tools do when they were locked, as far as their sources still have it.
fn sets_as_locked(
    run: &Run<'_>,
    manifest: &Manifest,
    lock: &Lockfile,
    ids: &BTreeSet<Owner>,
) -> BTreeMap<Owner, CapabilitySet> {
    let mut sets = BTreeMap::new();
    let mut lock = lock.clone();
    lock.entries
        .retain(|one| ids.contains(&Owner::from(one.id())));
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
        let sources = Sources::open_all(run.world, manifest, run.store.path());
        let found = capabilities_as_locked(run.world, manifest, &sources, &lock);
        let found = found.unwrap_or_default().into_iter();
        let of_layer = |(name, set): (LayerName, CapabilitySet)| (Owner::layer(&name), set);
        sets.extend(found.map(of_layer));
    }
    sets
}

/// An approval of something that does not exist is a mistake in the command.
fn refuse_unknown_ids(run: &Run<'_>, capabilities: &ProjectCapabilities) -> Result<(), Failure> {
    for word in run
        .world
        .environment
        .approvals
        .iter()
        .filter(|word| *word != ALL)
    {
        if !capabilities.ids().any(|id| is_meant(word, id)) {
            let ids: Vec<String> = capabilities.ids().map(ToString::to_string).collect();
            let known = ids.iter().map(String::as_str);
            let help = did_you_mean(word, "resources and layers are", known);
            return Err(unknown_name("resource", word, help));
        }
    }
    Ok(())
}

/// Whether a word that is typed means a resource or a layer.
pub(crate) fn is_meant(word: &str, id: &Owner) -> bool {
    match id {
        Owner::Resource(id) => means(word, id.kind, id.name.as_str()),
        Owner::Layers(_) | Owner::Other(_) => word == id.to_string(),
    }
}

/// Whether the command approves a resource or a layer by `--approve`.
pub(super) fn is_approved(run: &Run<'_>, id: &Owner) -> bool {
    let words = &run.world.environment.approvals;
    words.iter().any(|word| word == ALL || is_meant(word, id))
}

/// Refuses increases that nobody approved; a run that only shows goes on.
fn require_approval(
    run: &Run<'_>,
    allows_runs: &dyn Fn(&Owner) -> bool,
    changes: &CapabilityChanges,
    notes: &mut Notes,
) -> Result<(), Failure> {
    let later = changes.all.iter();
    let later = later.filter(|change| changes.after_locking.contains(&change.id));
    let refused: Vec<CapabilityChange> = later
        .filter_map(|change| {
            let open = change.unapproved(approval(run, allows_runs, &change.id));
            let increase: Vec<CapabilityIncrease> = open.into_iter().cloned().collect();
            (!increase.is_empty()).then(|| CapabilityChange {
                increase,
                ..change.clone()
            })
        })
        .collect();
    if refused.is_empty() {
        return Ok(());
    }
    let mut diagnostic = unapproved(&refused, &run.job.moving);
    if run.job.request.writing == Writing::Show {
        diagnostic.severity = Severity::Warning;
        notes.diagnostics.push(diagnostic);
        return Ok(());
    }
    match run.world.confirm {
        Some(confirm) if confirm(&refused) => Ok(()),
        _ => Err(Failure::new(FailureKind::Refused, diagnostic)),
    }
}

/// Which increases of a resource or a layer the manifest or the command approves.
fn approval(run: &Run<'_>, allows_runs: &dyn Fn(&Owner) -> bool, id: &Owner) -> IncreaseApproval {
    if is_approved(run, id) {
        IncreaseApproval::Everything
    } else if run.job.request.executables == Executables::Allowed || allows_runs(id) {
        IncreaseApproval::Runs
    } else {
        IncreaseApproval::Nothing
    }
}

/// Whether `allow-executables` of the manifest names a resource or its source.
fn allows_runs(manifest: &Manifest, lock: &Lockfile, id: &Owner) -> bool {
    let Some(id) = id.resource() else {
        return false;
    };
    let locked = lock.entries.iter().find(|one| one.id() == *id);
    locked.is_some_and(|locked| {
        let mut allowed = manifest.allow_executables.iter();
        allowed.any(|allowed| allowed.allows(locked.kind, &locked.name, &locked.unit))
    })
}

fn unapproved(refused: &[CapabilityChange], moving: &UpdateScope) -> Diagnostic {
    let command = match moving {
        UpdateScope::Nothing => "agpm diff",
        _ => "agpm diff --update",
    };
    let count = counted(
        refused.len(),
        "resource has new capabilities",
        "resources have new capabilities",
    );
    let line = |change: &CapabilityChange| {
        let increase = change.increase.iter();
        let increase: Vec<String> = increase
            .map(|one| format!("+ {}", visible(&one.to_string())))
            .collect();
        format!("{}  {}", change.id, increase.join("  "))
    };
    let approvals: Vec<String> = refused
        .iter()
        .map(|change| format!("--approve {}", change.id))
        .collect();
    let help = format!(
        "review it with `{command}`, then add `{}`",
        approvals.join(" ")
    );
    let message = format!("{count} that need approval");
    Diagnostic::new(&codes::TRUST_INCREASE, message)
        .details(refused.iter().map(line))
        .help(help)
}
