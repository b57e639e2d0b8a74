//! Named blocks in Markdown that others write too: each lies between two marker lines, and everything else is text
//! that never changes.

mod document;
mod fences;
mod markers;

pub use document::{BlockDocument, BlockEditError, BlockSeam, BlockSection};
pub use fences::block_text;
pub use markers::{BlockError, BlockErrorKind, BlockName, BlockNameError, first_marker};
