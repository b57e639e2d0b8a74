//! Checks personas: what they inherit, what they repeat, and whether removed ones are archived.

use crate::doctor::CheckSummary;
use crate::doctor::check::{DoctorRequest, project};
use crate::lineage::{PersonaRules, lint_personas};
use crate::project::world::{InstallScope, World};
use agpm_diag::counted;
use agpm_diag::{Failure, Notes};

pub(super) fn check(
    world: &World,
    request: &DoctorRequest,
    notes: &mut Notes,
) -> Result<CheckSummary, Failure> {
    if world.environment.scope == InstallScope::User {
        return Ok(CheckSummary::Skipped("personas belong to projects"));
    }
    let root = project(world, notes).ok().and_then(|(project, _)| {
        let root = project.manifest.root_directives?;
        Some(project.directory?.join(root))
    });
    let rules = PersonaRules {
        root,
        since: request.since.clone(),
    };
    match lint_personas(world, &rules, notes)? {
        0 if rules.since.is_none() => Ok(CheckSummary::Skipped("no personas")),
        count => Ok(CheckSummary::Line(counted(count, "persona", "personas"))),
    }
}
