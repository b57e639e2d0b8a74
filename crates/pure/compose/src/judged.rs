//! Rendered resources, for the checks of policies.

use std::collections::BTreeMap;

use agpm_model::{
    AddressKind, Manifest, Pin, Requirement, SourceAddress, SourceName, VersionLabel,
    is_abbreviated_commit,
};
use agpm_resolve::ResolvedEntry;
use agpm_trust::{CapabilitySet, JudgedContent, JudgedVersion, ReleaseAge};

use crate::rendered::RenderedResource;

/// One item for each resource, whatever the number of its tools; `age_of` returns the age of its version.
pub fn judged_resources<'m>(
    manifest: &'m Manifest,
    resources: &[RenderedResource],
    age_of: &dyn Fn(&ResolvedEntry) -> ReleaseAge,
) -> Vec<JudgedContent<'m>> {
    let chains = chains(resources);
    let mut judged: BTreeMap<String, JudgedContent<'m>> = BTreeMap::new();
    for (number, RenderedResource { resolved, output }) in resources.iter().enumerate() {
        let entry = &resolved.entry;
        let content = judged
            .entry(resolved.label())
            .or_insert_with(|| JudgedContent {
                id: resolved.label(),
                types: vec![entry.kind],
                tools: Vec::new(),
                source: source(manifest, resolved),
                version: version(resolved, age_of(resolved)),
                capabilities: CapabilitySet::default(),
                chain: chains[number].clone(),
            });
        if content.tools.is_empty() {
            content.capabilities = output.capability_set.clone();
        } else {
            content.capabilities.absorb(output.capability_set.clone());
        }
        content.tools.push(entry.tool.to_string());
    }
    judged.into_values().collect()
}

fn source<'m>(manifest: &'m Manifest, resolved: &ResolvedEntry) -> Option<&'m SourceAddress> {
    judged_source(manifest, resolved.entry.unit.origin.source()?)
}

/// The URL of a source, for the checks of policies.
pub fn judged_source<'m>(manifest: &'m Manifest, name: &SourceName) -> Option<&'m SourceAddress> {
    let address = &manifest.source(name)?.address;
    // A directory is up to the user; a repository on this machine is a source like any other.
    (!matches!(address.kind(), AddressKind::Directory(_))).then_some(address)
}

fn version(resolved: &ResolvedEntry, age: ReleaseAge) -> Option<JudgedVersion> {
    resolved.version.commit.as_ref()?;
    let label = resolved.version.label.clone();
    let is_branch = resolved
        .requirements
        .iter()
        .any(|requirement| follows_branch(requirement, &label));
    Some(JudgedVersion {
        label,
        is_branch,
        age,
    })
}

/// The version of something with a separate pin, such as a layer.
pub fn judged_version(pin: &Pin, age: ReleaseAge) -> JudgedVersion {
    let mut requirements = pin.parsed_requirements();
    JudgedVersion {
        label: pin.version.clone(),
        is_branch: requirements.any(|requirement| follows_branch(&requirement, &pin.version)),
        age,
    }
}

/// The version of a remote of the catalog or of a marketplace: lists that are read but not installed.
pub fn judged_list(requirement: Option<&Requirement>, label: &VersionLabel) -> JudgedVersion {
    JudgedVersion {
        label: label.clone(),
        // Without a requirement it is the default branch.
        is_branch: requirement.is_none_or(|requirement| follows_branch(requirement, label)),
        age: ReleaseAge::NotJudged,
    }
}

/// Whether a requirement follows a branch. A name that is not a version is treated as a branch: such a tag can be
/// pinned by its commit.
fn follows_branch(requirement: &Requirement, label: &VersionLabel) -> bool {
    match requirement {
        Requirement::Branch(_) => true,
        Requirement::Version(requirement) => {
            requirement.as_name() == Some(label.as_str())
                && label.prefix().is_none()
                && !is_abbreviated_commit(label.as_str())
        }
        Requirement::Rev(_) | Requirement::Only => false,
    }
}

/// The chain of dependents of each resource, from the manifest down; empty for those in the manifest.
fn chains(resources: &[RenderedResource]) -> Vec<Vec<String>> {
    let mut chains: Vec<Option<Vec<String>>> = vec![None; resources.len()];
    let is_root = |number: &usize| resources[*number].resolved.entry.root.is_some();
    let mut queue: Vec<usize> = (0..resources.len()).filter(is_root).collect();
    for root in &queue {
        chains[*root] = Some(Vec::new());
    }
    // The shortest chain from the manifest is shown.
    let mut at = 0;
    while at < queue.len() {
        let parent = queue[at];
        at += 1;
        let resolved = &resources[parent].resolved;
        let mut chain = chains[parent].clone().unwrap_or_default();
        chain.push(resolved.label());
        for need in &resolved.entry.needs {
            if chains[*need].is_none() {
                chains[*need] = Some(chain.clone());
                queue.push(*need);
            }
        }
    }
    chains.into_iter().map(Option::unwrap_or_default).collect()
}
