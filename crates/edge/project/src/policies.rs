//! Reads the policies that every install is checked against.

use agpm_diag::{Diagnostic, Failure, FailureKind, Notes, Severity, codes, has_errors};
use agpm_install::ReleaseAges;
use agpm_model::{Manifest, Pin, Policy, RepositoryBase, ResolvedVersion};
use agpm_resolve::{ReleaseLimit, ResolvedEntry};
use agpm_source::Source;
use agpm_text::Format;
use agpm_trust::{PlacedPolicy, PolicyLocation, PolicySet, ReleaseAge, UnreachablePolicy};

use crate::documents::document_of;
use crate::gather::Project;
use crate::packages::ProjectSources;
use crate::policy_files::PolicyFile;
use crate::world::World;

/// All policies that apply.
#[derive(Debug, Default)]
pub struct ProjectPolicies(PolicySet);

impl ProjectPolicies {
    /// Reads the policies; an invalid or unreadable policy is a failure.
    pub fn read(
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
                let name = file.label;
                unreachable.push(UnreachablePolicy { location, name });
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
            if !policies.tolerates(&missing) {
                let diagnostic = unreachable_policy(&missing.name, Severity::Error);
                return Err(Failure::new(FailureKind::Network, diagnostic));
            }
            let warning = unreachable_policy(&missing.name, Severity::Warning);
            notes.diagnostics.push(warning);
        }
        Ok(ProjectPolicies(policies))
    }

    /// Reads the policies of a project.
    pub fn of(project: &mut Project, notes: &mut Notes) -> Result<Self, Failure> {
        let files = std::mem::take(&mut project.policy_files);
        ProjectPolicies::read(files, &project.manifest, notes)
    }

    /// Returns the policies.
    pub fn set(&self) -> &PolicySet {
        &self.0
    }

    /// Returns the minimum age of versions, where a requirement allows several.
    pub fn release_limit(&self, world: &World) -> Option<ReleaseLimit> {
        let now = (world.clock)();
        let min_age = self.0.min_release_age()?;
        Some(ReleaseLimit { min_age, now })
    }
}

/// The release dates of versions.
pub struct ReleaseDates<'a> {
    /// The ports to sources and clock.
    pub world: &'a World,
    /// The opened sources of the project.
    pub sources: &'a ProjectSources,
}

impl ReleaseDates<'_> {
    fn age(&self, source: Option<&dyn Source>, version: Option<ResolvedVersion>) -> ReleaseAge {
        let dates = source.zip(version);
        let dates = dates.map(|(source, version)| source.released(&[version]));
        let released = dates.into_iter().flatten().next().flatten();
        ReleaseAge::of(released, (self.world.clock)())
    }
}

fn version_of(pin: &Pin) -> ResolvedVersion {
    ResolvedVersion {
        label: pin.version.clone(),
        revision: pin.commit.clone(),
    }
}

impl ReleaseAges for ReleaseDates<'_> {
    fn of_resource(&self, resolved: &ResolvedEntry) -> ReleaseAge {
        let source = resolved.entry.unit.origin.source();
        let source = source.and_then(|name| self.sources.get(name));
        let revision = resolved.version.commit.clone();
        let version = revision.map(|revision| ResolvedVersion {
            label: resolved.version.label.clone(),
            revision,
        });
        self.age(source, version)
    }

    fn of_layer(&self, pin: &Pin) -> ReleaseAge {
        let source = pin.source.name().and_then(|name| self.sources.get(name));
        self.age(source, Some(version_of(pin)))
    }

    fn of_base(&self, base: &RepositoryBase, pin: &Pin) -> ReleaseAge {
        let context = self.world.environment.source_context(&self.sources.project);
        let source = self.world.sources.open(&base.url, &context);
        self.age(Some(&*source), Some(version_of(pin)))
    }
}

fn unreachable_policy(label: &str, severity: Severity) -> Diagnostic {
    let message = format!("cannot read the policy `{label}`");
    let mut diagnostic = Diagnostic::new(&codes::POLICY_UNREACHABLE, message);
    diagnostic.severity = severity;
    diagnostic.help("check the path, or set `on-unreachable = \"warn\"` in a nearer policy")
}
