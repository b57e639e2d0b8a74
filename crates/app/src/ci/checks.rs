//! Checks that all run, whatever the others find, and what they come to.

use std::ops::Range;

use agpm_diag::{Diagnostic, Failure, FailureKind, Notes, Severity, codes, has_errors};
use serde::{Serialize, Serializer};

/// A check of a pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum CheckName {
    /// The manifest is valid.
    Manifest,
    /// The lockfile exists, fits the manifest, and its sources and capabilities are as locked.
    Lock,
    /// Everything that runs is approved.
    Approval,
    /// No policy forbids anything.
    Policy,
    /// The audit finds nothing from the configured level upward.
    Audit,
    /// Every managed file, key and block is as locked.
    Files,
    /// Names and descriptions fit the budget of the manifest.
    Budget,
}

/// The reason why a pipeline fails, the most important first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum CheckCause {
    /// The lockfile.
    Lock,
    /// A source or policy that cannot be reached.
    Unreachable,
    /// A policy, or unapproved content.
    Refused,
    /// Content.
    Content,
}

impl CheckCause {
    /// The kind of failure with the exit code of this cause.
    pub fn kind(self) -> FailureKind {
        match self {
            CheckCause::Lock => FailureKind::Lock,
            CheckCause::Unreachable => FailureKind::Network,
            CheckCause::Refused => FailureKind::Refused,
            CheckCause::Content => FailureKind::Errors,
        }
    }
}

/// One check, and what it came to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CheckResult {
    /// The check.
    pub name: CheckName,
    /// The outcome of the check.
    pub state: CheckOutcome,
    /// The errors that it found, by their numbers among all diagnostics.
    #[serde(serialize_with = "count")]
    pub findings: Vec<usize>,
    /// The reason of the failure, if it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cause: Option<CheckCause>,
}

fn count<S: Serializer>(findings: &[usize], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(findings.len() as u64)
}

/// The outcome of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum CheckOutcome {
    /// The check passed.
    Passed,
    /// The check has findings.
    Failed,
    /// Another check failed first, so this one could not run.
    Skipped,
}

/// The checks and their outcomes.
#[derive(Debug, Serialize)]
pub struct CiReport {
    /// In the order in which they ran.
    pub checks: Vec<CheckResult>,
    /// The number of compared files, keys and blocks.
    pub compared: usize,
}

impl CiReport {
    /// The most important reason to fail, if there is one.
    pub fn cause(&self) -> Option<CheckCause> {
        self.checks.iter().filter_map(|check| check.cause).min()
    }

    /// The same report with its findings after others.
    #[must_use]
    pub fn after(mut self, others: usize) -> Self {
        let findings = self.checks.iter_mut().flat_map(|check| &mut check.findings);
        findings.for_each(|number| *number += others);
        self
    }
}

/// One project of several, and the outcomes of its checks.
#[derive(Debug, Serialize)]
pub struct ProjectChecks {
    /// The path of its manifest.
    pub manifest: String,
    /// The checks and their outcomes.
    #[serde(flatten)]
    pub report: CiReport,
    /// Its findings among all diagnostics.
    #[serde(skip)]
    pub findings: Range<usize>,
}

/// The checks of every project in a directory.
#[derive(Debug, Serialize)]
pub struct RecursiveCiReport {
    /// By path.
    pub projects: Vec<ProjectChecks>,
}

impl RecursiveCiReport {
    /// The most important reason to fail of all projects, if there is one.
    pub fn cause(&self) -> Option<CheckCause> {
        self.projects
            .iter()
            .filter_map(|project| project.report.cause())
            .min()
    }
}

/// All checks of a run.
pub struct Checks(Vec<CheckResult>);

impl Checks {
    /// A list of checks that have not run yet.
    pub fn new(names: &[CheckName]) -> Self {
        let skipped = |name: &CheckName| CheckResult {
            name: *name,
            state: CheckOutcome::Skipped,
            findings: Vec::new(),
            cause: None,
        };
        Checks(names.iter().map(skipped).collect())
    }

    /// Runs a part of a check; what goes wrong is noted, and nothing is returned.
    pub fn run<T>(
        &mut self,
        name: CheckName,
        notes: &mut Notes,
        part: impl FnOnce(&mut Notes) -> Result<T, Failure>,
    ) -> Option<T> {
        // A step fails by what it finds itself, not by what an earlier check found.
        let earlier = std::mem::take(&mut notes.diagnostics);
        let result = part(notes);
        let before = earlier.len();
        let found = std::mem::replace(&mut notes.diagnostics, earlier);
        notes.diagnostics.extend(found);
        match result {
            Ok(value) => {
                if has_errors(&notes.diagnostics[before..]) {
                    self.fail(name, &notes.diagnostics, before, FailureKind::Errors);
                } else {
                    self.pass(name);
                }
                Some(value)
            }
            Err(failure) => {
                notes.diagnostics.extend(failure.diagnostic);
                self.fail(name, &notes.diagnostics, before, failure.kind);
                None
            }
        }
    }

    /// Adds a check that not every project has.
    pub fn add(&mut self, name: CheckName) {
        self.0.push(CheckResult {
            name,
            state: CheckOutcome::Skipped,
            findings: Vec::new(),
            cause: None,
        });
    }

    /// Whether a check has failed so far.
    pub fn has_failed(&self, name: CheckName) -> bool {
        let mut checks = self.0.iter();
        checks.any(|check| check.name == name && check.state == CheckOutcome::Failed)
    }

    /// Whether any check has failed so far.
    pub fn any_failed(&self) -> bool {
        self.0
            .iter()
            .any(|check| check.state == CheckOutcome::Failed)
    }

    /// Takes back that a check passed: the rest of it could not run.
    pub fn skip_unless_failed(&mut self, name: CheckName) {
        let check = self.0.iter_mut().find(|check| check.name == name);
        if let Some(check) = check.filter(|check| check.state == CheckOutcome::Passed) {
            check.state = CheckOutcome::Skipped;
        }
    }

    /// Notes the failure of a step before the checks, under the check that it is the matter of.
    pub fn fail_step(&mut self, notes: &mut Notes, failure: Failure) {
        let kind = failure.kind;
        notes.diagnostics.extend(failure.diagnostic);
        let errors = notes.diagnostics.iter();
        let errors = errors.filter(|one| one.severity == Severity::Error);
        let name = match cause_of(errors, kind) {
            CheckCause::Lock | CheckCause::Unreachable => CheckName::Lock,
            CheckCause::Refused => CheckName::Approval,
            CheckCause::Content => CheckName::Files,
        };
        self.fail(name, &notes.diagnostics, 0, kind);
    }

    fn pass(&mut self, name: CheckName) {
        let check = self.0.iter_mut().find(|check| check.name == name);
        if let Some(check) = check.filter(|check| check.state == CheckOutcome::Skipped) {
            check.state = CheckOutcome::Passed;
        }
    }

    fn fail(&mut self, name: CheckName, all: &[Diagnostic], before: usize, kind: FailureKind) {
        let is_error = |number: &usize| all[*number].severity == Severity::Error;
        let errors: Vec<usize> = (before..all.len()).filter(is_error).collect();
        let cause = cause_of(errors.iter().map(|number| &all[*number]), kind);
        // A step may fail for a reason that is the matter of another check.
        let (name, cause) = match (name, cause) {
            (_, CheckCause::Lock) => (CheckName::Lock, cause),
            // A symlink that leads out of the project is refused like unapproved content, and is content.
            (CheckName::Files, CheckCause::Refused) => (name, CheckCause::Content),
            _ => (name, cause),
        };
        if let Some(check) = self.0.iter_mut().find(|check| check.name == name) {
            check.state = CheckOutcome::Failed;
            check.findings.extend(errors);
            let worst = check.cause.into_iter().chain([cause]).min();
            check.cause = worst;
        }
    }

    /// The result of each check.
    pub fn results(self) -> Vec<CheckResult> {
        self.0
    }
}

fn cause_of<'d>(errors: impl Iterator<Item = &'d Diagnostic>, kind: FailureKind) -> CheckCause {
    let of_lock = [
        &codes::LOCK_BROKEN,
        &codes::LOCK_CHECKSUM,
        &codes::LOCK_OUTDATED,
        // Nothing is resolved here: a version that does not exist is a locked commit that its source lost.
        &codes::PACKAGE_VERSION,
    ];
    let mut errors = errors;
    match kind {
        FailureKind::Lock => CheckCause::Lock,
        _ if errors.any(|one| of_lock.contains(&one.code)) => CheckCause::Lock,
        FailureKind::Network => CheckCause::Unreachable,
        FailureKind::Refused => CheckCause::Refused,
        FailureKind::Errors | FailureKind::Usage | FailureKind::NotFound => CheckCause::Content,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failing(kind: FailureKind, diagnostic: Diagnostic) -> Result<(), Failure> {
        Err(Failure::new(kind, diagnostic))
    }

    #[test]
    fn a_failure_of_the_lockfile_is_found_whatever_was_checked() {
        let mut checks = Checks::new(&[CheckName::Lock, CheckName::Files]);
        let mut notes = Notes::default();
        let outdated = Diagnostic::new(&codes::LOCK_OUTDATED, "old");
        let result = checks.run(CheckName::Files, &mut notes, |_| {
            failing(FailureKind::Errors, outdated)
        });
        assert_eq!(result, None);
        let results = checks.results();
        assert_eq!(results[0].cause, Some(CheckCause::Lock));
        assert_eq!(results[0].findings, [0]);
        assert_eq!(results[1].state, CheckOutcome::Skipped);
    }

    #[test]
    fn the_most_important_cause_decides() {
        let mut checks = Checks::new(&[CheckName::Policy, CheckName::Approval]);
        let mut notes = Notes::default();
        let forbidden = Diagnostic::new(&codes::POLICY_VIOLATION, "no");
        let offline = Diagnostic::new(&codes::SOURCE_OFFLINE, "no");
        checks.run(CheckName::Policy, &mut notes, |_| {
            failing(FailureKind::Refused, forbidden)
        });
        checks.run(CheckName::Approval, &mut notes, |_| {
            failing(FailureKind::Network, offline)
        });
        let report = CiReport {
            checks: checks.results(),
            compared: 0,
        };
        assert_eq!(report.cause(), Some(CheckCause::Unreachable));
    }

    #[test]
    fn a_check_does_not_fail_by_what_another_found() {
        let mut checks = Checks::new(&[CheckName::Policy, CheckName::Files]);
        let mut notes = Notes::default();
        let forbidden = Diagnostic::new(&codes::POLICY_VIOLATION, "no");
        checks.run(CheckName::Policy, &mut notes, |_| {
            failing(FailureKind::Refused, forbidden)
        });
        checks.run(CheckName::Files, &mut notes, |notes| notes.check());
        assert_eq!(notes.diagnostics.len(), 1);
        assert_eq!(checks.results()[1].state, CheckOutcome::Passed);
    }

    #[test]
    fn an_error_among_the_notes_fails_a_check_that_passed_before() {
        let mut checks = Checks::new(&[CheckName::Manifest]);
        let mut notes = Notes::default();
        checks.run(CheckName::Manifest, &mut notes, |_| Ok(()));
        checks.run(CheckName::Manifest, &mut notes, |notes| {
            notes
                .diagnostics
                .push(Diagnostic::new(&codes::MANIFEST_VALUE, "wrong"));
            Ok(())
        });
        assert_eq!(checks.results()[0].state, CheckOutcome::Failed);
    }
}
