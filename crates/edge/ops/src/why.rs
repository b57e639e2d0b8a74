//! `agpm why`: shows what requires a resource.

use agpm_diag::{Failure, Notes, Outcome};
use agpm_inspect::WhyReport;

use crate::install::read_ledger;
use agpm_project::gather::ManifestFiles;
use agpm_project::locked::lock_view;
use agpm_project::world::World;

/// The arguments of `why`.
#[derive(Clone, Debug)]
pub struct WhyRequest {
    /// The name, the id or the path of an installed file.
    pub name: String,
}

/// Shows what requires a resource.
pub fn why(world: &World, request: &WhyRequest) -> Outcome<WhyReport> {
    let mut notes = Notes::default();
    let result = run(world, request, &mut notes);
    notes.outcome(result)
}

fn run(world: &World, request: &WhyRequest, notes: &mut Notes) -> Result<WhyReport, Failure> {
    let view = lock_view(world, notes)?.with_parts();
    let ledger = read_ledger(&ManifestFiles::require(&world.environment)?.store()?)?;
    WhyReport::of(
        &view,
        &ledger,
        &world.environment.working_directory,
        &request.name,
    )
}
