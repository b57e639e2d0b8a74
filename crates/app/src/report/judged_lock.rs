//! What policies say about a lockfile alone: the content of its resources is not read.

use std::collections::BTreeMap;

use agpm_compose::{VersionFacts, judged_source, judged_version};
use agpm_model::{
    LockEntry, LockedCapabilitySet, Lockfile, Manifest, Owner, Pin, ResourceExtent, SKILL_FILE,
};
use agpm_resolve::LockView;
use agpm_trust::{CapabilitySet, JudgedContent, PolicySet, ReleaseAge};

/// The violations of the policies by id, in words.
pub(super) fn denials(
    manifest: &Manifest,
    lock: &Lockfile,
    policies: &PolicySet,
) -> BTreeMap<String, Vec<String>> {
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    if policies.count() == 0 {
        return found;
    }
    let view = LockView::of(lock.clone(), manifest, Default::default());
    let mut contents = Vec::new();
    for (number, entry) in lock.entries.iter().enumerate() {
        let mut content = judged_entry(manifest, entry);
        // Any chain means that the manifest does not name it itself.
        if !view.roots.contains(&number) {
            content.chain.push("another resource".to_owned());
        }
        contents.push(content);
    }
    for layer in &lock.layers {
        let name = layer.pin.as_ref().and_then(|pin| pin.source.name());
        contents.push(JudgedContent {
            source: name.and_then(|name| judged_source(manifest, name)),
            version: layer.pin.as_ref().map(version_of),
            capabilities: capabilities(&Owner::layer(&layer.name), &layer.capabilities),
            ..JudgedContent::new(layer.name.label())
        });
    }
    for violation in policies.violations(&contents) {
        let reason = format!("{}: {}", violation.rule, violation.message);
        found.entry(violation.id).or_default().push(reason);
    }
    found
}

fn judged_entry<'m>(manifest: &'m Manifest, entry: &LockEntry) -> JudgedContent<'m> {
    let path = entry.unit.path.in_tree();
    let path = match entry.unit.extent {
        ResourceExtent::Directory if matches!(path, "" | ".") => SKILL_FILE.to_owned(),
        ResourceExtent::Directory => format!("{path}/{SKILL_FILE}"),
        ResourceExtent::File | ResourceExtent::Plugin => path.to_owned(),
    };
    let name = entry.unit.origin.source();
    JudgedContent {
        types: vec![entry.kind],
        tools: entry.tools().map(ToString::to_string).collect(),
        source: name.and_then(|name| judged_source(manifest, name)),
        paths: vec![path],
        mode: entry.install,
        version: entry.pin.as_ref().map(version_of),
        capabilities: capabilities(&Owner::from(entry.id()), &entry.capabilities),
        ..JudgedContent::new(entry.label())
    }
}

/// A lockfile has neither the date of a version, nor the other tags of its commit.
fn version_of(pin: &Pin) -> agpm_trust::JudgedVersion {
    let facts = VersionFacts {
        age: ReleaseAge::NotJudged,
        tags: Vec::new(),
    };
    judged_version(pin, facts)
}

fn capabilities(id: &Owner, locked: &LockedCapabilitySet) -> CapabilitySet {
    match locked {
        LockedCapabilitySet::Listed(lines) => CapabilitySet::from_locked(id, lines),
        LockedCapabilitySet::None | LockedCapabilitySet::Digest(_) => CapabilitySet::default(),
    }
}
