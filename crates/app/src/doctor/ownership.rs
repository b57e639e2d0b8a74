//! Checks that managed files are as they were installed, and that no run was interrupted.

use agpm_diag::{Failure, Notes};

use crate::doctor::check::DoctorRequest;
use crate::doctor::{CheckSummary, NO_MANIFEST, ownership_line};
use crate::drift::DriftFinding;
use crate::project::scope::ManifestLocation;
use crate::project::world::{InstallScope, ManifestUse, World};
use crate::verify::{SourceUse, find_drift};

pub(super) fn check(
    world: &World,
    _: &DoctorRequest,
    notes: &mut Notes,
) -> Result<CheckSummary, Failure> {
    let location = ManifestLocation::find(&world.environment, ManifestUse::Nearest)?;
    // The user scope always has a path for a manifest, so the file itself must exist.
    let own = world.environment.scope == InstallScope::User;
    if !location.is_some_and(|location| !own || agpm_store::exists(&location.manifest)) {
        return Ok(NO_MANIFEST);
    }
    let report = find_drift(world, SourceUse::CachedOnly, notes)?;
    notes.diagnostics.extend(
        report
            .findings
            .iter()
            .map(DriftFinding::repairable_diagnostic),
    );
    Ok(CheckSummary::Line(ownership_line(&report)))
}
