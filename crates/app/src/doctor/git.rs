//! Checks that git is installed and new enough, if the project needs it.

use agpm_diag::{Diagnostic, Failure, Notes, Severity, codes};
use agpm_source::git::GitError;

use crate::doctor::CheckSummary;
use crate::doctor::check::{DoctorRequest, project};
use crate::project::packages::{ProjectSources, git};
use crate::project::source_failure::GIT_HELP;
use crate::project::world::World;

pub(super) fn check(
    world: &World,
    _: &DoctorRequest,
    notes: &mut Notes,
) -> Result<CheckSummary, Failure> {
    let error = match git(&world.environment).version() {
        Ok(version) => return Ok(CheckSummary::Line(version)),
        Err(error) => error,
    };
    let summary = match &error {
        GitError::TooOld { found, .. } if !found.is_empty() => format!("{found} is too old"),
        _ => "not there".to_owned(),
    };
    let mut finding = Diagnostic::new(&codes::SOURCE_GIT, error.to_string()).help(GIT_HELP);
    finding.severity = if is_needed(world, notes) {
        Severity::Error
    } else {
        Severity::Warning
    };
    notes.diagnostics.push(finding);
    Ok(CheckSummary::Line(summary))
}

/// Returns whether a dependency, a layer or a catalog remote of the project comes from a git repository.
fn is_needed(world: &World, notes: &mut Notes) -> bool {
    project(world, notes).is_ok_and(|(project, store)| {
        ProjectSources::open_used(world, &project.manifest, store.path()).need_git()
    })
}
