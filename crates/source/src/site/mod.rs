//! Static sites with skills as sources: an index at a well-known path of a web server, and a file or archive for each
//! skill.
//!
//! A site has no versions, only its current index, which is the branch `latest`. The index is the revision, so a later
//! one is found by `update`. The cache keeps indexes, files and archives by digest, next to those of registries.

mod index;
mod publish;
mod source;

pub use publish::{SiteWriting, WrittenSite, write_site};
pub(crate) use source::SiteSource;
