//! Checks that managed files are unmodified, and that no run was interrupted.

use agpm_diag::{Failure, Notes};

use crate::doctor::check::DoctorRequest;
use crate::verify::{SourceUse, find_drift};
use agpm_inspect::{CheckSummary, DriftFinding, NO_MANIFEST, ownership_line};
use agpm_project::scope::ManifestLocation;
use agpm_project::world::{InstallScope, ManifestUse, World};

pub(super) fn check(
    world: &World,
    _: &DoctorRequest,
    notes: &mut Notes,
) -> Result<CheckSummary, Failure> {
    let places = ManifestLocation::find(&world.environment, ManifestUse::Nearest)?;
    // A user has a location for a manifest without having one.
    let own = world.environment.scope == InstallScope::User;
    if !places.is_some_and(|places| !own || agpm_store::exists(&places.manifest)) {
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
