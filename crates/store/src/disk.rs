//! The files of this machine, for crates that must not access them directly.

use std::path::{Path, PathBuf};

use agpm_model::{FileProblem, FoundFile, MachineFiles, ProblemKind, ResolvedPath};
use agpm_text::Limits;

use crate::error::{StoreError, StoreProblem};
use crate::user::SystemUser;

/// The file system of this machine.
#[derive(Clone, Copy, Debug)]
pub struct Disk;

impl MachineFiles for Disk {
    fn reach(&self, path: &Path) -> Result<Option<ResolvedPath>, FileProblem> {
        Ok(crate::reach(path)?)
    }

    fn exists(&self, path: &Path) -> bool {
        crate::exists(path)
    }

    fn names(&self, directory: &Path) -> Result<Vec<String>, FileProblem> {
        Ok(crate::directory_names(directory)?)
    }

    fn below(&self, directory: &Path, depth: usize) -> Result<Vec<FoundFile>, FileProblem> {
        Ok(crate::entries_below(directory, depth)?)
    }

    fn read(&self, file: &Path) -> Result<Vec<u8>, FileProblem> {
        let (bytes, _) = crate::read_with_mode(file, Limits::default().bytes as u64)?;
        Ok(bytes)
    }

    fn real_path(&self, path: &Path) -> PathBuf {
        crate::real_path(path)
    }

    fn is_trusted(&self, path: &Path, directory: &Path) -> bool {
        SystemUser::of(path).is_none_or(|user| user.is_trusted_in(directory))
    }
}

impl From<StoreError> for FileProblem {
    fn from(error: StoreError) -> Self {
        FileProblem {
            kind: match error.problem {
                StoreProblem::NotFound => ProblemKind::NotFound,
                StoreProblem::Escapes => ProblemKind::Escapes,
                _ => ProblemKind::Other,
            },
            words: error.problem.to_string(),
        }
    }
}
