//! Personas: one out of the documents of many levels.

mod archive;
mod levels;
mod library;
mod lint;
mod list;
mod profile;
mod reading;
mod telling;

pub use levels::{LineagePlace, Submodules};
pub use list::{PersonaRow, PersonasReport, personas};
pub use profile::{Addition, ProfileKinds, ProfileReport, ProfileRequest, profile};

pub(crate) use library::{Library, Sought};
pub(crate) use lint::{PersonaRules, lint_personas};
pub(crate) use profile::{no_such_kind, nobody, run, unreadable};
