//! Compares blocks with their records.

use agpm_model::{Checksum, Owner};
use agpm_text::{BlockDocument, BlockName};

use super::record::OwnedBlocks;

/// A block that differs from its record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockFinding {
    /// The block.
    pub name: BlockName,
    /// The owner.
    pub owner: Owner,
    /// The difference.
    pub state: BlockState,
}

/// The difference between a block and its record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockState {
    /// The block is missing.
    Missing,
    /// The block has different content.
    Edited,
}

/// The blocks that differ from their records; `document` is `None` if the file does not exist.
pub fn check_blocks(document: Option<&BlockDocument>, owned: &OwnedBlocks) -> Vec<BlockFinding> {
    let mut findings = Vec::new();
    for block in &owned.blocks {
        let now = document.and_then(|document| document.inner(&block.name));
        let state = match now {
            None => BlockState::Missing,
            Some(now) if Checksum::of(now.as_bytes()) != block.checksum => BlockState::Edited,
            Some(_) => continue,
        };
        findings.push(BlockFinding {
            name: block.name.clone(),
            owner: block.owner.clone(),
            state,
        });
    }
    findings
}
