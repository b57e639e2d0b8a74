//! Checks that the manifest is valid and that the lockfile matches it.

use agpm_diag::{Diagnostic, Failure, Notes, Severity, codes};

use crate::doctor::check::DoctorRequest;
use crate::doctor::{CheckSummary, NO_MANIFEST};
use crate::project::gather::{ManifestFiles, Project};
use crate::project::outside::reads_outside;
use crate::project::packages::read_lock;
use crate::project::world::{ManifestUse, World};
use crate::validate::is_current;
use agpm_diag::counted;
use agpm_model::LOCK_NAME;

pub(super) fn check(
    world: &World,
    _: &DoctorRequest,
    notes: &mut Notes,
) -> Result<CheckSummary, Failure> {
    let environment = &world.environment;
    let Some(files) = ManifestFiles::find(environment, ManifestUse::Nearest)? else {
        return Ok(NO_MANIFEST);
    };
    let store = files.store()?;
    let project = Project::of(world, files, notes)?;
    let manifest = &project.manifest;
    let unpinned = manifest.layers.is_empty() && manifest.catalog.shared.is_empty();
    let empty = manifest.dependencies.is_empty() && unpinned;
    let lock = match read_lock(environment, &store, notes)? {
        None if empty => "",
        None => {
            notes.diagnostics.push(not_locked());
            ", not locked"
        }
        Some(_) => match is_current(world, manifest, &store, &mut Notes::default()) {
            Ok(()) => ", locked",
            Err(stale) => {
                // The next install fixes an outdated lockfile, so it is only a warning.
                notes
                    .diagnostics
                    .extend(stale.diagnostic.map(|found| with(found, Severity::Warning)));
                ", locked otherwise"
            }
        },
    };
    let dependencies = counted(manifest.dependencies.len(), "dependency", "dependencies");
    let sources = counted(manifest.sources.len(), "source", "sources");
    let reads = reads_outside(
        environment,
        &project,
        environment.manifest_directory(store.path()),
    )?;
    let reads = if reads.is_empty() {
        String::new()
    } else {
        format!("; reads {} outside the project", reads.join(", "))
    };
    Ok(CheckSummary::Line(format!(
        "{dependencies}, {sources}{lock}{reads}"
    )))
}

fn not_locked() -> Diagnostic {
    let message = format!("no `{LOCK_NAME}`");
    let help = "run `agpm install`, and commit `agpm.lock`";
    with(
        Diagnostic::new(&codes::LOCK_OUTDATED, message).help(help),
        Severity::Note,
    )
}

fn with(mut finding: Diagnostic, severity: Severity) -> Diagnostic {
    finding.severity = severity;
    finding
}
