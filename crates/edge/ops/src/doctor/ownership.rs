//! What is ours on disk is as it was installed, and no run was stopped in the middle.

use agpm_diag::{Failure, Notes};
use agpm_inspect::DriftFinding;

use crate::doctor::check::{DoctorRequest, NO_MANIFEST, Summary};
use crate::scope::Places;
use crate::verify::{SourceUse, find_drift};
use crate::world::{InstallScope, ManifestUse, World};
use agpm_diag::counted;

pub(super) fn check(
    world: &World,
    _: &DoctorRequest,
    notes: &mut Notes,
) -> Result<Summary, Failure> {
    let places = Places::find(&world.environment, ManifestUse::Nearest)?;
    // A user has a place for a manifest without having one.
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
    let files = counted(report.checked, "file or entry", "files and entries");
    Ok(Summary::Of(match (report.checked, report.findings.len()) {
        (0, _) => "nothing is installed".to_owned(),
        (_, 0) => format!("{files} as installed"),
        (_, found) => format!("{found} of {files} not as installed"),
    }))
}
