//! The URL of a source, whose secrets cannot be printed by mistake.

use std::fmt;
use std::str::FromStr;

use super::problem::{ADDRESS_SCHEMES, SourceAddressError};
use super::remote::{Encryption, RemoteAddress, RemoteStart, ServerLocation};
use super::spelling::local_path;
use crate::redact::{HIDDEN, KeptCredential, longest_first, split_user, without_passwords};

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
    Remote(Box<RemoteAddress>),
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

impl SourceAddress {
    /// Parses a URL.
    pub fn parse(text: &str) -> Result<Self, SourceAddressError> {
        let text = text.trim_matches(' ');
        match AddressSyntax::of(text)? {
            AddressSyntax::Url { scheme, rest } => Self::of_url(&scheme, rest),
            AddressSyntax::Scp => RemoteStart::of_scp(text)?.with_path().map(Self::of_remote),
            AddressSyntax::Directory => Ok(Self::plain(text.to_owned(), AddressTarget::Directory)),
            AddressSyntax::Layout(path) => {
                refuse_hostile(path)?;
                Ok(Self::plain(text.to_owned(), AddressTarget::Directory))
            }
        }
    }

    /// Checks everything before the path: the rest may end with a path in the repository and a version.
    pub(crate) fn check_start(text: &str) -> Result<(), SourceAddressError> {
        match AddressSyntax::of(text.trim_matches(' '))? {
            AddressSyntax::Url { scheme, rest } if scheme != "file" => {
                RemoteStart::of_url(&scheme, rest).map(drop)
            }
            AddressSyntax::Scp => RemoteStart::of_scp(text.trim_matches(' ')).map(drop),
            AddressSyntax::Url { .. } | AddressSyntax::Directory | AddressSyntax::Layout(_) => {
                Ok(())
            }
        }
    }

    /// The server, if it is on one.
    pub(crate) fn remote(&self) -> Option<&RemoteAddress> {
        match &self.target {
            AddressTarget::Remote(remote) => Some(remote),
            AddressTarget::File(_) | AddressTarget::Directory => None,
        }
    }

    /// The kind of location.
    pub fn kind(&self) -> AddressKind<'_> {
        match &self.target {
            AddressTarget::Remote(_) => AddressKind::Remote,
            AddressTarget::File(path) => AddressKind::FileUrl(path),
            AddressTarget::Directory => {
                AddressKind::Directory(layout_path(&self.written).unwrap_or(&self.written))
            }
        }
    }

    /// The server and the path on it; `None` for something on this machine.
    pub fn server(&self) -> Option<ServerLocation<'_>> {
        self.remote().map(RemoteAddress::server)
    }

    /// The same, and whether its server may be contacted without encryption.
    #[must_use]
    pub fn with_encryption(mut self, encryption: Encryption) -> Self {
        if let AddressTarget::Remote(remote) = &mut self.target {
            remote.encryption = encryption;
        }
        self
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
        if scheme == "file" {
            let path = local_path(rest)?;
            return Ok(Self::plain(
                format!("file://{rest}"),
                AddressTarget::File(path),
            ));
        }
        RemoteStart::of_url(scheme, rest)?
            .with_path()
            .map(Self::of_remote)
    }

    fn of_remote(remote: RemoteAddress) -> Self {
        let user = remote.user.as_deref().unwrap_or_default();
        let keep = if remote.scheme == "ssh" {
            // The user of an ssh URL, as in `git@`, is part of the location. In https a user name may itself be the
            // token.
            KeptCredential::Name
        } else {
            KeptCredential::Nothing
        };
        let (shown_user, secrets) = split_user(user, keep);
        let user = remote.user.as_ref().map(|user| format!("{user}@"));
        SourceAddress {
            written: remote.url_with_user(&user.unwrap_or_default()),
            redacted: remote.url_with_user(&shown_user),
            // A short secret inside a longer one would be replaced first and leave the rest of the longer one
            // visible.
            secrets: longest_first(secrets),
            target: AddressTarget::Remote(Box::new(remote)),
        }
    }
}

/// The syntax of a URL or a path.
enum AddressSyntax<'t> {
    Url { scheme: String, rest: &'t str },
    Scp,
    Directory,
    Layout(&'t str),
}

/// The prefix of an OCI image layout, which is a directory or an archive.
const LAYOUT_PREFIX: &str = "oci-layout:";

/// The path of an OCI image layout.
pub(super) fn layout_path(text: &str) -> Option<&str> {
    text.strip_prefix(LAYOUT_PREFIX)
}

impl<'t> AddressSyntax<'t> {
    fn of(text: &'t str) -> Result<Self, SourceAddressError> {
        // Before anything else reads it: git treats a leading `-` as an option, and `ext::` URLs run commands.
        refuse_hostile(text)?;
        if let Some(path) = layout_path(text) {
            return Ok(AddressSyntax::Layout(path));
        }
        if let Some((scheme, rest)) = text
            .split_once("://")
            .filter(|(scheme, _)| is_scheme(scheme))
        {
            let scheme = scheme.to_ascii_lowercase();
            return Ok(AddressSyntax::Url { scheme, rest });
        }
        // A URL with a missing slash looks like `host:path`, with everything before the `@` in the path.
        if lacks_slashes(text) {
            return Err(SourceAddressError::Mistyped);
        }
        if is_scp_like(text) {
            return Ok(AddressSyntax::Scp);
        }
        if is_mistyped(text) {
            return Err(SourceAddressError::Mistyped);
        }
        Ok(AddressSyntax::Directory)
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
    lower.starts_with("//")
        || lower.starts_with("\\\\")
        || (lower.starts_with("http") && lower.contains('@'))
}

/// Whether text begins like a URL with slashes missing, as in `http:/host`.
fn lacks_slashes(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once(':') else {
        return false;
    };
    let scheme = scheme.to_ascii_lowercase();
    // A server in the user's ssh configuration may be called `git`.
    ADDRESS_SCHEMES.contains(&scheme.as_str()) && (scheme != "git" || rest.starts_with(['/', '\\']))
}

/// Follows git's rule: a colon before any slash, but not after a drive letter.
fn is_scp_like(text: &str) -> bool {
    let front = text.split(['/', '\\']).next().unwrap_or_default();
    let is_drive = front.starts_with(|c: char| c.is_ascii_alphabetic());
    front.find(':').is_some_and(|at| at != 1 || !is_drive)
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
            ("HTTPS://a:b@h/x", "https://h/x"),
            ("https://h/@scope/x", "https://h/@scope/x"),
            ("ssh://git@h/x", "ssh://git@h/x"),
            ("ssh://git:pw@h/x", "ssh://git@h/x"),
            ("git@h:org/x.git", "git@h:org/x.git"),
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
            ("oci://h:5000/a/b_c/d", AddressKind::Remote),
            ("oci://h/a/", AddressKind::Remote),
            ("oci-layout:./out", AddressKind::Directory("./out")),
            ("oci-layout:/x/y.tar", AddressKind::Directory("/x/y.tar")),
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
            ("https://h/a%00b", ControlCharacter),
            ("file:///a%0Ab", ControlCharacter),
            ("--upload-pack=x", LooksLikeOption),
            ("oci://h/a:1.0", RegistryTag),
            ("oci://h/A/b", RepositoryName),
            ("oci://h/a/-b", RepositoryName),
            ("oci://user:word@h/a", RegistryUser),
            ("oci-layout:", Empty),
            ("oci-layout:-x", LooksLikeOption),
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
            ("file:///a%FFb", NoLocalPath),
            ("https://user:pa/ss@h/x", UnescapedPassword),
            ("https://a:b@c@h/x", UnescapedUser),
            ("ssh://evil.com%2f@h/x", UnescapedUser),
            ("[git@h:22]:x/y", UnescapedUser),
            ("user:pw@h:org/x.git", ColonBeforeAt),
            ("https://h/x?p=repo", Query),
            ("https://h/x#v1", Fragment),
            ("https://evil.com\\@h/x", UnescapedUser),
            ("https://h/a\\b", Backslash),
            ("git@h:a\\b", Backslash),
            ("https://h/a b", Space),
            ("https://h/a/../b", DotSegment),
            ("https://h/./b", DotSegment),
            ("git@h:../b", DotSegment),
            ("file:///a/../b", DotSegment),
            ("https://h//b", DoubledSlash),
            ("git@h://b", DoubledSlash),
            ("file:////b", DoubledSlash),
            ("https://h./b", HostDot),
            ("git@h.:b", HostDot),
            ("https://h/%65vil", Escape),
            ("https://h/%2e%2e/b", Escape),
            ("https://h/a%2Fb", Escape),
            ("https://h/a%5Cb", Escape),
            ("https://h/a%b", Escape),
            ("git@h:a%20b", Escape),
            ("file:///%61", Escape),
            ("https://h:x/b", Port),
            ("https://h:/b", Port),
            ("https://h:+80/b", Port),
            ("https://h:65536/b", Port),
            ("ssh://h%2fx/b", Host),
            ("https://h%65/b", Host),
            ("https://[::1/b", Port),
            ("https://[::x]/b", Host),
            ("https://a,b/c", Host),
            ("ssh://$(x)/c", Host),
            ("https:h/x", Mistyped),
            ("https:\\\\h\\x", Mistyped),
            ("\\\\h\\x", Mistyped),
        ] {
            assert_eq!(SourceAddress::parse(text), Err(error), "{text}");
        }
        assert!(
            unknown("ftp")
                .to_string()
                .contains("known schemes: https, http, ssh, git, file")
        );
    }

    #[test]
    fn a_text_is_scrubbed_of_every_form_of_the_secret() {
        let address = SourceAddress::parse("https://me:p%40ss@h/x").unwrap();
        assert_eq!(
            address.scrub("'https://me:p%40ss@h/x' p@ss p%40ss"),
            "'https://h/x' *** ***"
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
