//! `validate`: every check that can be made without writing.

use std::collections::BTreeSet;
use std::path::Path;

use agpm_compose::check_patched_names;
use agpm_diag::{Diagnostic, Failure, FailureKind, Notes, Outcome, Span, WarningPolicy, codes};
use agpm_model::{LockedLayer, Lockfile, Manifest, ResourceExtent, ResourceOrigin, SKILL_FILE};
use agpm_plan::outdated_lock;
use agpm_render::file_links;
use agpm_resolve::{UpdateScope, add_locked_sources, pins, report_moved_tags};
use agpm_store::ProjectStore;
use serde::Serialize;

use crate::approve::note_unapproved;
use crate::catalog::{ask_remotes, remotes_as_locked};
use crate::gather::{ManifestFiles, Project};
use crate::layers::{fold_all, missing_folders, snapshots};
use crate::outside::reads_outside;
use crate::packages::{
    Resolution, Sources, VersionLimits, bind_plugins, frozen, read_lock, render_all, resolve,
    versions_of,
};
use crate::world::World;
use agpm_layers::{LayerLock, LayerPinning, layers_as_locked, missing_layer};
use agpm_model::LOCK_NAME;

/// A check that is made on request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValidateCheck {
    /// Every dependency resolves.
    Resolve,
    /// Every source answers.
    Sources,
    /// Every local file is there.
    Paths,
    /// Every template renders.
    Render,
    /// The lockfile says what the manifest asks for.
    Lock,
}

/// What to check.
#[derive(Clone, Debug)]
pub struct ValidateRequest {
    /// Besides the manifest itself.
    pub checks: Vec<ValidateCheck>,
    /// What warnings are.
    pub warnings: WarningPolicy,
}

/// What was checked; the findings are the diagnostics.
#[derive(Clone, Debug, Serialize)]
pub struct ValidateReport {
    /// How many dependencies the manifest has.
    pub dependencies: usize,
    /// How many sources.
    pub sources: usize,
    /// Paths outside of the project that the manifest reads, as they are written.
    pub reads: Vec<String>,
    /// The gravest failure of a check.
    #[serde(skip)]
    pub failure: Option<FailureKind>,
}

/// Checks a project.
pub fn validate(world: &World, request: &ValidateRequest) -> Outcome<ValidateReport> {
    let mut notes = Notes::default();
    let result = run(world, request, &mut notes);
    let result = result.or_else(|failure| {
        // What is wrong is the result.
        notes.diagnostics.extend(failure.diagnostic);
        let failure = Some(failure.kind);
        Ok(ValidateReport {
            dependencies: 0,
            sources: 0,
            reads: Vec::new(),
            failure,
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
    notes.diagnostics.extend(missing_folders(
        &world.environment,
        manifest,
        world.environment.manifest_folder(store.path()),
    ));
    let reads = reads_outside(
        &world.environment,
        &project,
        world.environment.manifest_folder(store.path()),
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
                resolves(world, &mut manifest.clone(), &store, notes).map(drop)
            }
            ValidateCheck::Render => renders(world, &mut manifest.clone(), &store, notes),
            ValidateCheck::Sources => answer(world, manifest, &store, notes),
            ValidateCheck::Paths => are_there(manifest, project.folder.as_deref(), notes),
            ValidateCheck::Lock => is_current(world, manifest, &store, notes),
        };
        if let Err(found) = result {
            // Checks overlap: what was said once is enough.
            notes.diagnostics.extend(
                found
                    .diagnostic
                    .filter(|one| !notes.diagnostics.contains(one)),
            );
            failure = failure.or(Some(found.kind));
        }
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
    bind_plugins(world, manifest, store.path(), &UpdateScope::Nothing)?;
    let sources = Sources::open(world, manifest, store.path());
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
    check_patched_names(manifest, &resolved.entries, notes)?;
    folds(world, manifest, &resolved.sources, &lock, notes)?;
    Ok(resolved)
}

/// Reads and folds the layers as an install would.
fn folds(
    world: &World,
    manifest: &Manifest,
    sources: &Sources,
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
    // Folders that are not there were told before.
    let is_new = |found: &Diagnostic| !notes.diagnostics.contains(found);
    let found: Vec<Diagnostic> = own.diagnostics.into_iter().filter(is_new).collect();
    notes.diagnostics.extend(found);
    folded.map(drop)
}

/// Makes everything as an install would, and follows the links of what templates gave.
fn renders(
    world: &World,
    manifest: &mut Manifest,
    store: &ProjectStore,
    notes: &mut Notes,
) -> Result<(), Failure> {
    let Resolution { entries, sources } = resolves(world, manifest, store, notes)?;
    let rendered = render_all(manifest, &sources, entries, notes)?;
    let files = || rendered.resources.iter().flat_map(|one| &one.output.files);
    let planned: BTreeSet<&str> = files().map(|file| file.path.as_str()).collect();
    for file in files().filter(|file| file.is_filled()) {
        let Ok(text) = std::str::from_utf8(file.bytes.get()) else {
            continue;
        };
        let folder = file
            .path
            .as_str()
            .rsplit_once('/')
            .map_or("", |(folder, _)| folder);
        let is_there = |path: &str| {
            let beside = joined(folder, path);
            [joined("", path), beside].iter().flatten().any(|path| {
                planned.contains(path.as_str()) || agpm_store::exists(&store.path().join(path))
            })
        };
        let mut source = None;
        for link in file_links(text)
            .into_iter()
            .filter(|link| !is_there(&link.path))
        {
            let source = *source
                .get_or_insert_with(|| notes.sources.add(file.path.to_string(), text.to_owned()));
            let message = format!(
                "`{}` links to `{}`, which is not there",
                file.path, link.path
            );
            notes.diagnostics.push(
                Diagnostic::new(&codes::RESOURCE_REFERENCE, message)
                    .at(source, Span::new(link.range.start, link.range.end), "")
                    .help("correct the link or the variable, or add the file; links start at the project or at the file"),
            );
        }
    }
    notes.check()
}

/// A path from a folder of the project; nothing if it leads out of the project.
fn joined(folder: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// Asks every source for its refs; one that fails does not keep the others from being asked.
fn answer(
    world: &World,
    manifest: &Manifest,
    store: &ProjectStore,
    notes: &mut Notes,
) -> Result<(), Failure> {
    let sources = Sources::open_all(world, manifest, store.path());
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
    gravest.map_or(Ok(()), |kind| {
        Err(Failure {
            kind,
            diagnostic: None,
        })
    })
}

fn are_there(manifest: &Manifest, folder: Option<&Path>, notes: &mut Notes) -> Result<(), Failure> {
    let folder = folder.unwrap_or(Path::new("."));
    for dependency in &manifest.dependencies {
        let unit = &dependency.unit;
        if unit.origin != ResourceOrigin::Local {
            continue;
        }
        let at = |path: &str| folder.join(path);
        let (is_found, what) = match unit.extent {
            ResourceExtent::File => (agpm_store::is_file(&at(unit.path.as_str())), "file"),
            ResourceExtent::Folder => (
                agpm_store::is_file(&at(&unit.path.join(SKILL_FILE))),
                "skill",
            ),
            ResourceExtent::Plugin => (agpm_store::is_folder(&at(unit.path.as_str())), "plugin"),
        };
        if !unit.path.is_pattern() && !is_found {
            let message = format!("there is no {what} `{}`", unit.path);
            let found =
                Diagnostic::new(&codes::PACKAGE_NOT_FOUND, message).at_spot(dependency.spot);
            notes
                .diagnostics
                .push(found.help("paths start at the manifest's folder"));
        }
    }
    notes.check()
}

/// Whether the lockfile says what the manifest asks for; asks no source.
pub(crate) fn is_current(
    world: &World,
    manifest: &Manifest,
    store: &ProjectStore,
    notes: &mut Notes,
) -> Result<(), Failure> {
    let Some((lock, _)) = read_lock(&world.environment, store, notes)? else {
        return Err(stale(outdated_lock(format!("there is no `{LOCK_NAME}`"))));
    };
    frozen::roots(manifest, &lock).map_err(stale)?;
    let sources = Sources::open(world, manifest, store.path());
    layers_as_locked(manifest, &lock, |name| sources.versioned(name).is_some()).map_err(stale)?;
    remotes_as_locked(manifest, &sources, &lock).map_err(stale)?;
    let pinning = LayerPinning::of(manifest, Some(&lock), &UpdateScope::Nothing);
    let pinning = pinning.used_as(LayerLock::AloneForFolders);
    let folders =
        snapshots(world, manifest, &sources, &pinning, &mut Notes::default()).map_err(stale)?;
    let is_there = |locked: &&LockedLayer| {
        folders
            .iter()
            .any(|folder| folder.layer.name == locked.name)
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

/// The same finding, with the way out that this command has.
fn stale(mut failure: Failure) -> Failure {
    if let Some(found) = &mut failure.diagnostic {
        found.help = Some("run `agpm install`, and commit `agpm.lock`".to_owned());
    }
    failure
}
