use percent_encoding::percent_decode_str;

use super::hosts::{HostPage, PageReference, page_of};
use super::inner::{InnerAddress, inner_of};
use super::problem::AddressProblem;
use super::source::SourceAddress;
use crate::source_versions::{SourceVersions, is_abbreviated_commit};

/// A page that shows a file or directory of a repository.
///
/// A branch name may contain slashes, so only the repository knows where the reference ends and the path begins.
#[derive(Clone, Debug)]
pub struct BrowserAddress {
    /// The repository.
    pub url: SourceAddress,
    /// The reference that the page shows.
    pub reference: PageReference,
    segments: Vec<String>,
}

/// Parses the URL of a page; `None` for the URL of a repository.
pub(super) fn parse_page(
    front: &str,
    tail: &str,
) -> Result<Option<BrowserAddress>, AddressProblem> {
    let Some(authority) = front
        .strip_prefix("https://")
        .or(front.strip_prefix("http://"))
    else {
        return Ok(None);
    };
    // Pages have line numbers and view options there, which identify nothing in the repository.
    let path = tail.split(['?', '#']).next().unwrap_or(tail);
    let segments: Vec<&str> = path.trim_matches('/').split('/').collect();
    if segments.contains(&"") {
        return Ok(None);
    }
    let host = authority
        .rsplit_once('@')
        .map_or(authority, |(_, host)| host);
    let Some(HostPage {
        repository,
        reference,
        segments: page_segments,
    }) = page_of(host, &segments)
    else {
        return Ok(None);
    };
    let mut page_segments = decoded(&page_segments);
    // Newer pages use `refs/heads/main` to state the kind of reference.
    let reference = match (
        page_segments.first().map(String::as_str),
        page_segments.get(1).map(String::as_str),
    ) {
        (Some("refs"), Some("heads")) if page_segments.len() > 2 => PageReference::Branch,
        (Some("refs"), Some("tags")) if page_segments.len() > 2 => PageReference::Tag,
        _ => reference,
    };
    if page_segments.len() > 2
        && page_segments[0] == "refs"
        && ["heads", "tags"].contains(&page_segments[1].as_str())
    {
        page_segments.drain(..2);
    }
    Ok(Some(BrowserAddress {
        url: SourceAddress::parse(&format!("{front}/{}", repository.join("/")))?,
        reference,
        segments: page_segments,
    }))
}

fn decoded(segments: &[&str]) -> Vec<String> {
    let decode = |segment: &&str| percent_decode_str(segment).decode_utf8_lossy().into_owned();
    segments.iter().map(decode).collect()
}

impl BrowserAddress {
    /// Splits into reference and path; the longest prefix that is a reference of the repository wins. `None` if no
    /// prefix is one.
    pub fn split(&self, versions: &SourceVersions) -> Option<Result<InnerAddress, AddressProblem>> {
        let is_tag = |name: &str| versions.tags.contains_key(name);
        let is_branch = |name: &str| versions.branches.contains_key(name);
        let exists = |name: &str| match self.reference {
            PageReference::Any => is_tag(name) || is_branch(name),
            PageReference::Branch => is_branch(name),
            PageReference::Tag => is_tag(name),
            PageReference::Commit => false,
        };
        // The longest name that exists: with a branch `release/1` the page `tree/release/1/agents` shows `agents`,
        // and the shortest match would be wrong.
        let longest = (1..=self.segments.len())
            .rev()
            .find(|count| exists(&self.segments[..*count].join("/")));
        // A branch may look like a commit, so commits are tried after names that exist.
        let is_commit = is_abbreviated_commit(&self.segments[0])
            && matches!(self.reference, PageReference::Any | PageReference::Commit);
        let is_head = self.reference == PageReference::Any && self.segments[0] == "HEAD";
        let count = longest.or((is_commit || is_head).then_some(1))?;
        let reference = if is_head && longest.is_none() {
            None
        } else {
            Some(self.segments[..count].join("/"))
        };
        Some(inner_of(
            &self.segments[count..].join("/"),
            reference.as_deref(),
        ))
    }

    /// Uses the first segment as the reference, for callers without access to the repository.
    pub fn split_at_first(&self) -> Result<InnerAddress, AddressProblem> {
        let (reference, path) = self.first_split();
        inner_of(&path, Some(reference))
    }

    /// The first split, as strings.
    pub fn first_split(&self) -> (&str, String) {
        (&self.segments[0], self.segments[1..].join("/"))
    }

    /// The reference and the path as in the URL of the page.
    pub fn location(&self) -> String {
        self.segments.join("/")
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::collections::BTreeMap;

    use super::super::{Address, AddressContext, DefaultHost};
    use super::*;

    fn names(names: &[&str]) -> crate::revisions::NamedRevisions {
        let id: crate::digest::Revision = "1".repeat(40).parse().unwrap();
        names
            .iter()
            .map(|name| ((*name).to_owned(), id.clone()))
            .collect()
    }

    #[test]
    fn the_longest_beginning_that_is_a_reference_is_the_reference() {
        let versions = SourceVersions {
            default_branch: Some("main".to_owned()),
            branches: names(&["main", "feature/x", "feature/x/y", "release"]),
            tags: names(&["v1.0.0", "skills/pdf/v1", "release"]),
            annotated: BTreeMap::new(),
        };
        let host = DefaultHost::default();
        let context = AddressContext {
            default_host: &host,
            is_source: &|_| false,
        };
        let sha = "a".repeat(40);
        for (page, expected) in [
            ("tree/main/skills/pdf", Some("skills/pdf@main")),
            ("tree/main", Some("@main")),
            (
                "blob/v1.0.0/skills/pdf/SKILL.md?plain=1#L3",
                Some("skills/pdf/SKILL.md@v1.0.0"),
            ),
            ("tree/feature/x/skills", Some("skills@feature/x")),
            ("tree/feature/x/y/skills", Some("skills@feature/x/y")),
            ("tree/feature/x/yes", Some("yes@feature/x")),
            (
                "tree/skills/pdf/v1/skills/pdf",
                Some("skills/pdf@skills/pdf/v1"),
            ),
            ("tree/feature/z", None),
            ("tree/nope/skills", None),
            ("tree/HEAD/skills", Some("skills")),
            (
                &format!("tree/{sha}/skills"),
                Some(&*format!("skills@{sha}")),
            ),
            ("tree/abcdef1/skills", Some("skills@abcdef1")),
            ("tree/refs/heads/main/skills", Some("skills@main")),
            ("tree/refs/tags/v1.0.0/skills", Some("skills@v1.0.0")),
            ("tree/refs/heads/v1.0.0/skills", None),
            ("src/branch/feature/x/skills", Some("skills@feature/x")),
            ("src/tag/v1.0.0/skills", Some("skills@v1.0.0")),
            ("src/branch/v1.0.0/skills", None),
            ("src/commit/abcdef1/a%20b", Some("a b@abcdef1")),
            ("-/tree/main/skills/", Some("skills@main")),
            ("-/blob/main/agents/a.md", Some("agents/a.md@main")),
        ] {
            let text = format!("https://host.example/o/r/{page}");
            let Address::Browser(browser) = Address::parse(&text, &context).unwrap() else {
                panic!("{text} is a page");
            };
            assert_eq!(browser.url.redacted(), "https://host.example/o/r", "{text}");
            let split = browser
                .split(&versions)
                .map(|inner| inner.unwrap().to_string());
            assert_eq!(split.as_deref(), expected, "{text}");
        }
    }
}
