//! Conflicts in files that users write too: entries and blocks.

use std::borrow::Cow;

use agpm_diag::{Diagnostic, Failure, FailureKind, Notes, codes};
use agpm_model::{Checksum, FileMode, ObservedPath, Owner, RelativePath};
use agpm_plan::{
    ConflictSides, ConflictTake, Ledger, OwnedBlocks, OwnedNodes, ResolutionError,
    location_of_record, path_beside, position_of, read_block_file, read_shared_file, with_value,
};
use agpm_store::{ExpectedFile, FileChange, ProjectStore};
use agpm_text::{BlockName, Value};

use super::refusal::refusal;
use super::report::ResolvedConflict;
use crate::install::value_of;
use crate::project::reading::limit;

/// A conflict in a shared file, and the part of it that is resolved.
pub(super) struct SharedConflictFile<'a> {
    pub(super) store: &'a ProjectStore,
    pub(super) path: &'a RelativePath,
    /// The resource whose entries are resolved; without one, all are.
    pub(super) owner: Option<&'a Owner>,
    pub(super) take: ConflictTake,
}

/// A file that is resolved, before it is written.
struct Resolved {
    text: String,
    is_changed: bool,
}

impl SharedConflictFile<'_> {
    /// The changes that resolve the conflict; records the new versions as bases.
    pub(super) fn resolve(
        &self,
        ledger: &mut Ledger,
        changes: &mut Vec<FileChange<'static>>,
        notes: &mut Notes,
    ) -> Result<Vec<ResolvedConflict>, Failure> {
        let Some(mut conflict) = ledger.shared_conflict(self.path).cloned() else {
            return Ok(Vec::new());
        };
        let is_chosen = |side: &ConflictSides| self.owner.is_none_or(|owner| side.owner == *owner);
        let (chosen, left): (Vec<_>, Vec<_>) = conflict.sides.into_iter().partition(is_chosen);
        let bytes = self.store.read(self.path, limit());
        let bytes = bytes.map_err(|error| error.seen_from(self.store.path()))?;
        let before = Checksum::of(&bytes);
        let resolved = if let Some(owned) = ledger.shared.get_mut(self.path) {
            self.resolve_nodes(owned, &chosen, bytes, notes)?
        } else if let Some(owned) = ledger.blocks.get_mut(self.path) {
            self.resolve_blocks(owned, &chosen, bytes, notes)?
        } else {
            return Ok(Vec::new());
        };
        let after = Checksum::of(resolved.text.as_bytes());
        if resolved.is_changed {
            let mode = match self.store.observe(self.path)? {
                ObservedPath::File(state) => state.mode,
                _ => FileMode::Plain,
            };
            changes.push(FileChange::Write {
                path: self.path.clone(),
                bytes: Cow::Owned(resolved.text.into_bytes()),
                mode,
                before: ExpectedFile::Checksum(before),
            });
        }
        if left.is_empty()
            && let Some(beside) = path_beside(self.path)
            && let ObservedPath::File(found) = self.store.observe(&beside)?
        {
            changes.push(FileChange::Remove {
                path: beside,
                before: ExpectedFile::Checksum(found.checksum),
            });
        }
        conflict.sides = left;
        let conflict = (!conflict.sides.is_empty()).then_some(conflict);
        if let Some(owned) = ledger.shared.get_mut(self.path) {
            owned.conflict = conflict.clone();
            owned.seen = after;
        }
        if let Some(owned) = ledger.blocks.get_mut(self.path) {
            owned.conflict = conflict;
            owned.seen = after;
        }
        let mut owners: Vec<Owner> = chosen.into_iter().map(|side| side.owner).collect();
        owners.dedup();
        let resolved = owners.into_iter().map(|owner| ResolvedConflict {
            path: self.path.clone(),
            owner,
        });
        Ok(resolved.collect())
    }

    fn resolve_nodes(
        &self,
        owned: &mut OwnedNodes,
        chosen: &[ConflictSides],
        bytes: Vec<u8>,
        notes: &mut Notes,
    ) -> Result<Resolved, Failure> {
        let mut document = read_shared_file(self.path, bytes, notes)?;
        let mut is_changed = false;
        for side in chosen {
            let lost = || self.lost();
            let location = location_of_record(&side.location).ok_or_else(lost)?;
            let mine = value_of(side.mine.as_bytes()).ok_or_else(lost)?;
            let next = value_of(side.next.as_bytes()).ok_or_else(lost)?;
            let found = position_of(&document, &location, &mine);
            let now = found.as_ref().and_then(|at| document.at(at));
            let is_mine = now.is_some_and(|now| agpm_text::equal(now, &mine));
            let written = match self.take {
                ConflictTake::Mine if is_mine => None,
                ConflictTake::Mine if now.is_some() => {
                    return Err(refusal(
                        ResolutionError::EditedSince,
                        self.path,
                        &side.owner,
                    ));
                }
                ConflictTake::Mine => Some(&mine),
                ConflictTake::New => Some(&next),
                ConflictTake::Merged => None,
            };
            if let Some(value) = written {
                let at = match (found, &location) {
                    (Some(at), _) => at,
                    (None, agpm_model::NodeLocation::Key(at)) => at.clone(),
                    // An item that changed since cannot be found by its value.
                    (None, _) => {
                        let error = ResolutionError::EditedSince;
                        return Err(refusal(error, self.path, &side.owner));
                    }
                };
                let text = with_value(&document, &at, value).map_err(|error| {
                    let message = format!("`{}` cannot be edited: {error}", self.path);
                    let help = "edit it by hand, and use `--merged`";
                    let found = Diagnostic::new(&codes::INSTALL_CONFLICT, message);
                    Failure::new(
                        FailureKind::Refused,
                        found.in_file(self.path.as_str()).help(help),
                    )
                })?;
                document = read_shared_file(self.path, text.into_bytes(), notes)?;
                is_changed = true;
            }
            owned.rebase(&location, &side.base, &next);
        }
        // The next install keeps the values again.
        owned.values = None;
        Ok(Resolved {
            text: document.text().to_string(),
            is_changed,
        })
    }

    fn resolve_blocks(
        &self,
        owned: &mut OwnedBlocks,
        chosen: &[ConflictSides],
        bytes: Vec<u8>,
        notes: &mut Notes,
    ) -> Result<Resolved, Failure> {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let mut document = read_block_file(self.path, bytes, notes)?;
        let mut is_changed = false;
        for side in chosen {
            let lost = || self.lost();
            let name = BlockName::new(&side.location).map_err(|_| lost())?;
            let text_of = |json: &str| match value_of(json.as_bytes()) {
                Some(Value::String(text)) => Ok(text),
                _ => Err(lost()),
            };
            let (mine, next) = (text_of(&side.mine)?, text_of(&side.next)?);
            let Some(now) = document.inner(&name) else {
                return Err(refusal(ResolutionError::Missing, self.path, &side.owner));
            };
            match self.take {
                ConflictTake::Mine if now != mine => {
                    return Err(refusal(
                        ResolutionError::EditedSince,
                        self.path,
                        &side.owner,
                    ));
                }
                ConflictTake::New => {
                    document.replace(&name, &next);
                    is_changed = true;
                }
                ConflictTake::Mine | ConflictTake::Merged => {}
            }
            if let Some(block) = owned.blocks.iter_mut().find(|block| block.name == name) {
                block.checksum = Checksum::of(next.as_bytes());
                // The next install keeps the text again.
                block.base = None;
            }
        }
        let text = if is_changed {
            document.finish().map_err(|_| self.lost())?
        } else {
            text
        };
        Ok(Resolved { text, is_changed })
    }

    fn lost(&self) -> Failure {
        let message = format!("the recorded conflict of `{}` is invalid", self.path);
        Diagnostic::new(&codes::INSTALL_CONFLICT, message)
            .in_file(self.path.as_str())
            .help("run `agpm install`, which records it again")
            .into()
    }
}
