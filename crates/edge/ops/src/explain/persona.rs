//! Where the values of a persona came from.

use agpm_diag::{Failure, Notes, did_you_mean};
use agpm_persona::{PersonaKind, Slug};
use agpm_text::{Pointer, to_value};

use crate::explain::found;
use crate::gather::unknown_name;
use crate::lineage::{Library, LineagePlace, Sought, no_such_kind, nobody, unreadable};
use crate::provenance::Provenance;
use crate::world::World;

/// `name` is `SLUG`, for the agent document, or `SLUG/KIND`.
pub(super) fn explain_persona(
    world: &World,
    name: &str,
    pointer: &Pointer,
    notes: &mut Notes,
) -> Result<Provenance, Failure> {
    let (slug, word) = name
        .rsplit_once('/')
        .unwrap_or((name, PersonaKind::Agent.word()));
    let mut library = Library::open(world, &LineagePlace::default(), notes)?;
    let Some(slug) = Slug::new(slug) else {
        return Err(nobody(&library, name));
    };
    let Some(kind) = PersonaKind::named(word) else {
        let words = PersonaKind::ALL.map(PersonaKind::word);
        return Err(unknown_name(
            "kind of document",
            word,
            did_you_mean(word, "kinds are", words),
        ));
    };
    match library.seek(&slug, kind, notes) {
        Sought::Merged(merged) => {
            notes.check()?;
            let mut provenance = Provenance::default();
            provenance.add_values(&merged.resolution, pointer, &notes.sources);
            found(
                provenance,
                &format!("profile:{name}"),
                pointer,
                &[merged.resolution.root().map(to_value)],
            )
        }
        Sought::Unreadable => Err(unreadable(&slug, &[kind])),
        Sought::Nowhere => Err(no_such_kind(&library, &slug, kind)),
    }
}
