//! Bytes as documents whose mistakes can be shown.

pub use agpm_text::{document_of, has_conflict_markers, parse_bytes as parsed};
