//! Rendered resources, for the checks of policies.

use std::collections::BTreeMap;

use agpm_model::{
    AddressKind, Manifest, Pin, Requirement, ResourceExtent, ResourceType, SKILL_FILE,
    SourceAddress, SourceName, VersionLabel, is_abbreviated_commit,
};
use agpm_resolve::ResolvedEntry;
use agpm_trust::{JudgedContent, JudgedVersion, ReleaseAge};

use crate::contained_types::contained_types;
use crate::rendered::RenderedResource;

/// Facts that only the source of a version knows.
#[derive(Clone, Debug)]
pub struct VersionFacts {
    /// The age of its release.
    pub age: ReleaseAge,
    /// Every tag of its commit.
    pub tags: Vec<VersionLabel>,
}

/// One item for each resource, whatever the number of its tools.
pub fn judged_resources<'m>(
    manifest: &'m Manifest,
    resources: &[RenderedResource],
    facts_of: &dyn Fn(&ResolvedEntry) -> VersionFacts,
) -> Vec<JudgedContent<'m>> {
    let chains = chains(resources);
    let mut judged: BTreeMap<String, JudgedContent<'m>> = BTreeMap::new();
    for (number, RenderedResource { resolved, output }) in resources.iter().enumerate() {
        let entry = &resolved.entry;
        let content = judged
            .entry(resolved.label())
            .or_insert_with(|| JudgedContent {
                types: vec![entry.kind],
                source: source(manifest, resolved),
                paths: paths_in_source(resolved),
                mode: entry.install,
                version: version(resolved, facts_of),
                chain: chains[number].clone(),
                ..JudgedContent::new(resolved.label())
            });
        content.types.extend(types_inside(&resources[number]));
        content.types.sort();
        content.types.dedup();
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

/// The paths of a resource's files in its source.
fn paths_in_source(resolved: &ResolvedEntry) -> Vec<String> {
    let path = resolved.entry.unit.path.in_tree();
    let others = resolved.resource.others.iter();
    let others = others.map(|(other, _)| joined(path, other.as_str()));
    let main = match resolved.entry.unit.extent {
        ResourceExtent::Directory => joined(path, SKILL_FILE),
        ResourceExtent::File | ResourceExtent::Plugin => path.to_owned(),
    };
    std::iter::once(main).chain(others).collect()
}

fn joined(directory: &str, path: &str) -> String {
    match directory {
        "" | "." => path.to_owned(),
        directory => format!("{directory}/{path}"),
    }
}

/// The types that a resource defines inside its own file: in the author's form, and in that of its tool.
fn types_inside(rendered: &RenderedResource) -> Vec<ResourceType> {
    let RenderedResource { resolved, output } = rendered;
    let path = resolved.entry.unit.path.in_tree();
    let is_written = matches!(
        resolved.entry.kind,
        ResourceType::Agents | ResourceType::Commands | ResourceType::Skills
    );
    if !is_written {
        return Vec::new();
    }
    let is_skill = resolved.entry.kind == ResourceType::Skills;
    let authored = if is_skill { SKILL_FILE } else { path };
    let mut types = contained_types(authored, &resolved.resource.main.bytes);
    for file in &output.files {
        // The other files of a skill are read as text.
        if !is_skill || file.path.file_name() == SKILL_FILE {
            types.extend(contained_types(file.path.as_str(), &file.bytes));
        }
    }
    types
}

fn version(
    resolved: &ResolvedEntry,
    facts_of: &dyn Fn(&ResolvedEntry) -> VersionFacts,
) -> Option<JudgedVersion> {
    let commit = resolved.version.commit.clone()?;
    let label = resolved.version.label.clone();
    let is_branch = resolved
        .requirements
        .iter()
        .any(|requirement| follows_branch(requirement, &label));
    let VersionFacts { age, tags } = facts_of(resolved);
    Some(JudgedVersion {
        label,
        tags,
        commit: Some(commit),
        is_branch,
        age,
    })
}

/// The version of something with a separate pin, such as a layer.
pub fn judged_version(pin: &Pin, facts: VersionFacts) -> JudgedVersion {
    let mut requirements = pin.parsed_requirements();
    let VersionFacts { age, tags } = facts;
    JudgedVersion {
        label: pin.version.clone(),
        tags,
        commit: Some(pin.commit.clone()),
        is_branch: requirements.any(|requirement| follows_branch(&requirement, &pin.version)),
        age,
    }
}

/// The version of a remote of the catalog or of a marketplace: lists that are read but not installed.
pub fn judged_list(requirement: Option<&Requirement>, label: &VersionLabel) -> JudgedVersion {
    JudgedVersion {
        label: label.clone(),
        tags: Vec::new(),
        commit: None,
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
