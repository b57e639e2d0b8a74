//! Where the artifacts of a repository are: a registry or a directory in its layout.

use std::fmt::Debug;
use std::io::Read;

use agpm_model::Revision;

use super::manifest::Descriptor;
use crate::SourceError;

/// Content by digest, and the names of versions. What it returns is not checked yet.
pub(crate) trait ContentStore: Debug + Send + Sync {
    /// Returns the URL or path without secrets, which also names the copy in the cache.
    fn label(&self) -> &str;

    /// Returns all tags.
    fn tags(&self) -> Result<Vec<String>, SourceError>;

    /// Returns the digest of a tag.
    fn digest_of(&self, tag: &str) -> Result<Revision, SourceError>;

    /// Returns the document with a digest.
    fn manifest(&self, digest: &Revision) -> Result<Vec<u8>, SourceError>;

    /// Calls `receive` with the content of a blob.
    fn blob(
        &self,
        blob: &Descriptor,
        receive: &mut dyn FnMut(&mut dyn Read) -> Result<(), SourceError>,
    ) -> Result<(), SourceError>;

    /// Returns the store of another repository next to this one, for references.
    fn sibling(&self, reference: &str) -> Option<Box<dyn ContentStore>>;

    /// Returns whether a connection is needed and none may be opened.
    fn is_out_of_reach(&self) -> bool;

    /// Returns the repositories whose names start with the one of this store; `None` without a list.
    fn repositories(&self) -> Result<Option<Vec<String>>, SourceError> {
        Ok(None)
    }
}
