use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize};

/// A relative path with `/` that stays in its directory on every system.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub struct RelativePath(String);

/// The reason why a path is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PathError {
    /// The text is empty.
    #[error("the path is empty")]
    Empty,
    /// The path starts at a root or a drive.
    #[error("the path is absolute")]
    Absolute,
    /// The path leaves the directory.
    #[error("the path leaves its directory with `..`")]
    Escapes,
    /// A URL instead of a path.
    #[error("this is a URL, not a path: define a source, and use its name")]
    Address,
    /// A name that some system rejects or treats specially.
    #[error("a part of the path is not a portable file name")]
    NotPortable,
}

/// Device names that Windows reserves in every directory, with any extension.
const RESERVED: &[&str] = &["con", "prn", "aux", "nul", "conin$", "conout$"];

impl FromStr for RelativePath {
    type Err = PathError;

    fn from_str(path: &str) -> Result<Self, PathError> {
        RelativePath::new(path)
    }
}

impl<'d> Deserialize<'d> for RelativePath {
    fn deserialize<D: Deserializer<'d>>(deserializer: D) -> Result<Self, D::Error> {
        agpm_text::parsed(deserializer)
    }
}

impl RelativePath {
    /// Validates a path; `.` components are dropped.
    pub fn new(path: &str) -> Result<Self, PathError> {
        let drive = path.as_bytes().get(1) == Some(&b':');
        if path.starts_with(['/', '\\']) || drive {
            return Err(PathError::Absolute);
        }
        // Nearly every path is already normal, and a ledger has thousands.
        if path.split('/').all(is_plain) {
            return Ok(RelativePath(path.to_owned()));
        }
        let mut parts = Vec::new();
        for part in path.split('/') {
            match part {
                "" | "." => {}
                ".." => return Err(PathError::Escapes),
                part if is_portable(part) => parts.push(part),
                _ => return Err(PathError::NotPortable),
            }
        }
        if parts.is_empty() {
            Err(PathError::Empty)
        } else {
            Ok(RelativePath(parts.join("/")))
        }
    }

    /// The path with `/`.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// A path in this directory.
    pub fn join(&self, inner: &RelativePath) -> Self {
        RelativePath(format!("{self}/{inner}"))
    }

    /// The last component.
    pub fn file_name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or(&self.0)
    }
}

/// Whether a component needs no normalization.
fn is_plain(part: &str) -> bool {
    !matches!(part, "" | "." | "..") && is_portable(part)
}

fn is_portable(part: &str) -> bool {
    let stem = part.split('.').next().unwrap_or_default();
    let device = |name: &str| stem.eq_ignore_ascii_case(name);
    let is_numbered = stem.len() == 4
        && stem.as_bytes()[3].is_ascii_digit()
        && ["com", "lpt"].iter().any(|port| {
            stem.get(..3)
                .is_some_and(|start| start.eq_ignore_ascii_case(port))
        });
    let is_odd = |c: char| c.is_control() || "\\:*?\"<>|".contains(c);
    !part.contains(is_odd)
        && !part.ends_with(['.', ' '])
        && !is_numbered
        && !RESERVED.iter().any(|name| device(name))
}

impl fmt::Display for RelativePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_portable_paths_below_the_directory_pass() {
        for (path, expected) in [
            ("a/b.md", Ok("a/b.md")),
            ("./a//b/.", Ok("a/b")),
            (".claude/settings.json", Ok(".claude/settings.json")),
            ("", Err(PathError::Empty)),
            (".", Err(PathError::Empty)),
            ("/etc", Err(PathError::Absolute)),
            ("C:/x", Err(PathError::Absolute)),
            ("\\\\host", Err(PathError::Absolute)),
            ("a/../../b", Err(PathError::Escapes)),
            ("a\\..\\b", Err(PathError::NotPortable)),
            ("NUL.txt", Err(PathError::NotPortable)),
            ("com1", Err(PathError::NotPortable)),
            ("a. ", Err(PathError::NotPortable)),
            ("common", Ok("common")),
        ] {
            assert_eq!(
                RelativePath::new(path)
                    .as_ref()
                    .map(RelativePath::as_str)
                    .map_err(|e| *e),
                expected,
                "{path}"
            );
        }
    }
}
