//! Personas: which documents make one up, where they are, how they merge, and what a merged one reads like.
//!
//! Sees files through [`agpm_model::MachineFiles`] and a repository through [`History`], and touches neither.

mod archive;
mod document;
mod findings;
mod kind;
mod levels;
mod library;
mod lint;
mod markdown;
mod merging;
mod policy;
mod profile;
mod projections;
mod reading;
mod schema;

pub use archive::History;
pub use document::{Parent, PersonaDocument, Unfit, read_document};
pub use kind::{DocumentName, PersonaKind, Slug};
pub use levels::{Level, LevelSearch, Levels, repository_of};
pub use library::Library;
pub use markdown::markdown;
pub use merging::{FoundPersona, MergedPersona};
pub use policy::policy;
pub use profile::{Addition, PersonaRow, PersonasReport, ProfileKinds, ProfileReport};
pub use projections::projections;
pub use schema::PERSONA_SCHEMA;
