//! Personas: one out of the documents of many levels.

use std::path::PathBuf;

use agpm_diag::{Failure, Notes, Outcome, WarningPolicy};
use agpm_persona::{PersonasReport, ProfileAddition, ProfileKinds, ProfileReport};

use agpm_project::lineage::{open_library, repository_history};
use agpm_project::world::World;

pub use agpm_project::lineage::{LineagePlace, Submodules};

/// Whose profile, and how.
#[derive(Clone, Debug)]
pub struct ProfileRequest {
    /// The persona.
    pub slug: String,
    /// Which kinds of document.
    pub kinds: ProfileKinds,
    /// Where to look.
    pub place: LineagePlace,
    /// The additions to the profile.
    pub additions: Vec<ProfileAddition>,
    /// The treatment of warnings.
    pub warnings: WarningPolicy,
}

/// Merges a persona.
pub fn profile(world: &World, request: &ProfileRequest) -> Outcome<ProfileReport> {
    let mut notes = Notes::default();
    let result = merge_profile(world, request, &mut notes);
    notes.strictly(result, request.warnings)
}

pub(crate) fn merge_profile(
    world: &World,
    request: &ProfileRequest,
    notes: &mut Notes,
) -> Result<ProfileReport, Failure> {
    let mut library = open_library(world, &request.place, notes)?;
    library.profile(&request.slug, request.kinds, &request.additions, notes)
}

/// Lists personas.
pub fn personas(
    world: &World,
    place: &LineagePlace,
    warnings: WarningPolicy,
) -> Outcome<PersonasReport> {
    let mut notes = Notes::default();
    let library = open_library(world, place, &mut notes);
    let result = library.map(|library| library.rows(&mut notes));
    notes.strictly(result, warnings)
}

/// The checks of `doctor`, besides the findings of merging.
#[derive(Clone, Debug, Default)]
pub(crate) struct PersonaRules {
    /// The root directives document that the manifest names.
    pub(crate) root: Option<PathBuf>,
    /// Documents of this revision have to be archived if they were removed.
    pub(crate) since: Option<String>,
}

/// Checks every persona that can be seen; gives how many there are.
pub(crate) fn lint_personas(
    world: &World,
    rules: &PersonaRules,
    notes: &mut Notes,
) -> Result<usize, Failure> {
    let mut library = open_library(world, &LineagePlace::default(), notes)?;
    let count = library.lint(rules.root.as_deref(), notes);
    if let Some(revision) = &rules.since {
        let history = repository_history(world, &library.levels, revision)?;
        let found = library.levels.not_archived(&history, revision)?;
        notes.diagnostics.extend(found);
    }
    Ok(count)
}
