use agpm_store::StoreError;

use crate::limits::MOST_DIRECTORIES;

/// Why a source failed. Messages contain no secrets.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// A connection is needed, but none may be opened.
    #[error("{0}")]
    Offline(String),
    /// The source did not answer, or the connection broke.
    #[error("{0}")]
    Unreachable(String),
    /// The source refused the credentials.
    #[error("{message}")]
    AuthRefused {
        /// The URL, without secrets.
        address: String,
        /// The message, with the one of the server.
        message: String,
        /// How to gain access.
        help: String,
    },
    /// The server has nothing at the URL.
    #[error("{message}")]
    NoSuchSource {
        /// The message for the user.
        message: String,
        /// What to check.
        help: String,
    },
    /// The source sent something that is not what it says: nothing of it is kept.
    #[error("{0}")]
    Invalid(String),
    /// The source tries something that no honest source does.
    #[error("{0}")]
    Hostile(String),
    /// Nothing exists at the URL.
    #[error("{message}")]
    NotFound {
        /// The URL, without secrets.
        address: String,
        /// The message, with the content that exists instead.
        message: String,
    },
    /// The source itself lost objects.
    #[error("{0}")]
    Damaged(String),
    /// No revision begins with the digits.
    #[error("{0}")]
    NoSuchRevision(String),
    /// Several revisions begin with the digits.
    #[error("{0}")]
    AmbiguousRevision(String),
    /// A revision without the requested directory.
    #[error("{message}")]
    NoSuchDirectory {
        /// The directory.
        directory: String,
        /// The directories that exist next to it.
        beside: Vec<String>,
        /// The message for the user.
        message: String,
    },
    /// A symlink in a directory leads out of it.
    #[error("a symlink leads out of the directory of the source")]
    OutsideLink,
    /// A revision with too many files to check out.
    #[error("{0}")]
    TooMuch(String),
    /// The source lists a file but does not have it.
    #[error("{0}")]
    MissingFile(String),
    /// A file is too large to read.
    #[error("{0}")]
    FileTooLarge(String),
    /// Too many directories to list.
    #[error("more than {MOST_DIRECTORIES} directories")]
    TooManyDirectories,
    /// The program that reads the source is missing or too old.
    #[error("{0}")]
    NoProgram(String),
    /// The copy in the cache is unusable, or the source sent an invalid answer.
    #[error("{0}")]
    Broken(String),
    /// A local file could not be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
}
