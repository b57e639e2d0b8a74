//! Explains values of the manifest, of catalog entries, personas and bottles.

use crate::explain::{
    ExplainSubject, ExplainedValues, NamedSubject, explain_entry, parse_pointer, require_values,
};
use agpm_bottle::UnitKind;
use agpm_diag::{Failure, Notes};
use agpm_merge::{Provenance, SecretDisplay};
use agpm_text::{Pointer, to_value};

use crate::bottle::{BottleInput, load};
use crate::catalog::{CatalogSelection, open};
use crate::explain::project::ExplainedProject;
use crate::lineage::{LineageScope, open_library};
use crate::manifest::fold_texts;
use crate::project::reading::display_path;
use crate::project::world::World;

/// Explains the values at a pointer in the manifest, its bases, the private manifest and the configuration.
pub(crate) fn explain_manifest(
    explained: &ExplainedProject<'_>,
    text: &str,
    notes: &mut Notes,
) -> Result<ExplainedValues, Failure> {
    let pointer = parse_pointer(text)?;
    let path = explained.require()?.manifest_path();
    let name = display_path(&explained.world.environment, path);
    let folded = fold_texts(explained.project(notes)?.texts.clone());
    let mut provenance = Provenance::default();
    provenance.add_values(&folded, &pointer, &notes.sources);
    let value = folded.root().map(to_value);
    let provenance = require_values(provenance, &name, &pointer, &[value])?;
    let named = NamedSubject {
        subject: ExplainSubject::Manifest,
        name,
    };
    Ok(ExplainedValues::of_subject(named, pointer, provenance))
}

pub(crate) fn explain_catalog_entry(
    world: &World,
    name: &str,
    pointer: &Pointer,
    notes: &mut Notes,
) -> Result<Provenance, Failure> {
    let content = open(world, &CatalogSelection::default(), None, notes)?.content;
    explain_entry(&content, name, pointer, &notes.sources)
}

/// Explains a persona. `name` is `SLUG`, which means the agent document, or `SLUG/KIND`.
pub(crate) fn explain_persona(
    world: &World,
    name: &str,
    pointer: &Pointer,
    notes: &mut Notes,
) -> Result<Provenance, Failure> {
    let mut library = open_library(world, &LineageScope::default(), notes)?;
    let merged = library.merge_named(name, notes)?;
    notes.check()?;
    let mut provenance = Provenance::default();
    provenance.add_values(&merged.resolution, pointer, &notes.sources);
    let value = merged.resolution.root().map(to_value);
    require_values(provenance, &format!("profile:{name}"), pointer, &[value])
}

/// Explains a bottle. Its layers are the bottles that it extends.
pub(crate) fn explain_bottle(
    world: &World,
    input: &BottleInput,
    name: &str,
    target: ExplainTarget<'_>,
    notes: &mut Notes,
) -> Result<Provenance, Failure> {
    let ExplainTarget { pointer, secrets } = target;
    let manifest = load(&world.environment, input, notes)?;
    let unknown = || manifest.unknown_unit(UnitKind::Bottle, name);
    let (resolution, value) = manifest
        .bottle_resolution(name)
        .zip(manifest.bottle_value(name))
        .ok_or_else(unknown)?;
    let mut provenance = Provenance::default();
    provenance.add_values_as(&resolution, pointer, &notes.sources, secrets);
    // The bottles that `extends` names are already merged, so the key is not part of the result.
    let extends = Pointer::root().child("extends");
    provenance.leaves.retain(|leaf| leaf.pointer != extends);
    if secrets == SecretDisplay::Masked {
        let env = Pointer::root().child("env");
        let secret = manifest.secret_variables(name);
        secret
            .iter()
            .for_each(|name| provenance.mask(&env.child(name)));
    }
    require_values(
        provenance,
        &format!("bottle:{name}"),
        pointer,
        &[Some(value)],
    )
}

/// A pointer whose values are shown, and whether secrets are masked.
pub(crate) struct ExplainTarget<'p> {
    pub(crate) pointer: &'p Pointer,
    pub(crate) secrets: SecretDisplay,
}
