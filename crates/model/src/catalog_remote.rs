//! A remote of the catalog: `NAME|git+URL[#REF][:/FOLDER]`.

use std::fmt;
use std::str::FromStr;

use crate::address::{ADDRESS_SCHEMES, SourceAddress, SourceAddressError};
use crate::name::{NameError, SourceName};
use crate::path::{PathError, RelativePath};
use crate::version::is_ref_name;

/// The prefix of a URL, which distinguishes it from a name.
const PREFIX: &str = "git+";
/// The separator before the directory.
const FOLDER: &str = ":/";
/// The prefix of owners that are remotes; resources have their type there.
const LABEL: &str = "catalog/";

/// A repository or directory that contributes to the catalog; printed without its secrets.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CatalogRemote {
    /// The location.
    pub base: RemoteBase,
    /// The branch, tag or commit; the default branch if it is missing.
    pub reference: Option<String>,
    /// The directory of the catalog, from the top of the repository.
    pub directory: Option<RelativePath>,
}

/// The location of a remote.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RemoteBase {
    /// A source by name.
    Source(SourceName),
    /// A URL.
    Address(SourceAddress),
}

/// The reason why text is not a remote; it never repeats the text, which may hold a secret.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RemoteError {
    /// The text is empty.
    #[error("the remote is empty")]
    Empty,
    /// A URL without its prefix, or a path.
    #[error("neither the name of a source nor a URL that starts with `git+`")]
    NoPrefix,
    /// An invalid URL.
    #[error(transparent)]
    Address(#[from] SourceAddressError),
    /// An invalid name.
    #[error(transparent)]
    Name(#[from] NameError),
    /// The text after `#` is not a valid git reference.
    #[error("invalid branch, tag or commit after `#`")]
    Reference,
    /// The text after `:/` is not a valid directory.
    #[error("invalid directory after `:/`: {0}")]
    Directory(PathError),
}

impl RemoteError {
    /// The fix, for users.
    pub fn help(&self) -> &'static str {
        match self {
            RemoteError::NoPrefix => {
                "write `git+` before the URL, as in `git+https://host/org/repo.git` or `git+ssh://git@host/org/repo`"
            }
            RemoteError::Reference => "write a branch, a tag or a commit, as in `community#v1.0.0`",
            RemoteError::Directory(_) => {
                "write a directory relative to the root of the repository, as in `community:/teams/core`"
            }
            _ => "write the name of a source, or a URL such as `git+https://host/org/repo.git`",
        }
    }

    /// Whether the directory leads out of the repository.
    pub fn escapes(&self) -> bool {
        matches!(
            self,
            RemoteError::Directory(PathError::Absolute | PathError::Escapes)
        )
    }
}

impl CatalogRemote {
    /// Parses a remote.
    pub fn parse(text: &str) -> Result<Self, RemoteError> {
        let text = text.trim_matches(' ');
        match strip_prefix(text) {
            _ if text.is_empty() => Err(RemoteError::Empty),
            Some(address) => Self::of_address(address),
            None => Self::of_name(text),
        }
    }

    /// The source, if the remote names one.
    pub fn source(&self) -> Option<&SourceName> {
        match &self.base {
            RemoteBase::Source(name) => Some(name),
            RemoteBase::Address(_) => None,
        }
    }

    /// The URL, if the remote has one.
    pub fn address(&self) -> Option<&SourceAddress> {
        match &self.base {
            RemoteBase::Source(_) => None,
            RemoteBase::Address(address) => Some(address),
        }
    }

    /// The remote without its secrets.
    pub fn without_secrets(&self) -> Self {
        let redacted = |address: &SourceAddress| SourceAddress::parse(address.redacted()).ok();
        let base = self.address().and_then(redacted).map(RemoteBase::Address);
        CatalogRemote {
            base: base.unwrap_or_else(|| self.base.clone()),
            ..self.clone()
        }
    }

    /// Whether the remote contains a secret.
    pub fn has_secrets(&self) -> bool {
        self.address()
            .is_some_and(|address| address.redacted() != address.reveal())
    }

    /// `catalog/REMOTE`.
    pub fn label(&self) -> String {
        format!("{LABEL}{self}")
    }

    /// The remote in a label; `None` for any other label.
    pub fn in_label(label: &str) -> Option<&str> {
        label.strip_prefix(LABEL)
    }

    fn of_address(text: &str) -> Result<Self, RemoteError> {
        let (scheme, rest) = text.split_once("://").ok_or(RemoteError::NoPrefix)?;
        // Parsed as a whole: part of an unescaped password must not be shown as a reference or a directory.
        SourceAddress::check_start(text)?;
        // Ports, users and passwords come before the first `/`, and a drive letter may follow it.
        let host = rest.find('/').unwrap_or(rest.len());
        let path = &rest[host..];
        let path = host
            + if is_drive(scheme, path) {
                "/C:/".len()
            } else {
                0
            };
        let (head, tail) = rest.split_at(path);
        let RemoteParts {
            base,
            reference,
            directory,
        } = RemoteParts::of(tail)?;
        let address = SourceAddress::parse(&format!("{scheme}://{head}{base}"))?;
        Ok(CatalogRemote {
            base: RemoteBase::Address(address),
            reference,
            directory,
        })
    }

    fn of_name(text: &str) -> Result<Self, RemoteError> {
        let is_url = text
            .split_once("://")
            .is_some_and(|(scheme, _)| is_like_address(scheme));
        if is_url || text.starts_with(['.', '/', '~', '\\']) {
            return Err(RemoteError::NoPrefix);
        }
        let RemoteParts {
            base,
            reference,
            directory,
        } = RemoteParts::of(text)?;
        // `git@host:org/repo` is the ssh form of a URL.
        if base.contains(':') {
            return Err(RemoteError::NoPrefix);
        }
        Ok(CatalogRemote {
            base: RemoteBase::Source(SourceName::new(base)?),
            reference,
            directory,
        })
    }
}

/// The parts of a remote.
struct RemoteParts<'t> {
    base: &'t str,
    reference: Option<String>,
    directory: Option<RelativePath>,
}

impl<'t> RemoteParts<'t> {
    /// The directory follows the last `:/`, the reference the last `#` before it.
    fn of(text: &'t str) -> Result<Self, RemoteError> {
        let (front, directory) = text
            .rsplit_once(FOLDER)
            .map_or((text, None), |(front, end)| (front, Some(end)));
        let (base, reference) = front
            .rsplit_once('#')
            .map_or((front, None), |(base, end)| (base, Some(end)));
        let directory = directory
            .map(RelativePath::new)
            .transpose()
            .map_err(RemoteError::Directory)?;
        if reference.is_some_and(|reference| !is_ref_name(reference)) {
            return Err(RemoteError::Reference);
        }
        Ok(RemoteParts {
            base,
            reference: reference.map(str::to_owned),
            directory,
        })
    }
}

fn strip_prefix(text: &str) -> Option<&str> {
    let (start, rest) = text.split_at_checked(PREFIX.len())?;
    start.eq_ignore_ascii_case(PREFIX).then_some(rest)
}

fn is_known(scheme: &str) -> bool {
    ADDRESS_SCHEMES
        .iter()
        .any(|scheme_name| scheme_name.eq_ignore_ascii_case(scheme))
}

/// Whether text begins like a URL, possibly with a misspelled prefix.
fn is_like_address(scheme: &str) -> bool {
    is_known(scheme.rsplit_once('+').map_or(scheme, |(_, scheme)| scheme))
}

/// Whether a path of a `file` URL begins with a drive, as in `/C:/repo`.
fn is_drive(scheme: &str, path: &str) -> bool {
    let bytes = path.as_bytes();
    scheme.eq_ignore_ascii_case("file")
        && bytes.get(1).is_some_and(u8::is_ascii_alphabetic)
        && bytes.get(2..4) == Some(FOLDER.as_bytes())
}

impl FromStr for CatalogRemote {
    type Err = RemoteError;

    fn from_str(text: &str) -> Result<Self, RemoteError> {
        CatalogRemote::parse(text)
    }
}

impl fmt::Display for CatalogRemote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.base {
            RemoteBase::Source(name) => write!(f, "{name}")?,
            RemoteBase::Address(address) => write!(f, "{PREFIX}{address}")?,
        }
        if let Some(reference) = &self.reference {
            write!(f, "#{reference}")?;
        }
        self.directory
            .as_ref()
            .map_or(Ok(()), |directory| write!(f, "{FOLDER}{directory}"))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn parts(text: &str) -> (String, Option<String>, Option<String>) {
        let remote = CatalogRemote::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        let base = match &remote.base {
            RemoteBase::Source(name) => name.to_string(),
            RemoteBase::Address(address) => address.reveal().to_owned(),
        };
        (
            base,
            remote.reference,
            remote.directory.map(|directory| directory.to_string()),
        )
    }

    #[test]
    fn every_form_is_taken_apart() {
        let some = |text: &str| Some(text.to_owned());
        for (text, base, reference, directory) in [
            ("community", "community", None, None),
            ("community#v1", "community", some("v1"), None),
            ("community#v1:/team", "community", some("v1"), some("team")),
            ("community:/team/core", "community", None, some("team/core")),
            (
                "community#feature/x:/team",
                "community",
                some("feature/x"),
                some("team"),
            ),
            ("git+https://h/o/r.git", "https://h/o/r.git", None, None),
            ("GIT+HTTPS://h/o/r", "https://h/o/r", None, None),
            (
                "git+https://h:8080/o/r#main:/a/./b/",
                "https://h:8080/o/r",
                some("main"),
                some("a/b"),
            ),
            (
                "git+https://h/o/r#pkg@1.0",
                "https://h/o/r",
                some("pkg@1.0"),
                None,
            ),
            (
                "git+https://u:pw@h/o/r#v1:/s",
                "https://u:pw@h/o/r",
                some("v1"),
                some("s"),
            ),
            (
                "git+ssh://git@h:22/o/r#v1",
                "ssh://git@h:22/o/r",
                some("v1"),
                None,
            ),
            ("git+ssh://git@h/o/r:/s", "ssh://git@h/o/r", None, some("s")),
            (
                "git+file:///srv/r#v1:/s",
                "file:///srv/r",
                some("v1"),
                some("s"),
            ),
            ("git+file:///C:/r", "file:///C:/r", None, None),
            ("git+file:///C:/r:/s", "file:///C:/r", None, some("s")),
            (
                "git+http://127.0.0.1:99/r",
                "http://127.0.0.1:99/r",
                None,
                None,
            ),
            (
                "git+git://127.0.0.1:99/r:/s",
                "git://127.0.0.1:99/r",
                None,
                some("s"),
            ),
            ("git+https://h/a:/b:/s", "https://h/a:/b", None, some("s")),
        ] {
            assert_eq!(
                parts(text),
                (base.to_owned(), reference, directory),
                "{text}"
            );
            let remote = CatalogRemote::parse(text).unwrap();
            let redacted = CatalogRemote::parse(&remote.to_string()).unwrap();
            assert_eq!(
                (&redacted, remote.to_string()),
                (&remote.without_secrets(), redacted.to_string()),
                "{text}"
            );
            assert_eq!(
                CatalogRemote::in_label(&remote.label()),
                Some(remote.to_string().as_str())
            );
        }
    }

    #[test]
    fn an_invalid_remote_says_why() {
        use RemoteError::*;
        for (text, error) in [
            ("", Empty),
            ("  ", Empty),
            ("https://h/o/r", NoPrefix),
            ("ssh://git@h/r:/s", NoPrefix),
            ("git@h:o/r", NoPrefix),
            ("git+git@h:o/r", NoPrefix),
            ("gti+https://h/o/r.git", NoPrefix),
            ("SVN+SSH://h/r:/s", NoPrefix),
            ("../here", NoPrefix),
            ("~/here", NoPrefix),
            (
                "git+ftp://h/r",
                Address(SourceAddressError::UnknownScheme {
                    scheme: "ftp".to_owned(),
                }),
            ),
            ("git+https:///r", Address(SourceAddressError::NoHost)),
            (
                "git+ssh://-oProxyCommand=x/r",
                Address(SourceAddressError::LooksLikeOption),
            ),
            (
                "git+https://u:p/w@h/r#v1",
                Address(SourceAddressError::UnescapedPassword),
            ),
            (
                "git+https://u:p/w#x@h/r",
                Address(SourceAddressError::UnescapedPassword),
            ),
            (
                "git+https://u:p#w@h/r",
                Address(SourceAddressError::UnescapedPassword),
            ),
            (
                "git+https://u:p/w:/x@h/r",
                Address(SourceAddressError::UnescapedPassword),
            ),
            (
                "git+https://h/r?private_token=abc#v1",
                Address(SourceAddressError::Query),
            ),
            (
                "git+https://h/a/../r#v1",
                Address(SourceAddressError::DotSegment),
            ),
            (
                "git+https://h/r\u{7}",
                Address(SourceAddressError::ControlCharacter),
            ),
            ("#v1", Name(NameError)),
            ("community#", Reference),
            ("community#-x", Reference),
            ("community#a..b", Reference),
            ("community#a\u{7}b", Reference),
            ("community#a b", Reference),
            ("community:/", Directory(PathError::Empty)),
            ("community:/.", Directory(PathError::Empty)),
            ("community:/../x", Directory(PathError::Escapes)),
            ("community:/a/../../x", Directory(PathError::Escapes)),
            ("community://etc", Directory(PathError::Absolute)),
            ("community:/C:x", Directory(PathError::Absolute)),
            ("community:/a\\..\\b", Directory(PathError::NotPortable)),
            ("git+https://h/r://etc", Directory(PathError::Absolute)),
            ("git+https://h/r#v1:/..", Directory(PathError::Escapes)),
        ] {
            let found = CatalogRemote::parse(text).unwrap_err();
            assert_eq!(found, error, "{text:?}");
            let leads_out = matches!(error, Directory(PathError::Absolute | PathError::Escapes));
            assert_eq!(
                (found.escapes(), found.help().is_empty()),
                (leads_out, false),
                "{text:?}"
            );
        }
    }

    #[test]
    fn secrets_are_not_shown() {
        for (text, redacted) in [
            ("git+https://user:pw@h/r#v1:/s", "git+https://h/r#v1:/s"),
            ("git+https://ghp_token@h/r", "git+https://h/r"),
            ("git+ssh://git:pw@h/r", "git+ssh://git@h/r"),
        ] {
            let remote = CatalogRemote::parse(text).unwrap();
            assert_eq!(remote.to_string(), redacted);
            assert!(
                remote.has_secrets() && !format!("{remote:?}").contains("pw"),
                "{remote:?}"
            );
            assert!(!remote.without_secrets().has_secrets());
            assert_eq!(remote.without_secrets().to_string(), redacted);
        }
    }
}
