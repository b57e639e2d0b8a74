use agpm_model::{Checksum, FileMode, ObjectId};

/// An entry at a path of a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceEntry {
    /// Its path from the top of the source, as the source has it: not to be trusted as a path to write to.
    pub path: String,
    /// File, directory or symlink.
    pub kind: SourceEntryKind,
    /// The id of its content, where the source knows one without reading it: equal ids are equal contents.
    pub id: Option<ObjectId>,
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
    /// The mode of a file; nothing for anything else.
    pub fn file_mode(self) -> Option<FileMode> {
        match self {
            SourceEntryKind::File(mode) => Some(mode),
            _ => None,
        }
    }
}

/// The result of a walk, by path.
#[derive(Clone, Debug, Default)]
pub struct SourceTree {
    /// Everything but the directories that were entered.
    pub entries: Vec<SourceEntry>,
    /// How a change is noticed later without reading; nothing for what never changes, and for what changed just now.
    pub watch: Option<TreeWatch>,
}

/// The directories of a tree and a number that changes when something in them does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeWatch {
    /// Where the directories start.
    pub directory: String,
    /// The directories that were entered.
    pub directories: Vec<String>,
    /// The stamp of names, sizes and times.
    pub stamp: Checksum,
}
