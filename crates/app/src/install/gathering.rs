//! Reads a project under its lock before anything is decided.

use std::collections::BTreeSet;

use crate::install::policies::ProjectPolicies;
use crate::install::run::{
    GatheredProject, InstallRun, LockState, OwnFiles, WideningRecord, requires_nothing_in,
};
use crate::install::writing::lock_project;
use crate::manifest::BaseVersions;
use crate::project::gather::{ErrorTolerance, ManifestFiles, Project, refuse_link};
use crate::project::ledger::{is_fresh, read_ledger};
use crate::project::packages::{
    LockOnDisk, ProjectLocks, bind_plugins, joined_note, read_updatable_lock,
    refuse_conflicted_lock,
};
use agpm_diag::{Failure, Notes};
use agpm_model::LockUse;
use agpm_model::PinId;
use agpm_plan::{Ledger, ledger_of_lock};
use agpm_resolve::add_locked_sources;
use agpm_resolve::{is_older_path, refuse_foreign_paths};

/// Reads the manifest, the lockfile and the ledger.
pub(crate) fn gather(
    run: &InstallRun<'_>,
    files: ManifestFiles,
    notes: &mut Notes,
) -> Result<GatheredProject, Failure> {
    let InstallRun { world, store, job } = *run;
    // A project without state has nothing to recover, and a failed run must not create state in it. The lock is
    // therefore taken later, in `commit`.
    let project_lock = if is_fresh(store) {
        None
    } else {
        lock_project(world, store, job.request.writing, notes)?
    };
    // Another process may have changed the files before this one got the lock, and recovery may have too.
    let files = if project_lock.is_some() {
        job.manifest_files(&world.environment)?
    } else {
        files
    };
    let read = files.fingerprint();
    let own_files = OwnFiles {
        manifest: files.manifest_file()?,
        lock: files.lock_file(),
        private: files.private_file(),
        private_lock: files.private_lock_file(),
    };
    let files = match &job.manifest {
        Some(edit) => {
            refuse_link(store, &own_files.manifest)?;
            let text_patches = edit.text_patches.iter();
            let text_patches = text_patches.map(|edit| edit.edited.clone()).collect();
            let files = files
                .with_project(edit.bytes.to_vec())
                .with_text_patches(text_patches);
            match &edit.private {
                Some(private) => {
                    refuse_link(store, &own_files.private)?;
                    files.with_private(private.bytes.clone())
                }
                None => files,
            }
        }
        None => files,
    };
    let inputs = files.fingerprint();
    let is_locked = matches!(job.request.lock, LockUse::Locked | LockUse::Frozen);
    if is_locked {
        // Bases are read from the lockfile, so its conflict is the first mistake.
        refuse_conflicted_lock(&world.environment, store)?;
    }
    let versions = match job.request.lock {
        LockUse::Locked | LockUse::Frozen => BaseVersions::Locked,
        LockUse::Update | LockUse::Unwritten => BaseVersions::Pinned(&job.moving),
    };
    let mut project = Project::with_bases(world, files, versions, ErrorTolerance::Stop, notes)?;
    let policies = ProjectPolicies::of(&mut project, notes)?;
    let GatheredLock {
        locks,
        state: lock_state,
        open,
    } = if is_locked {
        gather_fixed_lock(run, &project, notes)?
    } else {
        gather_updatable_lock(run, &project, notes)?
    };
    let moving = job.moving.including(&open);
    let lock = locks.joined();
    // A frozen install keeps the plugin locations of the lockfile, which are already set; resolving them again could
    // contact a server.
    if job.request.lock != LockUse::Frozen {
        bind_plugins(world, &mut project.manifest, store.path(), &moving, notes)?;
    }
    let scope = world.environment.scope;
    let recorded = read_ledger(store)?;
    if let Some((lock, _)) = &lock {
        add_locked_sources(&mut project.manifest, lock);
        refuse_foreign_paths(lock, &project.manifest, scope, &|path| {
            recorded.records(path)
        })?;
    }
    let mut ledger = recorded;
    // Without a ledger, the checksums in the lockfile identify managed files that were not modified.
    if ledger == Ledger::default()
        && let Some((lock, _)) = &lock
    {
        ledger = ledger_of_lock(lock, |path| is_older_path(&project.manifest, scope, path));
    }
    Ok(GatheredProject {
        project_lock,
        project,
        policies,
        read,
        inputs,
        own_files,
        lock,
        locks,
        lock_state,
        moving,
        ledger,
        approvals: match job.manifest.as_ref().map(|edit| edit.widenings) {
            Some(WideningRecord::Manifest) => Vec::new(),
            Some(WideningRecord::Lockfile) | None => world.environment.approvals.clone(),
        },
    })
}

/// The lockfiles as an install uses them.
struct GatheredLock {
    locks: ProjectLocks,
    state: LockState,
    /// The pins of a conflict that nothing decides.
    open: BTreeSet<PinId>,
}

/// Reads lockfiles that must not change.
fn gather_fixed_lock(
    run: &InstallRun<'_>,
    project: &Project,
    notes: &mut Notes,
) -> Result<GatheredLock, Failure> {
    let mut locks = ProjectLocks::read(&run.world.environment, run.store, notes)?;
    // A project that requires nothing is as locked without a lockfile.
    let shared = project.manifest.shared_part();
    if locks.shared.is_none() && requires_nothing_in(&shared, &project.bases) {
        locks.shared = Some(LockOnDisk::default());
    }
    Ok(GatheredLock {
        locks,
        state: LockState::AsWritten,
        open: BTreeSet::new(),
    })
}

/// Reads lockfiles that the install may write; both sides of a conflict are joined.
fn gather_updatable_lock(
    run: &InstallRun<'_>,
    project: &Project,
    notes: &mut Notes,
) -> Result<GatheredLock, Failure> {
    let mut gathered = GatheredLock {
        locks: ProjectLocks::default(),
        state: LockState::AsWritten,
        open: BTreeSet::new(),
    };
    let Some(read) = read_updatable_lock(run.world, &project.manifest, run.store, notes)? else {
        return Ok(gathered);
    };
    gathered.locks = read.files;
    if let Some(join) = read.join {
        notes.diagnostics.push(joined_note(&join));
        gathered.open = join.open;
        gathered.state = LockState::Joined;
    }
    Ok(gathered)
}
