//! Finds the newest version of each locked pin that its requirements allow. It uses versions and directory listings
//! only; no file of a source is read.

use agpm_diag::{Failure, Notes};
use std::collections::{BTreeMap, BTreeSet};

use crate::outdated::{AllowedVersion, ContentChange, MOST_TRIED};
use agpm_model::{
    Layer, LayerLocation, LockEntry, LockedRemote, Lockfile, Manifest, Pin, PinId, Requirement,
    ResolvedVersion, Revision, Unit, VersionLabel, VersionRequirement,
};
use agpm_resolve::solve::{CandidateRank, UnitFacts};
use agpm_resolve::{MissingFact, SourceIndex, passed_over};
use agpm_source::{FileFetching, Source};

use crate::catalog::remote_today;
use crate::project::layers::VersionedLayer;
use crate::project::packages::{FactFetcher, ProjectSources, entry_at};
use agpm_layers::RequiredVersion;

/// Returns the newest allowed version of each pin. Pins that are no longer in the manifest are left out.
pub(super) fn allowed_versions(
    manifest: &Manifest,
    sources: &ProjectSources,
    lock: &Lockfile,
    notes: &mut Notes,
) -> Result<BTreeMap<PinId, AllowedVersion>, Failure> {
    let mut search = VersionSearch {
        fetcher: FactFetcher::new(sources, manifest),
        manifest,
        sources,
        index: SourceIndex::new(Vec::new(), BTreeMap::new())
            .with_release_limit(sources.release_limit),
    };
    let mut allowed = search.resources(lock, notes)?;
    let changed = |version| AllowedVersion {
        version,
        content: ContentChange::Changed,
    };
    for layer in &manifest.layers {
        if let Some(version) = search.layer(layer)? {
            allowed.insert(PinId::Layer(layer.name.clone()), changed(version));
        }
    }
    for locked in &lock.catalog {
        let id = PinId::Remote(locked.remote().clone());
        allowed.extend(search.remote(locked)?.map(|version| (id, changed(version))));
    }
    Ok(allowed)
}

struct VersionSearch<'a> {
    fetcher: FactFetcher<'a>,
    manifest: &'a Manifest,
    sources: &'a ProjectSources,
    index: SourceIndex,
}

impl<'a> VersionSearch<'a> {
    fn resources(
        &mut self,
        lock: &Lockfile,
        notes: &mut Notes,
    ) -> Result<BTreeMap<PinId, AllowedVersion>, Failure> {
        let locked: Vec<(&LockEntry, &Pin)> = lock
            .entries
            .iter()
            .filter(|locked| self.source_of(locked).is_some())
            .filter_map(|locked| Some((locked, locked.pin.as_ref()?)))
            .collect();
        self.list_sources(&locked, notes)?;
        let mut candidates = Vec::new();
        for (locked, pin) in locked {
            candidates.push((locked, pin, self.candidates(locked, pin, notes)?));
        }
        let best: Vec<(&LockEntry, &Revision)> = candidates
            .iter()
            .filter_map(|(locked, _, versions)| Some((*locked, &versions.first()?.revision)))
            .collect();
        self.fetch_listings(&best);
        let mut allowed = BTreeMap::new();
        for (locked, pin, candidates) in &candidates {
            if let Some(version) = self.newest(locked, pin, candidates, notes) {
                allowed.insert(PinId::Resource(locked.id()), version);
            }
        }
        Ok(allowed)
    }

    fn layer(&self, layer: &Layer) -> Result<Option<ResolvedVersion>, Failure> {
        let LayerLocation::Source(source, requirement) = &layer.location else {
            return Ok(None);
        };
        let Some(opened) = self.sources.versioned_source(source) else {
            return Ok(None);
        };
        let versioned = VersionedLayer {
            layer,
            source: opened,
            required: RequiredVersion {
                source,
                requirement,
            },
            limit: self.sources.release_limit,
        };
        Ok(Some(versioned.best_version()?.version))
    }

    fn remote(&self, locked: &LockedRemote) -> Result<Option<ResolvedVersion>, Failure> {
        let today = remote_today(self.manifest, self.sources, locked)?;
        Ok(today.map(|(version, _)| version))
    }

    fn source_of(&self, locked: &LockEntry) -> Option<&'a dyn Source> {
        self.sources.versioned_source(locked.unit.origin.source()?)
    }

    /// Requests the versions of all sources in parallel.
    fn list_sources(
        &mut self,
        locked: &[(&LockEntry, &Pin)],
        notes: &mut Notes,
    ) -> Result<(), Failure> {
        let sources = locked.iter().filter_map(|(_, pin)| pin.source.name());
        let needs: BTreeSet<MissingFact> = sources
            .map(|name| MissingFact::Refs(name.clone()))
            .collect();
        self.fetcher
            .read_missing_facts(&needs, &mut self.index, notes)
    }

    /// Returns the versions that all requirements allow, best first.
    fn candidates(
        &mut self,
        locked: &LockEntry,
        pin: &Pin,
        notes: &mut Notes,
    ) -> Result<Vec<ResolvedVersion>, Failure> {
        let mut common: Option<Vec<CandidateRank>> = None;
        for requirement in self.requirements(locked, pin) {
            let allowed = self.allowed(&locked.unit, &requirement, notes)?;
            common = Some(match common {
                Some(before) => before
                    .into_iter()
                    .filter(|candidate| allowed.contains(candidate))
                    .collect(),
                None => allowed,
            });
        }
        let candidates = common.unwrap_or_default().into_iter().take(MOST_TRIED);
        let versions = candidates.map(|candidate| self.index.version(&locked.unit, candidate));
        let resolved = versions.filter_map(|version| {
            Some(ResolvedVersion {
                label: version.label,
                revision: version.commit?,
            })
        });
        Ok(resolved.collect())
    }

    /// Returns the manifest's requirement if it changed since the lockfile was written, otherwise the locked
    /// requirements.
    fn requirements(&self, locked: &LockEntry, pin: &Pin) -> Vec<Requirement> {
        let written: Vec<&str> = pin.requirements().collect();
        let direct = self.manifest.dependencies.iter().find(|dependency| {
            dependency.kind == locked.kind && dependency.name == *locked.manifest_key()
        });
        match direct {
            Some(direct) if !written.contains(&direct.requirement.as_str()) => {
                vec![direct.requirement.clone()]
            }
            _ => written
                .into_iter()
                .filter_map(|requirement| VersionRequirement::parse(requirement).ok())
                .map(Requirement::Version)
                .collect(),
        }
    }

    fn allowed(
        &mut self,
        unit: &Unit,
        requirement: &Requirement,
        notes: &mut Notes,
    ) -> Result<Vec<CandidateRank>, Failure> {
        loop {
            match self.index.allowed(unit, requirement) {
                Ok(candidates) => return Ok(candidates),
                Err(need) => {
                    let needs = BTreeSet::from([need]);
                    self.fetcher
                        .read_missing_facts(&needs, &mut self.index, notes)?;
                }
            }
        }
    }

    /// Fetches the best revisions of all resources of a source in one request. Errors are ignored here, because listing
    /// the revision reports them.
    fn fetch_listings(&self, best: &[(&LockEntry, &Revision)]) {
        for (name, source) in self.sources.iter() {
            let missing: BTreeSet<&Revision> = best
                .iter()
                .filter(|(locked, _)| locked.unit.origin.source() == Some(name))
                .map(|(_, revision)| *revision)
                .filter(|revision| !source.has_revision(revision))
                .collect();
            let missing: Vec<Revision> = missing.into_iter().cloned().collect();
            if !missing.is_empty() {
                drop(source.fetch(&missing, FileFetching::OnDemand));
            }
        }
    }

    /// Returns the first candidate that has the resource.
    fn newest(
        &self,
        locked: &LockEntry,
        pin: &Pin,
        candidates: &[ResolvedVersion],
        notes: &mut Notes,
    ) -> Option<AllowedVersion> {
        let source = self.source_of(locked)?;
        let entry = |revision: &Revision| entry_at(source, revision, &locked.unit).ok()?;
        let found = candidates
            .iter()
            .find_map(|version| Some((version, entry(&version.revision)?)));
        let first = candidates.first()?;
        let used = found.as_ref().map(|(version, _)| *version);
        if used != Some(first) {
            let dropped = version_text(&first.label, &first.revision);
            let used = match used {
                Some(used) => version_text(&used.label, &used.revision),
                None => version_text(&pin.version, &pin.commit),
            };
            notes
                .diagnostics
                .push(passed_over(&locked.unit, &dropped, &used));
        }
        let (version, now) = found?;
        // The id of an entry is derived from its content, so a changed resource is detected without fetching its files.
        let is_same = entry(&pin.commit).is_some_and(|before| before.id == now.id);
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

/// Formats a version. A branch is shown with its commit, because both ends of a move have the same branch name.
fn version_text(label: &VersionLabel, revision: &Revision) -> String {
    match label.prefix() {
        Some(_) => label.to_string(),
        None => format!("{label} ({})", revision.short()),
    }
}
