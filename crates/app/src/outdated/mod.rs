//! `outdated`: shows the locked, the newest allowed and the newest version.

mod allowed;
mod report;

pub use report::{
    AllowedVersion, ContentChange, LockfileState, MOST_TRIED, MovedBranch, OutdatedReport,
    OutdatedRequest, OutdatedRow, OutdatedRows, VersionComparison,
};

use std::collections::{BTreeMap, BTreeSet};

use agpm_diag::{Failure, Notes, Outcome};

use agpm_model::with_names_of;
use agpm_model::{LockedPin, Lockfile, Manifest, Pin, PinId, PinSource, Unit, VersionLabel};
use agpm_resolve::{add_locked_sources, no_lockfile, report_moved_tags};

use crate::catalog::remote_today;
use crate::install::policies::ProjectPolicies;
use crate::outdated::allowed::allowed_versions;
use crate::project::bases::bases_today;
use crate::project::gather::{ManifestFiles, Project};
use crate::project::packages::{ProjectSources, entry_at, read_lock, versions_of};
use crate::project::world::World;
use crate::update::pin_words;

/// Searches for newer versions.
pub fn outdated(world: &World, request: &OutdatedRequest) -> Outcome<OutdatedReport> {
    let mut notes = Notes::default();
    let result = run(world, request, &mut notes);
    notes.outcome(result)
}

fn run(
    world: &World,
    request: &OutdatedRequest,
    notes: &mut Notes,
) -> Result<OutdatedReport, Failure> {
    let files = ManifestFiles::require(&world.environment)?;
    let store = files.store()?;
    let mut project = Project::of(world, files, notes)?;
    let Some((lock, _)) = read_lock(&world.environment, &store, notes)? else {
        let report = OutdatedReport::without_lockfile(&project.manifest);
        let is_missing = report.lockfile == LockfileState::Missing;
        notes.diagnostics.extend(is_missing.then(no_lockfile));
        return Ok(report);
    };
    add_locked_sources(&mut project.manifest, &lock);
    let lock = with_names_of(&project.manifest, &lock);
    let words = pin_words(world, &project, lock.clone());
    let mut wanted = BTreeSet::new();
    for name in &request.names {
        wanted.extend(words.find(name)?);
    }
    let release_limit = ProjectPolicies::of(&mut project, notes)?.release_limit(world);
    let sources = ProjectSources::open_used(world, &project.manifest, store.path());
    let sources = sources.with_release_limit(release_limit);
    let mut comparison = VersionComparison {
        allowed: allowed_versions(&project.manifest, &sources, &lock, notes)?,
        tags: stable_tags(&project.manifest, &sources, &lock, notes)?,
        rows: request.rows,
    };
    let directory = project.directory.clone().unwrap_or_default();
    for today in bases_today(world, &directory, &project.bases, release_limit)? {
        let tags = today.versions.stable_tags();
        comparison.add_base(PinId::Base(today.name), today.pin, tags);
    }
    Ok(comparison.report(&lock, &wanted, |pin, tag, unit| {
        version_has_resource(&sources, pin, tag, unit)
    }))
}

/// Returns the stable tags of every source in the lockfile, highest first, and reports tags that moved.
fn stable_tags(
    manifest: &Manifest,
    sources: &ProjectSources,
    lock: &Lockfile,
    notes: &mut Notes,
) -> Result<BTreeMap<PinSource, Vec<VersionLabel>>, Failure> {
    let mut tags = BTreeMap::new();
    for LockedPin { id, pin } in lock.pins() {
        if tags.contains_key(&pin.source) {
            continue;
        }
        let versions = match (&pin.source, id) {
            (PinSource::Named(name), _) => versions_of(sources, name)?,
            (PinSource::Address(_), PinId::Remote(remote)) => {
                let locked = lock.catalog.iter().find(|pin| *pin.remote() == remote);
                let today = locked.map(|locked| remote_today(manifest, sources, locked));
                today.transpose()?.flatten().map(|(_, versions)| versions)
            }
            _ => None,
        };
        let Some(versions) = versions else {
            continue;
        };
        if let PinSource::Named(name) = &pin.source {
            report_moved_tags(lock, name, &versions, notes);
        }
        tags.insert(pin.source.clone(), versions.stable_tags());
    }
    Ok(tags)
}

/// Returns whether a version has a resource. An unreadable version is assumed to have it.
fn version_has_resource(
    sources: &ProjectSources,
    pin: &Pin,
    tag: &VersionLabel,
    unit: Option<&Unit>,
) -> bool {
    let source = pin.source.name();
    let source = source.and_then(|name| sources.versioned_source(name));
    let (Some(source), Some(unit)) = (source, unit) else {
        return true;
    };
    let versions = source.versions().ok();
    let commit = versions.as_ref().and_then(|all| all.tags.get(tag.as_str()));
    commit.is_none_or(|commit| entry_at(source, commit, unit).map_or(true, |entry| entry.is_some()))
}
