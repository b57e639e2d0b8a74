//! Checks of what was rendered: lockfile, approvals, placement, fidelity and policies.

use crate::install::former_policies::{FormerPolicies, former_policies};
use crate::install::new_locks::NewLocks;
use crate::install::policies::VersionsOfSources;
use crate::install::run::{GatheredProject, InstallRun, OwnFiles, RenderedProject};
use crate::install::{BASE_APPROVAL, FidelityPolicy, loosened_bases, unknown_base_policy};
use crate::install::{JudgedInstall, LockResults};
use crate::project::pinning::PinningContext;
use crate::project::scope::SiblingFile;
use crate::project::world::{BaseApproval, World};
use crate::project::write_mode::WriteMode;
use agpm_compose::{LossPolicy, Widening, check_fidelity, check_placement};
use agpm_diag::{Failure, FailureKind, Notes};
use agpm_model::{Owner, RelativePath};
use agpm_plan::{Plan, reserved_target};

/// Fails if a policy forbids a resource, even if it is already installed.
pub(crate) fn refuse_violations(
    world: &World,
    gathered: &GatheredProject,
    rendered: &RenderedProject,
    notes: &mut Notes,
) -> Result<(), Failure> {
    let versions = VersionsOfSources {
        world,
        sources: &rendered.sources,
    };
    let judged = JudgedInstall {
        manifest: &gathered.project.manifest,
        bases: &gathered.project.bases,
        resources: &rendered.rendered.resources,
        layer_files: &rendered.layered.files,
        layers: &rendered.layered.locked,
        catalog: &rendered.catalog,
    };
    let found = judged.violations(gathered.policies.set(), &versions);
    if found.is_empty() {
        return Ok(());
    }
    notes.diagnostics.extend(found);
    Err(Failure::reported_as(FailureKind::Refused))
}

/// A base that forbids less than at its locked version needs approval: its policy was a reason to extend it.
pub(crate) fn refuse_loosened_bases(
    run: &InstallRun<'_>,
    gathered: &GatheredProject,
    rendered: &mut RenderedProject,
    notes: &mut Notes,
) -> Result<(), Failure> {
    let environment = &run.world.environment;
    let all = run.approvals().approves(&Owner::from(BASE_APPROVAL));
    if all || environment.bases == BaseApproval::Given {
        return Ok(());
    }
    let locked = gathered
        .lock
        .as_ref()
        .map(|(lock, _)| lock.bases.as_slice());
    let project = &gathered.project;
    let command = run.approval_command();
    let former = former_policies(
        run.world,
        &rendered.sources,
        locked.unwrap_or_default(),
        &project.bases,
    );
    let refusal = match former {
        FormerPolicies::Same => None,
        FormerPolicies::Read(before) => loosened_bases(&before, &project.manifest.base_policies),
        FormerPolicies::Unknown(base) => Some(unknown_base_policy(&base)),
    };
    let writing = run.job.request.writing;
    refusal.map_or(Ok(()), |refusal| {
        rendered.open.add(refusal, &command, writing, notes)
    })
}

/// Fails if a resource would be installed over the manifest or the lockfile.
pub(crate) fn refuse_own_files(plan: &Plan, own_files: &OwnFiles) -> Result<(), Failure> {
    let is_own = |path: &RelativePath| {
        own_files
            .all()
            .iter()
            .any(|file| matches!(file, SiblingFile::Within(own) if own == path))
    };
    let Some(change) = plan.changes.iter().find(|change| is_own(&change.path)) else {
        return Ok(());
    };
    Err(reserved_target(
        &change.owner,
        &change.path,
        "which is a file of agpm",
    ))
}

/// A lockfile that is not to change must be of what was rendered; remotes of the catalog are compared later.
pub(crate) fn check_lock(
    run: &InstallRun<'_>,
    gathered: &GatheredProject,
    rendered: &RenderedProject,
) -> Result<(), Failure> {
    let Some((old, _)) = &gathered.lock else {
        return Ok(());
    };
    let resources = &rendered.rendered.resources;
    let layers = rendered.layered.locked.clone();
    let shared = rendered.shared.as_ref();
    let new = NewLocks::of(gathered, resources, layers, old.catalog.clone(), shared);
    let is_edited = run.job.manifest.is_some();
    LockResults::decide(gathered, &new, shared, run.job.request.lock, is_edited).map(drop)
}

/// Makes the checks that need rendered resources, and pins the remotes of the catalog.
pub(crate) fn complete(
    run: &InstallRun<'_>,
    gathered: &GatheredProject,
    rendered: &mut RenderedProject,
    notes: &mut Notes,
) -> Result<(), Failure> {
    let InstallRun { world, job, .. } = *run;
    let manifest = &gathered.project.manifest;
    let resources = &rendered.rendered.resources;
    check_placement(manifest, resources, notes)?;
    let losses = match (job.request.fidelity, job.request.writing) {
        (FidelityPolicy::Strict, _) => LossPolicy::Strict,
        (FidelityPolicy::Report, WriteMode::Apply) => LossPolicy::RefuseWidening,
        (FidelityPolicy::Report, WriteMode::Show) => LossPolicy::ShowWidening,
    };
    let is_accepted = |one: &Widening<'_>| gathered.accepts(one);
    let mut found = Notes::default();
    match check_fidelity(manifest, resources, losses, &is_accepted, &mut found) {
        Err(failure) if failure.kind == FailureKind::Refused => {
            rendered
                .open
                .add_findings(std::mem::take(&mut found.diagnostics));
        }
        checked => {
            notes.diagnostics.append(&mut found.diagnostics);
            checked?;
        }
    }
    let pinning = PinningContext {
        world,
        manifest,
        sources: &rendered.sources,
        lock_use: job.request.lock,
        moving: &gathered.moving,
    };
    let old = gathered.lock.as_ref().map(|(lock, _)| lock);
    rendered.catalog = pinning.pin_remotes(old, notes)?;
    Ok(())
}
