//! A git repository as a source, through the git program.

use std::path::PathBuf;
use std::sync::Arc;

use crate::git::{GitError, RemoteRepository, TreeEntry, TreeEntryKind as GitKind};
use agpm_model::{FileMode, RelativePath, ResolvedVersion, Revision, SourceVersions};

use crate::limits::MOST_DIRECTORIES;
use crate::{
    FileFetching, Source, SourceEntry, SourceEntryKind, SourceError, SourceTree, SourceVersioning,
};

/// A repository has no files without a revision.
fn commit(revision: Option<&Revision>) -> Result<&Revision, SourceError> {
    revision.ok_or_else(|| SourceError::NoSuchRevision("no commit given".to_owned()))
}

fn entry_of(path: String, entry: &TreeEntry) -> SourceEntry {
    let kind = match entry.kind {
        GitKind::File => SourceEntryKind::File(FileMode::Plain),
        GitKind::Executable => SourceEntryKind::File(FileMode::Executable),
        GitKind::Symlink => SourceEntryKind::Symlink,
        GitKind::Directory => SourceEntryKind::Directory,
        GitKind::Submodule => SourceEntryKind::Submodule,
    };
    SourceEntry {
        path,
        kind,
        id: Some(entry.id.clone()),
    }
}

fn ids_of(files: &[&SourceEntry]) -> Vec<Revision> {
    files.iter().filter_map(|file| file.id.clone()).collect()
}

impl Source for RemoteRepository {
    fn versioning(&self) -> SourceVersioning {
        SourceVersioning::Versioned
    }

    fn required_executable(&self) -> Option<&'static str> {
        Some("git")
    }

    fn versions(&self) -> Result<Arc<SourceVersions>, SourceError> {
        Ok(self.refs()?)
    }

    fn remembered_versions(&self) -> Option<SourceVersions> {
        self.remembered_refs()
    }

    fn is_out_of_reach(&self) -> bool {
        RemoteRepository::is_out_of_reach(self)
    }

    fn find_revision(&self, digits: &str) -> Result<Revision, SourceError> {
        Ok(self.find_commit(digits)?)
    }

    fn is_reachable(&self, revision: &Revision, tip: &Revision) -> Result<bool, SourceError> {
        Ok(RemoteRepository::is_reachable(self, revision, tip)?)
    }

    fn released(&self, versions: &[ResolvedVersion]) -> Vec<Option<u64>> {
        // The refs that the server listed last distinguish tags from branches; it is not contacted again for a date.
        let refs = self.remembered_refs().unwrap_or_default();
        let tag_of = |version: &ResolvedVersion| {
            let is_tag = refs.tags.get(version.label.as_str()) == Some(&version.revision);
            refs.annotated
                .get(version.label.as_str())
                .filter(|_| is_tag)
        };
        let dated =
            |version: &ResolvedVersion| tag_of(version).unwrap_or(&version.revision).clone();
        let objects: Vec<Revision> = versions.iter().map(dated).collect();
        // Offline, the date of the commit is used.
        let _ = self.fetch_listings(&objects);
        let time = |id: &Revision| self.object_time(id).ok().flatten();
        let dates = objects.iter().zip(versions);
        dates
            .map(|(object, version)| time(object).or_else(|| time(&version.revision)))
            .collect()
    }

    fn has_revision(&self, revision: &Revision) -> bool {
        self.has_commit(revision)
    }

    fn fetch(&self, revisions: &[Revision], files: FileFetching) -> Result<(), SourceError> {
        match files {
            FileFetching::WithRevisions => self.fetch_commits(revisions)?,
            FileFetching::OnDemand => self.fetch_listings(revisions)?,
        }
        Ok(())
    }

    fn read_top(
        &self,
        revision: &Revision,
        names: &[&str],
    ) -> Result<Vec<Option<Vec<u8>>>, SourceError> {
        Ok(self.read_top_files(revision, names)?)
    }

    fn entry(
        &self,
        revision: Option<&Revision>,
        path: &str,
    ) -> Result<Option<SourceEntry>, SourceError> {
        let found = RemoteRepository::entry(self, commit(revision)?, path)?;
        Ok(found.map(|entry| entry_of(path.to_owned(), &entry)))
    }

    fn walk(
        &self,
        revision: Option<&Revision>,
        directory: &str,
        enters: &dyn Fn(&str) -> bool,
    ) -> Result<SourceTree, SourceError> {
        let commit = commit(revision)?;
        let top = match directory {
            "" => Some(commit.clone()),
            path => RemoteRepository::entry(self, commit, path)?
                .filter(|entry| entry.kind == GitKind::Directory)
                .map(|entry| entry.id),
        };
        let mut pending: Vec<(String, Revision)> = top
            .map(|id| (directory.to_owned(), id))
            .into_iter()
            .collect();
        let mut tree = SourceTree::default();
        let mut searched = 0;
        while let Some((parent, id)) = pending.pop() {
            searched += 1;
            if searched > MOST_DIRECTORIES {
                return Err(SourceError::TooManyDirectories);
            }
            for entry in self.tree(&id)?.iter() {
                let path = match parent.as_str() {
                    "" => entry.name.clone(),
                    parent => format!("{parent}/{}", entry.name),
                };
                if entry.kind == GitKind::Directory && enters(&path) {
                    pending.push((path, entry.id.clone()));
                } else {
                    tree.entries.push(entry_of(path, entry));
                }
            }
        }
        tree.entries
            .sort_by(|left, right| left.path.cmp(&right.path));
        Ok(tree)
    }

    fn fetch_files(&self, files: &[&SourceEntry]) -> Result<(), SourceError> {
        Ok(self.fetch_blobs(&ids_of(files))?)
    }

    fn size(&self, files: &[&SourceEntry]) -> Result<u64, SourceError> {
        Ok(self.measure_blobs(&ids_of(files))?)
    }

    fn read(&self, files: &[&SourceEntry]) -> Result<Vec<Vec<u8>>, SourceError> {
        if files.is_empty() {
            return Ok(Vec::new());
        }
        Ok(self.read_blobs(&ids_of(files))?)
    }

    fn directory(
        &self,
        revision: Option<&Revision>,
        inner: Option<&RelativePath>,
    ) -> Result<PathBuf, SourceError> {
        Ok(self.checkout(commit(revision)?, inner)?)
    }

    fn cached_directory(
        &self,
        revision: Option<&Revision>,
        inner: Option<&RelativePath>,
    ) -> Option<PathBuf> {
        self.cached_checkout(revision?, inner)
    }

    fn require_directory(
        &self,
        revision: Option<&Revision>,
        inner: &RelativePath,
    ) -> Result<(), SourceError> {
        Ok(self.require_directory(commit(revision)?, inner)?)
    }

    fn remember_directory(
        &self,
        reference: Option<&str>,
        inner: Option<&RelativePath>,
        revision: &Revision,
    ) -> Result<(), SourceError> {
        Ok(self.remember_checkout(reference, inner, revision)?)
    }

    fn last_directory(
        &self,
        reference: Option<&str>,
        inner: Option<&RelativePath>,
    ) -> Option<(Revision, PathBuf)> {
        self.last_checkout(reference, inner)
    }
}

impl From<GitError> for SourceError {
    fn from(error: GitError) -> Self {
        let message = error.to_string();
        match error {
            GitError::Offline { .. } => SourceError::Offline(message),
            GitError::Unreachable { .. } => SourceError::Unreachable(message),
            GitError::AuthRefused { address, .. } => SourceError::AuthRefused {
                help: format!(
                    "check that it exists, and that git has credentials for it: try `git ls-remote {address}`"
                ),
                address,
                message,
            },
            GitError::NotFound { address, .. } => SourceError::NotFound { address, message },
            GitError::Damaged { .. } => SourceError::Damaged(message),
            GitError::NoSuchCommit { .. } => SourceError::NoSuchRevision(message),
            GitError::Ambiguous { .. } => SourceError::AmbiguousRevision(message),
            GitError::NoSuchDirectory {
                directory, beside, ..
            } => SourceError::NoSuchDirectory {
                directory,
                beside,
                message,
            },
            GitError::TooMuch { .. } => SourceError::TooMuch(message),
            GitError::NoGit { .. } | GitError::TooOld { .. } => SourceError::NoProgram(message),
            GitError::MissingObject { .. } => SourceError::MissingFile(message),
            GitError::TooLarge { .. } => SourceError::FileTooLarge(message),
            GitError::Broken { .. } => SourceError::Broken(message),
            GitError::Store(error) => SourceError::Store(error),
        }
    }
}
