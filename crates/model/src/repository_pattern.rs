//! Patterns over the URLs of repositories, such as `github:corp/*`.

use crate::address::{
    ADDRESS_SCHEMES, AddressKind, SourceAddress, SourceAddressError, check_escapes, check_segments,
    comparable_host, host_of_alias, is_flat_host, location_of, port_of, split_port,
};
use crate::glob::{Glob, GlobError};

/// Characters of a pattern that no host has.
const HOST_PATTERN: &str = "*{,}";

/// A pattern of repository URLs; `*` does not match `/`, `**` does.
#[derive(Clone, Debug)]
pub struct RepositoryPattern {
    written: String,
    /// The scheme; `None` matches every scheme, as in the short forms.
    scheme: Option<String>,
    glob: Glob,
}

/// The reason why text is not a pattern. A pattern that no URL can match is one of them: a rule that silently applies
/// to nothing would look like protection.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RepositoryPatternError {
    /// Neither a URL nor a short form.
    #[error("a pattern is a URL such as `https://git.corp/**`, or `github:owner/*`")]
    NoHost,
    /// A host without a repository.
    #[error("the pattern matches no repository; add a path, such as `/**`")]
    NoPath,
    /// A pattern that no valid URL matches.
    #[error("no URL matches the pattern: {0}")]
    Url(#[from] SourceAddressError),
    /// An invalid pattern.
    #[error("invalid pattern: {0}")]
    Glob(GlobError),
}

impl RepositoryPattern {
    /// Parses a pattern.
    pub fn parse(text: &str) -> Result<Self, RepositoryPatternError> {
        let written = text.trim().to_owned();
        let PatternParts {
            scheme,
            authority,
            path,
        } = PatternParts::of(&written)?;
        check_pattern_path(path)?;
        let location = if scheme.as_deref() == Some("file") {
            local_location(path)
        } else {
            remote_location(scheme.as_deref(), authority, path)?
        };
        let glob = Glob::new(&location).map_err(RepositoryPatternError::Glob)?;
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
        let (scheme, location) = match (address.kind(), address.remote()) {
            (AddressKind::FileUrl(path), _) => ("file", local_location(path)),
            (AddressKind::Remote, Some(remote)) => (remote.scheme(), remote.location()),
            (AddressKind::Remote, None) | (AddressKind::Directory(_), _) => return false,
        };
        let fits = self.scheme.as_deref().is_none_or(|one| one == scheme);
        fits && self.glob.is_match(&location)
    }
}

/// A pattern, split like a URL.
struct PatternParts<'t> {
    scheme: Option<String>,
    authority: &'t str,
    path: &'t str,
}

impl<'t> PatternParts<'t> {
    fn of(text: &'t str) -> Result<Self, RepositoryPatternError> {
        let text = text.strip_prefix("git+").unwrap_or(text);
        if let Some((scheme, rest)) = text.split_once("://") {
            let scheme = scheme.to_ascii_lowercase();
            if !ADDRESS_SCHEMES.contains(&scheme.as_str()) {
                return Err(SourceAddressError::UnknownScheme { scheme }.into());
            }
            let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
            return Ok(PatternParts {
                scheme: Some(scheme),
                authority,
                path,
            });
        }
        // The colons of an IPv6 host are inside brackets.
        let from = text.find("]:").map_or(0, |at| at + 1);
        let colon = text[from..].find(':').map(|at| from + at);
        let (front, path) = match colon {
            Some(at) if !text[..at].contains('/') => (&text[..at], &text[at + 1..]),
            _ => return Err(RepositoryPatternError::NoHost),
        };
        if let Some(host) = host_of_alias(front) {
            return Ok(PatternParts {
                scheme: None,
                authority: host,
                path,
            });
        }
        // `git@host:path` implies ssh.
        Ok(PatternParts {
            scheme: Some("ssh".to_owned()),
            authority: front,
            path,
        })
    }
}

/// Refuses what no URL has. `?` is part of a pattern.
fn check_pattern_path(path: &str) -> Result<(), SourceAddressError> {
    if path.contains('#') {
        return Err(SourceAddressError::Fragment);
    }
    if path.contains('\\') {
        return Err(SourceAddressError::Backslash);
    }
    check_escapes(path)?;
    check_segments(path)
}

fn remote_location(
    scheme: Option<&str>,
    authority: &str,
    path: &str,
) -> Result<String, RepositoryPatternError> {
    let (_, host) = authority.rsplit_once('@').unwrap_or(("", authority));
    let (host, port) = split_port(host);
    if host.ends_with('.') {
        return Err(SourceAddressError::HostDot.into());
    }
    let host = comparable_host(host, HOST_PATTERN).ok_or(SourceAddressError::Host)?;
    let port = port.map(port_of).transpose()?;
    let path = path.trim_start_matches('/');
    // `github:owner` would match nothing: a repository there has an owner and a name.
    let is_owner = is_flat_host(&host) && !path.contains('/') && !path.contains("**");
    if path.is_empty() || is_owner {
        return Err(RepositoryPatternError::NoPath);
    }
    Ok(location_of(scheme, &host, port, path))
}

fn local_location(path: &str) -> String {
    location_of(None, "", None, path.trim_start_matches('/'))
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
