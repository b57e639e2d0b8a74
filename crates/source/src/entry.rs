use agpm_model::{Checksum, FileMode, Revision};

/// An entry at a path of a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceEntry {
    /// The path from the top of the source. It comes from the source and must not be trusted as a path to write to.
    pub path: String,
    /// File, directory or symlink.
    pub kind: SourceEntryKind,
    /// The id of the content, if the source has one without reading it: equal ids mean equal contents.
    pub id: Option<Revision>,
}

/// The kind of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourceEntryKind {
    /// A file.
    File(FileMode),
    /// A directory.
    Directory,
    /// A symlink that is not followed.
    Symlink,
    /// A commit of another repository.
    Submodule,
    /// A device, a pipe or the like.
    Special,
}

impl SourceEntryKind {
    /// Returns the mode of a file; `None` for other kinds.
    pub fn file_mode(self) -> Option<FileMode> {
        match self {
            SourceEntryKind::File(mode) => Some(mode),
            _ => None,
        }
    }
}

/// The result of listing a directory, sorted by path.
#[derive(Clone, Debug, Default)]
pub struct SourceTree {
    /// All entries except the directories that were entered.
    pub entries: Vec<SourceEntry>,
    /// Detects later changes without reading; `None` for a source that never changes, and if something changed just
    /// now.
    pub watch: Option<TreeWatch>,
}

/// The directories of a tree, with a value that changes when something in them does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeWatch {
    /// The top directory.
    pub directory: String,
    /// The directories that were entered.
    pub directories: Vec<String>,
    /// The stamp of names, sizes and times.
    pub stamp: Checksum,
}
