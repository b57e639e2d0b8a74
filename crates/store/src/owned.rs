//! The directories that agpm created; it removes no others.

use std::collections::BTreeSet;

use agpm_text::{OwnFileError, from_json, to_json};
use serde::{Deserialize, Serialize};

use crate::journal::checked_directories;

/// The file with the list. It has no version, because it never had another field.
#[derive(Serialize, Deserialize)]
struct DirectoryList {
    #[serde(deserialize_with = "checked_directories")]
    folders: BTreeSet<String>,
}

pub(crate) fn decode(bytes: &[u8]) -> Result<BTreeSet<String>, OwnFileError> {
    from_json::<DirectoryList, 0>(bytes).map(|list| list.folders)
}

pub(crate) fn encode(directories: BTreeSet<String>) -> Vec<u8> {
    to_json(&DirectoryList {
        folders: directories,
    })
    .into_bytes()
}

/// Returns the parents of a path, outer ones first.
pub(crate) fn above(path: &str) -> impl DoubleEndedIterator<Item = &str> {
    path.char_indices()
        .filter(|(_, c)| *c == '/')
        .map(|(at, _)| &path[..at])
}
