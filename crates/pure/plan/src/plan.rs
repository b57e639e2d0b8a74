//! Desired files against observed ones: a list of changes with reasons, and what is refused.

use std::collections::BTreeMap;

use agpm_model::{Checksum, FileMode, RelativePath};
use agpm_text::Pointer;
use serde::{Serialize, Serializer};

use crate::ledger::{Author, Ledger, Owned};
use crate::nodes::Twin;

/// A file as it is to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Desired {
    /// From the project.
    pub path: RelativePath,
    /// Of its bytes.
    pub checksum: Checksum,
    /// Of the bytes in the source.
    pub source: Checksum,
    /// Its mode.
    pub mode: FileMode,
    /// The resource it belongs to, as `TYPE/NAME`.
    pub owner: String,
    /// What becomes of a file of the user's that has the same bytes.
    pub twin: Twin,
}

/// What is at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Observed {
    /// Nothing.
    Missing,
    /// A file with these bytes.
    File(Checksum, FileMode),
    /// A folder, a link or something else that is never replaced.
    Other(&'static str),
}

impl Observed {
    /// Of the file, if it is one.
    pub fn checksum(self) -> Option<Checksum> {
        match self {
            Observed::File(checksum, _) => Some(checksum),
            _ => None,
        }
    }
}

/// Which files that are not as we left them may be overwritten.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Overwrite {
    /// None.
    Nothing,
    /// Files that we did not write.
    Unowned,
    /// These, and files of ours that were edited.
    Everything,
}

/// Why something happens to a file, or does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// It was not there before.
    New,
    /// It is ours and was gone.
    WasMissing,
    /// Only its mode is not as it should be.
    Mode,
    /// What it is to hold changed.
    Content,
    /// It was edited, and the user wants it overwritten.
    EditDropped,
    /// It was not ours, and the user wants it taken over.
    TakenOver,
    /// It was edited.
    Edited,
    /// The user has just what is wanted.
    Identical,
    /// Nothing asks for it any more, and the user wrote it.
    UsersOwn,
    /// Nothing asks for it any more.
    Unasked,
    /// Nothing asks for it any more; it was edited, and the user wants that dropped.
    UnaskedEditDropped,
    /// Nothing asks for it any more, but it was edited: it is the user's from now on.
    UnaskedEdited,
}

impl Serialize for Reason {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.words())
    }
}

impl Reason {
    /// The words that users see.
    pub fn words(self) -> &'static str {
        match self {
            Reason::New => "new",
            Reason::WasMissing => "was missing",
            Reason::Mode => "the mode differs",
            Reason::Content => "its content changed",
            Reason::EditDropped => "was edited; overwritten on request",
            Reason::TakenOver => "was not ours; taken over on request",
            Reason::Edited => "was edited",
            Reason::Identical => "adopted, identical",
            Reason::UsersOwn => "left in place, written by you",
            Reason::Unasked => "no longer asked for",
            Reason::UnaskedEditDropped => "no longer asked for; edits dropped on request",
            Reason::UnaskedEdited => "is no longer asked for, but was edited",
        }
    }
}

/// What is in the way of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Obstacle {
    /// A file that we did not write; the user may let us take it over.
    File,
    /// An entry of a shared file that we did not write; the user may let us take it over.
    Entry,
    /// Something that is never replaced.
    Other(&'static str),
}

impl Obstacle {
    /// The words that users see.
    pub fn words(self) -> &'static str {
        match self {
            Obstacle::File => "a file that agpm did not install",
            Obstacle::Entry => "an entry that agpm did not write",
            Obstacle::Other(what) => what,
        }
    }
}

/// What happens to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    /// It is new.
    Create,
    /// It changes.
    Update,
    /// It goes.
    Remove,
    /// It was edited and stays as it is.
    Keep,
    /// It is as it should be, written by the user, and managed from now on.
    Adopt,
    /// It stays, written by the user, and is no longer managed.
    Release,
}

impl Action {
    /// Whether the disk changes.
    pub fn changes_disk(self) -> bool {
        matches!(self, Action::Create | Action::Update | Action::Remove)
    }
}

/// One change, or a file that is left alone although it is not as it should be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Change {
    /// What happens.
    pub action: Action,
    /// The file.
    pub path: RelativePath,
    /// The resource it belongs or belonged to.
    #[serde(rename = "resource")]
    pub owner: String,
    /// Why.
    pub reason: Reason,
    /// The key or the list inside it, or the item that is kept; nothing for whole files.
    #[serde(rename = "key", skip_serializing_if = "is_whole_file")]
    pub place: Option<Pointer>,
    /// What the file is now.
    #[serde(skip)]
    pub before: Observed,
}

impl Change {
    /// The place inside the file, unless it is the file as a whole.
    pub fn inner_place(&self) -> Option<&Pointer> {
        self.place
            .as_ref()
            .filter(|place| !place.steps().is_empty())
    }
}

fn is_whole_file(place: &Option<Pointer>) -> bool {
    place.as_ref().is_none_or(|place| place.steps().is_empty())
}

/// A file that is in the way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The file.
    pub path: RelativePath,
    /// What is in the way inside it; nothing for whole files.
    pub place: Option<Pointer>,
    /// What is there.
    pub what: Obstacle,
    /// The resource that was to be installed there.
    pub owner: String,
}

/// Everything that is to be done, by path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// Changes by path.
    pub changes: Vec<Change>,
    /// What must not be done. If there is any, nothing is.
    pub refusals: Vec<Refusal>,
    /// What is ours afterwards.
    pub ledger: Ledger,
    /// How many files are as they should be.
    pub unchanged: usize,
}

impl Plan {
    /// Whether files change.
    pub fn is_empty(&self) -> bool {
        self.changes
            .iter()
            .all(|change| !change.action.changes_disk())
    }
}

/// Compares what is to be with what is there.
pub fn plan(
    desired: &[Desired],
    observed: &BTreeMap<RelativePath, Observed>,
    ledger: &Ledger,
    overwrite: Overwrite,
) -> Plan {
    let mut plan = Plan::default();
    for file in desired {
        let now = observed
            .get(&file.path)
            .copied()
            .unwrap_or(Observed::Missing);
        place(
            file,
            now,
            ledger.files.get(&file.path),
            overwrite,
            &mut plan,
        );
    }
    let stays: BTreeMap<&RelativePath, ()> = desired.iter().map(|file| (&file.path, ())).collect();
    for (path, owned) in ledger
        .files
        .iter()
        .filter(|(path, _)| !stays.contains_key(path))
    {
        let now = observed.get(path).copied().unwrap_or(Observed::Missing);
        retire(path, now, owned, overwrite, &mut plan);
    }
    plan.changes.sort_by(|a, b| a.path.cmp(&b.path));
    plan.refusals.sort_by(|a, b| a.path.cmp(&b.path));
    plan
}

/// One file that is to be there.
fn place(
    file: &Desired,
    now: Observed,
    owned: Option<&Owned>,
    overwrite: Overwrite,
    plan: &mut Plan,
) {
    let source = Some(file.source).filter(|source| *source != file.checksum);
    let author = owned.map_or(Author::Agpm, |owned| owned.author);
    let mut record = Owned {
        checksum: file.checksum,
        source,
        mode: file.mode,
        owner: file.owner.clone(),
        author,
    };
    let change = |action, reason| Change {
        path: file.path.clone(),
        place: None,
        action,
        before: now,
        reason,
        owner: file.owner.clone(),
    };
    let untouched = owned.is_some_and(
        |owned| matches!(now, Observed::File(checksum, _) if checksum == owned.checksum),
    );
    let decided = match (now, owned) {
        (Observed::Missing, None) => Some(change(Action::Create, Reason::New)),
        (Observed::Missing, Some(_)) => {
            record.author = Author::Agpm;
            Some(change(Action::Create, Reason::WasMissing))
        }
        (Observed::File(checksum, _), None)
            if checksum == file.checksum
                && file.twin == Twin::Left
                && overwrite == Overwrite::Nothing =>
        {
            plan.unchanged += 1;
            plan.ledger.theirs.insert(file.path.clone(), checksum);
            return;
        }
        (Observed::File(checksum, mode), None)
            if checksum == file.checksum && file.twin == Twin::Taken =>
        {
            record.author = Author::User;
            let is_settled = mode == file.mode;
            let (action, reason) = if is_settled {
                (Action::Adopt, Reason::Identical)
            } else {
                (Action::Update, Reason::Mode)
            };
            Some(change(action, reason))
        }
        (Observed::File(checksum, mode), _) if checksum == file.checksum && mode == file.mode => {
            None
        }
        (Observed::File(checksum, _), _) if checksum == file.checksum => {
            Some(change(Action::Update, Reason::Mode))
        }
        (Observed::File(..), Some(_)) if untouched => {
            record.author = Author::Agpm;
            Some(change(Action::Update, Reason::Content))
        }
        (Observed::File(..), Some(_)) if overwrite == Overwrite::Everything => {
            record.author = Author::Agpm;
            Some(change(Action::Update, Reason::EditDropped))
        }
        (Observed::File(..), Some(owned)) => {
            plan.changes.push(change(Action::Keep, Reason::Edited));
            plan.ledger.files.insert(file.path.clone(), owned.clone());
            return;
        }
        (Observed::File(..), None) if overwrite >= Overwrite::Unowned => {
            Some(change(Action::Update, Reason::TakenOver))
        }
        (Observed::File(..), None) => return plan.refuse(file, Obstacle::File),
        (Observed::Other(what), _) => return plan.refuse(file, Obstacle::Other(what)),
    };
    plan.unchanged += usize::from(decided.is_none());
    plan.changes.extend(decided);
    plan.ledger.files.insert(file.path.clone(), record);
}

/// One file of ours that is not to be there any more.
fn retire(
    path: &RelativePath,
    now: Observed,
    owned: &Owned,
    overwrite: Overwrite,
    plan: &mut Plan,
) {
    let change = |action, reason| Change {
        path: path.clone(),
        place: None,
        action,
        before: now,
        reason,
        owner: owned.owner.clone(),
    };
    match now {
        Observed::Missing => {}
        _ if owned.author == Author::User => {
            plan.changes.push(change(Action::Release, Reason::UsersOwn))
        }
        Observed::File(checksum, _) if checksum == owned.checksum => {
            plan.changes.push(change(Action::Remove, Reason::Unasked));
        }
        Observed::File(..) if overwrite == Overwrite::Everything => {
            plan.changes
                .push(change(Action::Remove, Reason::UnaskedEditDropped));
        }
        // From now on it is the user's.
        _ => plan
            .changes
            .push(change(Action::Keep, Reason::UnaskedEdited)),
    }
}

impl Plan {
    fn refuse(&mut self, file: &Desired, what: Obstacle) {
        let (path, owner) = (file.path.clone(), file.owner.clone());
        self.refusals.push(Refusal {
            path,
            place: None,
            what,
            owner,
        });
    }
}
