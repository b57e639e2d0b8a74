//! The one transaction of an install.

use std::borrow::Cow;
use std::collections::BTreeMap;

use agpm_compose::{Made, MadeFile};
use agpm_diag::{Diagnostic, Failure, Notes, codes};
use agpm_model::{FileMode, RelativePath};
use agpm_plan::{Action, Change, FileOutcome, Ledger, Observed, Plan};
use agpm_store::{Expected, FileChange, ProjectLock, ProjectStore, Recovered, StoreError, Waiting};

use crate::gather::ManifestFiles;
use crate::install::changes::Changes;
use crate::install::deciding::Decided;
use crate::install::known::{has_ledger, ledger_file};
use crate::install::planning::SharedChange;
use crate::install::{FilePlaces, Job, LockChange, Ready, Writing};
use crate::layers::LayeredFile;
use crate::scope::Beside;
use crate::world::World;

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
    let held = store
        .lock(Waiting::Block(&|| world.progress.waiting()))
        .map_err(seen)?;
    let recovered = store.recover(&held).map_err(seen)?;
    let what = match recovered {
        Recovered::Nothing => return Ok(Some(held)),
        Recovered::RolledForward => "finished",
        Recovered::RolledBack => "taken back",
    };
    let message = format!("an earlier run was stopped in the middle; what it had begun was {what}");
    notes
        .diagnostics
        .push(Diagnostic::new(&codes::INSTALL_RECOVERED, message));
    Ok(Some(held))
}

/// Whether a project is as it should be now, or another process has to be followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Commit {
    /// Everything is written, or there was nothing to write.
    Done,
    /// The project changed meanwhile.
    Overtaken,
}

/// Writes what was decided.
pub(super) fn commit(
    world: &World,
    store: &ProjectStore,
    job: &Job<'_>,
    ready: Ready,
    decided: &Decided,
    notes: &mut Notes,
) -> Result<Commit, Failure> {
    let written = Written {
        plan: &decided.plan,
        made: &decided.made,
        layers: &decided.layers,
        shared: &decided.shared,
        ledger: &ready.ledger,
        store,
        lock: decided.lock_change,
        lock_text: &decided.lock_text,
    };
    let mut changes = written.changes(job, ready.places);
    if job.request.writing == Writing::Show || changes.is_empty() {
        return Ok(Commit::Done);
    }
    let early = ready.held.is_some();
    let held = match ready.held {
        Some(held) => Some(held),
        None => hold(world, store, Writing::Apply, notes)?,
    };
    let same = |now: ManifestFiles| now.fingerprint() == ready.read;
    let overtaken = !early
        && (has_ledger(store) || !ManifestFiles::require(&world.environment).is_ok_and(same));
    let Some(held) = held.filter(|_| !overtaken) else {
        return Ok(Commit::Overtaken);
    };
    let ledger = store.ledger();
    let knowledge = |change: &FileChange<'_>| matches!(change, FileChange::Write { path, .. } if *path == ledger);
    if early && changes.inside.iter().all(knowledge) {
        // Only what we know of the project changed: nothing that could be taken back.
        agpm_store::write_whole(
            &ledger_file(store),
            decided.plan.ledger.to_text().as_bytes(),
        )?;
        changes.inside.clear();
    }
    let all = changes.inside.len();
    let progress = |done| world.progress.files(done, all);
    let applied = changes.apply(store, &held, job.title.clone(), &progress);
    applied.map_err(|error| error.seen_from(store.path()))?;
    Ok(Commit::Done)
}

/// Everything that one transaction writes.
struct Written<'a> {
    plan: &'a Plan,
    made: &'a [Made],
    layers: &'a [LayeredFile],
    shared: &'a [SharedChange],
    ledger: &'a Ledger,
    store: &'a ProjectStore,
    lock: LockChange,
    lock_text: &'a [u8],
}

impl<'a> Written<'a> {
    /// All changes, in the order in which they are made: what entries name is there before them and goes after them,
    /// and the lockfile is written last.
    fn changes(&self, job: &'a Job<'_>, places: FilePlaces) -> Changes<'a> {
        let is_write = |change: &FileChange<'_>| matches!(change, FileChange::Write { .. });
        let (writes, removals): (Vec<_>, Vec<_>) = self.files().into_iter().partition(is_write);
        let mut changes = Changes::of(writes);
        changes
            .inside
            .extend(self.shared.iter().filter_map(SharedChange::change));
        if let Some(edit) = &job.manifest {
            let before = Expected::Checksum(edit.before);
            changes.put(places.manifest, Cow::Borrowed(&*edit.bytes), before);
        }
        if self.plan.ledger != *self.ledger || !has_ledger(self.store) {
            let (place, text) = (
                Beside::Within(self.store.ledger()),
                self.plan.ledger.to_text(),
            );
            changes.put(place, text.into_bytes().into(), Expected::Anything);
        }
        if self.lock == LockChange::Written {
            changes.put(
                places.lock,
                Cow::Borrowed(self.lock_text),
                Expected::Anything,
            );
        }
        changes.inside.extend(removals);
        changes
    }

    fn files(&self) -> Vec<FileChange<'a>> {
        let made = self.made.iter().flat_map(|made| &made.files);
        let made = made.map(|file: &MadeFile| (&file.path, (file.bytes.get(), file.mode)));
        let layers = self
            .layers
            .iter()
            .map(|file| (&file.path, (file.bytes.as_slice(), file.mode)));
        let by_path: BTreeMap<&RelativePath, (&[u8], FileMode)> = layers.chain(made).collect();
        let change = |change: &Change| {
            let before = expected(change.before);
            let path = change.path.clone();
            match change.action {
                Action::Keep | Action::Adopt | Action::Release => None,
                Action::Remove => Some(FileChange::Remove { path, before }),
                Action::Create | Action::Update => {
                    let (bytes, mode) = *by_path.get(&path)?;
                    Some(FileChange::Write {
                        path,
                        bytes: Cow::Borrowed(bytes),
                        mode,
                        before,
                    })
                }
            }
        };
        let whole = self
            .plan
            .changes
            .iter()
            .filter(|change| change.place.is_none());
        whole.filter_map(change).collect()
    }
}

impl SharedChange {
    fn change(&self) -> Option<FileChange<'_>> {
        let (path, before) = (self.path.clone(), expected(self.before));
        match &self.outcome {
            FileOutcome::Unchanged => None,
            FileOutcome::Remove => Some(FileChange::Remove { path, before }),
            FileOutcome::Write(text) => {
                let bytes = Cow::Borrowed(text.as_bytes());
                Some(FileChange::Write {
                    path,
                    bytes,
                    mode: self.mode,
                    before,
                })
            }
        }
    }
}

fn expected(before: Observed) -> Expected {
    match before {
        Observed::File(checksum, _) => Expected::Checksum(checksum),
        _ => Expected::Missing,
    }
}
