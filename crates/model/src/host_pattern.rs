//! Patterns over the hosts of servers, such as `*.corp`.

use crate::address::comparable_host;
use crate::glob::Glob;

/// A pattern of hosts; `*` also matches dots.
#[derive(Clone, Debug)]
pub struct HostPattern {
    written: String,
    glob: Glob,
}

/// The reason why text is not a pattern of hosts: it could never match one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a host is a name or an IP without scheme, port and path, such as `*.corp`")]
pub struct HostPatternError;

impl HostPattern {
    /// Parses a pattern. Names have no case, and may be written in any script.
    pub fn parse(text: &str) -> Result<Self, HostPatternError> {
        let written = text.trim();
        // `api.corp.` is the absolute name of `api.corp`.
        let host = written.strip_suffix('.').unwrap_or(written);
        let comparable = comparable_host(host, "*{,}").ok_or(HostPatternError)?;
        let glob = Glob::new(&comparable).map_err(|_| HostPatternError)?;
        Ok(HostPattern {
            written: written.to_owned(),
            glob,
        })
    }

    /// The pattern as it is written.
    pub fn as_str(&self) -> &str {
        &self.written
    }

    /// Whether a host matches, in the form that a browser gives it.
    pub fn matches(&self, host: &str) -> bool {
        comparable_host(host, "").is_some_and(|host| self.glob.is_match(&host))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn names_have_no_case_and_any_script() {
        for (pattern, host, expected) in [
            ("*.corp", "api.corp", true),
            ("*.corp", "a.b.corp", true),
            ("*.corp", "corp", false),
            ("*.corp", "api.corp.evil.com", false),
            ("*.corp", "evilcorp", false),
            ("API.Corp", "api.corp", true),
            ("api.corp.", "api.corp", true),
            ("bücher.corp", "xn--bcher-kva.corp", true),
            ("*.bücher.corp", "a.xn--bcher-kva.corp", true),
            ("127.0.0.1", "127.0.0.1", true),
            ("[::1]", "[::1]", true),
            ("[0:0::1]", "[::1]", true),
            ("10.0.*", "10.0.3.4", true),
            ("*", "evil.com", true),
            ("*", "https:/evil.com", false),
            ("{a,b}.corp", "b.corp", true),
        ] {
            let found = HostPattern::parse(pattern).unwrap().matches(host);
            assert_eq!(found, expected, "{pattern} {host}");
        }
        for text in [
            "",
            "https://api.corp",
            "api.corp:443",
            "api.corp/x",
            "a b",
            "me@api.corp",
        ] {
            assert!(HostPattern::parse(text).is_err(), "{text}");
        }
    }
}
