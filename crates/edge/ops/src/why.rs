//! `agpm why`: who requires a resource.

use agpm_diag::{Failure, Notes, Outcome};
use agpm_inspect::WhyReport;

use crate::install::read_ledger;
use agpm_project::gather::ManifestFiles;
use agpm_project::locked::lock_view;
use agpm_project::world::World;

/// Which resource.
#[derive(Clone, Debug)]
pub struct WhyRequest {
    /// Its name, `TYPE/NAME`, or the path of its file.
    pub name: String,
}

/// Shows who requires a resource.
pub fn why(world: &World, request: &WhyRequest) -> Outcome<WhyReport> {
    let mut notes = Notes::default();
    let result = run(world, request, &mut notes);
    notes.outcome(result)
}

fn run(world: &World, request: &WhyRequest, notes: &mut Notes) -> Result<WhyReport, Failure> {
    let view = lock_view(world, notes)?.with_parts();
    let ledger = read_ledger(&ManifestFiles::require(&world.environment)?.store()?)?;
    WhyReport::of(&view, &ledger, &world.environment.folder, &request.name)
}
