//! Hosts of repositories, and the pages on which they show files.

use std::fmt;

use super::known_hosts::{GroupNesting, KNOWN_HOSTS, known_host};

/// The host of `OWNER/REPO`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DefaultHost {
    /// Everything before `/OWNER/REPO`.
    base: String,
}

/// The reason why text is not a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a host is a name such as `git.example.com`, or the start of a URL")]
pub struct HostError;

impl Default for DefaultHost {
    fn default() -> Self {
        DefaultHost {
            base: format!("https://{}", KNOWN_HOSTS[0].host),
        }
    }
}

impl DefaultHost {
    /// Parses `HOST[:PORT]`, which implies https, or the beginning of a URL.
    pub fn parse(text: &str) -> Result<Self, HostError> {
        let text = text.trim().trim_end_matches('/');
        let base = if text.contains("://") {
            text.to_owned()
        } else {
            format!("https://{text}")
        };
        let (_, rest) = base.split_once("://").ok_or(HostError)?;
        let is_odd = |c: char| c.is_whitespace() || c.is_control() || "@?#".contains(c);
        let good = !rest.is_empty()
            && !rest.ends_with(':')
            && !rest.contains(is_odd)
            && super::SourceAddress::parse(&format!("{base}/owner/repo")).is_ok();
        good.then_some(DefaultHost { base }).ok_or(HostError)
    }

    pub(super) fn url_of(&self, repository: &str) -> String {
        format!("{}/{repository}", self.base)
    }

    pub(super) fn nesting(&self) -> GroupNesting {
        let host = self.base.split_once("://").map_or("", |(_, rest)| rest);
        // Nested groups are assumed for unknown hosts, as on a private GitLab: the flat rule would reject their
        // repositories.
        known_host(host).map_or(GroupNesting::Nested, |host_entry| host_entry.nesting)
    }
}

impl fmt::Display for DefaultHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.base.strip_prefix("https://").unwrap_or(&self.base))
    }
}

/// The reference in the URL of a repository page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageReference {
    /// A tag, a branch or a commit.
    Any,
    /// A branch.
    Branch,
    /// A tag.
    Tag,
    /// A commit.
    Commit,
}

/// A page that shows a file or directory: its repository, and the segments after the marker.
pub(super) struct HostPage<'u> {
    pub(super) repository: Vec<&'u str>,
    pub(super) reference: PageReference,
    /// The reference and the path; only the repository knows where the first one ends.
    pub(super) segments: Vec<&'u str>,
}

/// Pages at GitHub, and after `-` at GitLab.
const VIEWS: [&str; 5] = ["tree", "blob", "raw", "blame", "edit"];

/// Finds the page by the segments of its path; `None` if it is not such a page.
pub(super) fn page_of<'u>(host: &str, segments: &[&'u str]) -> Option<HostPage<'u>> {
    let is_bitbucket = known_host(host).is_some_and(|host_entry| host_entry.alias == "bitbucket");
    // A repository has at least an owner and a name. The search starts from the left: a directory in the repository may
    // be named `tree` or `src` too, and the first marker is the host's.
    (2..segments.len()).find_map(|at| {
        let (reference, after) = match &segments[at..] {
            ["-", view, ..] if VIEWS.contains(view) => (PageReference::Any, at + 2),
            ["src", kind, ..] if !is_bitbucket && forgejo_reference(kind).is_some() => {
                (forgejo_reference(kind)?, at + 2)
            }
            ["src", ..] if is_bitbucket => (PageReference::Any, at + 1),
            [view, ..] if VIEWS.contains(view) => (PageReference::Any, at + 1),
            _ => return None,
        };
        let after_marker = segments[after..].to_vec();
        (!after_marker.is_empty()).then(|| HostPage {
            repository: segments[..at].to_vec(),
            reference,
            segments: after_marker,
        })
    })
}

fn forgejo_reference(kind: &str) -> Option<PageReference> {
    match kind {
        "branch" => Some(PageReference::Branch),
        "tag" => Some(PageReference::Tag),
        "commit" => Some(PageReference::Commit),
        _ => None,
    }
}
