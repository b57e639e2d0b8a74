//! The files of a revision whose source lists all of them at once.

use std::collections::BTreeMap;
use std::sync::Arc;

use agpm_model::{Checksum, Revision};

use crate::limits::MOST_DIRECTORIES;
use crate::{SourceEntry, SourceEntryKind, SourceError, SourceTree};

/// Files and symlinks by path. Directories exist because of what is in them, as in git.
#[derive(Clone, Debug, Default)]
pub(crate) struct ContentTree {
    files: BTreeMap<String, ContentFile>,
}

/// A file or symlink, and where its content is.
#[derive(Clone, Debug)]
pub(crate) struct ContentFile {
    pub(crate) kind: SourceEntryKind,
    /// The checksum of the content.
    pub(crate) id: Revision,
    pub(crate) size: u64,
    pub(crate) place: ContentPlace,
}

/// Where the content of a file is.
#[derive(Clone, Debug)]
pub(crate) enum ContentPlace {
    /// At a path of an archive.
    Archived { archive: Revision, path: String },
    /// A blob that is the file.
    Blob(Revision),
    /// In memory: the target of a symlink.
    Here(Arc<[u8]>),
}

impl ContentFile {
    /// A symlink, whose content is its target, as in git.
    pub(crate) fn symlink(target: &str) -> Self {
        ContentFile {
            kind: SourceEntryKind::Symlink,
            id: Checksum::of(target.as_bytes()).into(),
            size: target.len() as u64,
            place: ContentPlace::Here(target.as_bytes().into()),
        }
    }
}

impl ContentTree {
    /// Adds a file. It replaces one at its path, a directory there, and a file where it needs a directory.
    pub(crate) fn insert(&mut self, path: String, file: ContentFile) {
        self.remove(&path);
        for (at, _) in path.match_indices('/') {
            self.files.remove(&path[..at]);
        }
        self.files.insert(path, file);
    }

    /// Removes a file, or a directory with everything in it.
    pub(crate) fn remove(&mut self, path: &str) {
        self.files.remove(path);
        self.remove_inside(path);
    }

    /// Removes everything in a directory; the top is the empty path.
    pub(crate) fn remove_inside(&mut self, directory: &str) {
        if directory.is_empty() {
            self.files.clear();
            return;
        }
        let start = format!("{directory}/");
        let inside: Vec<String> = self
            .files
            .range(start.clone()..)
            .map(|(path, _)| path.clone())
            .take_while(|path| path.starts_with(&start))
            .collect();
        for path in inside {
            self.files.remove(&path);
        }
    }

    pub(crate) fn get(&self, path: &str) -> Option<&ContentFile> {
        self.files.get(path)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &ContentFile)> {
        self.files.iter().map(|(path, file)| (path.as_str(), file))
    }

    /// The names at the top that are directories.
    pub(crate) fn top_directories(&self) -> Vec<String> {
        let mut tops: Vec<String> = self
            .files
            .keys()
            .filter_map(|path| Some(path.split_once('/')?.0.to_owned()))
            .collect();
        tops.dedup();
        tops
    }

    /// The same tree without the one directory that holds everything, if `is_root` accepts it.
    pub(crate) fn without_wrapper(self, is_root: impl Fn(&ContentTree, &str) -> bool) -> Self {
        let tops = self.top_directories();
        let [only] = tops.as_slice() else {
            return self;
        };
        let start = format!("{only}/");
        let is_only = self.files.keys().all(|path| path.starts_with(&start));
        if !is_only || !is_root(&self, &start) {
            return self;
        }
        let files = self.files.into_iter();
        ContentTree {
            files: files
                .map(|(path, file)| (path[start.len()..].to_owned(), file))
                .collect(),
        }
    }

    /// The same tree in a directory.
    pub(crate) fn in_directory(self, directory: &str) -> Self {
        let files = self.files.into_iter();
        ContentTree {
            files: files
                .map(|(path, file)| (format!("{directory}/{path}"), file))
                .collect(),
        }
    }

    pub(crate) fn extend(&mut self, other: ContentTree) {
        for (path, file) in other.files {
            self.insert(path, file);
        }
    }

    /// Returns the entry at a path.
    pub(crate) fn entry(&self, path: &str) -> Option<SourceEntry> {
        let path = top_path(path);
        if let Some(file) = self.files.get(path) {
            return Some(entry_of(path, file));
        }
        let start = if path.is_empty() {
            String::new()
        } else {
            format!("{path}/")
        };
        let inside = self.files.range(start.clone()..);
        let inside = inside.take_while(|(path, _)| path.starts_with(&start));
        let mut listing = String::new();
        for (path, file) in inside {
            let inner = &path[start.len()..];
            listing.push_str(&format!("{inner}\0{:?}\0{}\n", file.kind, file.id));
        }
        (!listing.is_empty()).then(|| SourceEntry {
            path: path.to_owned(),
            kind: SourceEntryKind::Directory,
            id: Some(Checksum::of(listing.as_bytes()).into()),
        })
    }

    /// Lists a directory, and those in it that `enters` accepts.
    pub(crate) fn walk(
        &self,
        directory: &str,
        enters: &dyn Fn(&str) -> bool,
    ) -> Result<SourceTree, SourceError> {
        let start = match top_path(directory) {
            "" => String::new(),
            directory => format!("{directory}/"),
        };
        let mut entered: BTreeMap<String, bool> = BTreeMap::new();
        let mut entries: BTreeMap<String, SourceEntry> = BTreeMap::new();
        let inside = self.files.range(start.clone()..);
        for (path, file) in inside.take_while(|(path, _)| path.starts_with(&start)) {
            let inner = &path[start.len()..];
            let directories = inner.match_indices('/');
            let directories = directories.map(|(at, _)| &path[..start.len() + at]);
            let mut closed = None;
            for above in directories {
                if entered.len() > MOST_DIRECTORIES {
                    return Err(SourceError::TooManyDirectories);
                }
                let is_entered = entered
                    .entry(above.to_owned())
                    .or_insert_with(|| enters(above));
                if !*is_entered {
                    closed = Some(above);
                    break;
                }
            }
            match closed {
                None => {
                    entries.insert(path.clone(), entry_of(path, file));
                }
                Some(above) if !entries.contains_key(above) => {
                    let entry = self.entry(above);
                    entries.extend(entry.map(|entry| (above.to_owned(), entry)));
                }
                Some(_) => {}
            }
        }
        Ok(SourceTree {
            entries: entries.into_values().collect(),
            watch: None,
        })
    }
}

/// A path without slashes around it; the top is empty.
fn top_path(path: &str) -> &str {
    match path.trim_matches('/') {
        "." => "",
        path => path,
    }
}

fn entry_of(path: &str, file: &ContentFile) -> SourceEntry {
    SourceEntry {
        path: path.to_owned(),
        kind: file.kind,
        id: Some(file.id.clone()),
    }
}

#[cfg(test)]
mod tests {
    use agpm_model::FileMode;

    use super::*;

    fn file(content: &str) -> ContentFile {
        ContentFile {
            kind: SourceEntryKind::File(FileMode::Plain),
            ..ContentFile::symlink(content)
        }
    }

    fn tree(paths: &[&str]) -> ContentTree {
        let mut tree = ContentTree::default();
        for path in paths {
            tree.insert((*path).to_owned(), file(path));
        }
        tree
    }

    fn paths(tree: &ContentTree) -> Vec<&str> {
        tree.iter().map(|(path, _)| path).collect()
    }

    #[test]
    fn later_files_replace_files_and_directories() {
        let mut files = tree(&["a/b", "a/c/d", "ab"]);
        files.insert("a/c".to_owned(), file("x"));
        assert_eq!(paths(&files), ["a/b", "a/c", "ab"]);
        files.insert("a/b/z".to_owned(), file("x"));
        assert_eq!(paths(&files), ["a/b/z", "a/c", "ab"]);
        files.remove("a");
        assert_eq!(paths(&files), ["ab"]);
    }

    #[test]
    fn directories_are_entries_with_the_checksum_of_their_content() {
        let first = tree(&["a/b", "a/c/d", "e"]);
        let entry = first.entry("a").unwrap();
        assert_eq!(entry.kind, SourceEntryKind::Directory);
        assert_eq!(tree(&["a/b", "a/c/d"]).entry("a"), Some(entry.clone()));
        assert_ne!(tree(&["a/b"]).entry("a").unwrap().id, entry.id);
        assert!(first.entry("x").is_none() && first.entry("").is_some());
        assert_eq!(first.entry("."), first.entry(""));
    }

    #[test]
    fn only_accepted_directories_are_entered() {
        let files = tree(&["a/b", "a/c/d", "e/f", "g"]);
        let walked = files.walk("", &|path| path == "a").unwrap();
        let listed: Vec<&str> = walked.entries.iter().map(|one| one.path.as_str()).collect();
        assert_eq!(listed, ["a/b", "a/c", "e", "g"]);
        let walked = files.walk("a", &|_| true).unwrap();
        let listed: Vec<&str> = walked.entries.iter().map(|one| one.path.as_str()).collect();
        assert_eq!(listed, ["a/b", "a/c/d"]);
    }

    #[test]
    fn one_directory_around_everything_is_left_out() {
        let unwrapped = |paths: &[&str]| {
            let files = tree(paths)
                .without_wrapper(|files, start| files.get(&format!("{start}SKILL.md")).is_some());
            files
                .iter()
                .map(|(path, _)| path.to_owned())
                .collect::<Vec<_>>()
        };
        assert_eq!(unwrapped(&["pdf/SKILL.md", "pdf/x/y"]), ["SKILL.md", "x/y"]);
        assert_eq!(unwrapped(&["pdf/SKILL.md", "z"]), ["pdf/SKILL.md", "z"]);
        assert_eq!(unwrapped(&["pdf/x"]), ["pdf/x"]);
    }
}
