//! `init`: a starter manifest and the ignore lines.

use std::path::PathBuf;

use agpm_diag::{Diagnostic, codes};
use agpm_model::FileMode;
use agpm_store::{Expected, FileChange, Problem, ProjectStore, StoreError, Transaction, Waiting};

use crate::change::Replace;
use crate::failure::{Failure, FailureKind, Notes, Outcome};
use crate::gather::{MANIFEST_NAME, limit, shown};
use crate::path_of;
use crate::world::World;

const MANIFEST: &str = include_str!("../init/agpm.toml");
const IGNORE_NAME: &str = ".gitignore";
/// What must not be committed: our state, and what is one person's own.
const IGNORED: [&str; 2] = [".agpm/", "agpm.private.toml"];

/// Where to begin.
#[derive(Clone, Debug)]
pub struct InitRequest {
    /// The folder; the working folder if none is named.
    pub folder: Option<PathBuf>,
    /// Whether a manifest that is there may go.
    pub replace: Replace,
}

/// What was written.
#[derive(Clone, Debug)]
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
    let environment = &world.environment;
    let folder = request.folder.as_ref().map_or(environment.folder.clone(), |path| environment.resolve(path));
    agpm_store::create_folders(&folder).map_err(|error| error.seen_from(&environment.folder))?;
    let store = ProjectStore::open(&folder)?;
    if store.needs_recovery() {
        let held = store.lock(Waiting::Block(&|| world.progress.waiting()))?;
        store.recover(&held)?;
    }
    let manifest = folder.join(MANIFEST_NAME);
    if agpm_store::is_file(&manifest) && request.replace == Replace::Refused {
        let message = format!("`{}` is there already", shown(environment, &manifest));
        let diagnostic = Diagnostic::new(&codes::IO_EXISTS, message)
            .in_file(shown(environment, &manifest))
            .help("edit it, or run `agpm init --force` to begin anew");
        return Err(Failure::new(FailureKind::Refused, diagnostic));
    }
    let held = store.lock(Waiting::Block(&|| world.progress.waiting()))?;
    store.recover(&held)?;
    let mut changes = vec![write(MANIFEST_NAME, MANIFEST.as_bytes().to_vec())];
    changes.extend(ignore_lines(&store)?.map(|bytes| write(IGNORE_NAME, bytes)));
    let files = changes.iter().map(|change| match change {
        FileChange::Write { path, .. } | FileChange::Remove { path, .. } => {
            shown(environment, &folder.join(path.as_str()))
        }
    });
    let report = InitReport { files: files.collect() };
    store.apply(&held, &Transaction { title: "init".to_owned(), changes }, &|_| {})?;
    Ok(report)
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
        Err(StoreError { problem: Problem::NotFound, .. }) => Vec::new(),
        read => read?,
    };
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let has = |line: &&str| {
        text.lines()
            .any(|own| own.trim().trim_start_matches('/').trim_end_matches('/') == line.trim_end_matches('/'))
    };
    let missing: Vec<&str> = IGNORED.into_iter().filter(|line| !has(line)).collect();
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
