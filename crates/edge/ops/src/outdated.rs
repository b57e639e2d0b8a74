//! `outdated`: the locked version, the newest that is allowed, and the newest of all.

use agpm_diag::{Failure, Notes, Outcome};
use std::collections::{BTreeMap, BTreeSet};

use agpm_model::{
    LockEntry, LockedPin, Lockfile, Manifest, ObjectId, Pin, PinId, PinSource, ResolvedVersion,
    ResourceId, Unit, VersionTag,
};
use serde::Serialize;

use crate::allowed::{AllowedVersion, ContentChange, MOST_TRIED, allowed_versions, entry_at};
use crate::bases::{BaseToday, bases_today};
use crate::catalog::remote_today;
use crate::gather::{ManifestFiles, Project};
use crate::packages::{Sources, read_lock, versions_of};
use crate::policies::Policies;
use crate::update::Words;
use crate::world::World;
use agpm_resolve::{add_locked_sources, no_lockfile, report_moved_tags, with_names_of};

/// What to look at.
#[derive(Clone, Debug, Default)]
pub struct OutdatedRequest {
    /// Names, ids, paths of installed files, or sources; all if there are none.
    pub names: Vec<String>,
    /// Which rows there are.
    pub rows: OutdatedRows,
}

/// What is listed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OutdatedRows {
    /// What could be newer.
    #[default]
    Outdated,
    /// Everything that has a version.
    All,
}

/// One resource that could be newer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Outdated {
    /// What users call it.
    pub id: String,
    /// The word for its type.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// Its name.
    pub name: String,
    /// Its source.
    pub source: String,
    /// What is locked.
    pub current: String,
    /// The newest that the requirements allow.
    pub allowed: String,
    /// The newest stable one.
    pub newest: String,
}

/// Everything that could be newer.
#[derive(Clone, Debug, Serialize)]
pub struct OutdatedReport {
    /// How many were looked at.
    pub checked: usize,
    /// By kind and name.
    pub outdated: Vec<Outdated>,
    /// Branches that moved without a change of these resources.
    pub moved: Vec<MovedBranch>,
    /// Whether there is a lockfile to compare with.
    #[serde(skip)]
    pub lockfile: LockfileState,
}

/// Whether a project has a lockfile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LockfileState {
    /// It has, or needs none.
    Present,
    /// It has dependencies and none of them is locked.
    Missing,
}

/// A branch whose commit is another one, with resources that are the same at both.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MovedBranch {
    /// The source.
    pub source: String,
    /// The branch, with the locked commit.
    pub current: String,
    /// The branch, with its commit now.
    pub now: String,
    /// How many resources did not change.
    pub unchanged: usize,
}

/// Looks for newer versions.
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
        return Ok(without_lockfile(&project.manifest, notes));
    };
    add_locked_sources(&mut project.manifest, &lock);
    let lock = with_names_of(&project.manifest, &lock);
    let words = Words::new(&world.environment, &project, lock.clone());
    let mut wanted = BTreeSet::new();
    for name in &request.names {
        wanted.extend(words.find(name)?);
    }
    let release_limit = Policies::of(&mut project, notes)?.release_limit(world);
    let sources = Sources::open(world, &project.manifest, store.path());
    let sources = sources.with_release_limit(release_limit);
    let mut comparison = Comparison {
        allowed: allowed_versions(world, &project.manifest, &sources, &lock, notes)?,
        tags: stable_tags(&project.manifest, &sources, &lock, notes)?,
        sources: &sources,
        rows: request.rows,
    };
    let folder = project.folder.clone().unwrap_or_default();
    for today in bases_today(world, &folder, &project.bases, release_limit)? {
        comparison.add_base(today);
    }
    let mut report = OutdatedReport {
        outdated: Vec::new(),
        moved: Vec::new(),
        checked: 0,
        lockfile: LockfileState::Present,
    };
    let resources: BTreeMap<PinId, &LockEntry> = lock
        .entries
        .iter()
        .map(|locked| (PinId::Resource(locked.id()), locked))
        .collect();
    for locked in lock.pins() {
        let resource = resources.get(&locked.id).copied();
        if wanted.is_empty() || is_wanted(&wanted, &locked.id, resource) {
            report.checked += 1;
            comparison.add(&locked, resource, &mut report);
        }
    }
    Ok(report)
}

/// Whether a pin is one of those that were named; a pattern names all that it matched.
fn is_wanted(wanted: &BTreeSet<PinId>, id: &PinId, resource: Option<&LockEntry>) -> bool {
    let pattern = resource.map(|locked| {
        PinId::Resource(ResourceId {
            kind: locked.kind,
            name: locked.manifest_key().clone(),
        })
    });
    wanted.contains(id) || pattern.is_some_and(|pattern| wanted.contains(&pattern))
}

/// Nothing is compared; that is said where something should be locked.
fn without_lockfile(manifest: &Manifest, notes: &mut Notes) -> OutdatedReport {
    let lockfile = if manifest.dependencies.is_empty() && manifest.layers.is_empty() {
        LockfileState::Present
    } else {
        LockfileState::Missing
    };
    notes
        .diagnostics
        .extend((lockfile == LockfileState::Missing).then(no_lockfile));
    OutdatedReport {
        outdated: Vec::new(),
        moved: Vec::new(),
        checked: 0,
        lockfile,
    }
}

/// The stable tags of everything that something is locked from, highest first. Tags that moved are reported.
fn stable_tags(
    manifest: &Manifest,
    sources: &Sources,
    lock: &Lockfile,
    notes: &mut Notes,
) -> Result<BTreeMap<PinSource, Vec<VersionTag>>, Failure> {
    let mut tags = BTreeMap::new();
    for LockedPin { id, pin } in lock.pins() {
        if tags.contains_key(&pin.source) {
            continue;
        }
        let versions = match (&pin.source, id) {
            (PinSource::Named(name), _) => versions_of(sources, name)?,
            (PinSource::Address(_), PinId::Remote(remote)) => {
                let locked = lock.catalog.iter().find(|one| *one.remote() == remote);
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

/// What is locked beside what could be.
struct Comparison<'r> {
    sources: &'r Sources,
    /// The newest that the requirements allow.
    allowed: BTreeMap<PinId, AllowedVersion>,
    /// Of each source, highest first.
    tags: BTreeMap<PinSource, Vec<VersionTag>>,
    rows: OutdatedRows,
}

impl Comparison<'_> {
    fn add_base(&mut self, today: BaseToday) {
        let BaseToday {
            name,
            pin,
            versions,
        } = today;
        let version = ResolvedVersion {
            label: pin.version,
            revision: pin.commit,
        };
        let content = ContentChange::Changed;
        let allowed = AllowedVersion { version, content };
        self.allowed.insert(PinId::Base(name), allowed);
        self.tags.insert(pin.source, versions.stable_tags());
    }

    /// Adds a pin to the report if it could be newer.
    fn add(
        &self,
        locked: &LockedPin<'_>,
        resource: Option<&LockEntry>,
        report: &mut OutdatedReport,
    ) {
        let Some(now) = self.allowed.get(&locked.id) else {
            return;
        };
        let unit = resource.map(|locked| &locked.unit);
        if self.rows == OutdatedRows::Outdated && is_unchanged(locked.pin, now) {
            count_unchanged(locked.pin, &now.version, &mut report.moved);
        } else {
            report.outdated.extend(self.row(locked, &now.version, unit));
        }
    }

    /// The row, if what is locked is not the newest of all.
    fn row(
        &self,
        locked: &LockedPin<'_>,
        allowed: &ResolvedVersion,
        unit: Option<&Unit>,
    ) -> Option<Outdated> {
        let pin = locked.pin;
        let (tag, allowed_tag) = (
            VersionTag::new(&pin.version),
            VersionTag::new(&allowed.label),
        );
        let prefix = tag.prefix();
        let is_newer =
            |newer: &&VersionTag| prefix.is_some() && newer.prefix() == prefix && **newer > tag;
        let tags = self.tags.get(&pin.source).into_iter().flatten();
        let mut newer = tags.filter(is_newer).take(MOST_TRIED);
        // What is allowed was found to hold the resource.
        let newest = newer.find(|newer| **newer == allowed_tag || self.holds(pin, newer, unit));
        let moved = allowed.revision != pin.commit;
        if !moved && newest.is_none() && self.rows == OutdatedRows::Outdated {
            return None;
        }
        let is_same_label = allowed.label == pin.version && moved;
        let shown = |label: &str, commit: &ObjectId| {
            if is_same_label {
                format!("{label} ({})", commit.short())
            } else {
                label.to_owned()
            }
        };
        let allowed = shown(&allowed.label, &allowed.revision);
        Some(Outdated {
            id: locked.id.to_string(),
            kind: locked.id.type_name(),
            name: locked.id.name(),
            source: pin.source.to_string(),
            current: shown(&pin.version, &pin.commit),
            newest: newest.map_or_else(|| allowed.clone(), |tag| tag.name().to_owned()),
            allowed,
        })
    }

    /// Whether a resource is in a version: what was dropped cannot be updated to. A version that cannot be read counts.
    fn holds(&self, pin: &Pin, tag: &VersionTag, unit: Option<&Unit>) -> bool {
        let source = pin.source.name();
        let source = source.and_then(|name| self.sources.versioned(name));
        let (Some(source), Some(unit)) = (source, unit) else {
            return true;
        };
        let versions = source.versions().ok();
        let commit = versions.as_ref().and_then(|all| all.tags.get(tag.name()));
        commit.is_none_or(|commit| {
            entry_at(source, commit, unit).map_or(true, |entry| entry.is_some())
        })
    }
}

/// Whether a branch moved and the resource is the same.
fn is_unchanged(pin: &Pin, now: &AllowedVersion) -> bool {
    pin.version == now.version.label
        && VersionTag::new(&pin.version).prefix().is_none()
        && pin.commit != now.version.revision
        && now.content == ContentChange::Same
}

/// One row for each branch that moved, with the number of resources that are the same.
fn count_unchanged(pin: &Pin, now: &ResolvedVersion, moved: &mut Vec<MovedBranch>) {
    let branch_at = |commit: &ObjectId| format!("{} ({})", pin.version, commit.short());
    let (source, current) = (pin.source.to_string(), branch_at(&pin.commit));
    let is_known = |one: &&mut MovedBranch| one.source == source && one.current == current;
    match moved.iter_mut().find(is_known) {
        Some(known) => known.unchanged += 1,
        None => moved.push(MovedBranch {
            source,
            current,
            now: branch_at(&now.revision),
            unchanged: 1,
        }),
    }
}
