//! `agpm strategies`: what there is to choose from.

use agpm_diag::{Failure, Notes, Outcome};
use agpm_merge::{StrategiesReport, strategy_pages};

use agpm_project::gather::Project;
use agpm_project::world::{ManifestUse, World};

/// Which strategies.
#[derive(Clone, Debug)]
pub struct StrategiesRequest {
    /// One by name, or all.
    pub name: Option<String>,
}

/// Lists strategies.
pub fn strategies(world: &World, request: &StrategiesRequest) -> Outcome<StrategiesReport> {
    let mut notes = Notes::default();
    let result = run(world, request, &mut notes);
    notes.outcome(result)
}

fn run(
    world: &World,
    request: &StrategiesRequest,
    notes: &mut Notes,
) -> Result<StrategiesReport, Failure> {
    let project = Project::load(world, ManifestUse::Nearest, notes)?;
    if let Some(name) = &request.name {
        project.strategy(name)?;
    }
    let custom = &project.manifest.strategies;
    Ok(strategy_pages(custom, request.name.as_deref()))
}
