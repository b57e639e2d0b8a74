//! The newest version of each locked resource that its requirements allow, found by refs and directory listings alone:
//! no file of a source is read.

use std::collections::{BTreeMap, BTreeSet};

use agpm_model::{
    Locked, Lockfile, Manifest, ObjectId, Requirement, ResourceName, ResourceType, Selector, Unit,
};
use agpm_solve::{Candidate, Facts};
use agpm_source::{Entry, FileFetching, Source, SourceError};

use crate::failure::{Failure, Notes};
use crate::packages::{Fetcher, Known, Need, Sources, Version, passed_over, requirements_of};
use crate::world::World;

/// Versions that are checked for one resource, from the newest down.
const MOST_TRIED: usize = 8;

/// The newest version that is allowed, and whether it would change the resource.
pub(crate) struct AllowedVersion {
    pub(crate) version: Version,
    pub(crate) content: ContentChange,
}

/// A resource in two commits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ContentChange {
    /// Both have the same files.
    Same,
    /// They differ, or one of them cannot be read.
    Changed,
}

/// What every locked resource could be.
pub(crate) struct AllowedVersions {
    by_resource: BTreeMap<(ResourceType, ResourceName), AllowedVersion>,
}

impl AllowedVersions {
    pub(crate) fn find(
        world: &World,
        manifest: &Manifest,
        sources: &Sources,
        lock: &Lockfile,
        notes: &mut Notes,
    ) -> Result<Self, Failure> {
        let mut search = Search {
            fetcher: Fetcher::new(world, sources, manifest),
            manifest,
            sources,
            known: Known::new(Vec::new(), BTreeMap::new()),
        };
        let locked: Vec<&Locked> = lock
            .entries
            .iter()
            .filter(|locked| locked.commit.is_some() && search.source_of(locked).is_some())
            .collect();
        search.list_sources(&locked, notes)?;
        let mut candidates = Vec::new();
        for locked in locked {
            candidates.push((locked, search.candidates(locked, notes)?));
        }
        search.fetch_commits(&candidates);
        let mut by_resource = BTreeMap::new();
        for (locked, candidates) in &candidates {
            if let Some(version) = search.newest(locked, candidates, notes) {
                by_resource.insert((locked.kind, locked.name.clone()), version);
            }
        }
        Ok(AllowedVersions { by_resource })
    }

    pub(crate) fn of(&self, locked: &Locked) -> Option<&AllowedVersion> {
        self.by_resource.get(&(locked.kind, locked.name.clone()))
    }
}

struct Search<'a> {
    fetcher: Fetcher<'a>,
    manifest: &'a Manifest,
    sources: &'a Sources,
    known: Known,
}

impl<'a> Search<'a> {
    fn source_of(&self, locked: &Locked) -> Option<&'a dyn Source> {
        self.sources.versioned(locked.unit.origin.source()?)
    }

    /// Asks all sources at once.
    fn list_sources(&mut self, locked: &[&Locked], notes: &mut Notes) -> Result<(), Failure> {
        let sources = locked
            .iter()
            .filter_map(|locked| locked.unit.origin.source());
        let needs: BTreeSet<Need> = sources.map(|name| Need::Refs(name.clone())).collect();
        self.fetcher.fulfil(&needs, &mut self.known, notes)
    }

    /// The versions that every requirement allows, best first.
    fn candidates(&mut self, locked: &Locked, notes: &mut Notes) -> Result<Vec<Version>, Failure> {
        let mut common: Option<Vec<Candidate>> = None;
        for requirement in self.requirements(locked) {
            let allowed = self.allowed(&locked.unit, &requirement, notes)?;
            common = Some(match common {
                Some(before) => before
                    .into_iter()
                    .filter(|one| allowed.contains(one))
                    .collect(),
                None => allowed,
            });
        }
        let versions = common.unwrap_or_default().into_iter();
        Ok(versions
            .take(MOST_TRIED)
            .map(|candidate| self.known.version(&locked.unit, candidate))
            .collect())
    }

    /// The manifest's requirement where it changed since, else those that were locked.
    fn requirements(&self, locked: &Locked) -> Vec<Selector> {
        let written = requirements_of(locked);
        let direct = self
            .manifest
            .dependencies
            .iter()
            .find(|one| one.kind == locked.kind && one.name == *locked.manifest_key());
        match direct {
            Some(direct) if !written.iter().any(|one| one == direct.selector.as_str()) => {
                vec![direct.selector.clone()]
            }
            _ => written
                .iter()
                .filter_map(|one| Requirement::parse(one).ok())
                .map(Selector::Version)
                .collect(),
        }
    }

    fn allowed(
        &mut self,
        unit: &Unit,
        requirement: &Selector,
        notes: &mut Notes,
    ) -> Result<Vec<Candidate>, Failure> {
        loop {
            match self.known.allowed(unit, requirement) {
                Ok(candidates) => return Ok(candidates),
                Err(need) => {
                    self.fetcher
                        .fulfil(&BTreeSet::from([need]), &mut self.known, notes)?;
                }
            }
        }
    }

    /// Fetches the best commits of all resources of a source in one request. What cannot be fetched is seen when it is
    /// looked into.
    fn fetch_commits(&self, candidates: &[(&Locked, Vec<Version>)]) {
        for (name, source) in self.sources.iter() {
            let of_source = candidates
                .iter()
                .filter(|(locked, _)| locked.unit.origin.source() == Some(name));
            let wanted: BTreeSet<&ObjectId> = of_source
                .filter_map(|(_, versions)| versions.first()?.commit.as_ref())
                .filter(|commit| !source.has_revision(commit))
                .collect();
            let wanted: Vec<ObjectId> = wanted.into_iter().cloned().collect();
            if !wanted.is_empty() {
                drop(source.fetch(&wanted, FileFetching::OnDemand));
            }
        }
    }

    /// The first version that has the resource.
    fn newest(
        &self,
        locked: &Locked,
        candidates: &[Version],
        notes: &mut Notes,
    ) -> Option<AllowedVersion> {
        let source = self.source_of(locked)?;
        let found = candidates
            .iter()
            .find_map(|version| Some((version, has(source, version, &locked.unit)?)));
        let first = candidates.first()?;
        let used = found.as_ref().map(|(version, _)| *version);
        if used != Some(first) {
            let (dropped, kept) = (shown(first), locked_version(locked));
            let used = used.map_or(kept, shown);
            notes
                .diagnostics
                .push(passed_over(&locked.unit, &dropped, &used));
        }
        let (version, entry) = found?;
        let before = locked.commit.as_ref();
        let before = before.and_then(|commit| entry_at(source, commit, &locked.unit).ok()?);
        let is_same = before.is_some_and(|before| before.id == entry.id);
        Some(AllowedVersion {
            version: version.clone(),
            content: if is_same {
                ContentChange::Same
            } else {
                ContentChange::Changed
            },
        })
    }
}

/// The resource in a version, if it is in it.
fn has(source: &dyn Source, version: &Version, unit: &Unit) -> Option<Entry> {
    let commit = version.commit.as_ref()?;
    entry_at(source, commit, unit).ok()?
}

/// What a commit has at the path of a resource; the commit is fetched without the contents of its files.
pub(crate) fn entry_at(
    source: &dyn Source,
    commit: &ObjectId,
    unit: &Unit,
) -> Result<Option<Entry>, SourceError> {
    if !source.has_revision(commit) {
        source.fetch(std::slice::from_ref(commit), FileFetching::OnDemand)?;
    }
    source.entry(Some(commit), unit.path.as_str())
}

/// A branch with its commit: the label alone would name both ends of a move.
pub(crate) fn branch_at(branch: &str, commit: Option<&ObjectId>) -> String {
    let commit = commit.map(ObjectId::short).unwrap_or_default();
    format!("{branch} ({commit})")
}

fn shown(version: &Version) -> String {
    match agpm_model::Tag::new(&version.label).prefix() {
        Some(_) => version.label.clone(),
        None => branch_at(&version.label, version.commit.as_ref()),
    }
}

fn locked_version(locked: &Locked) -> String {
    shown(&Version {
        label: locked.version.clone().unwrap_or_default(),
        commit: locked.commit.clone(),
    })
}
