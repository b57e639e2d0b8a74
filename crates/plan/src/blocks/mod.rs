//! Managed blocks in Markdown files that users write too, planned block by block.
//!
//! A block is added, changed or removed without touching the bytes around it.

mod check;
mod file;
mod read;
mod recognize;
mod record;
mod undo;

pub use check::{BlockFinding, BlockState, check_blocks};
pub(crate) use file::BlockFilePlan;
pub use file::{BlockFile, plan_block_file};
pub use read::read_block_file;
pub(crate) use recognize::recognize_blocks;
pub use record::{OwnedBlock, OwnedBlocks, OwnedSeam};
pub use undo::{BlockChanged, take_back_blocks};

use agpm_model::Owner;
use agpm_text::BlockName;
use agpm_tools::{TOOLS, ToolDefinition};

/// A desired block in a file that users write too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DesiredBlock {
    /// The name in the block's markers.
    pub name: BlockName,
    /// The text between the markers, with `
    ///
    /// ` line endings.
    pub text: String,
    /// The owner.
    pub owner: Owner,
    /// How much of the file a tool reads.
    pub limit: Option<ReadLimit>,
}

/// How much a tool reads of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadLimit {
    /// The display name of the tool.
    pub tool: &'static str,
    /// The number of bytes that the tool reads.
    pub bytes: usize,
}

impl ReadLimit {
    /// The limit of a tool, if it has one.
    pub fn of_tool(tool: &ToolDefinition) -> Option<Self> {
        let bytes = tool.instructions.as_ref()?.format.largest_file?;
        let tool = tool.title;
        Some(ReadLimit { tool, bytes })
    }

    /// The limit of some tool that reads files of this name.
    pub fn of_file(name: &str) -> Option<Self> {
        let reads = |tool: &ToolDefinition| {
            let location = tool.instructions.as_ref()?.location.project?;
            location.blocks.contains(&name).then_some(())
        };
        let mut tools = TOOLS.iter().filter(|tool| reads(tool).is_some());
        tools.find_map(|tool| ReadLimit::of_tool(tool))
    }
}
