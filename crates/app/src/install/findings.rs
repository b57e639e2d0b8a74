//! Findings of a plan, and which of them stop a run.

use std::collections::BTreeMap;

use agpm_diag::{Diagnostic, Failure, FailureKind, Notes, Severity, WarningPolicy, codes};
use agpm_model::{Lockfile, Owner};
use agpm_plan::{ChangeReason, Ledger, Observation, Plan};

use crate::drift::base_label;
use crate::install::InstallRequest;
use crate::project::write_mode::WriteMode;
use agpm_model::LockUse;

/// Reports the obstacles; a run that only shows goes on to show the rest.
pub fn report_obstacles(
    plan: &Plan,
    observation: &Observation,
    writing: WriteMode,
    notes: &mut Notes,
) -> Result<(), Failure> {
    plan.report_refusals(observation, notes);
    if plan.refusals.is_empty() {
        return Ok(());
    }
    if writing == WriteMode::Apply {
        return Err(Failure::reported_as(FailureKind::Refused));
    }
    for found in &mut notes.diagnostics {
        if *found.code == codes::INSTALL_UNMANAGED {
            found.severity = Severity::Warning;
        }
    }
    Ok(())
}

/// Turns warnings into errors where they stop the run.
pub fn stop_on_warnings(warnings: WarningPolicy, notes: &mut Notes) -> Result<(), Failure> {
    let mut findings = notes.diagnostics.iter();
    let has_warnings = findings.any(|found| found.severity >= Severity::Warning);
    if warnings == WarningPolicy::Report || !has_warnings {
        return Ok(());
    }
    notes.warnings_are_errors();
    Err(Failure::reported())
}

/// Files that were edited stay; where every byte must be as locked, that is an error.
pub fn report_kept(
    plan: &Plan,
    request: &InstallRequest,
    notes: &mut Notes,
) -> Result<(), Failure> {
    for mut found in plan.kept_findings(request.overwrite) {
        if request.lock == LockUse::Frozen {
            found.severity = Severity::Error;
        }
        notes.diagnostics.push(found);
    }
    if request.lock == LockUse::Frozen {
        notes.diagnostics.extend(plan.conflicts());
    }
    notes.check()
}

/// Reports edited resources whose new versions are not installed, after everything else is.
pub fn report_conflicts(conflicts: Vec<Diagnostic>, writing: WriteMode, notes: &mut Notes) {
    for mut found in conflicts {
        if writing == WriteMode::Show {
            found.severity = Severity::Warning;
        }
        notes.diagnostics.push(found);
    }
}

/// The versions that edited resources are based on: the locked ones of the run that kept the first edit.
pub fn bases_of_edits(
    plan: &Plan,
    before: &Ledger,
    old: Option<&Lockfile>,
) -> BTreeMap<Owner, String> {
    let mut based = BTreeMap::new();
    for change in &plan.changes {
        if change.reason != ChangeReason::Conflict {
            continue;
        }
        let recorded = before.based.get(&change.owner).cloned();
        if let Some(version) = recorded.or_else(|| locked_version(&change.owner, old?)) {
            based.insert(change.owner.clone(), version);
        }
    }
    based
}

fn locked_version(owner: &Owner, lock: &Lockfile) -> Option<String> {
    let id = owner.resource()?;
    let entry = lock.entries.iter().find(|entry| entry.id() == *id)?;
    base_label(entry)
}
