//! Desired state against the observed disk: a list of changes with reasons, and what is refused.

use std::borrow::Cow;
use std::collections::BTreeSet;

use agpm_diag::Diagnostic;
use agpm_model::{FileMode, Observed, RelativePath};
use agpm_text::{Kind, Pointer};
use serde::{Serialize, Serializer};

use crate::desired::{DesiredFile, DesiredState};
use crate::files::plan_files;
use crate::ledger::{Author, Ledger, Owned};
use crate::nodes::{FileOutcome, OwnedNodes};
use crate::observation::Observation;
use crate::shared::{SharedFilePlan, plan_shared_file};

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

/// What is in the way of a file or a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Obstacle {
    /// A file that agpm did not write; the user may let agpm take it over.
    File,
    /// An entry of a shared file that agpm did not write; the user may let agpm take it over.
    Entry,
    /// A directory at the path of a file.
    Directory,
    /// A symlink, wherever it leads.
    Symlink,
    /// A device, a pipe or the like.
    Special,
    /// A file at the path of a directory above.
    BelowFile,
    /// A value that has no room for entries.
    Value(Kind),
    /// A TOML list written as `[[tables]]`, which has no room for other items.
    Tables,
    /// A value whose text cannot be changed alone.
    Uneditable,
}

impl Obstacle {
    /// What is never replaced; nothing for files and free paths.
    pub fn of(now: Observed) -> Option<Obstacle> {
        match now {
            Observed::Missing | Observed::File(_) => None,
            Observed::Directory => Some(Obstacle::Directory),
            Observed::Symlink => Some(Obstacle::Symlink),
            Observed::Special => Some(Obstacle::Special),
        }
    }

    /// The words that users see.
    pub fn words(self) -> &'static str {
        match self {
            Obstacle::File => "a file that agpm did not install",
            Obstacle::Entry => "an entry that agpm did not write",
            Obstacle::Directory => "a folder",
            Obstacle::Symlink => "a symbolic link",
            Obstacle::Special => "something that is no file",
            Obstacle::BelowFile => "in a folder that cannot be created",
            Obstacle::Value(kind) => kind.word(),
            Obstacle::Tables => "a list of tables",
            Obstacle::Uneditable => "a value that cannot be changed alone",
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

/// What becomes of a file that others write too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedChange {
    /// From the project.
    pub path: RelativePath,
    /// The file afterwards.
    pub outcome: FileOutcome,
    /// The mode of a file that is new.
    pub mode: FileMode,
    /// What is there now.
    pub before: Observed,
}

/// Everything that is to be done, by path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// Changes by path.
    pub changes: Vec<Change>,
    /// The texts of shared files that change.
    pub shared: Vec<SharedChange>,
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

/// Why there is no plan.
#[derive(Debug)]
pub enum PlanError {
    /// A shared file exists and cannot be understood.
    Unreadable(RelativePath),
    /// Resources want different things of one place.
    Clash(Box<Diagnostic>),
}

/// How the shared files are planned: no file depends on another, so the caller may use threads. This crate starts none.
pub type PlanEach<'f> = dyn for<'p> Fn(
        Vec<&'p RelativePath>,
        &(dyn Fn(&'p RelativePath) -> Result<SharedFilePlan, PlanError> + Sync),
    ) -> Vec<Result<SharedFilePlan, PlanError>>
    + 'f;

/// Compares what is to be with what is there.
pub fn plan(
    desired: &DesiredState<'_>,
    observation: &Observation,
    ledger: &Ledger,
    overwrite: Overwrite,
    each: &PlanEach<'_>,
) -> Result<Plan, PlanError> {
    let files: Vec<&DesiredFile> = desired
        .files
        .iter()
        .filter(|file| !is_left_to_user(file, observation, ledger))
        .collect();
    let ledger = &*with_desired_ownership(ledger, desired, &files, observation);
    let mut plan = plan_files(&files, observation, ledger, overwrite);
    let paths: BTreeSet<&RelativePath> =
        desired.shared.keys().chain(ledger.shared.keys()).collect();
    let plan_one = |path| {
        plan_shared_file(
            path,
            desired.shared.get(path),
            observation,
            ledger,
            overwrite,
        )
    };
    for planned in each(paths.into_iter().collect(), &plan_one) {
        plan.add_shared(planned?);
    }
    Ok(plan)
}

/// Whether an empty document of the layers meets a file of the user's: it would add nothing.
fn is_left_to_user(file: &DesiredFile, observation: &Observation, ledger: &Ledger) -> bool {
    let Some(now) = observation.checksum(&file.path) else {
        return false;
    };
    let recorded = ledger.shared.get(&file.path);
    let is_managed = recorded.is_some_and(|owned| owned.is_whole(now) || now == file.checksum);
    file.is_empty_document && !ledger.files.contains_key(&file.path) && !is_managed
}

/// The ledger with files under the kind of ownership that is desired for them now: a file that is whole and untouched
/// may become shared, and the other way round; one that was edited is the user's then.
fn with_desired_ownership<'l>(
    ledger: &'l Ledger,
    desired: &DesiredState<'_>,
    files: &[&DesiredFile],
    observation: &Observation,
) -> Cow<'l, Ledger> {
    let mut wanted = Cow::Borrowed(ledger);
    for path in desired.shared.keys() {
        let Some(owned) = ledger.files.get(path) else {
            continue;
        };
        let wanted = wanted.to_mut();
        wanted.files.remove(path);
        if observation.checksum(path) == Some(owned.checksum) {
            let nodes = OwnedNodes::whole(owned.checksum);
            wanted.shared.insert(path.clone(), nodes);
        }
    }
    for file in files {
        let Some(owned) = ledger.shared.get(&file.path) else {
            continue;
        };
        let wanted = wanted.to_mut();
        wanted.shared.remove(&file.path);
        let managed = observation
            .checksum(&file.path)
            .filter(|now| owned.is_whole(*now) || *now == file.checksum);
        wanted.files.extend(managed.map(|checksum| {
            let record = Owned {
                checksum,
                source: None,
                mode: file.mode,
                owner: file.owner.clone(),
                author: Author::Agpm,
            };
            (file.path.clone(), record)
        }));
    }
    wanted
}

impl Plan {
    fn add_shared(&mut self, planned: SharedFilePlan) {
        self.changes.extend(planned.changes);
        self.refusals.extend(planned.refusals);
        self.unchanged += planned.unchanged;
        let owned = planned.owned.map(|owned| (planned.path, owned));
        self.ledger.shared.extend(owned);
        self.shared.extend(planned.change);
    }
}
