//! Files of layers, for the checks of policies.

use std::collections::BTreeMap;

use crate::contained_types::{contained_types, types_of_value};
use agpm_model::{Destination, FileMode, Manifest, Owner, RelativePath, ResourceType, Tool};
use agpm_plan::DesiredNode;
use agpm_resolve::path_in_type_directory;
use agpm_text::Value;
use agpm_trust::{CapabilitySet, JudgedContent, read_config_value};

use crate::layer_readings::reading_of_layer_file;

/// A file of the layers.
#[derive(Clone, Copy, Debug)]
pub struct JudgedFile<'a> {
    /// The path, from the project.
    pub path: &'a RelativePath,
    /// The written bytes.
    pub bytes: &'a [u8],
    /// Whether it is executable.
    pub mode: FileMode,
    /// The layers that it comes from.
    pub owner: &'a Owner,
    /// Its keys and items, each with its layer; empty for unstructured files.
    pub nodes: &'a [DesiredNode],
}

/// One item for each layer, or for layers that contribute together. Their sources are judged by layer.
pub fn judged_layers<'m>(
    manifest: &'m Manifest,
    files: &[JudgedFile<'_>],
) -> Vec<JudgedContent<'m>> {
    let mut judged = JudgedLayers {
        manifest,
        contents: BTreeMap::new(),
    };
    for file in files {
        judged.add(file);
    }
    judged.contents.into_values().collect()
}

struct JudgedLayers<'m> {
    manifest: &'m Manifest,
    contents: BTreeMap<String, JudgedContent<'m>>,
}

impl JudgedLayers<'_> {
    fn add(&mut self, file: &JudgedFile<'_>) {
        let kind = type_of_path(self.manifest, file.path);
        let tools = self.tools_of_path(file.path);
        if file.nodes.is_empty() {
            let set = reading_of_layer_file(self.manifest, file.path, file.mode, file.bytes).set;
            let inside = contained_types(file.path.as_str(), file.bytes);
            let types = kind.into_iter().chain(inside).collect();
            return self.merge(file.owner, set, types, tools);
        }
        let mut by_owner: BTreeMap<String, (&Owner, Vec<&DesiredNode>)> = BTreeMap::new();
        for node in file.nodes {
            let of_owner = by_owner.entry(node.owner.to_string());
            of_owner
                .or_insert_with(|| (&node.owner, Vec::new()))
                .1
                .push(node);
        }
        for (owner, nodes) in by_owner.into_values() {
            let mut set = CapabilitySet::default();
            let mut types: Vec<ResourceType> = kind.into_iter().collect();
            // A directory of hooks has them whatever their keys are.
            types.extend(contained_types(file.path.as_str(), &[]));
            // A server's command means something only with its arguments, which are separate nodes.
            for value in joined(&nodes) {
                set.absorb(read_config_value(file.path.as_str(), &value).set);
                types.extend(types_of_value(&value));
            }
            if file.mode == FileMode::Executable {
                set.add_command(file.path.to_string());
            }
            self.merge(owner, set, types, tools.clone());
        }
    }

    fn merge(
        &mut self,
        owner: &Owner,
        set: CapabilitySet,
        types: Vec<ResourceType>,
        tools: Vec<String>,
    ) {
        let id = owner.to_string();
        let content = self.contents.entry(id.clone());
        let content = content.or_insert_with(|| JudgedContent::new(id));
        content.capabilities.absorb(set);
        content.types.extend(types);
        content.types.sort();
        content.types.dedup();
        content.tools.extend(tools);
        content.tools.sort();
        content.tools.dedup();
    }

    /// The tools whose directory or file it belongs to; a directory that several tools read belongs to none.
    fn tools_of_path(&self, path: &RelativePath) -> Vec<String> {
        let is_own = |tool: &&Tool| {
            let directory = tool
                .directory
                .as_ref()
                .map(|directory| format!("{directory}/"));
            directory.is_some_and(|directory| path.as_str().starts_with(&directory))
                || tool
                    .destinations
                    .values()
                    .any(|one| matches!(one, Destination::Entries(file, _) | Destination::Blocks(file) if file == path))
        };
        let tools = self.manifest.tools.iter().filter(is_own);
        tools.map(|tool| tool.name.to_string()).collect()
    }
}

fn type_of_path(manifest: &Manifest, path: &RelativePath) -> Option<ResourceType> {
    manifest.tools.iter().find_map(|tool| {
        let of_destination = |(kind, destination): (&ResourceType, &Destination)| {
            is_at(tool, destination, path).then_some(*kind)
        };
        tool.destinations.iter().find_map(of_destination)
    })
}

fn is_at(tool: &Tool, destination: &Destination, path: &RelativePath) -> bool {
    match destination {
        Destination::Files(directory, _) => path_in_type_directory(tool, directory, path).is_some(),
        Destination::Entries(..) | Destination::Blocks(_) => false,
    }
}

/// The nodes of a file, with the keys of one object as one value.
fn joined(nodes: &[&DesiredNode]) -> Vec<Value> {
    let mut values = Vec::new();
    let mut objects: BTreeMap<&[String], BTreeMap<&str, &Value>> = BTreeMap::new();
    for node in nodes {
        let (steps, value) = (node.node.location.pointer().steps(), &node.node.value);
        let Some((key, parent)) = steps.split_last() else {
            values.push(value.clone());
            continue;
        };
        let keys = objects.entry(parent).or_default();
        // Items of one list have one pointer.
        if let Some(other) = keys.insert(key, value) {
            values.push(nested(steps, other.clone()));
        }
    }
    let object = |(parent, keys): (&[String], BTreeMap<&str, &Value>)| {
        let entries = keys.into_iter().map(|(key, value)| (key, value.clone()));
        nested(parent, Value::map(entries))
    };
    values.extend(objects.into_iter().map(object));
    values
}

/// A value nested under keys.
fn nested(steps: &[String], value: Value) -> Value {
    steps
        .iter()
        .rev()
        .fold(value, |inner, step| Value::map([(step.clone(), inner)]))
}
