//! Lists the files of a directory in a source.

use agpm_model::{FileMode, RelativePath, Revision};
use agpm_source::limits::{DEEPEST, MOST_DIRECTORIES};
use agpm_source::{Source, SourceEntry, SourceError, SourceTree};

/// A file of a source that is not read yet.
pub(super) struct ListedFile {
    /// The path in the skill or plugin; `None` for a single file.
    pub(super) path: Option<RelativePath>,
    pub(super) mode: FileMode,
    pub(super) entry: SourceEntry,
}

/// Lists a directory of a source recursively; `None` if it has too many directories.
pub(super) fn walk(
    source: &dyn Source,
    revision: Option<&Revision>,
    directory: &str,
) -> Result<Option<SourceTree>, SourceError> {
    let levels = |path: &str| path.split('/').filter(|part| !part.is_empty()).count();
    let top = levels(directory);
    let is_entered = |path: &str| levels(path) - top <= DEEPEST;
    match source.walk(revision, directory, &is_entered) {
        Err(SourceError::TooManyDirectories) => Ok(None),
        tree => tree.map(Some),
    }
}

/// Returns the reason for refusing a directory with too many directories.
pub(super) fn too_many_directories() -> String {
    format!("it has more than {MOST_DIRECTORIES} directories")
}
