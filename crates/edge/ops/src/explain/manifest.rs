//! Where the values of the manifest come from: the project, its bases, the private manifest or the configuration.

use agpm_diag::{Failure, Notes};
use agpm_merge::Provenance;
use agpm_text::to_value;

use crate::explain::{ExplainedName, ExplainedValues, Subject, found, pointer_of};
use crate::gather::{ManifestFiles, Project, folded_texts};
use crate::reading::shown;
use crate::world::World;

/// Explains a place of the manifest, which follows the colon or is given after it.
pub(super) fn explain_manifest(
    world: &World,
    after_colon: &str,
    pointer: Option<&str>,
    notes: &mut Notes,
) -> Result<ExplainedValues, Failure> {
    let written = match after_colon {
        "" => pointer.unwrap_or_default(),
        written => written,
    };
    let pointer = pointer_of(written)?;
    let files = ManifestFiles::require(&world.environment)?;
    let name = shown(&world.environment, &files.path);
    let project = Project::of(world, files, notes)?;
    let folded = folded_texts(project.texts);
    let mut provenance = Provenance::default();
    provenance.add_values(&folded, &pointer, &notes.sources);
    let value = folded.root().map(to_value);
    Ok(ExplainedValues {
        name: ExplainedName {
            subject: Subject::Manifest,
            name: name.clone(),
        },
        provenance: found(provenance, &name, &pointer, &[value])?,
        pointer,
        resource: None,
    })
}
