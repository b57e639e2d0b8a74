//! Recognizes blocks that match the lockfile in a file without a ledger record.

use agpm_model::Checksum;
use agpm_text::{BlockDocument, BlockName};

use super::DesiredBlock;
use super::record::{OwnedBlock, OwnedBlocks, OwnedSeam};
use crate::change::Author;
use crate::nodes::FileOrigin;

/// The record of a file with the blocks that match the locked ones; `None` if none of them is new.
pub(crate) fn recognize_blocks(
    document: &BlockDocument,
    seen: Checksum,
    locked: &[DesiredBlock],
    recorded: Option<&OwnedBlocks>,
) -> Option<OwnedBlocks> {
    let mut document = document.clone();
    let is_new = |block: &&DesiredBlock| {
        let recorded = recorded.and_then(|recorded| recorded.get(&block.name));
        let is_recorded =
            recorded.is_some_and(|one| one.checksum == Checksum::of(block.text.as_bytes()));
        !is_recorded && document.inner(&block.name).as_ref() == Some(&block.text)
    };
    let found: Vec<&DesiredBlock> = locked.iter().filter(is_new).collect();
    if found.is_empty() {
        return None;
    }
    // The blank line before a block belongs to it only if blocks alone follow, which is known from the end.
    let names: Vec<BlockName> = document.names().cloned().collect();
    let is_found = |name: &&BlockName| found.iter().any(|block| block.name == **name);
    for name in names.iter().rev().filter(is_found) {
        claim_usual_seam(&mut document, name);
    }
    let mut blocks: Vec<OwnedBlock> = recorded.map_or_else(Vec::new, |one| one.blocks.clone());
    for block in found {
        blocks.retain(|block_record| block_record.name != block.name);
        blocks.push(OwnedBlock {
            name: block.name.clone(),
            checksum: Checksum::of(block.text.as_bytes()),
            author: Author::Agpm,
            owner: block.owner.clone(),
            seam: OwnedSeam::of(&document, &block.name),
            base: None,
        });
    }
    let position = |block: &OwnedBlock| document.names().position(|name| *name == block.name);
    blocks.sort_by_key(position);
    let file = match recorded {
        Some(recorded) => recorded.file,
        None if document.has_own_text() => FileOrigin::Users,
        None => FileOrigin::Ours,
    };
    Some(OwnedBlocks {
        seen,
        file,
        blocks,
        conflict: None,
    })
}

/// Claims the blank line before a block at the end of a file, because most files end with a line ending.
fn claim_usual_seam(document: &mut BlockDocument, name: &BlockName) {
    if document.seam(name).is_none_or(|around| !around.is_trailing) {
        return;
    }
    let before = document.text_before(name);
    for newline in ["\r\n", "\n"] {
        let rest = before.strip_suffix(newline);
        if rest.is_some_and(|rest| rest.ends_with('\n')) {
            return document.claim_seam(name, newline);
        }
    }
}
