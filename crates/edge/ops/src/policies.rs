//! The policies that every install is judged by.

use agpm_compose::{JudgedFile, RenderedResource, judged_layers, judged_resources};
use agpm_diag::{Diagnostic, Failure, FailureKind, Notes, Severity, codes, has_errors};
use agpm_model::{ExecutableMode, Manifest, OnUnreachable, Policy, PolicyRow};
use agpm_resolve::ResolvedEntry;
use agpm_text::Format;
use agpm_trust::{JudgedContent, Violation, judge, missing_requirements};

use crate::gather::{Project, document_of};
use crate::packages::Sources;
use crate::policy_files::{PolicyFile, PolicyPlace};
use agpm_layers::LayeredFile;

/// All policies that apply, from near to far.
#[derive(Debug, Default)]
pub(crate) struct Policies(Vec<Policy>);

impl Policies {
    /// Reads the policies; one with a mistake, or that cannot be read, stops the run.
    pub(crate) fn read(
        files: Vec<PolicyFile>,
        manifest: &Manifest,
        notes: &mut Notes,
    ) -> Result<Self, Failure> {
        let mut policies: Vec<(PolicyPlace, Policy)> = Vec::new();
        let own = manifest.policy.clone();
        policies.extend(own.map(|policy| (PolicyPlace::Project, policy)));
        let mut unreachable = Vec::new();
        let found_before = notes.diagnostics.len();
        for file in files {
            let Some(bytes) = file.bytes else {
                unreachable.push((file.place, file.shown));
                continue;
            };
            let document = document_of(file.shown, bytes, Format::Toml, notes)?;
            let (policy, mistakes) = Policy::read(&document);
            notes.diagnostics.extend(mistakes);
            policies.push((file.place, policy));
        }
        if has_errors(&notes.diagnostics[found_before..]) {
            return Err(Failure::reported());
        }
        policies.sort_by_key(|(place, _)| *place);
        for (place, shown) in unreachable {
            let is_nearer = |(other, policy): &&(PolicyPlace, Policy)| {
                let answer = policy.on_unreachable.as_ref().map(|rule| rule.value);
                *other < place && answer == Some(OnUnreachable::Warn)
            };
            match policies.iter().find(is_nearer) {
                Some(_) => notes
                    .diagnostics
                    .push(unreachable_policy(&shown, Severity::Warning)),
                None => {
                    let diagnostic = unreachable_policy(&shown, Severity::Error);
                    return Err(Failure::new(FailureKind::Network, diagnostic));
                }
            }
        }
        Ok(Policies(
            policies.into_iter().map(|(_, policy)| policy).collect(),
        ))
    }

    /// Those of a project.
    pub(crate) fn of(project: &mut Project, notes: &mut Notes) -> Result<Self, Failure> {
        let files = std::mem::take(&mut project.policy_files);
        Policies::read(files, &project.manifest, notes)
    }

    /// Every rule, from near to far.
    pub(crate) fn rows(&self) -> Vec<PolicyRow> {
        self.0.iter().flat_map(Policy::rows).collect()
    }

    /// How many apply.
    pub(crate) fn count(&self) -> usize {
        self.0.len()
    }

    /// The strictest mode for content that runs something.
    pub(crate) fn executable_mode(&self) -> ExecutableMode {
        let modes = self
            .0
            .iter()
            .filter_map(|policy| policy.executables.as_ref());
        let strictest = modes.map(|rule| rule.value).max();
        strictest.unwrap_or(ExecutableMode::Allow)
    }

    /// Refuses content that one of the policies forbids.
    pub(crate) fn check(
        &self,
        manifest: &Manifest,
        resources: &[RenderedResource],
        layers: &[LayeredFile],
        dates: &ReleaseDates<'_>,
    ) -> Vec<Diagnostic> {
        if self.0.is_empty() {
            return Vec::new();
        }
        let judges_age = self.0.iter().any(|policy| policy.min_release_age.is_some());
        // Asking for a date reads the commit, so nobody asks who does not judge it.
        let age_of =
            |resolved: &ResolvedEntry| judges_age.then(|| dates.age_of(resolved)).flatten();
        let files: Vec<JudgedFile<'_>> = layers.iter().map(judged_file).collect();
        let mut contents: Vec<JudgedContent<'_>> = judged_resources(manifest, resources, &age_of);
        contents.extend(judged_layers(manifest, &files));
        let of_policy = |policy: &Policy| {
            let mut found: Vec<Violation> = contents
                .iter()
                .flat_map(|content| judge(policy, content))
                .collect();
            found.extend(missing_requirements(policy, &contents));
            found
        };
        let violations = self.0.iter().flat_map(of_policy);
        violations
            .map(|violation| report_violation(&violation))
            .collect()
    }
}

/// How old versions are.
pub(crate) struct ReleaseDates<'a> {
    pub(crate) sources: &'a Sources,
    /// In seconds since 1970.
    pub(crate) now: u64,
}

impl ReleaseDates<'_> {
    /// Seconds since the version of a resource was made. One that is dated after now has no age at all: a clock is wrong.
    fn age_of(&self, resolved: &ResolvedEntry) -> Option<u64> {
        let source = self.sources.get(resolved.entry.unit.origin.source()?)?;
        let released = source.released(resolved.version.commit.as_ref()?)?;
        Some(self.now.saturating_sub(released))
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
    let message = match *rule {
        "require" => format!("policy `{rule}` is not met: {message}"),
        _ => format!("policy `{rule}` forbids {id}: {message}"),
    };
    let diagnostic = Diagnostic::new(&codes::POLICY_VIOLATION, message).at_spot(*spot);
    let required = (!chain.is_empty()).then(|| format!("required by {}", chain.join(" -> ")));
    diagnostic.in_unit(id.clone()).details(required)
}
