//! Hooks, in the forms of all tools.

use agpm_text::{Pointer, Value};
use agpm_tools::{HOOK_KEYS, hook_formats};

use agpm_model::ResourceType;

use super::keys::KeyPlace;
use super::{CapabilityReader, CapabilityReading};

/// The capabilities of a hook resource: one hook, or a file of them.
pub fn read_hooks(value: &Value) -> CapabilityReading {
    let mut reader = CapabilityReader::new(Some(ResourceType::Hooks));
    reader.hooks(value, None, &Pointer::root());
    reader.finish()
}

impl CapabilityReader {
    /// Reads one hook, a list of them, or an object of lists by event.
    pub(super) fn hooks(&mut self, value: &Value, event: Option<&str>, at: &Pointer) {
        match value {
            Value::List(items) => {
                for (number, item) in items.iter().enumerate() {
                    self.hooks(item, event, &at.child(number.to_string()));
                }
            }
            Value::Map(entries) => {
                let named = named_events(entries);
                let event = named.as_deref().or(event);
                for (key, inner) in entries {
                    self.hook_key(key, inner, entries, event, &at.child(key));
                }
            }
            // A tool may take a command itself where a hook is expected.
            Value::String(command) => self.runs(command, event, at),
            Value::Null => {}
            other => self.unknown(other, at),
        }
    }

    fn hook_key(
        &mut self,
        key: &str,
        inner: &Value,
        siblings: &[(String, Value)],
        event: Option<&str>,
        at: &Pointer,
    ) {
        let effect = HOOK_KEYS.iter().find(|row| row.path == key);
        match (effect.map(|row| row.effect), inner) {
            (Some(effect), _) => {
                let place = KeyPlace {
                    siblings,
                    at,
                    event,
                    server: None,
                };
                self.apply(effect, inner, &place);
            }
            (None, Value::List(_)) if key != "hooks" => {
                self.hooks(inner, Some(&reference_event(key)), at);
            }
            (None, Value::List(_) | Value::Map(_)) => self.hooks(inner, event, at),
            (None, Value::Null) => {}
            (None, other) => self.unknown(other, at),
        }
    }
}

/// The events that a hook names itself.
fn named_events(entries: &[(String, Value)]) -> Option<String> {
    let named = entries
        .iter()
        .find(|(key, _)| matches!(key.as_str(), "event" | "events"))?;
    let events: Vec<String> = match &named.1 {
        Value::List(events) => {
            let events = events.iter().filter_map(Value::as_str);
            events.map(reference_event).collect()
        }
        event => vec![reference_event(event.as_str()?)],
    };
    Some(events.join(", ")).filter(|text| !text.is_empty())
}

/// The reference's name of an event.
fn reference_event(event: &str) -> String {
    let of_format = |format: &agpm_tools::HookFormat| {
        let known = format.events.iter().find(|one| one.name == event);
        let spelled = format.spellings.iter().find(|(own, _)| *own == event);
        known
            .map(|one| one.reference)
            .or(spelled.map(|(_, reference)| *reference))
    };
    let reference = hook_formats().find_map(of_format);
    reference.unwrap_or(event).to_owned()
}
