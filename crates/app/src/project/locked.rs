//! Reads the lockfile for commands that only show it.

use agpm_diag::{Diagnostic, Failure, FailureKind, Notes, Severity};
use agpm_model::Lockfile;
use agpm_resolve::{DeclaredRequirements, no_lockfile};

use crate::project::gather::{ManifestFiles, Project};
use crate::project::packages::{ProjectSources, frozen, read_lock};
use crate::project::world::World;

use agpm_resolve::LockView;

/// Reads manifest and lockfile. A missing lockfile is reported, and the view is empty.
pub(crate) fn lock_view(world: &World, notes: &mut Notes) -> Result<LockView, Failure> {
    let environment = &world.environment;
    let files = ManifestFiles::require(environment)?;
    let store = files.store()?;
    let root = files.root().to_owned();
    let manifest = match Project::of(&world.offline(), files, notes) {
        Ok(project) => project.manifest,
        // Nothing is fetched to show what is locked.
        Err(failure) if failure.kind == FailureKind::Network => {
            notes
                .diagnostics
                .extend(failure.diagnostic.map(not_fetched));
            let lock = read_lock(environment, &store, notes)?;
            let lock = lock.map(|(lock, _)| lock).unwrap_or_default();
            return Ok(LockView::without_manifest(lock, root));
        }
        Err(failure) => return Err(failure),
    };
    let lock = match read_lock(environment, &store, notes)? {
        Some((lock, _)) => lock,
        None => {
            if !manifest.dependencies.is_empty() || !manifest.layers.is_empty() {
                notes.diagnostics.push(no_lockfile());
            }
            Lockfile::default()
        }
    };
    let view = LockView::of(lock, &manifest, root);
    view.note_unlocked(&manifest, notes);
    Ok(view)
}

/// The requirements that locked resources state for each other, from what is in the cache.
pub(crate) fn locked_requirements(world: &World) -> Result<DeclaredRequirements, Failure> {
    let files = ManifestFiles::require(&world.environment)?;
    let store = files.store()?;
    let quiet = &mut Notes::default();
    let project = Project::of(world, files, quiet)?;
    let Some((lock, _)) = read_lock(&world.environment, &store, quiet)? else {
        return Ok(DeclaredRequirements::default());
    };
    let sources = ProjectSources::open_all(world, &project.manifest, store.path());
    let entries = frozen::as_locked(&project.manifest, &sources, &lock, quiet)?;
    Ok(DeclaredRequirements::of(&entries))
}

/// A base that is not in the cache leaves the lockfile alone to say what is installed.
fn not_fetched(mut found: Diagnostic) -> Diagnostic {
    found.severity = Severity::Warning;
    found.help("run `agpm install` to fetch it; only the lockfile was read")
}
