//! What is on the disk at one path.

use crate::digest::Checksum;
use crate::unit::FileMode;

/// What is at a path of a project; symlinks are not followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Observed<F = FileState> {
    /// Nothing.
    Missing,
    /// A regular file.
    File(F),
    /// A directory.
    Directory,
    /// A symlink, wherever it leads.
    Symlink,
    /// A device, a pipe or the like.
    Special,
}

/// The content and mode of a regular file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileState {
    /// Of its bytes.
    pub checksum: Checksum,
    /// Whether its owner may run it.
    pub mode: FileMode,
}

impl Observed {
    /// A file with this content and mode.
    pub fn file(checksum: Checksum, mode: FileMode) -> Self {
        Observed::File(FileState { checksum, mode })
    }

    /// Of the file, if it is one.
    pub fn checksum(self) -> Option<Checksum> {
        match self {
            Observed::File(file) => Some(file.checksum),
            _ => None,
        }
    }
}

impl<F> Observed<F> {
    /// The same with something else known of the file.
    pub fn map<T>(self, known: impl FnOnce(F) -> T) -> Observed<T> {
        match self {
            Observed::Missing => Observed::Missing,
            Observed::File(file) => Observed::File(known(file)),
            Observed::Directory => Observed::Directory,
            Observed::Symlink => Observed::Symlink,
            Observed::Special => Observed::Special,
        }
    }
}
