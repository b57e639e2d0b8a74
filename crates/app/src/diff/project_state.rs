//! One side of a comparison: manifest, lockfile, and the content that they describe, without the disk.

use std::collections::BTreeMap;

use agpm_compose::{RenderedResource, capability_sets};
use agpm_diag::{Failure, Notes};
use agpm_layers::LayeredFile;
use agpm_model::{FileMode, Lockfile, Manifest, Owner, RelativePath};
use agpm_plan::{
    FileOutcome, Ledger, Observation, OverwriteRule, Plan, PlanError, PlannedChange, plan,
};
use agpm_resolve::{EarlierCapabilities, LockedCapabilities, add_locked_sources};
use agpm_store::parallel;
use agpm_trust::CapabilitySet;

use crate::install::LockedState;
use crate::project::gather::{ManifestFiles, Project};
use crate::project::layers::layer_capabilities_of_lock;
use crate::project::packages::{ProjectSources, read_lock};
use crate::project::world::World;

/// A project as its manifest and lockfile describe it.
pub(super) struct ProjectState {
    pub(super) manifest: Manifest,
    pub(super) lock: Lockfile,
    /// The content; `None` if it cannot be read.
    pub(super) content: Option<ProjectContent>,
}

/// What a lockfile puts on the disk, and what it lets tools do.
#[derive(Default)]
pub(super) struct ProjectContent {
    pub(super) resources: Vec<RenderedResource>,
    pub(super) layers: Vec<LayeredFile>,
    pub(super) capabilities: BTreeMap<Owner, CapabilitySet>,
    pub(super) files: BTreeMap<RelativePath, ProjectFile>,
    pub(super) changes: Vec<PlannedChange>,
    /// Why the layers are not in it.
    pub(super) layer_failure: Option<Failure>,
}

/// A file that an install writes.
pub(super) struct ProjectFile {
    pub(super) bytes: Vec<u8>,
    pub(super) mode: FileMode,
    pub(super) owners: Vec<Owner>,
}

/// The manifest and lockfile of a project.
pub(super) struct LockedProject {
    pub(super) manifest: Manifest,
    pub(super) lock: Option<Lockfile>,
}

/// Reads manifest and lockfile.
pub(super) fn read_project(world: &World, notes: &mut Notes) -> Result<LockedProject, Failure> {
    let files = ManifestFiles::require(&world.environment)?;
    let store = files.store()?;
    let lock = read_lock(&world.environment, &store, notes)?.map(|(lock, _)| lock);
    let mut manifest = Project::of(world, files, notes)?.manifest;
    if let Some(lock) = &lock {
        add_locked_sources(&mut manifest, lock);
    }
    Ok(LockedProject { manifest, lock })
}

/// Renders what the lockfile describes.
pub(super) fn read_content(
    world: &World,
    manifest: &Manifest,
    lock: &Lockfile,
) -> Result<ProjectContent, Failure> {
    let files = ManifestFiles::require(&world.environment)?;
    let store = files.store()?;
    let mut state = LockedState::read(world, manifest, lock, &store)?;
    let layer_failure = state.layer_failure.take();
    let resources = capability_sets(&state.resources).into_iter();
    let mut capabilities: BTreeMap<Owner, CapabilitySet> =
        resources.map(|(id, set)| (Owner::from(id), set)).collect();
    if !lock.layers.is_empty() && layer_failure.is_none() {
        let sources = ProjectSources::open_all(world, manifest, store.path());
        let sets = layer_capabilities_of_lock(world, manifest, &sources, lock)?;
        let sets = sets.into_iter();
        capabilities.extend(sets.map(|(name, set)| (Owner::layer(&name), set)));
    }
    let desired = state.desired(&store)?;
    // Nothing is on the disk and nothing is recorded, so the plan creates each file as agpm alone would write it.
    let planned = plan(
        &desired,
        &Observation::default(),
        &Ledger::default(),
        OverwriteRule::Everything,
        &|paths, plan_one| parallel::map(paths, plan_one),
    );
    let planned = planned.map_err(|error| match error {
        PlanError::Clash(diagnostic) => Failure::from(*diagnostic),
        PlanError::Unreadable(_) => Failure::reported(),
    })?;
    drop(desired);
    Ok(ProjectContent {
        files: planned_files(&planned),
        capabilities,
        changes: planned.changes,
        resources: state.resources,
        layers: state.layers,
        layer_failure,
    })
}

fn planned_files(planned: &Plan) -> BTreeMap<RelativePath, ProjectFile> {
    let mut files: BTreeMap<RelativePath, ProjectFile> = BTreeMap::new();
    for change in &planned.shared {
        if let FileOutcome::Write(text) = &change.outcome {
            let file = ProjectFile {
                bytes: text.clone().into_bytes(),
                mode: change.mode,
                owners: Vec::new(),
            };
            files.insert(change.path.clone(), file);
        }
    }
    for change in &planned.changes {
        if !files.contains_key(&change.path)
            && let Some(content) = &change.content
        {
            let file = ProjectFile {
                bytes: content.bytes.to_vec(),
                mode: content.mode,
                owners: Vec::new(),
            };
            files.insert(change.path.clone(), file);
        }
        if let Some(file) = files.get_mut(&change.path)
            && !file.owners.contains(&change.owner)
        {
            file.owners.push(change.owner.clone());
        }
    }
    files
}

impl ProjectState {
    /// A project that installs nothing.
    pub(super) fn empty(manifest: Manifest) -> Self {
        ProjectState {
            manifest,
            lock: Lockfile::default(),
            content: Some(ProjectContent::default()),
        }
    }

    /// The capabilities of an id; `None` if the lockfile does not have it, or if nothing has them.
    pub(super) fn capabilities(&self, id: &Owner) -> Option<CapabilitySet> {
        let of_content = self.content.as_ref();
        let of_content = of_content.and_then(|content| content.capabilities.get(id));
        if let Some(set) = of_content {
            return Some(set.clone());
        }
        match LockedCapabilities::of(Some(&self.lock)).state(id) {
            EarlierCapabilities::Known(set) => Some(*set),
            EarlierCapabilities::New | EarlierCapabilities::Unlisted => None,
        }
    }
}
