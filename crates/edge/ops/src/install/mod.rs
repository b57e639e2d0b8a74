//! `install`: resolve what the lock does not pin, then make the disk match.

mod known;
mod lockstep;
mod planning;
mod recognise;
mod request;
pub(crate) mod shared;
mod writing;

use std::borrow::Cow;
use std::collections::BTreeSet;

use agpm_diag::{Diagnostic, Severity, codes};
use agpm_model::{Checksum, Install, Lockfile, RelativePath};
use agpm_plan::{Action, Ledger, Plan};
use agpm_store::{ProjectLock, ProjectStore};

pub(crate) use crate::install::known::{inputs_of, ledger_in, read_ledger};
pub(crate) use crate::install::lockstep::outdated;
pub(crate) use crate::install::planning::{MOST_TOLD, observe};
pub use crate::install::request::{
    Conversion, Executables, Fate, FateKind, Fidelity, InstallReport, InstallRequest, LockChange, LockUse,
    Moved, Overwrite, Program, Warnings, Writing,
};
pub(crate) use crate::install::writing::hold;

use crate::failure::{Failure, Notes, Outcome};
use crate::gather::{ManifestFiles, Project, manifest_path, refuse_link};
use crate::install::known::{has_ledger, is_fresh, ledger_of, nothing_to_do, remember};
use crate::install::lockstep::{compare, moves, tell_other_bytes};
use crate::install::planning::{Planned, SharedChange, make_plan, refuse, tell_kept};
use crate::install::recognise::{is_puzzled, is_silent, recognise};
use crate::install::writing::{Commit, commit};
use crate::packages::{
    LOCK_NAME, Made, Making, Moving, ResolvedEntry, Sources, executables, fidelity, frozen, lock_of,
    make_all, pins, read_lock, resolve,
};
use crate::world::World;

/// One run of the pipeline, as `install`, `update`, `add` and `remove` ask for it.
pub(crate) struct Job<'a> {
    pub(crate) title: String,
    pub(crate) request: InstallRequest,
    /// Which pins are let go.
    pub(crate) moving: Moving,
    /// The manifest's bytes, if they change too.
    pub(crate) manifest: Option<ManifestEdit<'a>>,
}

/// A change of the manifest itself.
pub(crate) struct ManifestEdit<'a> {
    /// What it was made from.
    pub(crate) before: Checksum,
    /// What comes out.
    pub(crate) bytes: Cow<'a, [u8]>,
}

/// Everything that is read before anything is decided.
struct Ready {
    /// The right to change the project; none yet if it has no state, or if nothing is to be written.
    held: Option<ProjectLock>,
    project: Project,
    /// The manifest's files as they were read, and as this run understands them.
    read: Vec<u8>,
    inputs: Vec<u8>,
    path: RelativePath,
    lock: Option<(Lockfile, Vec<u8>)>,
    ledger: Ledger,
}

/// Everything that is decided before anything is written.
struct Decided {
    entries: Vec<ResolvedEntry>,
    made: Vec<Made>,
    plan: Plan,
    shared: Vec<SharedChange>,
    moved: Vec<Moved>,
    lock_change: LockChange,
    lock_text: Vec<u8>,
}

/// Installs a project.
pub fn install(world: &World, request: &InstallRequest) -> Outcome<InstallReport> {
    let mut notes = Notes::default();
    let job = Job { title: "install".to_owned(), request: *request, moving: Moving::Nothing, manifest: None };
    let result = run(world, &job, &mut notes);
    notes.outcome(result)
}

/// The pipeline, once more if another process was faster.
pub(crate) fn run(world: &World, job: &Job<'_>, notes: &mut Notes) -> Result<InstallReport, Failure> {
    loop {
        *notes = Notes::default();
        if let Some(report) = attempt(world, job, notes)? {
            return Ok(report);
        }
    }
}

/// One pass of the pipeline; nothing if the project was changed by another process meanwhile.
fn attempt(world: &World, job: &Job<'_>, notes: &mut Notes) -> Result<Option<InstallReport>, Failure> {
    let files = ManifestFiles::require(&world.environment)?;
    let store = ProjectStore::open(files.folder())?;
    if let Some(report) = nothing_to_do(&files, &store, job) {
        return Ok(Some(report));
    }
    let ready = gather(world, job, &store, files, notes)?;
    let (entries, making) = entries(world, &ready, &store, job, notes)?;
    let decided = decide(world, &store, job, &ready, (entries, making), notes)?;
    let commit = commit(world, &store, job, ready, &decided, notes)?;
    Ok((commit == Commit::Done).then(|| decided.report(job.request.writing)))
}

fn gather(
    world: &World,
    job: &Job<'_>,
    store: &ProjectStore,
    files: ManifestFiles,
    notes: &mut Notes,
) -> Result<Ready, Failure> {
    // A project without state has nothing to put in order, and a run that fails must not leave any.
    let held = if is_fresh(store) { None } else { hold(world, store, job.request.writing, notes)? };
    // What was read before the project was ours, or before it was put in order, may be out of date.
    let files = if held.is_some() { ManifestFiles::require(&world.environment)? } else { files };
    let (read, path) = (files.fingerprint(), manifest_path(&files)?);
    let files = match &job.manifest {
        Some(edit) => {
            refuse_link(store, &path)?;
            files.with_project(edit.bytes.to_vec())
        }
        None => files,
    };
    let inputs = files.fingerprint();
    let project = Project::of(&world.environment, files, notes)?;
    let lock = read_lock(store, notes)?;
    let ledger = match read_ledger(store)? {
        // Without a ledger, the lockfile tells what unedited files of ours look like.
        ledger if ledger == Ledger::default() => {
            lock.as_ref().map(|(lock, _)| ledger_of(lock)).unwrap_or_default()
        }
        ledger => ledger,
    };
    Ok(Ready { held, project, read, inputs, path, lock, ledger })
}

fn entries(
    world: &World,
    ready: &Ready,
    store: &ProjectStore,
    job: &Job<'_>,
    notes: &mut Notes,
) -> Result<(Vec<ResolvedEntry>, Making), Failure> {
    let manifest = &ready.project.manifest;
    let old = ready.lock.as_ref().map(|(lock, _)| lock);
    let sources = Sources::open(&world.environment, manifest, store.path());
    let entries = match (job.request.lock, old) {
        (LockUse::Frozen, None) => return Err(outdated(format!("there is no `{LOCK_NAME}`"))),
        (LockUse::Frozen, Some(lock)) => frozen::entries(world, manifest, &sources, lock, notes)?,
        (lock_use, old) => {
            if let (LockUse::Locked, Some(lock)) = (lock_use, old) {
                frozen::same_sources(manifest, lock)?;
            }
            let pins = old.map(|lock| pins(manifest, lock, &job.moving)).unwrap_or_default();
            resolve(world, manifest, &sources, pins, notes)?
        }
    };
    let making = make_all(manifest, store, &entries, notes)?;
    let allowed_here = if has_ledger(store) { ready.ledger.clone() } else { Ledger::default() };
    executables::check(manifest, (&entries, &making.made), &allowed_here, job.request, notes)?;
    fidelity::check(&entries, &making.made, job.request.fidelity, notes)?;
    Ok((entries, making))
}

fn decide(
    world: &World,
    store: &ProjectStore,
    job: &Job<'_>,
    ready: &Ready,
    (entries, making): (Vec<ResolvedEntry>, Making),
    notes: &mut Notes,
) -> Result<Decided, Failure> {
    let old = ready.lock.as_ref().map(|(lock, _)| lock);
    let lock = lock_of(&ready.project.manifest, &entries, &making.made);
    let moved = old.map(|old| moves(old, &lock)).unwrap_or_default();
    if let Some(old) = old {
        tell_other_bytes(old, &lock, notes);
    }
    let lock_change = compare(old, &lock, job.request.lock)?;
    let Planned { mut plan, shared } = planned(world, store, job, ready, (&entries, &making.made), notes)?;
    plan.ledger.nothing = writing_nothing(&entries, &making.made);
    refuse(&plan, job.request.writing, notes)?;
    tell_kept(&plan, &job.request, notes)?;
    let warned = notes.diagnostics.iter().any(|found| found.severity >= Severity::Warning);
    if job.request.warnings == Warnings::Stop && warned {
        notes.diagnostics.iter_mut().for_each(|found| found.severity = found.severity.max(Severity::Error));
        return Err(Failure::reported());
    }
    let lock_text = match (lock_change, &ready.lock) {
        (LockChange::Unchanged, Some((_, bytes))) => bytes.clone(),
        _ => lock.to_text().into_bytes(),
    };
    match job.request.lock {
        // Nothing was resolved, so nothing is known of what a resolution would say.
        LockUse::Frozen => {
            (plan.ledger.inputs, plan.ledger.reads) = (ready.ledger.inputs, ready.ledger.reads.clone());
        }
        // What is worth a warning is worth it again.
        _ if tells_again(notes) || lock_change == LockChange::Pending => {}
        _ => {
            plan.ledger.reads = making.reads;
            remember(&mut plan.ledger, &ready.inputs, &lock_text, &entries);
        }
    }
    Ok(Decided { entries, made: making.made, plan, shared, moved, lock_change, lock_text })
}

/// What is to be installed and comes to nothing, such as a hook that is switched off.
fn writing_nothing(entries: &[ResolvedEntry], made: &[Made]) -> BTreeSet<String> {
    let is_nothing = |(resolved, made): &(&ResolvedEntry, &Made)| {
        let wanted = resolved.entry.install == Install::Write && resolved.entry.target.is_some();
        wanted && made.files.is_empty() && made.entries.is_none()
    };
    entries.iter().zip(made).filter(is_nothing).map(|(resolved, _)| resolved.label()).collect()
}

/// The plan; what is in the way may be ours although the ledger does not know it, and then the lockfile does.
fn planned(
    world: &World,
    store: &ProjectStore,
    job: &Job<'_>,
    ready: &Ready,
    (entries, made): (&[ResolvedEntry], &[Made]),
    notes: &mut Notes,
) -> Result<Planned, Failure> {
    let overwrite = job.request.overwrite;
    let first = make_plan(store, entries, made, (&ready.ledger, overwrite), notes)?;
    let Some((lock, _)) = &ready.lock else { return Ok(first) };
    let unknown = !has_ledger(store) && is_silent(lock);
    if !unknown && !is_puzzled(store, &first.plan, &ready.ledger, lock) {
        return Ok(first);
    }
    match recognise(world, (&ready.project.manifest, lock), store, &ready.ledger) {
        Some(known) if known != ready.ledger => make_plan(store, entries, made, (&known, overwrite), notes),
        _ => Ok(first),
    }
}

/// Whether a warning has to be told on every run; what the author of a skill should change is told once.
fn tells_again(notes: &Notes) -> bool {
    let told = |found: &Diagnostic| found.severity >= Severity::Warning && *found.code != codes::SKILL_NAME;
    notes.diagnostics.iter().any(told)
}

impl Decided {
    fn report(self, writing: Writing) -> InstallReport {
        let converted = self.entries.iter().zip(&self.made).filter(|(_, made)| !made.fates.is_empty());
        let conversion = |(resolved, made): (&ResolvedEntry, &Made)| Conversion {
            resource: resolved.label(),
            tool: resolved.entry.tool.to_string(),
            fates: made.fates.clone(),
        };
        // What is there already was told when it came.
        let comes = |program: &Program| {
            let mut changes = self.plan.changes.iter().filter(|change| change.owner == program.resource);
            changes.any(|change| matches!(change.action, Action::Create | Action::Update))
        };
        let programs = executables::brought_along(&self.entries, &self.made).into_iter().filter(comes);
        InstallReport {
            programs: programs.collect(),
            conversions: converted.map(conversion).collect(),
            moved: self.moved,
            unchanged: self.plan.unchanged,
            refused: self.plan.refusals.len(),
            changes: self.plan.changes,
            lock: self.lock_change,
            writing,
        }
    }
}
