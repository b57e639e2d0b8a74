//! The contents of directories, with a stamp that detects later changes without reading files.

use std::fs::{self, Metadata};
use std::io::ErrorKind;
use std::path::Path;
use std::time::{Duration, SystemTime};

use agpm_model::{Checksum, FileMode};

use crate::error::StoreError;
use crate::open_file::mode_from;
use crate::platform;

/// File times have a limited resolution: a change within this time could be invisible, so a stamp that is newer is
/// neither created nor trusted.
pub(crate) const SETTLED: Duration = Duration::from_millis(100);

/// An entry of a directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedEntry {
    /// The path from the listed directory, with `/`.
    pub path: String,
    /// File, directory or another kind.
    pub kind: ListedKind,
}

/// The kind of an entry in a directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListedKind {
    /// A file.
    File(FileMode),
    /// A directory that was not entered.
    Directory,
    /// A symlink.
    Link,
    /// A device, a pipe or the like.
    Other,
}

/// Everything under a directory.
#[derive(Clone, Debug, Default)]
pub struct DirectoryListing {
    /// The entries, by path.
    pub entries: Vec<ListedEntry>,
    /// The directories that were entered, relative to the listed one, which is the empty path.
    pub directories: Vec<String>,
    /// The value of [`stamp`] for these directories as long as nothing changes; `None` if something changed just now.
    pub stamp: Option<Checksum>,
}

/// Lists a directory recursively; enters only the directories that `enters` accepts, and follows no symlinks.
pub fn list(
    directory: &Path,
    enters: &dyn Fn(&str) -> bool,
) -> Result<DirectoryListing, StoreError> {
    let mut listing = DirectoryListing {
        directories: vec![String::new()],
        ..DirectoryListing::default()
    };
    let mut stamps = StampCollector::default();
    let mut next = 0;
    while let Some(inner) = listing.directories.get(next).cloned() {
        for (name, metadata) in stamps.list_directory(directory, &inner)? {
            let path = if inner.is_empty() {
                name
            } else {
                format!("{inner}/{name}")
            };
            match kind_of(&metadata) {
                ListedKind::Directory if enters(&path) => listing.directories.push(path),
                kind => listing.entries.push(ListedEntry { path, kind }),
            }
        }
        next += 1;
    }
    listing
        .entries
        .sort_by(|left, right| left.path.cmp(&right.path));
    listing.stamp = stamps.stamp_if_settled();
    Ok(listing)
}

/// Returns a value that changes with any name, size or time in these directories.
pub fn stamp(directory: &Path, directories: &[String]) -> Option<Checksum> {
    let mut stamps = StampCollector::default();
    for inner in directories {
        stamps.list_directory(directory, inner).ok()?;
    }
    stamps.stamp_if_settled()
}

/// Returns the kind of entry at a path, after following symlinks; `None` if it does not exist.
pub fn kind_at(path: &Path) -> Result<Option<ListedKind>, StoreError> {
    match fs::metadata(path) {
        Ok(metadata) => Ok(Some(kind_of(&metadata))),
        Err(cause) if cause.kind() == ErrorKind::NotFound => Ok(None),
        Err(cause) => Err(StoreError::new(path, cause)),
    }
}

fn kind_of(metadata: &Metadata) -> ListedKind {
    match metadata {
        metadata if metadata.is_dir() => ListedKind::Directory,
        metadata if metadata.is_symlink() => ListedKind::Link,
        metadata if metadata.is_file() => ListedKind::File(mode_from(metadata)),
        _ => ListedKind::Other,
    }
}

/// The stamps of everything that was listed so far.
#[derive(Default)]
struct StampCollector {
    text: String,
    newest: Option<SystemTime>,
}

impl StampCollector {
    /// Returns the entries of one directory, sorted by name.
    fn list_directory(
        &mut self,
        directory: &Path,
        inner: &str,
    ) -> Result<Vec<(String, Metadata)>, StoreError> {
        let path = directory.join(inner);
        let fail = |cause| StoreError::new(&path, cause);
        let mut found = Vec::new();
        for entry in fs::read_dir(&path).map_err(fail)? {
            let entry = entry.map_err(fail)?;
            match entry.metadata() {
                Ok(metadata) => {
                    found.push((entry.file_name().to_string_lossy().into_owned(), metadata))
                }
                // It was removed in the meantime.
                Err(cause) if cause.kind() == std::io::ErrorKind::NotFound => {}
                Err(cause) => return Err(StoreError::new(&entry.path(), cause)),
            }
        }
        found.sort_by(|left, right| left.0.cmp(&right.0));
        self.text.push_str(inner);
        for (name, metadata) in &found {
            self.add(name, metadata);
        }
        Ok(found)
    }

    /// Files are identified by their metadata; a directory only by its name, since its contents have their own stamps.
    fn add(&mut self, name: &str, metadata: &Metadata) {
        use std::fmt::Write as _;
        self.text.push('\0');
        self.text.push_str(name);
        if metadata.is_dir() {
            self.text.push('/');
            return;
        }
        let (mark, changed) = platform::change_mark(metadata);
        let _ = write!(self.text, "\0{}\0{mark}", metadata.len());
        self.newest = self.newest.max(changed).max(metadata.modified().ok());
    }

    /// Returns the stamp of everything, if all times are old enough to be trusted.
    fn stamp_if_settled(&self) -> Option<Checksum> {
        let old = |time: SystemTime| time.elapsed().is_ok_and(|age| age > SETTLED);
        self.newest
            .is_none_or(old)
            .then(|| Checksum::of(self.text.as_bytes()))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn settle() {
        std::thread::sleep(SETTLED + Duration::from_millis(30));
    }

    #[test]
    fn a_stamp_reports_every_change() {
        let temp = tempfile::tempdir().unwrap();
        let root = temp.path();
        fs::create_dir_all(root.join("a/b")).unwrap();
        fs::create_dir_all(root.join("skipped")).unwrap();
        fs::write(root.join("a/one"), "1").unwrap();
        fs::write(root.join("a/b/two"), "2").unwrap();
        assert_eq!(
            list(root, &|_| true).unwrap().stamp,
            None,
            "what is new is not trusted"
        );
        settle();
        let enters = |directory: &str| directory != "skipped";
        let listing = list(root, &enters).unwrap();
        let paths: Vec<&str> = listing
            .entries
            .iter()
            .map(|entry| entry.path.as_str())
            .collect();
        assert_eq!(paths, ["a/b/two", "a/one", "skipped"]);
        let mut before = stamp(root, &listing.directories);
        assert!(before.is_some() && before == listing.stamp);
        let mut differs = |what: &str| {
            settle();
            let now = stamp(root, &listing.directories);
            assert_ne!(now, before, "{what}");
            before = now;
        };
        fs::write(root.join("a/one"), "3").unwrap();
        differs("the same size, other bytes");
        fs::write(root.join("a/three"), "").unwrap();
        differs("a new file");
        fs::remove_file(root.join("a/b/two")).unwrap();
        differs("a file less");
        fs::create_dir(root.join("a/new")).unwrap();
        differs("a new folder");
    }

    #[test]
    fn directories_that_are_not_entered_do_not_matter() {
        let temp = tempfile::tempdir().unwrap();
        fs::create_dir_all(temp.path().join("other/deep")).unwrap();
        settle();
        let listing = list(temp.path(), &|_| false).unwrap();
        fs::write(temp.path().join("other/deep/file"), "x").unwrap();
        assert_eq!(stamp(temp.path(), &listing.directories), listing.stamp);
        assert!(listing.stamp.is_some());
    }
}
