//! `agpm tree`: shows the dependency tree.

mod report;

pub use report::{
    LineExpansion, SiblingPosition, TreeDirection, TreeLine, TreeReport, TreeRequest,
};

use agpm_diag::{Failure, Notes, Outcome};

use crate::list::no_resources;

use crate::project::locked::lock_view;
use crate::project::world::World;

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
