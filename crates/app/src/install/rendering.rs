//! Resolves the dependencies of a project, and renders them.

use std::collections::BTreeSet;

use crate::install::OpenRefusals;
use crate::install::run::{GatheredProject, InstallRun, RenderedProject};
use crate::project::outside::reads_outside;
use crate::project::packages::{
    ProjectSources, Resolution, VersionLimits, frozen, render_all, resolve,
};
use crate::project::pinning::PinningContext;
use agpm_compose::{ProjectCapabilities, ProjectTree, place_blocks, refuse_markers};
use agpm_diag::{Failure, Notes};
use agpm_model::LockUse;
use agpm_model::outdated_lock;
use agpm_model::{LOCK_NAME, ObservedPath, RelativePath};
use agpm_resolve::{ResolvedEntries, check_locked_sources, pins};
use agpm_store::ProjectStore;

/// The resources of a project at their versions, with their sources.
pub(crate) struct ResolvedProject {
    pub(crate) entries: ResolvedEntries,
    pub(crate) sources: ProjectSources,
    /// Paths outside of the project that are read.
    pub(crate) reads: Vec<String>,
}

pub(crate) fn resolve_dependencies(
    run: &InstallRun<'_>,
    gathered: &mut GatheredProject,
    notes: &mut Notes,
) -> Result<ResolvedProject, Failure> {
    let InstallRun { world, store, job } = *run;
    let directory = world.environment.manifest_directory(store.path());
    let reads = reads_outside(&world.environment, &gathered.project, directory)?;
    let manifest = &mut gathered.project.manifest;
    let old = gathered.lock.as_ref().map(|(lock, _)| lock);
    let Resolution { entries, sources } = match (job.request.lock, old) {
        (LockUse::Frozen, None) => return Err(outdated_lock(format!("`{LOCK_NAME}` not found"))),
        (LockUse::Frozen, Some(lock)) => {
            let sources = ProjectSources::open_used(world, manifest, store.path());
            let entries = frozen::frozen_entries(manifest, &sources, lock, notes)?.into();
            Resolution { entries, sources }
        }
        (lock_use, old) => {
            if let (LockUse::Locked, Some(lock)) = (lock_use, old) {
                check_locked_sources(manifest, lock)?;
            }
            let mut pins = old
                .map(|lock| pins(manifest, lock, &gathered.moving))
                .unwrap_or_default();
            pins.extend(job.exact.clone());
            let release = gathered.policies.release_limit(world);
            let denials = gathered.policies.set().resource_denials();
            let limits = VersionLimits {
                pins,
                release,
                denied: denials.map(|denial| denial.pattern.clone()).collect(),
            };
            resolve(world, manifest, store.path(), limits, notes)?
        }
    };
    Ok(ResolvedProject {
        entries,
        sources,
        reads,
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
        open: OpenRefusals::default(),
    })
}
