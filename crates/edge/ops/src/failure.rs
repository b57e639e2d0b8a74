//! What a use case gives back, and how errors of the edges become diagnostics.

use std::collections::BTreeSet;

use agpm_diag::{Diagnostic, Severity, SourceMap, codes};
use agpm_store::{DriverError, Problem, StoreError};
use agpm_text::to_json;

use crate::diagnostics::DiagnosticReport;
use crate::install::Warnings;

/// A result with everything that is to be said about it.
#[derive(Debug)]
pub struct Outcome<T> {
    /// The report, or what kind of failure the diagnostics describe.
    pub result: Result<T, FailureKind>,
    /// What was found, in the order it was found.
    pub diagnostics: Vec<Diagnostic>,
    /// The texts that diagnostics point into.
    pub sources: SourceMap,
    /// What was used and left out, for those who ask.
    pub log: Vec<String>,
}

impl<T> Outcome<T> {
    /// A failure before anything was looked at.
    pub fn failed(kind: FailureKind, diagnostic: Diagnostic) -> Self {
        Notes::default().outcome(Err(Failure::new(kind, diagnostic)))
    }
}

/// Decides the exit code and the tone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureKind {
    /// Errors in what was given.
    Errors,
    /// Wrong usage of the command.
    Usage,
    /// A name that is not there, or that could mean several things.
    NotFound,
    /// The network is needed, and is not there or not to be used.
    Network,
    /// The lockfile is missing or does not say what it must.
    Lock,
    /// A file or key that is not ours, or a path that escapes.
    Refused,
}

impl FailureKind {
    /// The exit code, as documented.
    pub fn exit_code(self) -> u8 {
        match self {
            FailureKind::Errors => 1,
            FailureKind::Usage => 2,
            FailureKind::NotFound => 3,
            FailureKind::Network => 4,
            FailureKind::Lock => 5,
            FailureKind::Refused => 6,
        }
    }
}

/// A failure on its way up: its kind and the last word on it.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) kind: FailureKind,
    pub(crate) diagnostic: Option<Diagnostic>,
}

impl Failure {
    pub(crate) fn new(kind: FailureKind, diagnostic: Diagnostic) -> Self {
        Failure {
            kind,
            diagnostic: Some(diagnostic),
        }
    }

    /// The diagnostics collected so far say it all.
    pub(crate) fn reported() -> Self {
        Failure {
            kind: FailureKind::Errors,
            diagnostic: None,
        }
    }
}

impl From<Diagnostic> for Failure {
    fn from(diagnostic: Diagnostic) -> Self {
        Failure::new(FailureKind::Errors, diagnostic)
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        let (kind, code, help) = match &error.problem {
            Problem::NotFound => (FailureKind::Errors, &codes::IO_NOT_FOUND, "check the path"),
            Problem::IsFolder => (
                FailureKind::Errors,
                &codes::IO_UNREADABLE,
                "name a file in it",
            ),
            Problem::TooLarge(_) => (
                FailureKind::Errors,
                &codes::TEXT_TOO_LARGE,
                "split the file",
            ),
            Problem::Escapes => (
                FailureKind::Refused,
                &codes::IO_UNREADABLE,
                "links that lead out of their folder are not followed",
            ),
            Problem::Exists => (
                FailureKind::Refused,
                &codes::IO_EXISTS,
                "name a place that is empty or not there",
            ),
            Problem::NotFile | Problem::Reserved => (
                FailureKind::Refused,
                &codes::IO_EXISTS,
                "choose another place for this file",
            ),
            Problem::Credentials => (
                FailureKind::Refused,
                &codes::TRUST_CREDENTIALS,
                "name another path; if you need the file, copy it into the project",
            ),
            Problem::Changed => (
                FailureKind::Refused,
                &codes::INSTALL_CHANGED,
                "run the command again",
            ),
            Problem::Locked => (
                FailureKind::Refused,
                &codes::IO_EXISTS,
                "wait for the other process and run it again",
            ),
            Problem::Damaged(_) => (
                FailureKind::Errors,
                &codes::IO_UNREADABLE,
                "nothing was changed; restore the file",
            ),
            Problem::Other(_) => (
                FailureKind::Errors,
                &codes::IO_UNREADABLE,
                "check permissions and the disk",
            ),
        };
        let file = error.path.display().to_string();
        Failure::new(
            kind,
            Diagnostic::new(code, error.to_string())
                .in_file(file)
                .help(help),
        )
    }
}

impl From<DriverError> for Failure {
    fn from(error: DriverError) -> Self {
        let diagnostic = Diagnostic::new(&codes::MERGE_DRIVER, error.to_string())
            .help("the program gets the lower file as %base and the higher as %new, prints the result and exits with 0");
        Failure::new(FailureKind::Errors, diagnostic)
    }
}

/// Every finding once: a file that is read several times is several texts to the diagnostics, and one to people.
pub(crate) fn distinct(found: Vec<Diagnostic>, sources: &SourceMap) -> Vec<Diagnostic> {
    let mut told = BTreeSet::new();
    found
        .into_iter()
        .filter(|one| told.insert(to_json(&DiagnosticReport::new(one, sources))))
        .collect()
}

/// Texts and findings of a use case while it runs.
#[derive(Default)]
pub(crate) struct Notes {
    pub(crate) sources: SourceMap,
    pub(crate) diagnostics: Vec<Diagnostic>,
    pub(crate) log: Vec<String>,
}

impl Notes {
    /// Fails if anything found so far is an error.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        let escape = [
            &codes::MANIFEST_ESCAPE,
            &codes::RESOURCE_ESCAPE,
            &codes::TRUST_CREDENTIALS,
        ];
        let escapes = self
            .diagnostics
            .iter()
            .any(|found| escape.contains(&found.code));
        match agpm_diag::has_errors(&self.diagnostics) {
            true if escapes => Err(Failure {
                kind: FailureKind::Refused,
                diagnostic: None,
            }),
            true => Err(Failure::reported()),
            false => Ok(()),
        }
    }

    /// Leaves out what was said before.
    pub(crate) fn each_once(&mut self) {
        self.diagnostics = distinct(std::mem::take(&mut self.diagnostics), &self.sources);
    }

    /// Closes a use case for which warnings may count as errors.
    pub(crate) fn strictly<T>(
        mut self,
        result: Result<T, Failure>,
        warnings: Warnings,
    ) -> Outcome<T> {
        let result = result.and_then(|report| {
            if warnings == Warnings::Stop {
                self.warnings_are_errors();
            }
            self.each_once();
            self.check().map(|()| report)
        });
        self.outcome(result)
    }

    /// Makes errors of warnings.
    pub(crate) fn warnings_are_errors(&mut self) {
        let warnings = self
            .diagnostics
            .iter_mut()
            .filter(|found| found.severity == Severity::Warning);
        warnings.for_each(|found| found.severity = Severity::Error);
    }

    /// Closes a use case.
    pub(crate) fn outcome<T>(mut self, result: Result<T, Failure>) -> Outcome<T> {
        let result = result.map_err(|failure| {
            self.diagnostics.extend(failure.diagnostic);
            failure.kind
        });
        Outcome {
            result,
            diagnostics: self.diagnostics,
            sources: self.sources,
            log: self.log,
        }
    }
}
