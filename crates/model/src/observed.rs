//! The state of one path on disk.

use crate::digest::Checksum;
use crate::unit::FileMode;

/// The state of a path in a project; symlinks are not followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObservedPath<F = FileState> {
    /// The path is free.
    Missing,
    /// A regular file.
    File(F),
    /// A directory.
    Directory,
    /// A symlink, whatever its target.
    Symlink,
    /// A device, pipe or other special file.
    Special,
}

/// The content and mode of a regular file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileState {
    /// The checksum of the bytes.
    pub checksum: Checksum,
    /// Whether its owner may execute it.
    pub mode: FileMode,
}

impl ObservedPath {
    /// A file with this content and mode.
    pub fn file(checksum: Checksum, mode: FileMode) -> Self {
        ObservedPath::File(FileState { checksum, mode })
    }

    /// The checksum, if it is a file.
    pub fn checksum(self) -> Option<Checksum> {
        match self {
            ObservedPath::File(file) => Some(file.checksum),
            _ => None,
        }
    }
}

impl<F> ObservedPath<F> {
    /// Converts the data of a file.
    pub fn map<T>(self, convert: impl FnOnce(F) -> T) -> ObservedPath<T> {
        match self {
            ObservedPath::Missing => ObservedPath::Missing,
            ObservedPath::File(file) => ObservedPath::File(convert(file)),
            ObservedPath::Directory => ObservedPath::Directory,
            ObservedPath::Symlink => ObservedPath::Symlink,
            ObservedPath::Special => ObservedPath::Special,
        }
    }
}
