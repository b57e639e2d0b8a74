//! Questions about what tools may do, where somebody can answer them.

use agpm_ops::CapabilityChange;

use crate::terminal::{can_ask, confirm};

/// How increases are approved in this run.
pub(crate) fn confirm_for(json: bool) -> Option<fn(&[CapabilityChange]) -> bool> {
    (!json && can_ask()).then_some(are_approved as fn(&[CapabilityChange]) -> bool)
}

fn are_approved(changes: &[CapabilityChange]) -> bool {
    let lines: String = changes
        .iter()
        .map(|change| format!("{}\n", agpm_report::capabilities::line(change)))
        .collect();
    confirm(&format!("{lines}Let your tools do this?")) == Some(true)
}
