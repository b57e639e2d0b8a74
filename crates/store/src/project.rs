use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use agpm_model::{Checksum, FileState, ObservedPath, RelativePath};
use cap_std::ambient_authority;
use cap_std::fs::{Dir, OpenOptions};

use crate::directory_chain::DirectoryChain;
use crate::error::{StoreError, StoreProblem};
use crate::journal::JournaledFile;
use crate::open_file::{open_file, read_open};
use crate::owned::above;
use crate::platform;
use crate::shared_lock::is_still;
use crate::stamp::FileStamp;
use crate::state::{SEEN, StateDirectory, TRANSACTION, relative};
use crate::steps;
use crate::user::SystemUser;

pub(crate) const LOCK: &str = "lock";
/// Another process would have to remove the state this often while this one waits for it.
const MOST_LOCK_TRIES: usize = 1000;
pub(crate) const IGNORE: &str = ".gitignore";
/// Plugins and snippets are installed files like those of tools: everyone who clones the project can use them.
pub(crate) const IGNORED: &[u8] = b"*\n!/plugins/\n!/plugins/**\n!/snippets/\n!/snippets/**\n";
/// The content that earlier versions wrote.
pub(crate) const IGNORED_BEFORE: &[u8] = b"*\n";
/// A file of a project is read completely to compare it; nobody installs larger ones.
const LARGEST: u64 = 1 << 34;

/// A project or a user's home, with agpm's state in it. No operation can leave the directory.
#[derive(Debug)]
pub struct ProjectStore {
    pub(crate) root: Dir,
    path: PathBuf,
    pub(crate) state: StateDirectory,
    pub(crate) state_use: StateUse,
}

/// Whether the state in a project is trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StateUse {
    /// agpm wrote the state on this machine.
    Believed,
    /// Somebody else may have written it: it has no history, nothing to recover, and no managed directory.
    Ignored,
}

/// The lock on a project, held until it is dropped.
#[derive(Debug)]
pub struct ProjectLock {
    /// Closing the file unlocks it.
    _file: File,
}

/// The behavior while another process holds the lock.
#[derive(Clone, Copy)]
pub enum LockWait<'a> {
    /// Call this once, then wait.
    Block(&'a dyn Fn()),
    /// Give up with [`StoreProblem::Locked`].
    Fail,
}

/// A file with its content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredFile {
    /// The checksum and mode of the stored file.
    pub state: FileState,
    /// The bytes of the stored file.
    pub bytes: Vec<u8>,
}

/// A file with the data that only the journal needs.
pub(crate) struct JournalFile {
    pub(crate) content: JournaledFile,
    pub(crate) stamp: Option<FileStamp>,
}

impl From<JournalFile> for FileState {
    fn from(file: JournalFile) -> Self {
        FileState {
            checksum: file.content.checksum,
            mode: file.content.bits.into(),
        }
    }
}

impl ProjectStore {
    /// Opens an existing project directory, without writing.
    pub fn open(directory: &Path) -> Result<Self, StoreError> {
        ProjectStore::open_at(directory, StateDirectory::Project)
    }

    /// Opens an existing directory with this state, without writing.
    pub fn open_at(directory: &Path, state: StateDirectory) -> Result<Self, StoreError> {
        let root = Dir::open_ambient_dir(directory, ambient_authority());
        let root = root.map_err(|cause| StoreError::new(directory, cause))?;
        let store = ProjectStore {
            root,
            path: directory.to_owned(),
            state,
            state_use: StateUse::Believed,
        };
        Ok(if store.has_foreign_state() {
            store.ignoring_state()
        } else {
            store
        })
    }

    /// Ignores the state, because somebody else may have written it.
    #[must_use]
    pub fn ignoring_state(self) -> Self {
        ProjectStore {
            state_use: StateUse::Ignored,
            ..self
        }
    }

    /// Returns whether the state is trusted.
    pub fn state_use(&self) -> StateUse {
        self.state_use
    }

    /// Returns the path of the directory.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the path of the state directory, which may not exist.
    pub fn state_directory(&self) -> PathBuf {
        self.path.join(self.state.path())
    }

    /// Returns whether the state belongs to another user than the project. It is not trusted, because it determines
    /// which files are removed.
    pub fn has_foreign_state(&self) -> bool {
        let state = self.state_directory();
        let parts = [
            state.clone(),
            self.path.join(self.state.ledger()),
            state.join(TRANSACTION),
            state.join(SEEN),
        ];
        // A shared machine or an unpacked archive can bring state of another user. Its ledger would decide which
        // files agpm deletes.
        let owners = parts.iter().filter_map(|part| SystemUser::of(part));
        owners
            .into_iter()
            .any(|owner| !owner.is_trusted_in(&self.path))
    }

    /// Returns the path of the ledger, which may be part of transactions.
    pub fn ledger(&self) -> RelativePath {
        relative(self.state.ledger())
    }

    /// Locks the project against other processes. On a file system without locks, this does nothing.
    pub fn lock(&self, wait: LockWait<'_>) -> Result<ProjectLock, StoreError> {
        for _ in 0..MOST_LOCK_TRIES {
            if let Some(lock) = self.lock_once(wait)? {
                return Ok(lock);
            }
        }
        Err(self.error(&self.state.inner(LOCK), StoreProblem::Locked))
    }

    /// Locks the file that exists now; `None` if another process removed it with the state in the meantime.
    fn lock_once(&self, wait: LockWait<'_>) -> Result<Option<ProjectLock>, StoreError> {
        let path = self.state.inner(LOCK);
        let full = self.path.join(&path);
        let fail = |cause| StoreError::of_write(&full, cause);
        self.make_state().map_err(&fail)?;
        let Some(state) = self.state()? else {
            return Ok(None);
        };
        let mut options = OpenOptions::new();
        options.write(true).create(true);
        let file = match state.open_with(LOCK, &options) {
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => return Ok(None),
            file => file.map_err(&fail)?.into_std(),
        };
        let locked = match (file.try_lock(), wait) {
            (Err(TryLockError::WouldBlock), LockWait::Fail) => {
                return Err(self.error(&path, StoreProblem::Locked));
            }
            // Reported before waiting: a command that seems to hang would be killed.
            (Err(TryLockError::WouldBlock), LockWait::Block(tell)) => {
                tell();
                file.lock()
            }
            (Err(TryLockError::Error(cause)), _) => Err(cause),
            (Ok(()), _) => Ok(()),
        };
        match locked {
            // Some network file systems have no locks. Refusing to work there would cost more than the rare race of
            // two runs.
            Err(cause) if cause.kind() != io::ErrorKind::Unsupported => Err(fail(cause)),
            _ if !is_still(&file, &full) => Ok(None),
            _ => {
                self.ignore(&state)?;
                Ok(Some(ProjectLock { _file: file }))
            }
        }
    }

    /// Creates the state directory. In a home it is private.
    fn make_state(&self) -> io::Result<()> {
        let path = self.state.path();
        for directory in above(path) {
            steps::make_directory(&self.root, directory)?;
        }
        match self.state {
            StateDirectory::Project => steps::make_directory(&self.root, path),
            StateDirectory::Home => steps::make_private_directory(&self.root, path),
        }
    }

    /// Excludes the state from version control, because installed files can be installed again.
    fn ignore(&self, state: &Dir) -> Result<(), StoreError> {
        let fail = self.at(&self.state.inner(IGNORE));
        if !steps::exists(state, IGNORE).map_err(&fail)? {
            steps::write_new(state, IGNORE, IGNORED, platform::PermissionBits::PLAIN)
                .map_err(&fail)?;
        }
        Ok(())
    }

    /// Updates the lines that an earlier version wrote; other lines belong to the user.
    pub(crate) fn renew_ignored(&self) -> Result<(), StoreError> {
        let fail = self.at(&self.state.inner(IGNORE));
        let Some(state) = self.state()? else {
            return Ok(());
        };
        if state
            .read(IGNORE)
            .is_ok_and(|bytes| bytes == IGNORED_BEFORE)
        {
            // Only the exact bytes of an earlier version are replaced; a file that the user edited is kept.
            steps::remove_file(&state, IGNORE).map_err(&fail)?;
            self.ignore(&state)?;
        }
        Ok(())
    }

    /// Observes a path. A symlink above it may lead to another directory of the project, but not out of it.
    pub fn observe(&self, path: &RelativePath) -> Result<ObservedPath, StoreError> {
        let seen = self.observe_path(&mut DirectoryChain::new(&self.root), path)?;
        Ok(seen.map(FileState::from))
    }

    /// Observes many paths; if they are sorted by directory, each directory is opened once.
    pub fn observe_all(&self, paths: &[&RelativePath]) -> Result<Vec<ObservedPath>, StoreError> {
        let mut chain = DirectoryChain::new(&self.root);
        paths
            .iter()
            .map(|path| Ok(self.observe_path(&mut chain, path)?.map(FileState::from)))
            .collect()
    }

    /// Observes a path and returns its bytes too, at most `limit`. The file is read once.
    pub fn observe_content(
        &self,
        path: &RelativePath,
        limit: u64,
    ) -> Result<ObservedPath<StoredFile>, StoreError> {
        let seen = self.see_content(&mut DirectoryChain::new(&self.root), path, limit)?;
        Ok(seen.map(|(file, bytes)| StoredFile {
            state: file.into(),
            bytes,
        }))
    }

    /// Reads a file of at most `limit` bytes.
    pub fn read(&self, path: &RelativePath, limit: u64) -> Result<Vec<u8>, StoreError> {
        let full = self.path.join(path.as_str());
        // Ignored state reads as missing, so callers need no special case.
        if path.as_str() == self.state.ledger() && self.state_use == StateUse::Ignored {
            return Err(StoreError::of(&full, StoreProblem::NotFound));
        }
        read_open(open_file(&self.root, path.as_str(), &full)?, &full, limit)
    }

    pub(crate) fn observe_path(
        &self,
        chain: &mut DirectoryChain<'_>,
        path: &RelativePath,
    ) -> Result<ObservedPath<JournalFile>, StoreError> {
        let seen = self.see_content(chain, path, LARGEST)?;
        Ok(seen.map(|(file, _)| file))
    }

    fn see_content(
        &self,
        chain: &mut DirectoryChain<'_>,
        path: &RelativePath,
        limit: u64,
    ) -> Result<ObservedPath<(JournalFile, Vec<u8>)>, StoreError> {
        let seen = chain.parent(path).and_then(|dir| {
            // Symlinks are not followed: a symlink at the path of a resource is an obstacle, not the file that it
            // points to.
            let metadata = dir.symlink_metadata(path.file_name())?;
            Ok((
                metadata
                    .is_file()
                    .then(|| dir.open(path.file_name()))
                    .transpose()?,
                metadata,
            ))
        });
        let nothing = [io::ErrorKind::NotFound, io::ErrorKind::NotADirectory];
        match seen {
            Ok((Some(file), metadata)) => {
                let bytes = read_open(file.into_std(), &self.path.join(path.as_str()), limit)?;
                let content = JournaledFile {
                    checksum: Checksum::of(&bytes),
                    bits: platform::bits_of(&metadata),
                };
                // The metadata is older than the bytes, so a change in between is detected.
                let stamp = FileStamp::of(&metadata);
                Ok(ObservedPath::File((JournalFile { content, stamp }, bytes)))
            }
            Ok((None, metadata)) if metadata.is_dir() => Ok(ObservedPath::Directory),
            Ok((None, metadata)) if metadata.is_symlink() => Ok(ObservedPath::Symlink),
            Ok((None, _)) => Ok(ObservedPath::Special),
            Err(cause) if nothing.contains(&cause.kind()) => Ok(ObservedPath::Missing),
            Err(cause) => Err(self.at(path.as_str())(cause)),
        }
    }

    /// Returns the state directory, if it exists.
    pub(crate) fn state(&self) -> Result<Option<Dir>, StoreError> {
        self.inner(&self.root, self.state.path(), self.state.path())
    }

    /// Returns a directory in the state, if it exists. A symlink in a cloned project is not followed.
    pub(crate) fn inner(
        &self,
        dir: &Dir,
        name: &str,
        path: &str,
    ) -> Result<Option<Dir>, StoreError> {
        match dir.symlink_metadata(name) {
            Ok(metadata) if metadata.is_dir() => {
                Ok(Some(dir.open_dir(name).map_err(self.at(path))?))
            }
            // A symlink here would let a clone redirect every write of the state out of the project.
            Ok(_) => Err(self.error(path, StoreProblem::NotFile)),
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(cause) => Err(self.at(path)(cause)),
        }
    }

    /// Adds the path to an error of the system.
    pub(crate) fn at(&self, path: &str) -> impl Fn(io::Error) -> StoreError + use<> {
        let path = self.path.join(path);
        move |cause| StoreError::new(&path, cause)
    }

    pub(crate) fn error(&self, path: &str, problem: StoreProblem) -> StoreError {
        StoreError::of(&self.path.join(path), problem)
    }
}
