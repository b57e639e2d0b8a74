//! The versions that edited resources are based on.

use std::collections::{BTreeMap, BTreeSet};

use agpm_diag::codes;
use agpm_model::{LockEntry, Lockfile, Owner, RelativePath};
use agpm_plan::{Ledger, path_beside};

use super::edit_status::EditStatus;
use super::report::VerifyReport;

/// The version of an entry as a base: without `v`, and for branches the commit, because a branch moves.
pub fn base_label(entry: &LockEntry) -> Option<String> {
    let version = entry.version()?;
    if version.caret().is_some() {
        return Some(version.to_string().trim_start_matches('v').to_owned());
    }
    let commit = entry.commit().map(|commit| commit.short().to_owned());
    Some(commit.unwrap_or_else(|| version.to_string()))
}

/// Adds to each finding about an edit which version it is based on, and whether there is a conflict.
pub(crate) fn add_bases(report: &mut VerifyReport, lock: &Lockfile, ledger: &Ledger) {
    // The new version next to a file in conflict is agpm's own, also in the directory of a skill.
    let conflicts = ledger.conflict_owners();
    let beside = conflicts.iter().filter_map(|(path, _)| path_beside(path));
    let beside: BTreeSet<RelativePath> = beside.collect();
    report
        .findings
        .retain(|one| *one.code != codes::VERIFY_EXTRA || !beside.contains(&one.path));
    let in_conflict: BTreeSet<&Owner> = conflicts.iter().map(|(_, owner)| *owner).collect();
    let locked: BTreeMap<Owner, &LockEntry> = lock
        .entries
        .iter()
        .map(|entry| (entry.id().into(), entry))
        .collect();
    for finding in &mut report.findings {
        if finding.status.is_none() {
            continue;
        }
        let owner = &finding.resource;
        let older = ledger.based.get(owner);
        if older.is_some() || in_conflict.contains(owner) {
            finding.status = Some(EditStatus::Conflict);
        }
        finding.base = match older {
            Some(version) => Some(version.clone()),
            None => locked.get(owner).and_then(|entry| base_label(entry)),
        };
    }
}
