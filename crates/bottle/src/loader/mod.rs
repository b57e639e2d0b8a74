//! Reads raw units from one JSON object or from directories of Markdown files. No other module accesses files.

mod directories;
mod json;

use agpm_diag::{Diagnostic, Severity, SourceMap, codes};

pub(crate) use directories::load as from_directories;
pub(crate) use json::load as from_json;

use crate::unit::{BottleUnit, UnitState};

/// The units that were found, and the errors.
#[derive(Debug, Default)]
pub(crate) struct LoadedUnits {
    pub(crate) sources: SourceMap,
    pub(crate) units: Vec<BottleUnit>,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

/// Returns whether a unit can be checked further. After a duplicate key the rest is still valid; after other errors
/// parts may be missing.
fn state(found: &[Diagnostic]) -> UnitState {
    let torn = |found: &Diagnostic| {
        found.severity == Severity::Error && *found.code != codes::TEXT_DUPLICATE_KEY
    };
    if found.iter().any(torn) {
        UnitState::Broken
    } else {
        UnitState::Whole
    }
}
