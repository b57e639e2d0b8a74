//! Edited files of which a new version exists: merges them, or writes the new version next to them.

use std::borrow::Cow;
use std::collections::BTreeMap;

use agpm_diag::{Diagnostic, Failure, Notes, Severity, codes};
use agpm_merge::{ListRules, MergeConflict, ThreeWayMerge, merge_three_by};
use agpm_model::{Checksum, FileMode, Manifest, ObservedPath, RelativePath};
use agpm_plan::{
    DesiredFile, DesiredState, KeptBytes, Ledger, OpenConflict, OwnedFile, Plan, path_beside,
};
use agpm_store::{ExpectedFile, FileChange, ProjectStore};
use agpm_text::{Format, Pointer};

use crate::install::kept_bases::{BaseChanges, BaseReader, keep_bases};
use crate::project::reading::limit;

/// The results for edited files, in addition to the plan.
#[derive(Clone, Debug, Default)]
pub struct SettledEdits {
    /// New versions next to files in conflict, written and removed.
    pub beside: Vec<FileChange<'static>>,
    /// The kept bases.
    pub bases: BaseChanges,
}

/// Whether edited files are merged with their new versions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MergeUse {
    /// They are.
    Merged,
    /// Every byte must be as locked, so an edit is an error.
    Refused,
}

/// What the merges of edited files start from.
pub(super) struct FileEdits<'a, 'd> {
    pub(super) store: &'a ProjectStore,
    pub(super) manifest: &'a Manifest,
    pub(super) desired: &'a DesiredState<'d>,
    /// The ledger before the run.
    pub(super) before: &'a Ledger,
    pub(super) merging: MergeUse,
}

/// Merges the new versions of edited files, and keeps the bases of everything that is written.
pub(super) fn settle_edits(
    edits: &FileEdits<'_, '_>,
    plan: &mut Plan,
    notes: &mut Notes,
) -> Result<SettledEdits, Failure> {
    let FileEdits {
        store,
        manifest,
        desired,
        before,
        merging,
    } = *edits;
    let mut settled = SettledEdits::default();
    let mut sides = BTreeMap::new();
    if merging == MergeUse::Merged {
        let files: Vec<(DesiredFile, OwnedFile)> = plan
            .files_to_merge(desired)
            .into_iter()
            .map(|(file, owned)| (file.clone(), owned.clone()))
            .collect();
        let mut bases = BaseReader::new(store);
        for (file, owned) in files {
            let read = store.read(&file.path, limit());
            let yours = read.map_err(|error| error.seen_from(store.path()))?;
            let kept = KeptBytes {
                checksum: owned.checksum,
                base: owned.base,
            };
            let format = Format::of_file(file.path.file_name());
            let merge = match bases.read(kept) {
                Some(base) => {
                    let strategy = manifest.strategy_for(file.path.as_str());
                    merge_three_by(
                        [base, &yours, &file.bytes],
                        format,
                        &ListRules::of(strategy),
                    )
                }
                // Written by an older agpm, or binary.
                None => ThreeWayMerge::Conflict(Vec::new()),
            };
            match merge {
                ThreeWayMerge::Merged(bytes) => {
                    plan.accept_merge(&file, bytes);
                }
                ThreeWayMerge::Conflict(conflicts) => {
                    let mine = Checksum::of(&yours);
                    plan.open_conflict(&file, mine, clashes(&conflicts, None));
                    sides.insert(mine, yours);
                    sides.insert(file.checksum, file.bytes.to_vec());
                    let known = owned.conflict.as_ref();
                    let written = write_beside(store, &file, known, notes)?;
                    settled.beside.extend(written);
                }
            }
        }
    }
    for (path, _, conflict) in before.open_conflicts() {
        let after = plan.ledger.files.get(path);
        if after.is_none_or(|owned| owned.conflict.is_none()) {
            settled.beside.extend(remove_beside(store, path, conflict)?);
        }
    }
    settled.bases = keep_bases(store, desired, &sides, before, &mut plan.ledger);
    Ok(settled)
}

/// The values or lines that both sides changed, as users read them.
pub(super) fn clashes(conflicts: &[MergeConflict], within: Option<&Pointer>) -> Option<String> {
    const MOST_SHOWN: usize = 3;
    let clash = |conflict: &MergeConflict| match conflict {
        MergeConflict::Binary => "it is not text".to_owned(),
        MergeConflict::Key(pointer) => {
            let outer = within.map_or(&[][..], Pointer::steps);
            let steps = outer.iter().chain(pointer.steps());
            let full = steps.fold(Pointer::root(), |full, step| full.child(step.as_str()));
            match full.steps() {
                [] => "its values".to_owned(),
                _ => format!("`{full}`"),
            }
        }
        MergeConflict::Lines { first, count: 0 } => format!("lines before line {first}"),
        MergeConflict::Lines { first, count: 1 } => format!("line {first}"),
        MergeConflict::Lines { first, count } => format!("lines {first} to {}", first + count - 1),
    };
    let shown: Vec<String> = conflicts.iter().take(MOST_SHOWN).map(clash).collect();
    let more = match conflicts.len().saturating_sub(MOST_SHOWN) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    match conflicts {
        [] => None,
        [MergeConflict::Binary] => Some("it is not text, so it cannot be merged".to_owned()),
        _ => Some(format!(
            "you and the new version changed {}{more}",
            shown.join(", ")
        )),
    }
}

/// Writes the new version next to the file, unless it exists already, or the user has a file of that name.
fn write_beside(
    store: &ProjectStore,
    file: &DesiredFile,
    known: Option<&OpenConflict>,
    notes: &mut Notes,
) -> Result<Option<FileChange<'static>>, Failure> {
    let Some(path) = path_beside(&file.path) else {
        return Ok(None);
    };
    let observed = store.observe(&path);
    let observed = observed.map_err(|error| error.seen_from(store.path()))?;
    let before = match observed {
        ObservedPath::Missing => ExpectedFile::Missing,
        ObservedPath::File(now) if now.checksum == file.checksum => return Ok(None),
        ObservedPath::File(now)
            if known.is_some_and(|known| known.next.checksum == now.checksum) =>
        {
            ExpectedFile::Checksum(now.checksum)
        }
        _ => {
            let message = format!("`{path}` is your own, so the new version is not written there");
            let mut found = Diagnostic::new(&codes::INSTALL_EDITED, message)
                .in_file(path.as_str())
                .help("move it, and run `agpm install`");
            found.severity = Severity::Warning;
            notes.diagnostics.push(found);
            return Ok(None);
        }
    };
    Ok(Some(FileChange::Write {
        path,
        bytes: Cow::Owned(file.bytes.to_vec()),
        mode: FileMode::Plain,
        before,
    }))
}

/// Removes the new version next to a file, if it is as agpm wrote it.
fn remove_beside(
    store: &ProjectStore,
    path: &RelativePath,
    conflict: &OpenConflict,
) -> Result<Option<FileChange<'static>>, Failure> {
    let Some(path) = path_beside(path) else {
        return Ok(None);
    };
    let observed = store.observe(&path);
    let observed = observed.map_err(|error| error.seen_from(store.path()))?;
    if observed.checksum() != Some(conflict.next.checksum) {
        return Ok(None);
    }
    Ok(Some(FileChange::Remove {
        path,
        before: ExpectedFile::Checksum(conflict.next.checksum),
    }))
}
