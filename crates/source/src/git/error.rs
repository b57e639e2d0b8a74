use agpm_model::Revision as ObjectId;
use agpm_store::StoreError;

/// Why a source failed. URLs and messages of git contain no secrets.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    /// git was not found.
    #[error("git could not be started: {cause}")]
    NoGit {
        /// The error of the operating system.
        cause: std::io::Error,
    },
    /// git is too old.
    #[error("git {found} is too old: agpm needs {needed} or newer")]
    TooOld {
        /// The installed version.
        found: String,
        /// The oldest supported version.
        needed: &'static str,
    },
    /// A connection is needed, but none may be opened.
    #[error("`{address}` is not in the cache, and network access is disabled")]
    Offline {
        /// The source.
        address: String,
    },
    /// The server did not answer, or the connection broke.
    #[error("`{address}` cannot be reached: {reason}")]
    Unreachable {
        /// The source.
        address: String,
        /// The message of git.
        reason: String,
    },
    /// The server refused the credentials.
    #[error("`{address}` refused access: {reason}")]
    AuthRefused {
        /// The source.
        address: String,
        /// The message of git.
        reason: String,
    },
    /// No repository exists at the URL.
    #[error("`{address}` is not a git repository: {reason}")]
    NotFound {
        /// The source.
        address: String,
        /// The message of git.
        reason: String,
    },
    /// The repository at the URL lost objects.
    #[error("`{address}` is damaged: {reason}")]
    Damaged {
        /// The source.
        address: String,
        /// The message of git.
        reason: String,
    },
    /// The source has no such commit.
    #[error("`{address}` has no commit `{commit}`")]
    NoSuchCommit {
        /// The source.
        address: String,
        /// The commit as requested.
        commit: String,
    },
    /// A short commit id that matches several commits.
    #[error("`{prefix}` is ambiguous in `{address}`: {}", list(candidates))]
    Ambiguous {
        /// The source.
        address: String,
        /// The commit as requested.
        prefix: String,
        /// The commits that match.
        candidates: Vec<ObjectId>,
    },
    /// An object that the source lacks, or that is of another kind than requested.
    #[error("`{address}` does not have the object {object}")]
    MissingObject {
        /// The source.
        address: String,
        /// The object.
        object: ObjectId,
    },
    /// An object that is larger than any resource.
    #[error("an object of `{address}` is too large ({size} bytes): {object}")]
    TooLarge {
        /// The source.
        address: String,
        /// The object.
        object: ObjectId,
        /// The size in bytes.
        size: u64,
    },
    /// A commit without the requested directory.
    #[error("no directory `{directory}` in commit {}", commit.short())]
    NoSuchDirectory {
        /// The source.
        address: String,
        /// The commit.
        commit: ObjectId,
        /// The directory as requested.
        directory: String,
        /// The directories that exist next to it.
        beside: Vec<String>,
    },
    /// A commit with too many files to check out.
    #[error("`{address}` has too many files, or too large ones, in {}", commit.short())]
    TooMuch {
        /// The source.
        address: String,
        /// The commit.
        commit: ObjectId,
    },
    /// Another failure of git.
    #[error("git failed on `{address}`: {reason}")]
    Broken {
        /// The source.
        address: String,
        /// The message of git.
        reason: String,
    },
    /// The cache could not be written.
    #[error(transparent)]
    Store(#[from] StoreError),
}

fn list(candidates: &[ObjectId]) -> String {
    candidates
        .iter()
        .map(ObjectId::as_str)
        .collect::<Vec<_>>()
        .join(", ")
}

impl GitError {
    /// Returns whether the same call may succeed later: the connection failed, not the request.
    pub fn is_network(&self) -> bool {
        matches!(
            self,
            GitError::Offline { .. } | GitError::Unreachable { .. }
        )
    }
}
