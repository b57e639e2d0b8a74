//! The sources of a project, opened when they are first used.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use agpm_diag::{Diagnostic, codes, did_you_mean};
use agpm_git::{Git, GitError, Refs, Remote, is_git_folder};
use agpm_model::{
    AddressKind, CatalogRemote, Manifest, Origin, RemoteBase, Source, SourceAddress, SourceName,
    Unit,
};
use agpm_store as store;

use crate::failure::{Failure, FailureKind};
use crate::world::{Environment, Scope};

/// The way out where git is not there or too old.
pub(crate) const GIT_HELP: &str = "install git 2.41 or later";

/// A source that can be read.
#[derive(Debug)]
pub(crate) enum Opened {
    /// A git repository.
    Git(Box<Remote>),
    /// A folder without versions.
    Folder(PathBuf),
}

/// Every source that dependencies use, the manifest's own folder, and where things are installed.
#[derive(Debug)]
pub(crate) struct Sources {
    opened: BTreeMap<SourceName, Opened>,
    /// Remotes of the catalog that have an address and no name.
    unnamed: BTreeMap<SourceAddress, Opened>,
    pub(crate) project: PathBuf,
    pub(crate) root: PathBuf,
    pub(crate) scope: Scope,
}

impl Sources {
    /// Opens what the dependencies, the layers and the catalog use; starts no process.
    pub(crate) fn open(environment: &Environment, manifest: &Manifest, root: &Path) -> Self {
        let units = manifest
            .dependencies
            .iter()
            .filter_map(|dependency| dependency.unit.origin.source());
        let layers = manifest
            .layers
            .iter()
            .filter_map(|layer| layer.place.source());
        let used: BTreeSet<&SourceName> = units
            .chain(layers)
            .chain(manifest.catalog.sources())
            .collect();
        let used = manifest
            .sources
            .iter()
            .filter(|source| used.contains(&source.name));
        Sources::of(environment, used, manifest.catalog.all(), root)
    }

    /// Opens every source of the manifest.
    pub(crate) fn open_all(environment: &Environment, manifest: &Manifest, root: &Path) -> Self {
        Sources::of(
            environment,
            manifest.sources.iter(),
            manifest.catalog.all(),
            root,
        )
    }

    /// Opens what these remotes of the catalog are.
    pub(crate) fn open_remotes<'r>(
        environment: &Environment,
        manifest: &'r Manifest,
        root: &Path,
        remotes: impl Iterator<Item = &'r CatalogRemote> + Clone,
    ) -> Self {
        let used: BTreeSet<&SourceName> =
            remotes.clone().filter_map(CatalogRemote::source).collect();
        let used = manifest
            .sources
            .iter()
            .filter(|source| used.contains(&source.name));
        Sources::of(environment, used, remotes, root)
    }

    fn of<'s>(
        environment: &Environment,
        sources: impl Iterator<Item = &'s Source>,
        remotes: impl Iterator<Item = &'s CatalogRemote>,
        root: &Path,
    ) -> Self {
        let git = git(environment);
        let project = environment.manifest_folder(root);
        let open = |address: &SourceAddress| open(&git, environment, address, project);
        let opened = sources
            .map(|source| (source.name.clone(), open(&source.address)))
            .collect();
        let addresses: BTreeSet<&SourceAddress> =
            remotes.filter_map(CatalogRemote::address).collect();
        // Who writes `git+` means a repository, also where there is only a folder.
        let repository =
            |address: &SourceAddress| Opened::Git(Box::new(git.remote(address, project)));
        let unnamed = addresses
            .into_iter()
            .map(|address| (address.clone(), repository(address)))
            .collect();
        let (scope, project, root) = (environment.scope, project.to_owned(), root.to_owned());
        Sources {
            opened,
            unnamed,
            project,
            root,
            scope,
        }
    }

    /// What a remote of the catalog is.
    pub(crate) fn remote(&self, remote: &CatalogRemote) -> Option<&Opened> {
        match &remote.base {
            RemoteBase::Source(name) => self.opened.get(name),
            RemoteBase::Address(address) => self.unnamed.get(address),
        }
    }

    /// Whether any of them needs git.
    pub(crate) fn need_git(&self) -> bool {
        self.opened
            .values()
            .chain(self.unnamed.values())
            .any(|source| matches!(source, Opened::Git(_)))
    }

    /// The source of that name, which the manifest has.
    pub(crate) fn get(&self, name: &SourceName) -> Option<&Opened> {
        self.opened.get(name)
    }

    /// Where a unit is on this machine, if it is no file of a repository.
    pub(crate) fn file_of(&self, unit: &Unit) -> Option<PathBuf> {
        match &unit.origin {
            Origin::Manifest => None,
            Origin::Local => Some(normal(&self.project.join(unit.path.as_str()))),
            Origin::Source(name) => match self.get(name)? {
                Opened::Folder(folder) => Some(normal(&folder.join(unit.path.as_str()))),
                Opened::Git(_) => None,
            },
        }
    }

    /// All of them, by name.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&SourceName, &Opened)> {
        self.opened.iter()
    }
}

/// A path without `.` and `..`.
pub(crate) fn normal(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(out.pop()),
            part => out.push(part),
        }
    }
    out
}

/// The refs of a source; nothing for one without versions.
pub(crate) fn refs_of(sources: &Sources, name: &SourceName) -> Result<Option<Arc<Refs>>, Failure> {
    match sources.get(name) {
        Some(Opened::Git(remote)) => remote
            .refs()
            .map(Some)
            .map_err(|error| git_failure(name, error)),
        _ => Ok(None),
    }
}

/// The git program as this world has it.
pub(crate) fn git(environment: &Environment) -> Git {
    let cache = environment
        .cache
        .clone()
        .unwrap_or_else(|| environment.folder.join(".agpm/cache"));
    let git = Git::find(cache, environment.network);
    match &environment.home {
        Some(home) => git.with_home(home.clone()),
        None => git,
    }
}

/// What is at an address; relative folders start at `base`.
pub(crate) fn open(
    git: &Git,
    environment: &Environment,
    address: &SourceAddress,
    base: &Path,
) -> Opened {
    let folder = match address.kind() {
        AddressKind::Folder(text) => Some(local_path(text, base, environment)),
        AddressKind::FileUrl(path) => Some(PathBuf::from(path)),
        AddressKind::Remote => None,
    };
    match folder {
        Some(folder) if store::is_folder(&folder) && !is_git_folder(&folder) => {
            Opened::Folder(folder)
        }
        _ => Opened::Git(Box::new(git.remote(address, base))),
    }
}

/// A path on this machine; `~` is the user's home.
pub(crate) fn local_path(text: &str, base: &Path, environment: &Environment) -> PathBuf {
    let below_home = if text == "~" {
        Some("")
    } else {
        text.strip_prefix("~/")
    };
    match (below_home, &environment.home) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => base.join(text),
    }
}

/// What git could not do, as a failure with a way out.
pub(crate) fn git_failure(name: &SourceName, error: GitError) -> Failure {
    git_failure_of(&format!("source `{name}`"), error)
}

/// The same of something that messages call so.
pub(crate) fn git_failure_of(what: &str, error: GitError) -> Failure {
    let (kind, code, help) = match &error {
        GitError::Offline { .. } => (
            FailureKind::Network,
            &codes::SOURCE_OFFLINE,
            "run the command once without `--offline`",
        ),
        GitError::Unreachable { .. } => (
            FailureKind::Network,
            &codes::SOURCE_UNREACHABLE,
            "check the address and the connection, then try again",
        ),
        GitError::AuthRefused { .. } => (
            FailureKind::Network,
            &codes::SOURCE_AUTH,
            "agpm uses git's own credentials: try `git ls-remote` with this address",
        ),
        GitError::NotFound { .. } => (
            FailureKind::Network,
            &codes::SOURCE_UNREACHABLE,
            "check the address in `[sources]`",
        ),
        GitError::Damaged { .. } => (
            FailureKind::Errors,
            &codes::SOURCE_GIT,
            "run `git fsck` in that repository, or tell its owner",
        ),
        GitError::NoSuchCommit { .. } | GitError::Ambiguous { .. } => (
            FailureKind::Errors,
            &codes::PACKAGE_VERSION,
            "check `rev`, or run `agpm update` if the repository was rewritten",
        ),
        GitError::NoSuchFolder { folder, beside, .. } => {
            let name = folder.rsplit('/').next().unwrap_or(folder);
            let near = did_you_mean(
                name,
                "there are these folders",
                beside.iter().map(String::as_str),
            );
            let mut found = Diagnostic::new(&codes::NAME_UNKNOWN, format!("{what}: {error}"));
            found.help =
                near.or_else(|| Some("name a folder of the repository from its top".to_owned()));
            return Failure::new(FailureKind::NotFound, found);
        }
        GitError::TooMuch { .. } => (
            FailureKind::Errors,
            &codes::TEXT_TOO_LARGE,
            "name the folder that counts, behind `:/`",
        ),
        GitError::NoGit { .. } | GitError::TooOld { .. } => {
            (FailureKind::Errors, &codes::SOURCE_GIT, GIT_HELP)
        }
        GitError::Store(_) => return store_failure(error),
        _ => (
            FailureKind::Errors,
            &codes::SOURCE_GIT,
            "`agpm cache clean --all` throws the copies away; they are fetched again",
        ),
    };
    let message = match &error {
        GitError::NotFound { address, .. } => {
            format!("{what}: there is no git repository at `{address}`")
        }
        error => format!("{what}: {error}"),
    };
    Failure::new(kind, Diagnostic::new(code, message).help(help))
}

fn store_failure(error: GitError) -> Failure {
    match error {
        GitError::Store(error) => error.into(),
        other => Diagnostic::new(&codes::SOURCE_GIT, other.to_string()).into(),
    }
}
