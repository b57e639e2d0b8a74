//! `ci`: checks a committed project for a pipeline, without changing it.

mod checks;
mod frozen_checks;
mod manifests;

pub use checks::{
    CheckCause, CheckName, CheckOutcome, CheckResult, Checks, CiReport, ProjectChecks,
    RecursiveCiReport,
};

use std::collections::BTreeMap;

use agpm_diag::{Diagnostic, Failure, Notes, Outcome};

use crate::drift::DriftFinding;
use agpm_plan::Ledger;
use agpm_resolve::{UpdateScope, add_locked_sources};
use agpm_store::{ProjectStore, TemporaryDirectory};

use crate::ci::frozen_checks::{FrozenProject, check_frozen};
pub(crate) use crate::ci::manifests::manifests_below;
use crate::ignored_hooks::locked_hooks;
use crate::install;
use crate::install::{InstallJob, InstallRequest};
use crate::project::gather::{ManifestFiles, Project};
use crate::project::packages::read_lock;
use crate::project::policy_cache::refresh_policies;
use crate::project::world::World;
use crate::project::write_mode::WriteMode;
use crate::verify::{compare, uncached_source};
use agpm_model::LockUse;

/// Whether files are installed before they are checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Restore {
    /// The installed files are committed; check them as they are.
    Nothing,
    /// The installed files are not committed; install the locked versions first.
    Install,
}

/// The checks, in the order of the report.
const CHECKS: [CheckName; 6] = [
    CheckName::Manifest,
    CheckName::Lock,
    CheckName::Approval,
    CheckName::Policy,
    CheckName::Audit,
    CheckName::Files,
];

/// Runs all checks on a project.
pub fn ci(world: &World, restore: Restore) -> Outcome<CiReport> {
    let mut notes = Notes::default();
    let result = run(world, restore, &mut notes);
    notes.outcome(result)
}

/// Runs all checks on every project in the working directory.
pub fn ci_recursive(world: &World, restore: Restore) -> Outcome<RecursiveCiReport> {
    let mut notes = Notes::default();
    let result = run_all(world, restore, &mut notes);
    notes.outcome(result)
}

fn run_all(
    world: &World,
    restore: Restore,
    notes: &mut Notes,
) -> Result<RecursiveCiReport, Failure> {
    let mut projects = Vec::new();
    for manifest in manifests_below(&world.environment)? {
        let mut world = world.clone();
        let path = world.environment.working_directory.join(&manifest);
        world.environment.manifest = Some(path);
        let mut part = notes.fork();
        // A project that cannot be checked says nothing about the others.
        let report = run(&world, restore, &mut part).unwrap_or_else(|failure| {
            let mut checks = Checks::new(&CHECKS);
            checks.fail_step(&mut part, failure);
            CiReport {
                checks: checks.results(),
                compared: 0,
            }
        });
        if let Some((directory, _)) = manifest.rsplit_once('/') {
            locate_from_root(&mut part.diagnostics, directory);
        }
        let before = notes.diagnostics.len();
        notes.absorb(part);
        projects.push(ProjectChecks {
            manifest,
            report: report.after(before),
            findings: before..notes.diagnostics.len(),
        });
    }
    Ok(RecursiveCiReport { projects })
}

/// Names installed files from the working directory: an annotation is placed by the path of its file.
fn locate_from_root(diagnostics: &mut [Diagnostic], directory: &str) {
    for found in diagnostics {
        if let Some(file) = &mut found.file {
            *file = format!("{directory}/{file}");
        }
    }
}

fn run(world: &World, restore: Restore, notes: &mut Notes) -> Result<CiReport, Failure> {
    let files = ManifestFiles::require(&world.environment)?;
    let store = files.store()?;
    // A read-only cache may lack locked commits. They are fetched into a temporary cache that is deleted after this
    // run.
    let own_cache = missing_in_read_only_cache(world, &store)
        .then(TemporaryDirectory::new)
        .transpose()?;
    let world = &match &own_cache {
        Some(directory) => world.with_cache(directory.path()),
        None => world.clone(),
    };
    let restored = match restore {
        Restore::Install => install::run(world, &restoring(), notes).map(drop),
        Restore::Nothing => Ok(()),
    };
    // The checks report again what the install reported, each under its own name.
    let installing = std::mem::take(notes);
    let mut checks = Checks::new(&CHECKS);
    let compared = check(world, &store, &mut checks, notes)?;
    if let Err(failure) = restored
        && !checks.any_failed()
    {
        *notes = installing;
        checks = Checks::new(&CHECKS);
        checks.fail_step(notes, failure);
    }
    Ok(CiReport {
        checks: checks.results(),
        compared,
    })
}

/// Runs every check; returns how many files were compared.
fn check(
    world: &World,
    store: &ProjectStore,
    checks: &mut Checks,
    notes: &mut Notes,
) -> Result<usize, Failure> {
    // A pipeline must not pass under a policy that was replaced since the cache was filled.
    refresh_policies(world, notes)?;
    let files = ManifestFiles::require(&world.environment)?;
    let compared = match check_frozen(world, files, checks, notes) {
        // The ledger is not used as evidence, because a clone can contain a forged one.
        Some(FrozenProject { lock, state }) => checks.run(CheckName::Files, notes, |notes| {
            let hooks = locked_hooks(&world.environment, store.path(), &lock);
            notes.diagnostics.extend(hooks);
            let report = compare(store, &lock, &Ledger::default(), state, notes)?;
            notes
                .diagnostics
                .extend(report.findings.iter().map(DriftFinding::diagnostic));
            Ok(report.checked)
        }),
        None => None,
    };
    Ok(compared.unwrap_or_default())
}

/// Returns whether the cache is read-only and lacks something that the lockfile pins.
fn missing_in_read_only_cache(world: &World, store: &ProjectStore) -> bool {
    let cache = world.environment.source_context(store.path()).cache;
    if agpm_store::is_writable(&cache) {
        return false;
    }
    is_cached(world, store) != Some(true)
}

/// Returns whether everything in the lockfile is in the cache, or `None` if the project cannot be read.
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
            writing: WriteMode::Apply,
            ..InstallRequest::PLAIN
        },
        moving: UpdateScope::Nothing,
        exact: BTreeMap::new(),
        manifest: None,
    }
}
