//! What is installed, what could be newer and what is not as it was installed, without asking anyone.

use std::collections::BTreeMap;

use agpm_diag::{Diagnostic, Failure, Notes, Outcome, Severity};
use serde::{Serialize, Serializer};

use crate::gather::ManifestFiles;
use crate::locked::LockView;
use crate::outdated::{OutdatedReport, OutdatedRequest, outdated};
use crate::verify::{SourceUse, VerifyReport, find_drift};
use crate::world::{ManifestUse, Network, World};

/// How a project stands.
#[derive(Debug, Serialize)]
pub struct StatusReport {
    /// Whether a manifest was found.
    #[serde(serialize_with = "is_found")]
    pub project: ProjectFound,
    /// How many resources of each type are installed, by the word of the type.
    pub installed: BTreeMap<&'static str, usize>,
    /// What could be newer, as far as earlier runs know; nothing if they do not.
    pub outdated: Option<OutdatedReport>,
    /// What is not as it was installed.
    pub drift: VerifyReport,
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
    if ManifestFiles::find(&world.environment, ManifestUse::Nearest)?.is_none() {
        let drift = VerifyReport {
            checked: 0,
            findings: Vec::new(),
        };
        let (project, installed) = (ProjectFound::No, BTreeMap::new());
        return Ok(StatusReport {
            project,
            installed,
            outdated: None,
            drift,
        });
    }
    let view = LockView::load(world, notes)?;
    let mut installed = BTreeMap::new();
    for entry in &view.entries {
        *installed.entry(entry.kind.plural()).or_default() += 1;
    }
    let outdated = if view.entries.is_empty() {
        None
    } else {
        known_outdated(world, notes)
    };
    let drift = find_drift(world, SourceUse::CachedOnly, notes)?;
    Ok(StatusReport {
        project: ProjectFound::Yes,
        installed,
        outdated,
        drift,
    })
}

/// What could be newer, out of what was fetched before.
fn known_outdated(world: &World, notes: &mut Notes) -> Option<OutdatedReport> {
    let mut world = world.clone();
    world.environment.network = Network::Offline;
    let outcome = outdated(&world, &OutdatedRequest::default());
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
