//! `approve`: shows and approves the executables that agpm would run for a project.

use std::collections::BTreeSet;

use crate::project::gather::{ManifestFiles, Project};
use crate::project::permits::{ProjectPrograms, record_approval};
use crate::project::world::World;
use agpm_diag::{Code, Failure, FailureKind, Notes, Outcome, codes};
use agpm_resolve::UpdateScope;

use crate::install::{InstallJob, preview};

/// The findings about what an approval lets pass.
const HELD_BACK: [&Code; 3] = [
    &codes::PACKAGE_EXECUTABLE,
    &codes::TRUST_INCREASE,
    &codes::TOOL_WIDENING,
];

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

/// Adds what the next install would hold back, with the command that approves it.
pub fn waiting(world: &World, mut programs: ProjectPrograms) -> Outcome<ProjectPrograms> {
    let mut notes = Notes::default();
    let job = InstallJob::showing("approve", UpdateScope::Nothing);
    // The install itself reports failures of its plan.
    let planned = preview(world, &job, &mut notes);
    notes
        .diagnostics
        .retain(|one| planned.is_ok() && HELD_BACK.contains(&one.code));
    let remedies = notes.diagnostics.iter().flat_map(|one| &one.remedies);
    let ids: BTreeSet<String> = remedies.map(|remedy| remedy.entry.clone()).collect();
    programs.waiting = ids.into_iter().collect();
    notes.outcome(Ok(programs))
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
