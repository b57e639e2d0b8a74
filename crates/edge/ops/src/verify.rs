//! `agpm verify`: whether every installed file is as it was installed.

use std::collections::{BTreeMap, BTreeSet};

use agpm_compose::RenderedResource;
use agpm_diag::{Code, Diagnostic, Failure, Notes, Outcome, Severity, codes};
use agpm_model::{
    InstallMode, LockEntry, Lockfile, Manifest, ObjectId, ObservedPath, Owner, PinId, RelativePath,
    ResourceExtent, ResourceId, SourceName, is_junk,
};
use agpm_plan::{
    BlockFinding, BlockState, ChangeAction, ChangeReason, Ledger, NodeState, Obstacle,
    OverwriteRule, OwnedBlocks, OwnedFile, OwnedNodes, PlannedChange, RefusedChange, check_blocks,
    check_nodes, ledger_of_lock, read_block_file, recover_ownership, refuse_foreign_paths,
};
use agpm_resolve::add_locked_sources;
use agpm_store::{ProjectStore, StoreError};
use agpm_text::BlockName;
use serde::Serialize;

use crate::gather::{ManifestFiles, Project};
use crate::install::{LockedState, Observer, inputs_of, read_ledger, read_shared};
use crate::packages::{Sources, read_lock};
use crate::reading::limit;
use crate::serialize;
use crate::world::World;
use agpm_model::LOCK_NAME;
use agpm_store::parallel;

/// Skills are not nested deeper than this.
const MOST_LEVELS: usize = 64;

/// What was checked and found.
#[derive(Debug, Default, Serialize)]
pub struct VerifyReport {
    /// How many files were looked at.
    pub checked: usize,
    /// What is not as it was installed, by path.
    pub findings: Vec<Finding>,
}

/// A file that is not as it was installed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// What kind of finding it is.
    #[serde(serialize_with = "serialize::code")]
    pub code: &'static Code,
    /// The file.
    pub path: RelativePath,
    /// Whose it is.
    #[serde(flatten, serialize_with = "serialize::id")]
    pub resource: Owner,
    /// What is wrong with it.
    pub message: String,
}

/// Checks every installed file.
pub fn verify(world: &World) -> Outcome<VerifyReport> {
    let mut notes = Notes::default();
    let result = find_drift(world, SourceUse::Fetch, &mut notes);
    if result.as_ref().is_ok_and(|report| report.checked == 0) {
        notes.diagnostics.extend(nothing_installed(world));
    }
    notes.outcome(result)
}

/// Where the bytes come from that installed files are compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SourceUse {
    /// From the sources, as far as they are not in the cache.
    Fetch,
    /// From the cache alone: commands that only look fetch nothing.
    CachedOnly,
    /// From nowhere: the checksums in lockfile and ledger have to do, where an answer in milliseconds counts.
    RecordsOnly,
}

/// The same as a part of something larger.
pub(crate) fn find_drift(
    world: &World,
    source_use: SourceUse,
    notes: &mut Notes,
) -> Result<VerifyReport, Failure> {
    let files = ManifestFiles::require(&world.environment)?;
    let store = files.store()?;
    let read = read_lock(&world.environment, &store, notes)?;
    let is_locked = read.is_some();
    let (lock, lock_text) = read.unwrap_or_default();
    let ledger = read_ledger(&store)?;
    if ledger
        .inputs
        .is_some_and(|inputs| inputs != inputs_of(&files.fingerprint(), &lock_text))
    {
        notes.diagnostics.push(moved_on());
    }
    let mut manifest = Project::of(world, files, notes)?.manifest;
    add_locked_sources(&mut manifest, &lock);
    refuse_foreign_paths(&lock, &manifest, world.environment.scope, &ledger)?;
    if store.needs_recovery() {
        notes.diagnostics.push(interrupted());
    }
    let by_record = ByRecord {
        store: &store,
        entries: lock.entries.iter().collect(),
        ledger: &ledger,
    };
    if !is_locked {
        return by_record.compare();
    }
    if source_use == SourceUse::RecordsOnly {
        return by_record.known_alone().compare();
    }
    if source_use == SourceUse::CachedOnly
        && let Some(source) = uncached_source(world, &manifest, &lock, &store)
    {
        notes.diagnostics.push(not_cached(source));
        return by_record.known_alone().compare();
    }
    let mut report = match LockedState::read(world, &manifest, &lock, &store) {
        Ok(state) => compare(&store, &lock, &ledger, state, notes)?,
        Err(failure) if ledger == Ledger::default() => return Err(failure),
        Err(failure) => {
            notes.diagnostics.push(not_comparable(failure));
            by_record.compare()?
        }
    };
    report.findings.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(report)
}

/// A source of which a locked commit is not in the cache.
pub(crate) fn uncached_source<'l>(
    world: &World,
    manifest: &Manifest,
    lock: &'l Lockfile,
    store: &ProjectStore,
) -> Option<&'l SourceName> {
    let sources = Sources::open_all(world, manifest, store.path());
    // The catalog is not verified.
    let commits: BTreeSet<(&SourceName, &ObjectId)> = lock
        .pins()
        .filter(|one| !matches!(one.id, PinId::Remote(_)))
        .filter_map(|one| Some((one.pin.source.name()?, &one.pin.commit)))
        .collect();
    let is_cached = |source: &SourceName, commit: &ObjectId| {
        let source = sources.versioned(source);
        source.is_none_or(|source| source.has_revision(commit))
    };
    commits
        .into_iter()
        .find(|(source, commit)| !is_cached(source, commit))
        .map(|(source, _)| source)
}

/// Compares the disk with what the lockfile says, byte by byte. What a ledger says proves nothing, since a clone can bring
/// one; it only helps to say what happened.
pub(crate) fn compare(
    store: &ProjectStore,
    lock: &Lockfile,
    ledger: &Ledger,
    mut state: LockedState,
    notes: &mut Notes,
) -> Result<VerifyReport, Failure> {
    state.expect_recorded_modes(ledger);
    let layer_failure = state.layer_failure.take();
    let has_layers = layer_failure.is_none();
    notes
        .diagnostics
        .extend(layer_failure.and_then(|failure| failure.diagnostic));
    let covered: BTreeSet<ResourceId> = state
        .resources
        .iter()
        .map(|resource| resource.resolved.id())
        .collect();
    // An entry whose bytes cannot be had any more, such as a local file that changed, has only its record.
    let (changed_in_place, recorded): (Vec<&LockEntry>, Vec<&LockEntry>) = lock
        .entries
        .iter()
        .filter(|locked| !covered.contains(&locked.id()))
        .partition(|locked| locked.install == InstallMode::InPlace);
    let recorded_owners: BTreeSet<Owner> =
        recorded.iter().map(|locked| locked.id().into()).collect();
    let (by_record, mut by_bytes) = ledger
        .clone()
        .split(|owner| recorded_owners.contains(owner) || !has_layers && owner.layers().is_some());
    let mut report = ByRecord {
        store,
        entries: recorded,
        ledger: &by_record,
    }
    .compare()?;
    for locked in changed_in_place {
        report.findings.extend(drift_in_place(store, locked)?);
    }
    report.checked += lock.entries.iter().filter(is_in_place).count();
    if *ledger == Ledger::default() {
        by_bytes = ledger_of_lock(lock);
    }
    let mut desired = state.desired(store)?;
    let mut disk = Observer::new(store);
    disk.observe(&desired, &by_bytes)?;
    let broken = disk.observation().unreadable();
    for path in broken {
        report.checked += 1;
        report.findings.push(unreadable(path.clone(), ledger));
    }
    by_bytes.shared.retain(|path, _| !broken.contains(path));
    by_bytes.blocks.retain(|path, _| !broken.contains(path));
    desired.leave_out(broken);
    let known = recover_ownership(&desired, disk.observation(), &by_bytes);
    let plan = disk.plan(&desired, &known, OverwriteRule::Nothing, notes)?;
    report.findings.extend(
        plan.changes
            .iter()
            .filter_map(|change| drift_of(change, ledger)),
    );
    report
        .findings
        .extend(plan.refusals.iter().map(drift_of_refusal));
    report.findings.extend(extra_files(store, &state)?);
    report.checked += plan.unchanged + plan.changes.len() + plan.refusals.len();
    Ok(report)
}

fn is_in_place(locked: &&LockEntry) -> bool {
    locked.install == InstallMode::InPlace
}

/// How a resource in place, whose source is the installed file itself, differs from what was locked.
fn drift_in_place(store: &ProjectStore, locked: &LockEntry) -> Result<Vec<Finding>, Failure> {
    let mut findings = Vec::new();
    for path in locked.paths() {
        let now = store
            .observe(path)
            .map_err(|error| error.seen_from(store.path()))?;
        let (code, message) = match now {
            ObservedPath::Missing => (&codes::VERIFY_MISSING, "is missing".to_owned()),
            ObservedPath::File(file) if locked.checksum == Some(file.checksum) => continue,
            _ => (
                &codes::VERIFY_CHANGED,
                format!("is not what `{LOCK_NAME}` has"),
            ),
        };
        findings.push(Finding {
            code,
            path: path.clone(),
            resource: locked.id().into(),
            message,
        });
    }
    Ok(findings)
}

/// A change that an install of the lockfile would make.
fn drift_of(change: &PlannedChange, ledger: &Ledger) -> Option<Finding> {
    let is_known = ledger.files.contains_key(&change.path) || *ledger == Ledger::default();
    let inner = change
        .place
        .as_ref()
        .filter(|place| !place.steps().is_empty());
    let (code, message) = match (change.action, change.reason, inner) {
        (ChangeAction::Adopt | ChangeAction::Release, ..) => return None,
        _ if change.block.is_some() => {
            return change
                .block
                .as_ref()
                .map(|block| drift_of_block(change, block));
        }
        (ChangeAction::Remove, ..) | (ChangeAction::Keep, ChangeReason::UnaskedEdited, _) => (
            &codes::VERIFY_CHANGED,
            format!("was installed, but is not in `{LOCK_NAME}`"),
        ),
        (ChangeAction::Create, _, Some(place)) => (
            &codes::VERIFY_MISSING,
            format!("lacks its entry at `{place}`"),
        ),
        (ChangeAction::Create, ..) if is_known || change.place.is_some() => {
            (&codes::VERIFY_MISSING, "is missing".to_owned())
        }
        (ChangeAction::Create, ..) => (
            &codes::VERIFY_MISSING,
            "is locked and was never installed here".to_owned(),
        ),
        (_, _, Some(place)) => (
            &codes::VERIFY_CHANGED,
            format!("has another entry at `{place}` than was installed"),
        ),
        (_, ChangeReason::Mode, _) => (
            &codes::VERIFY_CHANGED,
            "has another mode than was installed".to_owned(),
        ),
        (_, ChangeReason::Edited, _) => (
            &codes::VERIFY_CHANGED,
            "has other bytes than were installed".to_owned(),
        ),
        _ => (
            &codes::VERIFY_CHANGED,
            format!("is not what `{LOCK_NAME}` has"),
        ),
    };
    Some(Finding {
        code,
        path: change.path.clone(),
        resource: change.owner.clone(),
        message,
    })
}

fn drift_of_block(change: &PlannedChange, block: &BlockName) -> Finding {
    let (code, message) = match change.action {
        ChangeAction::Create => (&codes::VERIFY_MISSING, lacks_block(block)),
        ChangeAction::Remove => (
            &codes::VERIFY_CHANGED,
            format!("has the block `{block}`, which is not in `{LOCK_NAME}`"),
        ),
        _ => (&codes::VERIFY_CHANGED, has_other_block(block)),
    };
    Finding {
        code,
        path: change.path.clone(),
        resource: change.owner.clone(),
        message,
    }
}

/// Something in the place of what is locked.
fn drift_of_refusal(refusal: &RefusedChange) -> Finding {
    let message = match (&refusal.place, refusal.what) {
        (None, Obstacle::Block) => match &refusal.block {
            Some(block) => has_other_block(block),
            None => "has another block than was installed".to_owned(),
        },
        (Some(place), _) => format!("has another entry at `{place}` than was installed"),
        (None, Obstacle::File | Obstacle::Entry) => "differs from what is locked".to_owned(),
        (None, what) => format!("is {} now", what.words()),
    };
    let (path, resource) = (refusal.path.clone(), refusal.owner.clone());
    Finding {
        code: &codes::VERIFY_CHANGED,
        path,
        resource,
        message,
    }
}

/// Files in the directory of a skill that are not part of it.
fn extra_files(store: &ProjectStore, state: &LockedState) -> Result<Vec<Finding>, Failure> {
    let mut findings = Vec::new();
    for RenderedResource { resolved, output } in &state.resources {
        let Some(folder) = resolved
            .entry
            .target
            .as_ref()
            .filter(|_| resolved.entry.unit.extent != ResourceExtent::File)
            .filter(|_| resolved.entry.install == InstallMode::Write)
        else {
            continue;
        };
        let known: BTreeSet<&str> = output.files.iter().map(|file| file.path.as_str()).collect();
        let found = agpm_store::files_below(&store.path().join(folder.as_str()), MOST_LEVELS)?;
        for name in found.iter().filter(|name| !name.split('/').any(is_junk)) {
            let path = RelativePath::new(&format!("{folder}/{name}"));
            let extra = path.ok().filter(|path| !known.contains(path.as_str()));
            findings.extend(extra.map(|path| Finding {
                code: &codes::VERIFY_EXTRA,
                path,
                resource: resolved.id().into(),
                message: format!("is not part of the {}", resolved.entry.kind.singular()),
            }));
        }
    }
    Ok(findings)
}

fn unreadable(path: RelativePath, ledger: &Ledger) -> Finding {
    let owners = ledger.owners_at(&path);
    let resource = owners.into_iter().next().cloned().unwrap_or_default();
    let message = "cannot be read any more".to_owned();
    Finding {
        code: &codes::VERIFY_CHANGED,
        path,
        resource,
        message,
    }
}

/// Files and entries that are compared with the checksums in lockfile and ledger, since their sources cannot be read.
struct ByRecord<'a> {
    store: &'a ProjectStore,
    entries: Vec<&'a LockEntry>,
    ledger: &'a Ledger,
}

impl ByRecord<'_> {
    /// Without what no record tells anything about: in a clone, resources whose bytes are not in the lockfile.
    fn known_alone(self) -> Self {
        let owners = self.ledger.owners();
        let is_known =
            |entry: &&LockEntry| entry.kind.is_file() || owners.contains(&Owner::from(entry.id()));
        let entries = self.entries.into_iter().filter(is_known).collect();
        ByRecord { entries, ..self }
    }

    fn compare(&self) -> Result<VerifyReport, Failure> {
        let ledger = self.ledger;
        let (in_place, written): (Vec<&LockEntry>, Vec<&LockEntry>) =
            self.entries.iter().copied().partition(is_in_place);
        let (files, composed): (Vec<&LockEntry>, Vec<&LockEntry>) =
            written.into_iter().partition(|entry| entry.kind.is_file());
        let locked: BTreeMap<&RelativePath, &LockEntry> = files
            .into_iter()
            .flat_map(|entry| entry.paths().into_iter().map(move |path| (path, entry)))
            .collect();
        let paths: BTreeSet<&RelativePath> =
            locked.keys().copied().chain(ledger.files.keys()).collect();
        let unlisted = paths
            .iter()
            .filter(|path| !ledger.files.contains_key(**path))
            .count();
        let owners: BTreeSet<Owner> = composed.iter().map(|entry| entry.id().into()).collect();
        let check = |path: &RelativePath| find(self.store, path, &locked, &owners, ledger);
        let mut findings = Vec::new();
        for found in parallel::map(paths.into_iter().collect(), check) {
            findings.extend(found.map_err(|error| error.seen_from(self.store.path()))?);
        }
        for (path, owned) in &ledger.shared {
            findings.extend(entry_findings(self.store, path, owned)?);
        }
        for (path, owned) in &ledger.blocks {
            findings.extend(block_findings(self.store, path, owned)?);
        }
        let missing = never_installed(&composed, ledger);
        let nodes: usize = ledger.shared.values().map(|owned| owned.nodes.len()).sum();
        let nodes = nodes + ledger.block_count();
        let checked = ledger.files.len() + nodes + unlisted + missing.len();
        findings.extend(missing);
        let checked = checked + in_place.len();
        // The bytes of a directory are read by the longer comparison only.
        for locked in in_place.into_iter().filter(|one| one.kind.is_file()) {
            findings.extend(drift_in_place(self.store, locked)?);
        }
        Ok(VerifyReport { checked, findings })
    }
}

/// Skills, hooks and servers that are locked and unknown here. What two resources give alike is written once, for one of
/// them.
fn never_installed(composed: &[&LockEntry], ledger: &Ledger) -> Vec<Finding> {
    let known = ledger.owners();
    let mut findings = Vec::new();
    for entry in composed {
        let is_known = known.contains(&Owner::from(entry.id()));
        let is_missing = |path: &&RelativePath| {
            let is_shared = ledger.shared.contains_key(*path) || ledger.blocks.contains_key(*path);
            !is_known && !is_shared
        };
        let paths = entry.paths();
        findings.extend(paths.into_iter().filter(is_missing).map(|path| Finding {
            code: &codes::VERIFY_MISSING,
            path: path.clone(),
            resource: entry.id().into(),
            message: "is locked and was never installed here".to_owned(),
        }));
    }
    findings
}

/// Entries of ours in a file that others write too.
fn entry_findings(
    store: &ProjectStore,
    path: &RelativePath,
    owned: &OwnedNodes,
) -> Result<Vec<Finding>, Failure> {
    let now = store
        .observe(path)
        .map_err(|error| error.seen_from(store.path()))?;
    let finding = |code, owner: &Owner, message: String| Finding {
        code,
        path: path.clone(),
        resource: owner.clone(),
        message,
    };
    let document = match now {
        ObservedPath::Missing => None,
        _ => match read_shared(store, path, &mut Notes::default()) {
            Ok(document) => Some(document),
            Err(_) => {
                let owner = owned.nodes.first().map(|node| node.owner.clone());
                return Ok(vec![finding(
                    &codes::VERIFY_CHANGED,
                    &owner.unwrap_or_default(),
                    "cannot be read any more".to_owned(),
                )]);
            }
        },
    };
    let found = check_nodes(document.as_deref(), owned)
        .into_iter()
        .map(|found| {
            let place = found.place.pointer();
            match found.state {
                NodeState::Missing => finding(
                    &codes::VERIFY_MISSING,
                    &found.owner,
                    format!("lacks its entry at `{place}`"),
                ),
                NodeState::Edited => {
                    let message = format!("has another entry at `{place}` than was installed");
                    finding(&codes::VERIFY_CHANGED, &found.owner, message)
                }
            }
        });
    Ok(found.collect())
}

/// Blocks of ours in a file that others write too.
fn block_findings(
    store: &ProjectStore,
    path: &RelativePath,
    owned: &OwnedBlocks,
) -> Result<Vec<Finding>, Failure> {
    let now = store
        .observe(path)
        .map_err(|error| error.seen_from(store.path()))?;
    let document = match now {
        ObservedPath::Missing => None,
        _ => {
            let bytes = store.read(path, limit());
            let bytes = bytes.map_err(|error| error.seen_from(store.path()))?;
            let mut notes = Notes::default();
            match read_block_file(path, bytes, &mut notes) {
                Ok(document) => Some(document),
                Err(failure) => {
                    let first = owned.blocks.first();
                    let found = failure.diagnostic.or(notes.diagnostics.pop());
                    let message = found.map(|found| found.message);
                    return Ok(vec![Finding {
                        code: &codes::VERIFY_CHANGED,
                        path: path.clone(),
                        resource: first.map(|block| block.owner.clone()).unwrap_or_default(),
                        message: message.unwrap_or_else(|| "cannot be read any more".to_owned()),
                    }]);
                }
            }
        }
    };
    let found = check_blocks(document.as_ref(), owned).into_iter();
    let finding = |found: BlockFinding| {
        let BlockFinding { name, owner, state } = found;
        let (code, message) = match state {
            BlockState::Missing => (&codes::VERIFY_MISSING, lacks_block(&name)),
            BlockState::Edited => (&codes::VERIFY_CHANGED, has_other_block(&name)),
        };
        Finding {
            code,
            path: path.clone(),
            resource: owner,
            message,
        }
    };
    Ok(found.map(finding).collect())
}

fn lacks_block(name: &BlockName) -> String {
    format!("lacks the block `{name}`")
}

fn has_other_block(name: &BlockName) -> String {
    format!("has another block `{name}` than was installed")
}

fn find(
    store: &ProjectStore,
    path: &RelativePath,
    files: &BTreeMap<&RelativePath, &LockEntry>,
    composed: &BTreeSet<Owner>,
    ledger: &Ledger,
) -> Result<Option<Finding>, StoreError> {
    let now = store.observe(path)?;
    let owned = ledger.files.get(path);
    // A file of a skill or of the layers has no checksum of its own in the lockfile.
    if owned.is_some_and(|owned| composed.contains(&owned.owner) || owned.owner.layers().is_some())
    {
        let intact =
            owned.is_some_and(|owned| now == ObservedPath::file(owned.checksum, owned.mode));
        let found = judge(now, owned, None).filter(|_| !intact);
        return Ok(found.zip(owned).map(|((code, message), owned)| Finding {
            code,
            path: path.clone(),
            resource: owned.owner.clone(),
            message,
        }));
    }
    let locked = files.get(path).copied();
    let Some((code, message)) = judge(now, owned, locked) else {
        return Ok(None);
    };
    let resource = owned
        .map(|owned| owned.owner.clone())
        .or_else(|| locked.map(|locked| locked.id().into()))
        .unwrap_or_default();
    Ok(Some(Finding {
        code,
        path: path.clone(),
        resource,
        message,
    }))
}

fn judge(
    now: ObservedPath,
    owned: Option<&OwnedFile>,
    locked: Option<&LockEntry>,
) -> Option<(&'static Code, String)> {
    let changed = |message: String| Some((&codes::VERIFY_CHANGED, message));
    let missing = |message: &str| Some((&codes::VERIFY_MISSING, message.to_owned()));
    let file = match now {
        ObservedPath::File(file) => file,
        ObservedPath::Missing if owned.is_some() => return missing("is missing"),
        ObservedPath::Missing => return missing("is locked and was never installed here"),
        other => {
            let what = Obstacle::of(other)?;
            return changed(format!("is {} now", what.words()));
        }
    };
    let Some(owned) = owned else {
        let is_locked = locked.is_some_and(|locked| locked.checksum == Some(file.checksum));
        let message = "is locked, but what is there was not installed";
        return changed(message.to_owned()).filter(|_| !is_locked);
    };
    let source = owned.source.unwrap_or(owned.checksum);
    if file.checksum != owned.checksum {
        changed("has other bytes than were installed".to_owned())
    } else if file.mode != owned.mode {
        changed("has another mode than was installed".to_owned())
    } else if locked.is_none() {
        changed(format!("was installed, but is not in `{LOCK_NAME}`"))
    } else if locked.is_some_and(|locked| locked.checksum != Some(source)) {
        changed(format!("is not what `{LOCK_NAME}` has"))
    } else {
        None
    }
}

/// What was installed may be whole and yet not what is asked for by now.
fn moved_on() -> Diagnostic {
    let message =
        format!("the manifest, `{LOCK_NAME}` or the configuration changed since the last install");
    let help = "`agpm install --check` tells whether that makes a difference";
    let mut diagnostic = Diagnostic::new(&codes::LOCK_OUTDATED, message).help(help);
    diagnostic.severity = Severity::Note;
    diagnostic
}

fn interrupted() -> Diagnostic {
    let message = "an earlier run was interrupted, and files may be half old and half new";
    let mut diagnostic = Diagnostic::new(&codes::INSTALL_RECOVERED, message)
        .help("run `agpm install`: it finishes or takes back what was begun");
    diagnostic.severity = Severity::Error;
    diagnostic
}

/// What is said of a project that was never installed, if it has anything to install.
fn nothing_installed(world: &World) -> Option<Diagnostic> {
    let files = ManifestFiles::require(&world.environment).ok()?;
    let store = files.store().ok()?;
    let quiet = &mut Notes::default();
    let is_locked = read_lock(&world.environment, &store, quiet).ok()?.is_some();
    let manifest = Project::of(world, files, quiet).ok()?.manifest;
    let has_anything = !manifest.dependencies.is_empty() || !manifest.layers.is_empty();
    let message = "the manifest has dependencies, and nothing is installed";
    let diagnostic = Diagnostic::new(&codes::VERIFY_MISSING, message).help("run `agpm install`");
    (has_anything && !is_locked).then_some(diagnostic)
}

fn not_cached(source: &SourceName) -> Diagnostic {
    let message = format!("source `{source}` is not in the cache, so not every file was compared");
    let mut diagnostic = Diagnostic::new(&codes::SOURCE_OFFLINE, message)
        .help("run `agpm verify`, which fetches it");
    diagnostic.severity = Severity::Note;
    diagnostic
}

/// Why files were compared with what the last install left, and not with the lockfile.
fn not_comparable(failure: Failure) -> Diagnostic {
    let why = failure
        .diagnostic
        .unwrap_or_else(|| Diagnostic::new(&codes::LOCK_OUTDATED, "see above"));
    let message = format!(
        "files were compared with the last install, not with `{LOCK_NAME}`: {}",
        why.shown_message()
    );
    let mut diagnostic = Diagnostic::new(why.code, message)
        .help("make the source available, and run `agpm verify` again");
    diagnostic.severity = Severity::Warning;
    diagnostic
}
