//! `agpm sbom`: the bill of materials of a project, from its lockfile and the content that it describes.

mod component;
mod license;
mod package_url;

pub use component::{Requiring, SbomComponent, SbomReport};
pub use license::License;
pub use package_url::{download_location, package_url, repository_iri};

use std::collections::{BTreeMap, BTreeSet};

use agpm_compose::RenderedResource;
use agpm_diag::{Failure, Notes, Outcome};
use agpm_model::{
    Checksum, LOCK_NAME, LockedCapabilitySet, Lockfile, Manifest, Pin, ResourceId, Revision,
    SourceName, outdated_lock,
};
use agpm_resolve::{LockView, add_locked_sources, locked_roots};
use agpm_source::{FileFetching, Source, SourceEntryKind, SourceError};

use crate::install::LockedState;
use crate::project::gather::{ManifestFiles, Project};
use crate::project::packages::{ProjectSources, read_lock};
use crate::project::source_failure::source_failure;
use crate::project::world::World;

/// The arguments of `sbom`.
#[derive(Clone, Debug, Default)]
pub struct SbomRequest {
    /// The name of the project; its directory if none is given.
    pub name: Option<String>,
    /// The time of creation in seconds since 1970. The same project has the same document, so it is not now.
    pub created: u64,
}

/// Lists the parts of a project.
pub fn sbom(world: &World, request: &SbomRequest) -> Outcome<SbomReport> {
    let mut notes = Notes::default();
    let result = run(world, request, &mut notes);
    notes.outcome(result)
}

fn run(world: &World, request: &SbomRequest, notes: &mut Notes) -> Result<SbomReport, Failure> {
    let files = ManifestFiles::require(&world.environment)?;
    let store = files.store()?;
    let directory = agpm_store::real_path(files.directory());
    let lock = read_lock(&world.environment, &store, notes)?.map(|(lock, _)| lock);
    let mut manifest = Project::of(world, files, notes)?.manifest;
    let lock = match lock {
        Some(lock) => lock,
        None if manifest.dependencies.is_empty() && manifest.layers.is_empty() => {
            Lockfile::default()
        }
        None => return Err(outdated_lock(format!("`{LOCK_NAME}` not found"))),
    };
    add_locked_sources(&mut manifest, &lock);
    // A document about another state than the manifest's would be believed.
    locked_roots(&manifest, &lock, notes)?;
    let state = LockedState::read(world, &manifest, &lock, &store)?;
    let sources = ProjectSources::open_all(world, &manifest, store.path());
    let mut components = BTreeMap::new();
    add_sources(&manifest, &lock, &sources, &mut components)?;
    add_resources(&manifest, &lock, &state.resources, &mut components);
    add_others(&lock, &mut components);
    let components: Vec<SbomComponent> = components.into_values().collect();
    let name = request.name.clone().unwrap_or_else(|| {
        let name = directory.file_name();
        name.map_or("project".to_owned(), |name| {
            name.to_string_lossy().into_owned()
        })
    });
    let described = format!("{name}\0{}\0{components:?}", request.created);
    Ok(SbomReport {
        digest: Checksum::of(described.as_bytes()),
        created: request.created,
        components,
        name,
    })
}

/// The id of a source at a commit: resources of one source may be at several.
fn source_id(name: &str, commit: &Revision) -> String {
    format!("sources/{name}@{commit}")
}

/// The source of a pin, as a component.
fn source_of_pin(pin: &Pin) -> String {
    source_id(&pin.source.to_string(), &pin.commit)
}

fn add_sources(
    manifest: &Manifest,
    lock: &Lockfile,
    sources: &ProjectSources,
    components: &mut BTreeMap<String, SbomComponent>,
) -> Result<(), Failure> {
    for locked in lock.pins() {
        let pin = locked.pin;
        let id = source_of_pin(pin);
        if components.contains_key(&id) {
            continue;
        }
        let license = match pin.source.name() {
            Some(name) => license_of_source(sources, name, &pin.commit)?,
            None => None,
        };
        let component = SbomComponent {
            name: pin.source.to_string(),
            kind: "source".to_owned(),
            version: Some(pin.version.to_string()),
            commit: Some(pin.commit.clone()),
            url: crate::install::url_of(manifest, &pin.source),
            license,
            id: id.clone(),
            ..SbomComponent::default()
        };
        components.insert(id, component);
    }
    Ok(())
}

/// The license in the top directory of a source.
fn license_of_source(
    sources: &ProjectSources,
    name: &SourceName,
    commit: &Revision,
) -> Result<Option<License>, Failure> {
    let Some(source) = sources.versioned_source(name) else {
        return Ok(None);
    };
    let texts = read_licenses(source, commit).map_err(|error| source_failure(name, error))?;
    Ok(License::of_texts(&texts))
}

/// The license files in the top directory of a commit, in one request.
fn read_licenses(source: &dyn Source, commit: &Revision) -> Result<Vec<String>, SourceError> {
    if !source.has_revision(commit) {
        source.fetch(std::slice::from_ref(commit), FileFetching::OnDemand)?;
    }
    let mut entries = Vec::new();
    for name in license::FILE_NAMES {
        let entry = source.entry(Some(commit), name)?;
        entries.extend(entry.filter(|entry| matches!(entry.kind, SourceEntryKind::File(_))));
    }
    let wanted: Vec<_> = entries.iter().collect();
    source.fetch_files(&wanted)?;
    let texts = source.read(&wanted)?.into_iter();
    Ok(texts
        .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
        .collect())
}

fn add_resources(
    manifest: &Manifest,
    lock: &Lockfile,
    rendered: &[RenderedResource],
    components: &mut BTreeMap<String, SbomComponent>,
) {
    let mut licenses: BTreeMap<ResourceId, License> = BTreeMap::new();
    for resource in rendered {
        let resolved = &resource.resolved;
        if let Some(license) = License::of_resource(&resolved.resource) {
            licenses.insert(resolved.id(), license);
        }
    }
    let view = LockView::of(lock.clone(), manifest, Default::default());
    let roots: BTreeSet<usize> = view.roots.iter().copied().collect();
    for (number, entry) in view.entries.iter().enumerate() {
        let id = entry.id();
        let mut needs: Vec<String> = view.needs[number]
            .iter()
            .map(|need| view.entries[*need].label())
            .collect();
        let source = entry.pin.as_ref().map(source_of_pin);
        let of_source = source.as_ref().and_then(|source| components.get(source));
        let license = licenses
            .get(&id)
            .cloned()
            .or_else(|| of_source.and_then(|source| source.license.clone()));
        let url = of_source.and_then(|source| source.url.clone());
        needs.extend(source);
        needs.sort();
        needs.dedup();
        let component = SbomComponent {
            id: entry.label(),
            name: entry.name.to_string(),
            kind: entry.kind.singular().to_owned(),
            version: entry.version().map(ToString::to_string),
            commit: entry.commit().cloned(),
            url,
            path: Some(entry.unit.path.as_str().to_owned()),
            checksum: entry.checksum,
            license,
            requirement: entry.requirement().map(str::to_owned),
            tools: entry.tools().map(ToString::to_string).collect(),
            capabilities: listed(&entry.capabilities),
            needs,
            requiring: if roots.contains(&number) {
                Requiring::Manifest
            } else {
                Requiring::Components
            },
        };
        // Lockfiles of older programs may have an id twice, for different tools.
        components.entry(component.id.clone()).or_insert(component);
    }
}

fn add_others(lock: &Lockfile, components: &mut BTreeMap<String, SbomComponent>) {
    let mut others = Vec::new();
    for layer in &lock.layers {
        let component = SbomComponent {
            id: layer.name.label(),
            name: layer.name.to_string(),
            kind: "layer".to_owned(),
            checksum: Some(layer.checksum),
            capabilities: listed(&layer.capabilities),
            ..SbomComponent::default()
        };
        others.push(from_pin(component, layer.pin.as_ref(), components));
    }
    for base in &lock.bases {
        let name = base.name();
        let component = SbomComponent {
            id: name.label(),
            name: name.to_string(),
            kind: "base".to_owned(),
            checksum: Some(base.checksum),
            ..SbomComponent::default()
        };
        others.push(from_pin(component, base.pin.as_ref(), components));
    }
    for component in others {
        components.insert(component.id.clone(), component);
    }
}

/// A layer or a base with the version of its source; the manifest requires both.
fn from_pin(
    component: SbomComponent,
    pin: Option<&Pin>,
    components: &BTreeMap<String, SbomComponent>,
) -> SbomComponent {
    let source = pin.map(source_of_pin);
    let of_source = source.as_ref().and_then(|source| components.get(source));
    SbomComponent {
        version: pin.map(|pin| pin.version.to_string()),
        commit: pin.map(|pin| pin.commit.clone()),
        url: of_source.and_then(|source| source.url.clone()),
        license: of_source.and_then(|source| source.license.clone()),
        requirement: pin.and_then(|pin| pin.requirement.clone()),
        needs: source.into_iter().collect(),
        requiring: Requiring::Manifest,
        ..component
    }
}

fn listed(capabilities: &LockedCapabilitySet) -> Vec<String> {
    match capabilities {
        LockedCapabilitySet::Listed(list) => list.clone(),
        LockedCapabilitySet::None | LockedCapabilitySet::Digest(_) => Vec::new(),
    }
}
