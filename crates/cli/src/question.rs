//! Asks for approval of capabilities on a terminal.

use agpm_trust::CapabilityChange;

use crate::terminal::{can_ask, confirm};

/// Returns how increases are approved in this run; `None` if nobody can answer.
pub(crate) fn confirmation() -> Option<fn(&[CapabilityChange]) -> bool> {
    can_ask().then_some(are_approved as fn(&[CapabilityChange]) -> bool)
}

fn are_approved(changes: &[CapabilityChange]) -> bool {
    let lines: String = changes
        .iter()
        .map(|change| format!("{}\n", agpm_report::capabilities::line(change)))
        .collect();
    confirm(&format!("{lines}Let your tools do this?")) == Some(true)
}
