//! Everything that an install refuses, in the order of the pipeline: what was rendered, what nobody approved, what policies
//! forbid, and what the plan would do. Only inputs that cannot be read are refused where they are read.

use crate::drift::DriftFinding;
use crate::drift::unexpected::unexpected_files;
use crate::findings::{audit_content, refused_issues, rendered_contents};
use crate::install::capabilities::{LockedSubject, changes_since_lock};
use crate::install::former_policies::{FormerPolicies, former_policies};
use crate::install::new_locks::{LockResults, NewLocks};
use crate::install::planned::PlannedFiles;
use crate::install::policies::VersionsOfSources;
use crate::install::run::{GatheredProject, InstallRun, OwnFiles, RenderedProject};
use crate::install::{
    BASE_APPROVAL, FidelityPolicy, IncreaseRules, JudgedInstall, OpenRefusals, loosened_bases,
    report_kept, report_obstacles, stop_on_warnings, unapproved_refusals, unknown_base_policy,
};
use crate::project::scope::SiblingFile;
use crate::project::world::{BaseApproval, World};
use crate::project::write_mode::WriteMode;
use agpm_compose::{
    LossPolicy, RenderedResource, UnapprovedChange, Widening, check_fidelity, check_placement,
    foreign_hook_notes,
};
use agpm_diag::{Failure, FailureKind, Notes, Severity};
use agpm_model::{LockUse, Owner, RelativePath};
use agpm_plan::{Plan, reserved_target};
use agpm_trust::CapabilityChange;

/// Refuses what was rendered. Everything that an approval resolves is added to `rendered.open`, because one command
/// approves all of it.
pub(super) fn refuse_rendered(
    run: &InstallRun<'_>,
    gathered: &GatheredProject,
    rendered: &mut RenderedProject,
    notes: &mut Notes,
) -> Result<(), Failure> {
    // If the capabilities of the lockfile are wrong, the lockfile is the cause, not a missing approval.
    if matches!(run.job.request.lock, LockUse::Locked | LockUse::Frozen) {
        refuse_outdated_lock(run, gathered, rendered)?;
    }
    refuse_loosened_bases(run, gathered, rendered, notes)?;
    refuse_losses(run, gathered, rendered, notes)
}

/// A lockfile that is not to change must be of what was rendered; remotes of the catalog are compared later.
fn refuse_outdated_lock(
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

/// A base that forbids less than at its locked version needs approval: its policy was a reason to extend it.
fn refuse_loosened_bases(
    run: &InstallRun<'_>,
    gathered: &GatheredProject,
    rendered: &mut RenderedProject,
    notes: &mut Notes,
) -> Result<(), Failure> {
    let is_approved = run.approvals().approves(&Owner::from(BASE_APPROVAL));
    if is_approved || run.world.environment.bases == BaseApproval::Given {
        return Ok(());
    }
    let Some((lock, _)) = &gathered.lock else {
        return Ok(());
    };
    let project = &gathered.project;
    let former = former_policies(run.world, &rendered.sources, &lock.bases, &project.bases);
    let refusal = match former {
        FormerPolicies::Same => None,
        FormerPolicies::Read(before) => loosened_bases(&before, &project.manifest.base_policies),
        FormerPolicies::Unknown(base) => Some(unknown_base_policy(&base)),
    };
    let Some(refusal) = refusal else {
        return Ok(());
    };
    let writing = run.job.request.writing;
    let command = run.approval_command();
    rendered.open.add(refusal, &command, writing, notes)
}

/// Refuses resources at paths where their tool does not read them, and conversions that lose or permit too much.
pub(crate) fn refuse_losses(
    run: &InstallRun<'_>,
    gathered: &GatheredProject,
    rendered: &mut RenderedProject,
    notes: &mut Notes,
) -> Result<(), Failure> {
    let manifest = &gathered.project.manifest;
    let resources = &rendered.rendered.resources;
    check_placement(manifest, resources, notes)?;
    let losses = match (run.job.request.fidelity, run.job.request.writing) {
        (FidelityPolicy::Strict, _) => LossPolicy::Strict,
        (FidelityPolicy::Report, WriteMode::Apply) => LossPolicy::RefuseWidening,
        (FidelityPolicy::Report, WriteMode::Show) => LossPolicy::ShowWidening,
    };
    let is_accepted = |one: &Widening<'_>| gathered.accepts(one);
    let mut found = Notes::default();
    match check_fidelity(manifest, resources, losses, &is_accepted, &mut found) {
        Err(failure) if failure.kind == FailureKind::Refused => {
            rendered.open.add_findings(found.diagnostics);
            Ok(())
        }
        checked => {
            notes.diagnostics.append(&mut found.diagnostics);
            checked
        }
    }
}

/// Refuses what a policy forbids, even if it is already installed.
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

/// Refuses what the audit finds in what would be installed and what must not be installed, and keeps the rest to be shown.
pub(crate) fn refuse_findings(
    gathered: &GatheredProject,
    rendered: &mut RenderedProject,
    notes: &mut Notes,
) -> Result<(), Failure> {
    let contents = rendered_contents(&rendered.rendered.resources, &rendered.layered.files);
    let issues = audit_content(&contents);
    let settings = &gathered.project.manifest.audit;
    let verdict = refused_issues(issues, settings, gathered.policies.set().audit_level());
    rendered.audit = verdict.shown;
    if verdict.refused.is_empty() {
        return Ok(());
    }
    for mut issue in verdict.refused {
        issue.severity = Severity::Error;
        let diagnostic = issue.diagnostic(notes);
        notes.diagnostics.push(diagnostic);
    }
    Err(Failure::reported_as(FailureKind::Refused))
}

/// Returns the capability changes since the project was locked. An increase that nobody approves is added to `open`, to be
/// refused with everything else that needs approval.
pub(crate) fn refuse_unapproved(
    run: &InstallRun<'_>,
    subject: LockedSubject<'_>,
    resources: &[RenderedResource],
    open: &mut OpenRefusals,
    notes: &mut Notes,
) -> Result<Vec<CapabilityChange>, Failure> {
    let changes = changes_since_lock(run, subject);
    let approvals = run.approvals();
    approvals.check(subject.capabilities)?;
    let rules = IncreaseRules {
        manifest: &subject.gathered.project.manifest,
        lock: subject.new,
        approvals,
    };
    let refused = rules.refused(&changes);
    if refused.is_empty() || (open.is_empty() && is_confirmed(run, &refused)) {
        return Ok(changes.all);
    }
    let command = run.approval_command();
    for refusal in unapproved_refusals(&refused, resources) {
        open.add(refusal, &command, run.job.request.writing, notes)?;
    }
    Ok(changes.all)
}

/// Asks the user on a terminal. Where something else is refused too, no question is shown: its answer would not let the run go on.
fn is_confirmed(run: &InstallRun<'_>, refused: &[UnapprovedChange]) -> bool {
    let request = &run.job.request;
    // A frozen install is what CI runs, and a run that only shows installs nothing that one could confirm.
    if request.writing != WriteMode::Apply || request.lock == LockUse::Frozen {
        return false;
    }
    let Some(confirm) = run.world.confirm else {
        return false;
    };
    let shown: Vec<CapabilityChange> = refused.iter().map(|one| one.change.clone()).collect();
    confirm(&shown)
}

/// Refuses a plan: content of the user in its way, edits where every byte must be as locked, and agpm's own files.
pub(super) fn refuse_plan(
    run: &InstallRun<'_>,
    gathered: &GatheredProject,
    resources: &[RenderedResource],
    files: &mut PlannedFiles,
    notes: &mut Notes,
) -> Result<(), Failure> {
    let request = &run.job.request;
    let plan = &mut files.plan;
    report_obstacles(plan, &files.observation, request.writing, notes)?;
    notes.diagnostics.append(&mut plan.findings);
    let foreign = foreign_hook_notes(resources, &plan.changes);
    notes.diagnostics.extend(foreign);
    report_kept(plan, request, notes)?;
    // The checksum of a skill or a plugin covers its directory. Files that were added there are not deleted, only reported.
    if request.lock == LockUse::Frozen && request.writing == WriteMode::Show {
        let found = unexpected_files(run.store, resources)?;
        let found = found.iter().map(DriftFinding::diagnostic);
        notes.diagnostics.extend(found);
        notes.check()?;
    }
    stop_on_warnings(request.warnings, notes)?;
    refuse_own_files(plan, &gathered.own_files)
}

/// Fails if a resource would be installed over the manifest or the lockfile.
fn refuse_own_files(plan: &Plan, own_files: &OwnFiles) -> Result<(), Failure> {
    for change in &plan.changes {
        let mut own = own_files.all().into_iter();
        if own.any(|file| is_at(file, &change.path)) {
            let why = "which is a file of agpm";
            return Err(reserved_target(&change.owner, &change.path, why));
        }
    }
    Ok(())
}

fn is_at(file: &SiblingFile, path: &RelativePath) -> bool {
    matches!(file, SiblingFile::Within(own) if own == path)
}
