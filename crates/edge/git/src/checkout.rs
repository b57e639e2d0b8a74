//! The files of a commit written out once, for those who read directories.

use std::collections::HashSet;
use std::path::PathBuf;

use agpm_model::{Checksum, ObjectId, RelativePath};
use agpm_store::ConfinedDirectory;

use crate::error::GitError;
use crate::remote::RemoteRepository;
use crate::tree::{TreeEntry, TreeEntryKind};

/// A larger file is left out: nothing that is read as text is that large.
const LARGEST_FILE: u64 = 32 << 20;
/// All files together.
const MOST_BYTES: u64 = 1 << 30;
/// How many bytes are read before they are written.
const CHUNK: u64 = 32 << 20;
/// A tree of git can hold itself many times.
const MOST_DIRECTORIES: usize = 20_000;
const MOST_FILES: usize = 100_000;
/// Directories under directories.
const DEEPEST: usize = 32;
/// Longer ones are not file on some system.
const LONGEST_NAME: usize = 255;
const LONGEST_PATH: usize = 1024;
/// How many commits of a source stay written out when nobody uses them.
const KEPT: usize = 8;

/// A file of a commit, or a link.
struct CommitFile {
    path: RelativePath,
    kind: TreeEntryKind,
    id: ObjectId,
}

impl RemoteRepository {
    /// The files of a commit, or of a directory of it, as a directory in the cache. Links that lead out of it, other repositories,
    /// names that some system cannot have and files that are very large are left out.
    ///
    /// A checkout that exists costs one lookup; otherwise all missing objects are fetched at once.
    pub fn checkout(
        &self,
        commit: &ObjectId,
        directory: Option<&RelativePath>,
    ) -> Result<PathBuf, GitError> {
        let trees = self.source_cache.trees();
        let path = trees.join(name_of(commit, directory));
        // Before it is looked for: from then on nobody throws it away.
        agpm_store::mark_used(&path);
        if agpm_store::is_real_directory(&path) {
            return Ok(path);
        }
        let top = self.top_of(commit, directory)?;
        let files = self.files_below(commit, top)?;
        // While it is held nobody throws away what is in the making.
        let _filling = self.source_cache.hold_trees()?;
        agpm_store::fill_atomically(&path, |fresh| self.write_out(commit, &files, fresh))?;
        agpm_store::keep_used(&trees, KEPT);
        Ok(path)
    }

    /// Keeps which commit a branch, a tag or the default branch was when it was written out.
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

    /// The last checkout of a branch, a tag or the default branch, if it still exists.
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

    /// Where a directory of a commit is written out, if it is.
    pub fn cached_checkout(
        &self,
        commit: &ObjectId,
        directory: Option<&RelativePath>,
    ) -> Option<PathBuf> {
        let path = self.source_cache.trees().join(name_of(commit, directory));
        agpm_store::is_real_directory(&path).then_some(path)
    }

    /// Fails unless a commit has a directory; nothing is written out.
    pub fn require_directory(
        &self,
        commit: &ObjectId,
        directory: &RelativePath,
    ) -> Result<(), GitError> {
        self.top_of(commit, Some(directory)).map(drop)
    }

    /// The directory that is meant, of a commit that is fetched if need be.
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

    /// Every file under a directory of a commit that every system can have, and the links after them.
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
        // Written last: no file is written by way of a link.
        files.sort_by_key(|file| file.kind == TreeEntryKind::Symlink);
        Ok(files)
    }

    /// Writes files into a new directory, some at a time: all of them may be more than memory has.
    fn write_out(
        &self,
        commit: &ObjectId,
        files: &[CommitFile],
        fresh: &ConfinedDirectory,
    ) -> Result<(), GitError> {
        let ids: Vec<ObjectId> = files.iter().map(|file| file.id.clone()).collect();
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
            self.read_blobs(&ids, &|_| {})?
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

/// Makes a link that stays inside; one that this system cannot have is left out like the others.
fn write_link(link: &RelativePath, target: &[u8], fresh: &ConfinedDirectory) {
    if let Some(target) = inner_target(link, target) {
        let _ = fresh.link_new(link, target);
    }
}

/// The target of a link that stays inside by its text. Other links on its way may lead it elsewhere: who reads it looks
/// where it really ends.
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

/// The name of the directory that a commit, or a directory of it, is written out to.
fn name_of(commit: &ObjectId, directory: Option<&RelativePath>) -> String {
    let digest = |directory: &RelativePath| {
        format!(
            "-{}",
            &Checksum::of(directory.as_str().as_bytes()).digits()[..16]
        )
    };
    format!("{commit}{}", directory.map(digest).unwrap_or_default())
}

/// The key of a request; no two requests have the same one.
fn checkout_key(reference: Option<&str>, directory: Option<&RelativePath>) -> String {
    format!(
        "{}\0{}",
        reference.unwrap_or_default(),
        directory.map(RelativePath::as_str).unwrap_or_default()
    )
}

/// The entries of a directory that every system can have next to each other, as what they are.
fn portable(entries: &[TreeEntry]) -> impl Iterator<Item = &TreeEntry> {
    let mut taken = HashSet::new();
    entries
        .iter()
        .filter(move |entry| is_portable(&entry.name) && taken.insert(entry.name.to_lowercase()))
}

/// One name, and not that of version control, under which files would be treated as orders.
fn is_portable(name: &str) -> bool {
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
