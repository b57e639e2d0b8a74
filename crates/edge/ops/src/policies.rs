//! The policies that every install is judged by.

use agpm_diag::{Diagnostic, Failure, FailureKind, Notes, Severity, codes, has_errors};
use agpm_install::ReleaseAges;
use agpm_model::{Manifest, ObjectId, Pin, Policy, ResolvedVersion, SourceName};
use agpm_resolve::ResolvedEntry;
use agpm_text::Format;
use agpm_trust::{PlacedPolicy, PolicyPlace, PolicySet, ReleaseAge, UnreachablePolicy};

use crate::documents::document_of;
use crate::gather::Project;
use crate::packages::Sources;
use crate::policy_files::PolicyFile;

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
}

/// How old versions are.
pub(crate) struct ReleaseDates<'a> {
    pub(crate) sources: &'a Sources,
    /// In seconds since 1970.
    pub(crate) now: u64,
}

impl ReleaseDates<'_> {
    fn age(
        &self,
        source: Option<&SourceName>,
        label: &str,
        revision: Option<&ObjectId>,
    ) -> ReleaseAge {
        let released = || {
            let source = self.sources.get(source?)?;
            let version = ResolvedVersion {
                label: label.to_owned(),
                revision: revision?.clone(),
            };
            source.released(&[version]).into_iter().next()?
        };
        ReleaseAge::of(released(), self.now)
    }
}

impl ReleaseAges for ReleaseDates<'_> {
    fn of_resource(&self, resolved: &ResolvedEntry) -> ReleaseAge {
        let source = resolved.entry.unit.origin.source();
        let version = &resolved.version;
        self.age(source, &version.label, version.commit.as_ref())
    }

    fn of_pin(&self, pin: &Pin) -> ReleaseAge {
        self.age(pin.source.name(), &pin.version, Some(&pin.commit))
    }
}

fn unreachable_policy(shown: &str, severity: Severity) -> Diagnostic {
    let message = format!("cannot read the policy `{shown}`");
    let mut diagnostic = Diagnostic::new(&codes::POLICY_UNREACHABLE, message);
    diagnostic.severity = severity;
    diagnostic.help("check the path, or set `on-unreachable = \"warn\"` in a nearer policy")
}
