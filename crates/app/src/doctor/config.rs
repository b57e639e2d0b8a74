//! Checks that the user configuration and the user manifest are readable and have no unknown keys.

use crate::doctor::CheckSummary;
use crate::doctor::check::{DoctorRequest, alone};
use crate::project::gather::{ManifestFiles, Project};
use crate::project::world::World;
use agpm_diag::counted;
use agpm_diag::{Failure, Notes};

pub(super) fn check(
    world: &World,
    _: &DoctorRequest,
    notes: &mut Notes,
) -> Result<CheckSummary, Failure> {
    let environment = &world.environment;
    let config = read_file(notes, |own| {
        let files = ManifestFiles::configuration_alone(environment)?;
        files
            .map(|files| Project::of(world, files, own))
            .transpose()
    });
    let own = read_file(notes, |own| Project::of_user(world, own));
    // The log names the manifests that were read, which would look like the project's.
    notes.log.clear();
    notes.check()?;
    let config = config.map(|config| {
        let (sources, strategies) = (
            config.manifest.sources.len(),
            config.manifest.strategies.len(),
        );
        let strategies = (strategies > 0).then(|| counted(strategies, "strategy", "strategies"));
        [Some(counted(sources, "source", "sources")), strategies]
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
    });
    let config = config.map_or_else(|| "no configuration".to_owned(), |parts| parts.join(", "));
    let own = own.map_or_else(String::new, |own| {
        let dependencies = counted(
            own.manifest.dependencies.len(),
            "dependency",
            "dependencies",
        );
        format!("; your own manifest has {dependencies}")
    });
    Ok(CheckSummary::Line(format!("{config}{own}")))
}

/// Reads one of the two files. A failure is reported and does not stop the other file from being read.
fn read_file(
    notes: &mut Notes,
    read: impl FnOnce(&mut Notes) -> Result<Option<Project>, Failure>,
) -> Option<Project> {
    let (read, found) = alone(notes, read);
    notes.diagnostics.extend(found);
    read.unwrap_or_else(|failure| {
        notes.diagnostics.extend(failure.diagnostic);
        None
    })
}
