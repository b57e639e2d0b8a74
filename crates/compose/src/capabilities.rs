//! Capabilities of resources and layers, by the lockfile entry that they belong to.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use agpm_model::{InstallMode, Manifest, ResourceId};
use agpm_trust::CapabilitySet;

use crate::judged_layers::JudgedFile;
use crate::layer_readings::reading_of_layer_file;
use crate::readings::runnable_paths;
use crate::rendered::RenderedResource;

/// The set of each resource: of all its copies together, and for a plugin including its parts.
pub fn capability_sets(resources: &[RenderedResource]) -> BTreeMap<ResourceId, CapabilitySet> {
    let mut sets: BTreeMap<ResourceId, CapabilitySet> = BTreeMap::new();
    for RenderedResource { resolved, output } in resources {
        if resolved.entry.install == InstallMode::ResolveOnly {
            continue;
        }
        if resolved.part_of.is_empty() {
            add(
                &mut sets,
                resolved.id(),
                output.locked_capabilities().clone(),
            );
            continue;
        }
        // Each part has its own tools, and one set holds them all.
        let mut part = output.locked_capabilities().clone();
        // Files of a part are files of the plugin, which has them under their full paths.
        for path in runnable_paths(resolved) {
            part.remove_command(&path);
        }
        let part = part.in_part(&resolved.label());
        for plugin in &resolved.part_of {
            add(&mut sets, plugin.clone(), part.clone());
        }
    }
    sets
}

fn add(sets: &mut BTreeMap<ResourceId, CapabilitySet>, id: ResourceId, set: CapabilitySet) {
    match sets.entry(id) {
        Entry::Vacant(entry) => drop(entry.insert(set)),
        Entry::Occupied(mut entry) => entry.get_mut().absorb(set),
    }
}

/// The set of a layer, by its own files, whatever other layers do with them.
pub fn capability_set_of_layer<'f>(
    manifest: &Manifest,
    files: impl IntoIterator<Item = JudgedFile<'f>>,
) -> CapabilitySet {
    let mut set = CapabilitySet::default();
    for file in files {
        let reading = reading_of_layer_file(manifest, file.path, file.mode, file.bytes);
        set.absorb(reading.set);
    }
    set
}
