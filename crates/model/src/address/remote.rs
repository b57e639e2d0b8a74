//! The parts of a URL that names a server. git, curl and ssh each split a URL by their own rules, so only a URL that
//! all of them split alike is one; anything else is refused with the reason.

use url::Host;

use super::known_hosts::{GroupNesting, KnownHost, known_host};
use super::problem::SourceAddressError;
use super::spelling::{check_path, comparable_path};

/// The schemes of servers, with the port that a URL without one means.
const SERVER_PORTS: [(&str, u16); 5] = [
    ("https", 443),
    ("http", 80),
    ("ssh", 22),
    ("git", 9418),
    (REGISTRY_SCHEME, 443),
];

/// The scheme of repositories in a registry.
pub(super) const REGISTRY_SCHEME: &str = "oci";

/// A server and a path on it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct RemoteAddress {
    pub(super) scheme: &'static str,
    /// User and password as they were written.
    pub(super) user: Option<String>,
    pub(super) host: RemoteHost,
    /// As it was written: `:22` of a URL is kept for those who compare text.
    pub(super) port: Option<u16>,
    /// As it was written, with the `/` or `:` before it.
    pub(super) path: String,
    pub(super) encryption: Encryption,
}

/// Whether a server may be contacted without encryption, where the scheme does not say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Encryption {
    /// Only a server on this machine.
    #[default]
    Required,
    /// The user allows it.
    Optional,
}

/// Where a server is, and a path on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ServerLocation<'a> {
    /// The scheme; `git@host:path` is ssh.
    pub scheme: &'static str,
    /// The name or the IP, IPv6 in brackets.
    pub host: &'a str,
    /// The port, if one is written.
    pub port: Option<u16>,
    /// The path, with the `/` or `:` before it.
    pub path: &'a str,
    /// Whether plain connections are allowed.
    pub encryption: Encryption,
}

/// The host of a server.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct RemoteHost {
    /// In ASCII, and otherwise as it was written.
    pub(super) written: String,
    /// In the form in which hosts are compared.
    pub(super) comparable: String,
}

/// A URL before its path is checked: callers cut a path in the repository and a version off its end first.
pub(super) struct RemoteStart<'t> {
    scheme: &'static str,
    user: Option<&'t str>,
    host: RemoteHost,
    port: Option<u16>,
    pub(super) tail: &'t str,
}

impl<'t> RemoteStart<'t> {
    /// Everything before the path, of a URL with this scheme.
    pub(super) fn of_url(scheme: &str, rest: &'t str) -> Result<Self, SourceAddressError> {
        let row = SERVER_PORTS.iter().find(|(name, _)| *name == scheme);
        let (scheme, _) = row.ok_or_else(|| SourceAddressError::UnknownScheme {
            scheme: scheme.to_owned(),
        })?;
        let is_end = |c: char| matches!(c, '/' | '?' | '#');
        let (authority, tail) = rest.split_at(rest.find(is_end).unwrap_or(rest.len()));
        if authority.starts_with('-') {
            return Err(SourceAddressError::LooksLikeOption);
        }
        let (user, host) = split_user(authority);
        let (host, port) = split_port(host);
        // A port that is not a number, with an `@` later in the URL, is a password with an unescaped character.
        let port = port.map(port_of).transpose().map_err(|error| {
            if tail.contains('@') {
                SourceAddressError::UnescapedPassword
            } else {
                error
            }
        })?;
        let user = user.filter(|user| !user.is_empty());
        user.map(|user| check_user(scheme, user)).transpose()?;
        Ok(RemoteStart {
            scheme,
            user,
            host: RemoteHost::parse(host)?,
            port,
            tail,
        })
    }

    /// Everything before the path of `user@host:path`. git takes the first colon outside of brackets as the end of the
    /// host, wherever an `@` is.
    pub(super) fn of_scp(text: &'t str) -> Result<Self, SourceAddressError> {
        let user_end = text.find('@').map_or(0, |at| at + 1);
        let closed = text[user_end..].find(']').map(|at| user_end + at);
        let host_end = closed.filter(|_| text[user_end..].starts_with('['));
        let host_end = host_end.unwrap_or_default();
        let colon = text[host_end..]
            .find(':')
            .map_or(text.len(), |at| host_end + at);
        let (front, tail) = text.split_at(colon);
        // `user:word@host:path` would connect to the host `user`.
        let first = tail.split('/').next().unwrap_or_default();
        let (user, host) = split_user(front);
        let is_password = user.is_none() && first.contains('@');
        if is_password || user.is_some_and(|user| user.contains(':')) {
            return Err(SourceAddressError::ColonBeforeAt);
        }
        let user = user.filter(|user| !user.is_empty());
        user.map(|user| check_user("ssh", user)).transpose()?;
        if tail.contains('%') {
            // An escape has no meaning there, so a path with `%` and the ssh URL of it would differ.
            return Err(SourceAddressError::Escape);
        }
        Ok(RemoteStart {
            scheme: "ssh",
            user,
            host: RemoteHost::parse(host)?,
            port: None,
            tail,
        })
    }

    /// The whole URL.
    pub(super) fn with_path(self) -> Result<RemoteAddress, SourceAddressError> {
        // git takes the host of an ssh URL from after `@[`, even in the path.
        let is_host = |sign: &str| self.tail.to_ascii_lowercase().contains(sign);
        if ["@[", "@%5b"].into_iter().any(is_host) {
            return Err(SourceAddressError::UnescapedUser);
        }
        check_path(self.tail.strip_prefix(':').unwrap_or(self.tail))?;
        if self.scheme == REGISTRY_SCHEME {
            check_repository_name(self.tail)?;
        }
        Ok(RemoteAddress {
            scheme: self.scheme,
            user: self.user.map(str::to_owned),
            host: self.host,
            port: self.port,
            path: self.tail.to_owned(),
            encryption: Encryption::default(),
        })
    }
}

impl RemoteAddress {
    /// The URL with another user; git gets exactly this, and nothing that was not parsed.
    pub(super) fn url_with_user(&self, user: &str) -> String {
        let (host, path) = (&self.host.written, &self.path);
        let port = self.port.map(|port| format!(":{port}")).unwrap_or_default();
        if path.starts_with(':') {
            return format!("{user}{host}{path}");
        }
        format!("{}://{user}{host}{port}{path}", self.scheme)
    }

    /// The scheme; `git@host:path` is ssh.
    pub(crate) fn scheme(&self) -> &'static str {
        self.scheme
    }

    /// Where the server is.
    pub(super) fn server(&self) -> ServerLocation<'_> {
        ServerLocation {
            scheme: self.scheme,
            host: &self.host.written,
            port: self.port,
            path: &self.path,
            encryption: self.encryption,
        }
    }

    /// Host, port and path in the form in which repositories are compared.
    pub(crate) fn location(&self) -> String {
        let path = self.path.trim_start_matches([':', '/']);
        location_of(Some(self.scheme), &self.host.comparable, self.port, path)
    }
}

/// Host, port and path in one form for everything that names the same repository. The path may be a pattern.
pub(crate) fn location_of(
    scheme: Option<&str>,
    host: &str,
    port: Option<u16>,
    path: &str,
) -> String {
    let known = known_host(host);
    let host = known.map_or(host, |known| known.host);
    // The known hosts have one service for each scheme, and some of their names exist for another port alone.
    let port = port.filter(|port| known.is_none() && Some(*port) != default_port(scheme));
    let port = port.map(|port| format!(":{port}")).unwrap_or_default();
    let path = comparable_path(path);
    let path = path.trim_end_matches('/');
    let path = match known {
        // Paths without case are known only of these hosts.
        Some(_) => path.to_ascii_lowercase(),
        None => path.to_owned(),
    };
    let path = path.strip_suffix(".git").unwrap_or(&path);
    format!("{host}{port}/{path}")
}

fn default_port(scheme: Option<&str>) -> Option<u16> {
    let row = SERVER_PORTS.iter().find(|(name, _)| Some(*name) == scheme);
    row.map(|(_, port)| *port)
}

/// Whether a repository on this host is always `OWNER/REPO`.
pub(crate) fn is_flat_host(host: &str) -> bool {
    known_host(host).is_some_and(|known: &KnownHost| known.nesting == GroupNesting::Flat)
}

impl RemoteHost {
    /// A host as it is written in a URL: a name or an IP, IPv6 in brackets.
    fn parse(text: &str) -> Result<Self, SourceAddressError> {
        if text.is_empty() {
            return Err(SourceAddressError::NoHost);
        }
        if text.starts_with('-') {
            return Err(SourceAddressError::LooksLikeOption);
        }
        // curl drops the dot, and ssh does not.
        if text.ends_with(['.', '。', '．', '｡']) {
            return Err(SourceAddressError::HostDot);
        }
        let comparable = comparable_host(text, "").ok_or(SourceAddressError::Host)?;
        let written = if text.is_ascii() {
            text.to_owned()
        } else {
            // git and ssh do not all translate names, and a name in another script may look like a known one.
            comparable.clone()
        };
        Ok(RemoteHost {
            written,
            comparable,
        })
    }
}

/// A host in the form in which hosts are compared; `None` if it is invalid. A pattern has further characters.
pub(crate) fn comparable_host(text: &str, further: &str) -> Option<String> {
    // ssh and git decode escapes before they look for the end of the host.
    if text.contains('%') {
        return None;
    }
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-._".contains(c) || further.contains(c);
    match Host::parse(text).ok()? {
        // Other characters are valid for a browser, and mean something to a shell or to ssh.
        Host::Domain(name) => name.chars().all(is_plain).then_some(name),
        Host::Ipv4(address) => Some(address.to_string()),
        Host::Ipv6(address) => Some(match address.to_ipv4_mapped() {
            Some(address) => address.to_string(),
            // Square brackets would be a class of characters in a pattern.
            None => format!("<{address}>"),
        }),
    }
}

fn split_user(authority: &str) -> (Option<&str>, &str) {
    match authority.rsplit_once('@') {
        Some((user, host)) => (Some(user), host),
        None => (None, authority),
    }
}

/// The host and the text after its colon.
pub(crate) fn split_port(authority: &str) -> (&str, Option<&str>) {
    // The colons of IPv6 are inside brackets.
    let from = authority.rfind(']').unwrap_or_default();
    match authority[from..].split_once(':') {
        Some((host, port)) => (&authority[..from + host.len()], Some(port)),
        None => (authority, None),
    }
}

/// A port: `0443` is 443 for curl.
pub(crate) fn port_of(text: &str) -> Result<u16, SourceAddressError> {
    let is_number = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let port = is_number.then(|| text.parse().ok()).flatten();
    port.ok_or(SourceAddressError::Port)
}

/// The name of a repository as registries accept it; a slash at the end makes it a directory of repositories.
fn check_repository_name(path: &str) -> Result<(), SourceAddressError> {
    let name = path.strip_prefix('/').unwrap_or(path);
    if name.contains(':') {
        return Err(SourceAddressError::RegistryTag);
    }
    let is_good = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    let mut parts = name.strip_suffix('/').unwrap_or(name).split('/');
    let is_part = |part: &str| {
        part.starts_with(is_good)
            && part.ends_with(is_good)
            && part.chars().all(|c| is_good(c) || "._-".contains(c))
    };
    if name.is_empty() || parts.all(is_part) {
        Ok(())
    } else {
        Err(SourceAddressError::RepositoryName)
    }
}

/// A user that every program reads alike.
fn check_user(scheme: &str, user: &str) -> Result<(), SourceAddressError> {
    if scheme == REGISTRY_SCHEME {
        return Err(SourceAddressError::RegistryUser);
    }
    // git looks for a host after the first `@`, curl after the last.
    let is_ambiguous = |c: char| "@[]\\".contains(c) || c.is_whitespace();
    // git decodes a whole ssh URL before it splits it: `%2F` in the user would end the host.
    let is_decoded = matches!(scheme, "ssh" | "git") && user.contains('%');
    if user.contains(is_ambiguous) || is_decoded {
        return Err(SourceAddressError::UnescapedUser);
    }
    Ok(())
}
