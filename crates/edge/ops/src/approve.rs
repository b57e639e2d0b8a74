//! `approve`: shows and approves the executables that agpm would run for a project.

use agpm_diag::{Failure, FailureKind, Notes, Outcome};
use agpm_project::gather::{ManifestFiles, Project};
use agpm_project::permits::{ProjectPrograms, record_approval};
use agpm_project::world::World;

pub use agpm_install::{ManifestProgram, ProgramApproval};

/// Lists the project's executables, and whether they are approved.
pub fn programs(world: &World) -> Outcome<ProjectPrograms> {
    let mut notes = Notes::default();
    let result = look(world, &mut notes);
    notes.outcome(result)
}

fn look(world: &World, notes: &mut Notes) -> Result<ProjectPrograms, Failure> {
    let files = ManifestFiles::require(&world.environment)?;
    let project = Project::of(world, files, notes)?;
    ProjectPrograms::of(&world.environment, &project.manifest)
}

/// Approves the executables exactly as they were shown.
pub fn approve(world: &World, programs: ProjectPrograms) -> Outcome<ProjectPrograms> {
    Notes::default().outcome(record_approval(&world.environment, programs))
}

/// Returns the failure for executables that the user did not approve.
pub fn unapproved(programs: &ProjectPrograms) -> Outcome<ProjectPrograms> {
    let help = "review the commands, then run `agpm approve --yes`";
    Outcome::failed(FailureKind::Refused, programs.finding().help(help))
}
