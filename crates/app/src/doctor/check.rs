//! Items that all checks of `doctor` share.

use crate::doctor::{CheckSummary, NO_MANIFEST};
use crate::project::gather::{ManifestFiles, Project};
use crate::project::world::{ManifestUse, World};
use agpm_diag::{Diagnostic, Failure, Notes, WarningPolicy};
use agpm_store::ProjectStore;

/// The arguments of `doctor`.
#[derive(Clone, Debug)]
pub struct DoctorRequest {
    /// How warnings are treated.
    pub warnings: WarningPolicy,
    /// The git revision since which removed persona documents must be archived.
    pub since: Option<String>,
}

/// Runs `run` with the known source files but with separate findings, and returns those.
pub(super) fn alone<T>(
    notes: &mut Notes,
    run: impl FnOnce(&mut Notes) -> T,
) -> (T, Vec<Diagnostic>) {
    let mut own = Notes {
        sources: std::mem::take(&mut notes.sources),
        ..Notes::default()
    };
    let result = run(&mut own);
    notes.sources = own.sources;
    notes.log.extend(
        own.log
            .into_iter()
            .filter(|line| !notes.log.contains(line))
            .collect::<Vec<_>>(),
    );
    (result, own.diagnostics)
}

/// Opens the project with its store, or returns the summary of a check that has no project. Errors in the manifest are
/// reported by the check of the manifest.
pub(super) fn project(
    world: &World,
    notes: &mut Notes,
) -> Result<(Project, ProjectStore), CheckSummary> {
    let read = |own: &mut Notes| -> Result<_, Failure> {
        let Some(files) = ManifestFiles::find(&world.environment, ManifestUse::Nearest)? else {
            return Ok(None);
        };
        let store = files.store()?;
        Ok(Some((Project::of(world, files, own)?, store)))
    };
    match alone(notes, read).0 {
        Ok(found) => found.ok_or(NO_MANIFEST),
        Err(_) => Err(CheckSummary::Skipped("the manifest has errors")),
    }
}
