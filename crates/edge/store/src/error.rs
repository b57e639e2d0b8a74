use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// The message of cap-std for a path that would leave its directory.
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
    /// There already, and not to be overwritten.
    Exists,
    /// Leads out of the directory that it must stay in.
    Escapes,
    /// Larger than this.
    TooLarge(u64),
    /// Neither a file nor a directory, such as a symlink.
    NotFile,
    /// Not what it was when the plan was made.
    Changed,
    /// A location of the program itself or of git, where nothing is installed.
    Reserved,
    /// A location for credentials, which is not read.
    Credentials,
    /// Locked by another process.
    Locked,
    /// A record of the program itself that cannot be read, and why.
    Damaged(String),
    /// Anything else the system says.
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

    pub(crate) fn of(path: &Path, problem: StoreProblem) -> Self {
        StoreError {
            path: path.to_owned(),
            problem,
        }
    }

    /// With a path below `folder` said from there, as users do.
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

/// A refusal like cap-std's.
pub(crate) fn escape() -> io::Error {
    io::Error::new(io::ErrorKind::PermissionDenied, ESCAPE)
}

/// Whether cap-std refused it before the system could. Others wrap what the system says, so the message has to distinguish them.
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
            StoreProblem::Other(cause) => write!(f, "cannot be reached: {cause}"),
        }
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display();
        match &self.problem {
            StoreProblem::Other(cause) => write!(f, "`{path}`: {cause}"),
            problem => write!(f, "`{path}` {problem}"),
        }
    }
}

impl std::error::Error for StoreError {}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_directory_that_refuses_temporary_files_is_not_an_escape() {
        // As temporary files describe the system's refusal: with a path, and without its number.
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
