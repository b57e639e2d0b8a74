//! `agpm doctor`: checks everything that commands rely on, and creates nothing.

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

use agpm_diag::{Failure, Notes, Outcome, distinct};
use agpm_inspect::{CheckSummary, DoctorReport, FinishedCheck, weighed};

pub use crate::doctor::check::DoctorRequest;
use crate::doctor::check::alone;
use agpm_project::world::{Environment, NetworkAccess, World};

/// Checks one thing. Its findings go to the notes, which hold nothing of other checks.
type Check = fn(&World, &DoctorRequest, &mut Notes) -> Result<CheckSummary, Failure>;

/// Every check with its name, in the order in which they are reported: what others rely on comes first.
const CHECKS: &[(&str, Check)] = &[
    ("git", git::check),
    ("config", config::check),
    ("manifest", manifest::check),
    ("cache", cache::check),
    ("layers", layers::check),
    ("managed", ownership::check),
    ("personas", lineage::check),
    ("catalog", catalog::check),
    ("tools", tools::check),
];

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
