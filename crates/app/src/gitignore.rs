//! The lines of `.gitignore` that a project of agpm has.

use crate::project::path_of;
use crate::project::reading::limit;
use agpm_adopt::with_ignored_lines;
use agpm_diag::Failure;
use agpm_model::Checksum;
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
        let existing = match store.read(&path_of(IGNORE_NAME), limit()) {
            Err(StoreError {
                problem: StoreProblem::NotFound,
                ..
            }) => None,
            read => Some(read?),
        };
        let before = existing.as_deref().map(Checksum::of);
        let before = before.map_or(ExpectedFile::Missing, ExpectedFile::Checksum);
        let bytes = with_ignored_lines(existing.unwrap_or_default());
        Ok(bytes.map(|bytes| IgnoreEdit { before, bytes }))
    }
}
