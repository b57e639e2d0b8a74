//! `can`: who can run, connect, use, read or instruct, because of which file and line.

mod installed;
mod locked;
mod report;

pub use report::{Ability, CanReport, ProjectAbilities};

use std::path::{Path, PathBuf};

use agpm_diag::{Diagnostic, Failure, FailureKind, Notes, Outcome, codes};
use agpm_store::{self as store, parallel};
use agpm_trust::CapabilityQuery;

use crate::project::reading::{display_path, limit};
use crate::project::world::World;

/// The arguments of `can`.
#[derive(Clone, Debug)]
pub struct CanRequest {
    /// The question.
    pub query: CapabilityQuery,
    /// The projects; the working directory if empty.
    pub directories: Vec<PathBuf>,
    /// A file with more projects, one on each line.
    pub from: Option<PathBuf>,
    /// The evidence.
    pub evidence: CanEvidence,
}

/// Where the answer is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CanEvidence {
    /// In the files that clients read.
    Installed,
    /// In the lockfile.
    Locked,
}

/// Answers a question about many projects. Nothing is fetched, and nothing is written.
pub fn can(world: &World, request: &CanRequest) -> Outcome<CanReport> {
    let mut notes = Notes::default();
    let result = run(world, request, &mut notes);
    notes.outcome(result)
}

fn run(world: &World, request: &CanRequest, notes: &mut Notes) -> Result<CanReport, Failure> {
    let directories = directories(world, request)?;
    let read = parallel::map(
        directories.iter().collect(),
        |directory: &PathBuf| match request.evidence {
            CanEvidence::Installed => installed::abilities(&request.query, directory),
            CanEvidence::Locked => locked::abilities(&request.query, directory),
        },
    );
    let mut report = CanReport {
        capability: request.query.to_string(),
        checked: directories.len(),
        able: Vec::new(),
    };
    for (directory, abilities) in directories.iter().zip(read) {
        let project = display_path(&world.environment, directory);
        let project = if project.is_empty() {
            ".".to_owned()
        } else {
            project
        };
        match abilities {
            Ok(abilities) if abilities.is_empty() => {}
            Ok(abilities) => report.able.push(ProjectAbilities { project, abilities }),
            // A project that cannot be read is not a project without the capability.
            Err(failure) => notes
                .diagnostics
                .extend(failure.diagnostic.map(|mut found| {
                    found.unit = Some(project);
                    found
                })),
        }
    }
    Ok(report)
}

/// The projects of a request, each once, in the order of the arguments.
fn directories(world: &World, request: &CanRequest) -> Result<Vec<PathBuf>, Failure> {
    let environment = &world.environment;
    let mut directories = Vec::new();
    for directory in &request.directories {
        directories.push(environment.resolve(directory));
    }
    if let Some(file) = &request.from {
        let path = environment.resolve(file);
        let bytes = store::read_regular(&path, limit())
            .map_err(|error| error.seen_from(&environment.working_directory))?;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let lines = text.lines().map(str::trim);
        let lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
        directories.extend(lines.map(|line| environment.resolve(Path::new(line))));
    }
    if request.directories.is_empty() && request.from.is_none() {
        directories.push(environment.working_directory.clone());
    }
    let mut known = std::collections::BTreeSet::new();
    directories.retain(|directory| known.insert(directory.clone()));
    // A misspelled directory must not look like one in which nobody can.
    let missing = directories.iter().find(|one| !store::is_directory(one));
    match missing {
        Some(missing) => {
            let shown = display_path(environment, missing);
            let diagnostic = Diagnostic::new(
                &codes::NAME_UNKNOWN,
                format!("`{shown}` is not a directory"),
            );
            let diagnostic =
                diagnostic.help("name directories of projects, or check the file of `--from`");
            Err(Failure::new(FailureKind::NotFound, diagnostic))
        }
        None => Ok(directories),
    }
}
