//! The results of checking everything that commands rely on.

use agpm_diag::{Diagnostic, Failure, FailureKind, Severity, WarningPolicy, counted};
use agpm_model::{ToolName, VersionLabel};
use agpm_tools::Executable;
use serde::Serialize;

use crate::drift::VerifyReport;

/// The checks; the findings are the diagnostics.
#[derive(Clone, Debug, Serialize)]
pub struct DoctorReport {
    /// Every check, in order.
    pub checks: Vec<CheckRow>,
    /// The failure of the first check that could not run.
    #[serde(skip)]
    pub failure: Option<FailureKind>,
}

/// One check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CheckRow {
    /// The name of the check.
    pub name: &'static str,
    /// The result of the check.
    pub state: CheckState,
    /// The result, in one line.
    pub summary: String,
}

/// The state of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum CheckState {
    /// The check has no findings.
    Ok,
    /// There was nothing to look at.
    Skipped,
    /// Its worst finding is a warning.
    Warning,
    /// Its worst finding is an error.
    Error,
}

/// The result of a check, besides its findings.
pub enum CheckSummary {
    /// This, in one line.
    Line(String),
    /// The check did not run, for this reason.
    Skipped(&'static str),
    /// Nothing that is worth a line.
    Silent,
}

/// A check without a manifest.
pub const NO_MANIFEST: CheckSummary = CheckSummary::Skipped("no manifest");

/// A check that has run.
pub struct FinishedCheck {
    /// The row; `None` if it is not worth a line.
    pub row: Option<CheckRow>,
    /// The failure, if the check could not run.
    pub failure: Option<FailureKind>,
}

impl FinishedCheck {
    /// The outcome of a check with these findings, each of which is reported once.
    pub fn of(
        name: &'static str,
        result: Result<CheckSummary, FailureKind>,
        findings: &[Diagnostic],
    ) -> Self {
        let worst = findings.iter().map(|finding| finding.severity).max();
        let state = match (&result, worst) {
            (Err(_), _) | (_, Some(Severity::Error)) => CheckState::Error,
            (_, Some(Severity::Warning)) => CheckState::Warning,
            (Ok(CheckSummary::Line(_)), _) => CheckState::Ok,
            (Ok(CheckSummary::Skipped(_) | CheckSummary::Silent), _) => CheckState::Skipped,
        };
        let failure = result.as_ref().err().copied();
        let summary = match result {
            Ok(CheckSummary::Line(summary)) => Some(summary),
            Ok(CheckSummary::Skipped(why)) => Some(why.to_owned()),
            Ok(CheckSummary::Silent) => None,
            Err(_) => Some(errors_in(findings)),
        };
        let row = summary.map(|summary| CheckRow {
            name,
            state,
            summary,
        });
        FinishedCheck { row, failure }
    }
}

/// Findings of a check, with that of its failure, as severe as the user wants warnings to be.
pub fn weighed(
    mut findings: Vec<Diagnostic>,
    failure: Option<Failure>,
    warnings: WarningPolicy,
) -> Vec<Diagnostic> {
    findings.extend(failure.and_then(|failure| failure.diagnostic));
    let is_raised = |one: &&mut Diagnostic| {
        warnings == WarningPolicy::Stop && one.severity == Severity::Warning
    };
    let raised = findings.iter_mut().filter(is_raised);
    raised.for_each(|one| one.severity = Severity::Error);
    findings
}

fn errors_in(findings: &[Diagnostic]) -> String {
    let errors = findings
        .iter()
        .filter(|finding| finding.severity == Severity::Error);
    counted(errors.count(), "error", "errors")
}

/// The number of installed files that are unmodified.
pub fn ownership_line(report: &VerifyReport) -> String {
    let files = counted(report.checked, "file or entry", "files and entries");
    match (report.checked, report.findings.len()) {
        (0, _) => "nothing is installed".to_owned(),
        (_, 0) => format!("{files} as installed"),
        (_, found) => format!("{found} of {files} modified since install"),
    }
}

/// The version of a tool that is installed, next to the one that agpm was checked with.
pub fn tool_line(tool: &ToolName, executable: &Executable, version: &str) -> String {
    let checked = executable.version;
    if VersionLabel::new(version) > VersionLabel::new(checked) {
        format!("{tool} {version} (newer than {checked}, which agpm was checked with)")
    } else {
        format!("{tool} {version}")
    }
}

impl CheckState {
    /// The name of the state in reports.
    pub fn word(self) -> &'static str {
        match self {
            CheckState::Ok => "ok",
            CheckState::Skipped => "skipped",
            CheckState::Warning => "warning",
            CheckState::Error => "error",
        }
    }
}

impl DoctorReport {
    /// Whether a check ended in an error.
    pub fn has_errors(&self) -> bool {
        self.checks.iter().any(|row| row.state == CheckState::Error)
    }

    /// Whether a manifest was found: its check is skipped for no other reason.
    pub fn has_project(&self) -> bool {
        !self
            .checks
            .iter()
            .any(|row| row.name == "manifest" && row.state == CheckState::Skipped)
    }
}

#[cfg(test)]
mod tests {
    use agpm_diag::codes;

    use super::*;

    fn finding(severity: Severity) -> Diagnostic {
        let mut finding = Diagnostic::new(&codes::IO_EXISTS, "x");
        finding.severity = severity;
        finding
    }

    fn state(result: Result<CheckSummary, FailureKind>, findings: &[Diagnostic]) -> CheckState {
        let finished = FinishedCheck::of("git", result, findings);
        finished.row.expect("worth a line").state
    }

    #[test]
    fn the_worst_finding_decides() {
        let line = || Ok(CheckSummary::Line("2.50".to_owned()));
        assert_eq!(state(line(), &[]), CheckState::Ok);
        assert_eq!(state(line(), &[finding(Severity::Note)]), CheckState::Ok);
        let found = [finding(Severity::Warning), finding(Severity::Note)];
        assert_eq!(state(line(), &found), CheckState::Warning);
        let strict = weighed(found.to_vec(), None, WarningPolicy::Stop);
        assert_eq!(state(line(), &strict), CheckState::Error);
        assert_eq!(state(Ok(NO_MANIFEST), &[]), CheckState::Skipped);
        assert_eq!(state(Err(FailureKind::Errors), &[]), CheckState::Error);
    }

    #[test]
    fn a_silent_check_has_no_row() {
        let finished = FinishedCheck::of("tools", Ok(CheckSummary::Silent), &[]);
        assert_eq!(finished.row, None);
    }
}
