//! Personas: their documents, and how these are found, merged and printed.
//!
//! Accesses files through [`agpm_model::MachineFiles`] and a repository through [`CommitHistory`] only.

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

pub use archive::CommitHistory;
pub use document::{ParentReference, PersonaDocument, UnusableDocument, read_document};
pub use kind::{DocumentName, PersonaKind, PersonaSlug};
pub use levels::{LevelSearch, PersonaLevel, PersonaLevels, repository_of};
pub use library::PersonaLibrary;
pub use markdown::markdown;
pub use merging::{FoundPersona, MergedPersona};
pub use policy::policy;
pub use profile::{PersonaRow, PersonasReport, ProfileAddition, ProfileKinds, ProfileReport};
pub use projections::projections;
pub use schema::PERSONA_SCHEMA;
