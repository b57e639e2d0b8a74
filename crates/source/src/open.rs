//! Opens the source at a URL.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use crate::git::{GitProgram, NetworkAccess, TransferProgress, is_git_directory};
use agpm_model::{AddressKind, SourceAddress};
use agpm_store as store;

use crate::registry::{
    ArtifactSource, ArtifactTarget, CONTENT_DIRECTORY, ClientSettings, LayoutStore, RegistryClient,
    is_layout,
};
use crate::site::SiteSource;
use crate::{AllowedDirectory, DirectorySource, Source, SymlinkConfinement};

/// The context for opening a source.
#[derive(Clone, Debug)]
pub struct SourceContext {
    /// The directory of the cache.
    pub cache: PathBuf,
    /// The directory that `~` means.
    pub home: Option<PathBuf>,
    /// Whether connections may be opened.
    pub network: NetworkAccess,
    /// The directory of the manifest, which relative URLs start at.
    pub project: PathBuf,
    /// Files in which other programs keep credentials for servers, in the order in which they are searched.
    pub credentials: Vec<PathBuf>,
}

/// Opens sources, without contacting or reading them.
pub trait SourceOpener: Send + Sync {
    /// Opens the source at a URL. A directory that is not a repository has no versions.
    fn open(&self, address: &SourceAddress, context: &SourceContext) -> Arc<dyn Source>;

    /// Opens the source at a URL as a git repository, even if it is only a directory.
    fn open_versioned(&self, address: &SourceAddress, context: &SourceContext) -> Arc<dyn Source>;

    /// Opens a URL to publish there; `None` if nothing can be published at such a URL.
    fn target(&self, _: &SourceAddress, _: &SourceContext) -> Option<ArtifactTarget> {
        None
    }
}

/// Opens sources on this machine.
#[derive(Clone, Debug, Default)]
pub struct MachineSources {
    /// Receives the progress of requests.
    pub progress: Option<Arc<dyn TransferProgress>>,
}

impl SourceOpener for MachineSources {
    fn open(&self, address: &SourceAddress, context: &SourceContext) -> Arc<dyn Source> {
        match directory_of(address, context) {
            Some(directory)
                if store::is_directory(&directory)
                    && !is_git_directory(&directory)
                    && !is_layout(&directory) =>
            {
                plain_directory(directory, context)
            }
            _ => self.open_versioned(address, context),
        }
    }

    fn open_versioned(&self, address: &SourceAddress, context: &SourceContext) -> Arc<dyn Source> {
        let bounds = AllowedDirectory::of(&context.project);
        let directory = directory_of(address, context);
        if let Some(path) = directory {
            // A repository may contain credentials. As a directory, nothing of it is read.
            if bounds.guard(&path).is_err() {
                return plain_directory(path, context);
            }
            if is_layout(&path) {
                let layout = Arc::new(LayoutStore::open(path));
                return Arc::new(ArtifactSource::new(layout, &context.cache));
            }
        }
        if let Some(client) = RegistryClient::open(address, self.client_settings(context)) {
            return Arc::new(ArtifactSource::new(Arc::new(client), &context.cache));
        }
        if let Some(site) = SiteSource::open(address, self.client_settings(context), &context.cache)
        {
            return Arc::new(site);
        }
        let git = git_program(context).with_progress(self.progress.clone());
        Arc::new(git.remote(address, &context.project))
    }

    fn target(&self, address: &SourceAddress, context: &SourceContext) -> Option<ArtifactTarget> {
        ArtifactTarget::registry(address, self.client_settings(context))
    }
}

impl MachineSources {
    fn client_settings(&self, context: &SourceContext) -> ClientSettings {
        ClientSettings {
            network: context.network,
            credential_files: context.credentials.clone(),
            progress: self.progress.clone(),
        }
    }
}

/// Returns the local path of a URL.
fn directory_of(address: &SourceAddress, context: &SourceContext) -> Option<PathBuf> {
    match address.kind() {
        AddressKind::Directory(text) => {
            Some(local_path(text, &context.project, context.home.as_deref()))
        }
        AddressKind::FileUrl(path) => Some(PathBuf::from(path)),
        AddressKind::Remote => None,
    }
}

fn plain_directory(directory: PathBuf, context: &SourceContext) -> Arc<dyn Source> {
    let confinement = SymlinkConfinement::Inside;
    Arc::new(DirectorySource::new(
        directory,
        confinement,
        &context.project,
    ))
}

/// Opens each source once. A command has several reasons to look into a source (its bases, policies, layers, resources);
/// together they list its versions once and use one connection.
pub struct SharedSources {
    opener: Arc<dyn SourceOpener>,
    opened: Mutex<BTreeMap<SourceAddress, Vec<OpenedSource>>>,
}

struct OpenedSource {
    context: SourceContext,
    form: OpenedForm,
    source: Arc<dyn Source>,
}

/// How a source was opened.
#[derive(Clone, Copy, PartialEq, Eq)]
enum OpenedForm {
    Any,
    Versioned,
}

impl SharedSources {
    /// Sources that another opener opened.
    pub fn new(opener: Arc<dyn SourceOpener>) -> Self {
        SharedSources {
            opener,
            opened: Mutex::default(),
        }
    }

    fn shared(
        &self,
        address: &SourceAddress,
        context: &SourceContext,
        form: OpenedForm,
    ) -> Arc<dyn Source> {
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        let opened = opened.entry(address.clone()).or_default();
        // A server is never a plain directory, and its URL does not depend on the project.
        let is_remote = !address.is_local();
        let is_it = |other: &&OpenedSource| {
            (is_remote || other.form == form && other.context.project == context.project)
                && other.context.cache == context.cache
                && other.context.home == context.home
                && other.context.network == context.network
        };
        if let Some(found) = opened.iter().find(is_it) {
            return Arc::clone(&found.source);
        }
        let source = match form {
            OpenedForm::Any => self.opener.open(address, context),
            OpenedForm::Versioned => self.opener.open_versioned(address, context),
        };
        opened.push(OpenedSource {
            context: context.clone(),
            form,
            source: Arc::clone(&source),
        });
        source
    }
}

impl SourceOpener for SharedSources {
    fn open(&self, address: &SourceAddress, context: &SourceContext) -> Arc<dyn Source> {
        self.shared(address, context, OpenedForm::Any)
    }

    fn open_versioned(&self, address: &SourceAddress, context: &SourceContext) -> Arc<dyn Source> {
        self.shared(address, context, OpenedForm::Versioned)
    }

    fn target(&self, address: &SourceAddress, context: &SourceContext) -> Option<ArtifactTarget> {
        self.opener.target(address, context)
    }
}

/// Returns the directory of the cache with the content of registries and sites, which can be fetched again.
pub fn content_directory(cache: &Path) -> PathBuf {
    cache.join(CONTENT_DIRECTORY)
}

/// Returns git with the cache, the home and the network access of a context.
pub fn git_program(context: &SourceContext) -> GitProgram {
    let git = GitProgram::find(context.cache.clone(), context.network);
    match &context.home {
        Some(home) => git.with_home(home.clone()),
        None => git,
    }
}

/// Resolves a local path; `~` is the user's home.
pub fn local_path(text: &str, base: &Path, home: Option<&Path>) -> PathBuf {
    let below_home = if text == "~" {
        Some("")
    } else {
        text.strip_prefix("~/")
    };
    match (below_home, home) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => base.join(text),
    }
}
