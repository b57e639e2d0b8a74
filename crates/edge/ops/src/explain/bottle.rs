//! Where the values of an effective bottle came from: its layers are the bottles that it extends.

use agpm_bottle::UnitKind;
use agpm_diag::{Diagnostic, codes};
use agpm_text::Pointer;

use crate::bottle::{BottleInput, load, unknown_unit};
use crate::explain::{ExplainReport, ExplainRequest, found, pointer_of};
use crate::failure::{Failure, FailureKind, Notes};
use crate::merge::MergeInputs;
use crate::provenance::{Provenance, Secrets};
use crate::world::World;

pub(super) fn explain_bottle(
    world: &World,
    name: &str,
    request: &ExplainRequest,
    notes: &mut Notes,
) -> Result<ExplainReport, Failure> {
    refuse_inputs(&request.inputs)?;
    let pointer = pointer_of(request)?;
    let input = BottleInput { json_file: request.json_file.clone() };
    let manifest = load(&world.environment, &input, notes)?;
    let unknown = || unknown_unit(&manifest, UnitKind::Bottle, name);
    let (resolution, value) =
        manifest.bottle_resolution(name).zip(manifest.bottle_value(name)).ok_or_else(unknown)?;
    let mut provenance = Provenance::default();
    provenance.add_values_as(&resolution, &pointer, &notes.sources, request.secrets);
    // `extends` was followed: it is no part of what came out.
    let extends = Pointer::root().child("extends");
    provenance.leaves.retain(|leaf| leaf.pointer != extends);
    let provenance = found(provenance, &format!("bottle:{name}"), &pointer, &[Some(value)])?;
    Ok(ExplainReport::Bottle { name: name.to_owned(), pointer, provenance })
}

/// Flags about files that are folded.
fn refuse_inputs(inputs: &MergeInputs) -> Result<(), Failure> {
    let flags = [
        ("--from", !inputs.files.is_empty()),
        ("--strategy", inputs.strategy.is_some()),
        ("--rule", !inputs.rules.is_empty()),
        ("--layer-names", !inputs.layer_names.is_empty()),
    ];
    let Some((flag, _)) = flags.into_iter().find(|(_, given)| *given) else { return Ok(()) };
    let diagnostic = Diagnostic::new(&codes::USAGE, format!("`{flag}` is for `file:PATH`"));
    let help = "a bottle says itself what it extends; `--json-file` names a file with bottles";
    Err(Failure::new(FailureKind::Usage, diagnostic.help(help)))
}

/// Flags that only bottles know.
pub(super) fn refuse_flags(request: &ExplainRequest) -> Result<(), Failure> {
    let flag = match (&request.json_file, request.secrets) {
        (Some(_), _) => "--json-file",
        (None, Secrets::Shown) => "--show-secrets",
        (None, Secrets::Masked) => return Ok(()),
    };
    let diagnostic = Diagnostic::new(&codes::USAGE, format!("`{flag}` is for `bottle:NAME`"));
    Err(Failure::new(FailureKind::Usage, diagnostic.help("leave it out")))
}
