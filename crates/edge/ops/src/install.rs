//! `install`: resolve what the lock does not pin, then make the disk match.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use agpm_diag::{Diagnostic, Severity, codes};
use agpm_model::{
    Checksum, FileMode, Install, Locked, Lockfile, Origin, RelativePath, ResourceName, ResourceType,
};
use agpm_plan::{
    A_FILE, Action, Change, Desired, Ledger, NO_LONGER_OURS, Observed, Owned, Plan, Refusal, plan,
};
use agpm_store::{
    Expected, FileChange, ProjectLock, ProjectStore, Recovered, StoreError, Transaction, Waiting,
};
use agpm_text::Format;

pub use agpm_plan::Overwrite;

use crate::failure::{Failure, FailureKind, Notes, Outcome};
use crate::gather::{ManifestFiles, Project, document_of, limit, manifest_path, refuse_link};
use crate::packages::{
    LOCK_NAME, Moving, ResolvedEntry, Sources, executables, frozen, lock_of, pins, read_lock, render_all,
    resolve, unsupported,
};
use crate::parallel;
use crate::path_of;
use crate::world::World;

const STATE_NAME: &str = ".agpm";
pub(crate) const LEDGER_NAME: &str = ".agpm/ledger.json";
pub(crate) const MOST_TOLD: usize = 20;
/// Places of our own where nothing is installed.
const RESERVED: [&str; 5] = ["agpm.toml", "agpm.private.toml", LOCK_NAME, LEDGER_NAME, ".agpm/.gitignore"];

/// What the lockfile is for in this run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LockUse {
    /// Its pins stay, and it is brought up to date.
    Update,
    /// It must not change.
    Locked,
    /// It alone counts, and every byte is checked against it.
    Frozen,
    /// Its pins stay, and it is not written.
    Unwritten,
}

/// Whether the plan is carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Writing {
    /// It is.
    Apply,
    /// It is shown.
    Show,
}

/// What warnings do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Warnings {
    /// They are told.
    Tell,
    /// They stop the command.
    Stop,
}

/// Whether resources may bring programs along that the manifest does not ask for itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Executables {
    /// Those that `allow-executables` names.
    AsManifest,
    /// All, in this run.
    Allowed,
}

/// What to install, and how.
#[derive(Clone, Copy, Debug)]
pub struct InstallRequest {
    /// The lockfile's part in it.
    pub lock: LockUse,
    /// Whether it is done or shown.
    pub writing: Writing,
    /// Which files in the way may be overwritten.
    pub overwrite: Overwrite,
    /// What warnings do.
    pub warnings: Warnings,
    /// Whether programs may come along with what is asked for.
    pub executables: Executables,
}

impl InstallRequest {
    /// As `install` does without any flag.
    pub const PLAIN: InstallRequest = InstallRequest {
        lock: LockUse::Update,
        writing: Writing::Apply,
        overwrite: Overwrite::Nothing,
        warnings: Warnings::Tell,
        executables: Executables::AsManifest,
    };
}

/// What happened to the lockfile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LockChange {
    /// It says what it said.
    Unchanged,
    /// It is new or says something else.
    Written,
    /// It would say something else, and was not written.
    Pending,
}

/// A locked version that became another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moved {
    /// The resource, as `TYPE/NAME`.
    pub resource: String,
    /// What was locked.
    pub from: String,
    /// What is locked now.
    pub to: String,
}

/// What an install did or would do.
#[derive(Clone, Debug)]
pub struct InstallReport {
    /// Versions that moved.
    pub moved: Vec<Moved>,
    /// Files that change, or stay although they are not as they should be.
    pub changes: Vec<Change>,
    /// How many files are as they should be.
    pub unchanged: usize,
    /// What happened to the lockfile.
    pub lock: LockChange,
    /// How many files are in the way.
    pub refused: usize,
    /// Whether it was done or is only shown.
    pub writing: Writing,
}

impl InstallReport {
    /// Whether anything changes.
    pub fn changes_something(&self) -> bool {
        self.refused > 0
            || self.lock != LockChange::Unchanged
            || self.changes.iter().any(|change| change.action != Action::Keep)
    }
}

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
    // A project without state has nothing to put in order, and a run that fails must not leave any.
    let early = match is_fresh(&store) {
        true => None,
        false => hold(world, &store, job.request.writing, notes)?,
    };
    // What was read before the project was ours, or before it was put in order, may be out of date.
    let files = if early.is_some() { ManifestFiles::require(&world.environment)? } else { files };
    let (read, path) = (files.fingerprint(), manifest_path(&files)?);
    if job.manifest.is_some() {
        refuse_link(&store, &path)?;
    }
    let files = match &job.manifest {
        Some(edit) => files.with_project(edit.bytes.to_vec()),
        None => files,
    };
    let inputs = files.fingerprint();
    let project = Project::of(&world.environment, files, notes)?;
    unsupported::in_manifest(&project.manifest)?;
    let old = read_lock(&store, notes)?;
    let ledger = match read_ledger(&store)? {
        // Without a ledger, the lockfile tells what unedited files of ours look like.
        ledger if ledger == Ledger::default() => {
            old.as_ref().map(|(lock, _)| ledger_of(lock)).unwrap_or_default()
        }
        ledger => ledger,
    };
    let mut entries = entries(world, &project, &store, old.as_ref().map(|(lock, _)| lock), job, notes)?;
    unsupported::in_entries(&entries)?;
    executables::check(&project.manifest, &entries, &ledger, job.request.executables)?;
    render_all(&project.manifest, &mut entries, notes)?;
    let lock = lock_of(&project.manifest, &entries);
    if let Some((old, _)) = &old {
        tell_other_bytes(old, &lock, notes);
    }
    let moved = old.as_ref().map(|(old, _)| moves(old, &lock)).unwrap_or_default();
    let lock_change = compare(old.as_ref().map(|(lock, _)| lock), &lock, job.request.lock)?;
    let mut plan = make_plan(&store, &entries, &ledger, job.request.overwrite)?;
    refuse(&plan, job.request.writing, notes)?;
    tell_kept(&plan, job.request.lock, notes)?;
    let warned = notes.diagnostics.iter().any(|found| found.severity >= Severity::Warning);
    if job.request.warnings == Warnings::Stop && warned {
        notes.diagnostics.iter_mut().for_each(|found| found.severity = found.severity.max(Severity::Error));
        return Err(Failure::reported());
    }
    let lock_text = match lock_change {
        LockChange::Unchanged => old.map(|(_, bytes)| bytes).unwrap_or_default(),
        _ => lock.to_text().into_bytes(),
    };
    if !warned && lock_change != LockChange::Pending {
        match job.request.lock {
            // Nothing was resolved, so nothing is known of what a resolution would say.
            LockUse::Frozen => {
                (plan.ledger.inputs, plan.ledger.reads) = (ledger.inputs, ledger.reads.clone())
            }
            _ => remember(&mut plan.ledger, &inputs, &lock_text, &entries),
        }
    }
    let had_ledger = has_ledger(&store);
    let outcome = Written {
        plan: &plan,
        entries: &entries,
        ledger: &ledger,
        has_ledger: had_ledger,
        lock: lock_change,
        lock_text: &lock_text,
    };
    let changes = outcome.changes(job, path);
    let plain = changes
        .iter()
        .all(|change| matches!(change, FileChange::Write { path, .. } if path.as_str() == LEDGER_NAME));
    if let (Writing::Apply, true, Some(_)) = (job.request.writing, plain, &early) {
        // Only what we know of the project changed: nothing that could be taken back.
        let text = plan.ledger.to_text();
        if !changes.is_empty() {
            agpm_store::write_whole(&store.path().join(LEDGER_NAME), text.as_bytes())?;
        }
    } else if job.request.writing == Writing::Apply && !changes.is_empty() {
        let held = match early {
            Some(held) => Some(held),
            None => {
                let same = |now: ManifestFiles| now.fingerprint() == read;
                let held = hold(world, &store, Writing::Apply, notes)?.filter(|_| !has_ledger(&store));
                let unchanged = ManifestFiles::require(&world.environment).is_ok_and(same);
                held.filter(|_| unchanged)
            }
        };
        let Some(held) = held else { return Ok(None) };
        apply(world, &store, &held, Transaction { title: job.title.clone(), changes })?;
    }
    Ok(Some(InstallReport {
        moved,
        unchanged: plan.unchanged,
        refused: plan.refusals.len(),
        changes: plan.changes,
        lock: lock_change,
        writing: job.request.writing,
    }))
}

fn is_fresh(store: &ProjectStore) -> bool {
    !agpm_store::is_folder(&store.path().join(STATE_NAME))
}

fn has_ledger(store: &ProjectStore) -> bool {
    agpm_store::is_file(&store.path().join(LEDGER_NAME))
}

fn apply(
    world: &World,
    store: &ProjectStore,
    held: &ProjectLock,
    transaction: Transaction<'_>,
) -> Result<(), Failure> {
    let all = transaction.changes.len();
    let progress = |done| world.progress.files(done, all);
    store.apply(held, &transaction, &progress).map_err(|error| error.seen_from(store.path()))?;
    Ok(())
}

/// Takes the project for this process alone and finishes what another one left; a run that only shows takes nothing.
pub(crate) fn hold(
    world: &World,
    store: &ProjectStore,
    writing: Writing,
    notes: &mut Notes,
) -> Result<Option<ProjectLock>, Failure> {
    if writing == Writing::Show {
        return Ok(None);
    }
    let seen = |error: StoreError| error.seen_from(store.path());
    let held = store.lock(Waiting::Block(&|| world.progress.waiting())).map_err(seen)?;
    let recovered = store.recover(&held).map_err(seen)?;
    let what = match recovered {
        Recovered::Nothing => return Ok(Some(held)),
        Recovered::RolledForward => "finished",
        Recovered::RolledBack => "taken back",
    };
    let message = format!("an earlier run was stopped in the middle; what it had begun was {what}");
    notes.diagnostics.push(Diagnostic::new(&codes::INSTALL_RECOVERED, message));
    Ok(Some(held))
}

/// The answer if the same inputs were installed before and every file is still as it was: no repository is opened and
/// no process started.
fn nothing_to_do(files: &ManifestFiles, store: &ProjectStore, job: &Job<'_>) -> Option<InstallReport> {
    let plain = job.manifest.is_none() && job.moving == Moving::Nothing;
    let usual = matches!(job.request.lock, LockUse::Update | LockUse::Locked | LockUse::Unwritten);
    if !plain || !usual || store.needs_recovery() {
        return None;
    }
    let ledger = read_ledger(store).ok()?;
    let lock = store.read(&path_of(LOCK_NAME), limit()).ok()?;
    if ledger.inputs? != inputs_of(&files.fingerprint(), &lock) {
        return None;
    }
    let read = |path: &String| agpm_store::read(&files.folder().join(path), limit()).ok();
    let same =
        ledger.reads.iter().all(|(path, held)| read(path).is_some_and(|bytes| Checksum::of(&bytes) == *held));
    let untouched = |(path, owned): (&RelativePath, &Owned)| {
        observe(store, path).is_ok_and(|now| now == Observed::File(owned.checksum, owned.mode))
    };
    let all = same && parallel::map(ledger.files.iter().collect(), untouched).into_iter().all(|same| same);
    all.then(|| InstallReport {
        moved: Vec::new(),
        changes: Vec::new(),
        unchanged: ledger.files.len(),
        refused: 0,
        lock: LockChange::Unchanged,
        writing: job.request.writing,
    })
}

/// What an install is made of, in one number. Another version of the program may make something else of it.
pub(crate) fn inputs_of(manifest: &[u8], lock: &[u8]) -> Checksum {
    let mut all = env!("CARGO_PKG_VERSION").as_bytes().to_vec();
    all.extend_from_slice(manifest);
    all.extend_from_slice(lock);
    Checksum::of(&all)
}

/// Notes what this install was made of, unless it read files that new ones may join.
fn remember(ledger: &mut Ledger, manifest: &[u8], lock: &[u8], entries: &[ResolvedEntry]) {
    let local = entries.iter().filter(|entry| entry.version.commit.is_none());
    let mut open = false;
    for entry in local {
        let Origin::Local = entry.entry.unit.origin else {
            open = true;
            continue;
        };
        open |= entry.matched_pattern;
        ledger.reads.insert(entry.entry.unit.path.to_string(), entry.resource.checksum);
    }
    ledger.inputs = (!open).then(|| inputs_of(manifest, lock));
}

fn ledger_of(lock: &Lockfile) -> Ledger {
    let owned = |locked: &Locked| {
        let owner = format!("{}/{}", locked.kind, locked.name);
        let owned = Owned { checksum: locked.checksum?, source: None, mode: FileMode::Plain, owner };
        Some((locked.installed_at.clone()?, owned))
    };
    Ledger { files: lock.entries.iter().filter_map(owned).collect(), ..Ledger::default() }
}

pub(crate) fn read_ledger(store: &ProjectStore) -> Result<Ledger, Failure> {
    let bytes = match store.read(&path_of(LEDGER_NAME), limit()) {
        Err(error) if matches!(error.problem, agpm_store::Problem::NotFound) => return Ok(Ledger::default()),
        read => read?,
    };
    let mut own = Notes::default();
    let document = document_of(LEDGER_NAME.to_owned(), bytes, Format::Json, &mut own)
        .and_then(|document| own.check().map(|()| document))
        .map_err(|_| Ledger::broken())?;
    Ok(Ledger::read(&document)?)
}

fn entries(
    world: &World,
    project: &Project,
    store: &ProjectStore,
    old: Option<&Lockfile>,
    job: &Job<'_>,
    notes: &mut Notes,
) -> Result<Vec<ResolvedEntry>, Failure> {
    let manifest = &project.manifest;
    let sources = Sources::open(&world.environment, manifest, store.path());
    if job.request.lock == LockUse::Frozen {
        let lock = old.ok_or_else(|| outdated(format!("there is no `{LOCK_NAME}`")))?;
        return frozen::entries(world, manifest, &sources, lock, notes);
    }
    if let (LockUse::Locked, Some(lock)) = (job.request.lock, old) {
        frozen::same_sources(manifest, lock)?;
    }
    let pins = old.map(|lock| pins(manifest, lock, &job.moving)).unwrap_or_default();
    Ok(resolve(world, manifest, &sources, pins, notes)?.entries)
}

pub(crate) fn outdated(message: String) -> Failure {
    let help = "run `agpm install` without `--locked` or `--frozen`, and commit `agpm.lock`";
    Failure::new(FailureKind::Lock, Diagnostic::new(&codes::LOCK_OUTDATED, message).help(help))
}

fn compare(old: Option<&Lockfile>, new: &Lockfile, lock: LockUse) -> Result<LockChange, Failure> {
    let same = old == Some(new);
    match (lock, same) {
        (_, true) | (LockUse::Frozen, _) => Ok(LockChange::Unchanged),
        (LockUse::Update, false) => Ok(LockChange::Written),
        (LockUse::Unwritten, false) => Ok(LockChange::Pending),
        (LockUse::Locked, false) => Err(match old {
            None => outdated(format!("there is no `{LOCK_NAME}`")),
            Some(old) => outdated(difference(old, new)),
        }),
    }
}

/// A commit does not change, so bytes that differ from what was locked mean that somebody changed the lockfile.
fn tell_other_bytes(old: &Lockfile, new: &Lockfile, notes: &mut Notes) {
    let same = |was: &&Locked, now: &Locked| {
        was.commit.is_some() && was.unit == now.unit && was.commit == now.commit && was.requirement.is_some()
    };
    for now in &new.entries {
        let was = old.entries.iter().filter(|was| was.name == now.name).find(|was| same(was, now));
        if was.is_some_and(|was| was.checksum != now.checksum) {
            let message =
                format!("{}/{} has another checksum in `{LOCK_NAME}` than its source", now.kind, now.name);
            let mut found = Diagnostic::new(&codes::LOCK_CHECKSUM, message)
                .help("somebody changed the lockfile; it is written anew with what the source has");
            found.severity = Severity::Warning;
            notes.diagnostics.push(found);
        }
    }
}

/// Resources in both whose commit differs.
fn moves(old: &Lockfile, new: &Lockfile) -> Vec<Moved> {
    let key = |locked: &Locked| (locked.kind, locked.name.clone());
    let before: BTreeMap<_, _> = old.entries.iter().map(|locked| (key(locked), locked)).collect();
    let mut moved = Vec::new();
    for now in &new.entries {
        let Some(was) = before.get(&key(now)).filter(|was| was.unit == now.unit && was.commit != now.commit)
        else {
            continue;
        };
        let same_label = was.version == now.version;
        let say = |locked: &Locked| match (&locked.version, &locked.commit) {
            (Some(version), Some(commit)) if same_label => format!("{version} ({})", commit.short()),
            (Some(version), _) => version.clone(),
            _ => "local".to_owned(),
        };
        moved.push(Moved { resource: format!("{}/{}", now.kind, now.name), from: say(was), to: say(now) });
    }
    moved
}

fn difference(old: &Lockfile, new: &Lockfile) -> String {
    let key = |locked: &Locked| (locked.kind, locked.name.clone());
    let keys = |lock: &Lockfile| lock.entries.iter().map(key).collect::<BTreeSet<_>>();
    let (was, is) = (keys(old), keys(new));
    let name = |(kind, name): &(ResourceType, ResourceName)| format!("{kind}/{name}");
    let what = if let Some(added) = is.difference(&was).next() {
        format!("{} would be added", name(added))
    } else if let Some(removed) = was.difference(&is).next() {
        format!("{} would be removed", name(removed))
    } else if let Some(changed) = new.entries.iter().find(|entry| !old.entries.contains(entry)) {
        format!("{} is not what is locked", name(&key(changed)))
    } else {
        "its sources are not those of the manifest".to_owned()
    };
    format!("`{LOCK_NAME}` would change: {what}")
}

pub(crate) fn observe(store: &ProjectStore, path: &RelativePath) -> Result<Observed, agpm_store::StoreError> {
    Ok(match store.observe(path)? {
        agpm_store::Observed::Missing => Observed::Missing,
        agpm_store::Observed::File { checksum, mode } => Observed::File(checksum, mode),
        agpm_store::Observed::Folder => Observed::Other("a folder"),
        agpm_store::Observed::Link => Observed::Other("a symbolic link"),
        agpm_store::Observed::Other => Observed::Other("something that is no file"),
    })
}

fn make_plan(
    store: &ProjectStore,
    entries: &[ResolvedEntry],
    ledger: &Ledger,
    overwrite: Overwrite,
) -> Result<Plan, Failure> {
    let desired: Vec<Desired> = entries.iter().filter_map(desired).collect();
    if let Some(file) =
        desired.iter().find(|file| RESERVED.contains(&file.path.as_str().to_lowercase().as_str()))
    {
        let message =
            format!("{} would be installed at `{}`, which is a file of agpm", file.owner, file.path);
        let diagnostic =
            Diagnostic::new(&codes::PACKAGE_TARGET_CLASH, message).help("give it another `filename`");
        return Err(Failure::new(FailureKind::Refused, diagnostic));
    }
    refuse_own_targets(store, entries)?;
    let mut paths: Vec<&RelativePath> =
        desired.iter().map(|file| &file.path).chain(ledger.files.keys()).collect();
    paths.sort();
    paths.dedup();
    let seen = parallel::map(paths, |path| (path.clone(), observe(store, path)));
    let mut observed = BTreeMap::new();
    for (path, now) in seen {
        observed.insert(path, now.map_err(|error| error.seen_from(store.path()))?);
    }
    Ok(plan(&desired, &observed, ledger, overwrite))
}

fn desired(resolved: &ResolvedEntry) -> Option<Desired> {
    let entry = &resolved.entry;
    Some(Desired {
        path: entry.target.clone().filter(|_| entry.install == Install::Write)?,
        checksum: resolved.output.checksum(),
        source: resolved.resource.checksum,
        mode: resolved.resource.mode,
        owner: format!("{}/{}", entry.kind, entry.name),
    })
}

/// A file that would be installed onto itself would become ours, and go with the dependency.
fn refuse_own_targets(store: &ProjectStore, entries: &[ResolvedEntry]) -> Result<(), Failure> {
    let onto_itself = |resolved: &&ResolvedEntry| {
        let target = resolved.entry.target.as_ref().map(|target| store.path().join(target.as_str()));
        target.is_some() && resolved.file == target
    };
    let Some(resolved) = entries.iter().find(onto_itself) else { return Ok(()) };
    let entry = &resolved.entry;
    let message = format!("{}/{} is where it would be installed: `{}`", entry.kind, entry.name, entry.unit);
    let help = "the tool reads it there already: remove the dependency, or move the file to another folder";
    let diagnostic = Diagnostic::new(&codes::PACKAGE_TARGET_CLASH, message).help(help);
    Err(Failure::new(FailureKind::Refused, diagnostic))
}

/// Says what is in the way; a run that only shows goes on to show the rest.
fn refuse(plan: &Plan, writing: Writing, notes: &mut Notes) -> Result<(), Failure> {
    for Refusal { path, what, owner } in plan.refusals.iter().take(MOST_TOLD) {
        let message = format!("`{path}` is {what}, and {owner} is to be installed there");
        let help = match *what {
            A_FILE => {
                "move it away, give the resource another `filename` or `target`, or let `agpm install --adopt` replace it"
            }
            _ => "move it away, or give the resource another `filename` or `target`",
        };
        notes
            .diagnostics
            .push(Diagnostic::new(&codes::INSTALL_NOT_OURS, message).in_file(path.as_str()).help(help));
    }
    match (plan.refusals.is_empty(), writing) {
        (true, _) => Ok(()),
        (false, Writing::Apply) => Err(Failure { kind: FailureKind::Refused, diagnostic: None }),
        (false, Writing::Show) => {
            let refused = notes.diagnostics.iter_mut().filter(|found| *found.code == codes::INSTALL_NOT_OURS);
            refused.for_each(|found| found.severity = Severity::Warning);
            Ok(())
        }
    }
}

/// Files that were edited stay; where every byte must be as locked that is an error.
fn tell_kept(plan: &Plan, lock: LockUse, notes: &mut Notes) -> Result<(), Failure> {
    for change in plan.changes.iter().filter(|change| change.action == Action::Keep) {
        let message = format!("`{}` {}, and is kept as it is", change.path, change.reason);
        let mut diagnostic = Diagnostic::new(&codes::INSTALL_EDITED, message)
            .in_file(change.path.as_str())
            .help(match change.reason {
                NO_LONGER_OURS => "agpm leaves it to you from now on: delete it if you do not need it",
                _ => "`agpm install --force` overwrites it",
            });
        if lock == LockUse::Frozen {
            diagnostic.severity = Severity::Error;
        }
        notes.diagnostics.push(diagnostic);
    }
    notes.check()
}

/// Everything that one transaction writes.
struct Written<'a> {
    plan: &'a Plan,
    entries: &'a [ResolvedEntry],
    ledger: &'a Ledger,
    has_ledger: bool,
    lock: LockChange,
    lock_text: &'a [u8],
}

impl<'a> Written<'a> {
    /// All changes, the lockfile last.
    fn changes(&self, job: &'a Job<'_>, manifest: RelativePath) -> Vec<FileChange<'a>> {
        let mut changes = self.files();
        if let Some(edit) = &job.manifest {
            let before = Expected::Checksum(edit.before);
            let bytes = Cow::Borrowed(&*edit.bytes);
            changes.push(FileChange::Write { path: manifest, bytes, mode: FileMode::Plain, before });
        }
        if self.plan.ledger != *self.ledger || !self.has_ledger {
            changes.push(write(
                LEDGER_NAME,
                self.plan.ledger.to_text().into_bytes().into(),
                Expected::Anything,
            ));
        }
        if self.lock == LockChange::Written {
            changes.push(write(LOCK_NAME, Cow::Borrowed(self.lock_text), Expected::Anything));
        }
        changes
    }

    fn files(&self) -> Vec<FileChange<'a>> {
        let at = |entry: &'a ResolvedEntry| Some((entry.entry.target.as_ref()?, entry));
        let by_path: BTreeMap<&RelativePath, &ResolvedEntry> = self.entries.iter().filter_map(at).collect();
        let change = |change: &Change| {
            let before = match change.before {
                Observed::File(checksum, _) => Expected::Checksum(checksum),
                _ => Expected::Missing,
            };
            let path = change.path.clone();
            match change.action {
                Action::Keep => None,
                Action::Remove => Some(FileChange::Remove { path, before }),
                Action::Create | Action::Update => {
                    let entry = by_path.get(&path)?;
                    let (bytes, mode) = (Cow::Borrowed(entry.output.bytes()), entry.resource.mode);
                    Some(FileChange::Write { path, bytes, mode, before })
                }
            }
        };
        self.plan.changes.iter().filter_map(change).collect()
    }
}

fn write<'a>(path: &'static str, bytes: Cow<'a, [u8]>, before: Expected) -> FileChange<'a> {
    FileChange::Write { path: path_of(path), bytes, mode: FileMode::Plain, before }
}
