//! Plans the desired state against the observed disk.

use std::borrow::Cow;
use std::collections::BTreeSet;

use agpm_model::{FileMode, ObservedPath, RelativePath};

use crate::blocks::{BlockFile, BlockFilePlan, plan_block_file};
use crate::change::{Author, ChangeAction, Obstacle, OverwriteRule, PlannedChange, RefusedChange};
use crate::desired::{DesiredFile, DesiredState};
use crate::files::plan_files;
use crate::ledger::{Ledger, LedgerVersion, OwnedFile};
use crate::nodes::{FileOutcome, OwnedNodes};
use crate::observation::Observation;
use crate::plan::{Plan, PlanError, SharedChange};
use crate::shared::{SharedFilePlan, plan_shared_file};

/// How the shared files are planned: they are independent of each other, so the caller may use threads. This crate
/// starts none.
pub type PlanEach<'f> = dyn for<'p> Fn(
        Vec<&'p RelativePath>,
        &(dyn Fn(&'p RelativePath) -> Result<SharedFilePlan, PlanError> + Sync),
    ) -> Vec<Result<SharedFilePlan, PlanError>>
    + 'f;

/// Plans the desired state against the observed one.
pub fn plan(
    desired: &DesiredState<'_>,
    observation: &Observation,
    ledger: &Ledger,
    overwrite: OverwriteRule,
    each: &PlanEach<'_>,
) -> Result<Plan, PlanError> {
    let desired = &*desired.with_blocks_beside_user(observation, ledger, overwrite);
    let files: Vec<&DesiredFile> = desired
        .files
        .iter()
        .filter(|file| !is_left_to_user(file, observation, ledger))
        .collect();
    // A resource may change from a whole file to keys of one. Without this the old file is removed first, with
    // everything that the user added to it.
    let ledger = &*with_desired_ownership(ledger, desired, &files, observation);
    let ledger = &*with_released_files(ledger, desired);
    let mut plan = plan_files(&files, observation, ledger, overwrite);
    // Desired and recorded paths together: a file that is no longer desired has nodes to remove.
    let paths: BTreeSet<&RelativePath> =
        desired.shared.keys().chain(ledger.shared.keys()).collect();
    let plan_one = |path| {
        plan_shared_file(
            path,
            desired.shared.get(path),
            observation,
            ledger,
            desired.merges.nodes.get(path),
            overwrite,
        )
    };
    // Results are added in path order, whichever thread finishes first, so two runs give the same plan.
    for planned in each(paths.into_iter().collect(), &plan_one) {
        plan.add_shared(planned?);
    }
    plan_blocks(desired, observation, ledger, overwrite, &mut plan)?;
    Ok(plan)
}

fn plan_blocks(
    desired: &DesiredState<'_>,
    observation: &Observation,
    ledger: &Ledger,
    overwrite: OverwriteRule,
    plan: &mut Plan,
) -> Result<(), PlanError> {
    let paths: BTreeSet<&RelativePath> =
        desired.blocks.keys().chain(ledger.blocks.keys()).collect();
    for path in paths {
        let blocks = desired.blocks.get(path).map_or(&[][..], Vec::as_slice);
        let before = observation.get(path);
        if let Some(obstacle) = Obstacle::of(before) {
            plan.refusals
                .extend(blocks.first().map(|block| RefusedChange {
                    path: path.clone(),
                    pointer: None,
                    block: None,
                    obstacle,
                    owner: block.owner.clone(),
                }));
            continue;
        }
        // A whole file replaces the blocks at its path.
        if desired.is_surely_whole(path) {
            continue;
        }
        let is_unreadable = observation.unreadable().contains(path);
        let document = observation.block_document(path);
        if is_unreadable || before.checksum().is_some() && document.is_none() {
            // A file that cannot be parsed is not treated as empty: the plan would write over everything in it.
            return Err(PlanError::Unreadable(path.clone()));
        }
        // A wholly managed, unmodified file has no content of the user.
        let was_whole = plan.release_whole_file(path, before);
        let planned = plan_block_file(&BlockFile {
            path,
            before,
            document: document.filter(|_| !was_whole),
            desired: blocks,
            owned: ledger.blocks.get(path),
            merged: desired.merges.blocks.get(path),
            overwrite,
        });
        plan.add_blocks(path, before, planned.map_err(PlanError::Clash)?);
    }
    if !plan.ledger.blocks.is_empty() {
        // Raised only when it is needed, so an older agpm can still read the ledger of a project without blocks.
        plan.ledger.version = LedgerVersion::Three;
    }
    Ok(())
}

/// Whether an empty layer document meets a file of the user, to which it would add nothing.
fn is_left_to_user(file: &DesiredFile, observation: &Observation, ledger: &Ledger) -> bool {
    let Some(now) = observation.checksum(&file.path) else {
        return false;
    };
    let recorded = ledger.shared.get(&file.path);
    let is_managed = recorded.is_some_and(|owned| owned.is_whole(now) || now == file.checksum);
    file.is_empty_document && !ledger.files.contains_key(&file.path) && !is_managed
}

/// Releases files that agpm wrote and that the manifest now describes in place.
fn with_released_files<'l>(ledger: &'l Ledger, desired: &DesiredState<'_>) -> Cow<'l, Ledger> {
    let is_released = |path: &RelativePath| desired.is_in_place(path);
    if !ledger.files.keys().any(is_released) {
        return Cow::Borrowed(ledger);
    }
    let mut ledger = ledger.clone();
    let files = ledger.files.iter_mut();
    for (_, owned) in files.filter(|(path, _)| is_released(path)) {
        owned.author = Author::User;
    }
    Cow::Owned(ledger)
}

/// Converts the ledger to the desired kind of ownership: an unmodified whole file may become shared, and vice versa; an
/// edited one becomes the user's.
fn with_desired_ownership<'l>(
    ledger: &'l Ledger,
    desired: &DesiredState<'_>,
    files: &[&DesiredFile],
    observation: &Observation,
) -> Cow<'l, Ledger> {
    let mut adjusted = Cow::Borrowed(ledger);
    for path in desired.shared.keys() {
        let Some(owned) = ledger.files.get(path) else {
            continue;
        };
        let adjusted = adjusted.to_mut();
        adjusted.files.remove(path);
        // An edited file does not become managed by the conversion; its content is the user's.
        if observation.checksum(path) == Some(owned.checksum) {
            let nodes = OwnedNodes::whole(owned.checksum);
            adjusted.shared.insert(path.clone(), nodes);
        }
    }
    for file in files {
        let Some(owned) = ledger.shared.get(&file.path) else {
            continue;
        };
        let adjusted = adjusted.to_mut();
        adjusted.shared.remove(&file.path);
        let managed = observation
            .checksum(&file.path)
            .filter(|now| owned.is_whole(*now) || *now == file.checksum);
        adjusted.files.extend(managed.map(|checksum| {
            let record = OwnedFile {
                checksum,
                source: None,
                mode: file.mode,
                owner: file.owner.clone(),
                author: Author::Agpm,
                base: None,
                conflict: None,
            };
            (file.path.clone(), record)
        }));
    }
    adjusted
}

impl Plan {
    /// Drops the removal of a whole file that gets blocks instead; returns whether the file was unmodified.
    fn release_whole_file(&mut self, path: &RelativePath, before: ObservedPath) -> bool {
        let is_removal = |change: &PlannedChange| change.path == *path && change.is_of_whole_file();
        let removed = self.changes.iter().find(|change| is_removal(change));
        let is_untouched = removed.is_some_and(|change| change.action == ChangeAction::Remove);
        self.changes.retain(|change| !is_removal(change));
        is_untouched && before.checksum().is_some()
    }

    fn add_blocks(&mut self, path: &RelativePath, before: ObservedPath, planned: BlockFilePlan) {
        self.changes.extend(planned.changes);
        self.refusals.extend(planned.refusals);
        self.unchanged += planned.unchanged;
        let edited = planned.edited.into_iter();
        self.edited_blocks
            .extend(edited.map(|block| (path.clone(), block)));
        self.findings.extend(planned.findings);
        let outcome = planned.outcome.filter(|one| *one != FileOutcome::Unchanged);
        self.shared.extend(outcome.map(|outcome| SharedChange {
            path: path.clone(),
            outcome,
            mode: match before {
                ObservedPath::File(state) => state.mode,
                _ => FileMode::Plain,
            },
            before,
        }));
        let owned = planned.owned.map(|owned| (path.clone(), owned));
        self.ledger.blocks.extend(owned);
    }

    fn add_shared(&mut self, planned: SharedFilePlan) {
        self.changes.extend(planned.changes);
        self.refusals.extend(planned.refusals);
        self.unchanged += planned.unchanged;
        let edited = planned.edited.into_iter();
        self.edited_nodes
            .extend(edited.map(|node| (planned.path.clone(), node)));
        let owned = planned.owned.map(|owned| (planned.path, owned));
        self.ledger.shared.extend(owned);
        self.shared.extend(planned.change);
    }
}
