//! New or changed capabilities of this install.

use std::collections::{BTreeMap, BTreeSet};

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
    let changed = ChangedPointers::of(changes);
    let layers = StatedValues::of(file);
    let mut programs: Vec<ReportedProgram> = Vec::new();
    let reading = reading_of_layer_file(manifest, &file.path, file.mode, &file.bytes);
    for capability in reading.found {
        if !changed.touch(&capability.pointer) {
            continue;
        }
        let resource = layers.layer_of(file, &capability);
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

/// The pointers of changes, for lookup: a file may have as many changes as capabilities.
struct ChangedPointers<'c> {
    /// Whether the whole file changed.
    is_whole: bool,
    pointers: BTreeSet<&'c [String]>,
}

impl<'c> ChangedPointers<'c> {
    fn of(changes: &[&'c PlannedChange]) -> Self {
        let pointers = changes.iter().map(|change| change.pointer.as_ref());
        ChangedPointers {
            is_whole: pointers.clone().any(|pointer| pointer.is_none()),
            pointers: pointers.flatten().map(Pointer::steps).collect(),
        }
    }

    /// Whether a change is at, around or in a pointer.
    fn touch(&self, pointer: &Pointer) -> bool {
        let steps = pointer.steps();
        let is_around = |length: usize| self.pointers.contains(&steps[..length]);
        // Pointers in another one follow it.
        let next = self.pointers.range(steps..).next();
        self.is_whole
            || (0..=steps.len()).any(is_around)
            || next.is_some_and(|next| next.starts_with(steps))
    }
}

/// The values that layers state in a file, by pointer.
struct StatedValues<'f> {
    nodes: BTreeMap<&'f [String], ValuesAtPointer<'f>>,
}

/// Items of a list have no names, so several values may be at one pointer.
#[derive(Default)]
struct ValuesAtPointer<'f> {
    by_value: BTreeMap<String, &'f DesiredNode>,
    last: Option<&'f DesiredNode>,
}

impl<'f> StatedValues<'f> {
    fn of(file: &'f LayeredFile) -> Self {
        let mut nodes: BTreeMap<&[String], ValuesAtPointer<'f>> = BTreeMap::new();
        for node in file.keys.iter().flat_map(|keys| &keys.nodes) {
            let value = &node.node.value;
            let at = nodes
                .entry(node.node.location.pointer().steps())
                .or_default();
            at.last = Some(node);
            if let Some(text) = value.as_str() {
                at.by_value.entry(text.to_owned()).or_insert(node);
            }
            for one in read_hooks(value).found {
                at.by_value.entry(one.value).or_insert(node);
            }
        }
        StatedValues { nodes }
    }

    /// The layer that a capability comes from, as `layers/NAME`; all that the file comes from if that is not known.
    fn layer_of(&self, file: &LayeredFile, capability: &Capability) -> String {
        let steps = capability.pointer.steps();
        let mut last = None;
        for length in 0..=steps.len() {
            let Some(at) = self.nodes.get(&steps[..length]) else {
                continue;
            };
            if let Some(node) = at.by_value.get(&capability.value) {
                return node.owner.to_string();
            }
            last = at.last.or(last);
        }
        last.map_or(&file.owner, |node| &node.owner).to_string()
    }
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
