//! `agpm doctor`: looks at everything that commands rely on, and creates nothing.

mod cache;
mod catalog;
mod check;
mod config;
mod git;
mod layers;
mod lineage;
mod manifest;
mod ownership;
mod tools;

use agpm_diag::{
    Diagnostic, Failure, FailureKind, Notes, Outcome, Severity, WarningPolicy, distinct,
};
use serde::Serialize;

pub use crate::doctor::check::DoctorRequest;
use crate::doctor::check::{Summary, alone};

use crate::world::{Environment, NetworkAccess, World};
use agpm_diag::counted;

/// Looks at one thing. What it finds goes to the notes, which hold nothing of other checks.
type Check = fn(&World, &DoctorRequest, &mut Notes) -> Result<Summary, Failure>;

/// Every check with its name, in the order in which they are told: what others rely on comes first.
const CHECKS: &[(&str, Check)] = &[
    ("git", git::check),
    ("config", config::check),
    ("manifest", manifest::check),
    ("cache", cache::check),
    ("layers", layers::check),
    ("ownership", ownership::check),
    ("lineage", lineage::check),
    ("catalog", catalog::check),
    ("tools", tools::check),
];

/// What was checked; the findings are the diagnostics.
#[derive(Clone, Debug, Serialize)]
pub struct DoctorReport {
    /// Every check, in order.
    pub checks: Vec<CheckRow>,
    /// How the first check failed that could not be made.
    #[serde(skip)]
    pub failure: Option<FailureKind>,
}

/// One check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CheckRow {
    /// Its name.
    pub name: &'static str,
    /// How it went.
    pub state: CheckState,
    /// What was seen, in one line.
    pub summary: String,
}

/// How a check went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum CheckState {
    /// Nothing is wrong.
    Ok,
    /// There was nothing to look at.
    Skipped,
    /// Its worst finding is a warning.
    Warning,
    /// Its worst finding is an error.
    Error,
}

/// Runs every check; one that fails does not keep the others from being made.
pub fn doctor(world: &World, request: &DoctorRequest) -> Outcome<DoctorReport> {
    // Nothing here is worth a connection.
    let environment = Environment {
        network: NetworkAccess::Offline,
        ..world.environment.clone()
    };
    let world = World {
        environment,
        ..world.clone()
    };
    let mut notes = Notes::default();
    let mut report = DoctorReport {
        checks: Vec::new(),
        failure: None,
    };
    for (name, check) in CHECKS {
        let (row, failure) = row(&world, request, name, *check, &mut notes);
        report.checks.extend(row);
        report.failure = report.failure.or(failure);
    }
    notes.outcome(Ok(report))
}

fn row(
    world: &World,
    request: &DoctorRequest,
    name: &'static str,
    check: Check,
    notes: &mut Notes,
) -> (Option<CheckRow>, Option<FailureKind>) {
    let (said, mut found) = alone(notes, |own| check(world, request, own));
    let said = said.map_err(|failure| {
        found.extend(failure.diagnostic);
        failure.kind
    });
    let failure = said.as_ref().err().copied();
    if request.warnings == WarningPolicy::Stop {
        found.iter_mut().for_each(make_error);
    }
    let found = distinct(found, &notes.sources);
    let worst = found.iter().map(|finding| finding.severity).max();
    let state = match (&said, worst) {
        (Err(_), _) | (_, Some(Severity::Error)) => CheckState::Error,
        (_, Some(Severity::Warning)) => CheckState::Warning,
        (Ok(Summary::Skipped(_) | Summary::Silent), _) => CheckState::Skipped,
        (Ok(Summary::Of(_)), _) => CheckState::Ok,
    };
    let summary = match said {
        Ok(Summary::Of(summary)) => summary,
        Ok(Summary::Skipped(why)) => why.to_owned(),
        Ok(Summary::Silent) => return (None, failure),
        Err(_) => errors_in(&found),
    };
    notes.diagnostics.extend(found);
    notes.each_once();
    (
        Some(CheckRow {
            name,
            state,
            summary,
        }),
        failure,
    )
}

fn make_error(finding: &mut Diagnostic) {
    if finding.severity == Severity::Warning {
        finding.severity = Severity::Error;
    }
}

fn errors_in(found: &[Diagnostic]) -> String {
    let errors = found
        .iter()
        .filter(|finding| finding.severity == Severity::Error);
    counted(errors.count(), "error", "errors")
}

impl CheckState {
    /// The word for it.
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
