//! Finds the directories of personas on this machine.

use std::path::{Path, PathBuf};

use agpm_diag::{Diagnostic, Failure, FailureKind, Notes, codes, unknown_name};
use agpm_model::ResolvedPath;
use agpm_persona::{LevelSearch, PersonaLevels, PersonaLibrary, repository_of};
use agpm_source::git::GitError;
use agpm_store::{self as store, Disk};

use crate::project::packages::git;
use crate::project::reading::display_path;
use crate::project::world::{Environment, World};

/// The directories to search for personas.
#[derive(Clone, Debug, Default)]
pub struct LineageScope {
    /// The lowest directory; `None` is the working directory.
    pub path: Option<PathBuf>,
    /// The highest directory; `None` is the root of the outermost repository.
    pub ceiling: Option<PathBuf>,
    /// The submodules that contribute in addition to the one around that directory.
    pub submodules: SubmoduleScope,
}

/// Which submodules contribute.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SubmoduleScope {
    /// Only the one around the directory.
    #[default]
    Own,
    /// All submodules of the current repository.
    All,
}

/// Opens the personas that are visible from a directory.
pub(crate) fn open_library(
    world: &World,
    scope: &LineageScope,
    notes: &mut Notes,
) -> Result<PersonaLibrary<'static>, Failure> {
    let environment = &world.environment;
    let directory = real_directory(environment, scope.path.as_deref().unwrap_or(Path::new("")))?;
    let ceiling = scope
        .ceiling
        .as_deref()
        .map(|ceiling| directory_above(environment, ceiling, &directory))
        .transpose()?;
    let search = LevelSearch {
        working_directory: store::real_path(&environment.working_directory),
        submodules: submodules(environment, scope.submodules, &directory)?,
        directory,
        ceiling,
    };
    let levels = PersonaLevels::find(&Disk, search, notes);
    notes.log.push(format!(
        "personas are looked for from {} down",
        display_path(environment, &levels.top)
    ));
    Ok(PersonaLibrary::open(levels, environment.outside))
}

fn submodules(
    environment: &Environment,
    wanted: SubmoduleScope,
    directory: &Path,
) -> Result<Vec<PathBuf>, Failure> {
    let (SubmoduleScope::All, Some(root)) = (wanted, repository_of(&Disk, directory)) else {
        return Ok(Vec::new());
    };
    let paths = git(environment).submodules(root).map_err(git_failure)?;
    Ok(paths.iter().map(|path| root.join(path)).collect())
}

fn real_directory(environment: &Environment, path: &Path) -> Result<PathBuf, Failure> {
    let full = environment.resolve(path);
    match store::reach(&full).map_err(|error| error.seen_from(&environment.working_directory))? {
        Some(ResolvedPath::Directory(real)) => Ok(real),
        found => {
            let name = display_path(environment, &full);
            let what = if found.is_some() {
                "is not a directory"
            } else {
                "does not exist"
            };
            let diagnostic = Diagnostic::new(&codes::IO_NOT_FOUND, format!("`{name}` {what}"));
            Err(diagnostic.in_file(name).help("name a directory").into())
        }
    }
}

fn directory_above(
    environment: &Environment,
    ceiling: &Path,
    directory: &Path,
) -> Result<PathBuf, Failure> {
    let top = real_directory(environment, ceiling)?;
    if directory.starts_with(&top) {
        return Ok(top);
    }
    let name = display_path(environment, &environment.resolve(ceiling));
    let message = format!("the ceiling `{name}` is not a parent of the start directory");
    let diagnostic = Diagnostic::new(&codes::USAGE, message);
    let help = "set `--ceiling` to that directory or one of its parents";
    Err(Failure::new(FailureKind::Usage, diagnostic.help(help)))
}

/// Converts an error of git in the current repository to a failure.
pub(super) fn git_failure(error: GitError) -> Failure {
    match error {
        GitError::NoSuchCommit { commit, .. } => unknown_name(
            "revision",
            &commit,
            Some("name a commit, a branch or a tag of this repository".to_owned()),
        ),
        error => {
            let help = "run `git status` in this directory; git 2.34 or later is required";
            Diagnostic::new(&codes::SOURCE_GIT, error.to_string())
                .help(help)
                .into()
        }
    }
}
