//! Reads the lockfiles: the one of everyone, and the private one.

use std::path::Path;

use agpm_diag::{Diagnostic, Failure, FailureKind, Notes, Severity, codes, counted};
use agpm_model::{LayerLocation, Lockfile, Manifest, Pin, PinId, RESTORE_LOCK};
use agpm_resolve::{JoinFacts, JoinedLock, LockSides, PinChoice, join_locks};
use agpm_store::{ProjectStore, StoreError, StoreProblem};
use agpm_text::{Format, conflict_sides, has_conflict_markers, parse_bytes};

use crate::project::packages::ProjectSources;
use crate::project::path_of;
use crate::project::reading::limit;
use crate::project::world::{Environment, InstallScope, World};

use agpm_model::{LOCK_NAME, PRIVATE_LOCK_NAME};

/// A lockfile as it is on disk.
#[derive(Clone, Debug, Default)]
pub(crate) struct LockOnDisk {
    pub(crate) lock: Lockfile,
    pub(crate) bytes: Vec<u8>,
}

/// The lockfiles of a project: what everyone has, and what one user adds.
#[derive(Clone, Debug, Default)]
pub(crate) struct ProjectLocks {
    pub(crate) shared: Option<LockOnDisk>,
    pub(crate) private: Option<LockOnDisk>,
}

impl ProjectLocks {
    /// Reads both; a shared one with conflict markers is refused.
    pub(crate) fn read(
        environment: &Environment,
        store: &ProjectStore,
        notes: &mut Notes,
    ) -> Result<Self, Failure> {
        let shared = match lock_bytes(environment, store, LOCK_NAME)? {
            Some(bytes) => {
                refuse_conflict(&bytes)?;
                let lock = parse_lock(LOCK_NAME, bytes.clone(), notes)?;
                Some(LockOnDisk { lock, bytes })
            }
            None => None,
        };
        Ok(ProjectLocks {
            shared,
            private: read_private_lock(environment, store, notes)?,
        })
    }

    /// Returns everything that is locked, and the bytes of both files; `None` if there is neither.
    pub(crate) fn joined(&self) -> Option<(Lockfile, Vec<u8>)> {
        let Some(private) = &self.private else {
            let shared = self.shared.clone()?;
            return Some((shared.lock, shared.bytes));
        };
        let shared = self.shared.clone();
        let (lock, mut bytes) = shared.map_or_else(Default::default, |one| (one.lock, one.bytes));
        bytes.extend_from_slice(&private.bytes);
        Some((lock.with_private(&private.lock), bytes))
    }
}

/// Reads what is locked, with the bytes of the lockfiles; `None` if none exists. One with conflict markers is refused.
pub(crate) fn read_lock(
    environment: &Environment,
    store: &ProjectStore,
    notes: &mut Notes,
) -> Result<Option<(Lockfile, Vec<u8>)>, Failure> {
    Ok(ProjectLocks::read(environment, store, notes)?.joined())
}

fn read_private_lock(
    environment: &Environment,
    store: &ProjectStore,
    notes: &mut Notes,
) -> Result<Option<LockOnDisk>, Failure> {
    let Some(bytes) = lock_bytes(environment, store, PRIVATE_LOCK_NAME)? else {
        return Ok(None);
    };
    // Git does not know this file, so nothing but agpm can write it again.
    let restore = format!("delete `{PRIVATE_LOCK_NAME}`, then run `agpm install`");
    let known = notes.diagnostics.len();
    let parsed = parse_lock(PRIVATE_LOCK_NAME, bytes.clone(), notes);
    let found = notes.diagnostics.iter_mut().skip(known);
    found.for_each(|found| found.help = Some(restore.clone()));
    let lock = parsed.map_err(|mut failure| {
        if let Some(found) = &mut failure.diagnostic {
            found.help = Some(restore.clone());
        }
        failure
    })?;
    Ok(Some(LockOnDisk { lock, bytes }))
}

/// Refuses a lockfile with conflict markers.
pub(crate) fn refuse_conflicted_lock(
    environment: &Environment,
    store: &ProjectStore,
) -> Result<(), Failure> {
    let bytes = lock_bytes(environment, store, LOCK_NAME)?;
    refuse_conflict(&bytes.unwrap_or_default())
}

fn refuse_conflict(bytes: &[u8]) -> Result<(), Failure> {
    if has_conflict_markers(bytes) {
        return Err(conflicted("run `agpm install` to join both sides"));
    }
    Ok(())
}

/// Lockfiles for a run that may change them.
pub(crate) struct UpdatableLock {
    /// Everything that is locked.
    pub(crate) lock: Lockfile,
    /// The files; a shared one with conflict markers is joined.
    pub(crate) files: ProjectLocks,
    /// The join of its sides.
    pub(crate) join: Option<JoinedLock>,
}

impl UpdatableLock {
    fn of(files: ProjectLocks, join: Option<JoinedLock>) -> Option<Self> {
        let (lock, _) = files.joined()?;
        Some(UpdatableLock { lock, files, join })
    }
}

/// Reads the lockfile for a run that may change it: the sides of one with conflict markers are joined.
pub(crate) fn read_updatable_lock(
    world: &World,
    manifest: &Manifest,
    store: &ProjectStore,
    notes: &mut Notes,
) -> Result<Option<UpdatableLock>, Failure> {
    let environment = &world.environment;
    let bytes = lock_bytes(environment, store, LOCK_NAME)?;
    let Some(bytes) = bytes.filter(|bytes| has_conflict_markers(bytes)) else {
        let files = ProjectLocks::read(environment, store, notes)?;
        return Ok(UpdatableLock::of(files, None));
    };
    let sources = ProjectSources::open_used(world, manifest, store.path());
    let facts = ManifestFacts {
        manifest,
        sources: &sources,
    };
    let join = join_sides(&bytes, &facts, notes)?;
    let lock = join.lock.clone();
    let files = ProjectLocks {
        shared: Some(LockOnDisk { lock, bytes }),
        private: read_private_lock(environment, store, notes)?,
    };
    Ok(UpdatableLock::of(files, Some(join)))
}

/// The readable part of the lockfiles in a directory; their errors are reported by those who need all of them.
pub(crate) fn readable_locks(directory: &Path) -> Option<Lockfile> {
    let read = |name: &str| agpm_store::read_regular(&directory.join(name), limit()).ok();
    let shared = read(LOCK_NAME).and_then(readable_lock);
    let private = read(PRIVATE_LOCK_NAME).and_then(readable_lock);
    match private {
        Some(private) => Some(shared.unwrap_or_default().with_private(&private)),
        None => shared,
    }
}

/// The readable part of a lockfile, without facts about versions.
fn readable_lock(bytes: Vec<u8>) -> Option<Lockfile> {
    if has_conflict_markers(&bytes) {
        let quiet = &mut Notes::default();
        return Some(join_sides(&bytes, &NoFacts, quiet).ok()?.lock);
    }
    crate::manifest::readable_lock(bytes)
}

fn lock_bytes(
    environment: &Environment,
    store: &ProjectStore,
    name: &'static str,
) -> Result<Option<Vec<u8>>, Failure> {
    let read = match environment.scope {
        InstallScope::Project => store.read(&path_of(name), limit()),
        InstallScope::User => agpm_store::read_regular(
            &environment.manifest_directory(store.path()).join(name),
            limit(),
        ),
    };
    match read {
        Err(StoreError {
            problem: StoreProblem::NotFound,
            ..
        }) => Ok(None),
        read => Ok(Some(read.map_err(|error| error.seen_from(store.path()))?)),
    }
}

/// Parses a lockfile of that name.
pub(crate) fn parse_lock(
    name: &str,
    bytes: Vec<u8>,
    notes: &mut Notes,
) -> Result<Lockfile, Failure> {
    let parsed = parse_bytes(name.to_owned(), bytes, Format::Toml, notes)?;
    if let Some(first) = parsed
        .diagnostics
        .into_iter()
        .find(|found| found.severity == Severity::Error)
    {
        return Err(not_toml(name, first).into());
    }
    let (lock, diagnostics) = Lockfile::read(&parsed.document);
    notes.diagnostics.extend(diagnostics);
    notes.check()?;
    Ok(lock)
}

/// Returns one finding for a lockfile with syntax errors, because users should restore it and not edit it.
fn not_toml(name: &str, first: Diagnostic) -> Diagnostic {
    let message = format!("`{name}` is not valid TOML");
    Diagnostic {
        labels: first.labels,
        ..Diagnostic::new(&codes::LOCK_BROKEN, message).help(RESTORE_LOCK)
    }
}

/// The failure of a lockfile whose sides are not joined.
fn conflicted(help: &str) -> Failure {
    let message = format!("`{LOCK_NAME}` contains git merge conflict markers");
    let diagnostic = Diagnostic::new(&codes::LOCK_BROKEN, message)
        .in_file(LOCK_NAME)
        .help(help);
    Failure::new(FailureKind::Lock, diagnostic)
}

fn join_sides(
    bytes: &[u8],
    facts: &dyn JoinFacts,
    notes: &mut Notes,
) -> Result<JoinedLock, Failure> {
    let take_one = "take one side, as with `git checkout --ours agpm.lock`, and run `agpm install`";
    let Some(sides) = conflict_sides(bytes) else {
        return Err(conflicted(take_one));
    };
    let mut quiet = Notes::default();
    let mut side = |bytes: Vec<u8>| parse_side(bytes, &mut quiet);
    let (Some(ours), Some(theirs)) = (side(sides.ours), side(sides.theirs)) else {
        return Err(conflicted(take_one));
    };
    // Git may leave out lines of the ancestor that both sides changed alike, and then it is not a lockfile.
    let base = sides.base.and_then(side);
    notes.log.extend(quiet.log);
    let sides = LockSides {
        base: base.as_ref(),
        ours: &ours,
        theirs: &theirs,
    };
    Ok(join_locks(&sides, facts))
}

/// One side of a conflict; a branch without the file has an empty one.
pub(crate) fn parse_side(bytes: Vec<u8>, notes: &mut Notes) -> Option<Lockfile> {
    if bytes.trim_ascii().is_empty() {
        return Some(Lockfile::default());
    }
    parse_lock(LOCK_NAME, bytes, notes).ok()
}

/// The finding that a lockfile was joined.
pub(crate) fn joined_note(join: &JoinedLock) -> Diagnostic {
    let message = format!(
        "joined both sides of `{LOCK_NAME}`: {}",
        counted(join.joined.len(), "version differs", "versions differ")
    );
    let choices = join.joined.iter().map(|pin| {
        let (ours, theirs) = (&pin.ours, &pin.theirs);
        let both = format!(
            "{} and {}",
            ours.label_next_to(theirs),
            theirs.label_next_to(ours)
        );
        match pin.choice {
            PinChoice::Ours => format!("{}: {} of {both}", pin.id, ours.label_next_to(theirs)),
            PinChoice::Theirs => format!("{}: {} of {both}", pin.id, theirs.label_next_to(ours)),
            PinChoice::Neither => format!("{}: resolved again instead of {both}", pin.id),
        }
    });
    Diagnostic::new(&codes::LOCK_JOINED, message).details(choices)
}

/// The requirements and the sources of a project.
struct ManifestFacts<'a> {
    manifest: &'a Manifest,
    sources: &'a ProjectSources,
}

impl JoinFacts for ManifestFacts<'_> {
    fn allows(&self, id: &PinId, pin: &Pin) -> bool {
        let requirement = match id {
            PinId::Resource(id) => {
                let dependency = self.manifest.dependency(id.kind, id.name.as_str());
                dependency.map(|dependency| &dependency.requirement)
            }
            PinId::Layer(name) => {
                let mut layers = self.manifest.layers.iter();
                let layer = layers.find(|layer| layer.name == *name);
                layer.and_then(|layer| match &layer.location {
                    LayerLocation::Source(_, requirement) => Some(requirement),
                    _ => None,
                })
            }
            // The requirement of a remote is a part of its id, and a base is resolved before the lockfile is joined.
            PinId::Remote(_) | PinId::Base(_) => None,
        };
        requirement.is_none_or(|requirement| requirement.allows(&pin.version, &pin.commit))
    }

    fn is_ancestor(&self, pin: &Pin, of: &Pin) -> Option<bool> {
        let source = self.sources.versioned_source(pin.source.name()?)?;
        source.is_reachable(&pin.commit, &of.commit).ok()
    }
}

/// Versions decide alone.
struct NoFacts;

impl JoinFacts for NoFacts {
    fn allows(&self, _: &PinId, _: &Pin) -> bool {
        true
    }

    fn is_ancestor(&self, _: &Pin, _: &Pin) -> Option<bool> {
        None
    }
}
