//! The directories that agpm created, which are the only ones that it removes.

use std::collections::BTreeSet;

use agpm_text::{OwnFileError, from_json, to_json};
use serde::{Deserialize, Serialize};

use crate::journal::checked_directories;

/// The list as its file has it. It has no version: it has never had but this one field.
#[derive(Serialize, Deserialize)]
struct DirectoryList {
    #[serde(deserialize_with = "checked_directories")]
    folders: BTreeSet<String>,
}

/// Reads the list.
pub(crate) fn decode(bytes: &[u8]) -> Result<BTreeSet<String>, OwnFileError> {
    from_json::<DirectoryList, 0>(bytes).map(|list| list.folders)
}

/// Writes the list, sorted.
pub(crate) fn encode(directories: BTreeSet<String>) -> Vec<u8> {
    to_json(&DirectoryList {
        folders: directories,
    })
    .into_bytes()
}

/// The directories above a path, outer ones first.
pub(crate) fn above(path: &str) -> impl DoubleEndedIterator<Item = &str> {
    path.char_indices()
        .filter(|(_, c)| *c == '/')
        .map(|(at, _)| &path[..at])
}
