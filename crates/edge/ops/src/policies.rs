//! The policies that every install is judged by.

use agpm_compose::{JudgedFile, RenderedResource, judged_layers, judged_resources, judged_version};
use agpm_diag::{Diagnostic, Failure, FailureKind, Notes, Severity, codes, has_errors};
use agpm_model::{BaseAddress, LockedLayer, Manifest, Pin, Policy, ResolvedVersion, RuleName};
use agpm_resolve::ResolvedEntry;
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
        let age_of_pin = |pin: &Pin| {
            if judges_age {
                dates.age_of_pin(pin)
            } else {
                ReleaseAge::Unknown
            }
        };
        let files: Vec<JudgedFile<'_>> = layers.files.iter().map(judged_file).collect();
        let mut contents: Vec<JudgedContent<'_>> = judged_resources(manifest, resources, &age_of);
        contents.extend(judged_layers(manifest, &files));
        let pinned = layers.locked.iter().filter_map(|layer| {
            let pin = layer.pin.as_ref()?;
            Some(judged_layer_version(
                layer,
                judged_version(pin, age_of_pin(pin)),
            ))
        });
        contents.extend(pinned);
        contents.extend(project.bases.iter().filter_map(judged_base));
        let violations = self.0.violations(&contents);
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

/// The version of a layer, whatever its files are.
fn judged_layer_version(layer: &LockedLayer, version: JudgedVersion) -> JudgedContent<'static> {
    JudgedContent {
        id: layer.name.label(),
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
    pub(crate) sources: &'a Sources,
    /// In seconds since 1970.
    pub(crate) now: u64,
}

impl ReleaseDates<'_> {
    fn age_of(&self, resolved: &ResolvedEntry) -> ReleaseAge {
        ReleaseAge::of(self.released(resolved), self.now)
    }

    fn age_of_pin(&self, pin: &Pin) -> ReleaseAge {
        let released = || {
            let source = self.sources.get(pin.source.name()?)?;
            let version = ResolvedVersion {
                label: pin.version.clone(),
                revision: pin.commit.clone(),
            };
            source.released(&[version]).into_iter().next()?
        };
        ReleaseAge::of(released(), self.now)
    }

    fn released(&self, resolved: &ResolvedEntry) -> Option<u64> {
        let source = self.sources.get(resolved.entry.unit.origin.source()?)?;
        let version = ResolvedVersion {
            label: resolved.version.label.clone(),
            revision: resolved.version.commit.clone()?,
        };
        source.released(&[version]).into_iter().next()?
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
