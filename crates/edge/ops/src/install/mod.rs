//! `install`: resolves the dependencies that the lockfile does not pin, then makes the disk match.

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
use agpm_install::{ExecutableRules, JudgedInstall, PlannedInstall, lock_change};

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
    LockUse, Moved, Program, RequiredBy, SourceFileState, Writing,
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

/// Runs the pipeline, and repeats it if another process changed the project in the meantime.
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

/// Records that this project uses its sources, and occasionally removes copies from the cache that no project needs.
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
    refuse_own_places(&planned.plan, &gathered.places)?;
    let commit = commit(&run, gathered, &planned, notes)?;
    Ok((commit == CommitOutcome::Done).then(|| report(planned, job.request.writing)))
}

fn report(planned: PlannedInstall, writing: Writing) -> InstallReport {
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
    // If the digests of the lockfile are wrong, the lockfile is the cause, not a missing approval.
    if matches!(run.job.request.lock, LockUse::Locked | LockUse::Frozen) {
        check_lock(run, &gathered, &rendered)?;
    }
    refuse_unapproved(run, &gathered, &rendered, notes)?;
    complete(run, &gathered, &mut rendered, notes)?;
    refuse_violations(run.world, &gathered, &rendered, notes)?;
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
    Ok(PolicyCheckReport {
        policies: gathered.policies.set().count(),
        checked: rendered.rendered.resources.len() + gathered.project.manifest.layers.len(),
    })
}

/// Fails if a policy forbids a resource, even if it is already installed.
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
        catalog: &rendered.catalog,
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

/// Fails if a resource would be installed over the manifest or the lockfile.
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
    // A project without state has nothing to recover, and a failed run must not create state in it. The lock is
    // therefore taken later, in `commit`.
    let held = if is_fresh(store) {
        None
    } else {
        hold(world, store, job.request.writing, notes)?
    };
    // Another process may have changed the files before this one got the lock, and recovery may have too.
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
    // A frozen install keeps the plugin locations of the lockfile, which are already set; resolving them again could
    // contact a server.
    if job.request.lock != LockUse::Frozen {
        bind_plugins(world, &mut project.manifest, store.path(), &job.moving)?;
    }
    let recorded = read_ledger(store)?;
    if let Some((lock, _)) = &lock {
        add_locked_sources(&mut project.manifest, lock);
        refuse_foreign_paths(lock, &project.manifest, world.environment.scope, &recorded)?;
    }
    let ledger = match recorded {
        // Without a ledger, the checksums in the lockfile identify managed files that were not modified.
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

/// The resources of a project at their versions, with their sources.
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

/// The project's directories and files for placing blocks. Symlinks are not followed, because agpm does not write
/// through them.
struct StoredTree<'s>(&'s ProjectStore);

impl ProjectTree for StoredTree<'_> {
    fn is_directory(&self, path: &RelativePath) -> bool {
        matches!(self.0.observe(path), Ok(ObservedPath::Directory))
    }

    fn is_file(&self, path: &RelativePath) -> bool {
        matches!(self.0.observe(path), Ok(ObservedPath::File(_)))
    }
}

/// The bytes of everything, and what they let tools do.
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
    // The file of a block depends on which directories exist. A frozen install keeps the paths of the lockfile, so a
    // clone with other empty directories gets the same files (ADR 16).
    if job.request.lock != LockUse::Frozen {
        place_blocks(manifest, &mut rendered.resources, &StoredTree(store));
    }
    let resources = &rendered.resources;
    refuse_markers(resources, notes)?;
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
    Ok(RenderedProject {
        rendered,
        layered,
        capabilities,
        catalog: Vec::new(),
        reads,
        sources,
    })
}

/// A lockfile that is not to change must be of what was rendered; remotes of the catalog are compared later.
fn check_lock(
    run: &InstallRun<'_>,
    gathered: &GatheredProject,
    rendered: &RenderedProject,
) -> Result<(), Failure> {
    let Some((old, _)) = &gathered.lock else {
        return Ok(());
    };
    let resources = &rendered.rendered.resources;
    let layers = rendered.layered.locked.clone();
    let new = gathered.new_lock(resources, layers, old.catalog.clone());
    lock_change(Some(old), &new, run.job.request.lock).map(drop)
}

/// Nothing is installed that a tool would run and nobody approved.
fn refuse_unapproved(
    run: &InstallRun<'_>,
    gathered: &GatheredProject,
    rendered: &RenderedProject,
    notes: &mut Notes,
) -> Result<(), Failure> {
    let nothing = Ledger::default();
    let rules = ExecutableRules {
        manifest: &gathered.project.manifest,
        approvals: run.approvals(),
        mode: gathered.policies.set().executable_mode(),
        installed: if has_ledger(run.store) {
            &gathered.ledger
        } else {
            &nothing
        },
        capabilities: &rendered.capabilities,
        locked: LockedCapabilities::of(gathered.lock.as_ref().map(|(lock, _)| lock)),
    };
    match rules.refusal(&rendered.rendered.resources) {
        Some(refusal) => run.job.request.writing.refuse(refusal, notes),
        None => Ok(()),
    }
}

/// Makes the checks that need rendered resources, and pins the remotes of the catalog.
fn complete(
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
        (Fidelity::Strict, _) => LossPolicy::Strict,
        (Fidelity::Tell, Writing::Apply) => LossPolicy::RefuseWidening,
        (Fidelity::Tell, Writing::Show) => LossPolicy::ShowWidening,
    };
    check_fidelity(manifest, resources, losses, notes)?;
    let locking = RemoteLocking {
        world,
        manifest,
        sources: &rendered.sources,
        lock_use: job.request.lock,
        moving: &job.moving,
        old: gathered.lock.as_ref().map(|(lock, _)| lock),
    };
    rendered.catalog = locking.pins(notes)?;
    Ok(())
}
