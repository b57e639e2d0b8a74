//! The folders that we made, which are the only ones that we remove.

use std::collections::BTreeSet;

use agpm_text::Value;

use crate::journal::{folders, read_json};

/// Reads the list.
pub(crate) fn decode(bytes: Vec<u8>) -> Result<BTreeSet<String>, String> {
    Ok(folders(&read_json(bytes)?, "folders")?
        .into_iter()
        .collect())
}

/// Writes the list, sorted.
pub(crate) fn encode(owned: &BTreeSet<String>) -> Vec<u8> {
    let list = Value::list(owned.iter().map(String::as_str));
    Value::map([("folders", list)]).to_json().into_bytes()
}

/// The folders above a path, outer ones first.
pub(crate) fn above(path: &str) -> impl DoubleEndedIterator<Item = &str> {
    path.char_indices()
        .filter(|(_, c)| *c == '/')
        .map(|(at, _)| &path[..at])
}
