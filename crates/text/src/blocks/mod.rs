//! Named blocks in Markdown that users write too: each is between two marker lines, and everything else never changes.

mod document;
mod fences;
mod markers;

pub use document::{BlockDocument, BlockEditError, BlockSeam, BlockSection};
pub use fences::block_text;
pub use markers::{BlockError, BlockErrorKind, BlockName, BlockNameError, first_marker};
