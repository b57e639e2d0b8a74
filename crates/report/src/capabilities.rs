//! Changes in the capabilities of a resource or a layer.

use agpm_diag::visible;
use agpm_trust::CapabilityChange;
use agpm_trust::{CapabilityIncrease, CapabilityName};

use crate::one_line;

/// The change in one line: `skills/pdf  + runs scripts/fill.sh  ~ tools Read -> Read, Bash(*)`.
pub fn line(change: &CapabilityChange) -> String {
    let mut words = vec![change.id.to_string()];
    words.extend(difference(change));
    one_line(&words.join("  "))
}

/// Added, removed and replaced capabilities.
pub(crate) fn difference(change: &CapabilityChange) -> Vec<String> {
    let tools = change.tools();
    let is_listed = |increase: &&CapabilityIncrease| {
        increase.capability != CapabilityName::Tools || tools.is_none()
    };
    let signed = |sign: &str, increase: &CapabilityIncrease| {
        format!("{sign} {}", visible(&increase.to_string()))
    };
    let more = change.increase.iter().filter(is_listed);
    let mut words: Vec<String> = more.map(|increase| signed("+", increase)).collect();
    let decrease = change.decrease();
    let less = decrease.iter().filter(is_listed);
    words.extend(less.map(|increase| signed("-", increase)));
    if let Some((before, after)) = &tools {
        words.push(format!("~ tools {} -> {}", visible(before), visible(after)));
    }
    words
}
