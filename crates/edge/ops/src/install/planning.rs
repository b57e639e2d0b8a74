//! Desired files against the disk, and what is said about it.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use agpm_diag::{Diagnostic, Failure, FailureKind, Notes, Severity, Spot, codes};
use agpm_model::{Checksum, FileMode, LayerName, RelativePath};
use agpm_plan::{
    Action, Author, Desired, FileOutcome, Ledger, Observed, Obstacle, Overwrite, Owned, OwnedNodes,
    Plan, Reason, Refusal, Twin, plan,
};
use agpm_resolve::ResolvedEntry;
use agpm_store::{Problem, ProjectStore, StoreError};

use crate::install::shared::{Shared, SharedFiles, format_of, plan_shared, read, shared_files};
use crate::install::{InstallRequest, LockUse, Writing};
use crate::layers::LayeredFile;
use crate::packages::{LOCK_NAME, Made, MadeFile};
use agpm_store::parallel;

/// Files that one thread looks at before it takes the next ones.
const CHUNK: usize = 64;
pub(crate) const MOST_TOLD: usize = 20;
/// Places of our own where nothing is installed.
const RESERVED: [&str; 7] = [
    "agpm.toml",
    "agpm.private.toml",
    LOCK_NAME,
    ".agpm/ledger.json",
    ".agpm/.gitignore",
    ".local/state/agpm/ledger.json",
    ".local/state/agpm/.gitignore",
];

/// Whether a path, in small letters, is a file of our own.
pub(crate) fn is_reserved(path: &str) -> bool {
    RESERVED.contains(&path)
}

pub(crate) fn observe(store: &ProjectStore, path: &RelativePath) -> Result<Observed, StoreError> {
    store.observe(path).map(seen)
}

/// What is at many paths, each with its path.
pub(super) fn observe_all<'p>(
    store: &ProjectStore,
    paths: &[&'p RelativePath],
) -> Result<Vec<(&'p RelativePath, Observed)>, StoreError> {
    let chunks = paths.chunks(CHUNK).collect();
    let observed = parallel::map(chunks, |chunk: &[&'p RelativePath]| {
        let found = store.observe_all(chunk)?;
        Ok(chunk
            .iter()
            .copied()
            .zip(found.into_iter().map(seen))
            .collect::<Vec<_>>())
    });
    Ok(observed
        .into_iter()
        .collect::<Result<Vec<_>, StoreError>>()?
        .concat())
}

fn seen(observed: agpm_store::Observed) -> Observed {
    match observed {
        agpm_store::Observed::Missing => Observed::Missing,
        agpm_store::Observed::File { checksum, mode } => Observed::File(checksum, mode),
        agpm_store::Observed::Folder => Observed::Other("a folder"),
        agpm_store::Observed::Link => Observed::Other("a symbolic link"),
        agpm_store::Observed::Other => Observed::Other("something that is no file"),
    }
}

/// Everything that is to be on the disk.
#[derive(Clone, Copy)]
pub(super) struct Wanted<'a> {
    pub(super) entries: &'a [ResolvedEntry],
    pub(super) made: &'a [Made],
    pub(super) layers: &'a [LayeredFile],
}

/// What is to happen to the disk.
pub(super) struct Planned {
    pub(super) plan: Plan,
    /// Files that others write too, and what becomes of them.
    pub(super) shared: Vec<SharedChange>,
}

/// What becomes of a file that others write too.
pub(super) struct SharedChange {
    pub(super) path: RelativePath,
    pub(super) outcome: FileOutcome,
    /// The mode of a file that is new.
    pub(super) mode: FileMode,
    /// What is there now.
    pub(super) before: Observed,
}

pub(super) fn make_plan(
    store: &ProjectStore,
    wanted: &Wanted<'_>,
    (ledger, overwrite): (&Ledger, Overwrite),
    notes: &mut Notes,
) -> Result<Planned, Failure> {
    let shared = shared_files(wanted);
    let desired = all_desired(store, wanted, (ledger, &shared))?;
    refuse_reserved(&desired, &shared)?;
    refuse_own_targets(store, wanted.entries)?;
    let ledger = &*as_wanted(store, ledger, &desired, &shared);
    let mut paths: Vec<&RelativePath> = desired
        .iter()
        .map(|file| &file.path)
        .chain(ledger.files.keys())
        .collect();
    paths.sort();
    paths.dedup();
    let seen = observe_all(store, &paths).map_err(|error| unobservable(store, error))?;
    let mut observed: BTreeMap<RelativePath, Observed> = seen
        .into_iter()
        .map(|(path, now)| (path.clone(), now))
        .collect();
    let blocked = blocked_folders(store, &desired, ledger);
    for (path, now) in observed
        .iter_mut()
        .filter(|(_, now)| **now == Observed::Missing)
    {
        if above(path).any(|folder| blocked.contains(folder)) {
            *now = Observed::Other(BELOW_FILE);
        }
    }
    let mut plan = plan(&desired, &observed, ledger, overwrite);
    let shared = plan_shared(store, &shared, (ledger, overwrite), &mut plan, notes)?;
    Ok(Planned { plan, shared })
}

/// Places of our own, and files that others write too, are no targets.
fn refuse_reserved(desired: &[Desired], shared: &SharedFiles<'_>) -> Result<(), Failure> {
    let shared: BTreeMap<String, &Shared<'_>> = shared
        .iter()
        .map(|(path, shared)| (path.as_str().to_lowercase(), shared))
        .collect();
    let reserved = |path: &RelativePath| {
        let path = path.as_str().to_lowercase();
        match shared.get(&path) {
            Some(shared) if shared.base.is_some() => Some("which the layers write"),
            Some(_) => Some("which holds entries of hooks or MCP servers"),
            None => is_reserved(&path).then_some("which is a file of agpm"),
        }
    };
    let Some((file, why)) = desired
        .iter()
        .find_map(|file| Some((file, reserved(&file.path)?)))
    else {
        return Ok(());
    };
    Err(reserved_for(&file.owner, &file.path, why))
}

/// What is said of a resource whose place belongs to somebody else.
pub(super) fn reserved_for(owner: &str, path: &RelativePath, why: &str) -> Failure {
    let message = format!("{owner} would be installed at `{path}`, {why}");
    let diagnostic =
        Diagnostic::new(&codes::PACKAGE_TARGET_CLASH, message).help("give it another `filename`");
    Failure::new(FailureKind::Refused, diagnostic)
}

/// What is said of a file whose folder cannot be created.
const BELOW_FILE: &str = "in a folder that cannot be created";

/// Why a place cannot be looked at. A symlink that leads out of the project is named itself, not the file behind it.
fn unobservable(store: &ProjectStore, error: StoreError) -> Failure {
    let error = error.seen_from(store.path());
    let path = error.path.to_string_lossy().replace('\\', "/");
    let folders = path
        .match_indices('/')
        .map(|(at, _)| &path[..at])
        .chain([path.as_str()]);
    let mut links = folders
        .filter_map(|folder| Some((folder, agpm_store::link_target(&store.path().join(folder))?)));
    match links
        .next()
        .filter(|_| matches!(error.problem, Problem::Escapes))
    {
        Some((link, target)) => {
            let message = format!(
                "`{link}` is a symlink to `{}`, outside the project",
                target.display()
            );
            let help = "agpm does not write through it: replace it with a directory, then run `agpm install`";
            let diagnostic = Diagnostic::new(&codes::IO_UNREADABLE, message)
                .in_file(link)
                .help(help);
            Failure::new(FailureKind::Refused, diagnostic)
        }
        None => error.into(),
    }
}

/// The file in the place of a folder that another file needs.
fn file_above(store: &ProjectStore, path: &RelativePath) -> Option<String> {
    let is_folder = |folder: &&str| agpm_store::is_folder(&store.path().join(folder));
    above(path)
        .find(|folder| !is_folder(folder))
        .map(str::to_owned)
}

fn no_folder(folder: &str) -> Diagnostic {
    let message = format!("cannot create `{folder}/`: a file of that name exists");
    let help = format!("Move or remove `{folder}`, then run `agpm install`");
    Diagnostic::new(&codes::INSTALL_NOT_OURS, message)
        .in_file(folder)
        .help(help)
}

/// Where a folder is needed and something else is that is not ours.
fn blocked_folders(store: &ProjectStore, desired: &[Desired], ledger: &Ledger) -> BTreeSet<String> {
    let folders: BTreeSet<&str> = desired.iter().flat_map(|file| above(&file.path)).collect();
    let is_blocked = |folder: &&str| {
        let Ok(path) = RelativePath::new(folder) else {
            return false;
        };
        let now = store.observe(&path);
        let file = matches!(
            now,
            Ok(agpm_store::Observed::File { .. } | agpm_store::Observed::Other)
        );
        file && !ledger.files.contains_key(&path)
    };
    folders
        .into_iter()
        .filter(is_blocked)
        .map(str::to_owned)
        .collect()
}

/// The folders above a file.
fn above(path: &RelativePath) -> impl Iterator<Item = &str> {
    path.as_str()
        .match_indices('/')
        .map(|(at, _)| &path.as_str()[..at])
}

/// Every whole file, each once: what is wanted twice must be the same.
fn all_desired(
    store: &ProjectStore,
    wanted: &Wanted<'_>,
    (ledger, shared): (&Ledger, &SharedFiles<'_>),
) -> Result<Vec<Desired>, Failure> {
    let of_entry = |(resolved, made): (&ResolvedEntry, &Made)| {
        let file = |file: &MadeFile| Desired {
            path: file.path.clone(),
            checksum: file.bytes.checksum(),
            source: file.source,
            mode: file.mode,
            owner: resolved.label(),
            twin: Twin::Taken,
        };
        made.files.iter().map(file).collect::<Vec<_>>()
    };
    let files = wanted.entries.iter().zip(wanted.made).flat_map(of_entry);
    let whole = wanted
        .layers
        .iter()
        .filter(|file| !shared.contains_key(&file.path));
    let whole = whole.filter(|file| !is_for_nothing(store, file, ledger));
    let mut desired: Vec<Desired> = Vec::new();
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    for wanted in files.chain(whole.map(whole_file)) {
        match places
            .get(&wanted.path.as_str().to_lowercase())
            .map(|at| &desired[*at])
        {
            None => {
                places.insert(wanted.path.as_str().to_lowercase(), desired.len());
                desired.push(wanted);
            }
            Some(known) if known.path == wanted.path && known.checksum == wanted.checksum => {}
            Some(known) => return Err(two_at_once(known, &wanted)),
        }
    }
    Ok(desired)
}

fn whole_file(file: &LayeredFile) -> Desired {
    let checksum = file.checksum();
    let (path, owner) = (file.path.clone(), file.owner.clone());
    Desired {
        path,
        checksum,
        source: checksum,
        mode: file.mode,
        owner,
        twin: Twin::Left,
    }
}

/// A document that says nothing gives nothing to a file of the user's.
fn is_for_nothing(store: &ProjectStore, file: &LayeredFile, ledger: &Ledger) -> bool {
    let says_nothing = file.keys.as_ref().is_some_and(|keys| keys.nodes.is_empty());
    let now = || observe(store, &file.path).ok().and_then(Observed::checksum);
    let is_ours = |now: Checksum| {
        ledger
            .shared
            .get(&file.path)
            .is_some_and(|owned| owned.is_whole(now))
    };
    let is_left = |now: Checksum| now == file.checksum() && ledger.shared.contains_key(&file.path);
    says_nothing
        && !ledger.files.contains_key(&file.path)
        && now().is_some_and(|now| !is_ours(now) && !is_left(now))
}

/// The ledger with files under the kind of ownership that is wanted for them now: what is whole and untouched may become
/// shared, and the other way round; what was edited is the user's then.
fn as_wanted<'l>(
    store: &ProjectStore,
    ledger: &'l Ledger,
    desired: &[Desired],
    shared: &SharedFiles<'_>,
) -> Cow<'l, Ledger> {
    let now = |path: &RelativePath| observe(store, path).ok().and_then(Observed::checksum);
    let mut wanted = Cow::Borrowed(ledger);
    for (path, owned) in shared
        .keys()
        .filter_map(|path| Some((path, ledger.files.get(path)?)))
    {
        let wanted = wanted.to_mut();
        wanted.files.remove(path);
        if now(path) == Some(owned.checksum) {
            wanted
                .shared
                .insert(path.clone(), OwnedNodes::whole(owned.checksum));
        }
    }
    for (file, owned) in desired
        .iter()
        .filter_map(|file| Some((file, ledger.shared.get(&file.path)?)))
    {
        let wanted = wanted.to_mut();
        wanted.shared.remove(&file.path);
        let ours = now(&file.path).filter(|now| owned.is_whole(*now) || *now == file.checksum);
        wanted.files.extend(ours.map(|checksum| {
            let owner = file.owner.clone();
            let record = Owned {
                checksum,
                source: None,
                mode: file.mode,
                owner,
                author: Author::Agpm,
            };
            (file.path.clone(), record)
        }));
    }
    wanted
}

fn two_at_once(first: &Desired, second: &Desired) -> Failure {
    let message = format!(
        "{} and {} would both be at `{}`",
        first.owner, second.owner, second.path
    );
    let help = "give one of them another `filename` or `target` in the manifest";
    Diagnostic::new(&codes::PACKAGE_TARGET_CLASH, message)
        .help(help)
        .into()
}

/// A file that would be installed onto itself would become ours, and go with the dependency.
fn refuse_own_targets(store: &ProjectStore, entries: &[ResolvedEntry]) -> Result<(), Failure> {
    let onto_itself = |resolved: &&ResolvedEntry| {
        let target = resolved
            .entry
            .target
            .as_ref()
            .map(|target| store.path().join(target.as_str()));
        target.is_some() && resolved.file == target
    };
    let Some(resolved) = entries.iter().find(onto_itself) else {
        return Ok(());
    };
    let entry = &resolved.entry;
    let message = format!(
        "{}/{} is where it would be installed: `{}`",
        entry.kind, entry.name, entry.unit
    );
    let help = "the tool reads it there already: remove the dependency, or move the file to another folder";
    let diagnostic = Diagnostic::new(&codes::PACKAGE_TARGET_CLASH, message).help(help);
    Err(Failure::new(FailureKind::Refused, diagnostic))
}

/// Says what is in the way; a run that only shows goes on to show the rest.
pub(super) fn refuse(
    store: &ProjectStore,
    plan: &Plan,
    writing: Writing,
    notes: &mut Notes,
) -> Result<(), Failure> {
    let mut blocked = BTreeSet::new();
    for refusal in plan.refusals.iter().take(MOST_TOLD) {
        if refusal.what == Obstacle::Other(BELOW_FILE)
            && let Some(folder) = file_above(store, &refusal.path)
        {
            if blocked.insert(folder.clone()) {
                notes.diagnostics.push(no_folder(&folder));
            }
            continue;
        }
        let spot = spot_of(store, refusal, notes);
        let Refusal {
            path,
            place,
            what,
            owner,
        } = refusal;
        let inner = place.as_ref().filter(|place| !place.steps().is_empty());
        let at = inner
            .map(|place| format!("`{place}` of "))
            .unwrap_or_default();
        let message = format!(
            "{at}`{path}` is {}, and {owner} is to be installed there",
            what.words()
        );
        let of_layers = LayerName::in_label(owner).is_some();
        let help = match what {
            Obstacle::File if of_layers => {
                "move it away, or let `agpm install --adopt` take the layers' file"
            }
            Obstacle::File => {
                "move it away, give the resource another `filename` or `target`, or let `agpm install --adopt` replace it"
            }
            Obstacle::Entry if of_layers => {
                "remove it, say it in a layer of your own, or let `agpm install --adopt` take the layers' value"
            }
            Obstacle::Entry => "rename or remove it, or let `agpm install --adopt` replace it",
            Obstacle::Other(_) if place.is_some() => {
                "correct the file: agpm adds to what is there, and does not replace it"
            }
            Obstacle::Other(_) if of_layers => {
                "move it away, or leave the file out of the layers with `include`"
            }
            Obstacle::Other(_) => {
                "move it away, or give the resource another `filename` or `target`"
            }
        };
        let mut diagnostic = Diagnostic::new(&codes::INSTALL_NOT_OURS, message).help(help);
        diagnostic.layer = LayerName::in_label(owner).map(str::to_owned);
        notes.diagnostics.push(match spot {
            Some(spot) => diagnostic.at_spot(spot),
            None => diagnostic.in_file(path.as_str()),
        });
    }
    match (plan.refusals.is_empty(), writing) {
        (true, _) => Ok(()),
        (false, Writing::Apply) => Err(Failure {
            kind: FailureKind::Refused,
            diagnostic: None,
        }),
        (false, Writing::Show) => {
            let refused = notes
                .diagnostics
                .iter_mut()
                .filter(|found| *found.code == codes::INSTALL_NOT_OURS);
            refused.for_each(|found| found.severity = Severity::Warning);
            Ok(())
        }
    }
}

/// Where in a file is what is in the way; nothing for whole files.
fn spot_of(store: &ProjectStore, refusal: &Refusal, notes: &mut Notes) -> Option<Spot> {
    let place = refusal.place.as_ref()?;
    let document = read(store, &refusal.path, format_of(&refusal.path), notes).ok()?;
    let node = document.at(place)?;
    Some(Spot {
        source: document.source(),
        span: node.span(),
    })
}

/// Files that were edited stay; where every byte must be as locked that is an error.
pub(super) fn tell_kept(
    plan: &Plan,
    request: &InstallRequest,
    notes: &mut Notes,
) -> Result<(), Failure> {
    for change in plan
        .changes
        .iter()
        .filter(|change| change.action == Action::Keep)
    {
        let what = match &change.place {
            Some(place) => format!("`{place}` of `{}` ({})", change.path, change.owner),
            None => format!("`{}`", change.path),
        };
        let message = format!("{what} {}, and is kept as it is", change.reason.words());
        let mut diagnostic = Diagnostic::new(&codes::INSTALL_EDITED, message)
            .in_file(change.path.as_str())
            .help(match change.reason {
                Reason::UnaskedEdited => {
                    "agpm leaves it to you from now on: delete it if you do not need it"
                }
                _ if request.overwrite == Overwrite::Everything => {
                    "it holds something of yours beside ours: take that out, or delete the entry"
                }
                _ => "`agpm install --force` overwrites it",
            });
        if request.lock == LockUse::Frozen {
            diagnostic.severity = Severity::Error;
        }
        notes.diagnostics.push(diagnostic);
    }
    notes.check()
}
