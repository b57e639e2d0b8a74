//! Plans an install: compares the new lockfile and the new files with the current ones.

use std::collections::BTreeSet;

use crate::drift::DriftFinding;
use crate::install::{
    ChangelogReading, InstallInputs, LockChange, PlannedInstall, bases_of_edits, changed_resources,
    desired_state, inputs_of, installed_owners, is_unsettled, lock_change, moves, new_programs,
    note_missing_digests, owners_of_nothing, report_kept, report_refusals, stop_on_warnings,
};
use crate::project::write_mode::WriteMode;
use agpm_compose::{RenderedSet, foreign_hook_notes};
use agpm_diag::{Failure, Notes};
use agpm_model::{Checksum, LockUse, Manifest, RelativePath};
use agpm_plan::{DesiredState, Ledger, Plan, hides_written_bytes, may_explain, recover_ownership};
use agpm_resolve::checksum_findings;

use crate::drift::unexpected::unexpected_files;
use crate::install::capabilities::{LockedSubject, approved_changes};
use crate::install::changelogs;
use crate::install::contents::NewContents;
use crate::install::edits::{FileEdits, MergeUse, settle_edits};
use crate::install::locked_state::LockedState;
use crate::install::run::{GatheredProject, InstallRun, LockState, RenderedProject};
use crate::install::shared_edits::{SettledShared, SharedEdits};
use crate::manifest::LoadedBase;
use crate::project::gather::{ErrorTolerance, ManifestFiles, Project};
use crate::project::ledger::has_ledger;
use crate::project::observer::PathObserver;
use crate::project::world::ManifestUse;

/// Compares the rendered project with the lockfile, then with the disk.
pub(super) fn plan_install(
    run: &InstallRun<'_>,
    gathered: &GatheredProject,
    rendered: RenderedProject,
    notes: &mut Notes,
) -> Result<PlannedInstall, Failure> {
    let InstallRun { store, job, .. } = *run;
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
        mut open,
    } = rendered;
    let manifest = &gathered.project.manifest;
    let bases = &gathered.project.bases;
    let lock = gathered.new_lock(&resources, layered.locked, catalog);
    let old = gathered.lock.as_ref().map(|(lock, _)| lock);
    let mut moved = old.map_or_else(Vec::new, |old| moves(manifest, old, &lock));
    if job.request.changelogs == ChangelogReading::Read {
        changelogs::add(&sources, &mut moved);
    }
    if let Some(old) = old {
        notes.diagnostics.extend(checksum_findings(old, &lock));
    }
    // A file with conflict markers differs from every lockfile.
    let written = old.filter(|_| gathered.lock_state == LockState::AsWritten);
    let mut lock_change = lock_change(written, &lock, job.request.lock)?;
    // A project that requires nothing needs no lockfile. Without an edit of the manifest an existing one stays, because
    // somebody may have committed it.
    if lock_change == LockChange::Written && gathered.requires_nothing() {
        lock_change = match (old, &job.manifest) {
            (Some(_), Some(_)) => LockChange::Removed,
            (Some(_), None) => LockChange::Written,
            (None, _) => LockChange::Unchanged,
        };
    }
    note_missing_digests(old, &lock, job.request.lock, notes);
    let subject = LockedSubject {
        gathered,
        capabilities: &capabilities,
        new: &lock,
    };
    let mut changed = approved_changes(run, subject, &resources, &mut open, notes)?;
    open.settle(&run.approval_command(), notes)?;
    let desired = desired_state(store.path(), &resources, &layered.files)?;
    let mut disk = PathObserver::new(store);
    disk.observe(&desired, &gathered.ledger)?;
    let RecoveredPlan {
        plan,
        ledger,
        recovered,
    } = plan_with_recovery(run, gathered, &desired, &mut disk, notes)?;
    let merging = match job.request.lock {
        LockUse::Frozen => MergeUse::Refused,
        _ => MergeUse::Merged,
    };
    let shared = SharedEdits {
        store,
        manifest,
        desired: &desired,
        ledger: ledger.as_ref().unwrap_or(&gathered.ledger),
        overwrite: job.request.overwrite,
    };
    let SettledShared { mut plan, beside } = match merging {
        MergeUse::Merged => shared.settle(&mut disk, plan, notes)?,
        MergeUse::Refused => SettledShared {
            plan,
            beside: Vec::new(),
        },
    };
    let contents = NewContents::of(&resources, &layered.files);
    let inputs = FileEdits {
        store,
        manifest,
        desired: &desired,
        contents: &contents,
        before: &gathered.ledger,
        merging,
    };
    let mut edits = settle_edits(&inputs, &mut plan, notes)?;
    edits.beside.extend(beside);
    drop(contents);
    plan.ledger.based = bases_of_edits(&plan, &gathered.ledger, old);
    plan.ledger.nothing = owners_of_nothing(&resources, &plan.ledger);
    let owners = installed_owners(&resources, &layered.files, &gathered.ledger, &plan.ledger);
    changed.extend(capabilities.rewritten(&plan.changes, &changed));
    changed.sort_by(|a, b| a.id.cmp(&b.id));
    report_refusals(&plan, disk.observation(), job.request.writing, notes)?;
    notes.diagnostics.append(&mut plan.findings);
    notes
        .diagnostics
        .extend(foreign_hook_notes(&resources, &plan.changes));
    report_kept(&plan, &job.request, notes)?;
    // The checksum of a skill or a plugin covers its directory. Files that were added there are not deleted, only reported.
    if job.request.lock == LockUse::Frozen && job.request.writing == WriteMode::Show {
        let found = unexpected_files(store, &resources)?;
        let found = found.iter().map(DriftFinding::diagnostic);
        notes.diagnostics.extend(found);
        notes.check()?;
    }
    stop_on_warnings(job.request.warnings, notes)?;
    let lock_text = match (lock_change, &gathered.lock) {
        (LockChange::Unchanged, Some((_, bytes))) => bytes.clone(),
        _ => lock.to_text().into_bytes(),
    };
    match job.request.lock {
        // A frozen install resolves nothing, so it cannot record that the manifest resolves to this state.
        LockUse::Frozen => {
            plan.ledger.inputs = gathered.ledger.inputs;
            plan.ledger.reads = gathered.ledger.reads.clone();
            plan.ledger.installed = gathered.ledger.installed;
        }
        // A missing layer or an unreachable remote may be available at the next run, which recorded inputs cannot show.
        // Without a record, the next run takes the full path.
        _ if is_unsettled(notes, &plan) || lock_change == LockChange::NotWritten => {}
        _ => {
            let mut reads = template_reads;
            let of_base = |base: &LoadedBase| Some((base.local_file()?, base.locked.checksum));
            reads.extend(bases.iter().filter_map(of_base));
            reads.extend(manifest.text_patches.iter().map(|(path, patch)| {
                let checksum = Checksum::of(patch.text.as_bytes());
                (path.to_string(), checksum)
            }));
            let inputs = InstallInputs {
                digest: inputs_of(&gathered.inputs, &lock_text),
                reads,
                resources: &resources,
                owners: &owners,
                watching: layered.watching,
            };
            inputs.record(&mut plan.ledger);
        }
    }
    let programs = new_programs(manifest, &resources, &layered.files, &plan.changes);
    Ok(PlannedInstall {
        resources,
        layers: layered.files,
        plan,
        edits,
        recovered,
        owners,
        moved,
        changed_resources: old.map_or_else(BTreeSet::new, |old| changed_resources(old, &lock)),
        capabilities: changed,
        programs,
        reads,
        lock_change,
        lock_text,
    })
}

/// A plan, and the files that only the lockfile shows to be managed.
struct RecoveredPlan {
    plan: Plan,
    /// The ledger with what the lockfile shows to be managed, if that is more.
    ledger: Option<Ledger>,
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
    let ledger = recovered_ledger(run, gathered, &plan, disk);
    if let Some(ledger) = &ledger {
        plan = disk.plan(desired, ledger, overwrite, notes)?;
    }
    let nothing = Ledger::default();
    let recorded = if has_ledger(run.store) {
        &gathered.ledger
    } else {
        &nothing
    };
    let used = ledger.as_ref().unwrap_or(&gathered.ledger);
    let recovered = used.written_files_missing_in(recorded);
    Ok(RecoveredPlan {
        plan,
        ledger,
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
