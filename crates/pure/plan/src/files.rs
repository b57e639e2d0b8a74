//! Whole files: desired against observed, one by one.

use std::collections::BTreeSet;

use agpm_model::{FileState, Observed, RelativePath};

use crate::change::{Action, Author, Change, Obstacle, Overwrite, Reason, Refusal};
use crate::desired::DesiredFile;
use crate::ledger::{Ledger, Owned};
use crate::nodes::Twin;
use crate::observation::Observation;
use crate::plan::Plan;

/// Plans every file that is to be there, and every managed one that is not to be there any more.
pub(crate) fn plan_files(
    desired: &[&DesiredFile],
    observation: &Observation,
    ledger: &Ledger,
    overwrite: Overwrite,
) -> Plan {
    let mut plan = Plan::default();
    for file in desired {
        let owned = ledger.files.get(&file.path);
        // A file of agpm's own in the place of the directory makes way for it.
        let blocker = observation.blocker_above(&file.path);
        if blocker.is_some_and(|blocker| !ledger.files.contains_key(blocker)) {
            plan.refuse(file, Obstacle::BelowFile);
        } else {
            place(
                file,
                observation.get(&file.path),
                owned,
                overwrite,
                &mut plan,
            );
        }
    }
    let stays: BTreeSet<&RelativePath> = desired.iter().map(|file| &file.path).collect();
    for (path, owned) in &ledger.files {
        if !stays.contains(path) {
            let change = retire(path, observation.get(path), owned, overwrite);
            plan.changes.extend(change);
        }
    }
    plan.changes.sort_by(|a, b| a.path.cmp(&b.path));
    plan.refusals.sort_by(|a, b| a.path.cmp(&b.path));
    plan
}

/// What a desired file comes to.
enum Placement {
    /// It is as it should be.
    Settled,
    /// It changes, and is the work of this author from then on.
    Change(Action, Reason, Author),
    /// It was edited and stays as it is.
    Kept,
    /// The user has just what is wanted, and it stays theirs.
    UsersTwin,
    Refused(Obstacle),
}

/// One file that is to be there.
fn place(
    file: &DesiredFile,
    now: Observed,
    owned: Option<&Owned>,
    overwrite: Overwrite,
    plan: &mut Plan,
) {
    let change = |action, reason| Change {
        path: file.path.clone(),
        place: None,
        block: None,
        action,
        before: now,
        reason,
        owner: file.owner.clone(),
    };
    let placement = match now {
        Observed::File(now) => place_on_file(file, now, owned, overwrite),
        now => place_on_other(now, owned),
    };
    let mut record = Owned {
        checksum: file.checksum,
        source: Some(file.source).filter(|source| *source != file.checksum),
        mode: file.mode,
        owner: file.owner.clone(),
        author: owned.map_or(Author::Agpm, |owned| owned.author),
    };
    match placement {
        Placement::Settled => plan.unchanged += 1,
        Placement::Change(action, reason, author) => {
            record.author = author;
            plan.changes.push(change(action, reason));
        }
        Placement::Kept => {
            plan.changes.push(change(Action::Keep, Reason::Edited));
            // What was installed stays recorded, so the edit is still known as one.
            record = owned.cloned().unwrap_or(record);
        }
        Placement::UsersTwin => {
            plan.unchanged += 1;
            plan.ledger.theirs.insert(file.path.clone(), file.checksum);
            return;
        }
        Placement::Refused(what) => return plan.refuse(file, what),
    }
    plan.ledger.files.insert(file.path.clone(), record);
}

fn place_on_other(now: Observed, owned: Option<&Owned>) -> Placement {
    match Obstacle::of(now) {
        Some(obstacle) => Placement::Refused(obstacle),
        None if owned.is_some() => {
            Placement::Change(Action::Create, Reason::WasMissing, Author::Agpm)
        }
        None => Placement::Change(Action::Create, Reason::New, Author::Agpm),
    }
}

fn place_on_file(
    file: &DesiredFile,
    now: FileState,
    owned: Option<&Owned>,
    overwrite: Overwrite,
) -> Placement {
    let has_bytes = now.checksum == file.checksum;
    let has_mode = now.mode == file.mode;
    match owned {
        None if has_bytes && file.twin == Twin::Left && overwrite == Overwrite::Nothing => {
            Placement::UsersTwin
        }
        None if has_bytes && file.twin == Twin::Taken && has_mode => {
            Placement::Change(Action::Adopt, Reason::Identical, Author::User)
        }
        None if has_bytes && file.twin == Twin::Taken => {
            Placement::Change(Action::Update, Reason::Mode, Author::User)
        }
        _ if has_bytes && has_mode => Placement::Settled,
        _ if has_bytes => {
            let author = owned.map_or(Author::Agpm, |owned| owned.author);
            Placement::Change(Action::Update, Reason::Mode, author)
        }
        Some(owned) if now.checksum == owned.checksum => {
            Placement::Change(Action::Update, Reason::Content, Author::Agpm)
        }
        Some(_) if overwrite == Overwrite::Everything => {
            Placement::Change(Action::Update, Reason::EditDropped, Author::Agpm)
        }
        Some(_) => Placement::Kept,
        None if overwrite >= Overwrite::Unowned => {
            Placement::Change(Action::Update, Reason::TakenOver, Author::Agpm)
        }
        None => Placement::Refused(Obstacle::File),
    }
}

/// One managed file that is not to be there any more.
fn retire(
    path: &RelativePath,
    now: Observed,
    owned: &Owned,
    overwrite: Overwrite,
) -> Option<Change> {
    let (action, reason) = match now {
        Observed::Missing => return None,
        _ if owned.author == Author::User => (Action::Release, Reason::UsersOwn),
        Observed::File(file) if file.checksum == owned.checksum => {
            (Action::Remove, Reason::Unasked)
        }
        Observed::File(_) if overwrite == Overwrite::Everything => {
            (Action::Remove, Reason::UnaskedEditDropped)
        }
        // From now on it is the user's.
        _ => (Action::Keep, Reason::UnaskedEdited),
    };
    Some(Change {
        path: path.clone(),
        place: None,
        block: None,
        action,
        before: now,
        reason,
        owner: owned.owner.clone(),
    })
}

impl Plan {
    fn refuse(&mut self, file: &DesiredFile, what: Obstacle) {
        self.refusals.push(Refusal {
            path: file.path.clone(),
            place: None,
            block: None,
            what,
            owner: file.owner.clone(),
        });
    }
}
