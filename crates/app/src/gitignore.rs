//! The lines of `.gitignore` that a project of agpm has.

use crate::project::path_of;
use crate::project::reading::limit;
use agpm_adopt::{with_ignored_line, with_ignored_lines};
use agpm_diag::Failure;
use agpm_model::{Checksum, PRIVATE_LOCK_NAME};
use agpm_store::{ExpectedFile, ProjectStore, StoreError, StoreProblem};

/// The file that git reads.
pub(crate) const IGNORE_NAME: &str = ".gitignore";

/// An edit of the `.gitignore` that belongs to a new manifest.
pub(crate) struct IgnoreEdit {
    /// The content that was edited.
    pub(crate) before: ExpectedFile,
    /// The new content.
    pub(crate) bytes: Vec<u8>,
}

impl IgnoreEdit {
    /// Adds the missing lines to the file of a project; `None` if no line is missing.
    pub(crate) fn of(store: &ProjectStore) -> Result<Option<Self>, Failure> {
        IgnoreEdit::with(store, with_ignored_lines)
    }

    /// Adds the line for the private lockfile; `None` if it is not missing, or if git does not see the project.
    pub(crate) fn of_private_lock(store: &ProjectStore) -> Result<Option<Self>, Failure> {
        let has_file = agpm_store::exists(&store.path().join(IGNORE_NAME));
        let mut above = store.path().ancestors();
        let is_repository = above.any(|directory| agpm_store::exists(&directory.join(".git")));
        if !has_file && !is_repository {
            return Ok(None);
        }
        IgnoreEdit::with(store, |bytes| with_ignored_line(bytes, PRIVATE_LOCK_NAME))
    }

    fn with(
        store: &ProjectStore,
        add: impl Fn(Vec<u8>) -> Option<Vec<u8>>,
    ) -> Result<Option<Self>, Failure> {
        let existing = match store.read(&path_of(IGNORE_NAME), limit()) {
            Err(StoreError {
                problem: StoreProblem::NotFound,
                ..
            }) => None,
            read => Some(read?),
        };
        let before = existing.as_deref().map(Checksum::of);
        let before = before.map_or(ExpectedFile::Missing, ExpectedFile::Checksum);
        let bytes = add(existing.unwrap_or_default());
        Ok(bytes.map(|bytes| IgnoreEdit { before, bytes }))
    }
}
