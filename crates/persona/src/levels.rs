//! The directories that may contain personas: from the top of the outermost repository down to the working directory.

use std::path::{Path, PathBuf};

use agpm_diag::{Diagnostic, Notes, codes};
use agpm_model::MachineFiles;

/// The directory of personas.
pub(crate) const CLIA: &str = ".clia";

/// A directory that may contain personas.
#[derive(Clone, Debug)]
pub struct PersonaLevel {
    pub(crate) directory: PathBuf,
    /// The path from the top, as users see it.
    pub label: String,
    /// The repository that symlinks must not leave.
    pub(crate) repository: PathBuf,
}

impl PersonaLevel {
    /// The directory of all its personas.
    pub(crate) fn agents(&self) -> PathBuf {
        self.directory.join(CLIA).join("agents")
    }
}

/// The start and end of the search for personas. All paths are real ones.
#[derive(Clone, Debug)]
pub struct LevelSearch {
    /// The working directory, from which paths are displayed.
    pub working_directory: PathBuf,
    /// The lowest directory.
    pub directory: PathBuf,
    /// The topmost directory; `None` is the root of the outermost repository.
    pub ceiling: Option<PathBuf>,
    /// Other repositories inside the current one, which rank directly under it.
    pub submodules: Vec<PathBuf>,
}

/// All directories that may contain personas, lowest rank first.
pub struct PersonaLevels<'f> {
    pub(crate) files: &'f dyn MachineFiles,
    working_directory: PathBuf,
    /// The topmost directory, from which paths are displayed.
    pub top: PathBuf,
    /// The innermost repository around the lowest directory.
    pub repository: Option<PathBuf>,
    /// The levels, lowest rank first.
    pub list: Vec<PersonaLevel>,
}

impl<'f> PersonaLevels<'f> {
    /// Finds the levels.
    pub fn find(files: &'f dyn MachineFiles, search: LevelSearch, notes: &mut Notes) -> Self {
        let LevelSearch {
            working_directory,
            directory,
            ceiling,
            mut submodules,
        } = search;
        let repository = repository_of(files, &directory).map(Path::to_owned);
        let outermost = || {
            directory
                .ancestors()
                .filter(|above| is_root(files, above))
                .last()
        };
        let top = ceiling.unwrap_or_else(|| outermost().unwrap_or(&directory).to_owned());
        let mut levels = PersonaLevels {
            files,
            working_directory,
            top,
            repository,
            list: Vec::new(),
        };
        submodules.retain(|path| !directory.starts_with(path) && is_root(files, path));
        submodules.sort();
        submodules.dedup();
        let mut directories: Vec<&Path> = directory
            .ancestors()
            .take_while(|above| above.starts_with(&levels.top))
            .collect();
        // Anyone may write to a directory such as `/tmp`, and would reach every model under it.
        directories.retain(|above| {
            let is_trusted = *above == directory || files.is_trusted(&above.join(CLIA), &directory);
            if !is_trusted {
                notes.diagnostics.push(ignored(above));
            }
            is_trusted
        });
        for directory in directories.into_iter().rev() {
            if levels.is_first_of_repository(directory) {
                for path in &submodules {
                    levels.push(path);
                }
            }
            levels.push(directory);
        }
        levels
    }

    /// Whether a directory is the topmost one of the current repository.
    fn is_first_of_repository(&self, directory: &Path) -> bool {
        match &self.repository {
            Some(root) if root.starts_with(&self.top) => directory == root,
            _ => directory == self.top,
        }
    }

    fn push(&mut self, directory: &Path) {
        let repository = repository_of(self.files, directory)
            .unwrap_or(&self.top)
            .to_owned();
        self.list.push(PersonaLevel {
            directory: directory.to_owned(),
            label: self.label(directory),
            repository,
        });
    }

    /// A path for display: from the top, or absolute if it is elsewhere.
    pub fn label(&self, path: &Path) -> String {
        let short = path.strip_prefix(&self.top).map(Path::to_owned).ok();
        let short = short.or_else(|| {
            // A ceiling may be under the root of its repository.
            let shared = repository_of(self.files, &self.top).filter(|root| path.starts_with(root));
            shared.and_then(|root| relative_path(&self.top, path, root))
        });
        let display = with_slashes(short.as_deref().unwrap_or(path));
        if display.is_empty() {
            ".".to_owned()
        } else {
            display
        }
    }

    /// A path relative to the working directory.
    pub fn display_path(&self, path: &Path) -> String {
        let relative = relative_path(&self.working_directory, path, &self.top);
        with_slashes(relative.as_deref().unwrap_or(path))
    }
}

fn with_slashes(path: &Path) -> String {
    path.to_string_lossy().replace('\\', "/")
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

/// A path from a directory, with `..` up to a common directory that is not above `top`.
fn relative_path(working_directory: &Path, path: &Path, top: &Path) -> Option<PathBuf> {
    let shared = working_directory
        .ancestors()
        .find(|above| path.starts_with(above))
        .filter(|above| above.starts_with(top))?;
    let up = working_directory
        .strip_prefix(shared)
        .ok()?
        .components()
        .map(|_| PathBuf::from(".."));
    Some(
        up.chain([path.strip_prefix(shared).ok()?.to_owned()])
            .collect(),
    )
}

/// The root of the innermost repository that contains a path.
pub fn repository_of<'p>(files: &dyn MachineFiles, path: &'p Path) -> Option<&'p Path> {
    path.ancestors().find(|above| is_root(files, above))
}

fn is_root(files: &dyn MachineFiles, directory: &Path) -> bool {
    files.exists(&directory.join(".git"))
}
