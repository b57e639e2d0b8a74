//! `agpm why`: shows what requires a resource.

mod report;

pub use report::{
    ChainFinder, ChainLink, RequiredResource, RequirementChains, WhyQuestion, WhyReport,
};

use agpm_diag::{Failure, Notes, Outcome};

use agpm_model::LockEntry;
use agpm_resolve::{DeclaredRequirements, means};

use crate::project::gather::{ManifestFiles, Project};
use crate::project::ledger::read_ledger;
use crate::project::locked::{lock_view, locked_requirements};
use crate::project::world::World;

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
    let files = ManifestFiles::require(&world.environment)?;
    let ledger = read_ledger(&files.store()?)?;
    // Only the content shows which resource states which requirement.
    let has_several = view.entries.iter().any(|entry| {
        let pin = entry.pin.as_ref();
        pin.is_some_and(|pin| pin.requirements().nth(1).is_some())
    });
    let declared = if has_several {
        locked_requirements(&world.offline()).unwrap_or_default()
    } else {
        DeclaredRequirements::default()
    };
    let question = WhyQuestion {
        working_directory: &world.environment.working_directory,
        word: &request.name,
        declared: &declared,
    };
    let is_locked = |entry: &LockEntry| means(&request.name, entry.kind, entry.name.as_str());
    WhyReport::of(&view, &ledger, &question).or_else(|failure| {
        if view.entries.iter().any(is_locked) {
            return Err(failure);
        }
        let quiet = &mut Notes::default();
        let project = Project::of(&world.offline(), files, quiet).ok();
        let manifest = project.as_ref().map(|project| &project.manifest);
        match manifest.map(|manifest| WhyReport::of_manifest(manifest, &request.name)) {
            Some(unlocked) => unlocked?.ok_or(failure),
            None => Err(failure),
        }
    })
}
