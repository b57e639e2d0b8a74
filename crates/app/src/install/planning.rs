//! Plans an install: compares the new lockfile and the new files with the current ones.

use std::collections::BTreeSet;

use crate::cost::CostReport;
use crate::findings::{AuditIssue, is_of_changed_files};
use crate::install::{
    InstallInputs, LockChange, PlannedInstall, bases_of_edits, desired_state, new_programs,
};
use agpm_compose::{RenderedResource, RenderedSet};
use agpm_diag::{Failure, Notes, Severity};
use agpm_layers::LayeredFile;
use agpm_model::{LockUse, Manifest, RelativePath};
use agpm_plan::{DesiredState, Ledger, Plan, hides_written_bytes, may_explain, recover_ownership};

use crate::gitignore::IgnoreEdit;
use crate::install::capabilities::LockedSubject;
use crate::install::edits::{FileEdits, MergeUse, settle_edits};
use crate::install::locked_state::LockedState;
use crate::install::new_locks::{LockResults, NewLocks, plan_lock};
use crate::install::planned::PlannedFiles;
use crate::install::record::record_owners;
use crate::install::refusals::{refuse_plan, refuse_unapproved};
use crate::install::run::{GatheredProject, InstallRun, RenderedProject};
use crate::install::shared_edits::{SettledShared, SharedEdits};
use crate::project::gather::{ErrorTolerance, ManifestFiles, Project};
use crate::project::ledger::has_ledger;
use crate::project::observer::PathObserver;
use crate::project::world::{InstallScope, ManifestUse};

/// Compares the rendered project with the lockfile, then with the disk.
pub(super) fn plan_install(
    run: &InstallRun<'_>,
    gathered: &GatheredProject,
    rendered: RenderedProject,
    notes: &mut Notes,
) -> Result<PlannedInstall, Failure> {
    let RenderedProject {
        rendered: RenderedSet {
            resources,
            reads: template_reads,
        },
        layered,
        capabilities,
        catalog,
        reads,
        sources,
        audit,
        shared,
        mut open,
    } = rendered;
    let shared = shared.as_ref();
    let new = NewLocks::of(gathered, &resources, layered.locked, catalog, shared);
    let lock = plan_lock(run, gathered, &new, shared, &sources, notes)?;
    let subject = LockedSubject {
        gathered,
        capabilities: &capabilities,
        new: &new.all,
    };
    let mut changed = refuse_unapproved(run, subject, &resources, &mut open, notes)?;
    open.settle(&run.approval_command(), notes)?;
    let mut files = plan_files(run, gathered, &resources, &layered.files, notes)?;
    warn_of_findings(&audit, &files.plan, notes);
    refuse_plan(run, gathered, &resources, &mut files, notes)?;
    let plan = &mut files.plan;
    changed.extend(capabilities.rewritten(&plan.changes, &changed));
    changed.sort_by(|a, b| a.id.cmp(&b.id));
    let owners = record_owners(&resources, &layered.files, &gathered.ledger, plan);
    let inputs = InstallInputs {
        reads: template_reads,
        resources: &resources,
        owners: &owners,
        watching: layered.watching,
    };
    inputs.record(gathered, run.job.request.lock, &lock, plan, notes);
    let manifest = &gathered.project.manifest;
    let costs = CostReport::of(manifest, &resources);
    notes.diagnostics.extend(costs.findings(Severity::Warning));
    Ok(PlannedInstall {
        programs: new_programs(manifest, &resources, &layered.files, &plan.changes),
        resources,
        layers: layered.files,
        plan: files.plan,
        edits: files.edits,
        recovered: files.recovered,
        owners,
        moved: lock.moved,
        changed_resources: lock.changed_resources,
        capabilities: changed,
        reads,
        ignored: ignored_private_lock(run, gathered, &lock.locks)?,
        locks: lock.locks,
    })
}

/// Shows what the audit found in the files that change. A resource for several tools is shown once.
fn warn_of_findings(audit: &[AuditIssue], plan: &Plan, notes: &mut Notes) {
    let mut shown = BTreeSet::new();
    for issue in audit {
        let id = issue.id.as_ref().map(ToString::to_string);
        if is_of_changed_files(issue, &plan.changes)
            && shown.insert((issue.rule.clone(), id, issue.line, issue.detail()))
        {
            let diagnostic = issue.diagnostic(notes);
            notes.diagnostics.push(diagnostic);
        }
    }
}

/// Observes the disk once, and plans the changes of files and of everything in shared files.
fn plan_files(
    run: &InstallRun<'_>,
    gathered: &GatheredProject,
    resources: &[RenderedResource],
    layers: &[LayeredFile],
    notes: &mut Notes,
) -> Result<PlannedFiles, Failure> {
    let InstallRun { store, job, .. } = *run;
    let desired = desired_state(store.path(), resources, layers)?;
    let mut disk = PathObserver::new(store);
    disk.observe(&desired, &gathered.ledger)?;
    let RecoveredPlan {
        plan,
        explained,
        recovered,
    } = plan_with_recovery(run, gathered, &desired, &mut disk, notes)?;
    let merging = match job.request.lock {
        LockUse::Frozen => MergeUse::Refused,
        _ => MergeUse::Merged,
    };
    let manifest = &gathered.project.manifest;
    let shared = SharedEdits {
        store,
        manifest,
        desired: &desired,
        ledger: explained.as_ref().unwrap_or(&gathered.ledger),
        overwrite: job.request.overwrite,
    };
    let SettledShared { mut plan, beside } = match merging {
        MergeUse::Merged => shared.settle(&mut disk, plan, notes)?,
        MergeUse::Refused => SettledShared {
            plan,
            beside: Vec::new(),
        },
    };
    let inputs = FileEdits {
        store,
        manifest,
        desired: &desired,
        before: &gathered.ledger,
        merging,
    };
    let mut edits = settle_edits(&inputs, &mut plan, notes)?;
    edits.beside.extend(beside);
    let old = gathered.lock.as_ref().map(|(lock, _)| lock);
    plan.ledger.based = bases_of_edits(&plan, &gathered.ledger, old);
    Ok(PlannedFiles {
        plan,
        edits,
        recovered,
        observation: disk.into_observation(),
    })
}

/// The edit of `.gitignore` for a private lockfile that did not exist before.
fn ignored_private_lock(
    run: &InstallRun<'_>,
    gathered: &GatheredProject,
    locks: &LockResults,
) -> Result<Option<IgnoreEdit>, Failure> {
    let is_new = locks.private.change == LockChange::Written && gathered.locks.private.is_none();
    let is_ignored_by_edit = run
        .job
        .manifest
        .as_ref()
        .is_some_and(|edit| edit.ignored.is_some());
    let is_project = run.world.environment.scope == InstallScope::Project;
    if !is_new || is_ignored_by_edit || !is_project {
        return Ok(None);
    }
    IgnoreEdit::of_private_lock(run.store)
}

/// A plan, and the files that only the lockfile shows to be managed.
struct RecoveredPlan {
    plan: Plan,
    /// The ledger with what the lockfile shows to be managed, if that is more.
    explained: Option<Ledger>,
    recovered: Vec<RelativePath>,
}

/// Plans the changes. If unmanaged files exist at the targets, the lockfile may show that they are managed, and the plan is
/// made again.
fn plan_with_recovery(
    run: &InstallRun<'_>,
    gathered: &GatheredProject,
    desired: &DesiredState<'_>,
    disk: &mut PathObserver<'_>,
    notes: &mut Notes,
) -> Result<RecoveredPlan, Failure> {
    let overwrite = run.job.request.overwrite;
    let mut plan = disk.plan(desired, &gathered.ledger, overwrite, notes)?;
    let explained = recovered_ledger(run, gathered, &plan, disk);
    if let Some(ledger) = &explained {
        plan = disk.plan(desired, ledger, overwrite, notes)?;
    }
    // Without a ledger file, everything in the ledger comes from the lockfile, so all of it is recovered.
    let nothing = Ledger::default();
    let recorded = if has_ledger(run.store) {
        &gathered.ledger
    } else {
        &nothing
    };
    let ledger = explained.as_ref().unwrap_or(&gathered.ledger);
    let recovered = ledger.written_files_missing_in(recorded);
    Ok(RecoveredPlan {
        plan,
        explained,
        recovered,
    })
}

/// The manifest that this command edits, as it still is on disk.
fn manifest_before(run: &InstallRun<'_>) -> Option<Manifest> {
    run.job.manifest.as_ref()?;
    let files = ManifestFiles::find(&run.world.environment, ManifestUse::Nearest);
    let quiet = &mut Notes::default();
    let project = Project::read(run.world, files.ok()??, ErrorTolerance::Stop, quiet);
    Some(project.ok()?.manifest)
}

/// Adds files to the ledger that the lockfile shows to be managed; `None` if nothing was added.
fn recovered_ledger(
    run: &InstallRun<'_>,
    gathered: &GatheredProject,
    plan: &Plan,
    disk: &mut PathObserver<'_>,
) -> Option<Ledger> {
    let (lock, _) = gathered.lock.as_ref()?;
    let is_fresh_clone = !has_ledger(run.store) && hides_written_bytes(lock);
    if !is_fresh_clone && !may_explain(lock, plan, &gathered.ledger, disk.observation()) {
        return None;
    }
    // Rendering the locked versions reads their sources, so it is done only if it can change the plan.
    // A command that removes an entry removes its text too, while the lockfile still has the entry.
    let before = manifest_before(run);
    let manifest = before.as_ref().unwrap_or(&gathered.project.manifest);
    let state = LockedState::read(run.world, manifest, lock, run.store).ok()?;
    let locked = state.desired(run.store).ok()?;
    disk.observe(&locked, &gathered.ledger).ok()?;
    let ledger = recover_ownership(&locked, disk.observation(), &gathered.ledger);
    (ledger != gathered.ledger).then_some(ledger)
}
