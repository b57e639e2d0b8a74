//! Files that were edited since they were installed, next to the content that the lockfile describes.

use std::collections::BTreeMap;

use agpm_diag::{Failure, Notes};
use agpm_model::{FileMode, Owner, RelativePath};
use agpm_plan::{
    ChangeAction, ChangeReason, FileOutcome, FileVersions, Ledger, OverwriteRule, Plan,
    PlannedChange, ledger_of_lock, recover_ownership,
};
use agpm_resolve::add_locked_sources;
use agpm_resolve::is_older_path;

use crate::install::locked_state::LockedState;
use crate::install::preview::bytes_on_disk;
use crate::project::gather::{ManifestFiles, Project};
use crate::project::ledger::read_ledger;
use crate::project::observer::PathObserver;
use crate::project::packages::read_lock;
use crate::project::world::World;

/// Returns the edited files, from the locked content to the content on disk.
pub(crate) fn local_edits(world: &World) -> Result<Vec<FileVersions>, Failure> {
    // Findings about the project are reported by the plan of the install.
    let quiet = &mut Notes::default();
    let files = ManifestFiles::require(&world.environment)?;
    let store = files.store()?;
    let Some((lock, _)) = read_lock(&world.environment, &store, quiet)? else {
        return Ok(Vec::new());
    };
    let mut manifest = Project::of(world, files, quiet)?.manifest;
    let scope = world.environment.scope;
    let recorded = match read_ledger(&store)? {
        ledger if ledger == Ledger::default() => {
            ledger_of_lock(&lock, |path| is_older_path(&manifest, scope, path))
        }
        ledger => ledger,
    };
    add_locked_sources(&mut manifest, &lock);
    let mut state = LockedState::read(world, &manifest, &lock, &store)?;
    state.expect_recorded_modes(&recorded);
    let desired = state.desired(&store)?;
    let mut disk = PathObserver::new(&store);
    disk.observe(&desired, &recorded)?;
    let ledger = recover_ownership(&desired, disk.observation(), &recorded);
    let kept = disk.plan(&desired, &ledger, OverwriteRule::Nothing, quiet)?;
    let owners = edited_files(&kept.changes);
    if owners.is_empty() {
        return Ok(Vec::new());
    }
    // Overwriting every edit gives the locked content, also of files that hold content of the user.
    let restored = disk.plan(&desired, &ledger, OverwriteRule::Everything, quiet)?;
    let mut edits = Vec::new();
    for (path, owners) in owners {
        let Some(content) = planned_bytes(&restored, &path) else {
            continue;
        };
        edits.push(FileVersions {
            owners,
            before: Some(content.to_vec()),
            after: bytes_on_disk(&store, &path)?,
            mode: FileMode::Plain,
            path,
        });
    }
    Ok(edits)
}

/// The owners of the edited content of each file.
fn edited_files(changes: &[PlannedChange]) -> BTreeMap<RelativePath, Vec<Owner>> {
    let mut owners: BTreeMap<RelativePath, Vec<Owner>> = BTreeMap::new();
    let is_edited = |change: &&PlannedChange| {
        change.action == ChangeAction::Keep
            && matches!(change.reason, ChangeReason::Edited | ChangeReason::Conflict)
    };
    for change in changes.iter().filter(is_edited) {
        let of_file = owners.entry(change.path.clone()).or_default();
        if !of_file.contains(&change.owner) {
            of_file.push(change.owner.clone());
        }
    }
    owners
}

/// The bytes that a plan writes at a path.
fn planned_bytes<'p>(plan: &'p Plan, path: &RelativePath) -> Option<&'p [u8]> {
    if let Some(shared) = plan.shared.iter().find(|change| change.path == *path) {
        return match &shared.outcome {
            FileOutcome::Write(text) => Some(text.as_bytes()),
            FileOutcome::Unchanged | FileOutcome::Remove => None,
        };
    }
    let mut changes = plan.changes.iter();
    let written = changes.find(|change| change.path == *path && change.is_of_whole_file())?;
    Some(&written.content.as_ref()?.bytes)
}
