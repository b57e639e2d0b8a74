use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::error::StoreError;

/// Returns the bytes of all files in a directory, or zero if it does not exist. Symlinks are not followed.
pub fn size_below(directory: &Path) -> Result<u64, StoreError> {
    let mut size = 0;
    let mut directories = vec![directory.to_owned()];
    while let Some(path) = directories.pop() {
        let entries = match fs::read_dir(&path) {
            // Another process may remove files at the same time.
            Err(cause) if cause.kind() == ErrorKind::NotFound => continue,
            entries => entries.map_err(|cause| StoreError::new(&path, cause))?,
        };
        for entry in entries.flatten() {
            match entry.metadata() {
                Ok(metadata) if metadata.is_dir() => directories.push(entry.path()),
                Ok(metadata) if metadata.is_file() => size += metadata.len(),
                _ => {}
            }
        }
    }
    Ok(size)
}

/// Returns whether the path is a directory and not a symlink to one.
pub fn is_real_directory(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_dir())
}

/// Returns whether the path is a file and not a symlink to one.
pub fn is_real_file(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_file())
}

/// Returns the target of a symlink as written; `None` if the path is not a symlink.
pub fn link_target(path: &Path) -> Option<PathBuf> {
    fs::read_link(path).ok()
}

/// Removes a file, directory or symlink without following symlinks; a missing path is not an error.
pub fn remove_path(path: &Path) -> Result<(), StoreError> {
    let removed = if is_real_directory(path) {
        fs::remove_dir_all(path)
    } else {
        fs::remove_file(path)
    };
    match removed {
        Err(cause) if cause.kind() != ErrorKind::NotFound => Err(StoreError::new(path, cause)),
        _ => Ok(()),
    }
}

/// Resolves symlinks, so a write changes the file and keeps the symlinks; returns the path itself if nothing exists.
pub fn real_path(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

#[cfg(all(test, unix))]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn links_are_neither_measured_nor_followed() {
        let temp = tempfile::tempdir().unwrap();
        let (inside, outside) = (temp.path().join("in"), temp.path().join("out"));
        fs::create_dir_all(inside.join("deep")).unwrap();
        fs::create_dir_all(&outside).unwrap();
        fs::write(outside.join("f"), "12345").unwrap();
        fs::write(inside.join("deep/f"), "123").unwrap();
        std::os::unix::fs::symlink(&outside, inside.join("link")).unwrap();
        assert_eq!(size_below(&inside).unwrap(), 3);
        assert!(!is_real_directory(&inside.join("link")));
        remove_path(&inside.join("link")).unwrap();
        std::os::unix::fs::symlink(&outside, inside.join("deep/link")).unwrap();
        remove_path(&inside).unwrap();
        remove_path(&inside).unwrap();
        assert_eq!(fs::read(outside.join("f")).unwrap(), b"12345");
        assert_eq!(size_below(&inside).unwrap(), 0);
    }
}
