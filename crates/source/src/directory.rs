//! A local directory as a source. It has no versions, only its current content.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use agpm_model::{RelativePath, Revision, SourceVersions, is_credential_path, normalize};
use agpm_store::{
    self as store, ConfinedDirectory, ListedEntry, ListedKind, StoreError, StoreProblem, parallel,
};

use crate::limits::{MOST_DIRECTORIES, MOST_FILE_BYTES};
use crate::{
    FileFetching, Source, SourceEntry, SourceEntryKind, SourceError, SourceTree, SourceVersioning,
    TreeWatch,
};

/// How many files one thread reads at a time.
const CHUNK: usize = 64;

/// Where symlinks in a directory may lead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SymlinkConfinement {
    /// Only inside: nothing from a source is trusted.
    Inside,
    /// Anywhere: the user's own project names its own files.
    Anywhere,
}

/// A local directory as a source.
#[derive(Debug)]
pub struct DirectorySource {
    directory: PathBuf,
    confinement: SymlinkConfinement,
    bounds: AllowedDirectory,
}

impl DirectorySource {
    /// Opens a directory that a project at `project` reads.
    pub fn new(directory: PathBuf, confinement: SymlinkConfinement, project: &Path) -> Self {
        DirectorySource {
            directory,
            confinement,
            bounds: AllowedDirectory::of(project),
        }
    }

    fn missing_error(&self, what: &str) -> SourceError {
        let directory = self.directory.display();
        SourceError::NoSuchRevision(format!("`{directory}` has no {what}: it has no versions"))
    }

    /// Refuses files that are really in a location for credentials. The real path of a directory is resolved once for
    /// all its files, because a layer may have ten thousand of them.
    fn refuse_credentials(&self, files: &[&SourceEntry]) -> Result<(), StoreError> {
        let is_inside = !self.bounds.is_outside(&store::real_path(&self.directory));
        if is_inside && self.confinement == SymlinkConfinement::Inside {
            return Ok(());
        }
        let mut parents: HashMap<PathBuf, PathBuf> = HashMap::new();
        for file in files {
            let path = self.directory.join(&file.path);
            let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
                continue;
            };
            let real = parents
                .entry(parent.to_owned())
                .or_insert_with(|| store::real_path(parent))
                .join(name);
            if self.bounds.is_secret(&real) || store::link_target(&path).is_some() {
                self.bounds.guard(&path)?;
            }
        }
        Ok(())
    }

    fn read_one(
        &self,
        confined: Option<&ConfinedDirectory>,
        path: &str,
    ) -> Result<Vec<u8>, StoreError> {
        let full = self.directory.join(path);
        let read = match confined {
            Some(confined) => confined.read_with_mode(path, MOST_FILE_BYTES),
            None => store::read_with_mode(&full, MOST_FILE_BYTES),
        };
        read.map(|(bytes, _)| bytes)
    }
}

fn entry_of(path: String, kind: ListedKind) -> SourceEntry {
    let kind = match kind {
        ListedKind::File(mode) => SourceEntryKind::File(mode),
        ListedKind::Directory => SourceEntryKind::Directory,
        ListedKind::Link => SourceEntryKind::Symlink,
        ListedKind::Other => SourceEntryKind::Special,
    };
    SourceEntry {
        path,
        kind,
        id: None,
    }
}

impl Source for DirectorySource {
    fn versioning(&self) -> SourceVersioning {
        SourceVersioning::Unversioned
    }

    fn versions(&self) -> Result<Arc<SourceVersions>, SourceError> {
        Ok(Arc::default())
    }

    fn find_revision(&self, digits: &str) -> Result<Revision, SourceError> {
        Err(self.missing_error(&format!("commit `{digits}`")))
    }

    fn has_revision(&self, _: &Revision) -> bool {
        false
    }

    fn fetch(&self, revisions: &[Revision], _: FileFetching) -> Result<(), SourceError> {
        match revisions.first() {
            Some(revision) => Err(self.missing_error(&format!("commit `{revision}`"))),
            None => Ok(()),
        }
    }

    fn entry(&self, _: Option<&Revision>, path: &str) -> Result<Option<SourceEntry>, SourceError> {
        let found = store::kind_at(&self.directory.join(path))?;
        Ok(found.map(|kind| entry_of(path.to_owned(), kind)))
    }

    fn walk(
        &self,
        _: Option<&Revision>,
        directory: &str,
        enters: &dyn Fn(&str) -> bool,
    ) -> Result<SourceTree, SourceError> {
        let top = self.directory.join(directory);
        let from_top = |path: &str| match directory {
            "" => path.to_owned(),
            directory => format!("{directory}/{path}"),
        };
        let entered = std::cell::Cell::new(0);
        let enters = |path: &str| {
            let is_entered = enters(&from_top(path));
            entered.set(entered.get() + usize::from(is_entered));
            is_entered && entered.get() <= MOST_DIRECTORIES
        };
        let listing = match store::list(&top, &enters) {
            Err(error) if matches!(error.problem, StoreProblem::NotFound) => {
                return Ok(SourceTree::default());
            }
            listing => listing?,
        };
        if entered.get() > MOST_DIRECTORIES {
            return Err(SourceError::TooManyDirectories);
        }
        let entry = |listed: ListedEntry| entry_of(from_top(&listed.path), listed.kind);
        // A path that is not UTF-8 cannot be recorded, so it is listed again every time.
        let directory = top.to_str().map(str::to_owned);
        let watch = listing
            .stamp
            .zip(directory)
            .map(|(stamp, directory)| TreeWatch {
                directory,
                directories: listing.directories,
                stamp,
            });
        Ok(SourceTree {
            entries: listing.entries.into_iter().map(entry).collect(),
            watch,
        })
    }

    fn fetch_files(&self, _: &[&SourceEntry]) -> Result<(), SourceError> {
        Ok(())
    }

    fn size(&self, files: &[&SourceEntry]) -> Result<u64, SourceError> {
        let size = |file: &&SourceEntry| store::file_size(&self.directory.join(&file.path));
        Ok(files.iter().map(size).fold(0, u64::saturating_add))
    }

    fn read(&self, files: &[&SourceEntry]) -> Result<Vec<Vec<u8>>, SourceError> {
        self.refuse_credentials(files)?;
        let confined = match self.confinement {
            SymlinkConfinement::Inside => Some(ConfinedDirectory::open(&self.directory)?),
            SymlinkConfinement::Anywhere => None,
        };
        let read = |chunk: &[&SourceEntry]| -> Result<Vec<Vec<u8>>, StoreError> {
            chunk
                .iter()
                .map(|file| self.read_one(confined.as_ref(), &file.path))
                .collect()
        };
        let chunks = parallel::map(files.chunks(CHUNK).collect(), read);
        let contents: Result<Vec<Vec<Vec<u8>>>, StoreError> = chunks.into_iter().collect();
        Ok(contents?.into_iter().flatten().collect())
    }

    fn directory(
        &self,
        revision: Option<&Revision>,
        inner: Option<&RelativePath>,
    ) -> Result<PathBuf, SourceError> {
        let Some(inner) = inner else {
            return Ok(self.directory.clone());
        };
        self.require_directory(revision, inner)?;
        Ok(self.directory.join(inner.as_str()))
    }

    fn cached_directory(
        &self,
        revision: Option<&Revision>,
        inner: Option<&RelativePath>,
    ) -> Option<PathBuf> {
        self.directory(revision, inner).ok()
    }

    fn require_directory(
        &self,
        _: Option<&Revision>,
        inner: &RelativePath,
    ) -> Result<(), SourceError> {
        let wanted = self.directory.join(inner.as_str());
        if !store::is_directory(&wanted) {
            let above = wanted.parent().unwrap_or(&self.directory);
            let beside = store::names_in(above)
                .into_iter()
                .filter(|name| store::is_directory(&above.join(name)));
            return Err(SourceError::NoSuchDirectory {
                directory: inner.to_string(),
                beside: beside.collect(),
                message: format!("no such directory: `{inner}`"),
            });
        }
        if !store::real_path(&wanted).starts_with(store::real_path(&self.directory)) {
            return Err(SourceError::OutsideLink);
        }
        Ok(())
    }

    fn local_directory(&self) -> Option<&Path> {
        Some(&self.directory)
    }
}

/// The directory that a manifest may read without a report.
#[derive(Debug)]
pub struct AllowedDirectory {
    /// The path as named, and the real path.
    directories: [PathBuf; 2],
}

impl AllowedDirectory {
    /// Allows everything in this directory.
    pub fn of(directory: &Path) -> Self {
        AllowedDirectory {
            directories: [normalize(directory), store::real_path(directory)],
        }
    }

    /// Returns whether a path is outside.
    pub fn is_outside(&self, path: &Path) -> bool {
        !self
            .directories
            .iter()
            .any(|directory| path.starts_with(directory))
    }

    fn is_secret(&self, path: &Path) -> bool {
        self.is_outside(path) && is_credential_path(&path.to_string_lossy())
    }

    /// Refuses to read a location for credentials outside, through any symlinks.
    pub fn guard(&self, path: &Path) -> Result<(), StoreError> {
        if self.is_secret(&normalize(path)) || self.is_secret(&store::real_path(path)) {
            return Err(StoreError {
                path: path.to_owned(),
                problem: StoreProblem::Credentials,
            });
        }
        Ok(())
    }
}
