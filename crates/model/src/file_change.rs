//! How a transaction changed a file.

/// How a transaction changed a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileChangeKind {
    /// It did not exist before.
    Created,
    /// Its content or its mode changed.
    Updated,
    /// It no longer exists.
    Removed,
}

impl FileChangeKind {
    /// The change as one participle.
    pub fn word(self) -> &'static str {
        match self {
            FileChangeKind::Created => "created",
            FileChangeKind::Updated => "updated",
            FileChangeKind::Removed => "removed",
        }
    }

    /// The effect of undoing the change, as one participle.
    pub fn undone_word(self) -> &'static str {
        match self {
            FileChangeKind::Created => "removed",
            FileChangeKind::Updated | FileChangeKind::Removed => "restored",
        }
    }
}
