//! Patterns over the URLs of repositories, such as `github:corp/*`.

use crate::address::{AddressKind, SourceAddress, canonical, host_of_alias, ignores_case};
use crate::glob::{Glob, GlobError};

/// A pattern of repository URLs; `*` does not match `/`, `**` does.
#[derive(Clone, Debug)]
pub struct RepositoryPattern {
    written: String,
    /// The scheme; `None` matches every scheme, as in the short forms.
    scheme: Option<String>,
    glob: Glob,
}

/// The reason why text is not a pattern.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RepositoryPatternError {
    /// Neither a URL nor a short form.
    #[error("a pattern is a URL such as `https://git.corp/**`, or `github:owner/*`")]
    NoHost,
    /// An invalid pattern.
    #[error("invalid pattern: {0}")]
    Glob(GlobError),
}

impl RepositoryPattern {
    /// Parses a pattern.
    pub fn parse(text: &str) -> Result<Self, RepositoryPatternError> {
        let written = text.trim().to_owned();
        let (scheme, rest) = scheme_and_rest(&written).ok_or(RepositoryPatternError::NoHost)?;
        let glob = Glob::new(&normal(&rest)).map_err(RepositoryPatternError::Glob)?;
        Ok(RepositoryPattern {
            written,
            scheme,
            glob,
        })
    }

    /// The pattern as it is written.
    pub fn as_str(&self) -> &str {
        &self.written
    }

    /// Whether a source matches, however its URL is written.
    pub fn matches(&self, address: &SourceAddress) -> bool {
        let url = match address.kind() {
            AddressKind::Directory(_) => return false,
            AddressKind::FileUrl(path) => format!("file://{path}"),
            AddressKind::Remote => canonical(address),
        };
        let Some((scheme, rest)) = url.split_once("://") else {
            return false;
        };
        let fits = self
            .scheme
            .as_ref()
            .is_none_or(|required| required == scheme);
        fits && self.glob.is_match(&normal(rest))
    }
}

/// The scheme, if it matters, and the host with the path.
fn scheme_and_rest(text: &str) -> Option<(Option<String>, String)> {
    let text = text.strip_prefix("git+").unwrap_or(text);
    if let Some((scheme, rest)) = text.split_once("://") {
        let rest = match rest.split_once('/') {
            Some((host, path)) => format!("{}/{path}", host_alone(host)),
            None => host_alone(rest).to_owned(),
        };
        return Some((Some(scheme.to_ascii_lowercase()), rest));
    }
    let (front, path) = text.split_once(':')?;
    if let Some(host) = host_of_alias(front) {
        return Some((None, format!("{host}/{path}")));
    }
    // `git@host:path` implies ssh.
    let is_scp = !front.contains('/') && !path.starts_with("//");
    is_scp.then(|| {
        let path = path.trim_start_matches('/');
        (
            Some("ssh".to_owned()),
            format!("{}/{path}", host_alone(front)),
        )
    })
}

fn host_alone(authority: &str) -> &str {
    authority
        .rsplit_once('@')
        .map_or(authority, |(_, host)| host)
}

/// The host in lower case, and the path too where case is ignored, without `.git` and a final slash.
fn normal(rest: &str) -> String {
    let rest = rest.trim_end_matches('/');
    let rest = rest.strip_suffix(".git").unwrap_or(rest);
    match rest.split_once('/') {
        Some((host, _)) if ignores_case(host) => rest.to_ascii_lowercase(),
        Some((host, path)) => format!("{}/{path}", host.to_ascii_lowercase()),
        None => rest.to_ascii_lowercase(),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn matches(pattern: &str, address: &str) -> bool {
        let pattern = RepositoryPattern::parse(pattern).unwrap();
        pattern.matches(&SourceAddress::parse(address).unwrap())
    }

    #[test]
    fn short_forms_mean_a_host_whatever_the_scheme() {
        for (pattern, address, expected) in [
            ("github:corp/*", "https://github.com/corp/agents.git", true),
            ("github:corp/*", "git@github.com:corp/agents.git", true),
            ("github:corp/*", "ssh://git@GitHub.com/corp/agents", true),
            ("github:evil/*", "https://GitHub.com/Evil/agents", true),
            ("github:Evil/*", "https://www.github.com:443/evil/x", true),
            ("github:corp/*", "https://github.com/corporation/x", false),
            ("github:corp/*", "https://github.com/corp/a/b", false),
            ("gitlab:corp/**", "https://gitlab.com/corp/a/b", true),
            ("github:corp/*", "https://evil.com/github.com/corp/x", false),
            ("https://git.corp/**", "https://git.corp/a/b.git", true),
            (
                "https://git.corp/**",
                "https://token@git.corp/a/b.git",
                true,
            ),
            ("https://git.corp/**", "http://git.corp/a", false),
            ("https://git.corp/**", "https://git.corp.evil.com/a", false),
            ("ssh://git.corp/**", "git@git.corp:team/x.git", true),
            ("file:///srv/**", "file:///srv/agents", true),
            ("file:///srv/**", "file:///srv2/agents", false),
        ] {
            assert_eq!(matches(pattern, address), expected, "{pattern} {address}");
        }
    }

    #[test]
    fn a_pattern_needs_a_host() {
        assert!(RepositoryPattern::parse("corp/*").is_err());
        assert!(RepositoryPattern::parse("https://git.corp/[").is_err());
    }
}
