//! Where personas are looked for: the folders from the top of the outermost repository down to the working folder.

use std::path::{Path, PathBuf};

use agpm_diag::{Diagnostic, Failure, FailureKind, Notes, codes};
use agpm_git::GitError;
use agpm_store::{self as store, Reached, SystemUser};

use crate::gather::unknown_name;
use crate::packages::git;
use crate::reading::shown;
use crate::world::{Environment, World};

/// What holds the personas of a folder.
const CLIA: &str = ".clia";

/// Where to look for personas.
#[derive(Clone, Debug, Default)]
pub struct LineagePlace {
    /// The folder to stand in; the working folder if there is none.
    pub path: Option<PathBuf>,
    /// The topmost folder that counts; the root of the outermost repository if there is none.
    pub ceiling: Option<PathBuf>,
    /// Which submodules count besides the one that the folder is in.
    pub submodules: Submodules,
}

/// Which submodules have a say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Submodules {
    /// The one that one stands in.
    #[default]
    Own,
    /// All of the current repository.
    All,
}

/// A folder that may hold personas.
#[derive(Clone, Debug)]
pub(crate) struct Level {
    pub(crate) folder: PathBuf,
    /// From the top, as users see it.
    pub(crate) label: String,
    /// Links may not lead out of here.
    pub(crate) repository: PathBuf,
}

impl Level {
    /// The folder of all its personas.
    pub(crate) fn agents(&self) -> PathBuf {
        self.folder.join(CLIA).join("agents")
    }
}

/// All folders that count, lowest first.
#[derive(Clone, Debug)]
pub(crate) struct Levels {
    /// The topmost folder; paths are told from there.
    pub(crate) top: PathBuf,
    /// The innermost repository that one stands in, if any.
    pub(crate) repository: Option<PathBuf>,
    pub(crate) list: Vec<Level>,
}

impl Levels {
    pub(crate) fn find(
        world: &World,
        place: &LineagePlace,
        notes: &mut Notes,
    ) -> Result<Self, Failure> {
        let environment = &world.environment;
        let folder = real_folder(environment, place.path.as_deref().unwrap_or(Path::new("")))?;
        let top = match &place.ceiling {
            Some(ceiling) => {
                let top = real_folder(environment, ceiling)?;
                folder
                    .starts_with(&top)
                    .then_some(top)
                    .ok_or_else(|| not_above(environment, ceiling))?
            }
            None => folder
                .ancestors()
                .filter(|above| is_root(above))
                .last()
                .unwrap_or(&folder)
                .to_owned(),
        };
        let repository = repository_of(&folder).map(Path::to_owned);
        let mut levels = Levels {
            top,
            repository,
            list: Vec::new(),
        };
        let folders: Vec<&Path> = folder
            .ancestors()
            .take_while(|above| above.starts_with(&levels.top))
            .collect();
        // Anybody may write into a folder such as `/tmp`, and would speak to every model below it.
        let (folders, foreign): (Vec<&Path>, Vec<&Path>) = folders
            .into_iter()
            .partition(|above| *above == folder || !is_foreign(above, &folder));
        notes.diagnostics.extend(foreign.into_iter().map(ignored));
        let submodules = levels.submodules(world, place.submodules, &folder)?;
        for folder in folders.into_iter().rev() {
            let before = if levels.is_first_of_repository(folder) {
                submodules.as_slice()
            } else {
                &[]
            };
            let new: Vec<Level> = before.iter().map(|path| levels.level(path)).collect();
            levels.list.extend(new);
            levels.list.push(levels.level(folder));
        }
        notes.log.push(format!(
            "personas are looked for from {} down",
            shown(environment, &levels.top)
        ));
        Ok(levels)
    }

    /// Whether it is the topmost folder of the repository that one stands in.
    fn is_first_of_repository(&self, folder: &Path) -> bool {
        match &self.repository {
            Some(root) if root.starts_with(&self.top) => folder == root,
            _ => folder == self.top,
        }
    }

    fn level(&self, folder: &Path) -> Level {
        let repository = repository_of(folder).unwrap_or(&self.top).to_owned();
        Level {
            folder: folder.to_owned(),
            label: self.label(folder),
            repository,
        }
    }

    /// A path as it is told: from the top, or as it is where it is elsewhere.
    pub(crate) fn label(&self, path: &Path) -> String {
        let short = path.strip_prefix(&self.top).map(Path::to_owned).ok();
        let short = short.or_else(|| {
            // A ceiling may be below the root of its repository.
            let shared = repository_of(&self.top).filter(|root| path.starts_with(root));
            shared.and_then(|root| from_here(&self.top, path, root))
        });
        let shown = short
            .as_deref()
            .unwrap_or(path)
            .to_string_lossy()
            .replace('\\', "/");
        if shown.is_empty() {
            ".".to_owned()
        } else {
            shown
        }
    }

    /// The other submodules of the current repository, in the order of their paths.
    fn submodules(
        &self,
        world: &World,
        wanted: Submodules,
        folder: &Path,
    ) -> Result<Vec<PathBuf>, Failure> {
        let (Submodules::All, Some(root)) = (wanted, &self.repository) else {
            return Ok(Vec::new());
        };
        let environment = &world.environment;
        let git = git(environment);
        let mut paths: Vec<PathBuf> = git
            .submodules(root)
            .map_err(git_failed)?
            .iter()
            .map(|path| root.join(path))
            .collect();
        paths.retain(|path| !folder.starts_with(path) && is_root(path));
        paths.sort();
        paths.dedup();
        Ok(paths)
    }
}

/// Whether the personas of a folder above belong to somebody who has no business in this one.
fn is_foreign(above: &Path, folder: &Path) -> bool {
    SystemUser::of(&above.join(CLIA)).is_some_and(|owner| !owner.is_trusted_in(folder))
}

fn ignored(above: &Path) -> Diagnostic {
    let path = above.join(CLIA);
    let message = format!(
        "`{}` belongs to another user and is ignored",
        path.display()
    );
    let help = "copy the personas that you trust into the repository";
    Diagnostic::new(&codes::TRUST_OWNER, message).help(help)
}

/// A path from a folder, with `..` as far as the two have a folder in common that is not above `top`.
pub(crate) fn from_here(here: &Path, path: &Path, top: &Path) -> Option<PathBuf> {
    let shared = here
        .ancestors()
        .find(|above| path.starts_with(above))
        .filter(|above| above.starts_with(top))?;
    let up = here
        .strip_prefix(shared)
        .ok()?
        .components()
        .map(|_| PathBuf::from(".."));
    Some(
        up.chain([path.strip_prefix(shared).ok()?.to_owned()])
            .collect(),
    )
}

/// The root of the innermost repository that holds a path.
pub(crate) fn repository_of(path: &Path) -> Option<&Path> {
    path.ancestors().find(|above| is_root(above))
}

fn is_root(folder: &Path) -> bool {
    store::exists(&folder.join(".git"))
}

fn real_folder(environment: &Environment, path: &Path) -> Result<PathBuf, Failure> {
    let full = environment.resolve(path);
    match store::reach(&full).map_err(|error| error.seen_from(&environment.folder))? {
        Some(Reached::Folder(real)) => Ok(real),
        found => {
            let name = shown(environment, &full);
            let what = if found.is_some() {
                "is no folder"
            } else {
                "is not there"
            };
            let diagnostic = Diagnostic::new(&codes::IO_NOT_FOUND, format!("`{name}` {what}"));
            Err(diagnostic.in_file(name).help("name a folder").into())
        }
    }
}

/// What git could not tell of the repository that one stands in.
pub(crate) fn git_failed(error: GitError) -> Failure {
    match error {
        GitError::NoSuchCommit { commit, .. } => unknown_name(
            "revision",
            &commit,
            Some("name a commit, a branch or a tag of this repository".to_owned()),
        ),
        error => {
            let help = "look at what `git status` says in this folder; git 2.41 or later is needed";
            Diagnostic::new(&codes::SOURCE_GIT, error.to_string())
                .help(help)
                .into()
        }
    }
}

fn not_above(environment: &Environment, ceiling: &Path) -> Failure {
    let name = shown(environment, &environment.resolve(ceiling));
    let message =
        format!("the ceiling `{name}` is not above the folder that personas are looked up from");
    let help = "name that folder itself or one above it";
    Failure::new(
        FailureKind::Usage,
        Diagnostic::new(&codes::USAGE, message).help(help),
    )
}
