//! Blocks in the ledger.

use agpm_model::{Checksum, Owner};
use agpm_text::{BlockDocument, BlockName};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::base_pack::BaseNumber;
use crate::change::{Author, adopted};
use crate::merges::SharedConflict;
use crate::nodes::FileOrigin;

/// The managed blocks of one file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnedBlocks {
    /// The checksum of the whole file as agpm left it.
    pub seen: Checksum,
    /// The author of the file.
    pub file: FileOrigin,
    /// The blocks, in the order of the file.
    pub blocks: Vec<OwnedBlock>,
    /// The new version that could not be merged into the user's edits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conflict: Option<SharedConflict>,
}

/// A managed block.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnedBlock {
    /// The name in its markers.
    #[serde(serialize_with = "write_name", deserialize_with = "read_name")]
    pub name: BlockName,
    /// The checksum of the text between the markers, with `
    ///
    /// ` line endings.
    pub checksum: Checksum,
    /// The author of the content.
    #[serde(
        rename = "adopted",
        default,
        with = "adopted",
        skip_serializing_if = "adopted::is_own"
    )]
    pub author: Author,
    /// The owner.
    pub owner: Owner,
    /// The line endings before the block that were added with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seam: Option<OwnedSeam>,
    /// The file of kept bytes that has the written text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<BaseNumber>,
}

/// Line endings that were added with a block, and their surroundings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnedSeam {
    /// The line endings.
    pub text: String,
    /// The checksum of everything before them; `None` if another block precedes them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<Checksum>,
    /// The checksum of the last line before them.
    pub line: Checksum,
}

impl OwnedBlocks {
    /// The record of a block.
    pub fn get(&self, name: &BlockName) -> Option<&OwnedBlock> {
        self.blocks.iter().find(|block| block.name == *name)
    }

    /// Assigns every unmoved seam to its block.
    pub(super) fn claim_seams(&self, document: &mut BlockDocument) {
        for block in &self.blocks {
            let Some(seam) = &block.seam else {
                continue;
            };
            if seam.is_in_place(&block.name, document) {
                document.claim_seam(&block.name, &seam.text);
            }
        }
    }
}

impl OwnedSeam {
    /// The seam of a block.
    pub(super) fn of(document: &BlockDocument, name: &BlockName) -> Option<Self> {
        let seam = document.seam(name).filter(|seam| !seam.text.is_empty())?;
        let before = || Checksum::of(document.text_before(name).as_bytes());
        Some(OwnedSeam {
            before: (!seam.follows_block).then(before),
            line: Checksum::of(seam.line_before.as_bytes()),
            text: seam.text,
        })
    }

    /// Whether these line endings are still the ones before the block, and the user did not move it: the same block
    /// precedes it, or everything before them is unchanged, or the line before them is unchanged and only blocks
    /// follow.
    fn is_in_place(&self, name: &BlockName, document: &BlockDocument) -> bool {
        let mut claimed = document.clone();
        claimed.claim_seam(name, &self.text);
        let Some(around) = claimed.seam(name).filter(|around| around.text == self.text) else {
            return false;
        };
        let is_same_line = Checksum::of(around.line_before.as_bytes()) == self.line;
        match self.before {
            None => is_same_line && around.follows_block,
            Some(_) if around.is_trailing && is_same_line => true,
            Some(before) => before == Checksum::of(claimed.text_before(name).as_bytes()),
        }
    }
}

fn write_name<S: Serializer>(name: &BlockName, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(name.as_str())
}

fn read_name<'d, D: Deserializer<'d>>(deserializer: D) -> Result<BlockName, D::Error> {
    let name = String::deserialize(deserializer)?;
    BlockName::new(&name).map_err(de::Error::custom)
}
