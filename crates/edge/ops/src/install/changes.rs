//! Changes that are made together.

use std::borrow::Cow;
use std::path::PathBuf;

use agpm_model::{Checksum, FileMode};
use agpm_store::{
    ExpectedFile, FileChange, ProjectLock, ProjectStore, StoreError, StoreProblem, Transaction,
};

use agpm_project::reading::limit;
use agpm_project::scope::SiblingFile;

/// Changes of files that a transaction writes, and of those next to a user's manifest that it cannot reach.
///
/// A configuration directory that is not in home may be on another file system, and a transaction moves files. Files there are
/// written after it, each file whole: a run that is killed in between leaves a lockfile that is out of date, and the next
/// run makes both agree again. `undo` does not bring these files back, and says so.
#[derive(Default)]
pub(crate) struct FileChanges<'a> {
    pub(crate) inside: Vec<FileChange<'a>>,
    outside: Vec<Outside<'a>>,
}

struct Outside<'a> {
    path: PathBuf,
    bytes: Cow<'a, [u8]>,
    before: ExpectedFile,
}

impl<'a> FileChanges<'a> {
    /// Changes within.
    pub(crate) fn of(inside: Vec<FileChange<'a>>) -> Self {
        FileChanges {
            inside,
            outside: Vec::new(),
        }
    }

    /// A file next to the manifest gets this content.
    pub(crate) fn put(&mut self, place: SiblingFile, bytes: Cow<'a, [u8]>, before: ExpectedFile) {
        match place {
            SiblingFile::Within(path) => {
                self.inside.push(FileChange::Write {
                    path,
                    bytes,
                    mode: FileMode::Plain,
                    before,
                });
            }
            SiblingFile::Outside(path) => self.outside.push(Outside {
                path,
                bytes,
                before,
            }),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.inside.is_empty() && self.outside.is_empty()
    }

    /// Makes them all.
    pub(crate) fn apply(
        self,
        store: &ProjectStore,
        held: &ProjectLock,
        title: String,
        progress: &dyn Fn(usize),
    ) -> Result<(), StoreError> {
        self.outside.iter().try_for_each(Outside::check)?;
        if !self.inside.is_empty() {
            store.apply(
                held,
                &Transaction {
                    title,
                    changes: self.inside,
                },
                progress,
            )?;
        }
        self.outside.iter().try_for_each(Outside::write)
    }
}

impl Outside<'_> {
    /// Whether it is still what the plan saw.
    fn check(&self) -> Result<(), StoreError> {
        match self.before {
            ExpectedFile::Checksum(seen)
                if Checksum::of(&agpm_store::read(&self.path, limit())?) != seen =>
            {
                Err(StoreError {
                    path: self.path.clone(),
                    problem: StoreProblem::Changed,
                })
            }
            _ => Ok(()),
        }
    }

    fn write(&self) -> Result<(), StoreError> {
        agpm_store::write_whole(&self.path, &self.bytes)
    }
}
