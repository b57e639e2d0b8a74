//! `agpm strategies`: lists merge strategies.

use agpm_diag::{Failure, Notes, Outcome};
use agpm_merge::{StrategiesReport, strategy_pages};

use crate::project::gather::Project;
use crate::project::world::{ManifestUse, World};

/// The arguments of `strategies`.
#[derive(Clone, Debug)]
pub struct StrategiesRequest {
    /// The name of one strategy; `None` lists all.
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
