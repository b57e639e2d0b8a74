//! The ports of a command: working directory, sources, clock and progress.

use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use agpm_git::NetworkAccess;
pub use agpm_model::{InstallScope, OutsideReads};
use agpm_source::{MachineSources, SourceContext, SourceOpener};
use agpm_trust::CapabilityChange;

const CONFIG_NAME: &str = "config.toml";
const INDEX_FOLDER: &str = "search";

/// Everything that a command may know of the world, built once in `main`.
#[derive(Clone)]
pub struct World {
    /// Where it runs and what the user said for every command.
    pub environment: Environment,
    /// How sources are reached.
    pub sources: Arc<dyn SourceOpener>,
    /// The time, in seconds since 1970.
    pub clock: fn() -> u64,
    /// Who wants to know how far things are.
    pub progress: Arc<dyn Progress>,
    /// Asks the user to approve increases; nothing where nobody can answer.
    pub confirm: Option<fn(&[CapabilityChange]) -> bool>,
}

impl World {
    /// A world whose sources are those that this machine reaches.
    pub fn of_machine(environment: Environment, progress: Arc<dyn Progress>) -> Self {
        World {
            environment,
            sources: Arc::new(MachineSources),
            clock: agpm_store::now,
            progress,
            confirm: None,
        }
    }
}

impl World {
    /// The same with another cache.
    pub fn with_cache(&self, cache: &Path) -> Self {
        let mut world = self.clone();
        world.environment.cache = Some(cache.to_owned());
        world
    }
}

/// Shows work that takes long.
pub trait Progress: Send + Sync {
    /// A source is being asked.
    fn source_began(&self, name: &str);
    /// It has answered, or failed.
    fn source_ended(&self, name: &str);
    /// So many of so many files are written.
    fn files(&self, done: usize, all: usize);
    /// Another process holds the project.
    fn waiting(&self);
}

/// Shows nothing.
#[derive(Clone, Copy, Debug)]
pub struct Silent;

impl Progress for Silent {
    fn source_began(&self, _: &str) {}
    fn source_ended(&self, _: &str) {}
    fn files(&self, _: usize, _: usize) {}
    fn waiting(&self) {}
}

/// Where a command runs.
#[derive(Clone, Debug)]
pub struct Environment {
    /// Whether it is about a project or about the user's own manifest.
    pub scope: InstallScope,
    /// The working directory.
    pub folder: PathBuf,
    /// The manifest that the user named.
    pub manifest: Option<PathBuf>,
    /// The configuration file that the user named.
    pub config: Option<PathBuf>,
    /// The directory of the user's configuration.
    pub config_folder: Option<PathBuf>,
    /// The directory for what can be fetched again.
    pub cache: Option<PathBuf>,
    /// The user's home.
    pub home: Option<PathBuf>,
    /// Whether connections may be opened.
    pub network: NetworkAccess,
    /// The directory for what agpm knows on this machine about projects, outside of them.
    pub state: Option<PathBuf>,
    /// Which merge programs may run.
    pub programs: ProgramUse,
    /// Whether files outside of the project may be read because a document of it names them.
    pub outside: OutsideReads,
    /// Where policies are looked for besides the project and the user's configuration.
    pub policies: PolicyPlaces,
    /// Resources and layers that the command approves, as they were typed.
    pub approvals: Vec<String>,
    /// The directories of executables, the first first.
    pub executables: Vec<PathBuf>,
}

/// Where policies are looked for besides the project and the user's configuration.
#[derive(Clone, Debug, Default)]
pub struct PolicyPlaces {
    /// The machine's policy, which need not exist.
    pub machine: Option<PathBuf>,
    /// The policy that `AGPM_POLICY` names instead of the machine's.
    pub variable: Option<String>,
    /// The policy that `--policy` names.
    pub argument: Option<String>,
}

/// Which merge programs may run. Those of a project may be anything: it may have been cloned just now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ProgramUse {
    /// The user's own, and those of projects that were approved on this machine.
    #[default]
    Approved,
    /// All, since the user says so for this run.
    AllOnce,
    /// None, approved or not.
    Never,
}

/// Whether the project's manifest applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ManifestUse {
    /// The one that the user named, or else the nearest upward.
    Nearest,
    /// None.
    Ignored,
}

impl Environment {
    /// The user's configuration file: the one that is named, or that of the directory, which need not be there.
    pub fn config_file(&self) -> Option<PathBuf> {
        let named = self.config.as_ref().map(|path| self.resolve(path));
        named.or_else(|| {
            self.config_folder
                .as_ref()
                .map(|folder| folder.join(CONFIG_NAME))
        })
    }

    /// Where local paths of a manifest start whose things are installed below `root`.
    pub fn manifest_folder<'a>(&'a self, root: &'a Path) -> &'a Path {
        match (self.scope, &self.config_folder) {
            (InstallScope::User, Some(folder)) => folder,
            _ => root,
        }
    }

    /// The context for opening the sources of a manifest in `project`.
    pub fn source_context(&self, project: &Path) -> SourceContext {
        SourceContext {
            cache: self
                .cache
                .clone()
                .unwrap_or_else(|| self.folder.join(".agpm/cache")),
            home: self.home.clone(),
            network: self.network,
            project: project.to_owned(),
        }
    }

    /// Where the indexes for `search` are kept.
    pub fn index_folder(&self) -> PathBuf {
        self.source_context(&self.folder).cache.join(INDEX_FOLDER)
    }

    /// A path from the working directory.
    pub fn resolve(&self, path: &Path) -> PathBuf {
        self.folder.join(path)
    }
}
