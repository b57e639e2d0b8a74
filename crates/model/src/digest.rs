//! Names derived from content: revisions of sources, and checksums.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::{Digest, Sha256};

/// The id of content that never changes in a source: a git object (40 or 64 lowercase hexadecimal digits), or the digest
/// that a source without git names its content by (`sha256:` and 64 digits).
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub struct Revision(String);

/// The reason why text is not a revision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("invalid commit: expected 40 or 64 hexadecimal digits")]
pub struct RevisionError;

/// The beginning of a digest.
pub(crate) const DIGEST_PREFIX: &str = "sha256:";

impl Revision {
    /// The whole id.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The first digits, for display.
    pub fn short(&self) -> &str {
        &self.digits()[..8]
    }

    fn digits(&self) -> &str {
        self.0.strip_prefix(DIGEST_PREFIX).unwrap_or(&self.0)
    }
}

impl From<Checksum> for Revision {
    fn from(checksum: Checksum) -> Self {
        Revision(checksum.to_string())
    }
}

impl FromStr for Revision {
    type Err = RevisionError;

    fn from_str(text: &str) -> Result<Self, RevisionError> {
        let digest = text.strip_prefix(DIGEST_PREFIX);
        let digits = digest.unwrap_or(text);
        let has_length = match digest {
            Some(_) => digits.len() == 64,
            None => matches!(digits.len(), 40 | 64),
        };
        if !has_length || !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(RevisionError);
        }
        Ok(Revision(text.to_ascii_lowercase()))
    }
}

impl fmt::Display for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A SHA-256 checksum, written as `sha256:` and 64 digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Checksum([u8; 32]);

/// The reason why text is not a checksum.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("invalid checksum: expected `sha256:` and 64 hexadecimal digits")]
pub struct ChecksumError;

impl Checksum {
    /// The checksum of these bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Checksum(Sha256::digest(bytes).into())
    }

    /// The checksum with this value, of bytes that were hashed piece by piece.
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Checksum(bytes)
    }

    /// The first sixteen bytes as a number: enough to distinguish values of one kind.
    pub fn first_half(&self) -> u128 {
        self.0[..16]
            .iter()
            .fold(0, |number, byte| number << 8 | u128::from(*byte))
    }

    /// The digits alone, as a file name.
    pub fn digits(&self) -> String {
        let digit = |half: u8| char::from_digit(u32::from(half), 16).unwrap_or('0');
        self.0
            .iter()
            .flat_map(|byte| [digit(byte >> 4), digit(byte & 15)])
            .collect()
    }
}

impl Serialize for Checksum {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'d> Deserialize<'d> for Checksum {
    fn deserialize<D: Deserializer<'d>>(deserializer: D) -> Result<Self, D::Error> {
        agpm_text::parsed(deserializer)
    }
}

impl FromStr for Checksum {
    type Err = ChecksumError;

    fn from_str(text: &str) -> Result<Self, ChecksumError> {
        let digits = text
            .strip_prefix("sha256:")
            .filter(|d| d.len() == 64 && d.is_ascii())
            .ok_or(ChecksumError)?;
        let mut bytes = [0; 32];
        for (at, byte) in bytes.iter_mut().enumerate() {
            *byte =
                u8::from_str_radix(&digits[at * 2..at * 2 + 2], 16).map_err(|_| ChecksumError)?;
        }
        Ok(Checksum(bytes))
    }
}

impl fmt::Display for Checksum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sha256:{}", self.digits())
    }
}

impl fmt::Debug for Checksum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksums_read_back_and_nothing_else_is_one() {
        let checksum = Checksum::of(b"abc");
        let text = checksum.to_string();
        assert_eq!(
            text,
            "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
        assert_eq!(text.parse(), Ok(checksum));
        for bad in [
            "",
            "sha256:",
            "ba7816bf",
            &text[..70],
            &text.replace("sha256", "md5"),
        ] {
            assert_eq!(bad.parse::<Checksum>(), Err(ChecksumError), "{bad}");
        }
    }

    #[test]
    fn object_names_are_whole() {
        let name = "0123456789ABCDEF0123456789abcdef01234567";
        assert_eq!(
            name.parse::<Revision>().map(|id| id.short().to_owned()),
            Ok("01234567".to_owned())
        );
        for bad in ["", "0123456", "g123456789abcdef0123456789abcdef01234567"] {
            assert_eq!(bad.parse::<Revision>(), Err(RevisionError), "{bad}");
        }
    }
}
