use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize};
use unicode_normalization::UnicodeNormalization;

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
    /// A character that cannot be seen, or changes the direction of text.
    #[error("the path contains an invisible character")]
    Invisible,
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

    /// The path in a form that is the same for all paths that are one file on some system. A lockfile written on Linux
    /// is installed on macOS and Windows too, which ignore case and, in part, the composition of characters.
    pub fn folded(&self) -> String {
        let path = self.as_str();
        if path.is_ascii() {
            return path.to_ascii_lowercase();
        }
        // Canonical caseless matching (Unicode 3.13, D145): folding can compose what was decomposed.
        caseless::default_case_fold_str(&path.nfd().collect::<String>())
            .nfd()
            .collect()
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
    let is_port = |name: &str| {
        ["com", "lpt"]
            .iter()
            .any(|port| name.eq_ignore_ascii_case(port))
    };
    // Windows reserves the superscript digits, too.
    let is_digit = |c: char| c.is_ascii_digit() || matches!(c, '¹' | '²' | '³');
    let is_numbered = stem
        .get(..3)
        .zip(stem.get(3..))
        .is_some_and(|(name, number)| {
            let mut digits = number.chars();
            is_port(name) && digits.next().is_some_and(is_digit) && digits.next().is_none()
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
    fn paths_that_are_one_file_somewhere_fold_to_one() {
        let folded = |path: &str| RelativePath::new(path).unwrap().folded();
        for (one, other) in [
            ("A/b.md", "a/B.md"),
            ("caf\u{e9}.md", "cafe\u{301}.md"),
            ("CAF\u{c9}.md", "cafe\u{301}.md"),
            ("\u{17f}.md", "s.md"),
            ("stra\u{df}e.md", "STRASSE.md"),
            ("\u{212a}.md", "k.md"),
        ] {
            assert_eq!(folded(one), folded(other), "{one} {other}");
        }
        assert_ne!(folded("cafe.md"), folded("caf\u{e9}.md"));
    }

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
            ("COM¹.md", Err(PathError::NotPortable)),
            ("lpt³", Err(PathError::NotPortable)),
            ("com1a", Ok("com1a")),
            ("комп", Ok("комп")),
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
