use percent_encoding::percent_decode_str;

use super::hosts::{HostPage, PageReference, page_of};
use super::inner::{InnerAddress, inner_of};
use super::problem::AddressProblem;
use super::source::SourceAddress;
use crate::source_versions::{SourceVersions, is_abbreviated_commit};

/// A page that shows a file or directory of a repository.
///
/// A branch may have slashes in its name, so where the reference ends and the path begins only the repository knows.
#[derive(Clone, Debug)]
pub struct BrowserAddress {
    /// The repository.
    pub url: SourceAddress,
    /// The reference that the page shows.
    pub reference: PageReference,
    shown: Vec<String>,
}

/// Reads the page of a URL; nothing if it is the URL of a repository.
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
    // Pages carry line numbers and view options there, which name nothing in the repository.
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
        shown,
    }) = page_of(host, &segments)
    else {
        return Ok(None);
    };
    let mut shown = decoded(&shown);
    // `refs/heads/main` is how newer pages say which kind of name follows.
    let reference = match (
        shown.first().map(String::as_str),
        shown.get(1).map(String::as_str),
    ) {
        (Some("refs"), Some("heads")) if shown.len() > 2 => PageReference::Branch,
        (Some("refs"), Some("tags")) if shown.len() > 2 => PageReference::Tag,
        _ => reference,
    };
    if shown.len() > 2 && shown[0] == "refs" && ["heads", "tags"].contains(&shown[1].as_str()) {
        shown.drain(..2);
    }
    Ok(Some(BrowserAddress {
        url: SourceAddress::parse(&format!("{front}/{}", repository.join("/")))?,
        reference,
        shown,
    }))
}

fn decoded(segments: &[&str]) -> Vec<String> {
    let decode = |segment: &&str| percent_decode_str(segment).decode_utf8_lossy().into_owned();
    segments.iter().map(decode).collect()
}

impl BrowserAddress {
    /// The reference and the path, where the longest beginning that is a reference of the repository is the reference.
    /// Nothing if no beginning is one.
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
        let longest = (1..=self.shown.len())
            .rev()
            .find(|count| exists(&self.shown[..*count].join("/")));
        // A branch may look like a commit, so commits are tried after names that exist.
        let is_commit = is_abbreviated_commit(&self.shown[0])
            && matches!(self.reference, PageReference::Any | PageReference::Commit);
        let is_head = self.reference == PageReference::Any && self.shown[0] == "HEAD";
        let count = longest.or((is_commit || is_head).then_some(1))?;
        let reference = if is_head && longest.is_none() {
            None
        } else {
            Some(self.shown[..count].join("/"))
        };
        Some(inner_of(
            &self.shown[count..].join("/"),
            reference.as_deref(),
        ))
    }

    /// The first segment as the reference, for those who cannot ask the repository.
    pub fn split_at_first(&self) -> Result<InnerAddress, AddressProblem> {
        let (reference, path) = self.first_split();
        inner_of(&path, Some(reference))
    }

    /// The first split, as strings.
    pub fn first_split(&self) -> (&str, String) {
        (&self.shown[0], self.shown[1..].join("/"))
    }

    /// The reference and the path as the page has them.
    pub fn shown(&self) -> String {
        self.shown.join("/")
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::collections::BTreeMap;

    use super::super::{Address, AddressContext, DefaultHost};
    use super::*;

    fn names(names: &[&str]) -> BTreeMap<String, crate::digest::ObjectId> {
        let id: crate::digest::ObjectId = "1".repeat(40).parse().unwrap();
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
