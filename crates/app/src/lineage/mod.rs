//! `profile`: merges personas from the documents of several levels, and lists them.

mod history;
mod open;

use std::path::PathBuf;

use agpm_diag::{Failure, Notes, Outcome, WarningPolicy};
use agpm_persona::{PersonasReport, ProfileAddition, ProfileKinds, ProfileReport};

use crate::project::world::World;

pub(crate) use history::repository_history;
pub(crate) use open::open_library;
pub use open::{LineageScope, SubmoduleScope};

/// The arguments of `profile`.
#[derive(Clone, Debug)]
pub struct ProfileRequest {
    /// The name of the persona.
    pub slug: String,
    /// The kinds of documents to merge.
    pub kinds: ProfileKinds,
    /// The directories to search.
    pub scope: LineageScope,
    /// Additional keys of the profile, such as `sources`.
    pub additions: Vec<ProfileAddition>,
    /// How warnings are treated.
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
    let mut library = open_library(world, &request.scope, notes)?;
    library.profile(&request.slug, request.kinds, &request.additions, notes)
}

/// Lists personas.
pub fn personas(
    world: &World,
    place: &LineageScope,
    warnings: WarningPolicy,
) -> Outcome<PersonasReport> {
    let mut notes = Notes::default();
    let library = open_library(world, place, &mut notes);
    let result = library.map(|library| library.rows(&mut notes));
    notes.strictly(result, warnings)
}

/// Additional rules that only `doctor` checks.
#[derive(Clone, Debug, Default)]
pub(crate) struct PersonaRules {
    /// The path of the root directives document in the manifest.
    pub(crate) root: Option<PathBuf>,
    /// The revision since which removed documents must be archived.
    pub(crate) since: Option<String>,
}

/// Checks every visible persona, and returns their number.
pub(crate) fn lint_personas(
    world: &World,
    rules: &PersonaRules,
    notes: &mut Notes,
) -> Result<usize, Failure> {
    let mut library = open_library(world, &LineageScope::default(), notes)?;
    let count = library.lint(rules.root.as_deref(), notes);
    if let Some(revision) = &rules.since {
        let history = repository_history(world, &library.levels, revision)?;
        let found = library.levels.not_archived(&history, revision)?;
        notes.diagnostics.extend(found);
    }
    Ok(count)
}
