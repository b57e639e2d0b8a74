//! Edited files of which a new version exists: merges and conflicts.

use std::collections::BTreeSet;

use agpm_model::{Checksum, FileState, ObservedPath, Owner, RelativePath};

use crate::base_pack::BaseNumber;
use crate::change::{ChangeAction, ChangeReason, NewContent, PlannedChange};
use crate::desired::{DesiredFile, DesiredState};
use crate::ledger::{Ledger, OpenConflict, OwnedFile};
use crate::merges::SharedConflict;
use crate::plan::Plan;

/// The suffix of the new version of a file.
const BESIDE: &str = ".agpm-new";

/// The path of the new version of a file in conflict.
pub fn path_beside(path: &RelativePath) -> Option<RelativePath> {
    RelativePath::new(&format!("{path}{BESIDE}")).ok()
}

/// The side that resolves a conflict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConflictTake {
    /// The user's file as it was when the conflict arose.
    Mine,
    /// The new version.
    New,
    /// The user's file as it is now.
    Merged,
}

/// The reason why a conflict cannot be resolved in a way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResolutionError {
    /// The file was edited since the conflict arose.
    EditedSince,
    /// The file does not exist any more.
    Missing,
    /// Something that is not a file is at its path.
    NotFile,
}

impl OpenConflict {
    /// The checksum and the location of the bytes to write; `None` if the file stays as it is.
    pub fn bytes_to_write(
        &self,
        take: ConflictTake,
        now: ObservedPath,
    ) -> Result<Option<KeptBytes>, ResolutionError> {
        let now = match now {
            ObservedPath::File(FileState { checksum, .. }) => Some(checksum),
            ObservedPath::Missing => None,
            _ => return Err(ResolutionError::NotFile),
        };
        let mine = KeptBytes {
            checksum: self.mine,
            base: self.mine_base,
        };
        let new = KeptBytes {
            checksum: self.next.checksum,
            base: self.next.base,
        };
        match (take, now) {
            (ConflictTake::Mine, None) => Ok(Some(mine)),
            (ConflictTake::Mine, Some(now)) if now == self.mine => Ok(None),
            (ConflictTake::Mine, Some(_)) => Err(ResolutionError::EditedSince),
            (ConflictTake::New, _) => Ok(Some(new)),
            (ConflictTake::Merged, Some(_)) => Ok(None),
            (ConflictTake::Merged, None) => Err(ResolutionError::Missing),
        }
    }
}

/// Bytes that are kept under agpm's state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeptBytes {
    /// Their checksum.
    pub checksum: Checksum,
    /// The file that has them.
    pub base: Option<BaseNumber>,
}

impl Plan {
    /// The whole files that were edited and of which a new version exists, with their records.
    pub fn files_to_merge<'p, 'd>(
        &'p self,
        desired: &'d DesiredState<'_>,
    ) -> Vec<(&'d DesiredFile, &'p OwnedFile)> {
        let conflicts = self
            .changes
            .iter()
            .filter(|change| is_file_conflict(change));
        let files = conflicts.filter_map(|change| {
            let file = desired.file_at(&change.path)?;
            Some((file, self.ledger.files.get(&change.path)?))
        });
        files.collect()
    }

    /// Records that the new version of an edited file was merged into it, with this result.
    pub fn accept_merge(&mut self, file: &DesiredFile, merged: Vec<u8>) {
        let content = NewContent {
            bytes: merged.into(),
            mode: file.mode,
        };
        let changes = self.changes.iter_mut();
        for change in changes.filter(|change| change.path == file.path) {
            if is_file_conflict(change) {
                change.action = ChangeAction::Merge;
                change.reason = ChangeReason::Merged;
                change.content = Some(content.clone());
            }
        }
        if let Some(owned) = self.ledger.files.get_mut(&file.path) {
            // The new version is the base from now on; what differs from it is the user's edit.
            *owned = OwnedFile::of(file, owned.author);
        }
    }

    /// Records that the new version of an edited file could not be merged into it. A conflict with the same version
    /// that is already known stays as it arose.
    pub fn open_conflict(&mut self, file: &DesiredFile, mine: Checksum, clash: Option<String>) {
        let Some(owned) = self.ledger.files.get_mut(&file.path) else {
            return;
        };
        let clash = clash.map(|clash| (file.path.clone(), clash));
        self.clashes.extend(clash);
        let known = owned.conflict.as_ref();
        if known.is_some_and(|known| known.next.checksum == file.checksum) {
            return;
        }
        let next = OwnedFile::of(file, owned.author);
        owned.conflict = Some(OpenConflict {
            mine,
            mine_base: None,
            next: Box::new(next),
        });
    }
}

fn is_file_conflict(change: &PlannedChange) -> bool {
    change.reason == ChangeReason::Conflict && change.is_of_whole_file()
}

impl Ledger {
    /// The files in conflict.
    pub fn open_conflicts(
        &self,
    ) -> impl Iterator<Item = (&RelativePath, &OwnedFile, &OpenConflict)> {
        let files = self.files.iter();
        files.filter_map(|(path, owned)| Some((path, owned, owned.conflict.as_ref()?)))
    }

    /// The conflicts in shared files.
    pub fn shared_conflicts(&self) -> impl Iterator<Item = (&RelativePath, &SharedConflict)> {
        let nodes = self.shared.iter();
        let nodes = nodes.filter_map(|(path, owned)| Some((path, owned.conflict.as_ref()?)));
        let blocks = self.blocks.iter();
        nodes.chain(blocks.filter_map(|(path, owned)| Some((path, owned.conflict.as_ref()?))))
    }

    /// The conflict in a shared file.
    pub fn shared_conflict(&self, path: &RelativePath) -> Option<&SharedConflict> {
        let nodes = self.shared.get(path);
        let nodes = nodes.and_then(|owned| owned.conflict.as_ref());
        let blocks = self.blocks.get(path);
        nodes.or_else(|| blocks.and_then(|owned| owned.conflict.as_ref()))
    }

    /// The files in conflict, whole and shared ones, with the owners of what is in conflict.
    pub fn conflict_owners(&self) -> Vec<(&RelativePath, &Owner)> {
        let files = self.open_conflicts();
        let files = files.map(|(path, owned, _)| (path, &owned.owner));
        let shared = self.shared_conflicts().flat_map(|(path, conflict)| {
            let sides = conflict.sides.iter();
            sides.map(move |side| (path, &side.owner))
        });
        files.chain(shared).collect()
    }

    /// The files of kept bytes that the ledger needs.
    pub fn needed_bases(&self) -> BTreeSet<BaseNumber> {
        let mut needed = BTreeSet::new();
        for owned in self.files.values() {
            needed.extend(owned.base);
            if let Some(conflict) = &owned.conflict {
                needed.extend(conflict.mine_base);
                needed.extend(conflict.next.base);
            }
        }
        let values = self.shared.values().filter_map(|owned| owned.values);
        needed.extend(values.map(|kept| kept.base));
        let blocks = self.blocks.values().flat_map(|owned| &owned.blocks);
        needed.extend(blocks.filter_map(|block| block.base));
        needed
    }
}
