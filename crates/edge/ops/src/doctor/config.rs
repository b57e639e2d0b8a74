//! The user's configuration and the user's own manifest can be read and say nothing unknown.

use crate::doctor::{DoctorRequest, Summary};
use crate::failure::{Failure, Notes};
use crate::gather::{ManifestFiles, Project};
use crate::words::counted;
use crate::world::World;

pub(super) fn check(world: &World, _: &DoctorRequest, notes: &mut Notes) -> Result<Summary, Failure> {
    let environment = &world.environment;
    let config = ManifestFiles::configuration_alone(environment)
        .and_then(|files| files.map(|files| Project::of(environment, files, notes)).transpose());
    let config = kept(config, notes);
    let own = kept(Project::of_user(environment, notes), notes);
    notes.check()?;
    let config = config.map(|config| {
        let (sources, strategies) = (config.manifest.sources.len(), config.manifest.strategies.len());
        let strategies = (strategies > 0).then(|| counted(strategies, "strategy", "strategies"));
        [Some(counted(sources, "source", "sources")), strategies].into_iter().flatten().collect::<Vec<_>>()
    });
    let config = config.map_or_else(|| "no configuration".to_owned(), |parts| parts.join(", "));
    let own = own.map_or_else(String::new, |own| {
        let dependencies = counted(own.manifest.dependencies.len(), "dependency", "dependencies");
        format!("; your own manifest has {dependencies}")
    });
    Ok(Summary::Of(format!("{config}{own}")))
}

/// What was read; a failure is told, and does not keep the other file from being read.
fn kept(read: Result<Option<Project>, Failure>, notes: &mut Notes) -> Option<Project> {
    read.unwrap_or_else(|failure| {
        notes.diagnostics.extend(failure.diagnostic);
        None
    })
}
