//! `validate`: makes all checks that need no writing.

mod report;

pub use report::{
    LocalContent, LocalForm, ValidateCheck, ValidateReport, ValidateRequest, report_broken_links,
    stale_lockfile,
};

use std::path::Path;

use agpm_compose::check_patched_names;
use agpm_diag::{Diagnostic, Failure, Notes, Outcome, WarningPolicy, codes};

use agpm_model::outdated_lock;
use agpm_model::{LockedLayer, Lockfile, Manifest, ResourceOrigin, ResourceType};
use agpm_resolve::{UpdateScope, add_locked_sources, pins, report_moved_tags};
use agpm_store::ProjectStore;

use crate::catalog::{ask_remotes, remotes_as_locked};
use crate::project::gather::{ManifestFiles, Project};
use crate::project::layers::{fold_all, missing_directories, snapshots};
use crate::project::outside::reads_outside;
use crate::project::packages::{
    ProjectSources, Resolution, VersionLimits, bind_plugins, read_lock, render_all, resolve,
    versions_of,
};
use crate::project::permits::note_unapproved;
use crate::project::world::World;
use agpm_layers::{LayerLock, LayerPinning, layers_as_locked, missing_layer};
use agpm_model::LOCK_NAME;

/// Checks a project.
pub fn validate(world: &World, request: &ValidateRequest) -> Outcome<ValidateReport> {
    let mut notes = Notes::default();
    let result = run(world, request, &mut notes);
    let result = result.or_else(|failure| {
        // A failed check is a result of `validate`, not a failure of the command.
        notes.diagnostics.extend(failure.diagnostic);
        let failure = Some(failure.kind);
        Ok(ValidateReport {
            failure,
            ..ValidateReport::default()
        })
    });
    if request.warnings == WarningPolicy::Stop {
        notes.warnings_are_errors();
    }
    notes.outcome(result)
}

fn run(
    world: &World,
    request: &ValidateRequest,
    notes: &mut Notes,
) -> Result<ValidateReport, Failure> {
    let files = ManifestFiles::require(&world.environment)?;
    let store = files.store()?;
    let project = Project::of(world, files, notes)?;
    let manifest = &project.manifest;
    notes.diagnostics.extend(missing_directories(
        &world.environment,
        manifest,
        world.environment.manifest_directory(store.path()),
    ));
    let reads = reads_outside(
        &world.environment,
        &project,
        world.environment.manifest_directory(store.path()),
    )?;
    if !request.checks.contains(&ValidateCheck::Resolve)
        && !request.checks.contains(&ValidateCheck::Render)
    {
        note_unapproved(&world.environment, manifest, notes);
    }
    let mut failure = None;
    for check in &request.checks {
        let result = match check {
            ValidateCheck::Resolve => {
                let resolved = resolves(world, &mut manifest.clone(), &store, notes);
                resolved.and_then(|resolved| {
                    notes.diagnostics.extend(resolved.entries.clashes);
                    notes.check()
                })
            }
            ValidateCheck::Render => renders(world, &mut manifest.clone(), &store, notes),
            ValidateCheck::Sources => request_all_versions(world, manifest, &store, notes),
            ValidateCheck::Paths => have_files(manifest, project.directory.as_deref(), notes),
            ValidateCheck::Lock => is_current(world, manifest, &store, notes),
        };
        if let Err(found) = result {
            // Checks overlap, so a finding may already be reported.
            notes.diagnostics.extend(
                found
                    .diagnostic
                    .filter(|finding| !notes.diagnostics.contains(finding)),
            );
            failure = failure.or(Some(found.kind));
        }
    }
    if request.warnings == WarningPolicy::Stop && !request.checks.contains(&ValidateCheck::Render) {
        check_local_skills(world, manifest, &store, notes);
    }
    let (dependencies, sources) = (manifest.dependencies.len(), manifest.sources.len());
    Ok(ValidateReport {
        dependencies,
        sources,
        reads,
        failure,
    })
}

fn resolves(
    world: &World,
    manifest: &mut Manifest,
    store: &ProjectStore,
    notes: &mut Notes,
) -> Result<Resolution, Failure> {
    let lock = read_lock(&world.environment, store, notes)?
        .map(|(lock, _)| lock)
        .unwrap_or_default();
    add_locked_sources(manifest, &lock);
    bind_plugins(world, manifest, store.path(), &UpdateScope::Nothing, notes)?;
    let sources = ProjectSources::open_used(world, manifest, store.path());
    for (name, _) in sources.iter() {
        if let Some(refs) = versions_of(&sources, name)? {
            report_moved_tags(&lock, name, &refs, notes);
        }
    }
    let pins = pins(manifest, &lock, &UpdateScope::Nothing);
    let limits = VersionLimits {
        pins,
        ..VersionLimits::default()
    };
    let resolved = resolve(world, manifest, store.path(), limits, notes)?;
    check_patched_names(manifest, &resolved.entries.entries, notes)?;
    folds(world, manifest, &resolved.sources, &lock, notes)?;
    Ok(resolved)
}

/// Reads and merges the layers as an install would.
fn folds(
    world: &World,
    manifest: &Manifest,
    sources: &ProjectSources,
    lock: &Lockfile,
    notes: &mut Notes,
) -> Result<(), Failure> {
    let pinning = LayerPinning::of(manifest, Some(lock), &UpdateScope::Nothing);
    let mut own = Notes {
        sources: std::mem::take(&mut notes.sources),
        ..Notes::default()
    };
    let folded = snapshots(world, manifest, sources, &pinning, &mut own)
        .and_then(|snapshots| fold_all(world, manifest, snapshots, &mut own));
    notes.sources = own.sources;
    // Missing directories are already reported by `missing_directorys`.
    let is_new = |found: &Diagnostic| !notes.diagnostics.contains(found);
    let found: Vec<Diagnostic> = own.diagnostics.into_iter().filter(is_new).collect();
    notes.diagnostics.extend(found);
    folded.map(drop)
}

/// Reports what the standard does not allow in the skills of the project itself; the other checks would read sources.
fn check_local_skills(world: &World, manifest: &Manifest, store: &ProjectStore, notes: &mut Notes) {
    let mut local = manifest.clone();
    local.layers.clear();
    local
        .dependencies
        .retain(|one| one.kind == ResourceType::Skills && one.unit.origin == ResourceOrigin::Local);
    let mut own = Notes {
        sources: std::mem::take(&mut notes.sources),
        ..Notes::default()
    };
    let resolved = resolve(
        world,
        &mut local,
        store.path(),
        VersionLimits::default(),
        &mut own,
    );
    // Skills that cannot be read are findings of other checks.
    let _ = resolved.and_then(|found| render_all(&local, &found.sources, found.entries, &mut own));
    notes.sources = own.sources;
    let skill_codes = [
        &codes::SKILL_DESCRIPTION,
        &codes::SKILL_FIELD,
        &codes::SKILL_NAME,
        &codes::RESOURCE_FRONT_MATTER,
    ];
    let found = own.diagnostics.into_iter();
    let found = found.filter(|one| skill_codes.contains(&one.code));
    notes.diagnostics.extend(found);
}

/// Renders everything as an install would, and checks the links in the rendered Markdown.
fn renders(
    world: &World,
    manifest: &mut Manifest,
    store: &ProjectStore,
    notes: &mut Notes,
) -> Result<(), Failure> {
    let Resolution { entries, sources } = resolves(world, manifest, store, notes)?;
    let rendered = render_all(manifest, &sources, entries, notes)?;
    let exists = |path: &str| agpm_store::exists(&store.path().join(path));
    report_broken_links(&rendered.resources, exists, notes);
    notes.check()
}

/// Requests the versions of every source; a source that fails does not stop the others.
fn request_all_versions(
    world: &World,
    manifest: &Manifest,
    store: &ProjectStore,
    notes: &mut Notes,
) -> Result<(), Failure> {
    let sources = ProjectSources::open_all(world, manifest, store.path());
    let lock = read_lock(&world.environment, store, notes)?
        .map(|(lock, _)| lock)
        .unwrap_or_default();
    let mut gravest = None;
    for source in &manifest.sources {
        let refs = versions_of(&sources, &source.name);
        if let Ok(Some(refs)) = &refs {
            report_moved_tags(&lock, &source.name, refs, notes);
        }
        if let Err(failure) = refs {
            notes
                .diagnostics
                .extend(failure.diagnostic.map(|found| found.at_spot(source.spot)));
            gravest = Some(failure.kind);
        }
    }
    gravest = ask_remotes(manifest, &sources, notes).or(gravest);
    gravest.map_or(Ok(()), |kind| Err(Failure::reported_as(kind)))
}

fn have_files(
    manifest: &Manifest,
    directory: Option<&Path>,
    notes: &mut Notes,
) -> Result<(), Failure> {
    let directory = directory.unwrap_or(Path::new("."));
    let local = manifest.dependencies.iter().filter_map(LocalContent::of);
    let is_missing = |content: &LocalContent<'_>| match content.form {
        LocalForm::File => !agpm_store::is_file(&directory.join(&content.path)),
        LocalForm::Directory => !agpm_store::is_directory(&directory.join(&content.path)),
    };
    let missing = local.filter(is_missing);
    notes
        .diagnostics
        .extend(missing.map(|content| content.missing()));
    notes.check()
}

/// Fails if the lockfile does not match the manifest. Contacts no source.
pub(crate) fn is_current(
    world: &World,
    manifest: &Manifest,
    store: &ProjectStore,
    notes: &mut Notes,
) -> Result<(), Failure> {
    let Some((lock, _)) = read_lock(&world.environment, store, notes)? else {
        return Err(stale_lockfile(outdated_lock(format!("no `{LOCK_NAME}`"))));
    };
    let mut differences = Notes::default();
    if let Err(failure) = agpm_resolve::locked_roots(manifest, &lock, &mut differences) {
        let found = differences.diagnostics.into_iter();
        let mut stale = found.map(|one| stale_lockfile(Failure::new(failure.kind, one)));
        let first = stale.next();
        notes
            .diagnostics
            .extend(stale.filter_map(|failure| failure.diagnostic));
        return Err(first.unwrap_or(failure));
    }
    let sources = ProjectSources::open_used(world, manifest, store.path());
    layers_as_locked(manifest, &lock, |name| {
        sources.versioned_source(name).is_some()
    })
    .map_err(stale_lockfile)?;
    remotes_as_locked(manifest, &sources, &lock).map_err(stale_lockfile)?;
    let pinning = LayerPinning::of(manifest, Some(&lock), &UpdateScope::Nothing);
    let pinning = pinning.used_as(LayerLock::AloneForFolders);
    let snapshots = snapshots(world, manifest, &sources, &pinning, &mut Notes::default())
        .map_err(stale_lockfile)?;
    let is_there = |locked: &&LockedLayer| {
        snapshots
            .iter()
            .any(|snapshot| snapshot.layer.name == locked.name)
    };
    match lock
        .layers
        .iter()
        .filter(|locked| locked.pin.is_none())
        .find(|locked| !is_there(locked))
    {
        Some(gone) => Err(missing_layer(gone)),
        None => Ok(()),
    }
}
