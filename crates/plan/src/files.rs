//! Plans whole files: desired against observed, one by one.

use std::collections::BTreeSet;

use agpm_model::{FileState, ObservedPath, RelativePath};

use crate::change::{
    Author, ChangeAction, ChangeReason, Obstacle, OverwriteRule, PlannedChange, RefusedChange,
};
use crate::desired::DesiredFile;
use crate::ledger::{Ledger, OwnedFile};
use crate::nodes::OnEqualUserValue;
use crate::observation::Observation;
use crate::plan::Plan;

/// Plans every desired file, and every managed file that is no longer desired.
pub(crate) fn plan_files(
    desired: &[&DesiredFile],
    observation: &Observation,
    ledger: &Ledger,
    overwrite: OverwriteRule,
) -> Plan {
    let mut plan = Plan::default();
    for file in desired {
        let owned = ledger.files.get(&file.path);
        // A managed file at the path of a directory is removed for it. Other files are reported once for the directory
        // instead of as a failed write for every file in it.
        let blocker = observation.blocker_above(&file.path);
        if blocker.is_some_and(|blocker| !ledger.files.contains_key(blocker)) {
            plan.refuse(file, Obstacle::BelowFile);
        } else {
            plan_file(
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
            // After the desired files: a path that moved to another resource is an update and not a removal.
            let change = retire(path, observation.get(path), owned, overwrite);
            plan.changes.extend(change);
        }
    }
    plan.changes.sort_by(|a, b| a.path.cmp(&b.path));
    plan.refusals.sort_by(|a, b| a.path.cmp(&b.path));
    plan
}

/// The decision about a desired file.
enum FilePlacement {
    /// The file is unchanged.
    Settled,
    /// The file changes, and this is its author afterwards.
    Change(ChangeAction, ChangeReason, Author),
    /// The file was edited and is left unchanged.
    Kept,
    /// The user's file equals the desired one and stays unmanaged.
    UsersTwin,
    Refused(Obstacle),
}

/// Plans one desired file.
fn plan_file(
    file: &DesiredFile,
    now: ObservedPath,
    owned: Option<&OwnedFile>,
    overwrite: OverwriteRule,
    plan: &mut Plan,
) {
    let placement = match now {
        ObservedPath::File(now) => plan_on_file(file, now, owned, overwrite),
        now => plan_on_other(file, now, owned, overwrite),
    };
    let author = owned.map_or(Author::Agpm, |owned| owned.author);
    let mut record = OwnedFile::of(file, author);
    let same = owned.filter(|owned| owned.checksum == file.checksum);
    record.base = same.and_then(|owned| owned.base);
    match placement {
        FilePlacement::Settled => plan.unchanged += 1,
        FilePlacement::Change(action, reason, author) => {
            record.author = author;
            plan.changes.push(file_change(file, now, action, reason));
        }
        FilePlacement::Kept => {
            let reason = match (now, owned) {
                (ObservedPath::Missing, _) => ChangeReason::Deleted,
                (_, Some(owned)) => edit_reason(file, owned),
                (_, None) => ChangeReason::Edited,
            };
            let kept = file_change(file, now, ChangeAction::Keep, reason);
            plan.changes.push(kept);
            // The record keeps the installed content, so the edit is still recognized as one.
            record = owned.cloned().unwrap_or(record);
            if reason != ChangeReason::Conflict {
                record.conflict = None;
            }
        }
        FilePlacement::UsersTwin => {
            plan.unchanged += 1;
            plan.ledger
                .equal_user_files
                .insert(file.path.clone(), file.checksum);
            return;
        }
        FilePlacement::Refused(obstacle) => return plan.refuse(file, obstacle),
    }
    plan.ledger.files.insert(file.path.clone(), record);
}

fn file_change(
    file: &DesiredFile,
    before: ObservedPath,
    action: ChangeAction,
    reason: ChangeReason,
) -> PlannedChange {
    let is_written = matches!(action, ChangeAction::Create | ChangeAction::Update);
    PlannedChange {
        path: file.path.clone(),
        pointer: None,
        block: None,
        action,
        before,
        content: is_written.then(|| file.new_content()),
        reason,
        owner: file.owner.clone(),
    }
}

impl OwnedFile {
    /// The record of a file with the desired content.
    pub(crate) fn of(file: &DesiredFile, author: Author) -> Self {
        OwnedFile {
            checksum: file.checksum,
            source: Some(file.source).filter(|source| *source != file.checksum),
            mode: file.mode,
            owner: file.owner.clone(),
            author,
            base: None,
            conflict: None,
        }
    }
}

/// A record that was made from the lockfile has only the checksum of the source.
fn edit_reason(file: &DesiredFile, owned: &OwnedFile) -> ChangeReason {
    if owned.source.is_none() && owned.checksum == file.source {
        return ChangeReason::Edited;
    }
    ChangeReason::of_edit(owned.checksum, file.checksum)
}

fn plan_on_other(
    file: &DesiredFile,
    now: ObservedPath,
    owned: Option<&OwnedFile>,
    overwrite: OverwriteRule,
) -> FilePlacement {
    match (Obstacle::of(now), owned) {
        (Some(obstacle), _) => FilePlacement::Refused(obstacle),
        // A deletion is an edit too: a new version does not bring the file back.
        (None, Some(owned))
            if overwrite != OverwriteRule::Everything
                && edit_reason(file, owned) == ChangeReason::Conflict =>
        {
            FilePlacement::Kept
        }
        (None, Some(_)) => {
            FilePlacement::Change(ChangeAction::Create, ChangeReason::WasMissing, Author::Agpm)
        }
        (None, None) => {
            FilePlacement::Change(ChangeAction::Create, ChangeReason::New, Author::Agpm)
        }
    }
}

fn plan_on_file(
    file: &DesiredFile,
    now: FileState,
    owned: Option<&OwnedFile>,
    overwrite: OverwriteRule,
) -> FilePlacement {
    let has_bytes = now.checksum == file.checksum;
    let has_mode = now.mode == file.mode;
    match owned {
        // The order of these arms decides: equal bytes first, since nothing is lost there, then unmodified files,
        // then edits, and unmanaged files last.
        None if has_bytes
            && file.on_equal == OnEqualUserValue::Keep
            && overwrite == OverwriteRule::Nothing =>
        {
            FilePlacement::UsersTwin
        }
        None if has_bytes && file.on_equal == OnEqualUserValue::Adopt && has_mode => {
            FilePlacement::Change(ChangeAction::Adopt, ChangeReason::Identical, Author::User)
        }
        None if has_bytes && file.on_equal == OnEqualUserValue::Adopt => {
            FilePlacement::Change(ChangeAction::Update, ChangeReason::Mode, Author::User)
        }
        _ if has_bytes && has_mode => FilePlacement::Settled,
        _ if has_bytes => {
            let author = owned.map_or(Author::Agpm, |owned| owned.author);
            FilePlacement::Change(ChangeAction::Update, ChangeReason::Mode, author)
        }
        // The bytes are those of the last install, so the user changed nothing and an update is safe.
        Some(owned) if now.checksum == owned.checksum => {
            FilePlacement::Change(ChangeAction::Update, ChangeReason::Content, Author::Agpm)
        }
        Some(_) if overwrite == OverwriteRule::Everything => FilePlacement::Change(
            ChangeAction::Update,
            ChangeReason::EditDropped,
            Author::Agpm,
        ),
        Some(_) => FilePlacement::Kept,
        None if overwrite >= OverwriteRule::Unowned => {
            FilePlacement::Change(ChangeAction::Update, ChangeReason::TakenOver, Author::Agpm)
        }
        None => FilePlacement::Refused(Obstacle::File),
    }
}

/// Plans one managed file that is no longer desired.
fn retire(
    path: &RelativePath,
    now: ObservedPath,
    owned: &OwnedFile,
    overwrite: OverwriteRule,
) -> Option<PlannedChange> {
    let (action, reason) = match now {
        ObservedPath::Missing => return None,
        // An adopted file existed before agpm. It is no longer managed, and it stays.
        _ if owned.author == Author::User => (ChangeAction::Release, ChangeReason::UsersOwn),
        ObservedPath::File(file) if file.checksum == owned.checksum => {
            (ChangeAction::Remove, ChangeReason::Unasked)
        }
        // `--force` is the only way to lose an edit, and the plan reports it as one.
        ObservedPath::File(_) if overwrite == OverwriteRule::Everything => {
            (ChangeAction::Remove, ChangeReason::UnaskedEditDropped)
        }
        // The user keeps the edited file.
        _ => (ChangeAction::Keep, ChangeReason::UnaskedEdited),
    };
    Some(PlannedChange {
        path: path.clone(),
        pointer: None,
        block: None,
        action,
        before: now,
        content: None,
        reason,
        owner: owned.owner.clone(),
    })
}

impl Plan {
    fn refuse(&mut self, file: &DesiredFile, obstacle: Obstacle) {
        self.refusals.push(RefusedChange {
            path: file.path.clone(),
            pointer: None,
            block: None,
            obstacle,
            owner: file.owner.clone(),
        });
    }
}
