//! Restores the blocks of an earlier state in a file that the user has changed since.

use agpm_model::Checksum;
use agpm_text::{BlockDocument, BlockEditError, BlockName};

use super::record::OwnedBlocks;
use crate::nodes::{FileOrigin, FileOutcome};

/// The reason why a block cannot be restored.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BlockChanged {
    /// The user edited a block that the undo would replace.
    #[error("the block `{0}` was edited")]
    Edited(BlockName),
    /// The block cannot be written to the file.
    #[error(transparent)]
    Uneditable(#[from] BlockEditError),
}

/// The file with the blocks of a transaction undone. `was` is the record before the transaction and `old` the file at
/// that time; `is` is the record after it.
pub fn take_back_blocks(
    now: &BlockDocument,
    old: Option<&BlockDocument>,
    was: Option<&OwnedBlocks>,
    is: Option<&OwnedBlocks>,
) -> Result<FileOutcome, BlockChanged> {
    let mut document = now.clone();
    if let Some(is) = is {
        is.claim_seams(&mut document);
    }
    let before = |name: &BlockName| old.and_then(|old| old.inner(name));
    for block in is.iter().flat_map(|is| &is.blocks) {
        let Some(inner) = document.inner(&block.name) else {
            continue;
        };
        let earlier = before(&block.name);
        if earlier.as_ref() == Some(&inner) {
            continue;
        }
        if Checksum::of(inner.as_bytes()) != block.checksum {
            return Err(BlockChanged::Edited(block.name.clone()));
        }
        match earlier {
            Some(earlier) => document.replace(&block.name, &earlier),
            None => document.remove(&block.name),
        }
    }
    for block in was.iter().flat_map(|was| &was.blocks) {
        let is_gone = is.is_none_or(|is| is.get(&block.name).is_none());
        let earlier = before(&block.name);
        if let Some(earlier) = earlier.filter(|_| is_gone && document.inner(&block.name).is_none())
        {
            document.append(&block.name, &earlier)?;
        }
    }
    let is_created = is.is_some_and(|is| is.file == FileOrigin::Ours);
    let is_left_empty = document.names().next().is_none() && !document.has_own_text();
    if old.is_none() && is_created && is_left_empty {
        return Ok(FileOutcome::Remove);
    }
    Ok(FileOutcome::Write(document.finish()?))
}
