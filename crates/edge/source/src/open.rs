//! Which source is at an address.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use agpm_git::{Git, Network, is_git_folder};
use agpm_model::{AddressKind, SourceAddress};
use agpm_store as store;

use crate::{Confinement, DirectorySource, Source};

/// What opening a source depends on.
#[derive(Clone, Debug)]
pub struct SourceContext {
    /// Where copies are kept.
    pub cache: PathBuf,
    /// What `~` means.
    pub home: Option<PathBuf>,
    /// Whether connections may be opened.
    pub network: Network,
    /// The directory of the manifest: relative addresses start here.
    pub project: PathBuf,
}

/// Opens sources; asks nobody and reads no file of them.
pub trait SourceOpener: Send + Sync {
    /// What is at an address: a directory that is not a repository has no versions.
    fn open(&self, address: &SourceAddress, context: &SourceContext) -> Arc<dyn Source>;

    /// The same for those who mean a source with versions, even where there is only a directory.
    fn open_versioned(&self, address: &SourceAddress, context: &SourceContext) -> Arc<dyn Source>;
}

/// Sources as this machine reaches them.
#[derive(Clone, Copy, Debug)]
pub struct MachineSources;

impl SourceOpener for MachineSources {
    fn open(&self, address: &SourceAddress, context: &SourceContext) -> Arc<dyn Source> {
        let directory = match address.kind() {
            AddressKind::Folder(text) => {
                Some(local_path(text, &context.project, context.home.as_deref()))
            }
            AddressKind::FileUrl(path) => Some(PathBuf::from(path)),
            AddressKind::Remote => None,
        };
        match directory {
            Some(directory) if store::is_folder(&directory) && !is_git_folder(&directory) => {
                Arc::new(DirectorySource::new(
                    directory,
                    Confinement::Inside,
                    &context.project,
                ))
            }
            _ => self.open_versioned(address, context),
        }
    }

    fn open_versioned(&self, address: &SourceAddress, context: &SourceContext) -> Arc<dyn Source> {
        Arc::new(git_program(context).remote(address, &context.project))
    }
}

/// The git program with the cache, the home and the network of a context.
pub fn git_program(context: &SourceContext) -> Git {
    let git = Git::find(context.cache.clone(), context.network);
    match &context.home {
        Some(home) => git.with_home(home.clone()),
        None => git,
    }
}

/// A path on this machine; `~` is the user's home.
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
