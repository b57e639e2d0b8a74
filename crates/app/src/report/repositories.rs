//! Projects in repositories: their manifest and lockfile are fetched, and nothing else.

use std::path::Path;

use agpm_diag::{Diagnostic, Failure, FailureKind, codes};
use agpm_model::{
    Address, AddressContext, DefaultHost, LOCK_NAME, RelativePath, RepositoryAddress, Requirement,
    SourceAddress,
};
use agpm_source::{SourceError, resolve};
use agpm_store::{ConfinedDirectory, TemporaryDirectory, parallel};

use crate::manifest::MANIFEST_NAME;
use crate::project::reading::{display_path, limit};
use crate::project::source_failure::source_failure_of;
use crate::project::world::World;
use crate::report::project_rows::{DiskUse, project_rows, reason};
use crate::report::row::ProjectRows;

/// A repository of the file, with the version to read.
struct ListedRepository {
    /// The line, without secrets.
    name: String,
    url: SourceAddress,
    requirement: Option<Requirement>,
}

/// The rows of each repository in a file.
pub(super) fn repository_rows(world: &World, file: &Path) -> Result<Vec<ProjectRows>, Failure> {
    let path = world.environment.resolve(file);
    let name = display_path(&world.environment, &path);
    let bytes = agpm_store::read(&path, limit())
        .map_err(|error| error.seen_from(&world.environment.working_directory))?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let mut listed = Vec::new();
    let mut mistakes = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        match listed_repository(line) {
            Ok(repository) => listed.push(repository),
            Err(why) => mistakes.push(format!("line {}: {why}", number + 1)),
        }
    }
    if !mistakes.is_empty() {
        let message = format!("`{name}` has lines that are not URLs of repositories");
        let diagnostic = Diagnostic::new(&codes::USAGE, message)
            .details(mistakes)
            .help("write one URL in each line, such as `https://git.corp/team/app`; `#` starts a comment");
        return Err(Failure::new(FailureKind::Usage, diagnostic));
    }
    let mut rows = parallel::map_waiting(listed, |repository| rows_of(world, &repository));
    rows.sort_by(|a, b| a.project.cmp(&b.project));
    Ok(rows)
}

fn listed_repository(line: &str) -> Result<ListedRepository, String> {
    let host = DefaultHost::default();
    let context = AddressContext {
        default_host: &host,
        is_source: &|_| false,
    };
    let address = Address::parse(line, &context).map_err(|error| error.to_string())?;
    match address {
        Address::Repository(RepositoryAddress { url, inner }) => Ok(ListedRepository {
            name: url.redacted().to_owned(),
            requirement: inner.requirement.map(Requirement::Version),
            url,
        }),
        Address::Local(path) => Ok(ListedRepository {
            url: SourceAddress::parse(&path).map_err(|error| error.to_string())?,
            name: path,
            requirement: None,
        }),
        _ => Err(format!("`{line}` is not the URL of a repository")),
    }
}

fn rows_of(world: &World, repository: &ListedRepository) -> ProjectRows {
    match read_repository(world, repository) {
        Ok(rows) => rows,
        Err(failure) => ProjectRows {
            project: repository.name.clone(),
            error: Some(reason(failure, &agpm_diag::Notes::default())),
            ..ProjectRows::default()
        },
    }
}

fn read_repository(world: &World, repository: &ListedRepository) -> Result<ProjectRows, Failure> {
    let environment = &world.environment;
    let context = environment.source_context(&environment.working_directory);
    let source = world.sources.open_versioned(&repository.url, &context);
    let failed = |error: SourceError| source_failure_of(&repository.name, error);
    let commit = match &repository.requirement {
        None => {
            let versions = source.versions().map_err(failed)?;
            let branch = versions.default_branch.as_ref();
            let commit = branch
                .and_then(|branch| versions.branches.get(branch))
                .cloned();
            commit.ok_or_else(|| unborn(&repository.name))?
        }
        Some(requirement) => {
            let resolved = resolve(&*source, requirement).map_err(failed)?;
            let resolved = resolved.ok_or_else(|| unknown_version(repository, requirement))?;
            resolved.revision
        }
    };
    let names = [MANIFEST_NAME, LOCK_NAME];
    let files = source.read_top(&commit, &names).map_err(failed)?;
    if files[0].is_none() {
        let message = format!("no `{MANIFEST_NAME}` at the top of the repository");
        return Err(Diagnostic::new(&codes::MANIFEST_MISSING, message).into());
    }
    // Relative sources of the manifest lead nowhere from here, and are reported as unknown.
    let directory = TemporaryDirectory::new()?;
    let into = ConfinedDirectory::open(directory.path())?;
    for (name, bytes) in names.iter().zip(&files) {
        if let (Ok(path), Some(bytes)) = (RelativePath::new(name), bytes) {
            into.create_new(&path, bytes)?;
        }
    }
    let manifest = directory.path().join(MANIFEST_NAME);
    let rows = project_rows(world, repository.name.clone(), &manifest, DiskUse::Absent);
    Ok(ProjectRows {
        commit: Some(commit.to_string()),
        ..rows
    })
}

fn unborn(name: &str) -> Failure {
    let message = format!("`{name}` has no default branch");
    Diagnostic::new(&codes::SOURCE_GIT, message).into()
}

fn unknown_version(repository: &ListedRepository, requirement: &Requirement) -> Failure {
    let message = format!("`{}` has no version `{requirement}`", repository.name);
    Diagnostic::new(&codes::SOURCE_GIT, message).into()
}
