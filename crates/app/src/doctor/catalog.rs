//! Checks the catalog: unreadable catalog files, rows without a file, files without a row.

use crate::catalog::lint_catalog;
use crate::doctor::CheckSummary;
use crate::doctor::check::DoctorRequest;
use crate::project::world::{InstallScope, World};
use agpm_diag::counted;
use agpm_diag::{Failure, Notes};

pub(super) fn check(
    world: &World,
    _: &DoctorRequest,
    notes: &mut Notes,
) -> Result<CheckSummary, Failure> {
    if world.environment.scope == InstallScope::User {
        return Ok(CheckSummary::Skipped("catalogs belong to projects"));
    }
    match lint_catalog(world, notes)? {
        0 if notes.diagnostics.is_empty() => Ok(CheckSummary::Skipped("no catalog")),
        count => Ok(CheckSummary::Line(counted(count, "entry", "entries"))),
    }
}
