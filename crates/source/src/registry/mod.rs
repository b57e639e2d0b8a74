//! OCI registries and image layouts as sources: a repository there is to agpm what a git repository is. A tag is a
//! version, the digest of the manifest is the revision, and the content is a tree of files.
//!
//! It knows artifacts and archives, not the meaning of files. The cache keeps, in `<cache>/content/`:
//!
//! | path | content | module |
//! |---|---|---|
//! | `blobs/DIGITS` | manifests, configurations and layers by digest, for all repositories | `cache` |
//! | `lists/DIGITS` | the files of a layer, with their checksums | `cache` |
//! | `sources/DIGITS/info.txt`, `tags.json` | the URL of a repository, and its tags as last listed | `cache` |
//! | `sources/DIGITS/trees/` | the files of a revision, or of one of its directories, written out | `checkout` |
//! | `sources/DIGITS/last/` | the revision that was last written out for a tag and a directory | `cache` |

mod artifact;
mod cache;
mod client;
mod content;
mod dialect;
mod layout;
mod library;
mod manifest;
mod pack;
mod publish;
mod source;
mod versions;

pub(crate) use cache::{BlobCache, CONTENT_DIRECTORY, RepositoryCache, TagRecord};
pub(crate) use client::{ClientSettings, RegistryClient};
pub(crate) use layout::{LayoutStore, is_layout};
pub use library::LibrarySource;
pub use pack::{
    PackedArtifact, PublishedFile, PublishedLibrary, PublishedResource, pack_library, pack_skill,
};
pub(crate) use pack::{files_of_skill, pack_files};
pub use publish::{ArtifactTarget, Overwriting, PublishOutcome, is_valid_tag};
pub(crate) use source::ArtifactSource;
