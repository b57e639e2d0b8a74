//! Events of hooks: the reference's and a tool's own.

use agpm_tools::{HookEvent, HookFormat, REFERENCE_EVENTS};

/// The event of a format for an event of the reference, if any.
pub(super) fn event_in(format: &'static HookFormat, event: &str) -> Option<&'static HookEvent> {
    format.events.iter().find(|known| known.reference == event)
}

/// Whether an event is the tool's own and not the reference's.
pub(super) fn is_own(format: &HookFormat, event: &str) -> bool {
    !REFERENCE_EVENTS.contains(&event)
        && (format.events.iter().any(|known| known.name == event)
            || format.own_events.contains(&event)
            || format.spellings.iter().any(|(own, _)| *own == event))
}

/// The reference's event for one of a tool, if there is one.
pub(super) fn reference_event(format: &HookFormat, event: &str) -> Option<&'static str> {
    let spelled = format.spellings.iter().find(|(own, _)| *own == event);
    let known = format.events.iter().find(|known| known.name == event);
    let same = REFERENCE_EVENTS.iter().find(|known| **known == event);
    spelled
        .map(|(_, reference)| *reference)
        .or(known.map(|known| known.reference))
        .or(same.copied())
}
