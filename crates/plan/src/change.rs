//! A planned change with its reason, and the obstacles to changes.

use agpm_model::{FileMode, ObservedPath, Owner, RelativePath, SharedBytes};
use agpm_text::{BlockName, NodeKind, Pointer};
use serde::{Serialize, Serializer};

/// The author of managed content. A file that the user wrote stays on disk when agpm no longer manages it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Author {
    /// agpm wrote it.
    #[default]
    Agpm,
    /// The user wrote exactly the content of a resource, and agpm adopted it.
    User,
}

/// Serializes an author as the field `adopted`, which files written by agpm omit.
pub(crate) mod adopted {
    use serde::{Deserialize, Deserializer, Serializer};

    use super::Author;

    pub(crate) fn is_own(author: &Author) -> bool {
        *author == Author::Agpm
    }

    pub(crate) fn serialize<S: Serializer>(author: &Author, s: S) -> Result<S::Ok, S::Error> {
        s.serialize_bool(*author == Author::User)
    }

    pub(crate) fn deserialize<'d, D: Deserializer<'d>>(d: D) -> Result<Author, D::Error> {
        Ok(if bool::deserialize(d)? {
            Author::User
        } else {
            Author::Agpm
        })
    }
}

/// The content that agpm may overwrite.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum OverwriteRule {
    /// No modified content.
    Nothing,
    /// Files that agpm did not write.
    Unowned,
    /// Unmanaged files, and managed files that were edited.
    Everything,
}

/// The reason for a change, or for leaving a file unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeReason {
    /// The file did not exist before.
    New,
    /// The managed file was missing.
    WasMissing,
    /// Only the mode of the file differs.
    Mode,
    /// The desired content of the file changed.
    Content,
    /// The file was edited, and the user allows overwriting it.
    EditDropped,
    /// The file was unmanaged, and the user adopts it.
    TakenOver,
    /// The user edited it.
    Edited,
    /// The user edited it, and there is a new version, which is not installed.
    Conflict,
    /// The user edited it, and there is a new version, which was merged into it.
    Merged,
    /// The user deleted it, and there is a new version, which is not installed.
    Deleted,
    /// The user's content equals the desired content.
    Identical,
    /// Nothing requires the file any more, and the user wrote it.
    UsersOwn,
    /// Nothing requires the file any more.
    Unasked,
    /// Nothing requires the file any more; it was edited, and the user allows dropping the edit.
    UnaskedEditDropped,
    /// Nothing requires the file any more, but it was edited, so the user keeps it.
    UnaskedEdited,
}

impl ChangeReason {
    /// The reason to keep an edit of installed content while this content is desired.
    pub(crate) fn of_edit<C: PartialEq>(installed: C, desired: C) -> Self {
        if installed == desired {
            ChangeReason::Edited
        } else {
            ChangeReason::Conflict
        }
    }

    /// The reason as users read it.
    pub fn words(self) -> &'static str {
        match self {
            ChangeReason::New => "new",
            ChangeReason::WasMissing => "was missing",
            ChangeReason::Mode => "its mode differs",
            ChangeReason::Content => "its content changed",
            ChangeReason::EditDropped => "modified locally; overwritten (--force)",
            ChangeReason::TakenOver => "replaced unmanaged content (--adopt)",
            ChangeReason::Edited => "was edited",
            ChangeReason::Conflict => "was edited, and the new version is not installed",
            ChangeReason::Merged => "merged with your changes",
            ChangeReason::Deleted => "was deleted, and the new version is not installed",
            ChangeReason::Identical => "adopted, identical",
            ChangeReason::UsersOwn => "left in place, written by you",
            ChangeReason::Unasked => "removed from the manifest",
            ChangeReason::UnaskedEditDropped => {
                "removed from the manifest; local edits dropped (--force)"
            }
            ChangeReason::UnaskedEdited => "was removed from the manifest but modified locally",
        }
    }
}

impl Serialize for ChangeReason {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.words())
    }
}

/// The obstacle to a change of a file or node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Obstacle {
    /// A file that agpm did not write; `--adopt` takes it over.
    File,
    /// An entry of a shared file that agpm did not write; `--adopt` takes it over.
    Entry,
    /// A block that agpm did not write; `--adopt` takes it over.
    Block,
    /// A directory at the path of a file.
    Directory,
    /// A symlink, whatever its target.
    Symlink,
    /// A device, pipe or other special file.
    Special,
    /// A file at the path of a parent directory.
    BelowFile,
    /// A value that cannot hold entries.
    Value(NodeKind),
    /// A TOML list written as `[[tables]]`, which cannot hold other items.
    Tables,
    /// A value that cannot be edited on its own.
    Uneditable,
}

impl Obstacle {
    /// The obstacle at a path; `None` for files and free paths.
    pub fn of(now: ObservedPath) -> Option<Obstacle> {
        match now {
            ObservedPath::Missing | ObservedPath::File(_) => None,
            ObservedPath::Directory => Some(Obstacle::Directory),
            ObservedPath::Symlink => Some(Obstacle::Symlink),
            ObservedPath::Special => Some(Obstacle::Special),
        }
    }

    /// The obstacle as users read it.
    pub fn words(self) -> &'static str {
        match self {
            Obstacle::File => "an unmanaged file",
            Obstacle::Entry => "an unmanaged entry",
            Obstacle::Block => "an unmanaged block",
            Obstacle::Directory => "a directory",
            Obstacle::Symlink => "a symlink",
            Obstacle::Special => "not a regular file",
            Obstacle::BelowFile => "in a directory that cannot be created",
            Obstacle::Value(kind) => kind.word(),
            Obstacle::Tables => "a list of tables",
            Obstacle::Uneditable => "a value that cannot be changed alone",
        }
    }
}

/// The action on a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ChangeAction {
    /// The file is new.
    Create,
    /// The file changes.
    Update,
    /// The file is removed.
    Remove,
    /// The file was edited, and gets the changes of the new version too.
    Merge,
    /// The file was edited and is left unchanged.
    Keep,
    /// The file already has the desired content, written by the user, and becomes managed.
    Adopt,
    /// The file was written by the user, stays, and is no longer managed.
    Release,
}

impl ChangeAction {
    /// Whether the disk changes.
    pub fn changes_disk(self) -> bool {
        matches!(
            self,
            ChangeAction::Create
                | ChangeAction::Update
                | ChangeAction::Merge
                | ChangeAction::Remove
        )
    }
}

/// The bytes and the mode that a file gets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewContent {
    /// The bytes.
    pub bytes: SharedBytes,
    /// The mode.
    pub mode: FileMode,
}

/// A planned change, or a file that is left as it is although it differs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PlannedChange {
    /// The action.
    pub action: ChangeAction,
    /// The file.
    pub path: RelativePath,
    /// The owner, also of a removed file.
    #[serde(flatten, serialize_with = "agpm_model::serialize_id")]
    pub owner: Owner,
    /// The reason.
    pub reason: ChangeReason,
    /// The changed key or list, or the kept item, in the file; `None` for whole files.
    #[serde(rename = "key", skip_serializing_if = "concerns_whole_file")]
    pub pointer: Option<Pointer>,
    /// The changed block in the file.
    #[serde(
        skip_serializing_if = "Option::is_none",
        serialize_with = "write_block"
    )]
    pub block: Option<BlockName>,
    /// The current state of the file.
    #[serde(skip)]
    pub before: ObservedPath,
    /// What is written; `None` if no whole file is. The entries and blocks of a shared file are written together, by its
    /// [`SharedChange`](crate::SharedChange).
    #[serde(skip)]
    pub content: Option<NewContent>,
}

impl PlannedChange {
    /// Whether the change is of a file that agpm manages as a whole, and not of something in a shared file.
    pub fn is_of_whole_file(&self) -> bool {
        self.pointer.is_none() && self.block.is_none()
    }

    /// The pointer of the change, unless it concerns the whole file.
    pub fn inner_pointer(&self) -> Option<&Pointer> {
        self.pointer
            .as_ref()
            .filter(|pointer| !pointer.steps().is_empty())
    }
}

fn write_block<S: Serializer>(block: &Option<BlockName>, s: S) -> Result<S::Ok, S::Error> {
    s.serialize_some(&block.as_ref().map(BlockName::as_str))
}

fn concerns_whole_file(pointer: &Option<Pointer>) -> bool {
    pointer
        .as_ref()
        .is_none_or(|pointer| pointer.steps().is_empty())
}

/// A change that agpm refuses to make.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusedChange {
    /// The file.
    pub path: RelativePath,
    /// The pointer of the obstacle in the file; `None` for whole files.
    pub pointer: Option<Pointer>,
    /// The obstructing block.
    pub block: Option<BlockName>,
    /// The obstacle.
    pub obstacle: Obstacle,
    /// The intended owner.
    pub owner: Owner,
}
