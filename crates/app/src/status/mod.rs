//! `agpm status`: shows installed, outdated and modified resources, without a connection.

mod report;

pub use report::{NextInstall, ProjectFound, StatusReport, outdated_unknown};

use agpm_diag::{Failure, FailureKind, Notes, Outcome};

use crate::outdated::{OutdatedReport, OutdatedRequest};
use agpm_resolve::UpdateScope;

use crate::install::{InstallJob, preview};
use crate::outdated::outdated;
use crate::project::gather::ManifestFiles;
use crate::project::locked::lock_view;
use crate::project::world::{ManifestUse, World};
use crate::verify::{SourceUse, find_drift};

/// Reports the state of a project without opening a connection.
pub fn status(world: &World) -> Outcome<StatusReport> {
    let mut notes = Notes::default();
    let result = run(world, &mut notes);
    notes.each_once();
    notes.outcome(result)
}

fn run(world: &World, notes: &mut Notes) -> Result<StatusReport, Failure> {
    let Some(files) = ManifestFiles::find(&world.environment, ManifestUse::Nearest)? else {
        return Ok(StatusReport::without_project());
    };
    let view = lock_view(world, notes)?;
    let offline = world.offline();
    let mut report = StatusReport::of_project(files.root().to_owned(), &view);
    if !view.entries.is_empty() {
        report.outdated = known_outdated(&offline, notes);
    }
    report.drift = find_drift(world, SourceUse::CachedOnly, notes)?;
    report.next = next_install(&offline);
    Ok(report)
}

/// Returns the result of the next install, or `None` if that depends on the network.
fn next_install(world: &World) -> Option<NextInstall> {
    let job = InstallJob::showing("status", UpdateScope::Nothing);
    let mut notes = Notes::default();
    let changes = match preview(world, &job, &mut notes) {
        Ok(preview) => preview.report.changes.len(),
        Err(failure) if failure.kind == FailureKind::Network => return None,
        Err(failure) => {
            notes.diagnostics.extend(failure.diagnostic);
            0
        }
    };
    Some(NextInstall::of(changes, &notes.diagnostics))
}

/// Returns newer versions that are already in the cache.
fn known_outdated(world: &World, notes: &mut Notes) -> Option<OutdatedReport> {
    let outcome = outdated(world, &OutdatedRequest::default());
    if outcome.result.is_err() {
        let why = outcome.diagnostics.into_iter().next_back();
        notes.diagnostics.extend(why.map(outdated_unknown));
        return None;
    }
    outcome.result.ok()
}
