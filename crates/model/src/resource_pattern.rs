//! Patterns over resources of repositories, such as `github:acme/agents//skills/deploy@<1.4`.

use crate::address::{SourceAddress, SourceAddressError, check_segments};
use crate::digest::Revision;
use crate::glob::{Glob, GlobError};
use crate::repository_pattern::{RepositoryPattern, RepositoryPatternError};
use crate::source_versions::is_abbreviated_commit;
use crate::version::{RequirementError, VersionLabel, VersionRequirement};

/// `REPOSITORY[//PATH][@VERSION]`: the repository and the path are patterns, the version is a requirement or a commit.
#[derive(Clone, Debug)]
pub struct ResourcePattern {
    written: String,
    repository: RepositoryPattern,
    /// The path of a file or of a directory above it; `None` is the whole repository.
    path: Option<Glob>,
    version: Option<VersionRequirement>,
}

/// The reason why text is not a pattern of resources.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ResourcePatternError {
    /// The repository.
    #[error(transparent)]
    Repository(#[from] RepositoryPatternError),
    /// A path that no resource has.
    #[error("no resource has this path: {0}")]
    Path(#[from] SourceAddressError),
    /// An invalid pattern of paths.
    #[error("invalid pattern: {0}")]
    Glob(GlobError),
    /// The version.
    #[error(transparent)]
    Version(#[from] RequirementError),
}

/// Something in a repository, for comparison with a [`ResourcePattern`].
#[derive(Clone, Copy, Debug)]
pub struct LocatedContent<'a> {
    /// The repository.
    pub source: &'a SourceAddress,
    /// The paths of its files in the repository.
    pub paths: &'a [String],
    /// The version, and every tag of the same commit.
    pub labels: &'a [VersionLabel],
    /// The commit, if it is known.
    pub commit: Option<&'a Revision>,
}

impl ResourcePattern {
    /// Parses a pattern.
    pub fn parse(text: &str) -> Result<Self, ResourcePatternError> {
        let written = text.trim();
        let parts = PatternText::split(written);
        // A path that means everything is the same as none.
        let path = parts.path.map(|path| path.trim_end_matches('/'));
        let path = path.filter(|path| !matches!(*path, "" | "**"));
        if let Some(path) = path {
            check_segments(path)?;
        }
        Ok(ResourcePattern {
            repository: RepositoryPattern::parse(parts.repository)?,
            path: path
                .map(Glob::new)
                .transpose()
                .map_err(ResourcePatternError::Glob)?,
            version: parts.version.map(VersionRequirement::parse).transpose()?,
            written: written.to_owned(),
        })
    }

    /// The pattern as it is written.
    pub fn as_str(&self) -> &str {
        &self.written
    }

    /// Whether any version at this location may match.
    pub fn is_at(&self, source: &SourceAddress, paths: &[String]) -> bool {
        let Some(path) = &self.path else {
            return self.repository.matches(source);
        };
        let is_below = |file: &String| directories(file).any(|one| path.is_match(one));
        self.repository.matches(source) && paths.iter().any(is_below)
    }

    /// Whether the version matches, wherever it is.
    pub fn has_version(&self, labels: &[VersionLabel], commit: Option<&Revision>) -> bool {
        let Some(version) = &self.version else {
            return true;
        };
        let prefix = version.as_name().filter(|name| is_abbreviated_commit(name));
        let is_commit = prefix.zip(commit).is_some_and(|(prefix, commit)| {
            commit.as_str().starts_with(&prefix.to_ascii_lowercase())
        });
        is_commit || labels.iter().any(|label| includes(version, label))
    }

    /// Whether something matches.
    pub fn matches(&self, content: &LocatedContent<'_>) -> bool {
        self.is_at(content.source, content.paths)
            && self.has_version(content.labels, content.commit)
    }
}

/// Whether a requirement means a version, or a version of which it is a pre-release: `<1.4` means `1.3.0-rc.1` and
/// `1.4.0-rc.1` too, which a requirement of a manifest does not.
fn includes(requirement: &VersionRequirement, label: &VersionLabel) -> bool {
    let plain = label.without_prefix();
    let mut names = vec![label.clone(), plain.clone()];
    if let Some(version) = plain.version().filter(|version| !version.pre.is_empty()) {
        let release = (version.major, version.minor, version.patch);
        // A pre-release is between its own release and everything before it. `2.0.0` has no greatest version before it, so
        // a minor version that nothing reaches replaces it.
        let before = match release {
            (0, 0, 0) => release,
            (major, 0, 0) => (major - 1, u64::MAX, u64::MAX),
            (major, minor, 0) => (major, minor - 1, u64::MAX),
            (major, minor, patch) => (major, minor, patch - 1),
        };
        for (major, minor, patch) in [release, before] {
            names.push(VersionLabel::new(&format!("{major}.{minor}.{patch}")));
        }
    }
    names.iter().any(|name| requirement.allows(name))
}

/// A path and the directories above it.
fn directories(path: &str) -> impl Iterator<Item = &str> {
    let ends = path.match_indices('/').map(|(at, _)| at);
    ends.chain([path.len()]).map(|end| &path[..end])
}

/// The parts of a pattern, as text.
struct PatternText<'t> {
    repository: &'t str,
    path: Option<&'t str>,
    version: Option<&'t str>,
}

impl<'t> PatternText<'t> {
    /// Splits `REPOSITORY[//PATH][@VERSION]`. A repository may contain `//` after its scheme and `@` after its user, as in
    /// `https://me@host.example/kit//skills@^1.0`, so both are looked for after those.
    fn split(text: &'t str) -> Self {
        let after_scheme = text.find("://").map_or(0, |at| at + "://".len());
        if let Some(at) = text[after_scheme..].find("//") {
            let (repository, rest) = text.split_at(after_scheme + at);
            let (path, version) = split_version(&rest["//".len()..], 0);
            return PatternText {
                repository,
                path: Some(path),
                version,
            };
        }
        // In a URL the user is before the first slash, and in the other forms before the colon.
        let after_user = match after_scheme {
            0 => text.find(':').map_or(0, |at| at + 1),
            start => text[start..].find('/').map_or(text.len(), |at| start + at),
        };
        let (repository, version) = split_version(text, after_user);
        PatternText {
            repository,
            path: None,
            version,
        }
    }
}

/// Splits at the last `@` that is not before `from`.
fn split_version(text: &str, from: usize) -> (&str, Option<&str>) {
    match text[from..].rfind('@') {
        Some(at) => (&text[..from + at], Some(&text[from + at + 1..])),
        None => (text, None),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn matches(pattern: &str, path: &str, label: &str) -> bool {
        let pattern = ResourcePattern::parse(pattern).unwrap();
        pattern.matches(&LocatedContent {
            source: &SourceAddress::parse("git@github.com:acme/agents.git").unwrap(),
            paths: &[path.to_owned()],
            labels: &[VersionLabel::new(label)],
            commit: Some(&"3f2a91c".repeat(6)[..40].parse().unwrap()),
        })
    }

    #[test]
    fn a_denial_is_about_a_repository_a_path_and_versions() {
        let file = "skills/deploy/SKILL.md";
        for (pattern, path, label, expected) in [
            ("github:acme/agents", file, "v1.0.0", true),
            ("github:acme/agents//", file, "v1.0.0", true),
            ("github:acme/*", file, "v1.0.0", true),
            ("github:acme/other", file, "v1.0.0", false),
            ("github:acme/agents//skills/deploy", file, "v1.0.0", true),
            ("github:acme/agents//skills/deploy/", file, "v1.0.0", true),
            ("github:acme/agents//skills/*", file, "v1.0.0", true),
            ("github:acme/agents//skills/**", file, "v1.0.0", true),
            ("github:acme/agents//**/SKILL.md", file, "v1.0.0", true),
            ("github:acme/agents//skills/dep", file, "v1.0.0", false),
            ("github:acme/agents//deploy", file, "v1.0.0", false),
            (
                "github:acme/agents//skills/deploy@<1.4",
                file,
                "v1.3.9",
                true,
            ),
            (
                "github:acme/agents//skills/deploy@<1.4",
                file,
                "v1.4.0",
                false,
            ),
            (
                "github:acme/agents//skills/deploy@<1.4",
                file,
                "deploy-v1.3.0",
                true,
            ),
            (
                "github:acme/agents//skills/deploy@<1.4",
                file,
                "skills/deploy/v1.3.0",
                true,
            ),
            (
                "github:acme/agents//skills/deploy@<1.4",
                file,
                "v1.3.0-rc.1",
                true,
            ),
            (
                "github:acme/agents//skills/deploy@<1.4",
                file,
                "v1.4.0-rc.1",
                true,
            ),
            (
                "github:acme/agents//skills/deploy@<1.4",
                file,
                "v1.4.1-rc.1",
                false,
            ),
            (
                "github:acme/agents//skills/deploy@<1.4",
                file,
                "main",
                false,
            ),
            ("github:acme/agents@1.3.0", file, "v1.3.0", true),
            ("github:acme/agents@v1.3.0", file, "1.3.0", true),
            ("github:acme/agents@main", file, "main", true),
            ("github:acme/agents@3f2a91c", file, "main", true),
            ("github:acme/agents@3F2A91C", file, "main", true),
            ("github:acme/agents@abcdef1", file, "main", false),
            ("https://github.com/acme/agents@<2", file, "v1.0.0", false),
            ("ssh://git@github.com/acme/agents@<2", file, "v1.0.0", true),
            (
                "git@github.com:acme/agents//skills@<2",
                file,
                "v1.0.0",
                true,
            ),
            (
                "github:acme/agents//skills/a@b@<2",
                "skills/a@b",
                "v1.0.0",
                true,
            ),
        ] {
            assert_eq!(
                matches(pattern, path, label),
                expected,
                "{pattern} {path} {label}"
            );
        }
    }

    #[test]
    fn mistakes_are_reported() {
        for text in [
            "acme/agents",
            "github:acme",
            "github:acme/agents@",
            "github:acme/agents@^^",
            "github:acme/agents//../x",
            "github:acme/agents//a//b",
            "github:acme/agents//[",
        ] {
            assert!(ResourcePattern::parse(text).is_err(), "{text}");
        }
    }
}
