use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::error::{Problem, StoreError};

/// The bytes of a file of at most `limit` bytes.
pub fn read(path: &Path, limit: u64) -> Result<Vec<u8>, StoreError> {
    let file = File::open(path).map_err(|cause| StoreError::new(path, cause))?;
    read_open(file, path, limit)
}

pub(crate) fn read_open(file: File, path: &Path, limit: u64) -> Result<Vec<u8>, StoreError> {
    let known = file.metadata().map_err(|cause| StoreError::new(path, cause))?;
    if known.is_dir() {
        return Err(StoreError::of(path, Problem::IsFolder));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(known.len().min(limit)).unwrap_or(0));
    // What is no regular file (a pipe) has no length beforehand: read one byte more than allowed to see.
    file.take(limit + 1).read_to_end(&mut bytes).map_err(|cause| StoreError::new(path, cause))?;
    if bytes.len() as u64 > limit {
        return Err(StoreError::of(path, Problem::TooLarge(limit)));
    }
    Ok(bytes)
}

/// The nearest file of that name in `start` or a folder above it.
pub fn nearest(start: &Path, name: &str) -> Option<PathBuf> {
    start.ancestors().map(|folder| folder.join(name)).find(|path| is_file(path))
}

/// The names in a folder, in order; none if it cannot be read.
pub fn names_in(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// Whether there is a file.
pub fn is_file(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|known| known.is_file())
}

/// A new, empty folder of its own in the system's temporary place, which stays.
pub fn temporary_folder(prefix: &str) -> Result<PathBuf, StoreError> {
    let folder = tempfile::Builder::new().prefix(prefix).tempdir();
    folder.map(tempfile::TempDir::keep).map_err(|cause| StoreError::new(&std::env::temp_dir(), cause))
}
