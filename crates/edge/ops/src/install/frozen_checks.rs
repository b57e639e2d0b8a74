//! A project as its lockfile has it, checked step by step.

use agpm_diag::{Failure, Notes};
use agpm_inspect::{CheckName, Checks};
use agpm_install::{InstallRequest, LockUse, Writing, note_missing_digests};
use agpm_model::{LOCK_NAME, Lockfile};
use agpm_plan::{frozen_difference, outdated_lock};
use agpm_resolve::UpdateScope;

use crate::install::run::{GatheredProject, InstallJob, InstallRun, RenderedProject};
use crate::install::{gather, refuse_violations, render, resolve_dependencies};
use agpm_project::gather::ManifestFiles;
use agpm_project::locked_state::LockedState;
use agpm_project::world::World;

/// The state that the lockfile describes.
pub(crate) struct FrozenProject {
    pub(crate) lock: Lockfile,
    pub(crate) state: LockedState,
}

/// Runs the steps of a frozen install up to its plan; nothing if what is locked cannot be rendered.
pub(crate) fn check_frozen(
    world: &World,
    files: ManifestFiles,
    checks: &mut Checks,
    notes: &mut Notes,
) -> Option<FrozenProject> {
    let store = files.store().ok()?;
    // Only a run that writes requires approvals, and only one that shows takes no lock.
    let (showing, writing) = (frozen_job(Writing::Show), frozen_job(Writing::Apply));
    let looking = InstallRun {
        world,
        store: &store,
        job: &showing,
    };
    let deciding = InstallRun {
        job: &writing,
        ..looking
    };
    let mut gathered = checks.run(CheckName::Manifest, notes, |notes| {
        gather(&looking, files, notes)
    })?;
    let resolved = checks.run(CheckName::Lock, notes, |notes| {
        if gathered.lock.is_none() {
            return Err(outdated_lock(format!("`{LOCK_NAME}` not found")));
        }
        resolve_dependencies(&looking, &mut gathered, notes)
    })?;
    let rendered = checks.run(CheckName::Approval, notes, |notes| {
        render(&deciding, &gathered, resolved, notes)
    })?;
    checks.run(CheckName::Lock, notes, |notes| {
        compare_locks(&gathered, &rendered, notes)
    });
    checks.run(CheckName::Policy, notes, |notes| {
        refuse_violations(world, &gathered, &rendered, notes)
    });
    let (lock, _) = gathered.lock?;
    let state = LockedState {
        resources: rendered.rendered.resources,
        layers: rendered.layered.files,
        layer_failure: None,
    };
    Some(FrozenProject { lock, state })
}

fn frozen_job(writing: Writing) -> InstallJob<'static> {
    InstallJob {
        title: "ci".to_owned(),
        request: InstallRequest {
            lock: LockUse::Frozen,
            writing,
            ..InstallRequest::PLAIN
        },
        moving: UpdateScope::Nothing,
        manifest: None,
    }
}

/// The lockfile must be the one that an install would write.
fn compare_locks(
    gathered: &GatheredProject,
    rendered: &RenderedProject,
    notes: &mut Notes,
) -> Result<(), Failure> {
    let Some((old, _)) = &gathered.lock else {
        return Ok(());
    };
    let new = gathered.new_lock(
        &rendered.rendered.resources,
        rendered.layered.locked.clone(),
        rendered.catalog.clone(),
    );
    note_missing_digests(Some(old), &new, LockUse::Frozen, notes);
    match frozen_difference(old, &new) {
        Some(difference) => Err(outdated_lock(difference)),
        None => Ok(()),
    }
}
