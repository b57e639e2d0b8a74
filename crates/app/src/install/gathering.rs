//! Reads a project under its lock before anything is decided.

use std::collections::BTreeSet;

use crate::install::policies::ProjectPolicies;
use crate::install::run::{
    GatheredProject, InstallRun, LockState, OwnFiles, WideningRecord, requires_nothing,
};
use crate::install::writing::lock_project;
use crate::manifest::BaseVersions;
use crate::project::gather::{ErrorTolerance, ManifestFiles, Project, refuse_link};
use crate::project::ledger::{is_fresh, read_ledger};
use crate::project::packages::{
    bind_plugins, joined_note, read_lock, read_updatable_lock, refuse_conflicted_lock,
};
use agpm_diag::{Failure, Notes};
use agpm_model::LockUse;
use agpm_model::Lockfile;
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
    };
    let files = match &job.manifest {
        Some(edit) => {
            refuse_link(store, &own_files.manifest)?;
            let text_patch = edit.text_patch.as_ref().map(|edit| edit.edited.clone());
            files
                .with_project(edit.bytes.to_vec())
                .with_text_patch(text_patch)
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
    let mut lock = None;
    let mut open = BTreeSet::new();
    let mut lock_state = LockState::AsWritten;
    if is_locked {
        lock = read_lock(&world.environment, store, notes)?;
    } else if let Some(read) = read_updatable_lock(world, &project.manifest, store, notes)? {
        lock = Some((read.lock, read.bytes));
        if let Some(join) = read.join {
            notes.diagnostics.push(joined_note(&join));
            open = join.open;
            lock_state = LockState::Joined;
        }
    }
    let moving = job.moving.including(&open);
    if lock.is_none() && is_locked && requires_nothing(&project) {
        // A project that requires nothing is as locked without a lockfile.
        lock = Some((Lockfile::default(), Vec::new()));
    }
    // A frozen install keeps the plugin locations of the lockfile, which are already set; resolving them again could
    // contact a server.
    if job.request.lock != LockUse::Frozen {
        bind_plugins(world, &mut project.manifest, store.path(), &moving, notes)?;
    }
    let recorded = read_ledger(store)?;
    if let Some((lock, _)) = &lock {
        add_locked_sources(&mut project.manifest, lock);
        let is_recorded = |path: &agpm_model::RelativePath| recorded.records(path);
        refuse_foreign_paths(
            lock,
            &project.manifest,
            world.environment.scope,
            &is_recorded,
        )?;
    }
    let ledger = match recorded {
        // Without a ledger, the checksums in the lockfile identify managed files that were not modified.
        ledger if ledger == Ledger::default() => lock
            .as_ref()
            .map(|(lock, _)| {
                let scope = world.environment.scope;
                ledger_of_lock(lock, |path| is_older_path(&project.manifest, scope, path))
            })
            .unwrap_or_default(),
        ledger => ledger,
    };
    Ok(GatheredProject {
        project_lock,
        project,
        policies,
        read,
        inputs,
        own_files,
        lock,
        lock_state,
        moving,
        ledger,
        approvals: match job.manifest.as_ref().map(|edit| edit.widenings) {
            Some(WideningRecord::Manifest) => Vec::new(),
            Some(WideningRecord::Lockfile) | None => world.environment.approvals.clone(),
        },
    })
}
