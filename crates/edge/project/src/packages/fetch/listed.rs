//! Lists the files of a directory in a source.

use agpm_model::{FileMode, ObjectId, RelativePath};
use agpm_source::limits::{DEEPEST, MOST_DIRECTORIES};
use agpm_source::{Source, SourceEntry, SourceError, SourceTree};

/// A file of a source that is not read yet.
pub(super) struct ListedFile {
    /// Its path in the skill or plugin; of a file on its own, its name.
    pub(super) path: Option<RelativePath>,
    pub(super) mode: FileMode,
    pub(super) entry: SourceEntry,
}

/// Everything in a directory of a source; nothing if there are too many directories.
pub(super) fn walk(
    source: &dyn Source,
    revision: Option<&ObjectId>,
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

/// Why a directory with too many directories is refused.
pub(super) fn too_many_folders() -> String {
    format!("it has more than {MOST_DIRECTORIES} directories")
}
