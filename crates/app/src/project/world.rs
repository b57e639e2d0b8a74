//! The ports of a command: working directory, sources, clock and progress.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use agpm_diag::TypedCommand;
pub use agpm_model::{InstallScope, OutsideReads};
pub use agpm_source::git::{NetworkAccess, TransferProgress};
use agpm_source::{MachineSources, SharedSources, SourceContext, SourceOpener};
use agpm_trust::CapabilityChange;

const CONFIG_NAME: &str = "config.toml";
const INDEX_DIRECTORY: &str = "search";

/// Everything that a command depends on outside of the process, built once in `main`.
#[derive(Clone)]
pub struct World {
    /// The directories and the global options.
    pub environment: Environment,
    /// Opens sources.
    pub sources: Arc<dyn SourceOpener>,
    /// Returns the time in seconds since 1970.
    pub clock: fn() -> u64,
    /// Returns the time since a fixed moment, to limit how long something may take.
    pub elapsed: fn() -> Duration,
    /// Receives progress.
    pub progress: Arc<dyn Progress>,
    /// Asks the user to approve increases; `None` without a terminal.
    pub confirm: Option<fn(&[CapabilityChange]) -> bool>,
}

impl World {
    /// Creates a world with the sources that this machine can reach.
    pub fn of_machine(environment: Environment, progress: Arc<dyn Progress>) -> Self {
        World {
            environment,
            sources: Arc::new(MachineSources {
                progress: Some(Arc::clone(&progress) as Arc<dyn TransferProgress>),
            }),
            clock: agpm_store::now,
            elapsed: agpm_store::elapsed,
            progress,
            confirm: None,
        }
    }
}

impl World {
    /// Returns a copy of the world with another cache.
    pub fn with_cache(&self, cache: &Path) -> Self {
        let mut world = self.clone();
        world.environment.cache = Some(cache.to_owned());
        world
    }

    /// The same for one command, which opens each source once.
    #[must_use]
    pub fn sharing_sources(&self) -> Self {
        World {
            sources: Arc::new(SharedSources::new(Arc::clone(&self.sources))),
            ..self.clone()
        }
    }

    /// The same without connections: what is on this machine is still read.
    pub fn offline(&self) -> Self {
        let mut world = self.clone();
        world.environment.network = NetworkAccess::Offline;
        world
    }
}

/// Receives the progress of long operations.
pub trait Progress: TransferProgress {
    /// `done` of `all` files are written.
    fn files(&self, done: usize, all: usize);
    /// The command waits for another process that has locked the project.
    fn waiting(&self);
}

/// Shows nothing.
#[derive(Clone, Copy, Debug)]
pub struct SilentProgress;

impl TransferProgress for SilentProgress {
    fn transfer_began(&self, _: &str, _: Option<usize>) {}
    fn transfer_received(&self, _: &str, _: u64) {}
    fn transfer_ended(&self, _: &str) {}
}

impl Progress for SilentProgress {
    fn files(&self, _: usize, _: usize) {}
    fn waiting(&self) {}
}

/// The directories and the global options of a command.
#[derive(Clone, Debug)]
pub struct Environment {
    /// Whether the command is for a project or for the user manifest.
    pub scope: InstallScope,
    /// The working directory.
    pub working_directory: PathBuf,
    /// The manifest that `--manifest-path` names.
    pub manifest: Option<PathBuf>,
    /// The configuration file that `--config` names.
    pub config: Option<PathBuf>,
    /// The directory of the user configuration.
    pub config_directory: Option<PathBuf>,
    /// The directory for data that can be fetched again.
    pub cache: Option<PathBuf>,
    /// The user's home directory.
    pub home: Option<PathBuf>,
    /// Whether connections may be opened.
    pub network: NetworkAccess,
    /// The directory for data about projects on this machine, outside of them.
    pub state: Option<PathBuf>,
    /// Which merge executables may run.
    pub programs: ProgramUse,
    /// Whether documents of the project may refer to files outside of it.
    pub outside: OutsideReads,
    /// The paths of policies outside of the project and the user configuration.
    pub policies: PolicyLocations,
    /// The resources and layers that `--approve` names, as typed.
    pub approvals: Vec<String>,
    /// Whether bases may loosen their policies in this run.
    pub bases: BaseApproval,
    /// The command as it was typed, for suggestions; empty outside of a command line.
    pub typed: TypedCommand,
    /// The directories of executables, in the order of the search.
    pub executables: Vec<PathBuf>,
    /// Files in which other programs keep credentials for servers, in the order in which they are searched.
    pub credentials: Vec<PathBuf>,
}

/// Whether bases may loosen their policies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BaseApproval {
    /// It needs approval.
    #[default]
    Needed,
    /// `--approve base` was given.
    Given,
}

/// The paths of policies outside of the project and the user configuration.
#[derive(Clone, Debug, Default)]
pub struct PolicyLocations {
    /// The path of the machine's policy, which may not exist.
    pub machine: Option<PathBuf>,
    /// The policy in `AGPM_POLICY`, which applies besides the machine's.
    pub variable: Option<String>,
    /// The policy that `--policy` names.
    pub argument: Option<String>,
}

/// Which merge executables may run. Those of a project are not trusted, because it may have been cloned just now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ProgramUse {
    /// The user's own, and those of projects that are approved on this machine.
    #[default]
    Approved,
    /// All, because the user allows it for this run.
    AllOnce,
    /// None, approved or not.
    Never,
}

/// Whether the project's manifest is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ManifestUse {
    /// Use the manifest that the user named, or else the nearest one in the working directory and its parents.
    Nearest,
    /// Use no manifest.
    Ignored,
}

impl Environment {
    /// Returns the path of the user configuration: the one that was named, or the default, which may not exist.
    pub fn config_file(&self) -> Option<PathBuf> {
        let named = self.config.as_ref().map(|path| self.resolve(path));
        named.or_else(|| {
            self.config_directory
                .as_ref()
                .map(|directory| directory.join(CONFIG_NAME))
        })
    }

    /// Returns the directory that local paths in the manifest of `root` are relative to.
    pub fn manifest_directory<'a>(&'a self, root: &'a Path) -> &'a Path {
        match (self.scope, &self.config_directory) {
            (InstallScope::User, Some(directory)) => directory,
            _ => root,
        }
    }

    /// Returns the settings for opening the sources of a manifest in `project`.
    pub fn source_context(&self, project: &Path) -> SourceContext {
        SourceContext {
            cache: self
                .cache
                .clone()
                .unwrap_or_else(|| self.working_directory.join(".agpm/cache")),
            home: self.home.clone(),
            network: self.network,
            project: project.to_owned(),
            credentials: self.credentials.clone(),
        }
    }

    /// Returns the directory of the indexes for `search`.
    pub fn index_directory(&self) -> PathBuf {
        self.source_context(&self.working_directory)
            .cache
            .join(INDEX_DIRECTORY)
    }

    /// Resolves a path relative to the working directory.
    pub fn resolve(&self, path: &Path) -> PathBuf {
        self.working_directory.join(path)
    }
}
