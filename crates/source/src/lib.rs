//! Where bytes come from: one trait for git repositories, directories, registries, static sites and every kind of source
//! that follows.
//!
//! A source lists its versions, finds the revision that a version is, and gives the files of a revision. Crates above
//! decide what files mean and which version is wanted.
//!
//! Requests are what a user waits for, so a caller states everything that it wants before it reads: revisions with
//! [`Source::fetch`], then files with [`Source::fetch_files`]. Listing, measuring and reading contact nobody.

mod archive;
mod checkout;
mod directory;
mod entry;
mod error;
pub mod git;
mod http;
pub mod limits;
mod open;
mod registry;
mod resolve;
mod site;
mod transfer;
mod tree;

use std::fmt::Debug;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use agpm_model::{RelativePath, ResolvedVersion, Revision, SourceVersions};

pub use directory::{AllowedDirectory, DirectorySource, SymlinkConfinement};
pub use entry::{SourceEntry, SourceEntryKind, SourceTree, TreeWatch};
pub use error::SourceError;
pub use open::{
    MachineSources, SharedSources, SourceContext, SourceOpener, content_directory, git_program,
    local_path,
};
pub use registry::{
    ArtifactTarget, LibrarySource, Overwriting, PackedArtifact, PublishOutcome, PublishedFile,
    PublishedLibrary, PublishedResource, is_valid_tag, pack_library, pack_skill,
};
pub use resolve::{ReferenceError, resolve, resolve_all, resolve_reference};
pub use site::{SiteWriting, WrittenSite, write_site};

/// Whether a source has versions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourceVersioning {
    /// Every revision has an id, and its files never change.
    Versioned,
    /// Only the current content exists.
    Unversioned,
}

/// Whether files are fetched together with their revisions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileFetching {
    /// If one request for everything costs less than two.
    WithRevisions,
    /// Each file when it is read: a caller that only lists files fetches none.
    OnDemand,
}

/// Something that files come from: a git repository or a directory.
///
/// A revision of `None` means the current content of an unversioned source.
pub trait Source: Debug + Send + Sync {
    /// Returns whether the source has versions, without contacting it.
    fn versioning(&self) -> SourceVersioning;

    /// Returns the name of the executable that reads the source, if it needs one.
    fn required_executable(&self) -> Option<&'static str> {
        None
    }

    /// Returns all tags and branches. The source is contacted once; offline, the last listing is returned.
    fn versions(&self) -> Result<Arc<SourceVersions>, SourceError>;

    /// Returns the versions of the last listing.
    fn remembered_versions(&self) -> Option<SourceVersions> {
        None
    }

    /// Returns whether the source needs a connection and none may be opened.
    fn is_out_of_reach(&self) -> bool {
        false
    }

    /// Returns the revision whose id starts with these digits.
    fn find_revision(&self, digits: &str) -> Result<Revision, SourceError>;

    /// Returns whether the files of a revision can be listed without contacting the source.
    fn has_revision(&self, revision: &Revision) -> bool;

    /// Returns whether a revision is a tip or an ancestor of it.
    fn is_reachable(&self, revision: &Revision, tip: &Revision) -> Result<bool, SourceError> {
        Ok(revision == tip)
    }

    /// Returns the release times of versions in seconds since 1970, if known: the date of an annotated tag, or else of
    /// the revision. Missing ones are fetched in one request.
    fn released(&self, versions: &[ResolvedVersion]) -> Vec<Option<u64>> {
        vec![None; versions.len()]
    }

    /// Makes revisions available; missing ones are fetched in one request.
    fn fetch(&self, revisions: &[Revision], files: FileFetching) -> Result<(), SourceError>;

    /// Reads files in the top directory of a revision, and fetches as little else as the source allows; `None` for those
    /// that do not exist.
    fn read_top(
        &self,
        revision: &Revision,
        names: &[&str],
    ) -> Result<Vec<Option<Vec<u8>>>, SourceError> {
        self.fetch(std::slice::from_ref(revision), FileFetching::OnDemand)?;
        let mut files = Vec::new();
        for name in names {
            let entry = self.entry(Some(revision), name)?;
            let bytes = match &entry {
                Some(entry) => {
                    self.fetch_files(&[entry])?;
                    self.read(&[entry])?.pop()
                }
                None => None,
            };
            files.push(bytes);
        }
        Ok(files)
    }

    /// Returns the entry at a path; `None` if it does not exist.
    fn entry(
        &self,
        revision: Option<&Revision>,
        path: &str,
    ) -> Result<Option<SourceEntry>, SourceError>;

    /// Lists an existing directory recursively; enters the directories that `enters` accepts, at most
    /// [`limits::MOST_DIRECTORIES`]. Paths start at the top of the source.
    fn walk(
        &self,
        revision: Option<&Revision>,
        directory: &str,
        enters: &dyn Fn(&str) -> bool,
    ) -> Result<SourceTree, SourceError>;

    /// Makes files available, of any revisions and resources; missing ones are fetched in one request.
    fn fetch_files(&self, files: &[&SourceEntry]) -> Result<(), SourceError>;

    /// Returns the total size of available files.
    fn size(&self, files: &[&SourceEntry]) -> Result<u64, SourceError>;

    /// Reads available files, in order.
    fn read(&self, files: &[&SourceEntry]) -> Result<Vec<Vec<u8>>, SourceError>;

    /// Makes the beginnings of files available, to the end of their front matter or further, in one request. A source
    /// that lists them with its files needs no content for this.
    fn fetch_heads(&self, files: &[&SourceEntry]) -> Result<(), SourceError> {
        self.fetch_files(files)
    }

    /// Reads the beginnings of files, in order.
    fn read_heads(&self, files: &[&SourceEntry]) -> Result<Vec<Vec<u8>>, SourceError> {
        self.read(files)
    }

    /// Returns the URLs of the sources in this one, if it is a directory of sources.
    fn listed_sources(&self) -> Result<Option<Vec<String>>, SourceError> {
        Ok(None)
    }

    /// Returns a local directory with the files of a revision, or of a directory in it.
    fn directory(
        &self,
        revision: Option<&Revision>,
        inner: Option<&RelativePath>,
    ) -> Result<PathBuf, SourceError>;

    /// Returns that directory if it exists already, without a request or a write.
    fn cached_directory(
        &self,
        revision: Option<&Revision>,
        inner: Option<&RelativePath>,
    ) -> Option<PathBuf>;

    /// Fails unless a revision has a directory; writes nothing.
    fn require_directory(
        &self,
        revision: Option<&Revision>,
        inner: &RelativePath,
    ) -> Result<(), SourceError>;

    /// Records the revision of a reference whose directory was used last.
    fn remember_directory(
        &self,
        _reference: Option<&str>,
        _inner: Option<&RelativePath>,
        _revision: &Revision,
    ) -> Result<(), SourceError> {
        Ok(())
    }

    /// Returns the directory recorded by [`Source::remember_directory`], if it still exists.
    fn last_directory(
        &self,
        _reference: Option<&str>,
        _inner: Option<&RelativePath>,
    ) -> Option<(Revision, PathBuf)> {
        None
    }

    /// Returns the local directory of the files themselves; `None` if only a copy exists.
    fn local_directory(&self) -> Option<&Path> {
        None
    }
}
