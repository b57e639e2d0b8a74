//! Findings of a plan that stop a run.

use agpm_diag::{Diagnostic, Failure, FailureKind, Notes, Severity, WarningPolicy, codes};
use agpm_plan::{Observation, Plan};

use crate::request::{InstallRequest, LockUse, WriteMode};

/// Reports the obstacles; a run that only shows goes on to show the rest.
pub fn report_refusals(
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
    let is_warning = |found: &Diagnostic| found.severity >= Severity::Warning;
    if warnings == WarningPolicy::Stop && notes.diagnostics.iter().any(is_warning) {
        notes.warnings_are_errors();
        return Err(Failure::reported());
    }
    Ok(())
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
    notes.check()
}
