//! One change with its reason, and the obstacles to one.

use agpm_model::{ObservedPath, Owner, RelativePath};
use agpm_text::{BlockName, NodeKind, Pointer};
use serde::{Serialize, Serializer};

/// Who wrote what agpm manages. A file that the user wrote stays on disk when agpm no longer manages it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Author {
    /// agpm did.
    #[default]
    Agpm,
    /// The user did, with the very content that a resource wants: agpm adopted it.
    User,
}

/// An author as the field `adopted`, which files lack that agpm wrote.
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

/// Which modified files may be overwritten.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum OverwriteRule {
    /// No modified file.
    Nothing,
    /// Files that agpm did not write.
    Unowned,
    /// These, and managed files that were edited.
    Everything,
}

/// Why something happens to a file, or does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeReason {
    /// The file did not exist before.
    New,
    /// It is managed and was gone.
    WasMissing,
    /// Only its mode is not as it should be.
    Mode,
    /// Its desired content changed.
    Content,
    /// It was edited, and the user wants it overwritten.
    EditDropped,
    /// It was unmanaged, and the user adopts it.
    TakenOver,
    /// The user edited it.
    Edited,
    /// The user has just what is wanted.
    Identical,
    /// Nothing requires it any more, and the user wrote it.
    UsersOwn,
    /// Nothing requires it any more.
    Unasked,
    /// Nothing requires it any more; it was edited, and the user wants that dropped.
    UnaskedEditDropped,
    /// Nothing requires it any more, but it was edited: it is the user's from now on.
    UnaskedEdited,
}

impl ChangeReason {
    /// The reason in words.
    pub fn words(self) -> &'static str {
        match self {
            ChangeReason::New => "new",
            ChangeReason::WasMissing => "was missing",
            ChangeReason::Mode => "its mode differs",
            ChangeReason::Content => "its content changed",
            ChangeReason::EditDropped => "modified locally; overwritten (--force)",
            ChangeReason::TakenOver => "replaced unmanaged content (--adopt)",
            ChangeReason::Edited => "was edited",
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

/// The obstacle at a file or a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Obstacle {
    /// A file that agpm did not write; the user may let agpm take it over.
    File,
    /// An entry of a shared file that agpm did not write; the user may let agpm take it over.
    Entry,
    /// A block that agpm did not write; the user may let agpm take it over.
    Block,
    /// A directory at the path of a file.
    Directory,
    /// A symlink, wherever it leads.
    Symlink,
    /// A device, a pipe or the like.
    Special,
    /// A file at the path of a directory above.
    BelowFile,
    /// A value that has no room for entries.
    Value(NodeKind),
    /// A TOML list written as `[[tables]]`, which has no room for other items.
    Tables,
    /// A value whose text cannot be changed alone.
    Uneditable,
}

impl Obstacle {
    /// An obstacle that is never replaced; nothing for files and free paths.
    pub fn of(now: ObservedPath) -> Option<Obstacle> {
        match now {
            ObservedPath::Missing | ObservedPath::File(_) => None,
            ObservedPath::Directory => Some(Obstacle::Directory),
            ObservedPath::Symlink => Some(Obstacle::Symlink),
            ObservedPath::Special => Some(Obstacle::Special),
        }
    }

    /// The obstacle in words.
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
    /// It was edited and stays as it is.
    Keep,
    /// It is as it should be, written by the user, and managed from now on.
    Adopt,
    /// It stays, written by the user, and is no longer managed.
    Release,
}

impl ChangeAction {
    /// Whether the disk changes.
    pub fn changes_disk(self) -> bool {
        matches!(
            self,
            ChangeAction::Create | ChangeAction::Update | ChangeAction::Remove
        )
    }
}

/// One change, or a file that is left alone although it is not as it should be.
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
    /// The key or the list inside it, or the item that is kept; nothing for whole files.
    #[serde(rename = "key", skip_serializing_if = "is_whole_file")]
    pub place: Option<Pointer>,
    /// The block inside it; nothing for anything else.
    #[serde(
        skip_serializing_if = "Option::is_none",
        serialize_with = "write_block"
    )]
    pub block: Option<BlockName>,
    /// The current state of the file.
    #[serde(skip)]
    pub before: ObservedPath,
}

impl PlannedChange {
    /// The location inside the file, unless it is the file as a whole.
    pub fn inner_place(&self) -> Option<&Pointer> {
        self.place
            .as_ref()
            .filter(|place| !place.steps().is_empty())
    }
}

fn write_block<S: Serializer>(block: &Option<BlockName>, s: S) -> Result<S::Ok, S::Error> {
    s.serialize_some(&block.as_ref().map(BlockName::as_str))
}

fn is_whole_file(place: &Option<Pointer>) -> bool {
    place.as_ref().is_none_or(|place| place.steps().is_empty())
}

/// A file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusedChange {
    /// The file.
    pub path: RelativePath,
    /// The position of the obstacle in the file; nothing for whole files.
    pub place: Option<Pointer>,
    /// The obstructing block; nothing for anything else.
    pub block: Option<BlockName>,
    /// The obstacle.
    pub what: Obstacle,
    /// The intended owner.
    pub owner: Owner,
}
