//! Checks out the files of a commit once, for callers that read directories.

use std::collections::HashSet;
use std::path::PathBuf;

use agpm_model::{Checksum, RelativePath, Revision as ObjectId};
use agpm_store::ConfinedDirectory;

use crate::git::error::GitError;
use crate::git::remote::RemoteRepository;
use crate::git::tree::{TreeEntry, TreeEntryKind};

/// Larger files are left out: no text is that large.
const LARGEST_FILE: u64 = 32 << 20;
/// The limit for all files together.
const MOST_BYTES: u64 = 1 << 30;
/// How many bytes are read before they are written.
const CHUNK: u64 = 32 << 20;
/// A git tree can contain itself many times.
const MOST_DIRECTORIES: usize = 20_000;
const MOST_FILES: usize = 100_000;
/// The deepest nesting of directories.
const DEEPEST: usize = 32;
/// Longer names are not valid on every system.
const LONGEST_NAME: usize = 255;
const LONGEST_PATH: usize = 1024;
/// How many unused checkouts of a source are kept.
const KEPT: usize = 8;

/// A file or symlink of a commit.
struct CommitFile {
    path: RelativePath,
    kind: TreeEntryKind,
    id: ObjectId,
}

impl RemoteRepository {
    /// Checks out a commit, or a directory of it, into the cache. Symlinks that lead out of it, submodules, names that
    /// are not valid on every system and very large files are left out.
    ///
    /// An existing checkout costs one lookup; otherwise all missing objects are fetched at once.
    pub fn checkout(
        &self,
        commit: &ObjectId,
        directory: Option<&RelativePath>,
    ) -> Result<PathBuf, GitError> {
        let trees = self.source_cache.trees();
        let path = trees.join(name_of(commit, directory));
        // Marked before the lookup, so no other process removes it from then on.
        agpm_store::mark_used(&path);
        if agpm_store::is_real_directory(&path) {
            return Ok(path);
        }
        let top = self.top_of(commit, directory)?;
        let files = self.files_below(commit, top)?;
        // While this lock is held, no process removes unfinished checkouts.
        let _filling = self.source_cache.hold_trees()?;
        agpm_store::fill_atomically(&path, |fresh| self.write_out(commit, &files, fresh))?;
        agpm_store::keep_used(&trees, KEPT);
        Ok(path)
    }

    /// Records the commit that a branch, a tag or the default branch was checked out at.
    pub fn remember_checkout(
        &self,
        reference: Option<&str>,
        directory: Option<&RelativePath>,
        commit: &ObjectId,
    ) -> Result<(), GitError> {
        Ok(self
            .source_cache
            .remember_last(&checkout_key(reference, directory), commit)?)
    }

    /// Returns the last checkout of a branch, a tag or the default branch, if it still exists.
    pub fn last_checkout(
        &self,
        reference: Option<&str>,
        directory: Option<&RelativePath>,
    ) -> Option<(ObjectId, PathBuf)> {
        let commit = self
            .source_cache
            .remembered_last(&checkout_key(reference, directory))?;
        let path = self.cached_checkout(&commit, directory)?;
        Some((commit, path))
    }

    /// Returns the checkout of a directory of a commit, if it exists.
    pub fn cached_checkout(
        &self,
        commit: &ObjectId,
        directory: Option<&RelativePath>,
    ) -> Option<PathBuf> {
        let path = self.source_cache.trees().join(name_of(commit, directory));
        agpm_store::is_real_directory(&path).then_some(path)
    }

    /// Fails unless a commit has a directory; writes nothing.
    pub fn require_directory(
        &self,
        commit: &ObjectId,
        directory: &RelativePath,
    ) -> Result<(), GitError> {
        self.top_of(commit, Some(directory)).map(drop)
    }

    /// Returns the requested directory of a commit, which is fetched if it is missing.
    fn top_of(
        &self,
        commit: &ObjectId,
        directory: Option<&RelativePath>,
    ) -> Result<ObjectId, GitError> {
        self.fetch_commits(std::slice::from_ref(commit))?;
        let mut top = commit.clone();
        for part in directory
            .into_iter()
            .flat_map(|directory| directory.as_str().split('/'))
        {
            let entries = self.tree(&top)?;
            let is_directory = |entry: &&TreeEntry| entry.kind == TreeEntryKind::Directory;
            match entries
                .iter()
                .filter(is_directory)
                .find(|entry| entry.name == part)
            {
                Some(next) => top = next.id.clone(),
                None => {
                    return Err(GitError::NoSuchDirectory {
                        address: self.address.to_string(),
                        commit: commit.clone(),
                        directory: directory.map(ToString::to_string).unwrap_or_default(),
                        beside: entries
                            .iter()
                            .filter(is_directory)
                            .map(|entry| entry.name.clone())
                            .collect(),
                    });
                }
            }
        }
        Ok(top)
    }

    /// Returns every file of a directory with a portable name, followed by the symlinks.
    fn files_below(&self, commit: &ObjectId, top: ObjectId) -> Result<Vec<CommitFile>, GitError> {
        let (mut files, mut searched) = (Vec::new(), 0);
        let mut directories = vec![(String::new(), top, 0)];
        while let Some((prefix, id, depth)) = directories.pop() {
            searched += 1;
            if searched > MOST_DIRECTORIES || files.len() > MOST_FILES {
                return Err(self.too_much(commit));
            }
            for entry in portable(&self.tree(&id)?) {
                let path = format!("{prefix}{}", entry.name);
                match entry.kind {
                    TreeEntryKind::Directory if depth < DEEPEST => {
                        directories.push((format!("{path}/"), entry.id.clone(), depth + 1));
                    }
                    kind @ (TreeEntryKind::File
                    | TreeEntryKind::Executable
                    | TreeEntryKind::Symlink)
                        if path.len() <= LONGEST_PATH =>
                    {
                        let found = |path| CommitFile {
                            path,
                            kind,
                            id: entry.id.clone(),
                        };
                        files.extend(RelativePath::new(&path).ok().map(found));
                    }
                    _ => {}
                }
            }
        }
        // Written last, so no file is written through a symlink.
        files.sort_by_key(|file| file.kind == TreeEntryKind::Symlink);
        Ok(files)
    }

    /// Writes files into a new directory, in chunks, because all of them may not fit into memory.
    fn write_out(
        &self,
        commit: &ObjectId,
        files: &[CommitFile],
        fresh: &ConfinedDirectory,
    ) -> Result<(), GitError> {
        let ids: Vec<ObjectId> = files.iter().map(|file| file.id.clone()).collect();
        self.fetch_blobs(&ids)?;
        let sizes = self.blob_sizes(&ids)?;
        let sized = files
            .iter()
            .zip(sizes)
            .filter(|(_, size)| *size <= LARGEST_FILE);
        let (mut chunk, mut pending, mut all) = (Vec::new(), 0, 0);
        for (file, size) in sized {
            (pending, all) = (pending + size, all + size);
            if all > MOST_BYTES {
                return Err(self.too_much(commit));
            }
            chunk.push(file);
            if pending > CHUNK {
                self.write_chunk(&std::mem::take(&mut chunk), fresh)?;
                pending = 0;
            }
        }
        self.write_chunk(&chunk, fresh)
    }

    fn too_much(&self, commit: &ObjectId) -> GitError {
        GitError::TooMuch {
            address: self.address.to_string(),
            commit: commit.clone(),
        }
    }

    fn write_chunk(
        &self,
        files: &[&CommitFile],
        fresh: &ConfinedDirectory,
    ) -> Result<(), GitError> {
        let ids: Vec<ObjectId> = files.iter().map(|file| file.id.clone()).collect();
        let contents = if ids.is_empty() {
            Vec::new()
        } else {
            self.read_blobs(&ids)?
        };
        for (file, bytes) in files.iter().zip(contents) {
            match file.kind {
                TreeEntryKind::Symlink => write_link(&file.path, &bytes, fresh),
                _ => fresh.create_new(&file.path, &bytes)?,
            }
        }
        Ok(())
    }
}

/// Creates a symlink that stays inside; one that this system does not support is left out.
pub(crate) fn write_link(link: &RelativePath, target: &[u8], fresh: &ConfinedDirectory) {
    if let Some(target) = inner_target(link, target) {
        let _ = fresh.link_new(link, target);
    }
}

/// Returns the target of a symlink that stays inside by its text. Other symlinks can still lead it elsewhere, so
/// readers check where it really ends.
fn inner_target<'t>(link: &RelativePath, target: &'t [u8]) -> Option<&'t str> {
    let target = std::str::from_utf8(target).ok()?;
    if target.is_empty() || target.starts_with('/') || target.len() > LONGEST_PATH {
        return None;
    }
    let mut depth = link.as_str().matches('/').count();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => depth = depth.checked_sub(1)?,
            name if is_portable(name) => depth += 1,
            _ => return None,
        }
    }
    Some(target)
}

/// Returns the name of the directory for a commit, or for a directory of it.
fn name_of(commit: &ObjectId, directory: Option<&RelativePath>) -> String {
    let digest = |directory: &RelativePath| {
        format!(
            "-{}",
            &Checksum::of(directory.as_str().as_bytes()).digits()[..16]
        )
    };
    format!("{commit}{}", directory.map(digest).unwrap_or_default())
}

/// Returns a key that is unique for each request.
fn checkout_key(reference: Option<&str>, directory: Option<&RelativePath>) -> String {
    format!(
        "{}\0{}",
        reference.unwrap_or_default(),
        directory.map(RelativePath::as_str).unwrap_or_default()
    )
}

/// Returns the entries of a directory that can exist next to each other on every system.
fn portable(entries: &[TreeEntry]) -> impl Iterator<Item = &TreeEntry> {
    let mut taken = HashSet::new();
    entries
        .iter()
        .filter(move |entry| is_portable(&entry.name) && taken.insert(entry.name.to_lowercase()))
}

/// Returns whether a name is a single path component, and not one that version control would read.
pub(crate) fn is_portable(name: &str) -> bool {
    let reserved = [".git", "git~1"]
        .iter()
        .any(|own| own.eq_ignore_ascii_case(name));
    let good = RelativePath::new(name).is_ok_and(|path| path.as_str() == name);
    good && !reserved && name.len() <= LONGEST_NAME && !name.contains(['/', '\u{fffd}'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_that_every_system_can_have_pass() {
        for name in ["a", ".claude", ".gitignore", "é.md"] {
            assert!(is_portable(name), "{name}");
        }
        for name in [
            "", ".", "..", ".git", ".GIT", "git~1", "a/b", "a\\b", "NUL", "x:y", "a.", "\u{fffd}",
        ] {
            assert!(!is_portable(name), "{name}");
        }
    }

    #[test]
    fn links_stay_inside_by_their_text() {
        let target = |link: &str, target: &str| {
            let link = RelativePath::new(link).expect("a good path");
            inner_target(&link, target.as_bytes()).is_some()
        };
        for (link, inside) in [
            ("l", "f"),
            ("l", "./a//b/"),
            ("l", "."),
            ("l", "a/../f"),
            ("a/b/l", "../../f"),
            ("a/l", "../a/../f"),
        ] {
            assert!(target(link, inside), "{link} -> {inside}");
        }
        let long = "n/".repeat(600);
        for (link, outside) in [
            ("l", ""),
            ("l", "/f"),
            ("l", ".."),
            ("l", "../l"),
            ("a/l", "../../f"),
            ("a/l", "../../a/f"),
            ("l", "a/../../l"),
            ("l", ".git/config"),
            ("l", "a\\b"),
            ("l", "C:/x"),
            ("l", "f\n"),
            ("l", &long),
        ] {
            assert!(!target(link, outside), "{link} -> {outside:?}");
        }
        let link = RelativePath::new("l").expect("a good path");
        assert_eq!(inner_target(&link, b"bad\xff"), None);
    }

    #[test]
    fn of_names_that_differ_in_case_the_upper_one_stays() {
        let id: ObjectId = "ab".repeat(20).parse().expect("a good name");
        let entry = |name: &str, kind| TreeEntry {
            name: name.to_owned(),
            kind,
            id: id.clone(),
        };
        let entries = [
            entry("A", TreeEntryKind::File),
            entry("a", TreeEntryKind::Directory),
            entry("b", TreeEntryKind::File),
        ];
        let names: Vec<&str> = portable(&entries)
            .map(|entry| entry.name.as_str())
            .collect();
        assert_eq!(names, ["A", "b"]);
    }
}
