//! `profile --list`: which personas there are.

use agpm_diag::{Failure, Notes, Outcome, Warnings};
use serde::Serialize;

use crate::lineage::levels::LineagePlace;
use crate::lineage::library::Library;
use crate::world::World;

/// A persona that can be seen.
#[derive(Clone, Debug, Serialize)]
pub struct PersonaRow {
    /// Its name.
    pub slug: String,
    /// Which kinds of document it has.
    pub kinds: Vec<&'static str>,
    /// The folders that have a say, lowest first.
    pub levels: Vec<String>,
}

/// All personas that can be seen, in the order of their names.
#[derive(Clone, Debug, Serialize)]
#[serde(transparent)]
pub struct PersonasReport {
    /// One row for each.
    pub personas: Vec<PersonaRow>,
}

/// Lists personas.
pub fn personas(
    world: &World,
    place: &LineagePlace,
    warnings: Warnings,
) -> Outcome<PersonasReport> {
    let mut notes = Notes::default();
    let result = run(world, place, &mut notes);
    notes.strictly(result, warnings)
}

fn run(world: &World, place: &LineagePlace, notes: &mut Notes) -> Result<PersonasReport, Failure> {
    let library = Library::open(world, place, notes)?;
    let personas = library
        .personas(notes)
        .into_iter()
        .map(|(slug, visible)| PersonaRow {
            slug: slug.to_string(),
            kinds: visible.kinds.into_iter().map(|kind| kind.word()).collect(),
            levels: visible.levels,
        });
    Ok(PersonasReport {
        personas: personas.collect(),
    })
}
