//! The directory of one source in the cache.

use std::path::{Path, PathBuf};

use agpm_model::{Checksum, Revision as ObjectId};
use agpm_store::{SharedLock, StoreError};

/// More than the refs of any repository.
pub(crate) const MOST_REFS: u64 = 64 << 20;
/// More than any URL.
const LONGEST_LABEL: u64 = 1 << 16;

/// The directory of one source in the cache, with the paths in it.
#[derive(Debug)]
pub(crate) struct SourceCache {
    directory: PathBuf,
    label: String,
}

/// The lock under which a process fetches into the directory.
#[derive(Debug)]
pub(crate) struct CacheLock {
    _lock: SharedLock,
}

impl SourceCache {
    /// Returns the directory of a source, named after its URL without secrets.
    pub(crate) fn of(cache: &Path, label: String) -> Self {
        SourceCache {
            // The label has no secrets, so a copy is found again after a token was rotated.
            directory: cache.join(Checksum::of(label.as_bytes()).digits()),
            label,
        }
    }

    /// Returns an existing directory of the cache by its name.
    pub(crate) fn named(cache: &Path, name: &str) -> Self {
        SourceCache {
            directory: cache.join(name),
            label: String::new(),
        }
    }

    /// The directory of the source cache.
    pub(crate) fn directory(&self) -> &Path {
        &self.directory
    }

    /// Reads the URL of the source, without secrets.
    pub(crate) fn address(&self) -> Option<String> {
        let bytes = agpm_store::read(&self.directory.join("info.txt"), LONGEST_LABEL).ok()?;
        Some(String::from_utf8_lossy(&bytes).trim_end().to_owned())
    }

    /// The repository of commits with their trees, and files.
    pub(crate) fn objects(&self) -> PathBuf {
        self.directory.join("objects.git")
    }

    /// The repository of commits without trees.
    pub(crate) fn history(&self) -> PathBuf {
        self.directory.join("history.git")
    }

    /// The directory of checkouts.
    pub(crate) fn trees(&self) -> PathBuf {
        self.directory.join("trees")
    }

    /// Returns the file with the commit that was last checked out for a request.
    fn last(&self, requested: &str) -> PathBuf {
        self.directory.join("last").join(format!(
            "{}.txt",
            Checksum::of(requested.as_bytes()).digits()
        ))
    }

    /// Records the commit that was checked out for a request.
    pub(crate) fn remember_last(
        &self,
        requested: &str,
        commit: &ObjectId,
    ) -> Result<(), StoreError> {
        if self.remembered_last(requested).as_ref() == Some(commit) {
            return Ok(());
        }
        agpm_store::write_atomically(&self.last(requested), commit.as_str().as_bytes())
    }

    /// Reads the commit that was checked out for a request.
    pub(crate) fn remembered_last(&self, requested: &str) -> Option<ObjectId> {
        let bytes = agpm_store::read(&self.last(requested), LONGEST_LABEL).ok()?;
        std::str::from_utf8(&bytes).ok()?.trim().parse().ok()
    }

    /// The path of a new repository before it replaces a broken one.
    pub(crate) fn rebuilt(&self) -> PathBuf {
        self.directory.join("rebuilt.git")
    }

    /// Waits until no other process fetches for this source.
    pub(crate) fn hold(&self) -> Result<CacheLock, StoreError> {
        let lock = SharedLock::hold(&self.directory.join("lock"))?;
        Ok(CacheLock { _lock: lock })
    }

    /// Waits until no other process checks out commits of this source.
    pub(crate) fn hold_trees(&self) -> Result<SharedLock, StoreError> {
        SharedLock::hold(&self.directory.join("trees.lock"))
    }

    /// Creates an empty repository, unless a complete one exists.
    pub(crate) fn prepare(
        &self,
        repository: &Path,
        like: &ObjectId,
        _lock: &CacheLock,
    ) -> Result<(), StoreError> {
        if is_repository(repository) {
            return Ok(());
        }
        agpm_store::remove_directory(repository)?;
        let files = [("HEAD", "ref: refs/heads/none\n"), ("config", config(like))];
        agpm_store::create_directory_atomically(
            repository,
            &["objects/pack", "objects/info", "refs/agpm"],
            &files,
        )?;
        agpm_store::write_atomically(
            &self.directory.join("info.txt"),
            format!("{}\n", self.label).as_bytes(),
        )
    }

    /// Stores a listing of refs, if it differs from the last one.
    pub(crate) fn remember(&self, listing: &str) -> Result<(), StoreError> {
        if self.remembered().as_deref() == Some(listing) {
            return Ok(());
        }
        agpm_store::write_atomically(&self.directory.join("refs.txt"), listing.as_bytes())
    }

    /// Reads the last listing of refs.
    pub(crate) fn remembered(&self) -> Option<String> {
        let bytes = agpm_store::read(&self.directory.join("refs.txt"), MOST_REFS).ok()?;
        String::from_utf8(bytes).ok()
    }
}

/// Returns whether a directory has the parts that git expects in a repository.
pub(crate) fn is_repository(repository: &Path) -> bool {
    let has_directory = |name: &str| agpm_store::is_directory(&repository.join(name));
    agpm_store::is_file(&repository.join("HEAD"))
        && has_directory("objects")
        && has_directory("refs")
}

/// Returns the configuration. It names no remote, because a URL may contain a secret, and reading must never fetch.
fn config(like: &ObjectId) -> &'static str {
    match like.as_str().len() {
        64 => {
            "[core]\n\trepositoryformatversion = 1\n\tbare = true\n[extensions]\n\tobjectFormat = sha256\n"
        }
        _ => "[core]\n\trepositoryformatversion = 0\n\tbare = true\n",
    }
}
