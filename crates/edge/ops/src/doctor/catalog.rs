//! The catalog: manifests that cannot be read, rows without a file, files without a row.

use crate::catalog::lint_catalog;
use crate::doctor::check::{DoctorRequest, Summary};
use crate::world::{InstallScope, World};
use agpm_diag::counted;
use agpm_diag::{Failure, Notes};

pub(super) fn check(
    world: &World,
    _: &DoctorRequest,
    notes: &mut Notes,
) -> Result<Summary, Failure> {
    if world.environment.scope == InstallScope::User {
        return Ok(Summary::Skipped("catalogs belong to projects"));
    }
    match lint_catalog(world, notes)? {
        0 if notes.diagnostics.is_empty() => Ok(Summary::Skipped("no catalog")),
        count => Ok(Summary::Of(counted(count, "entry", "entries"))),
    }
}
