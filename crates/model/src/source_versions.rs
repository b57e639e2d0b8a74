//! The versions of a source, and those that a requirement allows.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::digest::{DIGEST_PREFIX, Revision};
use crate::revisions::NamedRevisions;
use crate::version::{
    DEFAULT_VERSION, Requirement, VersionLabel, VersionRequirement, newest_range,
};

/// The fewest digits of an abbreviated commit: fewer are probably a name.
// Seven is the shortest abbreviation that git prints itself.
const FEWEST_DIGITS: usize = 7;
const MOST_DIGITS: usize = 64;
const LATEST: &str = "latest";

/// The tags and branches of a source with their revisions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceVersions {
    /// The default branch.
    pub default_branch: Option<String>,
    /// Branches.
    pub branches: NamedRevisions,
    /// Tags.
    pub tags: NamedRevisions,
    /// The objects of annotated tags, which have a separate date.
    pub annotated: BTreeMap<String, Revision>,
}

/// A required tag, branch or commit of a source, with its revision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResolvedVersion {
    /// The tag or branch, or the commit as written.
    pub label: VersionLabel,
    /// The commit.
    pub revision: Revision,
}

impl SourceVersions {
    /// The reference with a name, as git resolves it: a tag before a branch, and the default branch without a name.
    pub fn reference(&self, name: Option<&str>) -> Option<ResolvedVersion> {
        let name = name.filter(|name| *name != "HEAD");
        let written = name.or(self.default_branch.as_deref())?;
        let (label, tags, branches) = match (
            written.strip_prefix("refs/tags/"),
            written.strip_prefix("refs/heads/"),
        ) {
            (Some(tag), _) => (tag, Some(&self.tags), None),
            (_, Some(branch)) => (branch, None, Some(&self.branches)),
            _ => (
                written,
                Some(&self.tags).filter(|_| name.is_some()),
                Some(&self.branches),
            ),
        };
        let revision = tags
            .and_then(|tags| tags.get(label))
            .or_else(|| branches?.get(label))?;
        Some(ResolvedVersion {
            label: VersionLabel::new(label),
            revision: revision.clone(),
        })
    }

    /// The stable tags with a version, highest first.
    pub fn stable_tags(&self) -> Vec<VersionLabel> {
        let mut stable: Vec<VersionLabel> =
            self.all_tags().filter(VersionLabel::is_stable).collect();
        stable.sort_by(|left, right| right.cmp(left));
        stable
    }

    fn all_tags(&self) -> impl Iterator<Item = VersionLabel> {
        self.tags.keys().map(|name| VersionLabel::new(name))
    }
}

/// Whether a name can be an abbreviated commit.
pub fn is_abbreviated_commit(name: &str) -> bool {
    let digits = name.strip_prefix(DIGEST_PREFIX).unwrap_or(name);
    (FEWEST_DIGITS..=MOST_DIGITS).contains(&digits.len())
        && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// The versions of a source by index: branches by name, then tags from the highest version down.
#[derive(Clone, Debug)]
pub struct VersionIndex {
    versions: Arc<SourceVersions>,
    branches: Vec<VersionLabel>,
    tags: Vec<VersionLabel>,
    /// The tags that a requirement allows. Thousands of resources have the same requirement, and each would compare it
    /// with every tag.
    among_tags: Arc<Mutex<BTreeMap<String, Vec<usize>>>>,
}

/// The versions of a source that a requirement allows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AllowedVersions {
    /// These versions by index, best first; empty if nothing fits.
    Listed(Vec<usize>),
    /// The commit with these digits, which may be unlisted.
    Commit(String),
}

impl VersionIndex {
    /// Numbers the versions of a source.
    pub fn new(versions: Arc<SourceVersions>) -> Self {
        let mut tags: Vec<VersionLabel> = versions.all_tags().collect();
        tags.sort_by(|left, right| right.cmp(left));
        VersionIndex {
            branches: versions
                .branches
                .keys()
                .map(|name| VersionLabel::new(name))
                .collect(),
            tags,
            versions,
            among_tags: Arc::default(),
        }
    }

    /// All versions by name.
    pub fn versions(&self) -> &SourceVersions {
        &self.versions
    }

    /// The number of versions.
    pub fn count(&self) -> usize {
        self.branches.len() + self.tags.len()
    }

    /// The version with an index.
    pub fn version(&self, number: usize) -> Option<ResolvedVersion> {
        let (label, revisions) = match self.branches.get(number) {
            Some(branch) => (branch, &self.versions.branches),
            None => {
                let tag = self.tags.get(number - self.branches.len())?;
                (tag, &self.versions.tags)
            }
        };
        Some(ResolvedVersion {
            label: label.clone(),
            revision: revisions.get(label.as_str())?.clone(),
        })
    }

    /// The indices of stable tags, highest first, each with its tag.
    pub fn stable(&self) -> impl Iterator<Item = (usize, &VersionLabel)> {
        let numbered = self.tags.iter().enumerate();
        numbered
            .filter(|(_, tag)| tag.is_stable())
            .map(|(at, tag)| (self.branches.len() + at, tag))
    }

    /// The tags of a revision: another requirement may name it by one of them. Tags whose revisions were not needed yet
    /// are left out: each would cost a request.
    pub fn tags_of(&self, revision: &Revision) -> impl Iterator<Item = usize> {
        let numbered = self.tags.iter().enumerate();
        numbered
            .filter(move |(_, tag)| {
                self.versions.tags.known_revision(tag.as_str()) == Some(revision)
            })
            .map(|(at, _)| self.branches.len() + at)
    }

    /// The versions that a requirement allows.
    pub fn allowed(&self, requirement: &Requirement) -> AllowedVersions {
        match requirement {
            Requirement::Only => AllowedVersions::Listed(Vec::new()),
            Requirement::Branch(branch) => AllowedVersions::Listed(self.branch(branch)),
            Requirement::Rev(digits) => AllowedVersions::Commit(digits.clone()),
            Requirement::Version(requirement) => self.allowed_by(requirement),
        }
    }

    fn allowed_by(&self, requirement: &VersionRequirement) -> AllowedVersions {
        // A source may name its newest version itself, and then that name is required.
        let own_latest = requirement.as_str() == LATEST
            && self.versions.default_branch.as_deref() == Some(LATEST);
        let tags = self.among_tags(requirement);
        if !tags.is_empty() && !own_latest {
            let numbers = tags.into_iter().map(|at| self.branches.len() + at);
            return AllowedVersions::Listed(numbers.collect());
        }
        // A branch may have a name that reads as a version; ranges are not names.
        match requirement.as_str() {
            name if self.versions.branches.contains_key(name) => {
                AllowedVersions::Listed(self.branch(name))
            }
            name if requirement.as_name().is_some() && is_abbreviated_commit(name) => {
                AllowedVersions::Commit(name.to_owned())
            }
            // A source without branches has its newest version instead of a default one.
            DEFAULT_VERSION if self.branches.is_empty() => {
                let newest = self.stable().map(|(number, _)| number);
                AllowedVersions::Listed(newest.take(1).collect())
            }
            DEFAULT_VERSION => AllowedVersions::Listed(self.default_branch()),
            _ => AllowedVersions::Listed(Vec::new()),
        }
    }

    fn among_tags(&self, requirement: &VersionRequirement) -> Vec<usize> {
        let known = self.among_tags.lock();
        let mut known = known.unwrap_or_else(PoisonError::into_inner);
        if let Some(tags) = known.get(requirement.as_str()) {
            return tags.clone();
        }
        let tags = requirement.among(&self.tags);
        known.insert(requirement.as_str().to_owned(), tags.clone());
        tags
    }

    fn branch(&self, branch: &str) -> Vec<usize> {
        let (Some(at), Some(revision)) = (
            self.branches
                .iter()
                .position(|name| name.as_str() == branch),
            self.versions.branches.get(branch),
        ) else {
            return Vec::new();
        };
        std::iter::once(at).chain(self.tags_of(revision)).collect()
    }

    /// The branch that the source declares as its default.
    fn default_branch(&self) -> Vec<usize> {
        let default = self.versions.default_branch.as_deref();
        default.map(|name| self.branch(name)).unwrap_or_default()
    }
}

/// The default requirement: the newest stable tag, else the default branch.
pub fn default_requirement(
    versions: &SourceVersions,
    names: &[String],
) -> Option<VersionRequirement> {
    let range = newest_range(versions.tags.keys().map(String::as_str), names);
    let latest = range.map(|range| {
        let prefix = range.split('^').next().unwrap_or_default();
        format!("{prefix}latest")
    });
    let branch = || versions.default_branch.clone();
    VersionRequirement::parse(&latest.or_else(branch)?).ok()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn id(digit: &str) -> Revision {
        digit.repeat(40).parse().unwrap()
    }

    fn named(names: &[(&str, &str)]) -> NamedRevisions {
        let one = |(name, digit): &(&str, &str)| ((*name).to_owned(), id(digit));
        names.iter().map(one).collect()
    }

    #[test]
    fn a_name_is_a_tag_before_it_is_a_branch() {
        let versions = SourceVersions {
            default_branch: Some("main".to_owned()),
            branches: named(&[("main", "1"), ("v1", "2"), ("feature/x", "3")]),
            tags: named(&[("v1", "4"), ("main", "5")]),
            annotated: BTreeMap::new(),
        };
        for (name, label, digit) in [
            (None, "main", "1"),
            (Some("v1"), "v1", "4"),
            (Some("main"), "main", "5"),
            (Some("feature/x"), "feature/x", "3"),
            (Some("HEAD"), "main", "1"),
            (Some("refs/heads/v1"), "v1", "2"),
            (Some("refs/tags/main"), "main", "5"),
        ] {
            let expected = ResolvedVersion {
                label: VersionLabel::new(label),
                revision: id(digit),
            };
            assert_eq!(versions.reference(name), Some(expected), "{name:?}");
        }
        assert_eq!(versions.reference(Some("nope")), None);
        assert_eq!(SourceVersions::default().reference(None), None);
    }

    #[test]
    fn latest_is_the_default_branch_of_that_name_or_the_newest_tag() {
        let allowed = |branch: &str| {
            let index = VersionIndex::new(Arc::new(SourceVersions {
                default_branch: Some(branch.to_owned()),
                branches: named(&[(branch, "1")]),
                tags: named(&[("1.0.0", "2"), ("1.1.0", "3")]),
                annotated: BTreeMap::new(),
            }));
            let latest = VersionRequirement::parse("latest").unwrap();
            match index.allowed(&Requirement::Version(latest)) {
                AllowedVersions::Listed(numbers) => {
                    index.version(numbers[0]).unwrap().label.to_string()
                }
                AllowedVersions::Commit(digits) => digits,
            }
        };
        assert_eq!(allowed("latest"), "latest");
        assert_eq!(allowed("main"), "1.1.0");
    }

    #[test]
    fn without_branches_the_newest_version_is_the_default() {
        let index = VersionIndex::new(Arc::new(SourceVersions {
            tags: named(&[("1.0.0", "2"), ("1.1.0", "3"), ("2.0.0-rc.1", "4")]),
            ..SourceVersions::default()
        }));
        let default = VersionRequirement::parse(DEFAULT_VERSION).unwrap();
        let AllowedVersions::Listed(numbers) = index.allowed(&Requirement::Version(default)) else {
            panic!("no commit was required");
        };
        let labels = numbers
            .iter()
            .map(|number| index.version(*number).unwrap().label);
        assert_eq!(
            labels.map(|label| label.to_string()).collect::<Vec<_>>(),
            ["1.1.0"]
        );
    }

    #[test]
    fn a_requirement_allows_tags_before_branches_before_commits() {
        let index = VersionIndex::new(Arc::new(SourceVersions {
            default_branch: Some("trunk".to_owned()),
            branches: named(&[("trunk", "1"), ("next", "2")]),
            tags: named(&[("v1.0.0", "3"), ("v1.1.0", "1"), ("v2.0.0-rc.1", "4")]),
            annotated: BTreeMap::new(),
        }));
        let labels = |text: &str| {
            let requirement = Requirement::Version(VersionRequirement::parse(text).unwrap());
            match index.allowed(&requirement) {
                AllowedVersions::Commit(digits) => vec![format!("commit {digits}")],
                AllowedVersions::Listed(numbers) => numbers
                    .into_iter()
                    .map(|number| index.version(number).unwrap().label.to_string())
                    .collect(),
            }
        };
        assert_eq!(labels("^1.0"), ["v1.1.0", "v1.0.0"]);
        assert_eq!(labels("latest"), ["v1.1.0"]);
        // The tag of a branch's commit matches too.
        assert_eq!(labels("trunk"), ["trunk", "v1.1.0"]);
        assert_eq!(labels("main"), ["trunk", "v1.1.0"], "the default branch");
        assert_eq!(labels("abcdef1"), ["commit abcdef1"]);
        assert!(labels("^3.0").is_empty() && labels("nope").is_empty());
        let branch = Requirement::Branch("next".to_owned());
        assert_eq!(index.allowed(&branch), AllowedVersions::Listed(vec![0]));
        assert_eq!(index.stable().count(), 2);
        assert_eq!(index.version(index.count()), None);
        let digest = format!("sha256:{}", "a".repeat(64));
        assert_eq!(labels(&digest), [format!("commit {digest}")]);
    }
}
