//! `lock merge`: joins three versions of a lockfile, as git calls a merge driver.

use std::path::{Path, PathBuf};

use agpm_diag::{Diagnostic, Failure, FailureKind, Notes, Outcome, codes};
use agpm_model::{Lockfile, Pin, PinId};
use agpm_resolve::{JoinFacts, JoinedPin, LockSides, PinChoice, join_locks};
use agpm_text::has_conflict_markers;
use serde::Serialize;

use crate::project::gather::{ManifestFiles, Project};
use crate::project::packages::{ProjectSources, parse_side};
use crate::project::reading::{display_path, limit};
use crate::project::world::{ManifestUse, World};

/// The files that git hands to a merge driver.
#[derive(Clone, Debug)]
pub struct LockMergeRequest {
    /// The lockfile of the common ancestor; empty if there was none.
    pub base: PathBuf,
    /// The lockfile of the current branch, which is replaced by the result.
    pub ours: PathBuf,
    /// The lockfile of the other branch.
    pub theirs: PathBuf,
}

/// The result of `lock merge`.
#[derive(Clone, Debug, Serialize)]
pub struct LockMergeReport {
    /// The file with the result.
    pub file: String,
    /// The pins that both branches changed.
    pub joined: Vec<JoinedVersion>,
}

/// A pin that both branches changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct JoinedVersion {
    /// The id.
    pub id: String,
    /// The version of the current branch.
    pub ours: String,
    /// The version of the other branch.
    pub theirs: String,
    /// The version that stays; `None` if the next install resolves it again.
    pub kept: Option<String>,
}

/// Joins the lockfiles of two branches.
pub fn merge_locks(world: &World, request: &LockMergeRequest) -> Outcome<LockMergeReport> {
    let mut notes = Notes::default();
    let result = run(world, request, &mut notes);
    notes.outcome(result)
}

fn run(
    world: &World,
    request: &LockMergeRequest,
    notes: &mut Notes,
) -> Result<LockMergeReport, Failure> {
    let ours = read_lockfile(world, &request.ours, notes)?;
    let theirs = read_lockfile(world, &request.theirs, notes)?;
    // Without a readable ancestor, every difference is one of both branches.
    let base = read_lockfile(world, &request.base, &mut Notes::default()).ok();
    let sides = LockSides {
        base: base.as_ref(),
        ours: &ours,
        theirs: &theirs,
    };
    let join = join_locks(&sides, &CachedHistory::of(world));
    let text = join.settled_part().to_text();
    let file = world.environment.working_directory.join(&request.ours);
    agpm_store::write_atomically(&file, text.as_bytes())?;
    Ok(LockMergeReport {
        file: display_path(&world.environment, &file),
        joined: join.joined.iter().map(joined_version).collect(),
    })
}

fn joined_version(pin: &JoinedPin) -> JoinedVersion {
    let ours = pin.ours.label_next_to(&pin.theirs);
    let theirs = pin.theirs.label_next_to(&pin.ours);
    JoinedVersion {
        id: pin.id.to_string(),
        kept: match pin.choice {
            PinChoice::Ours => Some(ours.clone()),
            PinChoice::Theirs => Some(theirs.clone()),
            PinChoice::Neither => None,
        },
        ours,
        theirs,
    }
}

fn read_lockfile(world: &World, path: &Path, notes: &mut Notes) -> Result<Lockfile, Failure> {
    let file = world.environment.working_directory.join(path);
    let bytes = agpm_store::read_regular(&file, limit())?;
    let name = display_path(&world.environment, &file);
    let is_conflicted = has_conflict_markers(&bytes);
    match parse_side(bytes, notes) {
        Some(lock) if !is_conflicted => Ok(lock),
        _ => {
            // Errors of the file are reported with the name that git gave it, and only as one.
            notes.diagnostics.clear();
            let diagnostic =
                Diagnostic::new(&codes::LOCK_BROKEN, format!("invalid lockfile `{name}`"))
                    .help("run `agpm install` in that branch, and commit `agpm.lock`");
            Err(Failure::new(FailureKind::Lock, diagnostic))
        }
    }
}

/// The history of sources, as far as it is in the cache: git waits for the driver, and the merged manifest is not on
/// disk yet.
struct CachedHistory(Option<ProjectSources>);

impl CachedHistory {
    fn of(world: &World) -> Self {
        let offline = world.offline();
        let quiet = &mut Notes::default();
        let files = ManifestFiles::find(&offline.environment, ManifestUse::Nearest);
        let Ok(Some(files)) = files else {
            return CachedHistory(None);
        };
        let root = files.root().to_owned();
        let project = Project::of(&offline, files, quiet).ok();
        let sources =
            project.map(|project| ProjectSources::open_all(&offline, &project.manifest, &root));
        CachedHistory(sources)
    }
}

impl JoinFacts for CachedHistory {
    fn allows(&self, _: &PinId, _: &Pin) -> bool {
        true
    }

    fn is_ancestor(&self, pin: &Pin, of: &Pin) -> Option<bool> {
        let source = self.0.as_ref()?.versioned_source(pin.source.name()?)?;
        source.is_reachable(&pin.commit, &of.commit).ok()
    }
}
