//! Where the values of a persona came from.

use agpm_diag::Severity;
use agpm_persona::{PersonaKind, Slug};
use agpm_text::{Pointer, to_value};

use crate::explain::found;
use crate::failure::{Failure, Notes};
use crate::lineage::{Levels, Library, LineagePlace, Sought, no_such_kind, nobody, unreadable};
use crate::provenance::Provenance;
use crate::world::World;

/// `name` is `SLUG`, for the agent document, or `SLUG/KIND`.
pub(super) fn explain_persona(
    world: &World,
    name: &str,
    pointer: &Pointer,
    notes: &mut Notes,
) -> Result<Provenance, Failure> {
    let (slug, kind) = match name.rsplit_once('/') {
        Some((slug, kind)) => (slug, PersonaKind::named(kind)),
        None => (name, Some(PersonaKind::Agent)),
    };
    let mut library = Library::new(&world.environment, Levels::find(world, &LineagePlace::default(), notes)?);
    let (Some(slug), Some(kind)) = (Slug::new(slug), kind) else { return Err(nobody(&library, name)) };
    match library.seek(&slug, kind, notes) {
        Sought::Merged(merged) => {
            // A warning about another place would only be in the way of the answer.
            if *pointer != Pointer::root() {
                notes.diagnostics.retain(|found| found.severity == Severity::Error);
            }
            let mut provenance = Provenance::default();
            provenance.add_values(&merged.resolution, pointer, &notes.sources);
            found(provenance, &format!("profile:{name}"), pointer, &[merged.resolution.root().map(to_value)])
        }
        Sought::Unreadable => Err(unreadable(&slug, &[kind])),
        Sought::Nowhere => Err(no_such_kind(&library, &slug, kind)),
    }
}
