//! Personas: which documents make one up, how they merge, and what a merged one reads like.
//!
//! Knows the shape of the documents and nothing of files: where they lie and who inherits whom is for the caller.

mod archive;
mod document;
mod kind;
mod lint;
mod markdown;
mod policy;
mod projections;

pub use archive::{ARCHIVE, Archive, is_archived, is_live_document};
pub use document::{Parent, PersonaDocument, Unfit, read_document};
pub use kind::{DocumentName, PersonaKind, Slug};
pub use lint::{Active, is_active, near_duplicates};
pub use markdown::markdown;
pub use policy::policy;
pub use projections::projections;
