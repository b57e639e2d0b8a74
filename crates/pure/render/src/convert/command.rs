//! Fields of commands that have no place in another format.

use agpm_tools::REFERENCE_TOOL;

use super::outcome::{FateKind, Fates};

pub(super) fn leave_out(key: &str, fates: &mut Fates) {
    let name_of_reference = format!("a name of {}'s", REFERENCE_TOOL.title);
    let (kind, note) = match key {
        "allowed-tools" => (FateKind::Dropped, "it grants; without it the tool asks"),
        "disallowed-tools" | "disallowedTools" | "hooks" => (
            FateKind::Widened,
            "it holds something back, and has no place there",
        ),
        "model" => (FateKind::Dropped, name_of_reference.as_str()),
        "name" => (FateKind::Dropped, "the name of the file counts there"),
        _ => (FateKind::Dropped, "it has no place there"),
    };
    fates.add(key, kind, note);
}
