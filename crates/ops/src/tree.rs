//! `agpm tree`: shows the dependency tree.

use agpm_diag::{Failure, Notes, Outcome};
use agpm_inspect::{TreeReport, TreeRequest, no_resources};

use agpm_project::locked::lock_view;
use agpm_project::world::World;

/// Builds the dependency tree.
pub fn tree(world: &World, request: &TreeRequest) -> Outcome<TreeReport> {
    let mut notes = Notes::default();
    let result = run(world, request, &mut notes);
    notes.outcome(result)
}

fn run(world: &World, request: &TreeRequest, notes: &mut Notes) -> Result<TreeReport, Failure> {
    let view = lock_view(world, notes)?.with_parts();
    let report = TreeReport::of(&view, &world.environment.working_directory, request)?;
    if view.entries.is_empty() && notes.diagnostics.is_empty() {
        notes.diagnostics.push(no_resources());
    }
    Ok(report)
}
