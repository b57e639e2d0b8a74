use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use agpm_model::{FileMode, FoundFile, FoundKind, ResolvedPath};

use crate::confined_directory::ConfinedDirectory;
use crate::error::{StoreError, StoreProblem};
use crate::open_file::{mode_of, read_open};

/// Reads a file of at most `limit` bytes.
pub fn read(path: &Path, limit: u64) -> Result<Vec<u8>, StoreError> {
    let file = File::open(path).map_err(|cause| StoreError::new(path, cause))?;
    read_open(file, path, limit)
}

/// Reads a file and nothing else: opening a pipe, or reading a terminal, would block.
pub fn read_regular(path: &Path, limit: u64) -> Result<Vec<u8>, StoreError> {
    let metadata = fs::metadata(path).map_err(|cause| StoreError::new(path, cause))?;
    if metadata.is_file() || metadata.is_dir() {
        read(path, limit)
    } else {
        Err(StoreError::of(path, StoreProblem::NotFile))
    }
}

/// Reads a file piece by piece, whatever its size. A path that is not a file is an error: opening a pipe would block.
pub fn read_pieces(
    path: &Path,
    size: usize,
    read: &mut dyn FnMut(&[u8]),
) -> Result<(), StoreError> {
    let fail = |cause| StoreError::new(path, cause);
    let metadata = fs::metadata(path).map_err(fail)?;
    if !metadata.is_file() {
        return Err(StoreError::of(path, StoreProblem::NotFile));
    }
    let mut file = File::open(path).map_err(fail)?;
    let mut piece = vec![0; size];
    loop {
        match file.read(&mut piece) {
            Ok(0) => return Ok(()),
            Ok(length) => read(&piece[..length]),
            Err(cause) if cause.kind() == ErrorKind::Interrupted => {}
            Err(cause) => return Err(fail(cause)),
        }
    }
}

/// Reads a file and its mode.
pub fn read_with_mode(path: &Path, limit: u64) -> Result<(Vec<u8>, FileMode), StoreError> {
    // Opening a pipe would block.
    let metadata = fs::metadata(path).map_err(|cause| StoreError::new(path, cause))?;
    if !metadata.is_file() && !metadata.is_dir() {
        return Err(StoreError::of(path, StoreProblem::NotFile));
    }
    let file = File::open(path).map_err(|cause| StoreError::new(path, cause))?;
    let mode = mode_of(&file, path)?;
    Ok((read_open(file, path, limit)?, mode))
}

/// Reads a file in a directory; symlinks must not lead out of it.
pub fn read_below(
    directory: &Path,
    file: &str,
    limit: u64,
) -> Result<(Vec<u8>, FileMode), StoreError> {
    ConfinedDirectory::open(directory)?.read_with_mode(file, limit)
}

/// Returns the relative paths of the files in a directory, sorted. Symlinks are not followed; a missing directory is
/// empty.
pub fn files_below(directory: &Path, depth: usize) -> Result<Vec<String>, StoreError> {
    let files = entries_below(directory, depth)?
        .into_iter()
        .filter(|found| found.kind == FoundKind::File);
    Ok(files.map(|found| found.path).collect())
}

/// Returns all entries in a directory that are not directories, sorted.
pub fn entries_below(directory: &Path, depth: usize) -> Result<Vec<FoundFile>, StoreError> {
    let mut found = Vec::new();
    let mut directories = vec![(directory.to_owned(), String::new(), 0)];
    while let Some((path, prefix, level)) = directories.pop() {
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
                directories.push((entry.path(), format!("{path}/"), level + 1));
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

/// Returns the names in a directory, sorted; none if it cannot be read.
pub fn names_in(directory: &Path) -> Vec<String> {
    directory_names(directory).unwrap_or_default()
}

/// Returns whether the path is a file.
pub fn is_file(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|metadata| metadata.is_file())
}

/// Returns whether the path exists.
pub fn exists(path: &Path) -> bool {
    fs::metadata(path).is_ok()
}

/// Creates an empty directory in the system's temporary directory, which is not removed.
pub fn temporary_directory(prefix: &str) -> Result<PathBuf, StoreError> {
    let directory = tempfile::Builder::new().prefix(prefix).tempdir();
    directory
        .map(tempfile::TempDir::keep)
        .map_err(|cause| StoreError::new(&std::env::temp_dir(), cause))
}

/// Resolves a path; `None` if it does not exist. A broken or circular symlink is an error.
pub fn reach(path: &Path) -> Result<Option<ResolvedPath>, StoreError> {
    let fail = |cause| StoreError::new(path, cause);
    match fs::symlink_metadata(path) {
        Err(cause) if matches!(cause.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        metadata => metadata.map_err(fail)?,
    };
    let real = fs::canonicalize(path).map_err(fail)?;
    let metadata = fs::metadata(&real).map_err(fail)?;
    Ok(Some(match (metadata.is_dir(), metadata.is_file()) {
        (true, _) => ResolvedPath::Directory(real),
        (_, true) => ResolvedPath::File(real),
        _ => ResolvedPath::Other(real),
    }))
}

/// Returns the names in a directory, sorted; none if it does not exist or is not a directory.
pub fn directory_names(directory: &Path) -> Result<Vec<String>, StoreError> {
    let fail = |cause| StoreError::new(directory, cause);
    let entries = match fs::read_dir(directory) {
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
