//! The result of `audit`.

use std::path::PathBuf;

use agpm_diag::Severity;
use agpm_model::{AuditLevel, AuditSettings};
use serde::Serialize;

use crate::findings::AuditIssue;

/// What was audited, and what was found.
#[derive(Debug, Default, Serialize)]
pub struct AuditReport {
    /// The number of audited files.
    pub checked: usize,
    /// The severity from which findings are errors.
    pub level: AuditLevel,
    /// The number of findings that `[[audit.ignore]]` excuses.
    pub ignored: usize,
    /// The findings, by file and line.
    #[serde(rename = "findings")]
    pub issues: Vec<AuditIssue>,
    /// The reports of other scanners.
    #[serde(skip)]
    pub(super) with_files: Vec<PathBuf>,
    /// Whether a policy sets the level, so nothing is excused from it.
    #[serde(skip)]
    pub(super) ignored_by_policy: bool,
}

impl AuditReport {
    /// Whether a finding is an error.
    pub fn fails(&self) -> bool {
        self.issues
            .iter()
            .any(|issue| issue.severity == Severity::Error || self.level.includes(issue.severity))
    }

    /// The number of findings of a severity.
    pub fn count(&self, severity: Severity) -> usize {
        let issues = self.issues.iter();
        issues.filter(|issue| issue.severity == severity).count()
    }

    /// Takes out the findings that the manifest excuses.
    pub(super) fn leave_out_ignored(&mut self, settings: &AuditSettings) {
        let level = self.level;
        let by_policy = self.ignored_by_policy;
        let before = self.issues.len();
        self.issues.retain(|issue| {
            // A policy can only forbid more, so the project cannot excuse what it forbids.
            let is_forbidden = by_policy && level.includes(issue.severity);
            is_forbidden || !issue.is_ignored(settings)
        });
        self.ignored = before - self.issues.len();
    }
}
