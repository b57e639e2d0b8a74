//! New or changed capabilities of this install.

use std::collections::BTreeMap;

use agpm_compose::{OutputCapability, RenderedResource, reading_of_layer_file};
use agpm_layers::LayeredFile;
use agpm_model::{Manifest, Owner};
use agpm_plan::{ChangeAction, DesiredNode, PlannedChange};
use agpm_resolve::ResolvedEntry;
use agpm_text::Pointer;
use agpm_trust::{Capability, read_hooks};

use crate::install::{ReportedProgram, RequiredBy};

/// Everything that is new or changed and lets a tool do something.
pub fn new_programs(
    manifest: &Manifest,
    resources: &[RenderedResource],
    layers: &[LayeredFile],
    changes: &[PlannedChange],
) -> Vec<ReportedProgram> {
    let written = changes
        .iter()
        .filter(|change| matches!(change.action, ChangeAction::Create | ChangeAction::Update));
    let (mut by_owner, mut by_path) = (ChangesBy::new(), ChangesBy::new());
    for change in written {
        by_owner.entry(&change.owner).or_default().push(change);
        by_path.entry(&change.path).or_default().push(change);
    }
    let of_resource = |resource: &RenderedResource| {
        let RenderedResource { resolved, output } = resource;
        let programs = by_owner
            .get(&Owner::from(resolved.id()))
            .map_or(&[][..], Vec::as_slice);
        let is_new = |one: &&OutputCapability| {
            programs
                .iter()
                .any(|change| one.file.as_ref().is_none_or(|file| *file == change.path))
        };
        let new = output
            .capabilities
            .iter()
            .filter(is_new)
            .map(|one| one.capability.clone())
            .collect();
        program(resolved, new)
    };
    let can_do_something = |resource: &&RenderedResource| !resource.output.capabilities.is_empty();
    let of_resources = resources.iter().filter(can_do_something).map(of_resource);
    let of_layers = layers
        .iter()
        .filter_map(|file| Some(of_layer(manifest, file, by_path.get(&file.path)?)));
    let of_layers = of_layers.flatten();
    of_resources
        .chain(of_layers)
        .filter(|program| !program.capabilities.is_empty())
        .collect()
}

/// Changes by what they are of.
type ChangesBy<'c, K> = BTreeMap<&'c K, Vec<&'c PlannedChange>>;

/// New capabilities in a file of the layers, by the layer that states them.
fn of_layer(
    manifest: &Manifest,
    file: &LayeredFile,
    changes: &[&PlannedChange],
) -> Vec<ReportedProgram> {
    let is_new = |one: &Capability| {
        changes.iter().any(|change| {
            let pointer = change.pointer.as_ref();
            pointer
                .is_none_or(|pointer| is_in(&one.pointer, pointer) || is_in(pointer, &one.pointer))
        })
    };
    let mut programs: Vec<ReportedProgram> = Vec::new();
    let reading = reading_of_layer_file(manifest, &file.path, file.mode, &file.bytes);
    for capability in reading.found.into_iter().filter(is_new) {
        let resource = layer_of(file, &capability);
        match programs
            .iter_mut()
            .find(|program| program.resource == resource)
        {
            Some(program) => program.capabilities.push(capability),
            None => {
                let (unit, capabilities) = (file.path.to_string(), vec![capability]);
                programs.push(ReportedProgram {
                    resource,
                    unit,
                    capabilities,
                    required: RequiredBy::Manifest,
                });
            }
        }
    }
    programs
}

fn is_in(inner: &Pointer, outer: &Pointer) -> bool {
    inner.steps().starts_with(outer.steps())
}

/// The layer that a capability comes from, as `layers/NAME`; all that the file comes from if that is not known.
fn layer_of(file: &LayeredFile, capability: &Capability) -> String {
    let nodes = file.keys.iter().flat_map(|keys| &keys.nodes);
    let around: Vec<_> = nodes
        .filter(|node| is_in(&capability.pointer, node.node.location.pointer()))
        .collect();
    // Items of a list have no names: the one with this command is meant.
    let says = |node: &&&DesiredNode| {
        let value = &node.node.value;
        value.as_str() == Some(&capability.value)
            || read_hooks(value)
                .found
                .iter()
                .any(|one| one.value == capability.value)
    };
    let saying = around.iter().find(says).or(around.last());
    let owner = saying.map_or(&file.owner, |node| &node.owner);
    owner.to_string()
}

fn program(resolved: &ResolvedEntry, capabilities: Vec<Capability>) -> ReportedProgram {
    let required = if resolved.entry.root.is_some() {
        RequiredBy::Manifest
    } else {
        RequiredBy::Resource
    };
    ReportedProgram {
        resource: resolved.label(),
        unit: resolved.entry.unit.to_string(),
        capabilities,
        required,
    }
}
