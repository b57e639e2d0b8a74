use agpm_git::GitError;
use agpm_store::StoreError;

use crate::limits::MOST_DIRECTORIES;

/// Why a source did not give what was asked of it. Messages are without secrets.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// A connection would be needed, and none may be opened.
    #[error("{0}")]
    Offline(String),
    /// The source does not answer, or stopped in the middle.
    #[error("{0}")]
    Unreachable(String),
    /// The source wants other credentials.
    #[error("{message}")]
    AuthRefused {
        /// The URL, without secrets.
        address: String,
        /// The message, with git's words.
        message: String,
    },
    /// Nothing is at the URL.
    #[error("{message}")]
    NotFound {
        /// The URL, without secrets.
        address: String,
        /// The message, with what was found instead.
        message: String,
    },
    /// The source itself lost something.
    #[error("{0}")]
    Damaged(String),
    /// No revision begins with the digits.
    #[error("{0}")]
    NoSuchRevision(String),
    /// Several revisions begin with the digits.
    #[error("{0}")]
    AmbiguousRevision(String),
    /// A revision without the directory.
    #[error("{message}")]
    NoSuchDirectory {
        /// The directory.
        directory: String,
        /// The directories in its location.
        beside: Vec<String>,
        /// The message for the user.
        message: String,
    },
    /// A link in a directory leads out of it.
    #[error("a symlink leads out of the directory of the source")]
    OutsideLink,
    /// More than is written out of one revision.
    #[error("{0}")]
    TooMuch(String),
    /// The source lists a file and does not have it.
    #[error("{0}")]
    MissingFile(String),
    /// One file is larger than any that is read.
    #[error("{0}")]
    FileTooLarge(String),
    /// More directories than a walk takes.
    #[error("more than {MOST_DIRECTORIES} directories")]
    TooManyDirectories,
    /// The program that reads the source is missing or too old.
    #[error("{0}")]
    NoProgram(String),
    /// The copy of the source in the cache cannot be used, or the source answers nonsense.
    #[error("{0}")]
    Broken(String),
    /// A file of this machine could not be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<GitError> for SourceError {
    fn from(error: GitError) -> Self {
        let message = error.to_string();
        match error {
            GitError::Offline { .. } => SourceError::Offline(message),
            GitError::Unreachable { .. } => SourceError::Unreachable(message),
            GitError::AuthRefused { address, .. } => SourceError::AuthRefused { address, message },
            GitError::NotFound { address, .. } => SourceError::NotFound { address, message },
            GitError::Damaged { .. } => SourceError::Damaged(message),
            GitError::NoSuchCommit { .. } => SourceError::NoSuchRevision(message),
            GitError::Ambiguous { .. } => SourceError::AmbiguousRevision(message),
            GitError::NoSuchDirectory {
                directory, beside, ..
            } => SourceError::NoSuchDirectory {
                directory: directory,
                beside,
                message,
            },
            GitError::TooMuch { .. } => SourceError::TooMuch(message),
            GitError::NoGit { .. } | GitError::TooOld { .. } => SourceError::NoProgram(message),
            GitError::MissingObject { .. } => SourceError::MissingFile(message),
            GitError::TooLarge { .. } => SourceError::FileTooLarge(message),
            GitError::Broken { .. } => SourceError::Broken(message),
            GitError::Store(error) => SourceError::Store(error),
        }
    }
}
