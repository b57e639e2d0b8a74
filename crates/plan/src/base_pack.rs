//! The bytes that agpm wrote, kept as the base of later merges: many files in one.

use std::collections::BTreeMap;
use std::fmt;

use agpm_model::Checksum;
use serde::{Deserialize, Serialize};

/// The first line of a file of kept bytes.
const FIRST_LINE: &[u8] = b"agpm bases 1\n";

/// The bytes of a line with a checksum and a length, at most, with the line breaks around the content.
const MOST_OF_LINE: usize = 96;

/// The number of a file of kept bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct BaseNumber(pub u32);

impl fmt::Display for BaseNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Kept bytes, each once. One file holds those of a whole transaction: a file for each would double the number of files
/// that an install writes.
#[derive(Clone, Debug, Default)]
pub struct BasePack<'a> {
    contents: BTreeMap<Checksum, &'a [u8]>,
}

impl<'a> BasePack<'a> {
    /// Adds bytes with their checksum.
    pub fn add(&mut self, checksum: Checksum, bytes: &'a [u8]) {
        self.contents.insert(checksum, bytes);
    }

    /// Whether nothing is kept.
    pub fn is_empty(&self) -> bool {
        self.contents.is_empty()
    }

    /// The bytes of the file: for each content a line with its checksum and length, then the content.
    pub fn to_bytes(&self) -> Vec<u8> {
        let contents = self.contents.values();
        let size: usize = contents.map(|bytes| bytes.len() + MOST_OF_LINE).sum();
        let mut out = Vec::with_capacity(FIRST_LINE.len() + size);
        out.extend_from_slice(FIRST_LINE);
        for (checksum, bytes) in &self.contents {
            out.extend_from_slice(format!("{checksum} {}\n", bytes.len()).as_bytes());
            out.extend_from_slice(bytes);
            out.push(b'\n');
        }
        out
    }
}

/// The content with a checksum in a file of kept bytes; `None` if it is not found or not intact.
pub fn base_in_pack(pack: &[u8], wanted: Checksum) -> Option<&[u8]> {
    let mut rest = pack.strip_prefix(FIRST_LINE)?;
    while !rest.is_empty() {
        let end = rest.iter().position(|byte| *byte == b'\n')?;
        let line = std::str::from_utf8(&rest[..end]).ok()?;
        let (checksum, length) = line.split_once(' ')?;
        let length: usize = length.parse().ok()?;
        let content = rest.get(end + 1..)?.get(..length)?;
        if checksum.parse() == Ok(wanted) {
            // A base with other bytes would merge changes that nobody made.
            return (Checksum::of(content) == wanted).then_some(content);
        }
        rest = rest.get(end + 1 + length + 1..)?;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_found_if_it_is_intact() {
        let contents: [&[u8]; 3] = [b"", b"one\n", "zwei ü\n\nsha256:x 3\n".as_bytes()];
        let mut pack = BasePack::default();
        for content in contents {
            pack.add(Checksum::of(content), content);
        }
        let bytes = pack.to_bytes();
        for content in contents {
            assert_eq!(base_in_pack(&bytes, Checksum::of(content)), Some(content));
        }
        assert_eq!(base_in_pack(&bytes, Checksum::of(b"other")), None);
        let text = String::from_utf8(bytes).expect("text");
        let damaged = text.replace("one", "two");
        assert_eq!(
            base_in_pack(damaged.as_bytes(), Checksum::of(b"one\n")),
            None
        );
        for end in 0..text.len() {
            base_in_pack(&text.as_bytes()[..end], Checksum::of(b"other"));
        }
    }
}
