//! `init`: a starter manifest and the ignore lines.

use std::path::{Path, PathBuf};

use agpm_diag::{Diagnostic, Failure, FailureKind, Notes, Outcome, codes};
use agpm_model::FileMode;
use agpm_store::{Expected, FileChange, Problem, ProjectStore, StoreError, Transaction, Waiting};
use serde::Serialize;

use crate::additions::Replace;
use crate::install::Changes;
use crate::path_of;
use crate::reading::{MANIFEST_NAME, limit, shown};
use crate::scope::{Places, beside, state_of};
use crate::world::{Scope, World};

const MANIFEST: &str = include_str!("../init/agpm.toml");
const IGNORE_NAME: &str = ".gitignore";
/// What must not be committed: our state, and what is one person's own.
/// The state is of this machine; plugins and snippets are installed files like those of tools.
const IGNORED: [&str; 4] = [
    STATE_LINE,
    "!.agpm/plugins/",
    "!.agpm/snippets/",
    "agpm.private.toml",
];
const STATE_LINE: &str = ".agpm/*";

/// Where to begin.
#[derive(Clone, Debug)]
pub struct InitRequest {
    /// The folder; the working folder if none is named.
    pub folder: Option<PathBuf>,
    /// Whether a manifest that is there may go.
    pub replace: Replace,
}

/// What was written.
#[derive(Clone, Debug, Serialize)]
pub struct InitReport {
    /// The files, from the working folder.
    pub files: Vec<String>,
}

/// Begins a project.
pub fn init(world: &World, request: &InitRequest) -> Outcome<InitReport> {
    let notes = Notes::default();
    notes.outcome(run(world, request))
}

fn run(world: &World, request: &InitRequest) -> Result<InitReport, Failure> {
    match world.environment.scope {
        Scope::Project => run_in_project(world, request),
        Scope::User => run_for_user(world, request.replace),
    }
}

/// The user's own manifest, wherever it is; nothing of it is committed unless its owner wants it.
fn run_for_user(world: &World, replace: Replace) -> Result<InitReport, Failure> {
    let Places { manifest, root } = Places::of_user(&world.environment)?;
    refuse_existing(world, &manifest, replace)?;
    agpm_store::create_folders(manifest.parent().unwrap_or(&root))?;
    let store = ProjectStore::open_at(&root, state_of(Scope::User))?;
    let held = store.lock(Waiting::Block(&|| world.progress.waiting()))?;
    store.recover(&held)?;
    let mut changes = Changes::default();
    changes.put(
        beside(&root, &manifest),
        MANIFEST.as_bytes().into(),
        Expected::Anything,
    );
    changes.apply(&store, &held, "init".to_owned(), &|_| {})?;
    Ok(InitReport {
        files: vec![shown(&world.environment, &manifest)],
    })
}

fn run_in_project(world: &World, request: &InitRequest) -> Result<InitReport, Failure> {
    let environment = &world.environment;
    let folder = request
        .folder
        .as_ref()
        .map_or(environment.folder.clone(), |path| environment.resolve(path));
    agpm_store::create_folders(&folder).map_err(|error| error.seen_from(&environment.folder))?;
    let store = ProjectStore::open(&folder)?;
    if store.needs_recovery() {
        let held = store.lock(Waiting::Block(&|| world.progress.waiting()))?;
        store.recover(&held)?;
    }
    refuse_existing(world, &folder.join(MANIFEST_NAME), request.replace)?;
    let held = store.lock(Waiting::Block(&|| world.progress.waiting()))?;
    store.recover(&held)?;
    let mut changes = vec![write(MANIFEST_NAME, MANIFEST.as_bytes().to_vec())];
    changes.extend(ignore_lines(&store)?.map(|bytes| write(IGNORE_NAME, bytes)));
    let files = changes.iter().map(|change| match change {
        FileChange::Write { path, .. } | FileChange::Remove { path, .. } => {
            shown(environment, &folder.join(path.as_str()))
        }
    });
    let report = InitReport {
        files: files.collect(),
    };
    store.apply(
        &held,
        &Transaction {
            title: "init".to_owned(),
            changes,
        },
        &|_| {},
    )?;
    Ok(report)
}

fn refuse_existing(world: &World, manifest: &Path, replace: Replace) -> Result<(), Failure> {
    if replace == Replace::Allowed || !agpm_store::is_file(manifest) {
        return Ok(());
    }
    let shown = shown(&world.environment, manifest);
    let diagnostic = Diagnostic::new(&codes::IO_EXISTS, format!("`{shown}` is there already"))
        .in_file(shown)
        .help("edit it, or run `agpm init --force` to begin anew");
    Err(Failure::new(FailureKind::Refused, diagnostic))
}

fn write(path: &'static str, bytes: Vec<u8>) -> FileChange<'static> {
    FileChange::Write {
        path: path_of(path),
        bytes: bytes.into(),
        mode: FileMode::Plain,
        before: Expected::Anything,
    }
}

/// The ignore file with the lines that it lacks; nothing if it lacks none.
fn ignore_lines(store: &ProjectStore) -> Result<Option<Vec<u8>>, Failure> {
    let mut bytes = match store.read(&path_of(IGNORE_NAME), limit()) {
        Err(StoreError {
            problem: Problem::NotFound,
            ..
        }) => Vec::new(),
        read => read?,
    };
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let has = |line: &str| {
        text.lines().any(|own| {
            own.trim().trim_start_matches('/').trim_end_matches('/') == line.trim_end_matches('/')
        })
    };
    // Whoever ignores the whole directory decided so: nothing in it can be brought back by another line.
    let is_decided = has(".agpm");
    let is_written = |line: &str| has(line) || is_decided && line.contains(".agpm/");
    let missing: Vec<&str> = IGNORED
        .into_iter()
        .filter(|line| !is_written(line))
        .collect();
    if missing.is_empty() {
        return Ok(None);
    }
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    if !text.is_empty() && !text.ends_with('\n') {
        bytes.extend_from_slice(newline.as_bytes());
    }
    for line in missing {
        bytes.extend_from_slice(line.as_bytes());
        bytes.extend_from_slice(newline.as_bytes());
    }
    Ok(Some(bytes))
}
