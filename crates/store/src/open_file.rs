//! Open files, opened by a path or in a confined directory.

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

use agpm_model::FileMode;
use cap_std::fs::Dir;

use crate::error::{StoreError, StoreProblem};
use crate::platform;

/// Reads a file of at most `limit` bytes.
pub(crate) fn read_open(file: File, path: &Path, limit: u64) -> Result<Vec<u8>, StoreError> {
    let metadata = file
        .metadata()
        .map_err(|cause| StoreError::new(path, cause))?;
    if metadata.is_dir() {
        return Err(StoreError::of(path, StoreProblem::IsDirectory));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(metadata.len().min(limit)).unwrap_or(0));
    // A pipe or another special file has no known length, so one byte more than allowed is read to detect the excess.
    file.take(limit + 1)
        .read_to_end(&mut bytes)
        .map_err(|cause| StoreError::new(path, cause))?;
    if bytes.len() as u64 > limit {
        return Err(StoreError::of(path, StoreProblem::TooLarge(limit)));
    }
    Ok(bytes)
}

/// Opens a file or a directory. Other kinds are refused, because opening a pipe would block.
pub(crate) fn open_file(dir: &Dir, file: &str, path: &Path) -> Result<File, StoreError> {
    let fail = |cause| StoreError::new(path, cause);
    let metadata = dir.metadata(file).map_err(fail)?;
    if metadata.is_file() || metadata.is_dir() {
        dir.open(file)
            .map_err(fail)
            .map(cap_std::fs::File::into_std)
    } else {
        Err(StoreError::of(path, StoreProblem::NotFile))
    }
}

pub(crate) fn mode_of(file: &File, path: &Path) -> Result<FileMode, StoreError> {
    file.metadata()
        .map(|metadata| mode_from(&metadata))
        .map_err(|cause| StoreError::new(path, cause))
}

pub(crate) fn mode_from(metadata: &fs::Metadata) -> FileMode {
    if platform::is_executable(metadata) {
        FileMode::Executable
    } else {
        FileMode::Plain
    }
}
