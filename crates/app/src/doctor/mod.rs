//! `agpm doctor`: checks everything that commands rely on, without creating a file.

mod report;

pub use report::{
    CheckRow, CheckState, CheckSummary, DoctorReport, FinishedCheck, NO_MANIFEST, ownership_line,
    tool_line, weighed,
};

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
mod variables;

use agpm_diag::{Failure, Notes, Outcome, distinct};

pub use crate::doctor::check::DoctorRequest;
use crate::doctor::check::alone;
use crate::project::world::World;

/// One check. It adds its findings to the notes, which contain no findings of other checks.
type Check = fn(&World, &DoctorRequest, &mut Notes) -> Result<CheckSummary, Failure>;

/// Every check with its name, in the order of the report: the first ones are prerequisites of the later ones.
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
    ("variables", variables::check),
];

/// Runs every check; a check that fails does not stop the others.
pub fn doctor(world: &World, request: &DoctorRequest) -> Outcome<DoctorReport> {
    // A diagnosis must not depend on the network or wait for it.
    let world = world.offline();
    let mut notes = Notes::default();
    let mut report = DoctorReport {
        checks: Vec::new(),
        failure: None,
    };
    for (name, check) in CHECKS {
        let (result, found) = alone(&mut notes, |own| check(&world, request, own));
        let (result, failure) = match result {
            Ok(summary) => (Ok(summary), None),
            Err(failure) => (Err(failure.kind), Some(failure)),
        };
        let found = distinct(weighed(found, failure, request.warnings), &notes.sources);
        let finished = FinishedCheck::of(name, result, &found);
        report.failure = report.failure.or(finished.failure);
        if let Some(row) = finished.row {
            report.checks.push(row);
            notes.diagnostics.extend(found);
            notes.each_once();
        }
    }
    notes.outcome(Ok(report))
}
