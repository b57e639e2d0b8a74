//! `update`: moves pins to newer versions that their requirements allow.

use std::collections::BTreeSet;

use crate::manifest::PinWords;
use agpm_diag::{Failure, Notes, Outcome};
use agpm_model::Lockfile;
use agpm_resolve::UpdateScope;

use crate::install;
use crate::install::{InstallJob, InstallReport, InstallRequest};
use crate::project::gather::{ManifestFiles, Project};
use crate::project::packages::read_lock;
use crate::project::world::World;

/// The arguments of `update`.
#[derive(Clone, Debug)]
pub struct UpdateRequest {
    /// Names or ids of resources and layers; all of them if empty.
    pub names: Vec<String>,
    /// The options of the install that follows.
    pub install: InstallRequest,
}

/// Updates a project.
pub fn update(world: &World, request: &UpdateRequest) -> Outcome<InstallReport> {
    let mut notes = Notes::default();
    let result = run(world, request, &mut notes);
    notes.outcome(result)
}

fn run(
    world: &World,
    request: &UpdateRequest,
    notes: &mut Notes,
) -> Result<InstallReport, Failure> {
    let moving = scope_of(world, &request.names)?;
    let title = format!("update {}", request.names.join(" "))
        .trim_end()
        .to_owned();
    install::run(
        world,
        &InstallJob {
            title,
            request: request.install,
            moving,
            manifest: None,
        },
        notes,
    )
}

/// Returns the pins that the names refer to; all pins if no names are given.
pub(crate) fn scope_of(world: &World, names: &[String]) -> Result<UpdateScope, Failure> {
    if names.is_empty() {
        return Ok(UpdateScope::Everything);
    }
    let mut quiet = Notes::default();
    let files = ManifestFiles::require(&world.environment)?;
    let store = files.store()?;
    let lock = read_lock(&world.environment, &store, &mut quiet)?
        .map(|(lock, _)| lock)
        .unwrap_or_default();
    let project = Project::of(world, files, &mut quiet)?;
    let words = pin_words(world, &project, lock);
    let mut named = BTreeSet::new();
    for word in names {
        named.extend(words.find(word)?);
    }
    Ok(UpdateScope::Only(named))
}

/// Returns the lookup of names among the pins of a project.
pub(crate) fn pin_words<'p>(
    world: &'p World,
    project: &'p Project,
    lock: Lockfile,
) -> PinWords<'p> {
    let root = project.root.clone().unwrap_or_default();
    PinWords::new(
        &world.environment.working_directory,
        &project.manifest,
        root,
        lock,
    )
}
