//! The state of a project in one report.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use agpm_diag::{Code, Diagnostic, Severity, codes};
use agpm_model::{LockEntry, ToolName};
use agpm_resolve::LockView;
use serde::{Serialize, Serializer};

use crate::drift::VerifyReport;
use crate::outdated::OutdatedReport;

/// The state of a project.
#[derive(Debug, Serialize)]
pub struct StatusReport {
    /// Whether a manifest was found.
    #[serde(serialize_with = "is_found")]
    pub project: ProjectFound,
    /// The directory of the manifest.
    #[serde(flatten, serialize_with = "agpm_model::serialize_root")]
    pub root: Option<PathBuf>,
    /// The tools that resources are installed for.
    pub tools: BTreeSet<ToolName>,
    /// The number of installed resources by type.
    pub installed: BTreeMap<&'static str, usize>,
    /// Newer versions, as far as earlier runs know; `None` if they do not.
    pub outdated: Option<OutdatedReport>,
    /// Modified and missing files.
    pub drift: VerifyReport,
    /// The plan of an install; `None` if that needs the network.
    pub next: Option<NextInstall>,
}

/// The plan of an install.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct NextInstall {
    /// The number of files, keys and blocks that would change.
    pub changes: usize,
    /// The number of approvals that it needs.
    pub approvals: usize,
    /// The number of violated policy rules.
    pub violations: usize,
}

impl StatusReport {
    /// The state where no manifest was found.
    pub fn without_project() -> Self {
        StatusReport {
            project: ProjectFound::No,
            root: None,
            tools: BTreeSet::new(),
            installed: BTreeMap::new(),
            outdated: None,
            drift: VerifyReport::default(),
            next: None,
        }
    }

    /// The state of a project with this lockfile.
    pub fn of_project(root: PathBuf, view: &LockView) -> Self {
        let entries = &view.entries;
        let mut installed = BTreeMap::new();
        let is_written = |entry: &&LockEntry| !view.disabled.contains(&entry.id());
        for entry in entries.iter().filter(is_written) {
            *installed.entry(entry.kind.plural()).or_default() += 1;
        }
        StatusReport {
            project: ProjectFound::Yes,
            root: Some(root),
            tools: entries.iter().flat_map(LockEntry::tools).cloned().collect(),
            installed,
            ..StatusReport::without_project()
        }
    }

    /// The number of findings about missing content.
    pub fn missing(&self) -> usize {
        self.drift.missing()
    }

    /// The number of findings about changed content.
    pub fn modified(&self) -> usize {
        self.drift.modified()
    }
}

impl NextInstall {
    /// The approvals and violations of a plan with so many changes, from its findings.
    pub fn of(changes: usize, findings: &[Diagnostic]) -> Self {
        let count = |codes: &[&'static Code]| {
            let found = findings.iter();
            found.filter(|one| codes.contains(&one.code)).count()
        };
        NextInstall {
            changes,
            approvals: count(&[
                &codes::TRUST_INCREASE,
                &codes::TRUST_PROGRAM,
                &codes::PACKAGE_EXECUTABLE,
            ]),
            violations: count(&[&codes::POLICY_VIOLATION]),
        }
    }
}

/// The note why newer versions are unknown, without a label because its text is not kept.
pub fn outdated_unknown(why: Diagnostic) -> Diagnostic {
    let lines = std::iter::once(why.shown_message()).chain(why.details);
    let mut note = Diagnostic::new(why.code, "cannot check for newer versions")
        .details(lines)
        .help("run `agpm outdated`, which contacts the sources");
    note.severity = Severity::Note;
    note
}

/// Whether there is a project.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProjectFound {
    /// A manifest was found.
    Yes,
    /// No project was found.
    No,
}

fn is_found<S: Serializer>(project: &ProjectFound, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_bool(*project == ProjectFound::Yes)
}
