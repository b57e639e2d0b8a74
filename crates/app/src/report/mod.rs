//! `agpm report`: who has what, at which version, over many projects or repositories.

mod judged_lock;
mod project_rows;
mod repositories;
mod row;

pub use row::{FleetReport, KeptPolicies, KeptVersions, ProjectRows, ResourceRow, RowFilter};

use std::path::{Path, PathBuf};

use agpm_diag::{Diagnostic, Failure, FailureKind, Notes, Outcome, codes};
use agpm_model::Address;
use agpm_store::parallel;

use crate::ci::manifests_below;
use crate::manifest::MANIFEST_NAME;
use crate::project::policy_cache::refresh_policies;
use crate::project::reading::display_path;
use crate::project::world::World;
use crate::report::project_rows::{DiskUse, project_rows};
use crate::report::repositories::repository_rows;

/// The directories between one that is named and a clone, as in `~/src/HOST/OWNER/REPO`.
const DEEPEST: usize = 4;

/// The arguments of `report`.
#[derive(Clone, Debug)]
pub struct ReportRequest {
    /// What is looked at.
    pub subject: ReportSubject,
    /// The rows to keep.
    pub filter: RowFilter,
}

/// What a report looks at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReportSubject {
    /// Projects in these directories, at any depth.
    Directories(Vec<PathBuf>),
    /// Repositories whose URLs are in this file, one in each line.
    Repositories(PathBuf),
}

/// Lists the resources of many projects.
pub fn report(world: &World, request: &ReportRequest) -> Outcome<FleetReport> {
    let mut notes = Notes::default();
    let result = run(world, request, &mut notes);
    notes.outcome(result)
}

fn run(world: &World, request: &ReportRequest, notes: &mut Notes) -> Result<FleetReport, Failure> {
    refresh_policies(world, notes)?;
    let world = &with_absolute_policies(world);
    let mut projects = match &request.subject {
        ReportSubject::Directories(directories) => {
            let mut manifests = Vec::new();
            for directory in directories {
                manifests.extend(projects_below(world, directory)?);
            }
            manifests.sort();
            manifests.dedup();
            // Most of the time is spent waiting for sources.
            parallel::map_waiting(manifests, |manifest| {
                let name = display_path(&world.environment, &manifest);
                let name = name.trim_end_matches(MANIFEST_NAME).trim_end_matches('/');
                let name = if name.is_empty() { "." } else { name };
                project_rows(world, name.to_owned(), &manifest, DiskUse::Compared)
            })
        }
        ReportSubject::Repositories(file) => repository_rows(world, file)?,
    };
    for project in &mut projects {
        project.rows.retain(|row| request.filter.keeps(row));
    }
    for project in &projects {
        if let Some(error) = &project.error {
            let message = format!("`{}` cannot be read", project.project);
            let found = Diagnostic::new(&codes::REPORT_UNREADABLE, message).detail(error);
            notes.diagnostics.push(found);
        }
    }
    Ok(FleetReport { projects })
}

/// The same world in any directory: a policy that is named by a path is the one of this directory.
fn with_absolute_policies(world: &World) -> World {
    let mut absolute = world.clone();
    let policies = &mut absolute.environment.policies;
    for named in [&mut policies.variable, &mut policies.argument]
        .into_iter()
        .flatten()
    {
        if !Address::has_scheme(named) {
            let path = world.environment.resolve(Path::new(named.as_str()));
            *named = path.to_string_lossy().into_owned();
        }
    }
    absolute
}

/// The manifests of the projects in a directory; none is not an error, because a directory of clones has others too.
fn projects_below(world: &World, directory: &Path) -> Result<Vec<PathBuf>, Failure> {
    let root = world.environment.resolve(directory);
    if !agpm_store::is_directory(&root) {
        let message = format!("`{}` is not a directory", directory.display());
        let diagnostic = Diagnostic::new(&codes::IO_NOT_FOUND, message)
            .help("name directories of projects, or one that has them");
        return Err(Failure::new(FailureKind::NotFound, diagnostic));
    }
    let mut found = Vec::new();
    search(world, &root, 0, &mut found)?;
    Ok(found)
}

/// Searches a project or a repository as `ci --recursive` does, and other directories by their subdirectories: a
/// directory of clones is much larger than what git lists in each.
fn search(
    world: &World,
    directory: &Path,
    depth: usize,
    found: &mut Vec<PathBuf>,
) -> Result<(), Failure> {
    let is_project = agpm_store::is_file(&directory.join(MANIFEST_NAME));
    if is_project || agpm_store::exists(&directory.join(".git")) {
        let mut environment = world.environment.clone();
        environment.working_directory = directory.to_owned();
        let manifests = match manifests_below(&environment) {
            Err(failure) if is_without_manifest(&failure) => Vec::new(),
            found => found?,
        };
        found.extend(manifests.iter().map(|manifest| directory.join(manifest)));
        return Ok(());
    }
    if depth == DEEPEST {
        return Ok(());
    }
    // A directory that cannot be read has no project that could.
    let names = agpm_store::directory_names(directory).unwrap_or_default();
    for name in names.iter().filter(|name| !name.starts_with('.')) {
        search(world, &directory.join(name), depth + 1, found)?;
    }
    Ok(())
}

fn is_without_manifest(failure: &Failure) -> bool {
    let found = failure.diagnostic.as_ref();
    found.is_some_and(|found| *found.code == codes::MANIFEST_MISSING)
}
