//! The owners of lines in a file with blocks.

use agpm_merge::{BodyLines, Provenance};
use agpm_model::RelativePath;
use agpm_plan::OwnedBlocks;
use agpm_text::{BlockDocument, BlockSection};

use crate::explain::managed_file::YOURS;

/// The owner of every line.
pub(super) fn block_owners(
    path: &RelativePath,
    document: &BlockDocument,
    owned: &OwnedBlocks,
) -> Provenance {
    let lines = |section: BlockSection<'_>| {
        let block = section.block.and_then(|name| owned.get(name));
        BodyLines {
            lines: section.lines,
            layer: block.map_or(YOURS.to_owned(), |block| block.owner.to_string()),
            file: path.to_string(),
            from: section.lines,
        }
    };
    Provenance {
        body: document.sections().into_iter().map(lines).collect(),
        ..Provenance::default()
    }
}
