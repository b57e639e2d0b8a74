//! Where the values of a persona came from.

use agpm_diag::{Failure, Notes};
use agpm_text::{Pointer, to_value};

use crate::explain::found;
use crate::lineage::{LineagePlace, open_library};
use crate::world::World;
use agpm_merge::Provenance;

/// `name` is `SLUG`, for the agent document, or `SLUG/KIND`.
pub(super) fn explain_persona(
    world: &World,
    name: &str,
    pointer: &Pointer,
    notes: &mut Notes,
) -> Result<Provenance, Failure> {
    let mut library = open_library(world, &LineagePlace::default(), notes)?;
    let merged = library.merge_named(name, notes)?;
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
