//! The directories that may hold personas: from the top of the outermost repository down to the working directory.

use std::path::{Path, PathBuf};

use agpm_diag::{Diagnostic, Notes, codes};
use agpm_model::MachineFiles;

/// The directory that holds the personas of a directory.
pub(crate) const CLIA: &str = ".clia";

/// A directory that may hold personas.
#[derive(Clone, Debug)]
pub struct PersonaLevel {
    pub(crate) folder: PathBuf,
    /// From the top, as users see it.
    pub label: String,
    /// Symlinks may not lead out of here.
    pub(crate) repository: PathBuf,
}

impl PersonaLevel {
    /// The directory of all its personas.
    pub(crate) fn agents(&self) -> PathBuf {
        self.folder.join(CLIA).join("agents")
    }
}

/// Where the search for personas begins and ends. All paths are real ones.
#[derive(Clone, Debug)]
pub struct LevelSearch {
    /// The working directory, which users name paths from.
    pub here: PathBuf,
    /// The lowest directory.
    pub folder: PathBuf,
    /// The topmost directory; the root of the outermost repository if there is none.
    pub ceiling: Option<PathBuf>,
    /// Other repositories inside of the current one, which rank directly under it.
    pub submodules: Vec<PathBuf>,
}

/// All directories that may hold personas, lowest rank first.
pub struct PersonaLevels<'f> {
    pub(crate) files: &'f dyn MachineFiles,
    here: PathBuf,
    /// The topmost directory, which paths are shown from.
    pub top: PathBuf,
    /// The innermost repository around the lowest directory.
    pub repository: Option<PathBuf>,
    /// Lowest rank first.
    pub list: Vec<PersonaLevel>,
}

impl<'f> PersonaLevels<'f> {
    /// Finds them.
    pub fn find(files: &'f dyn MachineFiles, search: LevelSearch, notes: &mut Notes) -> Self {
        let LevelSearch {
            here,
            folder,
            ceiling,
            mut submodules,
        } = search;
        let repository = repository_of(files, &folder).map(Path::to_owned);
        let outermost = || {
            folder
                .ancestors()
                .filter(|above| is_root(files, above))
                .last()
        };
        let top = ceiling.unwrap_or_else(|| outermost().unwrap_or(&folder).to_owned());
        let mut levels = PersonaLevels {
            files,
            here,
            top,
            repository,
            list: Vec::new(),
        };
        submodules.retain(|path| !folder.starts_with(path) && is_root(files, path));
        submodules.sort();
        submodules.dedup();
        let mut folders: Vec<&Path> = folder
            .ancestors()
            .take_while(|above| above.starts_with(&levels.top))
            .collect();
        // Anybody may write into a directory such as `/tmp`, and would speak to every model under it.
        folders.retain(|above| {
            let is_trusted = *above == folder || files.is_trusted(&above.join(CLIA), &folder);
            if !is_trusted {
                notes.diagnostics.push(ignored(above));
            }
            is_trusted
        });
        for folder in folders.into_iter().rev() {
            if levels.is_first_of_repository(folder) {
                for path in &submodules {
                    levels.push(path);
                }
            }
            levels.push(folder);
        }
        levels
    }

    /// Whether it is the topmost directory of the current repository.
    fn is_first_of_repository(&self, folder: &Path) -> bool {
        match &self.repository {
            Some(root) if root.starts_with(&self.top) => folder == root,
            _ => folder == self.top,
        }
    }

    fn push(&mut self, folder: &Path) {
        let repository = repository_of(self.files, folder)
            .unwrap_or(&self.top)
            .to_owned();
        self.list.push(PersonaLevel {
            folder: folder.to_owned(),
            label: self.label(folder),
            repository,
        });
    }

    /// A path as it is shown: from the top, or whole if it is elsewhere.
    pub fn label(&self, path: &Path) -> String {
        let short = path.strip_prefix(&self.top).map(Path::to_owned).ok();
        let short = short.or_else(|| {
            // A ceiling may be under the root of its repository.
            let shared = repository_of(self.files, &self.top).filter(|root| path.starts_with(root));
            shared.and_then(|root| from_here(&self.top, path, root))
        });
        let shown = with_slashes(short.as_deref().unwrap_or(path));
        if shown.is_empty() {
            ".".to_owned()
        } else {
            shown
        }
    }

    /// A path as users find it from where they are.
    pub fn shown(&self, path: &Path) -> String {
        let relative = from_here(&self.here, path, &self.top);
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

/// A path from a directory, with `..` as far as the two have a directory in common that is not above `top`.
fn from_here(here: &Path, path: &Path, top: &Path) -> Option<PathBuf> {
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
pub fn repository_of<'p>(files: &dyn MachineFiles, path: &'p Path) -> Option<&'p Path> {
    path.ancestors().find(|above| is_root(files, above))
}

fn is_root(files: &dyn MachineFiles, folder: &Path) -> bool {
    files.exists(&folder.join(".git"))
}
