//! Raw units out of one JSON object or out of directories of Markdown files. Nothing else here touches files.

mod directories;
mod json;

use agpm_diag::{Diagnostic, Severity, SourceMap, codes};

pub(crate) use directories::load as from_directories;
pub(crate) use json::load as from_json;

use crate::unit::{BottleUnit, UnitState};

/// The units that were found, and the mistakes.
#[derive(Debug, Default)]
pub(crate) struct LoadedUnits {
    pub(crate) sources: SourceMap,
    pub(crate) units: Vec<BottleUnit>,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

/// Whether a unit can be looked into. With a key that exists twice all else can be understood; after other mistakes
/// nobody knows what is missing.
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
