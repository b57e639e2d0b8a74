//! Questions about what tools may do, where somebody can answer them.

use agpm_ops::CapabilityChange;

use crate::terminal::{can_ask, confirm};

/// How increases are approved in this run; nothing where nobody can answer.
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
