//! Versions and requirements that `update` gets as arguments: exact pins, and edits of the manifest.

use std::collections::{BTreeMap, BTreeSet};

use agpm_diag::{Diagnostic, Failure, FailureKind, Notes, codes};
use agpm_model::{
    Dependency, LockEntry, Lockfile, Manifest, PinId, Requirement, ResolvedVersion, ResourceId,
    SourceName, Unit, VersionRequirement, Visibility, newest_tag, tag_names,
};
use agpm_resolve::solve::UnitFacts;
use agpm_resolve::{PinState, SolverPin, SourceIndex, SourceVersion};
use agpm_source::Source;
use agpm_text::{Document, Pointer};

use crate::manifest::{EntryChange, LoadedBase, base_with, usage};
use crate::project::gather::Project;
use crate::project::packages::{FactFetcher, ProjectSources, entry_at, versions_of};
use crate::update::BaseRequirement;

/// Versions that are checked for one resource, from the newest down.
const MOST_TRIED: usize = 8;
/// How many tags an error lists.
const MOST_LISTED: usize = 8;

/// The changes that arguments require, apart from the pins that move.
#[derive(Default)]
pub(super) struct RequirementPlan {
    /// The edits of the manifest.
    pub(super) changes: Vec<EntryChange>,
    /// The edits of the private manifest.
    pub(super) private: Vec<EntryChange>,
    /// Requirements of bases that a newest release does not fit.
    pub(super) of_bases: Vec<BaseRequirement>,
    /// The versions to install, by the units that have them.
    pub(super) exact: BTreeMap<Unit, SolverPin>,
}

/// Decides between a pin and an edit.
pub(super) struct RequirementPlanner<'a> {
    manifest: &'a Manifest,
    bases: &'a [LoadedBase],
    document: &'a Document,
    lock: &'a Lockfile,
    sources: &'a ProjectSources,
    fetcher: FactFetcher<'a>,
    index: SourceIndex,
    pub(super) plan: RequirementPlan,
}

/// A dependency, and the source that its versions are from.
struct VersionedDependency<'a> {
    dependency: &'a Dependency,
    source: &'a SourceName,
}

impl<'a> RequirementPlanner<'a> {
    pub(super) fn new(
        project: &'a Project,
        document: &'a Document,
        lock: &'a Lockfile,
        sources: &'a ProjectSources,
    ) -> Self {
        RequirementPlanner {
            manifest: &project.manifest,
            bases: &project.bases,
            document,
            lock,
            sources,
            fetcher: FactFetcher::new(sources, &project.manifest),
            index: SourceIndex::new(Vec::new(), BTreeMap::new())
                .with_release_limit(sources.release_limit),
            plan: RequirementPlan::default(),
        }
    }

    /// Pins a resource to the version that an argument names, and rewrites its requirement if that does not allow it.
    pub(super) fn require(
        &mut self,
        pin: &PinId,
        required: &VersionRequirement,
        notes: &mut Notes,
    ) -> Result<(), Failure> {
        let PinId::Resource(id) = pin else {
            let message = format!("{pin} cannot be updated to a version by an argument");
            let help = format!("write the version into the manifest, then run `agpm update {pin}`");
            return Err(usage(message, help));
        };
        let Some(dependency) = self.manifest.dependency(id.kind, id.name.as_str()) else {
            return self.require_of_others(id, required, notes);
        };
        let found = self.versioned(dependency)?;
        let requirement = Requirement::Version(required.clone());
        let Some(version) = self.newest_of(found.source, &dependency.unit, &requirement, notes)?
        else {
            return Err(self.no_version(found.source, required));
        };
        if !is_allowed(&dependency.requirement, &version) && dependency.requirement != requirement {
            return self.rewrite(dependency, required);
        }
        let locked = self.lock.entries.iter().find(|one| one.id() == *id);
        let own = dependency.requirement.as_str();
        refuse_misfit(locked, Some(own), &version)?;
        self.pin_dependency(dependency, version);
        Ok(())
    }

    /// Pins a resource that is not in the manifest: only other resources require it.
    fn require_of_others(
        &mut self,
        id: &ResourceId,
        required: &VersionRequirement,
        notes: &mut Notes,
    ) -> Result<(), Failure> {
        let lock = self.lock;
        let locked = lock.entries.iter().find(|one| one.id() == *id);
        if let Some(pattern) = locked.and_then(|one| one.manifest_alias.as_ref()) {
            let kind = id.kind;
            let message = format!("{id} is a match of {kind}/{pattern}, and has its version");
            let help = format!("run `agpm update {kind}/{pattern}@{}`", required.as_str());
            return Err(usage(message, help));
        }
        let Some((locked, source)) =
            locked.and_then(|one| Some((one, one.pin.as_ref()?.source.name()?)))
        else {
            return Err(without_versions(&id.to_string()));
        };
        let requirement = Requirement::Version(required.clone());
        let Some(version) = self.newest_of(source, &locked.unit, &requirement, notes)? else {
            return Err(self.no_version(source, required));
        };
        refuse_misfit(Some(locked), None, &version)?;
        let requirements = locked.pin.iter().flat_map(|pin| pin.requirements());
        let pin = solver_pin(version, requirements);
        self.plan.exact.insert(locked.unit.clone(), pin);
        Ok(())
    }

    /// Rewrites the requirements of dependencies that do not allow the newest stable release; of all of them without
    /// `named`.
    pub(super) fn require_newest(
        &mut self,
        named: Option<&BTreeSet<PinId>>,
        notes: &mut Notes,
    ) -> Result<(), Failure> {
        let manifest = self.manifest;
        for dependency in &manifest.dependencies {
            let is_named = match named {
                Some(named) if !named.contains(&PinId::Resource(dependency.id())) => continue,
                named => named.is_some(),
            };
            let Ok(found) = self.versioned(dependency) else {
                continue;
            };
            let prefix = match &dependency.requirement {
                Requirement::Version(required) => required.prefix().map(str::to_owned),
                _ => None,
            };
            // A branch or a commit was chosen instead of a release, so only its own name in the command changes that.
            if prefix.is_none() && !is_named {
                continue;
            }
            let Some(prefix) = prefix.or_else(|| self.release_prefix(&found)) else {
                continue;
            };
            self.require_newest_of(&found, &prefix, notes)?;
        }
        Ok(())
    }

    fn require_newest_of(
        &mut self,
        found: &VersionedDependency<'_>,
        prefix: &str,
        notes: &mut Notes,
    ) -> Result<(), Failure> {
        let VersionedDependency { dependency, source } = *found;
        let Ok(any) = VersionRequirement::parse(&format!("{prefix}*")) else {
            return Ok(());
        };
        let any = Requirement::Version(any);
        let Some(newest) = self.newest_of(source, &dependency.unit, &any, notes)? else {
            return Ok(());
        };
        if is_allowed(&dependency.requirement, &newest) {
            return Ok(());
        }
        // A requirement on a pre-release can be ahead of every stable release.
        let allowed = self.newest_of(source, &dependency.unit, &dependency.requirement, notes)?;
        if allowed.is_some_and(|allowed| {
            allowed.label.prefix() == Some(prefix) && allowed.label > newest.label
        }) {
            return Ok(());
        }
        let text = match &dependency.requirement {
            Requirement::Version(required) if !required.is_range() => newest.label.to_string(),
            _ => newest
                .label
                .caret()
                .unwrap_or_else(|| newest.label.to_string()),
        };
        if let Some(base) = self.base_of(dependency) {
            self.plan.of_bases.push(BaseRequirement {
                id: dependency.id().to_string(),
                base: base.address.name().to_string(),
                requirement: dependency.requirement.as_str().to_owned(),
                newest: newest.label.to_string(),
            });
            return Ok(());
        }
        match VersionRequirement::parse(&text) {
            Ok(required) => self.rewrite(dependency, &required),
            Err(_) => Ok(()),
        }
    }

    /// The prefix of the releases of a dependency that requires a branch or a commit.
    fn release_prefix(&self, found: &VersionedDependency<'_>) -> Option<String> {
        let versions = versions_of(self.sources, found.source).ok()??;
        let dependency = found.dependency;
        let names = tag_names(dependency.kind, dependency.name.as_str());
        let tags = versions.tags.keys().map(String::as_str);
        let newest = newest_tag(tags, &names)?;
        newest.prefix().map(str::to_owned)
    }

    /// Adds the edit of a requirement; fails if another manifest has it.
    fn rewrite(
        &mut self,
        dependency: &Dependency,
        required: &VersionRequirement,
    ) -> Result<(), Failure> {
        let id = dependency.id();
        let (requirement, required_text) = (dependency.requirement.as_str(), required.as_str());
        let at = Pointer::root()
            .child(dependency.kind.plural())
            .child(dependency.name.as_str());
        if dependency.visibility == Visibility::Private {
            let change = EntryChange::of_requirement(dependency, required);
            self.plan.private.extend(change);
            return Ok(());
        }
        if self.document.at(&at).is_some() {
            self.plan
                .changes
                .extend(EntryChange::of_requirement(dependency, required));
            return Ok(());
        }
        let message = format!("{id} cannot be updated to {required_text}");
        let base = self.base_of(dependency);
        let owner = base.map_or_else(
            || "another manifest".to_owned(),
            |base| format!("the base `{}`", base.address.name()),
        );
        let help = "change the requirement in the base, or add the dependency to your own manifest";
        let diagnostic = Diagnostic::new(&codes::PACKAGE_VERSION, message)
            .detail(format!("{owner} requires `{requirement}`"))
            .at_spot(dependency.spot)
            .help(help);
        Err(Failure::new(FailureKind::Errors, diagnostic))
    }

    /// The base that a dependency is from; `None` for one of the project.
    fn base_of(&self, dependency: &Dependency) -> Option<&'a LoadedBase> {
        if dependency.visibility == Visibility::Private {
            return None;
        }
        let at = Pointer::root()
            .child(dependency.kind.plural())
            .child(dependency.name.as_str());
        if self.document.at(&at).is_some() {
            return None;
        }
        base_with(self.bases, dependency.kind, dependency.name.as_str())
    }

    /// Fails for a dependency without versions, and for a plugin: its version is the one of its marketplace.
    fn versioned<'d>(
        &self,
        dependency: &'d Dependency,
    ) -> Result<VersionedDependency<'d>, Failure> {
        let id = dependency.id().to_string();
        if let Some(marketplace) = &dependency.marketplace {
            let message = format!("the version of {id} is the one of its marketplace");
            let help = {
                let plugin = &marketplace.plugin;
                format!(
                    "run `agpm add {}@{}` again",
                    plugin.name, plugin.marketplace
                )
            };
            return Err(usage(message, help));
        }
        let source = dependency.unit.origin.source();
        let source = source.filter(|name| self.sources.versioned_source(name).is_some());
        match source {
            Some(source) => Ok(VersionedDependency { dependency, source }),
            None => Err(without_versions(&id)),
        }
    }

    /// The newest version that a requirement allows and that has the resource. If none of the first has it, the
    /// newest: resolving it explains what is missing.
    fn newest_of(
        &mut self,
        source: &SourceName,
        unit: &Unit,
        requirement: &Requirement,
        notes: &mut Notes,
    ) -> Result<Option<ResolvedVersion>, Failure> {
        let candidates = loop {
            match self.index.allowed(unit, requirement) {
                Ok(candidates) => break candidates,
                Err(need) => {
                    let needs = BTreeSet::from([need]);
                    self.fetcher
                        .read_missing_facts(&needs, &mut self.index, notes)?;
                }
            }
        };
        let mut newest = None;
        for candidate in candidates.into_iter().take(MOST_TRIED) {
            let SourceVersion {
                label,
                commit: Some(revision),
            } = self.index.version(unit, candidate)
            else {
                continue;
            };
            let version = ResolvedVersion { label, revision };
            if self.has_resource(source, unit, &version) {
                return Ok(Some(version));
            }
            newest.get_or_insert(version);
        }
        Ok(newest)
    }

    fn has_resource(&self, source: &SourceName, unit: &Unit, version: &ResolvedVersion) -> bool {
        let opened: Option<&dyn Source> = self.sources.versioned_source(source);
        let Some(opened) = opened.filter(|_| !unit.path.is_pattern()) else {
            return true;
        };
        entry_at(opened, &version.revision, unit).map_or(true, |entry| entry.is_some())
    }

    /// Pins a dependency, and the matches of a pattern with it.
    fn pin_dependency(&mut self, dependency: &Dependency, version: ResolvedVersion) {
        let pin = solver_pin(version, [dependency.requirement.as_str()].into_iter());
        for locked in &self.lock.entries {
            let is_match = locked.kind == dependency.kind
                && locked.manifest_alias.as_ref() == Some(&dependency.name);
            if is_match {
                self.plan.exact.insert(locked.unit.clone(), pin.clone());
            }
        }
        self.plan.exact.insert(dependency.unit.clone(), pin);
    }

    fn no_version(&self, source: &SourceName, required: &VersionRequirement) -> Failure {
        let required = required.as_str();
        let message = format!("no version of source `{source}` satisfies `{required}`");
        let versions = versions_of(self.sources, source).ok().flatten();
        let tags = versions.map(|versions| versions.stable_tags());
        let tags: Vec<String> = tags
            .iter()
            .flatten()
            .take(MOST_LISTED)
            .map(ToString::to_string)
            .collect();
        let diagnostic = Diagnostic::new(&codes::PACKAGE_VERSION, message);
        let help = match tags.as_slice() {
            [] => "it has no releases".to_owned(),
            tags => format!("it has tags: {}", tags.join(", ")),
        };
        Failure::new(FailureKind::Errors, diagnostic.help(help))
    }
}

fn is_allowed(requirement: &Requirement, version: &ResolvedVersion) -> bool {
    requirement.allows(&version.label, &version.revision)
}

/// Fails if another resource requires something else: the solver would silently choose another version.
fn refuse_misfit(
    locked: Option<&LockEntry>,
    own: Option<&str>,
    version: &ResolvedVersion,
) -> Result<(), Failure> {
    let Some((locked, pin)) = locked.and_then(|locked| Some((locked, locked.pin.as_ref()?))) else {
        return Ok(());
    };
    // The lockfile is older than the manifest, and nobody may require any more what it has.
    if own.is_some_and(|own| !pin.requirements().any(|text| text == own)) {
        return Ok(());
    }
    for text in pin.requirements() {
        let Ok(requirement) = VersionRequirement::parse(text) else {
            continue;
        };
        if Some(text) == own || is_allowed(&Requirement::Version(requirement), version) {
            continue;
        }
        let id = locked.id();
        let message = format!("{id} cannot be updated to {}", version.label);
        let diagnostic = Diagnostic::new(&codes::PACKAGE_VERSION, message)
            .detail(format!("another resource requires `{text}`"))
            .help(format!("`agpm why {id}` shows which"));
        return Err(Failure::new(FailureKind::Errors, diagnostic));
    }
    Ok(())
}

fn without_versions(id: &str) -> Failure {
    let message = format!("{id} has no versions");
    let help = "only resources of a git repository have versions".to_owned();
    usage(message, help)
}

fn solver_pin<'r>(
    version: ResolvedVersion,
    requirements: impl Iterator<Item = &'r str>,
) -> SolverPin {
    SolverPin {
        state: PinState::Kept,
        version: SourceVersion::from(version),
        requirements: requirements.map(str::to_owned).collect(),
    }
}
