//! Events of hooks, of the reference and of other tools.

use agpm_tools::{HookEvent, HookFormat, REFERENCE_EVENTS};

/// The event of a format for an event of the reference, if any.
pub(super) fn event_in(format: &'static HookFormat, event: &str) -> Option<&'static HookEvent> {
    format
        .events
        .iter()
        .find(|event_name| event_name.reference == event)
}

/// Whether an event belongs to the tool and not to the reference.
pub(super) fn is_own(format: &HookFormat, event: &str) -> bool {
    !REFERENCE_EVENTS.contains(&event)
        && (format
            .events
            .iter()
            .any(|event_name| event_name.name == event)
            || format.own_events.contains(&event)
            || format
                .spellings
                .iter()
                .any(|(spelling, _)| *spelling == event))
}

/// The reference's event for one of a tool.
pub(super) fn reference_event(format: &HookFormat, event: &str) -> Option<&'static str> {
    let spelled = format
        .spellings
        .iter()
        .find(|(spelling, _)| *spelling == event);
    let event_name = format
        .events
        .iter()
        .find(|event_name| event_name.name == event);
    let same = REFERENCE_EVENTS
        .iter()
        .find(|event_name| **event_name == event);
    spelled
        .map(|(_, reference)| *reference)
        .or(event_name.map(|event_name| event_name.reference))
        .or(same.copied())
}
