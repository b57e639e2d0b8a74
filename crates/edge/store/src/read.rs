use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use agpm_model::{FileMode, FoundFile, FoundKind, ResolvedPath};

use crate::error::{StoreError, StoreProblem};
use crate::folder::ConfinedDirectory;
use crate::open_file::{mode_of, read_open};

/// The bytes of a file of at most `limit` bytes.
pub fn read(path: &Path, limit: u64) -> Result<Vec<u8>, StoreError> {
    let file = File::open(path).map_err(|cause| StoreError::new(path, cause))?;
    read_open(file, path, limit)
}

/// The bytes of a file, and whether it can be run.
pub fn read_with_mode(path: &Path, limit: u64) -> Result<(Vec<u8>, FileMode), StoreError> {
    // A pipe would be waited for.
    let known = fs::metadata(path).map_err(|cause| StoreError::new(path, cause))?;
    if !known.is_file() && !known.is_dir() {
        return Err(StoreError::of(path, StoreProblem::NotFile));
    }
    let file = File::open(path).map_err(|cause| StoreError::new(path, cause))?;
    let mode = mode_of(&file, path)?;
    Ok((read_open(file, path, limit)?, mode))
}

/// The same for a file that must not be outside of a directory, by whatever links.
pub fn read_below(
    folder: &Path,
    file: &str,
    limit: u64,
) -> Result<(Vec<u8>, FileMode), StoreError> {
    ConfinedDirectory::open(folder)?.read_with_mode(file, limit)
}

/// The files under a directory by their paths from it, in order; links are not followed, and a directory that does not exist
/// holds nothing.
pub fn files_below(folder: &Path, depth: usize) -> Result<Vec<String>, StoreError> {
    let files = entries_below(folder, depth)?
        .into_iter()
        .filter(|found| found.kind == FoundKind::File);
    Ok(files.map(|found| found.path).collect())
}

/// Everything under a directory but the directories, likewise.
pub fn entries_below(folder: &Path, depth: usize) -> Result<Vec<FoundFile>, StoreError> {
    let mut found = Vec::new();
    let mut folders = vec![(folder.to_owned(), String::new(), 0)];
    while let Some((path, prefix, level)) = folders.pop() {
        let entries = match fs::read_dir(&path) {
            Err(cause) if cause.kind() == ErrorKind::NotFound => continue,
            entries => entries.map_err(|cause| StoreError::new(&path, cause))?,
        };
        for entry in entries {
            let entry = entry.map_err(|cause| StoreError::new(&path, cause))?;
            let kind = entry
                .file_type()
                .map_err(|cause| StoreError::new(&path, cause))?;
            let path = format!("{prefix}{}", entry.file_name().to_string_lossy());
            if kind.is_dir() && level < depth {
                folders.push((entry.path(), format!("{path}/"), level + 1));
                continue;
            }
            let kind = if kind.is_file() {
                FoundKind::File
            } else {
                FoundKind::Other
            };
            found.push(FoundFile { path, kind });
        }
    }
    found.sort_by(|left, right| left.path.cmp(&right.path));
    Ok(found)
}

/// The names in a directory, in order; none if it cannot be read.
pub fn names_in(folder: &Path) -> Vec<String> {
    folder_names(folder).unwrap_or_default()
}

/// Whether there is a file.
pub fn is_file(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|known| known.is_file())
}

/// Whether there is anything.
pub fn exists(path: &Path) -> bool {
    fs::metadata(path).is_ok()
}

/// A new, empty directory in the system's temporary directory, which is not removed.
pub fn temporary_folder(prefix: &str) -> Result<PathBuf, StoreError> {
    let folder = tempfile::Builder::new().prefix(prefix).tempdir();
    folder
        .map(tempfile::TempDir::keep)
        .map_err(|cause| StoreError::new(&std::env::temp_dir(), cause))
}

/// Follows a path; nothing if there is nothing of that name. A link that leads nowhere, or in a circle, is an error.
pub fn reach(path: &Path) -> Result<Option<ResolvedPath>, StoreError> {
    let fail = |cause| StoreError::new(path, cause);
    match fs::symlink_metadata(path) {
        Err(cause) if matches!(cause.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        known => known.map_err(fail)?,
    };
    let real = fs::canonicalize(path).map_err(fail)?;
    let known = fs::metadata(&real).map_err(fail)?;
    Ok(Some(match (known.is_dir(), known.is_file()) {
        (true, _) => ResolvedPath::Folder(real),
        (_, true) => ResolvedPath::File(real),
        _ => ResolvedPath::Other(real),
    }))
}

/// The names in a directory, in order; none if it does not exist, or is not a directory.
pub fn folder_names(folder: &Path) -> Result<Vec<String>, StoreError> {
    let fail = |cause| StoreError::new(folder, cause);
    let entries = match fs::read_dir(folder) {
        Err(cause) if matches!(cause.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Ok(Vec::new());
        }
        entries => entries.map_err(fail)?,
    };
    let name = |entry: std::io::Result<fs::DirEntry>| {
        entry
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .map_err(fail)
    };
    let mut names = entries
        .map(name)
        .collect::<Result<Vec<String>, StoreError>>()?;
    names.sort();
    Ok(names)
}
