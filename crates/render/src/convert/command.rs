//! Fields of commands without an equivalent in another format.

use agpm_tools::REFERENCE_TOOL;

use super::outcome::{FieldOutcomeKind, FieldOutcomes};

pub(super) fn leave_out(key: &str, outcomes: &mut FieldOutcomes) {
    let name_of_reference = format!("a {}-specific name", REFERENCE_TOOL.title);
    let (kind, note) = match key {
        "allowed-tools" => (
            FieldOutcomeKind::Dropped,
            "it grants permissions; without it the tool asks",
        ),
        "disallowed-tools" | "disallowedTools" | "hooks" => (
            FieldOutcomeKind::Widened,
            "it restricts something, and the tool does not support it",
        ),
        "model" => (FieldOutcomeKind::Dropped, name_of_reference.as_str()),
        "name" => (FieldOutcomeKind::Dropped, "the tool uses the file name"),
        _ => (FieldOutcomeKind::Dropped, "the tool does not support it"),
    };
    outcomes.add(key, kind, note);
}
