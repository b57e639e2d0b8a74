//! The new lockfiles: the one of everyone, and the one of what a user adds.

use std::collections::BTreeSet;

use agpm_compose::RenderedResource;
use agpm_diag::{Failure, Notes};
use agpm_model::{LockUse, LockedLayer, LockedRemote, Lockfile, ResourceId};
use agpm_resolve::checksum_findings;

use crate::install::changelogs::add_changelogs;
use crate::install::lock_change::{
    changed_resources, lock_change, moves, note_missing_digests, private_lock_change,
};
use crate::install::run::{
    GatheredProject, InstallRun, LockState, SharedPart, requires_nothing_in,
};
use crate::install::{ChangelogReading, LockChange, UpdatedPin};
use crate::project::packages::{LockOnDisk, ProjectSources};

/// Everything that a run locks.
pub(crate) struct NewLocks {
    /// Everything.
    pub(crate) all: Lockfile,
    /// The part that everyone has; `None` if it is everything.
    shared: Option<Lockfile>,
}

impl NewLocks {
    /// Creates the lockfiles of what was rendered.
    pub(crate) fn of(
        gathered: &GatheredProject,
        resources: &[RenderedResource],
        layers: Vec<LockedLayer>,
        catalog: Vec<LockedRemote>,
        shared: Option<&SharedPart>,
    ) -> Self {
        let shared = shared.map(|part| {
            let layers = part.layers.clone();
            gathered.lock_of_part(&part.manifest, &part.resources, layers, catalog.clone())
        });
        NewLocks {
            all: gathered.new_lock(resources, layers, catalog),
            shared,
        }
    }

    /// Returns what everyone has.
    pub(crate) fn shared(&self) -> &Lockfile {
        self.shared.as_ref().unwrap_or(&self.all)
    }

    /// Returns what one user adds.
    fn private(&self) -> Lockfile {
        let shared = self.shared.as_ref();
        shared.map_or_else(Lockfile::default, |shared| self.all.without_shared(shared))
    }
}

/// A lockfile as a run leaves it.
pub struct LockResult {
    /// The change of the file.
    pub change: LockChange,
    /// The content; `None` if the file does not exist afterwards.
    pub text: Option<Vec<u8>>,
}

/// Both lockfiles as a run leaves them.
pub struct LockResults {
    /// The one of everyone.
    pub shared: LockResult,
    /// The one of one user.
    pub private: LockResult,
}

impl LockResults {
    /// Decides what is written; fails if a lockfile must not change and would.
    pub(crate) fn decide(
        gathered: &GatheredProject,
        new: &NewLocks,
        shared: Option<&SharedPart>,
        lock_use: LockUse,
        is_edited: bool,
    ) -> Result<Self, Failure> {
        let old = &gathered.locks;
        if lock_use == LockUse::Frozen {
            let all = gathered.lock.as_ref().map(|(lock, _)| lock);
            let change = lock_change(all, &new.all, lock_use)?;
            return Ok(LockResults {
                shared: LockResult::unchanged(change, old.shared.as_ref()),
                private: LockResult::unchanged(LockChange::Unchanged, old.private.as_ref()),
            });
        }
        // A file with conflict markers differs from every lockfile.
        let before = old.shared.as_ref().map(|one| &one.lock);
        let written = before.filter(|_| gathered.lock_state == LockState::AsWritten);
        let mut change = lock_change(written, new.shared(), lock_use)?;
        let manifest = shared.map_or(&gathered.project.manifest, |part| &part.manifest);
        let needs_none = requires_nothing_in(manifest, &gathered.project.bases);
        // A project that requires nothing needs no lockfile. Without an edit of the manifest an existing one stays,
        // because somebody may have committed it.
        if change == LockChange::Written && needs_none {
            change = match (before, is_edited) {
                (Some(_), true) => LockChange::Removed,
                (Some(_), false) => LockChange::Written,
                (None, _) => LockChange::Unchanged,
            };
        }
        let private = new.private();
        let before = old.private.as_ref().map(|one| &one.lock);
        let private_change = private_lock_change(before, &private, lock_use)?;
        Ok(LockResults {
            shared: LockResult::of(change, old.shared.as_ref(), || new.shared().to_text()),
            private: LockResult::of(private_change, old.private.as_ref(), || {
                private.to_private_text()
            }),
        })
    }

    /// Returns whether a lockfile would change, and must not be written.
    pub(crate) fn are_unwritten(&self) -> bool {
        [&self.shared, &self.private]
            .iter()
            .any(|result| result.change == LockChange::NotWritten)
    }

    /// Returns the bytes of both files.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let texts = [&self.shared.text, &self.private.text].into_iter();
        texts.flatten().flatten().copied().collect()
    }
}

impl LockResult {
    fn unchanged(change: LockChange, old: Option<&LockOnDisk>) -> Self {
        LockResult {
            change,
            text: old.map(|one| one.bytes.clone()),
        }
    }

    fn of(change: LockChange, old: Option<&LockOnDisk>, text: impl FnOnce() -> String) -> Self {
        let text = match (change, old) {
            (LockChange::Unchanged, old) => old.map(|one| one.bytes.clone()),
            (LockChange::Removed | LockChange::WouldBeRemoved, _) => None,
            _ => Some(text().into_bytes()),
        };
        LockResult { change, text }
    }
}

/// The new lockfiles, and how they differ from the current ones.
pub(super) struct PlannedLock {
    pub(super) locks: LockResults,
    /// Pins that moved.
    pub(super) moved: Vec<UpdatedPin>,
    /// Resources whose files in the source differ from the lockfile.
    pub(super) changed_resources: BTreeSet<ResourceId>,
}

/// Compares the new lockfiles with the current ones; fails if one must not change and would.
pub(super) fn plan_lock(
    run: &InstallRun<'_>,
    gathered: &GatheredProject,
    new: &NewLocks,
    shared: Option<&SharedPart>,
    sources: &ProjectSources,
    notes: &mut Notes,
) -> Result<PlannedLock, Failure> {
    let request = &run.job.request;
    let old = gathered.lock.as_ref().map(|(lock, _)| lock);
    let mut moved = Vec::new();
    let mut changed = BTreeSet::new();
    if let Some(old) = old {
        moved = moves(&gathered.project.manifest, old, &new.all);
        changed = changed_resources(old, &new.all);
        notes.diagnostics.extend(checksum_findings(old, &new.all));
    }
    if request.changelogs == ChangelogReading::Read {
        add_changelogs(sources, &mut moved);
    }
    let is_edited = run.job.manifest.is_some();
    let locks = LockResults::decide(gathered, new, shared, request.lock, is_edited)?;
    note_missing_digests(old, &new.all, request.lock, notes);
    Ok(PlannedLock {
        locks,
        moved,
        changed_resources: changed,
    })
}
