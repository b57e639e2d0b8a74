//! Managed blocks in Markdown that users write too: the desired ones against the existing ones, block by block.
//!
//! Users' bytes stay: a block is added, changed or removed, and nothing around it.

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

/// A block as it is to be in a file that others write too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DesiredBlock {
    /// The name in its markers.
    pub name: BlockName,
    /// The text between them, with `\n` as line ending.
    pub text: String,
    /// The owner.
    pub owner: Owner,
    /// How much of the file a tool reads.
    pub limit: Option<ReadLimit>,
}

/// How much a tool reads of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadLimit {
    /// The tool, as its maker writes it.
    pub tool: &'static str,
    /// The bytes that it reads.
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
            let place = tool.instructions.as_ref()?.place.project?;
            place.blocks.contains(&name).then_some(())
        };
        let mut tools = TOOLS.iter().filter(|tool| reads(tool).is_some());
        tools.find_map(|tool| ReadLimit::of_tool(tool))
    }
}
