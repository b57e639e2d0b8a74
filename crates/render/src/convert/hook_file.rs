//! Reads hook files as authors write them.

use agpm_text::Value;
use agpm_tools::{HookFormat, HookShape, hook_formats};

use super::outcome::{ConvertError, FieldOutcomeKind, FieldOutcomes};
use super::parts::{METADATA, entries, is_map, items, without};

/// An event and a group of its list, in the reference's format.
pub(super) type Registered = (String, Value);

/// The items of a hook file by event, in any supported format.
pub(super) fn read(
    name: &str,
    hook: &Value,
    outcomes: &mut FieldOutcomes,
) -> Result<Vec<Registered>, ConvertError> {
    match (hook.get("hooks"), hook.get("events")) {
        _ if !is_map(hook) => Err(ConvertError::new(
            format!("the hook `{name}` is not an object"),
            "write `{\"events\": […], \"command\": …}`",
        )),
        (Some(_), Some(_)) => Err(ConvertError::new(
            format!("the hook `{name}` has both `events` and `hooks`"),
            "keep `hooks` for Claude Code settings, or `events` with `command` for one hook",
        )),
        (Some(_), None) if hook.get("enabled") == Some(&Value::Bool(false)) => Ok(Vec::new()),
        (Some(hooks), None) => {
            for (key, _) in entries(hook)
                .iter()
                // The version is that of the format, which each tool has its own of.
                .filter(|(key, _)| !matches!(key.as_str(), "hooks" | "enabled" | "version"))
            {
                if !METADATA.contains(&key.as_str()) {
                    outcomes.add(
                        key,
                        FieldOutcomeKind::Dropped,
                        "only `hooks` of a settings file are used",
                    );
                }
            }
            read_settings(name, hooks)
        }
        (None, None) if named_format(hook).is_some() => read_named(name, hook),
        (None, events) => read_simple(name, hook, events),
    }
}

/// The format of a file with named hooks, recognized by an event under one of the names.
pub(super) fn named_format(hook: &Value) -> Option<&'static HookFormat> {
    let is_event = |format: &HookFormat, event: &str| {
        let mut event_name = format.events.iter();
        event_name.any(|event_name| event_name.name == event) || format.own_events.contains(&event)
    };
    let has_event = |format: &&HookFormat, events: &Value| {
        let mut lists = entries(events).iter();
        lists.any(|(event, list)| matches!(list, Value::List(_)) && is_event(format, event))
    };
    let holds_lists = |key: &str| matches!(key, "hooks" | "events");
    if !is_map(hook) || entries(hook).iter().any(|(key, _)| holds_lists(key)) {
        return None;
    }
    let mut formats = hook_formats().filter(|format| format.shape == HookShape::Named);
    formats.find(|format| {
        let mut named = entries(hook).iter().filter(|(_, events)| is_map(events));
        named.any(|(_, events)| has_event(format, events))
    })
}

/// `{NAME: {Event: [item, …], enabled?}}`.
fn read_named(name: &str, hook: &Value) -> Result<Vec<Registered>, ConvertError> {
    let mut found = Vec::new();
    for (_, named_hook) in entries(hook)
        .iter()
        .filter(|(_, named_hook)| is_map(named_hook))
    {
        if named_hook.get("enabled") != Some(&Value::Bool(false)) {
            found.extend(read_settings(name, &without(named_hook, &["enabled"]))?);
        }
    }
    Ok(found)
}

/// `{hooks: {Event: [group, …]}}`.
fn read_settings(name: &str, hooks: &Value) -> Result<Vec<Registered>, ConvertError> {
    let wrong = |problem: String| {
        let help = "write `\"hooks\": {\"PreToolUse\": [{\"matcher\": \"Bash\", \"hooks\": [{\"type\": \"command\", …}]}]}`";
        ConvertError::new(format!("the hook `{name}`: {problem}"), help)
    };
    if !is_map(hooks) {
        return Err(wrong("`hooks` is not an object of events".to_owned()));
    }
    let mut found = Vec::new();
    for (event, groups) in entries(hooks) {
        if !matches!(groups, Value::List(_)) {
            return Err(wrong(format!("`{event}` is not a list")));
        }
        for group in items(groups) {
            if !is_map(group) {
                return Err(wrong(format!("an item of `{event}` is not an object")));
            }
            found.push((event.clone(), group.clone()));
        }
    }
    Ok(found)
}

/// `{events: […], matcher?, type, command, timeout?}`.
fn read_simple(
    name: &str,
    hook: &Value,
    events: Option<&Value>,
) -> Result<Vec<Registered>, ConvertError> {
    let wrong = |problem: &str, help| {
        Err(ConvertError::new(
            format!("the hook `{name}` {problem}"),
            help,
        ))
    };
    let Some(events) = events else {
        return wrong(
            "has no `events`",
            "add them, as in `\"events\": [\"PreToolUse\"]`",
        );
    };
    let named: Option<Vec<&str>> = match events {
        Value::List(items) => items.iter().map(Value::as_str).collect(),
        _ => None,
    };
    let Some(mut named) = named.filter(|events| events.iter().all(|event| !event.is_empty()))
    else {
        return wrong(
            "has `events` that are not a list of names",
            "write `\"events\": [\"PreToolUse\"]`",
        );
    };
    if named.is_empty() {
        return wrong(
            "has no event in `events`",
            "name one, as in `\"events\": [\"PreToolUse\"]`",
        );
    }
    let kind = hook.get("type").map_or(Some("command"), Value::as_str);
    let command = hook
        .get("command")
        .and_then(Value::as_str)
        .filter(|command| !command.is_empty());
    match (kind, command, hook.get("matcher"), hook.get("enabled")) {
        (None, ..) => {
            return wrong(
                "has a `type` that is not a string",
                "write `\"type\": \"command\"`",
            );
        }
        (Some("command"), None, ..) => {
            return wrong(
                "has no `command`",
                "add the command line, as in `\"command\": \"./check.sh\"`",
            );
        }
        (_, _, Some(matcher), _) if matcher.as_str().is_none() => {
            return wrong(
                "has a `matcher` that is not a string",
                "write `\"matcher\": \"Bash\"`, or leave it out",
            );
        }
        (_, _, _, Some(Value::Bool(false))) => return Ok(Vec::new()),
        (_, _, _, Some(enabled)) if !matches!(enabled, Value::Bool(_)) => {
            return wrong(
                "has an `enabled` that is neither true nor false",
                "write `\"enabled\": false`",
            );
        }
        _ => {}
    }
    let group = simple_group(hook, kind.unwrap_or("command"));
    let mut seen = Vec::new();
    named.retain(|event| {
        !seen.contains(event) && {
            seen.push(event);
            true
        }
    });
    Ok(named
        .into_iter()
        .map(|event| (event.to_owned(), group.clone()))
        .collect())
}

/// The group for a hook in the simple format.
fn simple_group(hook: &Value, kind: &str) -> Value {
    let mut handler = vec![("type".to_owned(), Value::from(kind))];
    for key in ["command", "timeout"] {
        handler.extend(hook.get(key).map(|value| (key.to_owned(), value.clone())));
    }
    let taken = [
        "events",
        "matcher",
        "enabled",
        "type",
        "command",
        "timeout",
        METADATA[0],
        METADATA[1],
    ];
    handler.extend(entries(&without(hook, &taken)).iter().cloned());
    let matcher = hook
        .get("matcher")
        .map(|matcher| ("matcher".to_owned(), matcher.clone()));
    let hooks = ("hooks".to_owned(), Value::List(vec![Value::Map(handler)]));
    Value::Map(matcher.into_iter().chain([hooks]).collect())
}
