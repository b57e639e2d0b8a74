//! Hosts of repositories, and the pages on which they show files.

use std::fmt;

/// A host that has a short name in URLs.
pub(super) struct KnownHost {
    /// The prefix before `:`.
    pub(super) alias: &'static str,
    pub(super) host: &'static str,
    pub(super) nesting: GroupNesting,
}

/// Whether a repository is always `OWNER/REPO`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum GroupNesting {
    Flat,
    Nested,
}

pub(super) const KNOWN_HOSTS: [KnownHost; 4] = [
    KnownHost {
        alias: "github",
        host: "github.com",
        nesting: GroupNesting::Flat,
    },
    KnownHost {
        alias: "gitlab",
        host: "gitlab.com",
        nesting: GroupNesting::Nested,
    },
    KnownHost {
        alias: "codeberg",
        host: "codeberg.org",
        nesting: GroupNesting::Flat,
    },
    KnownHost {
        alias: "bitbucket",
        host: "bitbucket.org",
        nesting: GroupNesting::Flat,
    },
];

/// The host of that name; `www.` says nothing.
pub(super) fn known_host(host: &str) -> Option<&'static KnownHost> {
    let host = host.to_ascii_lowercase();
    let host = host.strip_prefix("www.").unwrap_or(&host);
    KNOWN_HOSTS.iter().find(|known| known.host == host)
}

/// The host that a short name represents.
pub(crate) fn host_of_alias(alias: &str) -> Option<&'static str> {
    let known = KNOWN_HOSTS.iter().find(|known| known.alias == alias);
    known.map(|known| known.host)
}

/// Whether paths on a host are the same in upper and lower case.
pub(crate) fn ignores_case(host: &str) -> bool {
    // Only of these hosts it is known. On any other server two paths that differ in case may be two repositories.
    known_host(host).is_some()
}

/// The host of `OWNER/REPO`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DefaultHost {
    /// Everything before `/OWNER/REPO`.
    base: String,
}

/// Why something is not a host.
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
    /// Reads `HOST[:PORT]`, which is reached over https, or the beginning of a URL.
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
        // Of an unknown host nesting is assumed, as on a private GitLab: the flat rule would refuse its group
        // repositories.
        known_host(host).map_or(GroupNesting::Nested, |known| known.nesting)
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

/// A page that shows a file or directory: its repository, and what is after the marker.
pub(super) struct HostPage<'u> {
    pub(super) repository: Vec<&'u str>,
    pub(super) reference: PageReference,
    /// The reference and the path; where one ends only the repository knows.
    pub(super) shown: Vec<&'u str>,
}

/// Pages at GitHub, and after `-` at GitLab.
const VIEWS: [&str; 5] = ["tree", "blob", "raw", "blame", "edit"];

/// Finds what a page shows by the segments of its path; nothing if it is not such a page.
pub(super) fn page_of<'u>(host: &str, segments: &[&'u str]) -> Option<HostPage<'u>> {
    let is_bitbucket = known_host(host).is_some_and(|known| known.alias == "bitbucket");
    // A repository has at least an owner and a name.
    // From the left: a directory inside the repository may be named `tree` or `src` as well, and the first marker
    // is the host's.
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
        let shown = segments[after..].to_vec();
        (!shown.is_empty()).then(|| HostPage {
            repository: segments[..at].to_vec(),
            reference,
            shown,
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
