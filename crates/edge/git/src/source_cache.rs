//! The location of one source in the cache.

use std::path::{Path, PathBuf};

use agpm_model::{Checksum, ObjectId};
use agpm_store::{SharedLock, StoreError};

/// More than the refs of any repository.
const MOST_REFS: u64 = 64 << 20;
/// More than any URL.
const LONGEST_LABEL: u64 = 1 << 16;

/// A shelf's directories and files.
#[derive(Debug)]
pub(crate) struct SourceCache {
    directory: PathBuf,
    label: String,
}

/// Proof that nobody else fetches for this source now.
#[derive(Debug)]
pub(crate) struct CacheLock {
    _lock: SharedLock,
}

impl SourceCache {
    /// The shelf of a source, named after a URL without secrets: a new token finds the old copy.
    pub(crate) fn of(cache: &Path, label: String) -> Self {
        SourceCache {
            // The label has no secrets, so a copy is found again after a token was rotated.
            directory: cache.join(Checksum::of(label.as_bytes()).digits()),
            label,
        }
    }

    /// A shelf that is in the cache, by the name of its directory.
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

    /// The URL that it was made for, without secrets.
    pub(crate) fn address(&self) -> Option<String> {
        let bytes = agpm_store::read(&self.directory.join("info.txt"), LONGEST_LABEL).ok()?;
        Some(String::from_utf8_lossy(&bytes).trim_end().to_owned())
    }

    /// Commits with their trees, and files.
    pub(crate) fn objects(&self) -> PathBuf {
        self.directory.join("objects.git")
    }

    /// Commits alone.
    pub(crate) fn history(&self) -> PathBuf {
        self.directory.join("history.git")
    }

    /// Commits whose files are written out.
    pub(crate) fn trees(&self) -> PathBuf {
        self.directory.join("trees")
    }

    /// Where it stands what was last written out for something that is requested.
    fn last(&self, requested: &str) -> PathBuf {
        self.directory.join("last").join(format!(
            "{}.txt",
            Checksum::of(requested.as_bytes()).digits()
        ))
    }

    /// Keeps which commit was written out for something that is requested.
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

    /// That commit.
    pub(crate) fn remembered_last(&self, requested: &str) -> Option<ObjectId> {
        let bytes = agpm_store::read(&self.last(requested), LONGEST_LABEL).ok()?;
        std::str::from_utf8(&bytes).ok()?.trim().parse().ok()
    }

    /// Where a repository is made again before it takes the location of a broken one.
    pub(crate) fn rebuilt(&self) -> PathBuf {
        self.directory.join("rebuilt.git")
    }

    /// Waits until nobody else fetches for this source.
    pub(crate) fn hold(&self) -> Result<CacheLock, StoreError> {
        let lock = SharedLock::hold(&self.directory.join("lock"))?;
        Ok(CacheLock { _lock: lock })
    }

    /// Waits until nobody else writes out commits of this source.
    pub(crate) fn hold_trees(&self) -> Result<SharedLock, StoreError> {
        SharedLock::hold(&self.directory.join("trees.lock"))
    }

    /// Makes an empty repository, unless a whole one exists.
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

    /// The packs that the objects are in: as long as they are the same, nothing was fetched.
    pub(crate) fn packs(&self) -> Vec<String> {
        agpm_store::names_in(&self.objects().join("objects").join("pack"))
    }

    /// Keeps a listing of refs, if it is another than the last.
    pub(crate) fn remember(&self, listing: &str) -> Result<(), StoreError> {
        if self.remembered().as_deref() == Some(listing) {
            return Ok(());
        }
        agpm_store::write_atomically(&self.directory.join("refs.txt"), listing.as_bytes())
    }

    /// The last listing of refs.
    pub(crate) fn remembered(&self) -> Option<String> {
        let bytes = agpm_store::read(&self.directory.join("refs.txt"), MOST_REFS).ok()?;
        String::from_utf8(bytes).ok()
    }
}

/// Whether a directory has what git asks of a repository before it looks any further.
pub(crate) fn is_repository(repository: &Path) -> bool {
    let has_directory = |name: &str| agpm_store::is_directory(&repository.join(name));
    agpm_store::is_file(&repository.join("HEAD"))
        && has_directory("objects")
        && has_directory("refs")
}

/// No remote is in it: its URL may hold a secret, and reading must never fetch by itself.
fn config(like: &ObjectId) -> &'static str {
    match like.as_str().len() {
        64 => {
            "[core]\n\trepositoryformatversion = 1\n\tbare = true\n[extensions]\n\tobjectFormat = sha256\n"
        }
        _ => "[core]\n\trepositoryformatversion = 0\n\tbare = true\n",
    }
}
