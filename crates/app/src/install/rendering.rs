//! Resolves the dependencies of a project, and renders them.

use std::collections::{BTreeMap, BTreeSet};

use crate::install::OpenRefusals;
use crate::install::run::{GatheredProject, InstallRun, RenderedProject, SharedPart};
use crate::project::outside::reads_outside;
use crate::project::packages::{
    ProjectSources, Resolution, VersionLimits, frozen, render_all, render_these, resolve,
};
use crate::project::pinning::PinningContext;
use agpm_compose::{
    ProjectCapabilities, ProjectTree, check_patched_names, place_blocks, refuse_markers,
};
use agpm_diag::{Failure, Notes};
use agpm_model::LockUse;
use agpm_model::outdated_lock;
use agpm_model::{LOCK_NAME, Lockfile, Manifest, ObservedPath, PatchScope, RelativePath};
use agpm_resolve::{ResolvedEntries, UpdateScope, check_locked_sources, pins};
use agpm_store::ProjectStore;

/// The resources of a project at their versions, with their sources.
pub(crate) struct ResolvedProject {
    pub(crate) entries: ResolvedEntries,
    pub(crate) sources: ProjectSources,
    /// Paths outside of the project that are read.
    pub(crate) reads: Vec<String>,
    /// The part that everyone has; `None` if it is everything.
    pub(crate) shared: Option<SharedPart>,
}

pub(crate) fn resolve_dependencies(
    run: &InstallRun<'_>,
    gathered: &mut GatheredProject,
    notes: &mut Notes,
) -> Result<ResolvedProject, Failure> {
    let InstallRun { world, store, job } = *run;
    let directory = world.environment.manifest_directory(store.path());
    let reads = reads_outside(&world.environment, &gathered.project, directory)?;
    let old = gathered.lock.as_ref().map(|(lock, _)| lock);
    let mut shared = None;
    let Resolution { entries, sources } = match (job.request.lock, old) {
        (LockUse::Frozen, None) => return Err(outdated_lock(format!("`{LOCK_NAME}` not found"))),
        (LockUse::Frozen, Some(lock)) => {
            let manifest = &gathered.project.manifest;
            let sources = ProjectSources::open_used(world, manifest, store.path());
            let entries = frozen::frozen_entries(manifest, &sources, lock, notes)?.into();
            Resolution { entries, sources }
        }
        (lock_use, old) => {
            if let (LockUse::Locked, Some(lock)) = (lock_use, old) {
                check_locked_sources(&gathered.project.manifest, lock)?;
            }
            if gathered.project.manifest.has_private_entries() {
                shared = Some(render_shared_part(run, gathered, notes)?);
            }
            let mut limits = version_limits(run, gathered, &gathered.project.manifest, old);
            if let Some(part) = &shared {
                // The shared part was resolved without the private one, which has to fit it.
                let catalog = old.map(|old| old.catalog.clone()).unwrap_or_default();
                let layers = part.layers.clone();
                let lock = gathered.lock_of_part(&part.manifest, &part.resources, layers, catalog);
                limits.held = pins(&part.manifest, &lock, &UpdateScope::Nothing);
                limits.pins.extend(limits.held.clone());
            }
            let manifest = &mut gathered.project.manifest;
            resolve(world, manifest, store.path(), limits, notes)?
        }
    };
    Ok(ResolvedProject {
        entries,
        sources,
        reads,
        shared,
    })
}

/// The pins that stay, and what policies say about versions.
fn version_limits(
    run: &InstallRun<'_>,
    gathered: &GatheredProject,
    manifest: &Manifest,
    old: Option<&Lockfile>,
) -> VersionLimits {
    let mut pins = old
        .map(|lock| pins(manifest, lock, &gathered.moving))
        .unwrap_or_default();
    pins.extend(run.job.exact.clone());
    let denials = gathered.policies.set().resource_denials();
    VersionLimits {
        pins,
        held: BTreeMap::new(),
        release: gathered.policies.release_limit(run.world),
        denied: denials.map(|denial| denial.pattern.clone()).collect(),
    }
}

/// Resolves and renders what everyone has as if one user added nothing: the shared lockfile must not show that. What it
/// finds is found again with the private part, unless it fails.
fn render_shared_part(
    run: &InstallRun<'_>,
    gathered: &GatheredProject,
    notes: &mut Notes,
) -> Result<SharedPart, Failure> {
    let mut own = Notes {
        sources: std::mem::take(&mut notes.sources),
        ..Notes::default()
    };
    let rendered = try_shared_part(run, gathered, &mut own);
    notes.sources = own.sources;
    if rendered.is_err() {
        notes.diagnostics.append(&mut own.diagnostics);
    }
    rendered
}

fn try_shared_part(
    run: &InstallRun<'_>,
    gathered: &GatheredProject,
    notes: &mut Notes,
) -> Result<SharedPart, Failure> {
    let InstallRun { world, store, job } = *run;
    let mut manifest = gathered.project.manifest.shared_part();
    let old = gathered.locks.shared.as_ref().map(|one| &one.lock);
    let limits = version_limits(run, gathered, &manifest, old);
    let resolved = resolve(world, &mut manifest, store.path(), limits, notes)?;
    let Resolution { entries, sources } = resolved;
    // Shared patches must have their resource in the shared part. Private ones may be for transitive resources of the
    // private part.
    let mut patched = manifest.clone();
    patched
        .patches
        .retain(|patch| patch.scope == PatchScope::Project);
    check_patched_names(&patched, &entries.entries, notes)?;
    notes.diagnostics.extend(entries.clashes);
    let mut rendered = render_these(&manifest, &sources, entries.entries, notes)?;
    place_blocks(&manifest, &mut rendered.resources, &StoredTree(store));
    let pinning = PinningContext {
        world,
        manifest: &manifest,
        sources: &sources,
        lock_use: job.request.lock,
        moving: &gathered.moving,
    };
    let layers = pinning.read_layers(old, notes)?.locked;
    Ok(SharedPart {
        resources: rendered.resources,
        layers,
        manifest,
    })
}

/// Pins the remotes of the catalog. Their rows are never installed, so nothing of them is rendered.
pub(crate) fn pin_catalog_remotes(
    run: &InstallRun<'_>,
    gathered: &GatheredProject,
    rendered: &mut RenderedProject,
    notes: &mut Notes,
) -> Result<(), Failure> {
    let pinning = PinningContext {
        world: run.world,
        manifest: &gathered.project.manifest,
        sources: &rendered.sources,
        lock_use: run.job.request.lock,
        moving: &gathered.moving,
    };
    let old = gathered.lock.as_ref().map(|(lock, _)| lock);
    rendered.catalog = pinning.pin_remotes(old, notes)?;
    Ok(())
}

/// The resources as they are locked, whatever the manifest requires: what else is wrong with them is worth a report.
pub(crate) fn resources_of_lock(
    run: &InstallRun<'_>,
    gathered: &GatheredProject,
) -> Option<ResolvedProject> {
    let InstallRun { world, store, .. } = *run;
    let manifest = &gathered.project.manifest;
    let (lock, _) = gathered.lock.as_ref()?;
    let sources = ProjectSources::open_all(world, manifest, store.path());
    let quiet = &mut Notes::default();
    let entries = frozen::as_locked(manifest, &sources, lock, quiet).ok()?;
    Some(ResolvedProject {
        entries: entries.into(),
        sources,
        reads: Vec::new(),
        shared: None,
    })
}

/// The project's directories and files for placing blocks. Symlinks are not followed, because agpm does not write
/// through them.
struct StoredTree<'s>(&'s ProjectStore);

impl ProjectTree for StoredTree<'_> {
    fn is_directory(&self, path: &RelativePath) -> bool {
        matches!(self.0.observe(path), Ok(ObservedPath::Directory))
    }

    fn is_file(&self, path: &RelativePath) -> bool {
        matches!(self.0.observe(path), Ok(ObservedPath::File(_)))
    }
}

/// The bytes of everything, and what they let tools do.
pub(crate) fn render(
    run: &InstallRun<'_>,
    gathered: &GatheredProject,
    resolved: ResolvedProject,
    notes: &mut Notes,
) -> Result<RenderedProject, Failure> {
    let InstallRun { world, store, job } = *run;
    let ResolvedProject {
        entries,
        sources,
        reads,
        shared,
    } = resolved;
    let manifest = &gathered.project.manifest;
    let old = gathered.lock.as_ref().map(|(lock, _)| lock);
    let mut rendered = render_all(manifest, &sources, entries, notes)?;
    // The file of a block depends on which directories exist. A frozen install keeps the paths of the lockfile, so a
    // clone with other empty directories gets the same files (ADR 16).
    if job.request.lock != LockUse::Frozen {
        place_blocks(manifest, &mut rendered.resources, &StoredTree(store));
    }
    let resources = &rendered.resources;
    refuse_markers(resources, notes)?;
    let pinning = PinningContext {
        world,
        manifest,
        sources: &sources,
        lock_use: job.request.lock,
        moving: &gathered.moving,
    };
    let mut layered = pinning.read_layers(old, notes)?;
    let of_layers = std::mem::take(&mut layered.capabilities);
    let mut base_files = BTreeSet::new();
    for base in &gathered.project.bases {
        base_files.insert(base.document.source());
    }
    let capabilities = ProjectCapabilities::of(manifest, resources, of_layers, &base_files);
    Ok(RenderedProject {
        rendered,
        layered,
        capabilities,
        catalog: Vec::new(),
        reads,
        sources,
        audit: Vec::new(),
        shared,
        open: OpenRefusals::default(),
    })
}
