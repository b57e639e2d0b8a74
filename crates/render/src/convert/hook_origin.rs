//! Recognizes the tool that a hook file was written for, and converts its hooks to the reference.

use agpm_text::{NodeShape, TreeView, Value};
use agpm_tools::{HookFormat, HookShape, KeyChange, hook_formats};

use super::events::{is_own, reference_event};
use super::hook_file::Registered;
use super::outcome::{ConvertError, FieldOutcomeKind, FieldOutcomes};
use super::parts::{entries, is_map, items};
use super::tool_names::{is_reference_name, reference_names};

/// The format of a hook file, by the shape of its lists, then by events and keys that only one tool has; `None` is the
/// reference's, which others share.
pub(super) fn origin_of(registered: &[Registered]) -> Option<&'static HookFormat> {
    let is_group = |(_, item): &Registered| item.get("hooks").is_some();
    if registered.is_empty() {
        return None;
    }
    if registered.iter().any(is_group) {
        return formats(HookShape::Groups)
            .find(|format| has_event(registered, format, is_own))
            .or_else(|| {
                formats(HookShape::Groups).find(|format| has_own_names(registered, format))
            });
    }
    let has_own_key = |format: &&HookFormat| has_key(registered, format.own_keys);
    // Of several tools with own events in one file, the last in the table.
    formats(HookShape::Flat)
        .find(has_own_key)
        .or_else(|| {
            formats(HookShape::Flat).rfind(|format| has_event(registered, format, is_only_in))
        })
        .or_else(|| formats(HookShape::Flat).find(|format| has_event(registered, format, is_own)))
        .or_else(|| formats(HookShape::Flat).find(reads_reference_events))
}

fn formats(shape: HookShape) -> impl DoubleEndedIterator<Item = &'static HookFormat> {
    hook_formats().filter(move |format| format.shape == shape)
}

fn has_event(
    registered: &[Registered],
    format: &HookFormat,
    is_known: fn(&HookFormat, &str) -> bool,
) -> bool {
    registered.iter().any(|(event, _)| is_known(format, event))
}

/// Whether a matcher uses only this tool's names.
fn has_own_names(registered: &[Registered], format: &'static HookFormat) -> bool {
    let matchers = registered
        .iter()
        .filter_map(|(_, item)| item.get("matcher")?.as_str());
    let names: Vec<&str> = matchers
        .filter(|text| !is_everything(text))
        .flat_map(matcher_names)
        .collect();
    let is_known = |name: &&str| reference_names(name, format.tool_names).is_some();
    let is_own = |name: &&str| !is_reference_name(name);
    names.iter().all(is_known) && names.iter().any(is_own)
}

fn has_key(registered: &[Registered], keys: &[&str]) -> bool {
    let mut items = registered.iter().map(|(_, item)| item);
    items.any(|item| keys.iter().any(|key| item.get(key).is_some()))
}

/// Whether an event belongs to this tool, and to no other of the same shape.
fn is_only_in(format: &HookFormat, event: &str) -> bool {
    let mut owners = formats(format.shape).filter(|other| is_own(other, event));
    is_own(format, event) && owners.all(|other| std::ptr::eq(other, format))
}

fn reads_reference_events(format: &&'static HookFormat) -> bool {
    let mut events = format.events.iter();
    events.any(|event| event.name == event.reference)
}

/// The hooks in the reference's format. A hook is lost if its event or matcher has no counterpart.
pub(super) fn to_reference(
    origin: &'static HookFormat,
    registered: &[Registered],
    outcomes: &mut FieldOutcomes,
) -> Result<Vec<Registered>, ConvertError> {
    let mut out = Vec::new();
    for (event, item) in registered {
        let Some(reference) = reference_event(origin, event) else {
            let title = origin.title;
            let note = format!("an event of {title} without a counterpart: the hook does not run");
            outcomes.add(event, FieldOutcomeKind::Dropped, note);
            continue;
        };
        let written = item.get("matcher").and_then(Value::as_str);
        let matcher = written.map(|text| reference_matcher(text, origin));
        if matcher == Some(None) {
            let title = origin.title;
            let note = format!("tools of {title} without a counterpart: the hook does not run");
            outcomes.add(format!("{event}.matcher"), FieldOutcomeKind::Dropped, note);
            continue;
        }
        let hooks = item.get("hooks").map_or(std::slice::from_ref(item), items);
        let hooks: Result<Vec<Value>, ConvertError> = hooks
            .iter()
            .map(|hook| reference_hook(origin, event, hook))
            .collect();
        let matcher = matcher.flatten();
        let matcher = matcher.map(|matcher| ("matcher".to_owned(), Value::from(matcher)));
        let hooks = ("hooks".to_owned(), Value::List(hooks?));
        let group = Value::Map(matcher.into_iter().chain([hooks]).collect());
        out.push((reference.to_owned(), group));
    }
    Ok(out)
}

/// One hook with the reference's keys.
fn reference_hook(origin: &HookFormat, event: &str, hook: &Value) -> Result<Value, ConvertError> {
    let kind = hook
        .get("type")
        .and_then(Value::as_str)
        .unwrap_or("command");
    let mut names = origin.keys.iter().filter(|key| key.reference == "command");
    let command = hook
        .get("command")
        .or_else(|| names.find_map(|key| hook.get(key.name)))
        .filter(|line| line.as_str().is_some());
    if !is_map(hook) || kind == "command" && command.is_none() {
        let message = format!("a hook of `{event}` has no `command`");
        return Err(ConvertError::new(
            message,
            "write `{\"type\": \"command\", \"command\": \"./check.sh\"}`",
        ));
    }
    let mut out = vec![("type".to_owned(), Value::from(kind))];
    out.extend(command.map(|command| ("command".to_owned(), command.clone())));
    for (key, value) in entries(hook) {
        let key_rule = origin.keys.iter().find(|key_rule| key_rule.name == key);
        let reference = key_rule.map_or(key.as_str(), |key_rule| key_rule.reference);
        let value = match key_rule.map(|key_rule| key_rule.change) {
            Some(KeyChange::Milliseconds) => seconds(value),
            _ => Some(value.clone()),
        };
        if !matches!(reference, "type" | "command" | "matcher") {
            out.extend(value.map(|value| (reference.to_owned(), value)));
        }
    }
    Ok(Value::Map(out))
}

/// Milliseconds as whole seconds, rounded up.
fn seconds(value: &Value) -> Option<Value> {
    match value.shape() {
        NodeShape::Integer(text) => text
            .parse::<u64>()
            .ok()
            .map(|time| Value::from(time.div_ceil(1000) as usize)),
        _ => None,
    }
}

/// A matcher with the reference's names; `None` if a part of it has no tool of the reference.
fn reference_matcher(text: &str, origin: &'static HookFormat) -> Option<String> {
    if is_everything(text) {
        return Some("*".to_owned());
    }
    let mut out: Vec<String> = Vec::new();
    for name in matcher_names(text) {
        for reference in reference_names(name, origin.tool_names)? {
            if !out.iter().any(|existing| existing == reference) {
                out.push(reference.to_owned());
            }
        }
    }
    Some(out.join("|"))
}

fn is_everything(matcher: &str) -> bool {
    matches!(matcher.trim(), "" | "*" | ".*")
}

/// The names that a matcher lists, with or without anchors.
fn matcher_names(text: &str) -> impl Iterator<Item = &str> {
    let plain = text
        .trim()
        .trim_start_matches('^')
        .trim_end_matches('$')
        .trim_start_matches('(')
        .trim_end_matches(')');
    plain.split('|').map(str::trim)
}
