//! Describes found resources as entries: files in place, and files of known sources.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use agpm_model::{MachineFiles, ResourceType};

use crate::entries::{ForeignVersion, ManifestEntry};
use crate::found::{FoundResource, ProjectSurvey};
use crate::git_metadata::clone_around;

/// A found resource with the entries that could describe it.
#[derive(Clone, Debug)]
pub struct AdoptionChoice {
    /// The file or directory.
    pub found: FoundResource,
    /// Its possible origins, best first. Only one with the same bytes may be written.
    pub origins: Vec<ManifestEntry>,
    /// The entry that always holds.
    pub in_place: ManifestEntry,
}

/// The possible entries of each found resource; `named` are entries of other managers.
pub fn adoption_choices(
    files: &dyn MachineFiles,
    project: &Path,
    survey: &ProjectSurvey,
    named: &[ManifestEntry],
) -> Vec<AdoptionChoice> {
    let mut names: BTreeMap<ResourceType, BTreeSet<String>> = BTreeMap::new();
    let mut choices = Vec::new();
    for found in &survey.resources {
        let taken = names.entry(found.kind).or_default();
        let name = free_name(taken, found);
        let from_lock = named.iter().filter(|one| names_resource(one, found));
        let mut origins: Vec<ManifestEntry> = from_lock
            .map(|one| ManifestEntry {
                name: name.clone(),
                ..one.clone()
            })
            .map(|one| one.for_only_tool(found.tool))
            .collect();
        origins.extend(entry_of_clone(files, project, found, &name));
        let in_place = ManifestEntry::in_place(found.kind, &name, &found.path, found.tool);
        choices.push(AdoptionChoice {
            found: found.clone(),
            origins,
            in_place,
        });
    }
    choices
}

/// Its own name, or one with that of its tool where two tools have one of the same name.
fn free_name(taken: &mut BTreeSet<String>, found: &FoundResource) -> String {
    let with_tool = format!("{}-{}", found.name, found.tool);
    let numbered = (2..).map(|number| format!("{with_tool}-{number}"));
    let names = [found.name.clone(), with_tool.clone()];
    let mut names = names.into_iter().chain(numbered);
    let name = names
        .find(|name| !taken.contains(name))
        .unwrap_or(with_tool);
    taken.insert(name.clone());
    name
}

/// Whether an entry of another manager is about a file: by type, and by the name of the file or directory.
fn names_resource(entry: &ManifestEntry, found: &FoundResource) -> bool {
    let path = entry.field("path").unwrap_or_default();
    let last = path.rsplit('/').next().unwrap_or_default();
    let file_name = found.path.rsplit('/').next().unwrap_or_default();
    entry.kind == found.kind
        && entry.source.is_some()
        && (entry.name == found.name || last == file_name)
}

fn entry_of_clone(
    files: &dyn MachineFiles,
    project: &Path,
    found: &FoundResource,
    name: &str,
) -> Option<ManifestEntry> {
    let clone = clone_around(files, project, &found.path)?;
    let inner = found.path.strip_prefix(&clone.directory)?;
    let inner = match inner.trim_start_matches('/') {
        "" => ".",
        inner => inner,
    };
    let version = ForeignVersion::Commit(clone.commit);
    let entry = ManifestEntry::of_source(found.kind, name, clone.address, inner, &version);
    Some(entry.for_only_tool(found.tool))
}
