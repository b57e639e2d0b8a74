use std::path::{Path, PathBuf};

pub use agpm_git::Network;

const CONFIG_NAME: &str = "config.toml";

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
    /// The configuration file that the user named.
    pub config: Option<PathBuf>,
    /// The folder of the user's configuration.
    pub config_folder: Option<PathBuf>,
    /// The folder for what can be fetched again.
    pub cache: Option<PathBuf>,
    /// The user's home.
    pub home: Option<PathBuf>,
    /// Whether connections may be opened.
    pub network: Network,
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
    /// The user's configuration file: the one that is named, or that of the folder, which need not be there.
    pub(crate) fn config_file(&self) -> Option<PathBuf> {
        let named = self.config.as_ref().map(|path| self.resolve(path));
        named.or_else(|| self.config_folder.as_ref().map(|folder| folder.join(CONFIG_NAME)))
    }

    /// A path from the working folder.
    pub(crate) fn resolve(&self, path: &Path) -> PathBuf {
        self.folder.join(path)
    }
}
