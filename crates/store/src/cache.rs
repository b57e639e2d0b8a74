//! Data that can be recreated: written atomically, and discarded freely.

use std::fs;
use std::io::{ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::confined_directory::ConfinedDirectory;
use crate::error::StoreError;
use crate::platform;

/// Data used within this time may still be in use.
const RECENT: Duration = Duration::from_secs(24 * 60 * 60);
/// Uses within this time are recorded once, so a directory in use is not touched on every run.
const SAME_USE: Duration = Duration::from_secs(60 * 60);
/// Prefixes of directories that are being filled or removed.
const MAKING: &str = ".new-";
const GOING: &str = ".old-";

/// Creates a directory and its missing parents.
pub fn create_directories(path: &Path) -> Result<(), StoreError> {
    fs::create_dir_all(path).map_err(|cause| StoreError::new(path, cause))
}

/// Writes a file atomically: readers see the old or the new content, never a part.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    let fail = |cause| StoreError::new(path, cause);
    match write_once(path, bytes) {
        // Another process removed the directory in the meantime.
        Err(cause) if cause.kind() == ErrorKind::NotFound => write_once(path, bytes).map_err(fail),
        written => written.map_err(fail),
    }
}

fn write_once(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let directory = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(directory)?;
    let mut file = tempfile::NamedTempFile::new_in(directory)?;
    file.write_all(bytes)?;
    file.persist(path).map(drop).map_err(|error| error.error)
}

/// Writes a file piece by piece; it appears only if `fill` succeeds.
pub fn fill_file_atomically<E: From<StoreError>>(
    path: &Path,
    fill: impl FnOnce(&mut dyn Write) -> Result<(), E>,
) -> Result<(), E> {
    let fail = |cause| StoreError::new(path, cause);
    let directory = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(directory).map_err(fail)?;
    let mut file = tempfile::Builder::new()
        .prefix(MAKING)
        .tempfile_in(directory)
        .map_err(fail)?;
    fill(&mut file)?;
    file.persist(path).map_err(|error| fail(error.error))?;
    Ok(())
}

/// Opens a file as a stream that starts at a position.
pub fn open_reader(path: &Path, start: u64) -> Result<Box<dyn Read + Send>, StoreError> {
    let fail = |cause| StoreError::new(path, cause);
    let mut file = fs::File::open(path).map_err(fail)?;
    file.seek(SeekFrom::Start(start)).map_err(fail)?;
    Ok(Box::new(file))
}

/// The error of a stream that reads or writes a file.
pub fn io_error(path: &Path, cause: std::io::Error) -> StoreError {
    StoreError::new(path, cause)
}

/// Sets the modification time of a file to now; `false` if the file does not exist or the time cannot be set.
pub fn touch(path: &Path) -> bool {
    fs::File::open(path)
        .and_then(|open| open.set_modified(SystemTime::now()))
        .is_ok()
}

/// Removes directories that a killed process was about to remove.
pub fn sweep_directories(directory: &Path) {
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(GOING) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// Returns the age of a file; `None` if it does not exist. A time in the future is age zero.
pub fn age(path: &Path) -> Option<Duration> {
    let modified = fs::metadata(path).ok()?.modified().ok()?;
    Some(modified.elapsed().unwrap_or_default())
}

/// Returns when a directory was last used; `None` if it is not a directory.
pub fn last_used(directory: &Path) -> Option<SystemTime> {
    last_use(directory)
}

/// Removes a directory. It is renamed first, so no other process sees it half empty or fails to create it again.
pub fn remove_at_once(directory: &Path) -> Result<(), StoreError> {
    put_away(directory).map(drop)
}

/// Returns the size of a file in bytes, or zero if it is not a file.
pub fn file_size(path: &Path) -> u64 {
    fs::symlink_metadata(path)
        .ok()
        .filter(fs::Metadata::is_file)
        .map_or(0, |metadata| metadata.len())
}

/// Writes a file that only its owner can read, in a directory that only its owner can enter.
pub fn write_private(path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    create_private_directory(path.parent().unwrap_or(Path::new(".")))?;
    // Temporary files are created with mode 0600 and keep it when they are renamed.
    write_atomically(path, bytes)
}

/// Creates a directory that only its owner can enter; an existing one is left unchanged.
pub fn create_private_directory(directory: &Path) -> Result<(), StoreError> {
    let mut builder = fs::DirBuilder::new();
    platform::limit_to_owner(&mut builder);
    builder
        .recursive(true)
        .create(directory)
        .map_err(|cause| StoreError::new(directory, cause))
}

/// Creates a directory with these subdirectories and files, atomically; an existing one is left unchanged.
pub fn create_directory_atomically(
    path: &Path,
    directories: &[&str],
    files: &[(&str, &str)],
) -> Result<(), StoreError> {
    fill_atomically(path, |fresh| {
        let fail = |cause| StoreError::new(path, cause);
        for directory in directories {
            fs::create_dir_all(fresh.path().join(directory)).map_err(fail)?;
        }
        files.iter().try_for_each(|(name, content)| {
            fs::write(fresh.path().join(name), content).map_err(fail)
        })
    })
}

/// Creates a directory that other processes see complete or not at all; an existing one is left unchanged.
pub fn fill_atomically<E: From<StoreError>>(
    path: &Path,
    fill: impl FnOnce(&ConfinedDirectory) -> Result<(), E>,
) -> Result<(), E> {
    let fail = |cause| StoreError::new(path, cause);
    let parent = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(parent).map_err(fail)?;
    let fresh = tempfile::Builder::new()
        .prefix(MAKING)
        .tempdir_in(parent)
        .map_err(fail)?;
    fill(&ConfinedDirectory::open(fresh.path())?)?;
    match fs::rename(fresh.path(), path) {
        Ok(()) => {
            // The directory has its final name now, so the temporary one needs no cleanup.
            let _ = fresh.keep();
            Ok(())
        }
        Err(_) if path.is_dir() => Ok(()),
        Err(cause) => Err(fail(cause).into()),
    }
}

/// Marks a directory as used, to keep it in the cache. A directory that cannot be written is still readable, so errors
/// are ignored.
pub fn mark_used(directory: &Path) {
    if last_use(directory).is_some_and(|time| !is_within(time, SAME_USE)) {
        let _ = fs::File::open(directory).and_then(|open| open.set_modified(SystemTime::now()));
    }
}

/// Removes the subdirectories that were not used for a day, except the newest `count`. Unfinished directories of other
/// processes are ignored, unless a crash left them. Directories that cannot be removed stay.
pub fn keep_used(directory: &Path, count: usize) {
    let (mut complete, mut going): (Vec<(SystemTime, PathBuf)>, Vec<PathBuf>) = Default::default();
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let passing = [MAKING, GOING]
            .iter()
            .any(|start| name.to_string_lossy().starts_with(start));
        match last_use(&entry.path()) {
            Some(_) if passing => going.push(entry.path()),
            Some(time) => complete.push((time, entry.path())),
            None => {}
        }
    }
    complete.sort();
    complete.truncate(complete.len().saturating_sub(count));
    going.extend(complete.into_iter().map(|(_, path)| path));
    // Checked again for each: another process may have started to use it by now.
    let is_unused = |path: &&PathBuf| last_use(path).is_some_and(|time| !is_within(time, RECENT));
    going
        .iter()
        .filter(is_unused)
        .for_each(|path| drop(put_away(path)));
}

/// Returns when a directory was last used; `None` if it is not a directory.
fn last_use(directory: &Path) -> Option<SystemTime> {
    let metadata = fs::symlink_metadata(directory)
        .ok()
        .filter(fs::Metadata::is_dir)?;
    Some(metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH))
}

/// Returns whether a time is within `span` of now. Times in the future are.
fn is_within(time: SystemTime, span: Duration) -> bool {
    time.elapsed().map_or(true, |age| age < span)
}

/// Renames a directory out of the way; it is removed when the returned value is dropped.
fn put_away(path: &Path) -> Result<tempfile::TempDir, StoreError> {
    let fail = |cause| StoreError::new(path, cause);
    let parent = path.parent().unwrap_or(Path::new("."));
    let trash = tempfile::Builder::new()
        .prefix(GOING)
        .tempdir_in(parent)
        .map_err(fail)?;
    match fs::rename(path, trash.path().join("folder")) {
        Err(cause) if cause.kind() != ErrorKind::NotFound => Err(fail(cause)),
        _ => Ok(trash),
    }
}

/// Replaces one directory with another and removes the old one.
pub fn replace_directory(new: &Path, old: &Path) -> Result<(), StoreError> {
    let _trash = put_away(old)?;
    fs::rename(new, old).map_err(|cause| StoreError::new(old, cause))
}

/// Removes a directory; a missing one is not an error.
pub fn remove_directory(path: &Path) -> Result<(), StoreError> {
    match fs::remove_dir_all(path) {
        Err(cause) if cause.kind() != ErrorKind::NotFound => Err(StoreError::new(path, cause)),
        _ => Ok(()),
    }
}

/// Removes the files of a directory whose names start with `prefix`. Files that cannot be removed stay.
pub fn sweep(directory: &Path, prefix: &str) {
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(prefix) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Returns whether the path is a directory.
pub fn is_directory(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|metadata| metadata.is_dir())
}

/// Returns whether the files in a directory, up to the second level, have less than `limit` bytes in total.
pub fn is_smaller(directory: &Path, limit: u64) -> bool {
    let mut left = limit;
    let mut directories = vec![(directory.to_owned(), 0)];
    while let Some((path, level)) = directories.pop() {
        for entry in fs::read_dir(&path).into_iter().flatten().flatten() {
            let Ok(metadata) = entry.metadata() else {
                return false;
            };
            if metadata.is_dir() && level < 2 {
                directories.push((entry.path(), level + 1));
            }
            let Some(rest) = left.checked_sub(if metadata.is_file() {
                metadata.len()
            } else {
                0
            }) else {
                return false;
            };
            left = rest;
        }
    }
    true
}

/// A temporary directory that is removed when it is dropped.
#[derive(Debug)]
pub struct TemporaryDirectory(tempfile::TempDir);

impl TemporaryDirectory {
    /// Creates a directory in the system's temporary directory.
    pub fn new() -> Result<Self, StoreError> {
        let created = tempfile::Builder::new().prefix("agpm-").tempdir();
        let parent = std::env::temp_dir();
        created
            .map(TemporaryDirectory)
            .map_err(|error| StoreError::new(&parent, error))
    }

    /// The path of the directory.
    pub fn path(&self) -> &Path {
        self.0.path()
    }
}

/// Returns whether something could be written at a path, judged by its nearest existing parent.
pub fn is_writable(path: &Path) -> bool {
    let existing = path.ancestors().find(|above| above.exists());
    existing.is_some_and(platform::is_writable_directory)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_directory_is_made_once_and_replaced_whole() {
        let temp = tempfile::tempdir().unwrap();
        let (path, other) = (temp.path().join("one"), temp.path().join("two"));
        create_directory_atomically(&path, &["a/b"], &[("a/f", "1")]).unwrap();
        create_directory_atomically(&path, &[], &[("a", "not written")]).unwrap();
        create_directory_atomically(&other, &[], &[("f", "2")]).unwrap();
        assert_eq!(fs::read_to_string(path.join("a/f")).unwrap(), "1");
        replace_directory(&other, &path).unwrap();
        assert_eq!(fs::read_to_string(path.join("f")).unwrap(), "2");
        remove_directory(&path).unwrap();
        remove_directory(&path).unwrap();
        assert_eq!(fs::read_dir(temp.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_directory_that_cannot_be_filled_leaves_nothing_behind() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("one");
        let file = agpm_model::RelativePath::new("a/f").unwrap();
        let half = fill_atomically(&path, |directory| {
            directory.create_new(&file, b"1")?;
            directory.create_new(&file, b"2")
        });
        assert!(half.is_err());
        assert_eq!(fs::read_dir(temp.path()).unwrap().count(), 0);
        fill_atomically(&path, |directory| directory.create_new(&file, b"1")).unwrap();
        fill_atomically(&path, |directory| directory.create_new(&file, b"late")).unwrap();
        assert_eq!(fs::read(path.join("a/f")).unwrap(), b"1");
        assert_eq!(fs::read_dir(temp.path()).unwrap().count(), 1);
    }

    /// Creates a directory that was last used `hours` ago.
    fn used(parent: &Path, name: &str, hours: u64) -> PathBuf {
        let path = parent.join(name);
        create_directory_atomically(&path, &[], &[("f", "")]).unwrap();
        let time = SystemTime::now() - Duration::from_secs(hours * 3600);
        fs::File::open(&path).unwrap().set_modified(time).unwrap();
        path
    }

    #[test]
    fn only_directories_that_nobody_used_for_a_day_go() {
        let temp = tempfile::tempdir().unwrap();
        for (name, hours) in [("b", 90), ("a", 80), ("d", 70), ("c", 60)] {
            used(temp.path(), name, hours);
        }
        write_atomically(&temp.path().join("file"), b"").unwrap();
        keep_used(temp.path(), 2);
        assert_eq!(crate::names_in(temp.path()), ["c", "d", "file"]);
        for name in ["w", "x", "y"] {
            used(temp.path(), name, 23);
        }
        keep_used(temp.path(), 2);
        assert_eq!(crate::names_in(temp.path()), ["file", "w", "x", "y"]);
        keep_used(&temp.path().join("absent"), 2);
    }

    #[test]
    fn copies_in_the_making_are_neither_counted_nor_removed() {
        let temp = tempfile::tempdir().unwrap();
        for (name, hours) in [
            (".new-now", 1),
            (".old-now", 1),
            (".new-left", 30),
            (".old-left", 30),
        ] {
            used(temp.path(), name, hours);
        }
        for (name, hours) in [("a", 50), ("b", 40)] {
            used(temp.path(), name, hours);
        }
        keep_used(temp.path(), 2);
        assert_eq!(
            crate::names_in(temp.path()),
            [".new-now", ".old-now", "a", "b"]
        );
    }

    #[test]
    fn a_use_is_noted_once_an_hour() {
        let temp = tempfile::tempdir().unwrap();
        for (hours, renewed) in [(2, true), (0, false)] {
            let path = used(temp.path(), &format!("used-{hours}"), hours);
            let before = last_use(&path).unwrap();
            mark_used(&path);
            let after = last_use(&path).unwrap();
            assert_eq!(
                (after != before, is_within(after, SAME_USE)),
                (renewed, true),
                "{hours}"
            );
        }
        mark_used(&temp.path().join("absent"));
        assert!(!temp.path().join("absent").exists());
    }

    #[test]
    fn only_what_starts_so_is_swept_away() {
        let temp = tempfile::tempdir().unwrap();
        for name in ["tmp_a", "kept"] {
            write_atomically(&temp.path().join(name), b"").unwrap();
        }
        sweep(temp.path(), "tmp_");
        sweep(&temp.path().join("absent"), "tmp_");
        assert_eq!(crate::names_in(temp.path()), ["kept"]);
    }

    #[test]
    fn a_file_is_overwritten_whole() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("x/f");
        write_atomically(&path, b"1").unwrap();
        write_atomically(&path, b"2").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"2");
        assert_eq!(fs::read_dir(temp.path().join("x")).unwrap().count(), 1);
    }
}
