//! The file changes of one command.

use std::borrow::Cow;
use std::path::PathBuf;

use agpm_model::{Checksum, FileMode};
use agpm_store::{
    ExpectedFile, FileChange, ProjectLock, ProjectStore, StoreError, StoreProblem, Transaction,
};

use crate::gitignore::{IGNORE_NAME, IgnoreEdit};
use crate::install::run::TextPatchEdit;
use crate::project::path_of;
use crate::project::reading::limit;
use crate::project::scope::SiblingFile;

/// Changes of files that a transaction writes, and of files next to a user manifest that it cannot write.
///
/// A configuration directory outside of home may be on another file system, and a transaction moves files. Files there
/// are therefore written after the transaction, each atomically. If the process is killed in between, the lockfile is
/// outdated and the next run corrects it. `undo` does not restore these files, and reports that.
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
    /// Adds a write of the manifest or of a file next to it.
    pub(crate) fn put(&mut self, file: SiblingFile, bytes: Cow<'a, [u8]>, before: ExpectedFile) {
        match file {
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

    /// Adds an edit of the project's `.gitignore`.
    pub(crate) fn put_ignored(&mut self, edit: &'a IgnoreEdit) {
        let file = SiblingFile::Within(path_of(IGNORE_NAME));
        self.put(file, Cow::Borrowed(edit.bytes.as_slice()), edit.before);
    }

    /// Adds an edit of a diff that a patch names.
    pub(crate) fn put_text_patch(&mut self, edit: &'a TextPatchEdit) {
        match (&edit.edited.text, &edit.file) {
            (Some(text), file) => {
                let bytes = Cow::Borrowed(text.as_bytes());
                self.put(file.clone(), bytes, edit.before);
            }
            (None, SiblingFile::Within(path)) => self.inside.push(FileChange::Remove {
                path: path.clone(),
                before: edit.before,
            }),
            // A transaction cannot remove it, and the manifest does not name it any more.
            (None, SiblingFile::Outside(_)) => {}
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.inside.is_empty() && self.outside.is_empty()
    }

    /// Writes all changes.
    pub(crate) fn apply(
        self,
        store: &ProjectStore,
        lock: &ProjectLock,
        title: String,
        progress: &dyn Fn(usize),
    ) -> Result<(), StoreError> {
        // The files outside cannot be rolled back, so they are checked before the transaction and written after it.
        self.outside.iter().try_for_each(Outside::check)?;
        if !self.inside.is_empty() {
            store.apply(
                lock,
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
    /// Fails if the file changed since the plan was made.
    fn check(&self) -> Result<(), StoreError> {
        match self.before {
            ExpectedFile::Checksum(seen)
                if Checksum::of(&agpm_store::read_regular(&self.path, limit())?) != seen =>
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
        agpm_store::write_atomically(&self.path, &self.bytes)
    }
}
