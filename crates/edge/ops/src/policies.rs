//! The policies that every install is judged by.

use std::sync::Arc;

use agpm_compose::{JudgedFile, RenderedResource, judged_layers, judged_resources, judged_version};
use agpm_diag::{Diagnostic, Failure, FailureKind, Notes, Severity, codes, has_errors};
use agpm_model::{BaseAddress, LockedLayer, Manifest, Pin, Policy, ResolvedVersion, RuleName};
use agpm_resolve::{ReleaseLimit, ResolvedEntry};
use agpm_source::Source;
use agpm_text::Format;
use agpm_trust::{
    CapabilitySet, JudgedContent, JudgedVersion, PlacedPolicy, PolicyPlace, PolicySet, ReleaseAge,
    UnreachablePolicy, Violation,
};

use crate::bases::LoadedBase;
use crate::documents::document_of;
use crate::gather::Project;
use crate::packages::Sources;
use crate::policy_files::PolicyFile;
use crate::world::World;
use agpm_layers::LayeredFile;

/// All policies that apply.
#[derive(Debug, Default)]
pub(crate) struct Policies(PolicySet);

impl Policies {
    /// Reads the policies; one with a mistake, or that cannot be read, stops the run.
    pub(crate) fn read(
        files: Vec<PolicyFile>,
        manifest: &Manifest,
        notes: &mut Notes,
    ) -> Result<Self, Failure> {
        let in_place = |place| {
            move |policy: &Policy| PlacedPolicy {
                place,
                policy: policy.clone(),
            }
        };
        let bases = manifest
            .base_policies
            .iter()
            .map(in_place(PolicyPlace::Base));
        let own = manifest.policy.iter().map(in_place(PolicyPlace::Project));
        let mut policies: Vec<PlacedPolicy> = bases.chain(own).collect();
        let mut unreachable = Vec::new();
        let found_before = notes.diagnostics.len();
        for file in files {
            let place = file.place;
            let Some(bytes) = file.bytes else {
                let name = file.shown;
                unreachable.push(UnreachablePolicy { place, name });
                continue;
            };
            let document = document_of(file.shown, bytes, Format::Toml, notes)?;
            let (policy, mistakes) = Policy::read(&document);
            notes.diagnostics.extend(mistakes);
            policies.push(PlacedPolicy { place, policy });
        }
        if has_errors(&notes.diagnostics[found_before..]) {
            return Err(Failure::reported());
        }
        let policies = PolicySet::new(policies);
        for missing in unreachable {
            if !policies.tolerates(&missing) {
                let diagnostic = unreachable_policy(&missing.name, Severity::Error);
                return Err(Failure::new(FailureKind::Network, diagnostic));
            }
            let warning = unreachable_policy(&missing.name, Severity::Warning);
            notes.diagnostics.push(warning);
        }
        Ok(Policies(policies))
    }

    /// Those of a project.
    pub(crate) fn of(project: &mut Project, notes: &mut Notes) -> Result<Self, Failure> {
        let files = std::mem::take(&mut project.policy_files);
        Policies::read(files, &project.manifest, notes)
    }

    /// The policies themselves.
    pub(crate) fn set(&self) -> &PolicySet {
        &self.0
    }

    /// How old versions must be that a requirement leaves a choice of.
    pub(crate) fn release_limit(&self, world: &World) -> Option<ReleaseLimit> {
        let now = (world.clock)();
        let min_age = self.0.min_release_age()?;
        Some(ReleaseLimit { min_age, now })
    }

    /// Refuses content that one of the policies forbids.
    pub(crate) fn check(
        &self,
        project: &Project,
        resources: &[RenderedResource],
        layers: &JudgedLayers<'_>,
        dates: &ReleaseDates<'_>,
    ) -> Vec<Diagnostic> {
        if self.0.count() == 0 {
            return Vec::new();
        }
        let manifest = &project.manifest;
        let judges_age = self.0.min_release_age().is_some();
        // Asking for a date reads the commit, so nobody asks who does not judge it.
        let age_of = |resolved: &ResolvedEntry| {
            if judges_age {
                dates.age_of(resolved)
            } else {
                ReleaseAge::Unknown
            }
        };
        let version_of = |source: Option<&dyn Source>, pin: &Pin| {
            let age = if judges_age {
                dates.age_of_pin(source, pin)
            } else {
                ReleaseAge::Unknown
            };
            judged_version(pin, age)
        };
        let files: Vec<JudgedFile<'_>> = layers.files.iter().map(judged_file).collect();
        let mut contents: Vec<JudgedContent<'_>> = judged_resources(manifest, resources, &age_of);
        contents.extend(judged_layers(manifest, &files));
        let pinned = layers.locked.iter().filter_map(|layer| {
            let pin = layer.pin.as_ref()?;
            let source = pin.source.name().and_then(|name| dates.sources.get(name));
            let version = version_of(source, pin);
            Some(judged_version_of(layer.name.label(), version))
        });
        contents.extend(pinned);
        contents.extend(project.bases.iter().filter_map(judged_base));
        let bases: Vec<JudgedContent<'_>> = project
            .bases
            .iter()
            .filter_map(|base| {
                let pin = base.locked.pin.as_ref()?;
                let source = dates.source_of(base)?;
                let version = version_of(Some(&*source), pin);
                Some(judged_version_of(base.locked.name().label(), version))
            })
            .collect();
        let mut violations = self.0.violations(&contents);
        violations.extend(self.0.base_violations(&bases));
        violations.iter().map(report_violation).collect()
    }
}

/// A base in a repository, which has a source and a version like everything that it brings.
fn judged_base(base: &LoadedBase) -> Option<JudgedContent<'_>> {
    let BaseAddress::Repository(repository) = &base.address else {
        return None;
    };
    Some(JudgedContent {
        id: base.locked.name().label(),
        types: Vec::new(),
        tools: Vec::new(),
        source: Some(&repository.url),
        version: None,
        capabilities: CapabilitySet::default(),
        chain: Vec::new(),
    })
}

/// The layers of a project: what they give, and their versions.
pub(crate) struct JudgedLayers<'a> {
    pub(crate) files: &'a [LayeredFile],
    pub(crate) locked: &'a [LockedLayer],
}

/// The version of a layer or base, whatever its files are.
fn judged_version_of(id: String, version: JudgedVersion) -> JudgedContent<'static> {
    JudgedContent {
        id,
        types: Vec::new(),
        tools: Vec::new(),
        source: None,
        version: Some(version),
        capabilities: CapabilitySet::default(),
        chain: Vec::new(),
    }
}

/// How old versions are.
pub(crate) struct ReleaseDates<'a> {
    pub(crate) world: &'a World,
    pub(crate) sources: &'a Sources,
}

impl ReleaseDates<'_> {
    fn age_of(&self, resolved: &ResolvedEntry) -> ReleaseAge {
        let source = resolved.entry.unit.origin.source();
        let source = source.and_then(|name| self.sources.get(name));
        let version = resolved
            .version
            .commit
            .clone()
            .map(|revision| ResolvedVersion {
                label: resolved.version.label.clone(),
                revision,
            });
        self.age(source, version)
    }

    fn age_of_pin(&self, source: Option<&dyn Source>, pin: &Pin) -> ReleaseAge {
        let version = ResolvedVersion {
            label: pin.version.clone(),
            revision: pin.commit.clone(),
        };
        self.age(source, Some(version))
    }

    fn age(&self, source: Option<&dyn Source>, version: Option<ResolvedVersion>) -> ReleaseAge {
        let dates = source.zip(version);
        let dates = dates.map(|(source, version)| source.released(&[version]));
        let released = dates.into_iter().flatten().next().flatten();
        ReleaseAge::of(released, (self.world.clock)())
    }

    fn source_of(&self, base: &LoadedBase) -> Option<Arc<dyn Source>> {
        let BaseAddress::Repository(repository) = &base.address else {
            return None;
        };
        let context = self.world.environment.source_context(&self.sources.project);
        Some(self.world.sources.open(&repository.url, &context))
    }
}

fn judged_file(file: &LayeredFile) -> JudgedFile<'_> {
    JudgedFile {
        path: &file.path,
        bytes: &file.bytes,
        mode: file.mode,
        owner: &file.owner,
        nodes: file.keys.as_ref().map_or(&[], |keys| keys.nodes.as_slice()),
    }
}

fn unreachable_policy(shown: &str, severity: Severity) -> Diagnostic {
    let message = format!("cannot read the policy `{shown}`");
    let mut diagnostic = Diagnostic::new(&codes::POLICY_UNREACHABLE, message);
    diagnostic.severity = severity;
    diagnostic.help("check the path, or set `on-unreachable = \"warn\"` in a nearer policy")
}

fn report_violation(violation: &Violation) -> Diagnostic {
    let Violation {
        rule,
        message,
        id,
        chain,
        spot,
    } = violation;
    let message = match rule {
        RuleName::Require => format!("policy `{rule}` is not met: {message}"),
        _ => format!("policy `{rule}` forbids {id}: {message}"),
    };
    let diagnostic = Diagnostic::new(&codes::POLICY_VIOLATION, message).at_spot(*spot);
    let required = (!chain.is_empty()).then(|| format!("required by {}", chain.join(" -> ")));
    diagnostic.in_unit(id.clone()).details(required)
}
