//! `install`: resolve what the lock does not pin, then make the disk match.

mod capabilities;
mod changelogs;
mod changes;
mod frozen_checks;
mod known;
mod planning;
mod preview;
mod run;
mod writing;

use agpm_compose::{
    LossPolicy, ProjectCapabilities, ProjectTree, check_fidelity, check_placement, place_blocks,
    refuse_markers,
};
use agpm_diag::{Failure, FailureKind, Notes, Outcome};
use agpm_install::{ExecutableRules, JudgedInstall, PlannedInstall};

use agpm_model::{LOCK_NAME, ObservedPath, RelativePath};
use agpm_plan::{
    Ledger, LockedCapabilities, Plan, ledger_of_lock, outdated_lock, refuse_foreign_paths,
    reserved_target,
};
use agpm_resolve::{ResolvedEntry, UpdateScope, add_locked_sources, check_locked_sources, pins};

pub(crate) use crate::install::changes::FileChanges;
pub(crate) use crate::install::frozen_checks::{FrozenProject, check_frozen};
pub(crate) use crate::install::preview::{InstallPreview, preview};
pub(crate) use crate::install::run::{InstallJob, ManifestEdit};
pub(crate) use crate::install::writing::hold;
pub(crate) use agpm_install::inputs_of;
pub use agpm_install::{
    Changelogs, Conversion, Executables, Fidelity, InstallReport, InstallRequest, LockChange,
    LockUse, Moved, Program, RequiredBy, Writing,
};
pub use agpm_plan::OverwriteRule;
pub(crate) use agpm_project::ledger::{ledger_in, read_ledger};
pub(crate) use agpm_project::locked_state::LockedState;
pub(crate) use agpm_project::observer::Observer;
pub use agpm_render::{FieldOutcome, FieldOutcomeKind};
use agpm_trust::PolicyCheckReport;
pub use agpm_trust::{Capability, CapabilityChange, CapabilityKind};

use agpm_store::{ProjectStore, parallel};

use crate::cache::clean_now_and_then;
use crate::install::known::nothing_to_do;
use crate::install::planning::plan_install;
use crate::install::run::{FilePlaces, GatheredProject, InstallRun, RenderedProject};
use crate::install::writing::{CommitOutcome, commit};
use agpm_project::bases::BaseVersions;
use agpm_project::catalog::RemoteLocking;
use agpm_project::gather::{ErrorTolerance, ManifestFiles, Project, refuse_link};
use agpm_project::layers::LayerReader;
use agpm_project::ledger::{has_ledger, is_fresh};
use agpm_project::outside::reads_outside;
use agpm_project::packages::{
    ProjectSources, Resolution, VersionLimits, bind_plugins, frozen, read_lock, render_all, resolve,
};
use agpm_project::policies::{ProjectPolicies, ReleaseDates};
use agpm_project::policy_cache::refresh_policies;
use agpm_project::projects;
use agpm_project::scope::{ManifestLocation, SiblingFile};
use agpm_project::world::{ManifestUse, World};

/// Installs a project.
pub fn install(world: &World, request: &InstallRequest) -> Outcome<InstallReport> {
    let mut notes = Notes::default();
    let job = InstallJob {
        title: "install".to_owned(),
        request: *request,
        moving: UpdateScope::Nothing,
        manifest: None,
    };
    let result = run(world, &job, &mut notes);
    notes.outcome(result)
}

/// The pipeline, once more if another process was faster.
pub(crate) fn run(
    world: &World,
    job: &InstallJob<'_>,
    notes: &mut Notes,
) -> Result<InstallReport, Failure> {
    loop {
        *notes = Notes::default();
        if let Some(report) = attempt(world, job, notes)? {
            note_use(world, &report);
            return Ok(report);
        }
    }
}

/// Keeps what this project needs in the cache, and now and then throws away what no project needs.
fn note_use(world: &World, report: &InstallReport) {
    if report.writing == Writing::Show {
        return;
    }
    if let Ok(Some(places)) = ManifestLocation::find(&world.environment, ManifestUse::Nearest) {
        projects::note(&world.environment, &places.root);
    }
    if !report.changes.is_empty() {
        clean_now_and_then(world);
    }
}

/// One pass of the pipeline; nothing if the project was changed by another process meanwhile.
fn attempt(
    world: &World,
    job: &InstallJob<'_>,
    notes: &mut Notes,
) -> Result<Option<InstallReport>, Failure> {
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
    refuse_own_places(&planned.plan, &gathered.places)?;
    let commit = commit(&run, gathered, &planned, notes)?;
    Ok((commit == CommitOutcome::Done).then(|| report(planned, job.request.writing)))
}

fn report(planned: PlannedInstall, writing: Writing) -> InstallReport {
    let (report, left) = planned.into_report(writing);
    parallel::discard(left);
    report
}

/// Everything that is to be on the disk, and that no policy forbids.
fn gather_and_render(
    run: &InstallRun<'_>,
    files: ManifestFiles,
    notes: &mut Notes,
) -> Result<(GatheredProject, RenderedProject), Failure> {
    let mut gathered = gather(run, files, notes)?;
    let resolved = resolve_dependencies(run, &mut gathered, notes)?;
    let rendered = render(run, &gathered, resolved, notes)?;
    refuse_violations(run.world, &gathered, &rendered, notes)?;
    Ok((gathered, rendered))
}

/// Judges what would be installed by all policies, and stops there.
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
    Ok(PolicyCheckReport {
        policies: gathered.policies.set().count(),
        checked: rendered.rendered.resources.len() + gathered.project.manifest.layers.len(),
    })
}

/// Nothing is written that a policy forbids, also if it was installed before.
fn refuse_violations(
    world: &World,
    gathered: &GatheredProject,
    rendered: &RenderedProject,
    notes: &mut Notes,
) -> Result<(), Failure> {
    let dates = ReleaseDates {
        world,
        sources: &rendered.sources,
    };
    let judged = JudgedInstall {
        manifest: &gathered.project.manifest,
        bases: &gathered.project.bases,
        resources: &rendered.rendered.resources,
        layer_files: &rendered.layered.files,
        layers: &rendered.layered.locked,
    };
    let found = judged.violations(gathered.policies.set(), &dates);
    if found.is_empty() {
        return Ok(());
    }
    notes.diagnostics.extend(found);
    Err(Failure {
        kind: FailureKind::Refused,
        diagnostic: None,
    })
}

/// Nothing that is installed takes the location of the manifest or the lockfile, wherever they are.
fn refuse_own_places(plan: &Plan, places: &FilePlaces) -> Result<(), Failure> {
    let own = [&places.manifest, &places.lock];
    let is_own = |path: &RelativePath| {
        own.iter()
            .any(|place| matches!(place, SiblingFile::Within(own) if own == path))
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

fn gather(
    run: &InstallRun<'_>,
    files: ManifestFiles,
    notes: &mut Notes,
) -> Result<GatheredProject, Failure> {
    let InstallRun { world, store, job } = *run;
    // A project without state has nothing to put in order, and a run that fails must not leave any.
    let held = if is_fresh(store) {
        None
    } else {
        hold(world, store, job.request.writing, notes)?
    };
    // Files that were read before the lock was held may be out of date.
    let files = if held.is_some() {
        job.manifest_files(&world.environment)?
    } else {
        files
    };
    let read = files.fingerprint();
    let places = FilePlaces {
        manifest: files.place()?,
        lock: files.lock_place(),
    };
    let files = match &job.manifest {
        Some(edit) => {
            refuse_link(store, &places.manifest)?;
            files.with_project(edit.bytes.to_vec())
        }
        None => files,
    };
    let inputs = files.fingerprint();
    let versions = match job.request.lock {
        LockUse::Locked | LockUse::Frozen => BaseVersions::Locked,
        LockUse::Update | LockUse::Unwritten => BaseVersions::Pinned(&job.moving),
    };
    let mut project = Project::with_bases(world, files, versions, ErrorTolerance::Stop, notes)?;
    let policies = ProjectPolicies::of(&mut project, notes)?;
    let lock = read_lock(&world.environment, store, notes)?;
    if job.request.lock != LockUse::Frozen {
        bind_plugins(world, &mut project.manifest, store.path(), &job.moving)?;
    }
    let recorded = read_ledger(store)?;
    if let Some((lock, _)) = &lock {
        add_locked_sources(&mut project.manifest, lock);
        refuse_foreign_paths(lock, &project.manifest, world.environment.scope, &recorded)?;
    }
    let ledger = match recorded {
        // Without a ledger, the lockfile reports what unedited managed files look like.
        ledger if ledger == Ledger::default() => lock
            .as_ref()
            .map(|(lock, _)| ledger_of_lock(lock))
            .unwrap_or_default(),
        ledger => ledger,
    };
    Ok(GatheredProject {
        held,
        project,
        policies,
        read,
        inputs,
        places,
        lock,
        ledger,
    })
}

/// The resources of a project at their versions, and where they come from.
struct ResolvedProject {
    entries: Vec<ResolvedEntry>,
    sources: ProjectSources,
    /// Paths outside of the project that are read.
    reads: Vec<String>,
}

fn resolve_dependencies(
    run: &InstallRun<'_>,
    gathered: &mut GatheredProject,
    notes: &mut Notes,
) -> Result<ResolvedProject, Failure> {
    let InstallRun { world, store, job } = *run;
    let folder = world.environment.manifest_folder(store.path());
    let reads = reads_outside(&world.environment, &gathered.project, folder)?;
    let manifest = &mut gathered.project.manifest;
    let old = gathered.lock.as_ref().map(|(lock, _)| lock);
    let Resolution { entries, sources } = match (job.request.lock, old) {
        (LockUse::Frozen, None) => return Err(outdated_lock(format!("`{LOCK_NAME}` not found"))),
        (LockUse::Frozen, Some(lock)) => {
            let sources = ProjectSources::open(world, manifest, store.path());
            let entries = frozen::entries(world, manifest, &sources, lock, notes)?;
            Resolution { entries, sources }
        }
        (lock_use, old) => {
            if let (LockUse::Locked, Some(lock)) = (lock_use, old) {
                check_locked_sources(manifest, lock)?;
            }
            let pins = old
                .map(|lock| pins(manifest, lock, &job.moving))
                .unwrap_or_default();
            let release = gathered.policies.release_limit(world);
            let limits = VersionLimits { pins, release };
            resolve(world, manifest, store.path(), limits, notes)?
        }
    };
    Ok(ResolvedProject {
        entries,
        sources,
        reads,
    })
}

/// Directories and files of the project, links not followed: nothing is written through them.
struct StoredTree<'s>(&'s ProjectStore);

impl ProjectTree for StoredTree<'_> {
    fn is_directory(&self, path: &RelativePath) -> bool {
        matches!(self.0.observe(path), Ok(ObservedPath::Directory))
    }

    fn is_file(&self, path: &RelativePath) -> bool {
        matches!(self.0.observe(path), Ok(ObservedPath::File(_)))
    }
}

fn render(
    run: &InstallRun<'_>,
    gathered: &GatheredProject,
    resolved: ResolvedProject,
    notes: &mut Notes,
) -> Result<RenderedProject, Failure> {
    let InstallRun { world, store, job } = *run;
    let ResolvedProject {
        entries,
        sources,
        reads,
    } = resolved;
    let manifest = &gathered.project.manifest;
    let old = gathered.lock.as_ref().map(|(lock, _)| lock);
    let mut rendered = render_all(manifest, &sources, entries, notes)?;
    // A frozen install leaves blocks where the lockfile has them.
    if job.request.lock != LockUse::Frozen {
        place_blocks(manifest, &mut rendered.resources, &StoredTree(store));
    }
    let resources = &rendered.resources;
    refuse_markers(resources, notes)?;
    let nothing = Ledger::default();
    let allowed_here = if has_ledger(store) {
        &gathered.ledger
    } else {
        &nothing
    };
    let layers = LayerReader {
        world,
        manifest,
        sources: &sources,
        lock_use: job.request.lock,
        moving: &job.moving,
    };
    let mut layered = layers.read(old, notes)?;
    let of_layers = std::mem::take(&mut layered.capabilities);
    let capabilities = ProjectCapabilities::of(manifest, resources, of_layers);
    let rules = ExecutableRules {
        manifest,
        approvals: run.approvals(),
        mode: gathered.policies.set().executable_mode(),
        installed: allowed_here,
        capabilities: &capabilities,
        locked: LockedCapabilities::of(old),
    };
    if let Some(refusal) = rules.refusal(resources) {
        job.request.writing.refuse(refusal, notes)?;
    }
    check_placement(manifest, resources, notes)?;
    let losses = match (job.request.fidelity, job.request.writing) {
        (Fidelity::Strict, _) => LossPolicy::Strict,
        (Fidelity::Tell, Writing::Apply) => LossPolicy::RefuseWidening,
        (Fidelity::Tell, Writing::Show) => LossPolicy::ShowWidening,
    };
    check_fidelity(manifest, resources, losses, notes)?;
    let locking = RemoteLocking {
        world,
        manifest,
        sources: &sources,
        lock_use: job.request.lock,
        moving: &job.moving,
        old,
    };
    let catalog = locking.pins(notes)?;
    Ok(RenderedProject {
        rendered,
        layered,
        capabilities,
        catalog,
        reads,
        sources,
    })
}
