//! `agpm undo`: takes back the last change.

use agpm_diag::{Diagnostic, Severity, codes};
use agpm_model::RelativePath;
use agpm_plan::{FileOutcome, Ledger, Observed, take_back};
use agpm_store::{Done, Force, HistoryEntry, Mended, ProjectStore, UndoError};
use agpm_text::Value;

use crate::failure::{Failure, FailureKind, Notes, Outcome};
use crate::gather::{ManifestFiles, ignored_state};
use crate::install::{MOST_TOLD, Overwrite, Writing, hold, ledger_in, observe, read_ledger, shared};
use crate::scope::Beside;
use crate::world::World;

/// What to take back.
#[derive(Clone, Copy, Debug)]
pub struct UndoRequest {
    /// Whether it is done, or only shown what could be taken back.
    pub writing: Writing,
    /// Whether files that were edited since are overwritten.
    pub overwrite: Overwrite,
}

/// What was or can be taken back.
#[derive(Debug)]
pub struct UndoReport {
    /// Transactions, the newest first; just the one that was taken back if it was done.
    pub entries: Vec<PastEntry>,
    /// Whether it was done.
    pub writing: Writing,
}

/// A transaction of the past.
#[derive(Debug)]
pub struct PastEntry {
    /// Its number.
    pub number: String,
    /// What it was called.
    pub title: String,
    /// Its files, and what it did to them; our own bookkeeping is left out.
    pub files: Vec<(RelativePath, Done)>,
}

/// Takes back the newest transaction, or lists all.
pub fn undo(world: &World, request: &UndoRequest) -> Outcome<UndoReport> {
    let mut notes = Notes::default();
    let result = run(world, request, &mut notes);
    notes.outcome(result)
}

fn run(world: &World, request: &UndoRequest, notes: &mut Notes) -> Result<UndoReport, Failure> {
    let files = ManifestFiles::require(&world.environment)?;
    let store = files.store()?;
    notes.diagnostics.extend(ignored_state(&store, world.environment.scope));
    let (writing, ledger) = (request.writing, store.ledger());
    let past = |entry| PastEntry::of(entry, &ledger);
    if writing == Writing::Show || store.history()?.is_empty() && !store.needs_recovery() {
        let entries: Vec<PastEntry> = store.history()?.into_iter().map(past).collect();
        return if writing == Writing::Show { Ok(UndoReport { entries, writing }) } else { Err(nothing()) };
    }
    let (interrupted, before) = (store.interrupted_undo()?, store.history()?);
    let Some(held) = hold(world, &store, writing, notes)? else { return Err(nothing()) };
    // What was begun is finished now, and that is what was asked for.
    if let Some(number) = interrupted
        && store.history()?.iter().all(|entry| entry.number != number)
    {
        let undone = before.into_iter().filter(|entry| entry.number == number);
        return Ok(UndoReport { entries: undone.map(past).collect(), writing });
    }
    let newest = store.history()?.into_iter().next().map(past).ok_or_else(nothing)?;
    // With force the very bytes come back.
    let force = if request.overwrite == Overwrite::Everything { Force::Yes } else { Force::No };
    let mended = if force == Force::Yes { Vec::new() } else { mend(&store, &newest, notes)? };
    store.undo(&held, force, &mended).map_err(|error| refused(error, &store, notes))?;
    tell_out_of_reach(&files, notes);
    Ok(UndoReport { entries: vec![newest], writing })
}

/// In files that users write too only our entries go back: what the user changed there since stays.
fn mend(store: &ProjectStore, newest: &PastEntry, notes: &mut Notes) -> Result<Vec<Mended>, Failure> {
    let after = read_ledger(store)?;
    let before = match store.kept_by_newest(&store.ledger())? {
        Some(bytes) => ledger_in(store, bytes)?,
        None => Ledger::default(),
    };
    let mut mended = Vec::new();
    for (path, _) in &newest.files {
        let (was, is) = (before.shared.get(path), after.shared.get(path));
        let Observed::File(now, _) = observe(store, path)? else { continue };
        if was.or(is).is_none() || store.left_by_newest(path)? == Some(now) {
            continue;
        }
        let format = shared::format_of(path);
        let document = shared::read(store, path, format, notes)?;
        let old = match store.kept_by_newest(path)? {
            Some(bytes) => Some(shared::understand(path, bytes, format, notes)?),
            None => None,
        };
        let outcome = take_back(&document, old.as_deref(), was, is).map_err(|error| {
            let diagnostic = Diagnostic::new(&codes::UNDO_EDITED, format!("`{path}` changed since: {error}"));
            diagnostic
                .in_file(path.as_str())
                .help("`agpm undo --force` overwrites it with what was there before")
        })?;
        let content = match outcome {
            FileOutcome::Unchanged => Some(document.text().to_string().into_bytes()),
            FileOutcome::Write(text) => Some(text.into_bytes()),
            FileOutcome::Remove => None,
        };
        mended.push(Mended { path: path.clone(), now, content });
    }
    Ok(mended)
}

/// What a transaction cannot write, it cannot take back.
fn tell_out_of_reach(files: &ManifestFiles, notes: &mut Notes) {
    if let Beside::Outside(lock) = files.lock_place() {
        let message =
            format!("`{}` and the manifest beside it are not in home, and stay as they are", lock.display());
        let mut diagnostic = Diagnostic::new(&codes::LOCK_OUTDATED, message);
        diagnostic.severity = Severity::Note;
        notes.diagnostics.push(diagnostic.help("`agpm install -g` installs what they say again"));
    }
}

fn nothing() -> Failure {
    let diagnostic = Diagnostic::new(&codes::UNDO_NOTHING, "there is nothing to undo");
    diagnostic.help("what agpm changes in this project from now on can be undone").into()
}

fn refused(error: UndoError, store: &ProjectStore, notes: &mut Notes) -> Failure {
    let paths = match error {
        UndoError::Nothing => return nothing(),
        UndoError::Store(error) => return error.seen_from(store.path()).into(),
        UndoError::Changed(paths) => paths,
    };
    for path in paths.iter().take(MOST_TOLD) {
        let diagnostic = Diagnostic::new(&codes::UNDO_EDITED, format!("`{path}` changed since"));
        let help = "`agpm undo --force` overwrites it with what was there before";
        notes.diagnostics.push(diagnostic.in_file(path.as_str()).help(help));
    }
    Failure { kind: FailureKind::Refused, diagnostic: None }
}

impl PastEntry {
    fn of(entry: HistoryEntry, ledger: &RelativePath) -> Self {
        let mut files: Vec<(RelativePath, Done)> =
            entry.changes.into_iter().filter(|(path, _)| path != ledger).collect();
        files.sort_by(|left, right| left.0.cmp(&right.0));
        PastEntry { number: entry.number.to_string(), title: entry.title, files }
    }
}

/// What a transaction did to a file, in a word.
pub fn done_word(done: Done) -> &'static str {
    match done {
        Done::Created => "created",
        Done::Updated => "updated",
        Done::Removed => "removed",
    }
}

/// What taking it back did to the file.
pub fn undone_word(done: Done) -> &'static str {
    match done {
        Done::Created => "removed",
        Done::Updated | Done::Removed => "restored",
    }
}

impl UndoReport {
    /// The field `undone`, or with a list `history`.
    pub fn fields(&self) -> Vec<(&'static str, Value)> {
        let word = if self.writing == Writing::Show { done_word } else { undone_word };
        let file = |(path, done): &(RelativePath, Done)| {
            Value::map([("path", Value::from(path.as_str())), ("action", word(*done).into())])
        };
        let entry = |entry: &PastEntry| {
            Value::map([
                ("number", Value::from(entry.number.parse::<usize>().ok())),
                ("title", entry.title.as_str().into()),
                ("files", Value::list(entry.files.iter().map(file))),
            ])
        };
        let mut entries = self.entries.iter().map(entry);
        match self.writing {
            Writing::Show => vec![("history", Value::list(entries))],
            Writing::Apply => vec![("undone", entries.next().into())],
        }
    }
}
