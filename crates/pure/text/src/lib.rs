//! One ordered tree with a byte span for every key and value, for every format that users write,
//! and edits that change nothing but their node.
//!
//! The only crate that knows format libraries. It knows no files and no merging.

mod change;
mod csv;
mod document;
mod edit;
mod flow;
mod format;
mod holds;
mod json;
mod markdown;
mod pointer;
mod quote;
mod serialize;
mod toml;
mod tree;
mod unread;
mod value;
mod view;
mod yaml;

pub use change::Rewritten;
pub use document::{Document, Limits, Parsed, decode, parse, parse_alone};
pub use edit::{Edit, EditError, print};
pub use format::Format;
pub use json::append_json_string;
pub use markdown::markdown_body;
pub use pointer::{Pointer, PointerError};
pub use serialize::{FormatVersion, OwnFileError, from_json, pairs, parsed, to_json};
pub use tree::{Kind, NodeId, NodeRef};
pub use unread::Unread;
pub use value::{Number, Value};
pub use view::{Shape, View, equal, fingerprint, to_value};
