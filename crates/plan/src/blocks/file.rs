//! Plans one file with blocks: desired against observed.

use std::collections::BTreeMap;

use agpm_diag::{Diagnostic, codes};
use agpm_model::{Checksum, ObservedPath, Owner, RelativePath};
use agpm_text::{BlockDocument, BlockEditError, BlockName};

use super::record::{OwnedBlock, OwnedBlocks, OwnedSeam};
use super::{DesiredBlock, ReadLimit};
use crate::base_pack::BaseNumber;
use crate::change::{
    Author, ChangeAction, ChangeReason, Obstacle, OverwriteRule, PlannedChange, RefusedChange,
};
use crate::merges::EditedBlock;
use crate::nodes::{FileOrigin, FileOutcome};

/// A file that users write too, and its desired blocks.
#[derive(Clone, Copy, Debug)]
pub struct BlockFile<'a> {
    /// The path, from the project.
    pub path: &'a RelativePath,
    /// The current state of the path.
    pub before: ObservedPath,
    /// The current text; `None` if the file does not exist, or if all of it is managed and will be replaced.
    pub document: Option<&'a BlockDocument>,
    /// The desired blocks, in the order in which new ones are appended.
    pub desired: &'a [DesiredBlock],
    /// The blocks as agpm last wrote them.
    pub owned: Option<&'a OwnedBlocks>,
    /// Strings to write in place of edited ones.
    pub merged: Option<&'a BTreeMap<BlockName, String>>,
    /// The content that agpm may overwrite.
    pub overwrite: OverwriteRule,
}

/// The plan for one file.
#[derive(Debug, Default)]
pub struct BlockFilePlan {
    pub(crate) changes: Vec<PlannedChange>,
    pub(crate) refusals: Vec<RefusedChange>,
    pub(crate) unchanged: usize,
    pub(crate) owned: Option<OwnedBlocks>,
    /// The resulting file; unchanged if anything was refused.
    pub(crate) outcome: Option<FileOutcome>,
    /// Findings for users.
    pub(crate) findings: Vec<Diagnostic>,
    /// Edited blocks of which a new version exists.
    pub(crate) edited: Vec<EditedBlock>,
}

/// Compares the desired blocks of a file with the existing ones.
pub fn plan_block_file(file: &BlockFile<'_>) -> Result<BlockFilePlan, Box<Diagnostic>> {
    let mut edit = FileEdit::new(file);
    for owned in file.owned.iter().flat_map(|owned| &owned.blocks) {
        if file.desired.iter().all(|block| block.name != owned.name) {
            edit.retire(owned);
        }
    }
    let (existing, new): (Vec<&DesiredBlock>, Vec<&DesiredBlock>) = file
        .desired
        .iter()
        .partition(|block| edit.document.inner(&block.name).is_some());
    for block in existing {
        edit.update(block);
    }
    for block in new {
        edit.append(block)?;
    }
    edit.finish()
}

struct FileEdit<'a> {
    file: &'a BlockFile<'a>,
    document: BlockDocument,
    records: Vec<OwnedBlock>,
    plan: BlockFilePlan,
}

impl<'a> FileEdit<'a> {
    fn new(file: &'a BlockFile<'a>) -> Self {
        let mut document = file.document.cloned().unwrap_or_default();
        if let Some(owned) = file.owned {
            owned.claim_seams(&mut document);
        }
        FileEdit {
            file,
            document,
            records: Vec::new(),
            plan: BlockFilePlan::default(),
        }
    }

    /// Plans the removal of a managed block that is no longer desired.
    fn retire(&mut self, owned: &OwnedBlock) {
        let Some(now) = self.document.inner(&owned.name) else {
            return;
        };
        let is_edited = Checksum::of(now.as_bytes()) != owned.checksum;
        let (action, reason) = match (owned.author, is_edited) {
            (Author::User, _) => (ChangeAction::Release, ChangeReason::UsersOwn),
            (Author::Agpm, false) => (ChangeAction::Remove, ChangeReason::Unasked),
            (Author::Agpm, true) if self.file.overwrite == OverwriteRule::Everything => {
                (ChangeAction::Remove, ChangeReason::UnaskedEditDropped)
            }
            // The user keeps the block, including its markers.
            (Author::Agpm, true) => (ChangeAction::Keep, ChangeReason::UnaskedEdited),
        };
        if action == ChangeAction::Remove {
            self.document.remove(&owned.name);
        }
        self.change(&owned.name, &owned.owner, action, reason);
    }

    /// Plans a desired block that exists.
    fn update(&mut self, block: &DesiredBlock) {
        let owned = self.file.owned.and_then(|owned| owned.get(&block.name));
        let now = self.document.inner(&block.name).unwrap_or_default();
        let is_unedited = owned.is_some_and(|owned| Checksum::of(now.as_bytes()) == owned.checksum);
        let author = owned.map_or(Author::Agpm, |owned| owned.author);
        let change = match owned {
            Some(_) if now == block.text => None,
            Some(_) if is_unedited => Some((ChangeAction::Update, ChangeReason::Content)),
            Some(_) if self.file.overwrite == OverwriteRule::Everything => {
                Some((ChangeAction::Update, ChangeReason::EditDropped))
            }
            Some(owned) => {
                let desired = Checksum::of(block.text.as_bytes());
                let reason = ChangeReason::of_edit(owned.checksum, desired);
                Some((ChangeAction::Keep, reason))
            }
            None if now == block.text => Some((ChangeAction::Adopt, ChangeReason::Identical)),
            None if self.file.overwrite >= OverwriteRule::Unowned => {
                Some((ChangeAction::Update, ChangeReason::TakenOver))
            }
            None => return self.refuse(block),
        };
        match change {
            None => {
                self.plan.unchanged += 1;
                self.record(block, author);
            }
            Some((ChangeAction::Keep, reason)) => {
                if let Some(merged) = self.merged(&block.name) {
                    self.document.replace(&block.name, &merged);
                    // The new version is the base from now on; what differs from it is the user's edit.
                    self.record(block, author);
                    let (action, reason) = (ChangeAction::Merge, ChangeReason::Merged);
                    return self.change(&block.name, &block.owner, action, reason);
                }
                if reason == ChangeReason::Conflict {
                    self.plan.edited.push(EditedBlock {
                        name: block.name.clone(),
                        new: block.text.clone(),
                        owner: block.owner.clone(),
                    });
                }
                // The record keeps the installed content, so the edit is still recognized as one.
                self.records.extend(owned.cloned());
                self.change(&block.name, &block.owner, ChangeAction::Keep, reason);
            }
            Some((action, reason)) => {
                let author = if action == ChangeAction::Adopt {
                    Author::User
                } else {
                    Author::Agpm
                };
                if action == ChangeAction::Update {
                    self.document.replace(&block.name, &block.text);
                }
                self.record(block, author);
                self.change(&block.name, &block.owner, action, reason);
            }
        }
    }

    fn merged(&self, name: &BlockName) -> Option<String> {
        self.file.merged?.get(name).cloned()
    }

    /// Plans a desired block that does not exist yet.
    fn append(&mut self, block: &DesiredBlock) -> Result<(), Box<Diagnostic>> {
        let was_there = self
            .file
            .owned
            .is_some_and(|owned| owned.get(&block.name).is_some());
        let reason = if was_there {
            ChangeReason::WasMissing
        } else {
            ChangeReason::New
        };
        let added = self.document.append(&block.name, &block.text);
        added.map_err(|error| self.uneditable(&error))?;
        self.record(block, Author::Agpm);
        self.change(&block.name, &block.owner, ChangeAction::Create, reason);
        Ok(())
    }

    fn record(&mut self, block: &DesiredBlock, author: Author) {
        self.records.push(OwnedBlock {
            name: block.name.clone(),
            checksum: Checksum::of(block.text.as_bytes()),
            author,
            owner: block.owner.clone(),
            seam: None,
            base: self.kept_base(block),
        });
    }

    /// Where the desired text is kept already.
    fn kept_base(&self, block: &DesiredBlock) -> Option<BaseNumber> {
        let owned = self.file.owned?.get(&block.name)?;
        let is_same = owned.checksum == Checksum::of(block.text.as_bytes());
        owned.base.filter(|_| is_same)
    }

    fn change(
        &mut self,
        name: &BlockName,
        owner: &Owner,
        action: ChangeAction,
        reason: ChangeReason,
    ) {
        self.plan.changes.push(PlannedChange {
            path: self.file.path.clone(),
            pointer: None,
            block: Some(name.clone()),
            action,
            before: self.file.before,
            content: None,
            reason,
            owner: owner.clone(),
        });
    }

    fn refuse(&mut self, block: &DesiredBlock) {
        self.plan.refusals.push(RefusedChange {
            path: self.file.path.clone(),
            pointer: None,
            block: Some(block.name.clone()),
            obstacle: Obstacle::Block,
            owner: block.owner.clone(),
        });
    }

    fn uneditable(&self, error: &BlockEditError) -> Box<Diagnostic> {
        let path = self.file.path;
        let (message, help) = match error {
            BlockEditError::OpenFence { line } => (
                format!("cannot add a block to `{path}`: unclosed code fence in line {line}"),
                format!("close the fence in line {line}, then run `agpm install`"),
            ),
            BlockEditError::Unstable => (
                format!("cannot find the blocks of `{path}`: a code fence is unclosed"),
                "close every code fence of the file, then run `agpm install`".to_owned(),
            ),
        };
        let diagnostic = Diagnostic::new(&codes::BLOCK_MARKERS, message);
        Box::new(diagnostic.in_file(path.as_str()).help(help))
    }

    fn finish(mut self) -> Result<BlockFilePlan, Box<Diagnostic>> {
        if !self.plan.refusals.is_empty() {
            return Ok(BlockFilePlan {
                refusals: self.plan.refusals,
                owned: self.file.owned.cloned(),
                ..BlockFilePlan::default()
            });
        }
        let text = self
            .document
            .finish()
            .map_err(|error| self.uneditable(&error))?;
        let origin = match (self.file.before, self.file.owned) {
            (ObservedPath::File(_), owned) => {
                owned.map_or(self.origin_of_other(), |owned| owned.file)
            }
            _ => FileOrigin::Ours,
        };
        let is_left_empty = self.document.names().next().is_none()
            && !self.document.has_own_text()
            && origin == FileOrigin::Ours;
        let before = match self.file.before {
            ObservedPath::File(state) => Some(state.checksum),
            _ => None,
        };
        let now = Checksum::of(text.as_bytes());
        let outcome = match before {
            Some(_) if is_left_empty => FileOutcome::Remove,
            None if self.records.is_empty() => FileOutcome::Unchanged,
            Some(before) if before == now => FileOutcome::Unchanged,
            _ => FileOutcome::Write(text.clone()),
        };
        self.plan.findings = self
            .limits()
            .filter_map(|limit| self.too_large(limit, &text))
            .collect();
        self.plan.outcome = Some(outcome);
        self.plan.owned = self.owned(now, origin);
        Ok(self.plan)
    }

    /// A file with no text besides managed content was created by agpm.
    fn origin_of_other(&self) -> FileOrigin {
        if self.file.document.is_none() {
            FileOrigin::Ours
        } else {
            FileOrigin::Users
        }
    }

    /// The records in file order, with their current seams.
    fn owned(&self, seen: Checksum, file: FileOrigin) -> Option<OwnedBlocks> {
        let record = |name: &BlockName| {
            let recorded = self.records.iter().find(|record| record.name == *name)?;
            Some(OwnedBlock {
                seam: OwnedSeam::of(&self.document, name),
                ..recorded.clone()
            })
        };
        let blocks: Vec<OwnedBlock> = self.document.names().filter_map(record).collect();
        (!blocks.is_empty()).then_some(OwnedBlocks {
            seen,
            file,
            blocks,
            conflict: None,
        })
    }

    /// The limits of the tools that read the file, each once.
    fn limits(&self) -> impl Iterator<Item = ReadLimit> {
        let mut limits: Vec<ReadLimit> = Vec::new();
        for limit in self.file.desired.iter().filter_map(|block| block.limit) {
            if !limits.contains(&limit) {
                limits.push(limit);
            }
        }
        limits.into_iter()
    }

    fn too_large(&self, limit: ReadLimit, text: &str) -> Option<Diagnostic> {
        let ReadLimit { tool, bytes } = limit;
        let path = self.file.path;
        let message = format!(
            "`{path}` has {} KiB, and {tool} reads at most {} KiB",
            text.len().div_ceil(1024),
            bytes / 1024
        );
        let help = "shorten the file, or set `paths` to move instructions into directories";
        let diagnostic = Diagnostic::new(&codes::BLOCK_TOO_LARGE, message)
            .in_file(path.as_str())
            .help(help);
        (text.len() > bytes).then_some(diagnostic)
    }
}
