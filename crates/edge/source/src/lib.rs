//! Where bytes come from: one trait for git repositories, directories and every kind of source that follows.
//!
//! A source lists its versions, finds the revision that a version is, and gives the files of a revision. Crates above
//! decide what files mean and which version is wanted.

mod directory;
mod entry;
mod error;
mod git;
pub mod limits;
mod open;
mod resolve;

use std::fmt::Debug;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use agpm_model::{ObjectId, RelativePath, ResolvedVersion, SourceVersions};

pub use directory::{AllowedDirectory, DirectorySource, SymlinkConfinement};
pub use entry::{SourceEntry, SourceEntryKind, SourceTree, TreeWatch};
pub use error::SourceError;
pub use open::{
    MachineSources, SharedSources, SourceContext, SourceOpener, git_program, local_path,
};
pub use resolve::{ReferenceError, resolve, resolve_all, resolve_reference};

/// Whether a source has versions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourceVersioning {
    /// Every revision has an id, and its files never change.
    Versioned,
    /// There is only what exists now.
    Unversioned,
}

/// Whether files are fetched together with the revisions they belong to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileFetching {
    /// Where one request for all costs less than two.
    WithRevisions,
    /// Each when it is read: who only lists files fetches none.
    OnDemand,
}

/// A location that files come from.
///
/// A revision of `None` means what an unversioned source has now.
pub trait Source: Debug + Send + Sync {
    /// Whether it has versions; asks nobody.
    fn versioning(&self) -> SourceVersioning;

    /// All tags and branches. The source is asked once; without a network, this is what it said last.
    fn versions(&self) -> Result<Arc<SourceVersions>, SourceError>;

    /// The versions that the source had when it was last reached.
    fn remembered_versions(&self) -> Option<SourceVersions> {
        None
    }

    /// Whether a connection would be needed to ask the source, and none may be opened.
    fn is_out_of_reach(&self) -> bool {
        false
    }

    /// The revision whose id begins with these digits.
    fn find_revision(&self, digits: &str) -> Result<ObjectId, SourceError>;

    /// Whether the files of a revision can be listed without asking anyone.
    fn has_revision(&self, revision: &ObjectId) -> bool;

    /// Whether a revision is a tip or in the past of it.
    fn is_reachable(&self, revision: &ObjectId, tip: &ObjectId) -> Result<bool, SourceError> {
        Ok(revision == tip)
    }

    /// When versions were released, in seconds since 1970, as far as that is known: the date of an annotated tag, or
    /// else of the revision. Those that are missing are fetched in one request.
    fn released(&self, versions: &[ResolvedVersion]) -> Vec<Option<u64>> {
        vec![None; versions.len()]
    }

    /// Makes revisions available, all that are missing in one request.
    fn fetch(&self, revisions: &[ObjectId], files: FileFetching) -> Result<(), SourceError>;

    /// The entry at a path; nothing if there is none.
    fn entry(
        &self,
        revision: Option<&ObjectId>,
        path: &str,
    ) -> Result<Option<SourceEntry>, SourceError>;

    /// Everything in a directory that exists, entering the directories that `enters` accepts, and no more than
    /// [`limits::MOST_DIRECTORIES`] of them. Paths start at the top of the source.
    fn walk(
        &self,
        revision: Option<&ObjectId>,
        directory: &str,
        enters: &dyn Fn(&str) -> bool,
    ) -> Result<SourceTree, SourceError>;

    /// How many bytes files have together.
    fn size(&self, files: &[&SourceEntry]) -> Result<u64, SourceError>;

    /// The bytes of files, in their order; those that are missing are fetched in one request.
    fn read(&self, files: &[&SourceEntry]) -> Result<Vec<Vec<u8>>, SourceError>;

    /// A directory on this machine with the files of a revision, or of a directory in it.
    fn directory(
        &self,
        revision: Option<&ObjectId>,
        inner: Option<&RelativePath>,
    ) -> Result<PathBuf, SourceError>;

    /// The same if that takes no request and no writing.
    fn cached_directory(
        &self,
        revision: Option<&ObjectId>,
        inner: Option<&RelativePath>,
    ) -> Option<PathBuf>;

    /// Fails unless a revision has a directory; nothing is written.
    fn require_directory(
        &self,
        revision: Option<&ObjectId>,
        inner: &RelativePath,
    ) -> Result<(), SourceError>;

    /// Keeps which revision a reference was when its directory was last used.
    fn remember_directory(
        &self,
        _reference: Option<&str>,
        _inner: Option<&RelativePath>,
        _revision: &ObjectId,
    ) -> Result<(), SourceError> {
        Ok(())
    }

    /// The directory kept by [`Source::remember_directory`], if it still exists.
    fn last_directory(
        &self,
        _reference: Option<&str>,
        _inner: Option<&RelativePath>,
    ) -> Option<(ObjectId, PathBuf)> {
        None
    }

    /// Where the files themselves are on this machine; nothing for what is only a copy.
    fn local_directory(&self) -> Option<&Path> {
        None
    }
}
