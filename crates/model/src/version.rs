//! Version requirements, and versions in tags.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};

use semver::{Comparator, Version, VersionReq};
use serde::{Serialize, Serializer};

use crate::digest::Revision;

/// The requirement of a dependency without a version: the default branch, whatever its name.
pub const DEFAULT_VERSION: &str = "main";

/// Characters that may end a tag's prefix, as in `agents-v1.0.0`.
const PREFIX_ENDS: [char; 4] = ['-', '/', '@', '_'];

/// The version requirement of a dependency, as written.
#[derive(Clone, Debug)]
pub struct VersionRequirement {
    written: String,
    wants: RequirementKind,
}

#[derive(Clone, Debug)]
enum RequirementKind {
    /// The tag of this version.
    Exact(PrefixedVersion<Version>),
    /// Tags in a range.
    Range(PrefixedVersion<RangeComparators>),
    /// The highest stable tag.
    Latest(PrefixedVersion<()>),
    /// A tag, branch or commit by name.
    Name,
}

/// A value after a prefix such as `agents-`, which may be empty.
#[derive(Clone, Debug, PartialEq, Eq)]
struct PrefixedVersion<T> {
    prefix: String,
    value: T,
}

#[derive(Clone, Debug)]
struct RangeComparators {
    all: VersionReq,
    none: Vec<Comparator>,
}

/// The reason why text is not a requirement.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RequirementError {
    /// The text is empty.
    #[error("the version is empty")]
    Empty,
    /// The text begins like a range but is invalid.
    #[error("invalid version range `{0}`")]
    Range(String),
    /// Neither a version nor a valid git reference.
    #[error("invalid version, tag or branch name `{0}`")]
    Name(String),
}

/// The name of a version of a source: a tag, branch or commit as written, with its version number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VersionLabel {
    name: String,
    version: Option<PrefixedVersion<Version>>,
}

impl VersionRequirement {
    /// Parses a requirement.
    pub fn parse(text: &str) -> Result<Self, RequirementError> {
        let written = text.trim().to_owned();
        if written.is_empty() {
            return Err(RequirementError::Empty);
        }
        let wants = parse_requirement_kind(&written)?;
        Ok(VersionRequirement { written, wants })
    }

    /// The requirement as written.
    pub fn as_str(&self) -> &str {
        &self.written
    }

    /// Whether a tag matches; `latest` is decided among all tags.
    fn fits(&self, tag: &VersionLabel) -> bool {
        match (&self.wants, &tag.version) {
            (RequirementKind::Name, _) => tag.name == self.written,
            (RequirementKind::Exact(exact), Some(version)) => exact == version,
            (RequirementKind::Range(range), Some(version)) => {
                range.prefix == version.prefix && range.value.fit(&version.value)
            }
            (RequirementKind::Latest(latest), Some(version)) => {
                // Pre-releases must be required by name; `latest` is for most people.
                latest.prefix == version.prefix && version.value.pre.is_empty()
            }
            // A tag that is not a version can only be required by its exact name.
            (_, None) => tag.name == self.written,
        }
    }

    /// The indices of the tags that match, highest version first.
    pub fn among(&self, tags: &[VersionLabel]) -> Vec<usize> {
        let mut found: Vec<usize> = (0..tags.len()).filter(|at| self.fits(&tags[*at])).collect();
        found.sort_by(|a, b| tags[*b].cmp(&tags[*a]).then_with(|| a.cmp(b)));
        if matches!(self.wants, RequirementKind::Latest(_)) {
            let highest = found.first().map(|at| tags[*at].version.clone());
            // `latest` is the newest or nothing: an older one would hide that the newest does not fit.
            found.retain(|at| Some(&tags[*at].version) == highest.as_ref());
        }
        // Of `v1.0.0` and `1.0.0`, the one as written is meant.
        if found.iter().any(|at| tags[*at].name == self.written) {
            found.retain(|at| tags[*at].name == self.written);
        }
        found
    }

    /// Whether a tag that was chosen before may stay. `latest` allows every version to stay: `update` chooses newer
    /// ones.
    pub fn allows(&self, tag: &VersionLabel) -> bool {
        match &self.wants {
            // The newest tag depends on all tags. For a single one only the prefix can be compared.
            RequirementKind::Latest(latest) => tag.prefix() == Some(&latest.prefix),
            _ => self.fits(tag),
        }
    }

    /// The prefix before the version, as in `agents-^1.0`; `None` for a name.
    pub fn prefix(&self) -> Option<&str> {
        match &self.wants {
            RequirementKind::Exact(exact) => Some(&exact.prefix),
            RequirementKind::Range(range) => Some(&range.prefix),
            RequirementKind::Latest(latest) => Some(&latest.prefix),
            RequirementKind::Name => None,
        }
    }

    /// The name of a branch or commit, used if no tag has it.
    pub fn as_name(&self) -> Option<&str> {
        matches!(self.wants, RequirementKind::Name).then_some(self.written.as_str())
    }

    /// Whether several versions may match.
    pub fn is_range(&self) -> bool {
        matches!(
            self.wants,
            RequirementKind::Range(_) | RequirementKind::Latest(_)
        )
    }
}

impl RangeComparators {
    fn fit(&self, version: &Version) -> bool {
        self.all.matches(version) && !self.none.iter().any(|one| one.matches(version))
    }
}

fn parse_requirement_kind(text: &str) -> Result<RequirementKind, RequirementError> {
    for (prefix, rest) in splits(text) {
        let prefix = prefix.to_owned();
        if rest == "latest" {
            return Ok(RequirementKind::Latest(PrefixedVersion {
                prefix,
                value: (),
            }));
        }
        // A complete version before comparators: `1.2.3` is exact here, while the semver library would read it as
        // `^1.2.3`.
        if let Some(version) = full_version(rest) {
            return Ok(RequirementKind::Exact(PrefixedVersion {
                prefix,
                value: version,
            }));
        }
        if let Some(comparators) = comparators(rest, &prefix) {
            return Ok(RequirementKind::Range(PrefixedVersion {
                prefix,
                value: comparators,
            }));
        }
    }
    // None of these can be in the name of a ref, so the author meant a range, and a branch lookup would give a
    // misleading error.
    if text.contains(['^', '~', '=', '<', '>', '*', '!', ',']) {
        return Err(RequirementError::Range(text.to_owned()));
    }
    // A digest has a colon, which no ref has.
    if is_ref_name(text) || text.parse::<Revision>().is_ok() {
        Ok(RequirementKind::Name)
    } else {
        Err(RequirementError::Name(text.to_owned()))
    }
}

/// All splits of the text into a prefix and a remainder, the shortest prefix first.
fn splits(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let ends = text
        .match_indices(PREFIX_ENDS)
        .map(|(at, end)| at + end.len());
    std::iter::once(0)
        .chain(ends)
        .map(|at| text.split_at(at))
        .filter(|(prefix, _)| is_prefix(prefix))
}

fn is_prefix(prefix: &str) -> bool {
    !prefix.contains(|c: char| "^~=<>*!, ".contains(c) || c.is_control())
}

/// A complete version, with or without `v`.
fn full_version(text: &str) -> Option<Version> {
    Version::parse(text.strip_prefix(['v', 'V']).unwrap_or(text)).ok()
}

/// Comparators joined by commas; each may repeat the prefix.
fn comparators(text: &str, prefix: &str) -> Option<RangeComparators> {
    let mut all = Vec::new();
    let mut none = Vec::new();
    let parts: Vec<&str> = text.split(',').map(str::trim).collect();
    for part in &parts {
        let part = part.strip_prefix(prefix).unwrap_or(part);
        if part == "*" {
            continue;
        }
        let (excluded, part) = part
            .strip_prefix("!=")
            .map_or((false, part), |rest| (true, rest));
        // Alone, `1.2` may be the name of a branch or tag; next to another comparator it can only be a version.
        let comparator = comparator(part, excluded || parts.len() > 1)?;
        if excluded {
            none.push(comparator)
        } else {
            all.push(comparator)
        }
    }
    Some(RangeComparators {
        all: VersionReq { comparators: all },
        none,
    })
}

/// A single comparator. A bare version is not one by itself, unless it has a star: `1.2` may be the name of a tag.
fn comparator(text: &str, bare: bool) -> Option<Comparator> {
    let at = text.find(|c: char| !"^~=<>".contains(c))?;
    let (operator, version) = text.split_at(at);
    let version = version.trim_start();
    let version = version.strip_prefix(['v', 'V']).unwrap_or(version);
    if !version.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let stars = version.contains(['*', 'x', 'X']) && !version.contains('-');
    if operator.is_empty() && !bare && !stars {
        return None;
    }
    let operator = if operator.is_empty() && !stars {
        "="
    } else {
        operator
    };
    Comparator::parse(&format!("{operator}{version}")).ok()
}

/// Whether git accepts the text as the name of a branch or tag.
pub(crate) fn is_ref_name(text: &str) -> bool {
    let odd = |c: char| c.is_control() || c.is_whitespace() || "~^:?*[\\".contains(c);
    let part = |part: &str| !part.is_empty() && !part.starts_with('.') && !part.ends_with(".lock");
    !text.starts_with('-')
        && !text.ends_with('.')
        && !text.contains(odd)
        && !text.contains("..")
        && !text.contains("@{")
        && text != "@"
        && text.split('/').all(part)
}

impl VersionLabel {
    /// Parses a name; the shortest prefix that leaves a version applies.
    pub fn new(name: &str) -> Self {
        let version = splits(name).find_map(|(prefix, rest)| {
            full_version(rest).map(|value| PrefixedVersion {
                prefix: prefix.to_owned(),
                value,
            })
        });
        VersionLabel {
            name: name.to_owned(),
            version,
        }
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.name
    }

    /// The version number, if the name has one.
    pub fn version(&self) -> Option<&Version> {
        self.version.as_ref().map(|version| &version.value)
    }

    /// The prefix before the version; `None` if the name has no version.
    pub fn prefix(&self) -> Option<&str> {
        self.version.as_ref().map(|version| version.prefix.as_str())
    }

    /// The version without the prefix before it, or the whole name.
    pub fn without_prefix(&self) -> Self {
        match self.prefix() {
            None | Some("") => self.clone(),
            Some(prefix) => VersionLabel::new(&self.name[prefix.len()..]),
        }
    }

    /// The range of compatible versions, with the prefix; `None` if the name has no version.
    pub fn caret(&self) -> Option<String> {
        let PrefixedVersion { prefix, value } = self.version.as_ref()?;
        Some(format!(
            "{prefix}^{}.{}.{}",
            value.major, value.minor, value.patch
        ))
    }

    /// Whether it is a version without a pre-release part.
    pub fn is_stable(&self) -> bool {
        self.version
            .as_ref()
            .is_some_and(|version| version.value.pre.is_empty())
    }
}

impl fmt::Display for VersionLabel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

impl Serialize for VersionLabel {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.name)
    }
}

/// By version, then by name; names without a version are lowest.
impl Ord for VersionLabel {
    fn cmp(&self, other: &Self) -> Ordering {
        let version =
            |tag: &VersionLabel| tag.version.as_ref().map(|version| version.value.clone());
        version(self)
            .cmp(&version(other))
            .then_with(|| self.name.cmp(&other.name))
    }
}

impl PartialOrd for VersionLabel {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The range of versions that are compatible with the newest stable tag of a resource.
pub fn newest_range<'t>(tags: impl Iterator<Item = &'t str>, names: &[String]) -> Option<String> {
    newest_tag(tags, names)
        .as_ref()
        .and_then(VersionLabel::caret)
}

/// The newest stable tag of a resource. Tags with a prefix apply only if the prefix is one of the names of the
/// resource.
pub fn newest_tag<'t>(
    tags: impl Iterator<Item = &'t str>,
    names: &[String],
) -> Option<VersionLabel> {
    let stable: Vec<VersionLabel> = tags
        .map(VersionLabel::new)
        .filter(VersionLabel::is_stable)
        .collect();
    let is_named = |tag: &&VersionLabel| {
        let prefix = tag.prefix().unwrap_or_default();
        names
            .iter()
            .any(|name| prefix.strip_prefix(name.as_str()).is_some_and(is_separator))
    };
    // A tag with the name of the resource wins over a newer one of the whole repository: the author versions it
    // separately.
    let named_tag = stable.iter().filter(is_named).max();
    let newest = named_tag.or_else(|| stable.iter().filter(|tag| tag.prefix() == Some("")).max());
    newest.cloned()
}

/// Whether text separates a name from its version.
fn is_separator(text: &str) -> bool {
    matches!(text, "-" | "--" | "/" | "@" | "_")
}

/// The requirement that decides the version of a dependency.
#[derive(Clone, Debug)]
pub enum Requirement {
    /// A file on this machine, which has one version.
    Only,
    /// A requirement on versions.
    Version(VersionRequirement),
    /// The tip of a branch.
    Branch(String),
    /// A commit, by its full or abbreviated name.
    Rev(String),
}

impl Requirement {
    /// Whether several versions may match.
    pub fn is_range(&self) -> bool {
        matches!(self, Requirement::Version(requirement) if requirement.is_range())
    }

    /// The versions that `latest` chooses from; other requirements are returned as they are. If some versions are
    /// excluded, `latest` is the highest of the others.
    pub fn choices(&self) -> Requirement {
        let latest = match self {
            Requirement::Version(requirement) => match &requirement.wants {
                RequirementKind::Latest(latest) => Some(latest),
                _ => None,
            },
            _ => None,
        };
        let all = latest.and_then(|latest| {
            let all = VersionRequirement::parse(&format!("{}*", latest.prefix)).ok()?;
            // For the solver `latest` is any version with the prefix; the newest that fits is chosen anyway.
            all.is_range().then_some(Requirement::Version(all))
        });
        all.unwrap_or_else(|| self.clone())
    }

    /// Whether a version that was chosen before may stay.
    pub fn allows(&self, label: &VersionLabel, revision: &Revision) -> bool {
        match self {
            Requirement::Only => true,
            Requirement::Version(requirement) => requirement.allows(label),
            Requirement::Branch(branch) => branch == label.as_str(),
            Requirement::Rev(rev) => revision.as_str().starts_with(rev.as_str()),
        }
    }

    /// The requirement as written; empty if there is none.
    pub fn as_str(&self) -> &str {
        match self {
            Requirement::Only => "",
            Requirement::Version(requirement) => requirement.as_str(),
            Requirement::Branch(name) | Requirement::Rev(name) => name,
        }
    }

    fn key(&self) -> (u8, &str) {
        let rank = match self {
            Requirement::Only => 0,
            Requirement::Version(_) => 1,
            Requirement::Branch(_) => 2,
            // The precedence of several requirements: one that names a commit leaves no choice.
            Requirement::Rev(_) => 3,
        };
        (rank, self.as_str())
    }
}

impl PartialEq for Requirement {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Requirement {}

impl Hash for Requirement {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.key().hash(state);
    }
}

impl Ord for Requirement {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key().cmp(&other.key())
    }
}

impl PartialOrd for Requirement {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Requirement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_range_is_of_the_resource_or_of_all() {
        let names = ["pdf".to_owned(), "skills/pdf".to_owned()];
        for (tags, expected) in [
            (&["v1.0.0", "v1.2.0", "v2.0.0-rc.1"][..], Some("^1.2.0")),
            (&["1.0.0", "pdf-v0.3.0", "docx-v9.0.0"], Some("pdf-^0.3.0")),
            (&["pdf--v1.2.0"], Some("pdf--^1.2.0")),
            (
                &["skills/pdf/v1.2.0", "skills/docx/v3.0.0"],
                Some("skills/pdf/^1.2.0"),
            ),
            (&["docx-v9.0.0", "my-pdf-v1.0.0"], None),
            (&["v1.0.0-beta.1", "nightly"], None),
        ] {
            let found = newest_range(tags.iter().copied(), &names);
            assert_eq!(found.as_deref(), expected, "{tags:?}");
            if let Some(range) = found {
                assert!(
                    VersionRequirement::parse(&range).is_ok_and(|range| range.is_range()),
                    "{range}"
                );
            }
        }
    }

    const TAGS: &[&str] = &[
        "v1.0.0",
        "1.0.0",
        "v1.1.0",
        "v1.2.0-beta.1",
        "v1.2.0",
        "v2.0.0-rc.1",
        "v2.0.0",
        "v3.0.0-alpha",
        "agents-v1.0.0",
        "agents-v1.4.0",
        "agents-v2.0.0-beta",
        "my-tools-2-v0.3.0",
        "pack/v5.0.0",
        "nightly",
        "v1",
    ];

    fn chosen(requirement: &str) -> String {
        let tags: Vec<VersionLabel> = TAGS.iter().map(|name| VersionLabel::new(name)).collect();
        let requirement = VersionRequirement::parse(requirement).expect("a requirement");
        requirement
            .among(&tags)
            .iter()
            .map(|at| tags[*at].as_str())
            .collect::<Vec<_>>()
            .join(" ")
    }

    #[test]
    fn every_form_of_requirement_takes_its_tags_highest_first() {
        for (requirement, expected) in [
            ("v1.0.0", "v1.0.0"),
            ("1.0.0", "1.0.0"),
            ("=1.0.0", "v1.0.0 1.0.0"),
            ("1.1.0", "v1.1.0"),
            ("^1.0", "v1.2.0 v1.1.0 v1.0.0 1.0.0"),
            ("^v1.1", "v1.2.0 v1.1.0"),
            ("~1.1", "v1.1.0"),
            ("~v1.1.0", "v1.1.0"),
            (">1.1", "v2.0.0 v1.2.0"),
            (">=v1.1.0,<2", "v1.2.0 v1.1.0"),
            (">= 1.1.0, < 2.0.0", "v1.2.0 v1.1.0"),
            ("<=1.1.0", "v1.1.0 v1.0.0 1.0.0"),
            ("!=1.1.0", "v2.0.0 v1.2.0 v1.0.0 1.0.0"),
            (">=1.0,!=1.2", "v2.0.0 v1.1.0 v1.0.0 1.0.0"),
            ("*", "v2.0.0 v1.2.0 v1.1.0 v1.0.0 1.0.0"),
            ("1.*", "v1.2.0 v1.1.0 v1.0.0 1.0.0"),
            ("latest", "v2.0.0"),
            // Pre-releases match only if the requirement names one.
            ("^1.2.0-beta", "v1.2.0 v1.2.0-beta.1"),
            ("v1.2.0-beta.1", "v1.2.0-beta.1"),
            (">=3.0.0-alpha", "v3.0.0-alpha"),
            ("^3", ""),
            // Prefixes are separate.
            ("agents-^v1.0.0", "agents-v1.4.0 agents-v1.0.0"),
            ("agents-v1.0.0", "agents-v1.0.0"),
            ("agents-1.4.0", "agents-v1.4.0"),
            ("agents-*", "agents-v1.4.0 agents-v1.0.0"),
            ("agents-latest", "agents-v1.4.0"),
            ("agents->=1.2", "agents-v1.4.0"),
            ("agents->=1.0,agents-<1.2", "agents-v1.0.0"),
            ("my-tools-2-^0.3", "my-tools-2-v0.3.0"),
            ("pack/^5", "pack/v5.0.0"),
            ("agent-^1.0", ""),
            // Names.
            ("nightly", "nightly"),
            ("v1", "v1"),
            ("main", ""),
        ] {
            assert_eq!(chosen(requirement), expected, "{requirement}");
        }
    }

    #[test]
    fn invalid_requirements_are_reported() {
        for (text, expected) in [
            ("", RequirementError::Empty),
            ("  ", RequirementError::Empty),
            ("^1.x.y.z", RequirementError::Range("^1.x.y.z".to_owned())),
            (">=1.0 <2", RequirementError::Range(">=1.0 <2".to_owned())),
            (
                "^1.0 || ^2.0",
                RequirementError::Range("^1.0 || ^2.0".to_owned()),
            ),
            ("a b", RequirementError::Name("a b".to_owned())),
            ("-x", RequirementError::Name("-x".to_owned())),
            ("a..b", RequirementError::Name("a..b".to_owned())),
            ("x.lock", RequirementError::Name("x.lock".to_owned())),
        ] {
            assert_eq!(
                VersionRequirement::parse(text).map(|r| r.written),
                Err(expected),
                "{text}"
            );
        }
    }

    #[test]
    fn selectors_are_distinguished_by_kind_and_text() {
        let version = Requirement::Version(VersionRequirement::parse("main").expect("a name"));
        assert_ne!(version, Requirement::Branch("main".to_owned()));
        assert_eq!(version, version.clone());
        assert_eq!(version.to_string(), "main");
    }
}
