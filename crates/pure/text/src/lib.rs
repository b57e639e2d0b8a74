//! One ordered tree with a byte span for every key and value, for every format that users write,
//! and edits that change only their node.
//!
//! The only crate that knows format libraries. It knows no files and no merging. From the bottom up: [`tree`] is what
//! documents have in common, [`formats`] what each format adds, and [`parse`] and [`write`] choose the format. [`blocks`]
//! is for Markdown that agpm writes only a part of.

mod blocks;
mod documents;
mod formats;
mod lazy_document;
mod limits;
mod parse;
mod serialize;
mod tree;
mod write;

pub use blocks::{
    BlockDocument, BlockEditError, BlockError, BlockErrorKind, BlockName, BlockNameError,
    BlockSeam, BlockSection, block_text, first_marker,
};
pub use documents::{document_of, has_conflict_markers, parse_bytes};
pub use formats::json::append_json_string;
pub use formats::markdown::markdown_body;
pub use lazy_document::LazyDocument;
pub use limits::Limits;
pub use parse::{ParsedDocument, decode, parse, parse_alone};
pub use serialize::{FormatVersion, OwnFileError, from_json, pairs, parsed, to_json};
pub use tree::{
    Document, DocumentComposer, Edit, EditError, Format, NodeId, NodeKind, NodeRef, NodeShape,
    Number, Pointer, PointerError, RewrittenText, TreeView, Value, equal, fingerprint, to_value,
};
pub use write::print;
