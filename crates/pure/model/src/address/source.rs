//! The URL of a source, whose secrets cannot be printed by mistake.

use std::fmt;
use std::str::FromStr;

use percent_encoding::percent_decode_str;

use crate::redact::{
    HIDDEN, KeptCredential, hide_query, longest_first, split_user, without_passwords,
};

/// The schemes that a URL may have.
pub const ADDRESS_SCHEMES: &[&str] = &["https", "http", "ssh", "git", "file"];

/// The URL of a source as the user wrote it; it is printed without its secrets.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SourceAddress {
    written: String,
    redacted: String,
    secrets: Vec<String>,
    target: AddressTarget,
}

#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum AddressTarget {
    Remote,
    File(String),
    Directory,
}

/// The kind of a URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddressKind<'a> {
    /// A server.
    Remote,
    /// A `file://` URL, with its path decoded.
    FileUrl(&'a str),
    /// A directory as written: absolute, relative, or under `~/`.
    Directory(&'a str),
}

/// The reason why text is not a URL; it never repeats the text, which may hold a secret.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SourceAddressError {
    /// The text resembles a URL but is invalid.
    #[error("this looks like a mistyped URL")]
    Mistyped,
    /// The text is empty.
    #[error("the URL or path is empty")]
    Empty,
    /// A character that is invalid in URLs.
    #[error("the URL contains a control character")]
    ControlCharacter,
    /// A part that a program could treat as an option.
    #[error("the URL, its user or its host starts with `-`")]
    LooksLikeOption,
    /// `name::address` makes git run a program of that name.
    #[error("the URL names a transport helper with `::`")]
    TransportHelper,
    /// An unsupported scheme.
    #[error("unknown URL scheme `{scheme}`; known schemes: {}", ADDRESS_SCHEMES.join(", "))]
    UnknownScheme {
        /// The scheme.
        scheme: String,
    },
    /// The host is missing.
    #[error("the URL has no host")]
    NoHost,
    /// A `file` URL of another machine, or without a path.
    #[error("a file URL is `file://` and an absolute path")]
    NoLocalPath,
    /// A password that ends the host too early.
    #[error("`/`, `?` and `#` in a user name or password are written `%2F`, `%3F` and `%23`")]
    UnescapedPassword,
}

impl SourceAddress {
    /// Parses a URL.
    pub fn parse(text: &str) -> Result<Self, SourceAddressError> {
        let text = text.trim_matches(' ');
        // Before anything else reads it: git treats a leading `-` as an option, and `ext::` URLs run commands.
        refuse_hostile(text)?;
        match text
            .split_once("://")
            .filter(|(scheme, _)| is_scheme(scheme))
        {
            Some((scheme, rest)) => Self::of_url(&scheme.to_ascii_lowercase(), rest),
            // A URL with a missing slash looks like `host:path`, with everything before the `@` in the path.
            None if lacks_slash(text) => Err(SourceAddressError::Mistyped),
            None if is_scp_like(text) => Self::of_scp(text),
            None if is_mistyped(text) => Err(SourceAddressError::Mistyped),
            None => Ok(Self::plain(text.to_owned(), AddressTarget::Directory)),
        }
    }

    /// The kind of location.
    pub fn kind(&self) -> AddressKind<'_> {
        match &self.target {
            AddressTarget::Remote => AddressKind::Remote,
            AddressTarget::File(path) => AddressKind::FileUrl(path),
            AddressTarget::Directory => AddressKind::Directory(&self.written),
        }
    }

    /// Whether it is on this machine.
    pub fn is_local(&self) -> bool {
        matches!(
            self.target,
            AddressTarget::File(_) | AddressTarget::Directory
        )
    }

    /// The URL with its secrets, only for the git program.
    pub fn reveal(&self) -> &str {
        &self.written
    }

    /// The URL without its secrets.
    pub fn redacted(&self) -> &str {
        &self.redacted
    }

    /// Removes the secrets of this URL, and the user and password of any other URL, from text.
    pub fn scrub(&self, text: &str) -> String {
        let mut clean = text.replace(&self.written, &self.redacted);
        for secret in &self.secrets {
            // After the whole URL: git and servers also print the password alone, decoded or in another URL.
            clean = clean.replace(secret.as_str(), HIDDEN);
        }
        without_passwords(&clean)
    }

    fn plain(written: String, target: AddressTarget) -> Self {
        SourceAddress {
            redacted: written.clone(),
            written,
            secrets: Vec::new(),
            target,
        }
    }

    fn of_url(scheme: &str, rest: &str) -> Result<Self, SourceAddressError> {
        if !ADDRESS_SCHEMES.contains(&scheme) {
            return Err(SourceAddressError::UnknownScheme {
                scheme: scheme.to_owned(),
            });
        }
        if scheme == "file" {
            let path = local_path(rest)?;
            return Ok(Self::plain(
                format!("file://{rest}"),
                AddressTarget::File(path),
            ));
        }
        let (authority, tail) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
        let (user, host) = authority.rsplit_once('@').unwrap_or(("", authority));
        check_host(authority, host, tail)?;
        let keep = if scheme == "ssh" {
            // The user of an ssh URL, as in `git@`, is part of the location. In https a user name may itself be the
            // token.
            KeptCredential::Name
        } else {
            KeptCredential::Nothing
        };
        let (shown_user, mut secrets) = split_user(user, keep);
        let (tail_shown, tail_secrets) = hide_query(tail);
        secrets.extend(tail_secrets);
        Ok(SourceAddress {
            written: format!("{scheme}://{rest}"),
            redacted: format!("{scheme}://{shown_user}{host}{tail_shown}"),
            // A short secret inside a longer one would be replaced first and leave the rest of the longer one
            // visible.
            secrets: longest_first(secrets),
            target: AddressTarget::Remote,
        })
    }

    fn of_scp(text: &str) -> Result<Self, SourceAddressError> {
        let (front, tail) = text.split_at(text.find('/').unwrap_or(text.len()));
        let (user, host) = front.rsplit_once('@').unwrap_or(("", front));
        if host.is_empty() || host.starts_with(':') {
            return Err(SourceAddressError::NoHost);
        }
        if host.starts_with('-') {
            return Err(SourceAddressError::LooksLikeOption);
        }
        let (shown_user, secrets) = split_user(user, KeptCredential::Name);
        Ok(SourceAddress {
            written: text.to_owned(),
            redacted: format!("{shown_user}{host}{tail}"),
            secrets: longest_first(secrets),
            target: AddressTarget::Remote,
        })
    }
}

fn refuse_hostile(text: &str) -> Result<(), SourceAddressError> {
    if text.trim().is_empty() {
        return Err(SourceAddressError::Empty);
    }
    if text.contains(char::is_control) {
        return Err(SourceAddressError::ControlCharacter);
    }
    if text.starts_with('-') {
        return Err(SourceAddressError::LooksLikeOption);
    }
    match text.split_once("::") {
        Some((helper, _)) if is_scheme(helper) => Err(SourceAddressError::TransportHelper),
        _ => Ok(()),
    }
}

fn is_scheme(text: &str) -> bool {
    !text.is_empty()
        && text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"+-._".contains(&b))
}

/// Whether text was meant as a URL; its content is not shown.
fn is_mistyped(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    lower.starts_with("//") || (lower.starts_with("http") && lower.contains('@'))
}

/// Whether text begins like a URL with one slash missing, as in `http:/host`.
fn lacks_slash(text: &str) -> bool {
    let scheme = text
        .split_once(":/")
        .map(|(scheme, _)| scheme.to_ascii_lowercase());
    scheme.is_some_and(|scheme| ADDRESS_SCHEMES.contains(&scheme.as_str()))
}

/// Follows git's rule: a colon before any slash, but not after a drive letter.
fn is_scp_like(text: &str) -> bool {
    let front = text.split(['/', '\\']).next().unwrap_or_default();
    front.find(':').is_some_and(|at| at != 1)
}

fn check_host(authority: &str, host: &str, tail: &str) -> Result<(), SourceAddressError> {
    if authority.starts_with('-') || host.starts_with('-') {
        return Err(SourceAddressError::LooksLikeOption);
    }
    if host.is_empty() || host.starts_with(':') {
        return Err(SourceAddressError::NoHost);
    }
    // `user:pass/word@host` would be the host `user`, and the end of the password would be shown as a path.
    let port = host
        .rsplit_once(':')
        .map(|(_, port)| port)
        .filter(|_| !host.ends_with(']'));
    // A port with letters and an `@` later in the URL is a password with an unescaped slash. Without this check half of
    // it would be shown as the host.
    let odd_port = port.is_some_and(|port| !port.bytes().all(|b| b.is_ascii_digit()));
    if odd_port && tail.contains('@') {
        Err(SourceAddressError::UnescapedPassword)
    } else {
        Ok(())
    }
}

fn local_path(rest: &str) -> Result<String, SourceAddressError> {
    let path = rest.strip_prefix("localhost").unwrap_or(rest);
    let path = percent_decode_str(path)
        .decode_utf8()
        .ok()
        .filter(|path| path.starts_with('/'))
        .ok_or(SourceAddressError::NoLocalPath)?;
    if path.contains(char::is_control) {
        return Err(SourceAddressError::ControlCharacter);
    }
    // `file:///C:/x` has a slash before the drive that is not part of the path.
    let drive = path.as_bytes().get(2) == Some(&b':') && path.as_bytes()[1].is_ascii_alphabetic();
    Ok(path[usize::from(drive)..].to_owned())
}

impl FromStr for SourceAddress {
    type Err = SourceAddressError;

    fn from_str(text: &str) -> Result<Self, SourceAddressError> {
        SourceAddress::parse(text)
    }
}

impl fmt::Display for SourceAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.redacted)
    }
}

impl fmt::Debug for SourceAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SourceAddress({:?})", self.redacted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_not_shown() {
        for (text, redacted) in [
            ("https://h/x.git", "https://h/x.git"),
            ("https://user:pw@h/x", "https://h/x"),
            ("https://ghp_token@h:8080/x", "https://h:8080/x"),
            ("HTTPS://a:b@c@h/x", "https://h/x"),
            (
                "https://h/x?p=repo&private_token=abc#k",
                "https://h/x?p=repo&private_token=***#***",
            ),
            ("https://h/@scope/x", "https://h/@scope/x"),
            ("ssh://git@h/x", "ssh://git@h/x"),
            ("ssh://git:pw@h/x", "ssh://git@h/x"),
            ("git@h:org/x.git", "git@h:org/x.git"),
            ("git:pw@h:org/x.git", "git@h:org/x.git"),
            ("/srv/x@y", "/srv/x@y"),
        ] {
            let address = SourceAddress::parse(text).unwrap();
            assert_eq!(address.to_string(), redacted);
            assert_eq!(
                format!("{address:?}"),
                format!("SourceAddress({redacted:?})")
            );
        }
    }

    #[test]
    fn each_place_is_of_one_kind() {
        for (text, kind) in [
            ("https://h/x", AddressKind::Remote),
            ("git://h/x", AddressKind::Remote),
            ("ssh://h/x", AddressKind::Remote),
            ("git@[::1]:x", AddressKind::Remote),
            ("file:///a%20b/c", AddressKind::FileUrl("/a b/c")),
            ("file://localhost/a", AddressKind::FileUrl("/a")),
            ("file:///C:/a", AddressKind::FileUrl("C:/a")),
            ("./a:b", AddressKind::Directory("./a:b")),
            ("C:\\a", AddressKind::Directory("C:\\a")),
            ("~/agents", AddressKind::Directory("~/agents")),
            ("agents", AddressKind::Directory("agents")),
        ] {
            assert_eq!(SourceAddress::parse(text).unwrap().kind(), kind, "{text}");
        }
    }

    #[test]
    fn hostile_urls_are_refused() {
        use SourceAddressError::*;
        let unknown = |scheme: &str| UnknownScheme {
            scheme: scheme.to_owned(),
        };
        for (text, error) in [
            (" ", Empty),
            ("https://h/\n", ControlCharacter),
            ("file:///a%0Ab", ControlCharacter),
            ("--upload-pack=x", LooksLikeOption),
            ("ssh://-oProxyCommand=x/y", LooksLikeOption),
            ("ssh://git@-oProxyCommand=x/y", LooksLikeOption),
            ("git@-oProxyCommand=x:y", LooksLikeOption),
            ("ext::sh -c x", TransportHelper),
            ("fd::17", TransportHelper),
            ("ftp://h/x", unknown("ftp")),
            ("http:/me:pw@h/x", Mistyped),
            ("SSH:/me:pw@h", Mistyped),
            ("https:///x", NoHost),
            ("file://host/x", NoLocalPath),
            ("file:///a%ffb", NoLocalPath),
            ("https://user:pa/ss@h/x", UnescapedPassword),
        ] {
            assert_eq!(SourceAddress::parse(text), Err(error), "{text}");
        }
        assert!(
            unknown("ftp")
                .to_string()
                .ends_with("known schemes: https, http, ssh, git, file")
        );
    }

    #[test]
    fn a_text_is_scrubbed_of_every_form_of_the_secret() {
        let address = SourceAddress::parse("https://me:p%40ss@h/x?token=zz9").unwrap();
        assert_eq!(
            address.scrub("'https://me:p%40ss@h/x?token=zz9' p@ss p%40ss zz9"),
            "'https://h/x?token=***' *** *** ***"
        );
        assert_eq!(
            address.scrub("see http://a:b@c/d, e://f@g"),
            "see http://c/d, e://f@g"
        );
        assert_eq!(
            address.scrub("'https://tok@c/d' ssh://me:pw@h"),
            "'https://c/d' ssh://h"
        );
        let address = SourceAddress::parse("https://ghp_0123456789abcdef:x@h/git").unwrap();
        assert_eq!(
            address.scrub("no ghp_0123456789abcdef at git"),
            "no *** at git"
        );
    }
}
