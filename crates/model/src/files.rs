//! Read access to the files of a machine, for crates without access to the disk.

use std::fmt;
use std::path::{Component, Path, PathBuf};

/// Read access to the files of a machine. The edge implements it on the disk, tests in memory.
pub trait MachineFiles: fmt::Debug + Send + Sync {
    /// Follows a path; `None` if nothing exists. A broken or cyclic symlink is an error.
    fn reach(&self, path: &Path) -> Result<Option<ResolvedPath>, FileProblem>;

    /// Whether anything exists at a path, following symlinks.
    fn exists(&self, path: &Path) -> bool;

    /// The names in a directory, sorted; empty if it is missing or not a directory.
    fn names(&self, directory: &Path) -> Result<Vec<String>, FileProblem>;

    /// The files in a directory and in at most `depth` levels of subdirectories, by path.
    fn below(&self, directory: &Path, depth: usize) -> Result<Vec<FoundFile>, FileProblem>;

    /// The bytes of a file.
    fn read(&self, file: &Path) -> Result<Vec<u8>, FileProblem>;

    /// The real path after following symlinks; the path itself if nothing exists.
    fn real_path(&self, path: &Path) -> PathBuf;

    /// Whether the owner of a path may control `directory`; a path without an owner is trusted.
    fn is_trusted(&self, path: &Path, directory: &Path) -> bool;
}

/// The target of a path through symlinks, and its real location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ResolvedPath {
    /// A directory.
    Directory(PathBuf),
    /// A file.
    File(PathBuf),
    /// Neither a file nor a directory.
    Other(PathBuf),
}

/// An entry of a directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundFile {
    /// The path from the directory, with `/`.
    pub path: String,
    /// Its kind; symlinks are not followed.
    pub kind: FoundKind,
}

/// The kind of an entry in a directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FoundKind {
    /// A file.
    File,
    /// A symlink, a directory that is too deep, or something else.
    Other,
}

/// The reason why a file cannot be read, as words that follow "it".
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileProblem {
    /// The kind of problem, which decides the fix.
    pub kind: ProblemKind,
    /// Words such as `is a directory`.
    pub words: String,
}

/// The kind of a problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProblemKind {
    /// No such file exists.
    NotFound,
    /// A symlink leads out of the directory that it must stay in.
    Escapes,
    /// Any other problem.
    Other,
}

impl fmt::Display for FileProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.words)
    }
}

/// Whether documents of the project may refer to files outside it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OutsideReads {
    /// They may, except for locations of credentials.
    #[default]
    Allowed,
    /// They may not, because a model reads the result without supervision.
    Refused,
}

/// A path without `.` and `..`.
pub fn normalize(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                out.pop();
            }
            part => out.push(part),
        }
    }
    out
}

/// A path as users see it: relative to `here` if it is inside, with `/`.
pub fn display_from(base: &Path, path: &Path) -> String {
    let elsewhere = || {
        if path.is_absolute() {
            normalize(path)
        } else {
            path.to_owned()
        }
    };
    let short = path.strip_prefix(base);
    let short = short.map_or_else(|_| elsewhere(), Path::to_owned);
    short.to_string_lossy().replace('\\', "/")
}
