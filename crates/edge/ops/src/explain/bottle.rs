//! Where the values of an effective bottle came from: its layers are the bottles that it extends.

use agpm_bottle::UnitKind;
use agpm_diag::{Failure, Notes};
use agpm_text::Pointer;

use crate::bottle::{BottleInput, load};
use crate::explain::{ExplainRequest, found};
use crate::world::World;
use agpm_merge::{Provenance, SecretDisplay};

pub(super) fn explain_bottle(
    world: &World,
    name: &str,
    pointer: &Pointer,
    request: &ExplainRequest,
    notes: &mut Notes,
) -> Result<Provenance, Failure> {
    let input = BottleInput {
        json_file: request.json_file.clone(),
    };
    let manifest = load(&world.environment, &input, notes)?;
    let unknown = || manifest.unknown_unit(UnitKind::Bottle, name);
    let (resolution, value) = manifest
        .bottle_resolution(name)
        .zip(manifest.bottle_value(name))
        .ok_or_else(unknown)?;
    let mut provenance = Provenance::default();
    provenance.add_values_as(&resolution, pointer, &notes.sources, request.secrets);
    // `extends` was followed: it is no part of what came out.
    let extends = Pointer::root().child("extends");
    provenance.leaves.retain(|leaf| leaf.pointer != extends);
    if request.secrets == SecretDisplay::Masked {
        let env = Pointer::root().child("env");
        let secret = manifest.secret_variables(name);
        secret
            .iter()
            .for_each(|name| provenance.mask(&env.child(name)));
    }
    found(
        provenance,
        &format!("bottle:{name}"),
        pointer,
        &[Some(value)],
    )
}
