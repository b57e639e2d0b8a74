//! The locked version, the newest that is allowed, and the newest of all.

use std::collections::{BTreeMap, BTreeSet};

use agpm_model::{
    LockEntry, LockedPin, Lockfile, Manifest, Pin, PinId, PinSource, ResolvedVersion, ResourceId,
    Revision, Unit, VersionLabel,
};
use serde::Serialize;

/// Versions that are checked for one resource, from the newest down.
pub const MOST_TRIED: usize = 8;

/// The resources to compare.
#[derive(Clone, Debug, Default)]
pub struct OutdatedRequest {
    /// Names, ids, paths of installed files, or sources; all if there are none.
    pub names: Vec<String>,
    /// The rows to list.
    pub rows: OutdatedRows,
}

/// The rows to list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OutdatedRows {
    /// Resources with newer versions.
    #[default]
    Outdated,
    /// Everything that has a version.
    All,
}

/// One resource that could be newer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OutdatedRow {
    /// The id as users see it.
    pub id: String,
    /// The type, as reports spell it.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// The name of the resource, layer or remote.
    pub name: String,
    /// The source that it comes from.
    pub source: String,
    /// The locked version.
    pub current: String,
    /// The newest that the requirements allow.
    pub allowed: String,
    /// The newest stable one.
    pub newest: String,
}

impl OutdatedRow {
    /// Whether `agpm update` would change the version. Newer ones that the requirements exclude need an edit first.
    pub fn is_updatable(&self) -> bool {
        self.allowed != self.current
    }
}

/// Everything that could be newer.
#[derive(Clone, Debug, Serialize)]
pub struct OutdatedReport {
    /// The number of compared resources.
    pub checked: usize,
    /// The rows, by type and name.
    pub outdated: Vec<OutdatedRow>,
    /// Branches that moved without a change of these resources.
    pub moved: Vec<MovedBranch>,
    /// Whether there is a lockfile to compare with.
    #[serde(skip)]
    pub lockfile: LockfileState,
}

/// Whether a project has a lockfile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LockfileState {
    /// The project has a lockfile, or needs none.
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
    /// The number of unchanged resources.
    pub unchanged: usize,
}

/// The newest version that is allowed, and whether it would change anything.
pub struct AllowedVersion {
    /// The version.
    pub version: ResolvedVersion,
    /// Whether the resource is another one there.
    pub content: ContentChange,
}

/// A resource in two commits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContentChange {
    /// Both have the same files.
    Same,
    /// They differ, or one of them cannot be read.
    Changed,
}

impl OutdatedReport {
    /// The report of a project without a lockfile.
    pub fn without_lockfile(manifest: &Manifest) -> Self {
        let lockfile = if manifest.dependencies.is_empty() && manifest.layers.is_empty() {
            LockfileState::Present
        } else {
            LockfileState::Missing
        };
        OutdatedReport {
            lockfile,
            ..OutdatedReport::new()
        }
    }

    fn new() -> Self {
        OutdatedReport {
            checked: 0,
            outdated: Vec::new(),
            moved: Vec::new(),
            lockfile: LockfileState::Present,
        }
    }
}

/// The locked version next to the newer ones.
pub struct VersionComparison {
    /// The newest that the requirements allow.
    pub allowed: BTreeMap<PinId, AllowedVersion>,
    /// The stable tags of each source, highest first.
    pub tags: BTreeMap<PinSource, Vec<VersionLabel>>,
    /// The rows to report.
    pub rows: OutdatedRows,
}

impl VersionComparison {
    /// Adds a base, which is whatever its manifest is today.
    pub fn add_base(&mut self, id: PinId, today: Pin, tags: Vec<VersionLabel>) {
        let version = ResolvedVersion {
            label: today.version,
            revision: today.commit,
        };
        let content = ContentChange::Changed;
        let allowed = AllowedVersion { version, content };
        self.allowed.insert(id, allowed);
        self.tags.insert(today.source, tags);
    }

    /// Compares every pin of a lockfile, or those of `wanted`. A tag is newer only if it `holds` the resource: what was
    /// dropped cannot be updated to.
    pub fn report(
        &self,
        lock: &Lockfile,
        selected: &BTreeSet<PinId>,
        holds: impl Fn(&Pin, &VersionLabel, Option<&Unit>) -> bool,
    ) -> OutdatedReport {
        let mut report = OutdatedReport::new();
        let resources: BTreeMap<PinId, &LockEntry> = lock
            .entries
            .iter()
            .map(|locked| (PinId::Resource(locked.id()), locked))
            .collect();
        for locked in lock.pins() {
            let resource = resources.get(&locked.id).copied();
            if !selected.is_empty() && !is_selected(selected, &locked.id, resource) {
                continue;
            }
            report.checked += 1;
            let Some(now) = self.allowed.get(&locked.id) else {
                continue;
            };
            if self.rows == OutdatedRows::Outdated && is_unchanged(locked.pin, now) {
                count_unchanged(locked.pin, &now.version, &mut report.moved);
                continue;
            }
            let unit = resource.map(|locked| &locked.unit);
            let newest = self.newest(locked.pin, &now.version, |tag| holds(locked.pin, tag, unit));
            report
                .outdated
                .extend(self.row(&locked, &now.version, newest));
        }
        report
    }

    /// The newest stable tag that is higher than the locked one.
    fn newest(
        &self,
        pin: &Pin,
        allowed: &ResolvedVersion,
        holds: impl Fn(&VersionLabel) -> bool,
    ) -> Option<&VersionLabel> {
        let prefix = pin.version.prefix();
        let is_newer = |newer: &&VersionLabel| {
            prefix.is_some() && newer.prefix() == prefix && **newer > pin.version
        };
        let tags = self.tags.get(&pin.source).into_iter().flatten();
        let mut newer = tags.filter(is_newer).take(MOST_TRIED);
        // The allowed version was found to hold the resource.
        newer.find(|newer| **newer == allowed.label || holds(newer))
    }

    /// The row, if what is locked is not the newest of all.
    fn row(
        &self,
        locked: &LockedPin<'_>,
        allowed: &ResolvedVersion,
        newest: Option<&VersionLabel>,
    ) -> Option<OutdatedRow> {
        let pin = locked.pin;
        let is_moved = allowed.revision != pin.commit;
        if !is_moved && newest.is_none() && self.rows == OutdatedRows::Outdated {
            return None;
        }
        let is_same_label = allowed.label == pin.version && is_moved;
        let display = |label: &VersionLabel, commit: &Revision| {
            if is_same_label {
                format!("{label} ({})", commit.short())
            } else {
                label.to_string()
            }
        };
        let allowed = display(&allowed.label, &allowed.revision);
        Some(OutdatedRow {
            id: locked.id.to_string(),
            kind: locked.id.type_name(),
            name: locked.id.name(),
            source: pin.source.to_string(),
            current: display(&pin.version, &pin.commit),
            newest: newest.map_or_else(|| allowed.clone(), VersionLabel::to_string),
            allowed,
        })
    }
}

/// Whether a pin is one of those that were named; a pattern names all that it matched.
fn is_selected(selected: &BTreeSet<PinId>, id: &PinId, resource: Option<&LockEntry>) -> bool {
    let pattern = resource.map(|locked| {
        PinId::Resource(ResourceId {
            kind: locked.kind,
            name: locked.manifest_key().clone(),
        })
    });
    selected.contains(id) || pattern.is_some_and(|pattern| selected.contains(&pattern))
}

/// Whether a branch moved and the resource is the same.
fn is_unchanged(pin: &Pin, now: &AllowedVersion) -> bool {
    pin.version == now.version.label
        && pin.version.prefix().is_none()
        && pin.commit != now.version.revision
        && now.content == ContentChange::Same
}

/// One row for each branch that moved, with the number of resources that are the same.
fn count_unchanged(pin: &Pin, now: &ResolvedVersion, moved: &mut Vec<MovedBranch>) {
    let branch_at = |commit: &Revision| format!("{} ({})", pin.version, commit.short());
    let (source, current) = (pin.source.to_string(), branch_at(&pin.commit));
    let is_known = |one: &&mut MovedBranch| one.source == source && one.current == current;
    match moved.iter_mut().find(is_known) {
        Some(existing) => existing.unchanged += 1,
        None => moved.push(MovedBranch {
            source,
            current,
            now: branch_at(&now.revision),
            unchanged: 1,
        }),
    }
}

#[cfg(test)]
mod tests {
    use agpm_model::ResourceName;

    use super::*;
    use crate::testing::{entry, lock_of};

    const NEXT_COMMIT: &str = "abcdefabcdefabcdefabcdefabcdefabcdefabcd";

    /// `agents/reviewer` is locked at v1.0.0, and this is what its requirement allows by now.
    fn comparison(label: &str, content: ContentChange) -> (Lockfile, VersionComparison) {
        let lock = lock_of(&[entry("agents/reviewer", &[])]);
        let pin = lock.entries[0].pin.clone().expect("a pin");
        let version = ResolvedVersion {
            label: VersionLabel::new(label),
            revision: NEXT_COMMIT.parse().expect("a commit"),
        };
        let tags = ["v3.0.0", "v2.0.0", "v1.1.0", "v1.0.0"];
        let comparison = VersionComparison {
            allowed: BTreeMap::from([(
                PinId::Resource(lock.entries[0].id()),
                AllowedVersion { version, content },
            )]),
            tags: BTreeMap::from([(pin.source, tags.map(VersionLabel::new).to_vec())]),
            rows: OutdatedRows::Outdated,
        };
        (lock, comparison)
    }

    #[test]
    fn the_newest_tag_is_one_that_still_has_the_resource() {
        let (lock, comparison) = comparison("v1.1.0", ContentChange::Changed);
        let report = comparison.report(&lock, &BTreeSet::new(), |_, tag, _| {
            tag.as_str() != "v3.0.0"
        });
        let row = &report.outdated[0];
        let versions = [&row.current, &row.allowed, &row.newest];
        assert_eq!(versions, ["v1.0.0", "v1.1.0", "v2.0.0"]);
    }

    #[test]
    fn a_branch_that_moved_without_a_change_is_counted_and_not_listed() {
        let (mut lock, comparison) = comparison("main", ContentChange::Same);
        let pin = lock.entries[0].pin.as_mut().expect("a pin");
        pin.version = VersionLabel::new("main");
        let report = comparison.report(&lock, &BTreeSet::new(), |_, _, _| true);
        assert!(report.outdated.is_empty());
        assert_eq!(report.moved[0].unchanged, 1);
        assert_eq!(report.moved[0].now, "main (abcdefab)");
    }

    #[test]
    fn only_what_is_named_is_compared() {
        let (lock, comparison) = comparison("v1.1.0", ContentChange::Changed);
        let other = ResourceId {
            kind: lock.entries[0].kind,
            name: ResourceName::new("other").expect("a name"),
        };
        let selected = BTreeSet::from([PinId::Resource(other)]);
        let report = comparison.report(&lock, &selected, |_, _, _| true);
        assert_eq!((report.checked, report.outdated.len()), (0, 0));
    }
}
