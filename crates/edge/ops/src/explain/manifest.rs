//! Where the values of the manifest come from: the project, its bases, the private manifest or the configuration.

use agpm_diag::{Failure, Notes};
use agpm_merge::Provenance;
use agpm_text::{Pointer, Value, to_value};

use crate::gather::{ManifestFiles, Project, folded_texts};
use crate::reading::shown;
use crate::world::World;

/// The values of a manifest at a place, and the whole of it.
pub(super) struct ManifestValues {
    /// The file of the project.
    pub(super) name: String,
    pub(super) provenance: Provenance,
    pub(super) whole: Option<Value>,
}

/// What all texts of the manifest say at a place.
pub(super) fn manifest_values(
    world: &World,
    pointer: &Pointer,
    notes: &mut Notes,
) -> Result<ManifestValues, Failure> {
    let files = ManifestFiles::require(&world.environment)?;
    let name = shown(&world.environment, &files.path);
    let project = Project::of(world, files, notes)?;
    let folded = folded_texts(project.texts);
    let mut provenance = Provenance::default();
    provenance.add_values(&folded, pointer, &notes.sources);
    Ok(ManifestValues {
        name,
        provenance,
        whole: folded.root().map(to_value),
    })
}
