//! `install`: resolves the dependencies that the lockfile does not pin, then makes the disk match.

mod approvals;
mod counts;
mod desired;
mod findings;
mod former_policies;
mod increases;
mod judging;
mod lock_change;
pub(crate) mod locked_state;
mod loosened_bases;
mod new_locks;
mod older_file_list;
mod open_refusals;
mod planned;
pub(crate) mod policies;
mod programs;
mod record;
mod report;
mod request;

pub use approvals::{CommandApprovals, matches_id};
pub use counts::{InstalledOwners, ResourceCount, ResourceCounts, ResourceOutcome};
pub use desired::desired_state;
pub use findings::{
    bases_of_edits, report_conflicts, report_kept, report_obstacles, stop_on_warnings,
};
pub use increases::{IncreaseRules, unapproved_refusals};
pub use judging::{JudgedInstall, SourceFacts};
pub(crate) use lock_change::url_of;
pub use lock_change::{lock_change, note_missing_digests, private_lock_change};
pub use loosened_bases::{BASE_APPROVAL, loosened_bases, unknown_base_policy};
pub use new_locks::{LockResult, LockResults};
pub use older_file_list::{OlderFile, older_files};
pub use open_refusals::{ApprovalCommand, OpenRefusals, UnapprovedRefusal};
pub use planned::{DiscardedPlan, PlannedInstall};
pub use programs::new_programs;
pub use record::{InstallInputs, inputs_of};
pub use report::{
    ConvertedResource, InstallReport, LockChange, ReportedProgram, RequiredBy, SourceFileState,
    UpdatedPin,
};
pub use request::{ChangelogReading, FidelityPolicy, InstallRequest, TransitiveExecutables};

pub(crate) mod capabilities;
mod changelogs;
mod changes;
mod edits;
pub(crate) mod gathering;
mod kept_bases;
mod local_edits;
mod older_files;
mod planning;
mod preview;
pub(crate) mod refusals;
pub(crate) mod rendering;
pub(crate) mod run;
mod shared_edits;
mod up_to_date;
mod writing;

use std::collections::BTreeMap;

use agpm_diag::{Failure, Notes, Outcome};

use agpm_resolve::UpdateScope;

pub(crate) use crate::install::changes::FileChanges;
pub use crate::install::edits::SettledEdits;
pub use crate::install::kept_bases::BaseChanges;
pub(crate) use crate::install::kept_bases::{BaseReader, unneeded_bases, value_of};
pub(crate) use crate::install::local_edits::local_edits;
pub(crate) use crate::install::locked_state::LockedState;
pub(crate) use crate::install::preview::{InstallPreview, bytes_on_disk, preview};
pub(crate) use crate::install::run::{
    InstallJob, ManifestEdit, PrivateEdit, ProjectFate, TextPatchEdit, WideningRecord,
};
pub(crate) use crate::install::writing::lock_project;
use agpm_trust::PolicyCheckReport;

use agpm_store::parallel;

use crate::cache::clean_now_and_then;
use crate::ignored_hooks::written_hooks;
use crate::install::planning::plan_install;
use crate::install::run::{GatheredProject, InstallRun, RenderedProject};
use crate::install::up_to_date::nothing_to_do;
use crate::install::writing::{CommitOutcome, commit};
use crate::project::gather::ManifestFiles;
use crate::project::policy_cache::refresh_policies;
use crate::project::projects;
use crate::project::scope::ManifestLocation;
use crate::project::world::{ManifestUse, World};
use crate::project::write_mode::WriteMode;

use crate::install::gathering::gather;
use crate::install::older_files::record_older_files;
use crate::install::refusals::{refuse_findings, refuse_rendered, refuse_violations};
use crate::install::rendering::{pin_catalog_remotes, render, resolve_dependencies};

/// Installs a project.
pub fn install(world: &World, request: &InstallRequest) -> Outcome<InstallReport> {
    let mut notes = Notes::default();
    let job = InstallJob {
        title: "install".to_owned(),
        request: *request,
        moving: UpdateScope::Nothing,
        exact: BTreeMap::new(),
        manifest: None,
    };
    let result = run(world, &job, &mut notes);
    notes.outcome(result)
}

/// Runs the pipeline, and repeats it if another process changed the project in the meantime.
pub(crate) fn run(
    world: &World,
    job: &InstallJob<'_>,
    notes: &mut Notes,
) -> Result<InstallReport, Failure> {
    // At most twice: only a run without state has no lock from the start, and locking creates the state.
    loop {
        *notes = Notes::default();
        if let Some(report) = attempt(world, job, notes)? {
            note_use(world, &report);
            return Ok(report);
        }
    }
}

/// Records that this project uses its sources, and occasionally removes copies from the cache that no project needs.
fn note_use(world: &World, report: &InstallReport) {
    if report.writing == WriteMode::Show {
        return;
    }
    if let Ok(Some(location)) = ManifestLocation::find(&world.environment, ManifestUse::Nearest) {
        projects::note(&world.environment, &location.root);
    }
    if !report.changes.is_empty() {
        clean_now_and_then(world);
    }
}

/// Runs the pipeline once; `None` if another process changed the project in the meantime.
fn attempt(
    world: &World,
    job: &InstallJob<'_>,
    notes: &mut Notes,
) -> Result<Option<InstallReport>, Failure> {
    // Policies of a repository are downloaded first, because `ManifestFiles` reads the cached files with the manifest
    // and includes them in the fingerprint: a changed policy must not be missed by the shortcut below.
    refresh_policies(world, notes)?;
    let files = job.manifest_files(&world.environment)?;
    let store = files.store()?;
    if let Some(report) = nothing_to_do(&files, &store, job) {
        return Ok(Some(report));
    }
    let run = InstallRun {
        world,
        store: &store,
        job,
    };
    let (gathered, rendered) = gather_and_render(&run, files, notes)?;
    let planned = plan_install(&run, &gathered, rendered, notes)?;
    let commit = commit(&run, gathered, &planned, notes)?;
    let writing = job.request.writing;
    report_conflicts(planned.plan.conflicts().collect(), writing, notes);
    if writing == WriteMode::Apply {
        let hooks = written_hooks(&world.environment, store.path(), &planned.plan.changes);
        notes.diagnostics.extend(hooks);
    }
    Ok((commit == CommitOutcome::Done).then(|| report(planned, job.request.writing)))
}

fn report(planned: PlannedInstall, writing: WriteMode) -> InstallReport {
    let (report, left) = planned.into_report(writing);
    // Freeing the content of thousands of files takes measurable time, so another thread does it.
    parallel::discard(left);
    report
}

/// Gathers and renders everything to be installed, and fails if a policy forbids any of it.
fn gather_and_render(
    run: &InstallRun<'_>,
    files: ManifestFiles,
    notes: &mut Notes,
) -> Result<(GatheredProject, RenderedProject), Failure> {
    let mut gathered = gather(run, files, notes)?;
    let resolved = resolve_dependencies(run, &mut gathered, notes)?;
    let mut rendered = render(run, &gathered, resolved, notes)?;
    refuse_rendered(run, &gathered, &mut rendered, notes)?;
    pin_catalog_remotes(run, &gathered, &mut rendered, notes)?;
    refuse_violations(run.world, &gathered, &rendered, notes)?;
    refuse_findings(&gathered, &mut rendered, notes)?;
    record_older_files(run, &mut gathered, &rendered.rendered.resources)?;
    Ok((gathered, rendered))
}

/// Checks everything to be installed against all policies, without installing it.
pub(crate) fn judge_project(
    world: &World,
    notes: &mut Notes,
) -> Result<PolicyCheckReport, Failure> {
    let job = InstallJob::showing("policy check", UpdateScope::Nothing);
    refresh_policies(world, notes)?;
    let files = ManifestFiles::require(&world.environment)?;
    let store = files.store()?;
    let run = InstallRun {
        world,
        store: &store,
        job: &job,
    };
    let (gathered, rendered) = gather_and_render(&run, files, notes)?;
    rendered.open.settle(&run.approval_command(), notes)?;
    Ok(PolicyCheckReport {
        policies: gathered.policies.set().count(),
        checked: rendered.rendered.resources.len() + gathered.project.manifest.layers.len(),
    })
}
