use std::path::{Path, PathBuf};

/// Everything that a command may know of the world, built once in `main`.
#[derive(Clone, Debug)]
pub struct World {
    /// Where it runs and what the user said for every command.
    pub environment: Environment,
}

/// Where a command runs.
#[derive(Clone, Debug)]
pub struct Environment {
    /// The working folder.
    pub folder: PathBuf,
    /// The manifest that the user named.
    pub manifest: Option<PathBuf>,
}

/// Whether the project's manifest has a say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ManifestUse {
    /// The one that the user named, or else the nearest upward.
    Nearest,
    /// None.
    Ignored,
}

impl Environment {
    /// A path from the working folder.
    pub(crate) fn resolve(&self, path: &Path) -> PathBuf {
        self.folder.join(path)
    }
}
