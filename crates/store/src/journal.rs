//! The operations of a transaction, which a later process can finish or revert.

use std::fmt;
use std::str::FromStr;

use agpm_model::{Checksum, RelativePath};
use agpm_text::{FormatVersion, OwnFileError, from_json, to_json};
use serde::de::{self, Deserializer};
use serde::{Deserialize, Serialize, Serializer};

use crate::directory_chain::is_reserved;
use crate::platform::PermissionBits;
use crate::state::is_directory_list_path;

const VERSION: u32 = 1;

/// A transaction without the bytes of its files.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Journal {
    pub(crate) version: FormatVersion<VERSION>,
    pub(crate) title: String,
    /// The seconds since 1970 when it was prepared. Journals of older programs lack it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) time: Option<u64>,
    /// The number in the history, or the oldest entry that is undone, with all after it.
    #[serde(flatten)]
    pub(crate) purpose: JournalPurpose,
    /// Directories to create, outer ones first.
    #[serde(deserialize_with = "checked_directories")]
    pub(crate) make: Vec<String>,
    /// Managed directories that become empty, inner ones first.
    #[serde(deserialize_with = "checked_directories")]
    pub(crate) prune: Vec<String>,
    #[serde(rename = "files")]
    pub(crate) operations: Vec<JournalOperation>,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum JournalPurpose {
    #[serde(rename = "entry")]
    Entry(u32),
    #[serde(rename = "undoes")]
    Undo(u32),
}

/// One file; its index in the list is the name of its bytes in `new/` and `old/`.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct JournalOperation {
    #[serde(deserialize_with = "checked_path")]
    pub(crate) path: RelativePath,
    pub(crate) before: Option<JournaledFile>,
    pub(crate) after: Option<JournaledFile>,
}

/// A file in the journal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct JournaledFile {
    pub(crate) checksum: Checksum,
    pub(crate) bits: PermissionBits,
}

impl Journal {
    pub(crate) fn encode(&self) -> String {
        to_json(self)
    }

    /// Parses a journal.
    pub(crate) fn decode(bytes: &[u8]) -> Result<Self, OwnFileError> {
        from_json::<_, VERSION>(bytes)
    }
}

impl Journal {
    /// Returns the files of the request, with their numbers: all except the list of directories.
    pub(crate) fn files(&self) -> impl Iterator<Item = (usize, &JournalOperation)> {
        self.numbered().filter(|(_, file)| {
            !is_directory_list_path(file.path.as_str()) && file.done().is_some()
        })
    }

    pub(crate) fn writes(&self) -> impl DoubleEndedIterator<Item = (usize, &JournalOperation)> {
        self.numbered().filter(|(_, file)| file.after.is_some())
    }

    pub(crate) fn removals(&self) -> impl DoubleEndedIterator<Item = (usize, &JournalOperation)> {
        self.numbered().filter(|(_, file)| file.after.is_none())
    }

    /// An undo is never empty, because an entry leaves the history.
    pub(crate) fn does_nothing(&self) -> bool {
        matches!(self.purpose, JournalPurpose::Entry(_)) && self.files().next().is_none()
    }

    fn numbered(&self) -> impl DoubleEndedIterator<Item = (usize, &JournalOperation)> {
        self.operations.iter().enumerate()
    }
}

impl fmt::Display for JournaledFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:03o} {}", self.bits.0, self.checksum)
    }
}

impl FromStr for JournaledFile {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let read = || {
            let (bits, checksum) = text.split_once(' ')?;
            let bits = u32::from_str_radix(bits, 8)
                .ok()
                // A journal that came with a clone must not set the setuid bit on a restored file.
                .filter(|bits| *bits <= 0o777)?;
            Some(JournaledFile {
                checksum: checksum.parse().ok()?,
                bits: PermissionBits(bits),
            })
        };
        read().ok_or_else(|| format!("`{text}` is not a mode and a checksum"))
    }
}

impl Serialize for JournaledFile {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'d> Deserialize<'d> for JournaledFile {
    fn deserialize<D: Deserializer<'d>>(deserializer: D) -> Result<Self, D::Error> {
        agpm_text::parsed(deserializer)
    }
}

/// Parses a path. A journal that comes with a cloned project may name any.
fn checked_path<'d, D: Deserializer<'d>>(deserializer: D) -> Result<RelativePath, D::Error> {
    parse_path(&String::deserialize(deserializer)?)
}

/// Parses a list of directories.
pub(crate) fn checked_directories<'d, C, D>(deserializer: D) -> Result<C, D::Error>
where
    C: FromIterator<String>,
    D: Deserializer<'d>,
{
    let paths = Vec::<String>::deserialize(deserializer)?;
    paths
        .iter()
        .map(|path| parse_path(path).map(|path| path.as_str().to_owned()))
        .collect()
}

fn parse_path<E: de::Error>(path: &str) -> Result<RelativePath, E> {
    let checked = RelativePath::new(path).map_err(|why| E::custom(format!("`{path}`: {why}")))?;
    // The list of managed directories is the one reserved file that transactions write themselves.
    if is_reserved(&checked) && !is_directory_list_path(path) {
        let why = format!("`{path}` is a reserved path");
        return Err(E::custom(why));
    }
    Ok(checked)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn journal(path: &str) -> Journal {
        let content = JournaledFile {
            checksum: Checksum::of(b"x"),
            bits: PermissionBits(0o640),
        };
        Journal {
            version: FormatVersion,
            title: "install \"a\"".to_owned(),
            time: None,
            purpose: JournalPurpose::Undo(7),
            make: vec!["a".to_owned(), "a/b".to_owned()],
            prune: vec![],
            operations: vec![JournalOperation {
                path: RelativePath::new(path).unwrap(),
                before: Some(content),
                after: None,
            }],
        }
    }

    #[test]
    fn written_values_read_back() {
        let journal = journal("a/b/c");
        assert_eq!(Journal::decode(journal.encode().as_bytes()), Ok(journal));
    }

    #[test]
    fn a_journal_cut_short_or_with_a_path_of_git_is_refused() {
        let text = journal("a/b/c").encode();
        for end in 0..text.trim_end().len() {
            assert!(Journal::decode(&text.as_bytes()[..end]).is_err(), "{end}");
        }
        for path in [
            ".git/hooks/pre-commit",
            "x/.GIT/config",
            ".agpm/history/1/old/0",
            ".agpm/Lock",
            ".local/state/agpm",
            ".local/State/agpm/history/1/old/0",
        ] {
            assert!(
                Journal::decode(journal(path).encode().as_bytes()).is_err(),
                "{path}"
            );
        }
    }

    #[test]
    fn the_form_of_version_1_stays() {
        let text = "{\n  \"version\": 1,\n  \"title\": \"install \\\"a\\\"\",\n  \"undoes\": 7,\n  \
            \"make\": [\n    \"a\",\n    \"a/b\"\n  ],\n  \"prune\": [],\n  \"files\": [\n    {\n      \
            \"path\": \"a/b/c\",\n      \"before\": \"640 sha256:\
            2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881\",\n      \
            \"after\": null\n    }\n  ]\n}\n";
        assert_eq!(journal("a/b/c").encode(), text);
        let newer = text.replacen("1", "2", 1);
        assert_eq!(Journal::decode(newer.as_bytes()), Err(OwnFileError::Newer));
    }
}
