//! `agpm list`: lists installed resources.

mod report;

pub use report::{
    AppliedPatches, ClientCount, DiskCheck, DiskState, LOCAL, ListDetail, ListReport, ListRequest,
    ListedEntries, ListedResource, MASKED, PatchedField, PathBase, no_resources,
};

use agpm_diag::{Diagnostic, Failure, Notes, Outcome, Severity, codes, counted};

use agpm_resolve::{LockView, add_locked_sources, lockfile_note, no_lockfile};

use crate::cost::CostReport;
use crate::install::LockedState;
use crate::list::report::check_tool;
use crate::project::gather::{ManifestFiles, Project};
use crate::project::locked::lock_view;
use crate::project::packages::{ProjectSources, frozen, read_lock, render_all};
use crate::project::world::{InstallScope, ManifestUse, World};
use crate::verify::{SourceUse, find_drift};

/// Lists resources.
pub fn list(world: &World, request: &ListRequest) -> Outcome<ListReport> {
    let mut notes = Notes::default();
    let result = run(world, request, &mut notes);
    notes.outcome(result)
}

/// Returns the characters that each tool spends on the names and descriptions of installed resources.
pub fn cost(world: &World, tool: Option<&str>) -> Outcome<CostReport> {
    let mut notes = Notes::default();
    let result = find_costs(world, tool, &mut notes);
    notes.outcome(result)
}

fn find_costs(world: &World, tool: Option<&str>, notes: &mut Notes) -> Result<CostReport, Failure> {
    let files = ManifestFiles::require(&world.environment)?;
    let store = files.store()?;
    let lock = read_lock(&world.environment, &store, notes)?;
    let mut manifest = Project::of(world, files, notes)?.manifest;
    let Some((lock, _)) = lock else {
        notes.diagnostics.push(no_lockfile());
        return Ok(CostReport::default());
    };
    if let Some(name) = tool {
        let view = LockView::of(lock.clone(), &manifest, store.path().to_owned());
        check_tool(&view, name)?;
    }
    add_locked_sources(&mut manifest, &lock);
    let state = LockedState::read(world, &manifest, &lock, &store)?;
    let mut report = CostReport::of(&manifest, &state.resources);
    if let Some(name) = tool {
        report.tools.retain(|cost| cost.tool.as_str() == name);
    }
    notes.diagnostics.extend(report.findings(Severity::Warning));
    Ok(report)
}

fn run(world: &World, request: &ListRequest, notes: &mut Notes) -> Result<ListReport, Failure> {
    // An invalid type is an error even without a project.
    request.resource_type()?;
    let view = lock_view(world, notes).map_err(|failure| with_user_resources(world, failure))?;
    let entries = ListedEntries::of(view, request)?;
    if notes.diagnostics.is_empty() {
        notes.diagnostics.extend(entries.nothing_found());
    }
    let disk = match request.disk {
        // Interrupted runs are reported by `verify`, not here.
        DiskCheck::Compare if !entries.is_empty() => Some(find_drift(
            world,
            SourceUse::RecordsOnly,
            &mut Notes::default(),
        )?),
        _ => None,
    };
    let patches = match request.detail {
        ListDetail::Locked => None,
        ListDetail::Patches if entries.has_patches() => Some(applied_patches(world, notes)),
        ListDetail::Patches => Some(AppliedPatches::new()),
    };
    let mut report = entries.report(disk.as_ref(), patches.as_ref());
    if world.environment.scope == InstallScope::User {
        report.base = PathBase::Home;
    }
    Ok(report)
}

/// Adds to the failure of a listing without a project how many resources the user installed for all projects.
fn with_user_resources(world: &World, mut failure: Failure) -> Failure {
    let is_missing = |found: &Diagnostic| *found.code == codes::MANIFEST_MISSING;
    if world.environment.scope == InstallScope::Project
        && let Some(found) = failure
            .diagnostic
            .as_mut()
            .filter(|found| is_missing(found))
        && let Some(count) = user_resources(world).filter(|count| *count > 0)
    {
        let are_installed = counted(count, "resource is", "resources are");
        let line = format!("{are_installed} installed for you: `agpm list -g`");
        found.details.push(line);
    }
    failure
}

/// The number of resources in the user's own lockfile, if it can be read.
fn user_resources(world: &World) -> Option<usize> {
    let mut world = world.clone();
    world.environment.scope = InstallScope::User;
    let files = ManifestFiles::find(&world.environment, ManifestUse::Nearest).ok()??;
    let store = files.store().ok()?;
    let lock = read_lock(&world.environment, &store, &mut Notes::default());
    lock.ok()?.map(|(lock, _)| lock.entries.len())
}

/// Renders the locked resources to find what patches change. Uses only the cache, because `list` must not fetch.
fn applied_patches(world: &World, notes: &mut Notes) -> AppliedPatches {
    render_locked(&world.offline()).unwrap_or_else(|failure| {
        let why = failure
            .diagnostic
            .map(|found| found.message)
            .unwrap_or_else(|| "see `agpm validate`".to_owned());
        let message = format!("old and new values are not known: {why}");
        notes.diagnostics.push(lockfile_note(message));
        AppliedPatches::new()
    })
}

fn render_locked(world: &World) -> Result<AppliedPatches, Failure> {
    let notes = &mut Notes::default();
    let files = ManifestFiles::require(&world.environment)?;
    let store = files.store()?;
    let mut project = Project::of(world, files, notes)?;
    let (lock, _) = read_lock(&world.environment, &store, notes)?.unwrap_or_default();
    add_locked_sources(&mut project.manifest, &lock);
    let sources = ProjectSources::open_used(world, &project.manifest, store.path());
    let entries = frozen::frozen_entries(&project.manifest, &sources, &lock, notes)?;
    let rendered = render_all(&project.manifest, &sources, entries.into(), notes)?;
    let fields = rendered
        .resources
        .into_iter()
        .map(|resource| (resource.resolved.label(), resource.output.patched));
    Ok(fields.collect())
}
