use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// The message of cap-std for a path that leaves its directory.
const ESCAPE: &str = "a path led outside of the filesystem";

/// A problem with a file.
#[derive(Debug)]
pub struct StoreError {
    /// The file or directory.
    pub path: PathBuf,
    /// The problem.
    pub problem: StoreProblem,
}

/// Why a file could not be read or written.
#[derive(Debug)]
pub enum StoreProblem {
    /// The path does not exist.
    NotFound,
    /// A directory where a file was expected.
    IsDirectory,
    /// The path exists already and must not be overwritten.
    Exists,
    /// The path leads out of the directory that it must stay in.
    Escapes,
    /// Larger than this number of bytes.
    TooLarge(u64),
    /// Neither a file nor a directory, such as a symlink.
    NotFile,
    /// The file changed since the plan was made.
    Changed,
    /// A path of agpm itself or of git, where nothing is installed.
    Reserved,
    /// A path for credentials, which is not read.
    Credentials,
    /// Locked by another process.
    Locked,
    /// A file of agpm's own state that cannot be read, with the reason.
    Damaged(String),
    /// The system does not allow writing it.
    Unwritable(io::Error),
    /// Another error of the operating system.
    Other(io::Error),
}

impl StoreError {
    pub(crate) fn new(path: &Path, cause: io::Error) -> Self {
        let problem = match cause.kind() {
            io::ErrorKind::NotFound => StoreProblem::NotFound,
            io::ErrorKind::IsADirectory => StoreProblem::IsDirectory,
            io::ErrorKind::AlreadyExists => StoreProblem::Exists,
            io::ErrorKind::NotADirectory => StoreProblem::NotFile,
            io::ErrorKind::PermissionDenied if is_escape(&cause) => StoreProblem::Escapes,
            _ => StoreProblem::Other(cause),
        };
        StoreError::of(path, problem)
    }

    /// An error of an attempt to write.
    pub(crate) fn of_write(path: &Path, cause: io::Error) -> Self {
        let error = StoreError::new(path, cause);
        match error.problem {
            StoreProblem::Other(cause) => StoreError::of(path, StoreProblem::Unwritable(cause)),
            _ => error,
        }
    }

    pub(crate) fn of(path: &Path, problem: StoreProblem) -> Self {
        StoreError {
            path: path.to_owned(),
            problem,
        }
    }

    /// Shortens a path in `directory` to the part relative to it, as users write it.
    #[must_use]
    pub fn seen_from(mut self, directory: &Path) -> Self {
        if let Ok(short) = self.path.strip_prefix(directory) {
            self.path = if short.as_os_str().is_empty() {
                PathBuf::from(".")
            } else {
                short.to_owned()
            };
        }
        self
    }
}

/// Returns an error like the one of cap-std.
pub(crate) fn escape() -> io::Error {
    io::Error::new(io::ErrorKind::PermissionDenied, ESCAPE)
}

/// Returns whether cap-std refused the path before the system saw it. Other crates wrap errors of the system, so only
/// the message distinguishes them.
fn is_escape(cause: &io::Error) -> bool {
    cause
        .get_ref()
        .is_some_and(|inner| inner.to_string() == ESCAPE)
}

impl fmt::Display for StoreProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StoreProblem::NotFound => f.write_str("does not exist"),
            StoreProblem::IsDirectory => f.write_str("is a directory"),
            StoreProblem::Exists => f.write_str("already exists"),
            StoreProblem::Escapes => f.write_str("is outside its directory"),
            StoreProblem::TooLarge(limit) => write!(f, "is larger than {limit} bytes"),
            StoreProblem::NotFile => f.write_str("is not a regular file"),
            StoreProblem::Changed => f.write_str("changed in the meantime"),
            StoreProblem::Reserved => f.write_str("is a reserved path"),
            StoreProblem::Credentials => f.write_str("may hold credentials and is not read"),
            StoreProblem::Locked => f.write_str("is locked by another process"),
            StoreProblem::Damaged(why) => write!(f, "is invalid: {why}"),
            StoreProblem::Unwritable(cause) => write!(f, "cannot be written: {cause}"),
            StoreProblem::Other(cause) => write!(f, "cannot be reached: {cause}"),
        }
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display();
        match &self.problem {
            StoreProblem::Unwritable(cause) => {
                write!(f, "cannot write `{path}`: {}", reason_of(cause))
            }
            StoreProblem::Other(cause) => write!(f, "`{path}`: {}", reason_of(cause)),
            problem => write!(f, "`{path}` {problem}"),
        }
    }
}

impl std::error::Error for StoreError {}

/// The reason of the system in words, without its number where the words say all.
fn reason_of(cause: &io::Error) -> String {
    let words = match cause.kind() {
        io::ErrorKind::PermissionDenied => "permission denied",
        io::ErrorKind::ReadOnlyFilesystem => "read-only file system",
        io::ErrorKind::StorageFull => "the disk is full",
        io::ErrorKind::QuotaExceeded => "the quota on the disk is used up",
        io::ErrorKind::CrossesDevices => "it is on another file system than the project",
        _ => return cause.to_string(),
    };
    words.to_owned()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_directory_that_refuses_temporary_files_is_not_an_escape() {
        // Like an error of a temporary file: with a path, and without the number of the system's error.
        let refused = io::Error::new(
            io::ErrorKind::PermissionDenied,
            "Permission denied at path \"/x/.tmp\"",
        );
        let error = StoreError::new(Path::new("/x/f"), refused);
        assert!(matches!(error.problem, StoreProblem::Other(_)), "{error:?}");
    }

    #[test]
    fn a_path_that_leads_out_is_one() {
        let temp = tempfile::tempdir().unwrap();
        let dir =
            cap_std::fs::Dir::open_ambient_dir(temp.path(), cap_std::ambient_authority()).unwrap();
        let error = StoreError::new(Path::new("up"), dir.open("../up").unwrap_err());
        assert!(matches!(error.problem, StoreProblem::Escapes), "{error:?}");
    }
}
