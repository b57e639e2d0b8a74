//! Parsers from bytes to documents that keep source positions for findings.

pub use agpm_text::{document_of, has_conflict_markers, parse_bytes as parsed};
