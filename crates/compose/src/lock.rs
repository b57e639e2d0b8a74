//! Creates the lockfile of resolved and rendered resources.

use std::collections::{BTreeMap, BTreeSet};

use agpm_model::{
    InstallMode, LockEntry, LockWriter, LockedCapabilitySet, LockedLayer, LockedPlacement,
    LockedRemote, LockedSource, Lockfile, Manifest, PATCH_FILE, PatchScope, Pin, PinSource,
    ResourceId, SourceDeclaration, SourceName, SourceScope,
};
use agpm_resolve::ResolvedEntry;
use agpm_trust::CapabilitySet;

use crate::capabilities::capability_sets;
use crate::rendered::{RenderedResource, ResourceOutput};

/// The lockfile of these entries.
pub fn lock_of(
    manifest: &Manifest,
    resources: &[RenderedResource],
    layers: Vec<LockedLayer>,
    catalog: Vec<LockedRemote>,
) -> Lockfile {
    let of_entries = resources
        .iter()
        .filter_map(|resource| resource.resolved.entry.unit.origin.source());
    let of_layers = layers
        .iter()
        .filter_map(|layer| layer.pin.as_ref()?.source.name());
    let of_remotes = catalog.iter().filter_map(|pin| pin.remote().source());
    let of_marketplaces = manifest
        .dependencies
        .iter()
        .filter_map(|one| Some(&one.marketplace.as_ref()?.plugin.marketplace));
    let used: BTreeSet<&SourceName> = of_entries
        .chain(of_layers)
        .chain(of_remotes)
        .chain(of_marketplaces)
        .collect();
    let sources = used.into_iter().filter_map(|name| manifest.source(name));
    // A local directory means nothing to others.
    let is_shared = |source: &&SourceDeclaration| {
        source.scope == SourceScope::Project || !source.address.is_local()
    };
    let sources = sources.map(|source| LockedSource {
        name: source.name.clone(),
        url: Some(source)
            .filter(is_shared)
            .map(|source| source.address.to_string()),
    });
    Lockfile {
        bases: Vec::new(),
        sources: sources.collect(),
        layers,
        catalog,
        entries: locked_entries(manifest, resources),
    }
}

/// One entry for each resource with all its tools: the copies of a resource are adjacent.
fn locked_entries(manifest: &Manifest, resources: &[RenderedResource]) -> Vec<LockEntry> {
    let copies: Vec<LockEntry> = resources
        .iter()
        .map(|resource| locked(manifest, &resource.resolved, &resource.output))
        .collect();
    let references: Vec<String> = copies.iter().map(LockEntry::reference).collect();
    let mut all: Vec<LockEntry> = Vec::new();
    // Parts follow from their plugin.
    let of_lockfile = copies
        .into_iter()
        .zip(resources)
        .filter(|(_, resource)| resource.resolved.part_of.is_empty());
    for (mut copy, resource) in of_lockfile {
        let needs = resource.resolved.entry.needs.iter();
        copy.dependencies = needs.map(|need| references[*need].clone()).collect();
        match all.last_mut().filter(|last| last.id() == copy.id()) {
            Some(same) => merge_copy(same, copy),
            None => all.push(copy),
        }
    }
    let mut parts = parts_of_plugins(resources);
    let sets = capability_sets(resources);
    for locked in &mut all {
        let set = sets.get(&locked.id()).map(CapabilitySet::to_locked);
        locked.capabilities = LockedCapabilitySet::of(set.unwrap_or_default());
        locked.parts = parts.remove(&locked.id()).unwrap_or_default();
        // A field that one tool drops may exist in another.
        let patches = &locked.patches;
        locked
            .dropped_patches
            .retain(|field| !patches.contains(field));
        locked.placements.sort();
        locked.dependencies.sort();
        locked.dependencies.dedup();
    }
    all
}

/// Adds a copy of the same resource for other tools.
fn merge_copy(locked: &mut LockEntry, copy: LockEntry) {
    locked.placements.extend(copy.placements);
    locked.dependencies.extend(copy.dependencies);
    add_missing(&mut locked.patches, copy.patches);
    add_missing(&mut locked.private_patches, copy.private_patches);
    add_missing(&mut locked.dropped_patches, copy.dropped_patches);
    if copy.install == InstallMode::Write {
        locked.install = InstallMode::Write;
    }
}

fn add_missing(fields: &mut Vec<String>, more: Vec<String>) {
    for field in more {
        if !fields.contains(&field) {
            fields.push(field);
        }
    }
}

/// The parts of each plugin, sorted.
fn parts_of_plugins(resources: &[RenderedResource]) -> BTreeMap<ResourceId, Vec<ResourceId>> {
    let mut parts: BTreeMap<ResourceId, BTreeSet<ResourceId>> = BTreeMap::new();
    for RenderedResource { resolved, .. } in resources {
        for plugin in &resolved.part_of {
            let (kind, name) = (resolved.entry.kind, resolved.entry.name.clone());
            let part = ResourceId { kind, name };
            parts.entry(plugin.clone()).or_default().insert(part);
        }
    }
    parts
        .into_iter()
        .map(|(plugin, parts)| (plugin, parts.into_iter().collect()))
        .collect()
}

/// One entry; its dependencies are added when all names are known.
fn locked(manifest: &Manifest, resolved: &ResolvedEntry, output: &ResourceOutput) -> LockEntry {
    let entry = &resolved.entry;
    let root = entry
        .root
        .and_then(|number| manifest.dependencies.get(number));
    let pattern = root.filter(|root| root.unit.path.is_pattern());
    let fields_of = |scope: &dyn Fn(PatchScope) -> bool| {
        let fields = output.patched.iter().filter(|field| scope(field.scope));
        let mut names: Vec<String> = fields.map(|field| field.field.to_string()).collect();
        let has_diff = output.text_patches.iter().any(|one| scope(*one));
        names.extend(has_diff.then(|| PATCH_FILE.to_owned()));
        names
    };
    let dropped = output.dropped.iter();
    let dropped = dropped.filter(|field| field.scope == PatchScope::Project);
    let required = root.map_or_else(
        || Pin::join_requirements(resolved.requirements.iter().map(ToString::to_string)),
        |root| root.requirement.to_string(),
    );
    let source = entry.unit.origin.source();
    let commit = resolved.version.commit.as_ref();
    let pin = source.zip(commit).map(|(source, commit)| Pin {
        source: PinSource::Named(source.clone()),
        requirement: Some(required),
        version: resolved.version.label.clone(),
        commit: commit.clone(),
    });
    let at = entry
        .target
        .as_ref()
        .filter(|_| entry.install != InstallMode::ResolveOnly);
    let placement = |tool| LockedPlacement {
        tool,
        at: at.cloned(),
    };
    LockEntry {
        kind: entry.kind,
        name: entry.name.clone(),
        manifest_alias: pattern.map(|root| root.name.clone()),
        pattern: pattern.map(|root| root.unit.path.clone()),
        unit: entry.unit.clone(),
        pin,
        checksum: Some(resolved.resource.checksum),
        capabilities: LockedCapabilitySet::None,
        widened: Vec::new(),
        placements: entry.readers.iter().cloned().map(placement).collect(),
        dependencies: Vec::new(),
        patches: fields_of(&|_| true),
        private_patches: fields_of(&|scope| scope == PatchScope::Private),
        dropped_patches: dropped.map(|field| field.field.to_string()).collect(),
        install: entry.install,
        parts: Vec::new(),
        marketplace: root.and_then(|root| root.marketplace.as_ref()?.pin.clone()),
        writer: LockWriter::Agpm,
    }
}
