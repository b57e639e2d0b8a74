//! Documents as commands read them.

pub(crate) use agpm_text::{document_of, has_conflict_markers, parse_named as parsed};
