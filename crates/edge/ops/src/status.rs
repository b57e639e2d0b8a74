//! What is installed, what could be newer and what is not as it was installed, without asking anyone.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use agpm_diag::{Code, Diagnostic, Failure, FailureKind, Notes, Outcome, Severity, codes};
use agpm_inspect::VerifyReport;
use agpm_model::{LockEntry, ToolName};
use agpm_resolve::UpdateScope;
use serde::{Serialize, Serializer};

use crate::gather::ManifestFiles;
use crate::install::{Job, preview};
use crate::locked::lock_view;
use crate::outdated::{OutdatedReport, OutdatedRequest, outdated};
use crate::verify::{SourceUse, find_drift};
use crate::world::{ManifestUse, NetworkAccess, World};

/// How a project stands.
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
    /// How many resources of each type are installed, by the word of the type.
    pub installed: BTreeMap<&'static str, usize>,
    /// What could be newer, as far as earlier runs know; nothing if they do not.
    pub outdated: Option<OutdatedReport>,
    /// What is not as it was installed.
    pub drift: VerifyReport,
    /// What an install would do now; nothing if that takes a network.
    pub next: Option<NextInstall>,
}

/// What an install would do now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct NextInstall {
    /// How many files, keys and blocks would change.
    pub changes: usize,
    /// How many approvals it needs.
    pub approvals: usize,
    /// How many rules of policies it violates.
    pub violations: usize,
}

impl StatusReport {
    /// How many findings say that something is missing.
    pub fn missing(&self) -> usize {
        self.drift.missing()
    }

    /// How many findings say that something was changed.
    pub fn modified(&self) -> usize {
        self.drift.modified()
    }
}

/// Whether there is a project.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProjectFound {
    /// A manifest was found.
    Yes,
    /// None was, so that nothing is known.
    No,
}

fn is_found<S: Serializer>(project: &ProjectFound, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_bool(*project == ProjectFound::Yes)
}

/// Tells how a project stands; no connection is opened.
pub fn status(world: &World) -> Outcome<StatusReport> {
    let mut notes = Notes::default();
    let result = run(world, &mut notes);
    notes.each_once();
    notes.outcome(result)
}

fn run(world: &World, notes: &mut Notes) -> Result<StatusReport, Failure> {
    let Some(files) = ManifestFiles::find(&world.environment, ManifestUse::Nearest)? else {
        return Ok(StatusReport {
            project: ProjectFound::No,
            root: None,
            tools: BTreeSet::new(),
            installed: BTreeMap::new(),
            outdated: None,
            drift: VerifyReport::default(),
            next: None,
        });
    };
    let view = lock_view(world, notes)?;
    let mut installed = BTreeMap::new();
    for entry in &view.entries {
        *installed.entry(entry.kind.plural()).or_default() += 1;
    }
    let tools = view.entries.iter().flat_map(LockEntry::tools);
    let mut offline = world.clone();
    offline.environment.network = NetworkAccess::Offline;
    Ok(StatusReport {
        project: ProjectFound::Yes,
        root: Some(files.root().to_owned()),
        tools: tools.cloned().collect(),
        installed,
        outdated: (!view.entries.is_empty())
            .then(|| known_outdated(&offline, notes))
            .flatten(),
        drift: find_drift(world, SourceUse::CachedOnly, notes)?,
        next: next_install(&offline),
    })
}

/// What an install would do, as far as that is known without a connection.
fn next_install(world: &World) -> Option<NextInstall> {
    let job = Job::showing("status", UpdateScope::Nothing);
    let mut notes = Notes::default();
    let previewed = preview(world, &job, &mut notes);
    let (changes, failure) = match previewed {
        Ok(preview) => (preview.report.changes.len(), None),
        Err(failure) => (0, Some(failure)),
    };
    if failure
        .as_ref()
        .is_some_and(|one| one.kind == FailureKind::Network)
    {
        return None;
    }
    notes
        .diagnostics
        .extend(failure.and_then(|failure| failure.diagnostic));
    let count = |meant: &[&'static Code]| {
        let found = notes.diagnostics.iter();
        found.filter(|one| meant.contains(&one.code)).count()
    };
    Some(NextInstall {
        changes,
        approvals: count(&[
            &codes::TRUST_INCREASE,
            &codes::TRUST_PROGRAM,
            &codes::PACKAGE_EXECUTABLE,
        ]),
        violations: count(&[&codes::POLICY_VIOLATION]),
    })
}

/// What could be newer, out of what was fetched before.
fn known_outdated(world: &World, notes: &mut Notes) -> Option<OutdatedReport> {
    let outcome = outdated(world, &OutdatedRequest::default());
    match outcome.result {
        Ok(report) => Some(report),
        Err(_) => {
            notes
                .diagnostics
                .extend(outcome.diagnostics.into_iter().rev().take(1).map(not_known));
            None
        }
    }
}

/// The last word on why it is not known, as a note: its place is in a text that is not kept.
fn not_known(why: Diagnostic) -> Diagnostic {
    let message = format!("what could be newer is not known: {}", why.shown_message());
    let mut note = Diagnostic::new(why.code, message).help("`agpm outdated` asks the sources");
    note.severity = Severity::Note;
    note
}
