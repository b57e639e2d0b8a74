//! Problems with a URL.

use super::source::SourceAddressError;
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
