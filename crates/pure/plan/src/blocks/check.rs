//! Blocks as they are against what was recorded.

use agpm_model::{Checksum, Owner};
use agpm_text::{BlockDocument, BlockName};

use super::record::OwnedBlocks;

/// A block that is not as it was installed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockFinding {
    /// The block.
    pub name: BlockName,
    /// The owner.
    pub owner: Owner,
    /// The state of the block finding.
    pub state: BlockState,
}

/// The state of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockState {
    /// The block is missing.
    Missing,
    /// The block has other content.
    Edited,
}

/// The blocks that are not as they were recorded; without a document no file exists.
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
