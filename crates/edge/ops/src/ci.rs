//! `ci`: everything that a pipeline wants to know about a committed project, without writing to it.

use agpm_diag::{Failure, Notes, Outcome};
use agpm_inspect::{CheckName, Checks, CiReport, DriftFinding};
use agpm_plan::Ledger;
use agpm_resolve::{UpdateScope, add_locked_sources};
use agpm_store::{ProjectStore, TemporaryFolder};

use crate::install::{
    self, FrozenProject, InstallJob, InstallRequest, LockUse, Writing, check_frozen,
};
use crate::verify::{compare, uncached_source};
use agpm_project::gather::{ManifestFiles, Project};
use agpm_project::packages::read_lock;
use agpm_project::policy_cache::refresh_policies;
use agpm_project::world::World;

/// Whether files are restored before they are checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Restore {
    /// They are committed.
    Nothing,
    /// They are not: install them as locked first.
    Install,
}

/// Checks a project.
pub fn ci(world: &World, restore: Restore) -> Outcome<CiReport> {
    let mut notes = Notes::default();
    let result = run(world, restore, &mut notes);
    notes.outcome(result)
}

fn run(world: &World, restore: Restore, notes: &mut Notes) -> Result<CiReport, Failure> {
    let mut checks = Checks::new(&[
        CheckName::Manifest,
        CheckName::Lock,
        CheckName::Approval,
        CheckName::Policy,
        CheckName::Files,
    ]);
    let files = ManifestFiles::require(&world.environment)?;
    let store = files.store()?;
    // Nothing is written to a cache that is read-only, and what is missing in it goes with this run.
    let own_cache = missing_in_read_only_cache(world, &store)
        .then(TemporaryFolder::new)
        .transpose()?;
    let world = &match &own_cache {
        Some(folder) => world.with_cache(folder.path()),
        None => world.clone(),
    };
    if restore == Restore::Install {
        let restored = checks.run(CheckName::Approval, notes, |notes| {
            install::run(world, &restoring(), notes)
        });
        // The checks report warnings again.
        notes.diagnostics.retain(|_| restored.is_none());
        if restored.is_none() {
            let checks = checks.results();
            return Ok(CiReport {
                checks,
                compared: 0,
            });
        }
    }
    refresh_policies(world, notes)?;
    let files = ManifestFiles::require(&world.environment)?;
    let compared = match check_frozen(world, files, &mut checks, notes) {
        // A ledger proves nothing: a clone can bring one.
        Some(FrozenProject { lock, state }) => checks.run(CheckName::Files, notes, |notes| {
            let report = compare(&store, &lock, &Ledger::default(), state, notes)?;
            notes
                .diagnostics
                .extend(report.findings.iter().map(DriftFinding::diagnostic));
            Ok(report.checked)
        }),
        None => None,
    };
    Ok(CiReport {
        checks: checks.results(),
        compared: compared.unwrap_or_default(),
    })
}

/// Whether the cache cannot be written, and lacks something that is locked.
fn missing_in_read_only_cache(world: &World, store: &ProjectStore) -> bool {
    let cache = world.environment.source_context(store.path()).cache;
    if agpm_store::is_writable(&cache) {
        return false;
    }
    is_cached(world, store) != Some(true)
}

/// Whether everything that is locked is in the cache, if that can be known.
fn is_cached(world: &World, store: &ProjectStore) -> Option<bool> {
    let quiet = &mut Notes::default();
    let files = ManifestFiles::require(&world.environment).ok()?;
    let (lock, _) = read_lock(&world.environment, store, quiet).ok()??;
    let mut manifest = Project::of(world, files, quiet).ok()?.manifest;
    add_locked_sources(&mut manifest, &lock);
    Some(uncached_source(world, &manifest, &lock, store).is_none())
}

fn restoring() -> InstallJob<'static> {
    InstallJob {
        title: "ci --install".to_owned(),
        request: InstallRequest {
            lock: LockUse::Frozen,
            writing: Writing::Apply,
            ..InstallRequest::PLAIN
        },
        moving: UpdateScope::Nothing,
        manifest: None,
    }
}
