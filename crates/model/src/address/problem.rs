//! Problems with a URL.

use crate::path::PathError;
use crate::version::RequirementError;

/// A problem with an [`Address`](super::Address); the message never repeats anything that may be secret.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AddressProblem {
    /// The argument is empty.
    #[error("the URL or path is empty")]
    Empty,
    /// It has a character that is invalid in URLs.
    #[error("the URL or path contains a space or a control character")]
    OddCharacter,
    /// It names an owner but no repository.
    #[error("`{0}` does not name a repository")]
    NoRepository(String),
    /// A host where the owner belongs.
    #[error("`{0}` starts with a host but is not a URL")]
    BareHost(String),
    /// A version after `#`, as other programs write it.
    #[error("`{0}` has a `#`; a version follows after `@`")]
    Fragment(String),
    /// A page of a host that shows no file.
    #[error("`{0}` is neither a repository nor a file of one")]
    OtherPage(String),
    /// An invalid URL.
    #[error(transparent)]
    Url(#[from] SourceAddressError),
    /// A path that is invalid in a source.
    #[error("`{path}`: {error}")]
    Path {
        /// The path as written.
        path: String,
        /// The reason.
        error: PathError,
    },
    /// The text after `@` is not a requirement.
    #[error(transparent)]
    Requirement(#[from] RequirementError),
    /// The text has none of the known forms.
    #[error("`{0}` is not a URL, a repository or a path")]
    NoForm(String),
}

/// The schemes that a URL may have.
pub const ADDRESS_SCHEMES: &[&str] = &["https", "http", "ssh", "git", "file", "oci"];

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
    /// A space, which is invalid in URLs.
    #[error("the URL contains a space; write `%20`")]
    Space,
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
    /// A host that is neither a name nor an IP.
    #[error("the host of the URL is neither a name nor an IP")]
    Host,
    /// A name that ends with a dot.
    #[error("the host of the URL ends with a dot")]
    HostDot,
    /// A port with other characters than digits, or above 65535.
    #[error("the port of the URL is not a number up to 65535")]
    Port,
    /// A `file` URL of another machine, or without a path.
    #[error("a file URL is `file://` and an absolute path")]
    NoLocalPath,
    /// A password that ends the host too early.
    #[error("`/`, `?` and `#` in a user name or password are written `%2F`, `%3F` and `%23`")]
    UnescapedPassword,
    /// `user:password@host:path`, where git ends the host at the first colon.
    #[error(
        "the URL has a `:` before the `@`, so git would read its user as the host; write `ssh://`"
    )]
    ColonBeforeAt,
    /// A user whose end depends on the program that reads it.
    #[error(
        "the user name of the URL has a character that git and curl read differently: `@`, `[`, `]`, `\\`, a space, or `%` over ssh"
    )]
    UnescapedUser,
    /// A query, where another program ends the host or the path.
    #[error("the URL contains a `?`; in a path it is written `%3F`")]
    Query,
    /// A tag as container programs write it.
    #[error("the URL contains a `:` after its host; a version follows after `@`")]
    RegistryTag,
    /// A repository that no registry can have.
    #[error(
        "the repository in the URL is not lowercase letters, digits and `.`, `_`, `-` between `/`"
    )]
    RepositoryName,
    /// Credentials, which belong to the files that container programs share.
    #[error(
        "the URL contains a user; log in to the registry with `docker login` or `podman login`"
    )]
    RegistryUser,
    /// A version as other programs write it, or the end of a path.
    #[error(
        "the URL contains a `#`; a version follows after `@`, and in a path it is written `%23`"
    )]
    Fragment,
    /// A backslash, which some programs read as a slash.
    #[error("the URL contains a `\\`; write `/`")]
    Backslash,
    /// A path that leads up or stays.
    #[error("the path of the URL contains `.` or `..`")]
    DotSegment,
    /// An empty part of a path.
    #[error("the path of the URL contains `//`")]
    DoubledSlash,
    /// An escape that hides a character, or none.
    #[error(
        "the URL has a `%` that is not the escape of a character that needs one, such as `%20`"
    )]
    Escape,
}

impl SourceAddressError {
    /// Whether the text may hold a password that no rule of masking would find.
    pub fn may_show_password(&self) -> bool {
        matches!(
            self,
            SourceAddressError::UnescapedPassword
                | SourceAddressError::RegistryUser
                | SourceAddressError::ColonBeforeAt
                | SourceAddressError::UnescapedUser
        )
    }
}
