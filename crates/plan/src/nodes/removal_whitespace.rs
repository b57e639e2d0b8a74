//! Whitespace around managed nodes that removing them does not restore by itself, as in `{ }`.

use agpm_model::Checksum;
use serde::{Deserialize, Serialize};

/// The edits that turn the text without managed nodes into the user's original text, byte for byte. They contain only
/// whitespace and commas.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RemovalWhitespace {
    /// The checksum of the user's original text; edits that do not produce it are not applied.
    pub base: Checksum,
    /// The edits in order, without overlap.
    pub hunks: Vec<Hunk>,
}

/// A replacement of bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "HunkRecord", from = "HunkRecord")]
pub struct Hunk {
    /// The offset in bytes.
    pub at: usize,
    /// The number of removed bytes.
    pub length: usize,
    /// The new text.
    pub text: String,
}

/// A hunk in the ledger: a list of its fields in order.
#[derive(Serialize, Deserialize)]
struct HunkRecord(usize, usize, String);

impl From<Hunk> for HunkRecord {
    fn from(hunk: Hunk) -> Self {
        HunkRecord(hunk.at, hunk.length, hunk.text)
    }
}

impl From<HunkRecord> for Hunk {
    fn from(record: HunkRecord) -> Self {
        let HunkRecord(at, length, text) = record;
        Hunk { at, length, text }
    }
}

impl RemovalWhitespace {
    /// The edits that turn `from` into `to`; nothing if they differ in more than whitespace and commas.
    pub(super) fn between(from: &str, to: &str) -> Option<Self> {
        // Installing and removing must restore the original bytes. Adding a key can turn `{ }` into `{"a": 1}`, and no
        // rule could guess the original blank.
        let (mut old, mut new) = (0, 0);
        let mut hunks = Vec::new();
        while old < from.len() || new < to.len() {
            if from.as_bytes().get(old) == to.as_bytes().get(new) {
                (old, new) = (old + 1, new + 1);
                continue;
            }
            let (length, text) = (
                blanks(&from.as_bytes()[old..]),
                blanks(&to.as_bytes()[new..]),
            );
            if length + text == 0 {
                return None;
            }
            hunks.push(Hunk {
                at: old,
                length,
                text: to[new..new + text].to_owned(),
            });
            (old, new) = (old + length, new + text);
        }
        Some(RemovalWhitespace {
            // The hunks are byte offsets, so they are valid only for exactly this text.
            base: Checksum::of(to.as_bytes()),
            hunks,
        })
    }

    /// The user's original text, if the edits produce it.
    pub(super) fn apply(&self, text: &str) -> Option<String> {
        let mut out = String::with_capacity(text.len());
        let mut at = 0;
        for hunk in &self.hunks {
            out.push_str(text.get(at..hunk.at)?);
            out.push_str(&hunk.text);
            at = hunk.at.checked_add(hunk.length)?;
        }
        out.push_str(text.get(at..)?);
        (Checksum::of(out.as_bytes()) == self.base).then_some(out)
    }
}

fn blanks(bytes: &[u8]) -> usize {
    bytes
        .iter()
        .take_while(|b| matches!(b, b' ' | b'\t' | b'\r' | b'\n' | b','))
        .count()
}
