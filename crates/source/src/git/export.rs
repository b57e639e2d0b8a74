//! Writes files of a commit of the user's repository into a directory, without its hooks or filters.

use std::path::Path;

use agpm_model::{RelativePath, Revision as ObjectId};
use agpm_store::ConfinedDirectory;

use crate::git::checkout::{is_portable, write_link};
use crate::git::error::GitError;
use crate::git::program::GitProgram;
use crate::git::tree::TreeEntryKind;
use crate::git::worktree::CommitTreeFile;

/// How many files are read before they are written.
const CHUNK: usize = 2_000;

impl GitProgram {
    /// Writes these files of the repository around `root`. Submodules, symlinks that lead out of the directory and names
    /// that are not valid on every system are left out.
    pub fn export(
        &self,
        root: &Path,
        files: &[&CommitTreeFile],
        into: &ConfinedDirectory,
    ) -> Result<(), GitError> {
        let files: Vec<(&CommitTreeFile, RelativePath)> = files
            .iter()
            .filter(|file| file.kind != TreeEntryKind::Submodule)
            .filter(|file| file.path.split('/').all(is_portable))
            .filter_map(|file| Some((*file, RelativePath::new(&file.path).ok()?)))
            .collect();
        for chunk in files.chunks(CHUNK) {
            let ids: Vec<ObjectId> = chunk.iter().map(|(file, _)| file.id.clone()).collect();
            let contents = self.bytes_of(root, &ids)?;
            for ((file, path), bytes) in chunk.iter().zip(contents) {
                // A partial clone may lack an object; whoever needs the file reports that it is missing.
                let Some(bytes) = bytes else { continue };
                match file.kind {
                    TreeEntryKind::Symlink => write_link(path, &bytes, into),
                    kind => {
                        into.create_new(path, &bytes)?;
                        if kind == TreeEntryKind::Executable {
                            into.make_executable(path)?;
                        }
                    }
                }
            }
        }
        Ok(())
    }
}
