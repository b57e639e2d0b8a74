//! Fields of commands that have no place in another format.

use agpm_tools::REFERENCE_TOOL;

use super::outcome::{FieldOutcomeKind, FieldOutcomes};

pub(super) fn leave_out(key: &str, fates: &mut FieldOutcomes) {
    let name_of_reference = format!("a name of {}'s", REFERENCE_TOOL.title);
    let (kind, note) = match key {
        "allowed-tools" => (
            FieldOutcomeKind::Dropped,
            "it grants; without it the tool asks",
        ),
        "disallowed-tools" | "disallowedTools" | "hooks" => (
            FieldOutcomeKind::Widened,
            "it holds something back, and has no place there",
        ),
        "model" => (FieldOutcomeKind::Dropped, name_of_reference.as_str()),
        "name" => (
            FieldOutcomeKind::Dropped,
            "the name of the file counts there",
        ),
        _ => (FieldOutcomeKind::Dropped, "it has no place there"),
    };
    fates.add(key, kind, note);
}
