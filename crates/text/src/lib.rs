//! One ordered tree with a byte span for every key and value, for every format that users write, and edits that change
//! only their node.
//!
//! The only crate that uses format libraries. It accesses no files and merges nothing. From the bottom up: [`tree`] is
//! common to all documents, [`formats`] adds each format, and [`parse`] and [`write`] choose the format. [`blocks`] is
//! for Markdown of which agpm writes only a part.

mod blocks;
mod conflicts;
mod documents;
mod formats;
mod lazy_document;
mod limits;
mod line_diff;
mod parse;
mod serialize;
mod tree;
mod unified_diff;
mod write;

pub use blocks::{
    BlockDocument, BlockEditError, BlockError, BlockErrorKind, BlockName, BlockNameError,
    BlockSeam, BlockSection, block_text, first_marker,
};
pub use conflicts::{
    ConflictSides, MarkerLines, conflict_sides, has_conflict_markers, marker_lines,
};
pub use documents::{document_of, parse_bytes};
pub use formats::json::append_json_string;
pub use formats::markdown::markdown_body;
pub use lazy_document::LazyDocument;
pub use limits::Limits;
pub use line_diff::{ChangedLines, LineDiff};
pub use parse::{ParsedDocument, decode, parse, parse_alone};
pub use serialize::{FormatVersion, OwnFileError, from_json, pairs, parsed, to_json};
pub use tree::{
    Document, DocumentComposer, Edit, EditError, Format, NodeId, NodeKind, NodeRef, NodeShape,
    Number, Pointer, PointerError, RewrittenText, TreeView, Value, equal, fingerprint, to_value,
};
pub use unified_diff::{
    DiffLine, DiffSide, UnifiedDiff, UnifiedDiffError, UnifiedFile, UnifiedHunk,
};
pub use write::print;
