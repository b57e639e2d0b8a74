//! Detects changes of files and directories without reading them.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::platform;
use crate::watch::SETTLED;

/// The state of paths when they were marked; a path that does not exist may be created later.
#[derive(Clone, Debug, Default)]
pub struct PathMarks {
    seen: Vec<(PathBuf, Option<String>)>,
    newest: Option<SystemTime>,
    taken: Option<SystemTime>,
}

impl PathMarks {
    /// Marks the current state of a path; call it before the path is read.
    pub fn add(&mut self, path: &Path) {
        let (mark, changed) = stamp_path(path).unzip();
        self.newest = self.newest.max(changed.flatten());
        self.taken = self.taken.max(Some(SystemTime::now()));
        self.seen.push((path.to_owned(), mark));
    }

    /// Returns whether the state of any path changed.
    pub fn differ(&self) -> bool {
        self.seen
            .iter()
            .any(|(path, mark)| stamp_path(path).map(|(now, _)| now) != *mark)
    }

    /// Returns whether every change would be detected: a change right after a path was marked may have the same time.
    pub fn are_settled(&self) -> bool {
        let (Some(newest), Some(taken)) = (self.newest, self.taken) else {
            return true;
        };
        taken.duration_since(newest).is_ok_and(|age| age > SETTLED)
    }
}

/// Returns the identity of a path and the time of its last change.
fn stamp_path(path: &Path) -> Option<(String, Option<SystemTime>)> {
    let metadata = fs::metadata(path).ok()?;
    let (mark, changed) = platform::change_mark(&metadata);
    Some((
        format!("{} {mark}", metadata.len()),
        changed.max(metadata.modified().ok()),
    ))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn marks_see_what_comes_changes_and_goes() {
        let temp = tempfile::tempdir().unwrap();
        let file = temp.path().join("file");
        let marked = |path: &Path| {
            let mut marks = PathMarks::default();
            marks.add(path);
            marks
        };
        let absent = marked(&file);
        assert!(!absent.differ() && absent.are_settled());
        fs::write(&file, "1").unwrap();
        assert!(absent.differ());
        let fresh = marked(&file);
        assert!(!fresh.differ() && !fresh.are_settled());
        std::thread::sleep(SETTLED * 2);
        assert!(marked(&file).are_settled());
        fs::write(&file, "2").unwrap();
        assert!(fresh.differ());
        let there = marked(&file);
        fs::remove_file(&file).unwrap();
        assert!(there.differ());
    }
}
