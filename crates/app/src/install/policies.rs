//! Reads the policies that every install is checked against.

use std::sync::Arc;

use crate::install::SourceFacts;
use agpm_diag::{Diagnostic, Failure, FailureKind, Notes, Severity, codes, has_errors};
use agpm_model::{Manifest, Pin, Policy, RepositoryBase, ResolvedVersion, Revision, VersionLabel};
use agpm_resolve::{ReleaseLimit, ResolvedEntry};
use agpm_source::Source;
use agpm_text::Format;
use agpm_trust::{PlacedPolicy, PolicyLocation, PolicySet, ReleaseAge};

use crate::project::gather::Project;
use crate::project::packages::ProjectSources;
use crate::project::policy_files::PolicyFile;
use crate::project::world::World;
use agpm_text::document_of;

/// All policies that apply.
#[derive(Debug, Default)]
pub(crate) struct ProjectPolicies(PolicySet);

impl ProjectPolicies {
    /// Reads the policies; an invalid or unreadable policy is a failure.
    pub(crate) fn read(
        files: Vec<PolicyFile>,
        manifest: &Manifest,
        notes: &mut Notes,
    ) -> Result<Self, Failure> {
        let in_place = |location| {
            move |policy: &Policy| PlacedPolicy {
                location,
                policy: policy.clone(),
            }
        };
        let bases = manifest
            .base_policies
            .iter()
            .map(in_place(PolicyLocation::Base));
        let own = manifest
            .policy
            .iter()
            .map(in_place(PolicyLocation::Project));
        let mut policies: Vec<PlacedPolicy> = bases.chain(own).collect();
        let mut unreachable = Vec::new();
        let found_before = notes.diagnostics.len();
        for file in files {
            let location = file.location;
            let Some(bytes) = file.bytes else {
                unreachable.push(file.label);
                continue;
            };
            let document = document_of(file.label, bytes, Format::Toml, notes)?;
            let (policy, mistakes) = Policy::read(&document);
            notes.diagnostics.extend(mistakes);
            policies.push(PlacedPolicy { location, policy });
        }
        if has_errors(&notes.diagnostics[found_before..]) {
            return Err(Failure::reported());
        }
        // Whether a missing policy is tolerated depends on the other policies, so all of them are read first.
        let policies = PolicySet::new(policies);
        for missing in unreachable {
            if !policies.tolerates_missing() {
                let diagnostic = unreachable_policy(&missing, Severity::Error);
                return Err(Failure::new(FailureKind::Network, diagnostic));
            }
            let warning = unreachable_policy(&missing, Severity::Warning);
            notes.diagnostics.push(warning);
        }
        Ok(ProjectPolicies(policies))
    }

    /// Reads the policies of a project.
    pub(crate) fn of(project: &mut Project, notes: &mut Notes) -> Result<Self, Failure> {
        let files = std::mem::take(&mut project.policy_files);
        ProjectPolicies::read(files, &project.manifest, notes)
    }

    /// Returns the policies.
    pub(crate) fn set(&self) -> &PolicySet {
        &self.0
    }

    /// Returns the minimum age of versions, where a requirement allows several.
    pub(crate) fn release_limit(&self, world: &World) -> Option<ReleaseLimit> {
        let now = (world.clock)();
        let min_age = self.0.min_release_age()?;
        Some(ReleaseLimit { min_age, now })
    }
}

/// Facts that the opened sources know about versions.
pub(crate) struct VersionsOfSources<'a> {
    /// The ports to sources and clock.
    pub world: &'a World,
    /// The opened sources of the project.
    pub sources: &'a ProjectSources,
}

impl VersionsOfSources<'_> {
    fn age(&self, source: Option<&dyn Source>, version: Option<ResolvedVersion>) -> ReleaseAge {
        let dates = source.zip(version);
        let dates = dates.map(|(source, version)| source.released(&[version]));
        let released = dates.into_iter().flatten().next().flatten();
        ReleaseAge::of(released, (self.world.clock)())
    }

    fn source_of(&self, resolved: &ResolvedEntry) -> Option<&dyn Source> {
        let name = resolved.entry.unit.origin.source()?;
        self.sources.get(name)
    }

    fn source_of_pin(&self, pin: &Pin) -> Option<&dyn Source> {
        self.sources.get(pin.source.name()?)
    }

    fn source_of_base(&self, base: &RepositoryBase) -> Arc<dyn Source> {
        let context = self.world.environment.source_context(&self.sources.project);
        self.world.sources.open(&base.url, &context)
    }
}

/// The tags of a commit that were listed last. No request is made: a frozen install opens no connection.
fn tags_of(source: Option<&dyn Source>, commit: Option<&Revision>) -> Vec<VersionLabel> {
    let versions = source.and_then(|source| source.remembered_versions());
    let (Some(versions), Some(commit)) = (versions, commit) else {
        return Vec::new();
    };
    let tags = versions.tags.known().filter(|(_, id)| *id == commit);
    tags.map(|(name, _)| VersionLabel::new(name)).collect()
}

fn version_of(pin: &Pin) -> ResolvedVersion {
    ResolvedVersion {
        label: pin.version.clone(),
        revision: pin.commit.clone(),
    }
}

impl SourceFacts for VersionsOfSources<'_> {
    fn age_of_resource(&self, resolved: &ResolvedEntry) -> ReleaseAge {
        let revision = resolved.version.commit.clone();
        let version = revision.map(|revision| ResolvedVersion {
            label: resolved.version.label.clone(),
            revision,
        });
        self.age(self.source_of(resolved), version)
    }

    fn age_of_layer(&self, pin: &Pin) -> ReleaseAge {
        self.age(self.source_of_pin(pin), Some(version_of(pin)))
    }

    fn age_of_base(&self, base: &RepositoryBase, pin: &Pin) -> ReleaseAge {
        self.age(Some(&*self.source_of_base(base)), Some(version_of(pin)))
    }

    fn tags_of_resource(&self, resolved: &ResolvedEntry) -> Vec<VersionLabel> {
        tags_of(self.source_of(resolved), resolved.version.commit.as_ref())
    }

    fn tags_of_layer(&self, pin: &Pin) -> Vec<VersionLabel> {
        tags_of(self.source_of_pin(pin), Some(&pin.commit))
    }

    fn tags_of_base(&self, base: &RepositoryBase, pin: &Pin) -> Vec<VersionLabel> {
        tags_of(Some(&*self.source_of_base(base)), Some(&pin.commit))
    }
}

fn unreachable_policy(label: &str, severity: Severity) -> Diagnostic {
    let message = format!("cannot read the policy `{label}`");
    let mut diagnostic = Diagnostic::new(&codes::POLICY_UNREACHABLE, message);
    diagnostic.severity = severity;
    diagnostic.help("check the path, or set `on-unreachable = \"warn\"` in the policy of this machine or its user")
}
