//! Converts hook files to the lists of events that tools read.

use agpm_model::{EntryNode, NodeLocation};
use agpm_text::{Format, Pointer, TreeView, Value};
use agpm_tools::{
    HookEvent, HookFormat, HookShape, KeyChange, MatcherRule, REFERENCE_TOOL, REFERENCE_VARIABLES,
    ReferenceVariables,
};

use super::events::event_in;
use super::hook_environment::fit_environment;
use super::hook_file::{Registered, named_format, read};
use super::hook_origin::{origin_of, to_reference};
use super::matcher::{MatcherTarget, carry};
use super::outcome::{
    ConvertError, ConvertedEntries, ConvertedFile, FieldOutcomeKind, FieldOutcomes,
};
use super::parts::{METADATA, entries, items, without};
use super::plain_text::{document, printed};
use super::plugin;

/// Entries of a tool's hook configuration for one hook file.
pub fn hook_entries(
    format: &'static HookFormat,
    name: &str,
    hook: &Value,
) -> Result<ConvertedEntries, ConvertError> {
    let mut outcomes = FieldOutcomes::default();
    let items = convert(format, name, hook, &mut outcomes)?;
    // A guard that cannot be expressed must not disappear silently: the user would believe it is active.
    if items.is_empty() && !is_disabled(hook) {
        return Err(empty_hook_error(name, &outcomes));
    }
    let root = Pointer::root();
    let version = format.version.filter(|_| !items.is_empty());
    let version = version.map(|version| EntryNode {
        // The tool needs the key, but the user may have set another version. As a default it is written only where
        // none exists.
        location: NodeLocation::Default(root.child("version")),
        value: Value::from(version),
    });
    let node = |(event, value)| EntryNode {
        location: NodeLocation::Item(root.child(list_key(format.shape)).child(event)),
        value,
    };
    let nodes = version
        .into_iter()
        .chain(items.into_iter().map(node))
        .collect();
    Ok(ConvertedEntries {
        nodes,
        outcomes: outcomes.sorted(),
    })
}

/// The key of event lists. In formats with named hooks, all of agpm's share one name.
fn list_key(shape: HookShape) -> &'static str {
    match shape {
        HookShape::Named => "agpm",
        HookShape::Reference | HookShape::Groups | HookShape::Flat => "hooks",
    }
}

/// A tool's own file for a hook file.
pub(super) fn to_file(
    format: &'static HookFormat,
    name: &str,
    text: &str,
) -> Result<ConvertedFile, ConvertError> {
    let document = document(text, Format::Jsonc)?;
    let hook = document.root().map_or(Value::Null, agpm_text::to_value);
    let mut outcomes = FieldOutcomes::default();
    if is_native(format, name, &hook) {
        plugin::refuse_variables("hook", name, &hook)?;
        let cleaned = without(&hook, &METADATA);
        // The author's bytes with comments, unless agpm's metadata has to be removed.
        let output = if cleaned == hook {
            text.to_owned()
        } else {
            printed(&cleaned, Format::Json)?
        };
        return Ok(ConvertedFile {
            text: output,
            outcomes: Vec::new(),
        });
    }
    let mut events: Vec<(String, Value)> = Vec::new();
    for (event, item) in convert(format, name, &hook, &mut outcomes)? {
        match events.iter_mut().find(|(existing, _)| *existing == event) {
            Some((_, Value::List(items))) => items.push(item),
            _ => events.push((event, Value::List(vec![item]))),
        }
    }
    if events.is_empty() && !is_disabled(&hook) {
        return Err(empty_hook_error(name, &outcomes));
    }
    let version = format
        .version
        .map(|version| ("version", Value::from(version)));
    let file = Value::map(version.into_iter().chain([("hooks", Value::Map(events))]));
    Ok(ConvertedFile {
        text: printed(&file, Format::Json)?,
        outcomes: outcomes.sorted(),
    })
}

/// Whether a file is already in the tool's format: it has a version, and hooks that the tool reads.
fn is_native(format: &'static HookFormat, name: &str, hook: &Value) -> bool {
    let registered = read(name, hook, &mut FieldOutcomes::default()).unwrap_or_default();
    let has_version = hook.get("version").is_some() || format.version.is_none();
    has_version && origin_of(&registered).is_some_and(|origin| std::ptr::eq(origin, format))
}

fn is_disabled(hook: &Value) -> bool {
    hook.get("enabled") == Some(&Value::Bool(false))
}

/// A hook that cannot be converted at all is an error.
fn empty_hook_error(name: &str, outcomes: &FieldOutcomes) -> ConvertError {
    let lost = outcomes.0.iter().filter(|outcome| {
        matches!(
            outcome.kind,
            FieldOutcomeKind::Dropped | FieldOutcomeKind::Widened
        )
    });
    let mut reasons: Vec<String> = lost
        .map(|outcome| format!("`{}`: {}", outcome.field, outcome.note))
        .collect();
    reasons.sort();
    reasons.dedup();
    let reasons = if reasons.is_empty() {
        "it has no hooks".to_owned()
    } else {
        reasons.join("; ")
    };
    let help = "choose another `tool` for it, or remove the entry from the manifest";
    ConvertError::new(
        format!("the tool cannot run the hook `{name}`: {reasons}"),
        help,
    )
}

/// The items of the tool's lists, by event.
fn convert(
    format: &'static HookFormat,
    name: &str,
    hook: &Value,
    outcomes: &mut FieldOutcomes,
) -> Result<Vec<Registered>, ConvertError> {
    plugin::refuse_variables("hook", name, hook)?;
    let registered = read(name, hook, outcomes)?;
    let origin = named_format(hook).or_else(|| origin_of(&registered));
    let groups = match origin {
        Some(origin) if std::ptr::eq(origin, format) => {
            registered
                .iter()
                .for_each(|(event, _)| outcomes.exact(event));
            return Ok(registered);
        }
        Some(origin) => to_reference(origin, &registered, outcomes)?,
        None => registered,
    };
    let mut out = Vec::new();
    for (event, group) in groups {
        let group = fit_environment(format, &event, &group, outcomes);
        if format.shape == HookShape::Reference {
            check_group(&event, &group)?;
            let foreign = origin.map_or(&[][..], |origin| origin.own_keys);
            out.push((
                event.clone(),
                without_keys(&event, &group, foreign, outcomes),
            ));
        } else {
            out.extend(convert_group(format, &event, &group, outcomes)?);
        }
    }
    Ok(out)
}

/// A group whose hooks do not have these keys of another tool.
fn without_keys(event: &str, group: &Value, keys: &[&str], outcomes: &mut FieldOutcomes) -> Value {
    let hooks = group.get("hooks").map(items).unwrap_or_default();
    for key in keys {
        for hook in hooks.iter().filter(|hook| hook.get(key).is_some()) {
            lose(event, key, hook, outcomes);
        }
    }
    let fields = entries(group).iter().map(|(key, value)| match value {
        Value::List(hooks) if key == "hooks" => {
            let hooks = hooks.iter().map(|hook| without(hook, keys)).collect();
            (key.clone(), Value::List(hooks))
        }
        _ => (key.clone(), value.clone()),
    });
    Value::Map(fields.collect())
}

const GROUP_HELP: &str =
    "write `{\"matcher\": \"Bash\", \"hooks\": [{\"type\": \"command\", \"command\": …}]}`";

/// The hooks of a group, if it is one.
fn check_group<'g>(event: &str, group: &'g Value) -> Result<&'g [Value], ConvertError> {
    match group.get("hooks") {
        Some(Value::List(hooks)) => Ok(hooks),
        _ => Err(ConvertError::new(
            format!("a group of `{event}` has no list `hooks`"),
            GROUP_HELP,
        )),
    }
}

fn convert_group(
    format: &'static HookFormat,
    event: &str,
    group: &Value,
    outcomes: &mut FieldOutcomes,
) -> Result<Vec<Registered>, ConvertError> {
    let Some(target_event) = event_in(format, event) else {
        outcomes.add(
            event,
            dropped_hook_outcome(event),
            "the tool has no such event: the hook does not run",
        );
        return Ok(Vec::new());
    };
    let hooks = check_group(event, group)?;
    let matcher = match group.get("matcher") {
        None | Some(Value::Null) => None,
        Some(Value::String(matcher)) => Some(matcher.as_str()),
        Some(_) => {
            return Err(ConvertError::new(
                format!("a group of `{event}` has a `matcher` that is not a string"),
                GROUP_HELP,
            ));
        }
    };
    let field = format!("{event}.matcher");
    let matchers = carry(
        matcher,
        MatcherTarget {
            rule: target_event.matcher,
            format,
            field: &field,
        },
        outcomes,
    );
    let mut handlers = Vec::new();
    // If the matcher cannot be converted, none of the hooks of the group may be written.
    for hook in hooks.iter().filter(|_| !matchers.is_empty()) {
        handlers.extend(handler(format, event, hook, outcomes)?);
    }
    if handlers.is_empty() {
        outcomes.add(
            event,
            dropped_hook_outcome(event),
            "the tool cannot express it: the hook does not run",
        );
        return Ok(Vec::new());
    }
    let renamed = if target_event.name == event {
        String::new()
    } else {
        format!("`{}` there", target_event.name)
    };
    outcomes.add(event, FieldOutcomeKind::Exact, renamed);
    let more = group_keys(format, event, group, outcomes);
    let items = matchers
        .into_iter()
        .flat_map(|matcher| in_shape(item_shape(format, target_event), matcher, &more, &handlers));
    Ok(items
        .map(|item| (target_event.name.to_owned(), item))
        .collect())
}

/// The outcome of a dropped hook: one that can block actions permits them by its absence.
fn dropped_hook_outcome(event: &str) -> FieldOutcomeKind {
    let guards = ["PreToolUse", "PermissionRequest", "UserPromptSubmit"];
    if guards.contains(&event) {
        FieldOutcomeKind::Widened
    } else {
        FieldOutcomeKind::Dropped
    }
}

/// The keys of a group besides its matcher and hooks that the tool supports.
fn group_keys(
    format: &'static HookFormat,
    event: &str,
    group: &Value,
    outcomes: &mut FieldOutcomes,
) -> Vec<(String, Value)> {
    let mut remaining = Vec::new();
    for (key, value) in entries(group)
        .iter()
        .filter(|(key, _)| !matches!(key.as_str(), "matcher" | "hooks"))
    {
        let field = format!("{event}.{key}");
        if format.group_keys.contains(&key.as_str()) {
            outcomes.exact(field);
            remaining.push((key.clone(), value.clone()));
        } else {
            outcomes.add(
                field,
                FieldOutcomeKind::Dropped,
                "the tool does not support it",
            );
        }
    }
    remaining
}

/// The shape of an item in an event's list: in formats with named hooks, only tool events have groups.
fn item_shape(format: &HookFormat, event: &HookEvent) -> HookShape {
    match (format.shape, event.matcher) {
        (HookShape::Named, MatcherRule::Tools) => HookShape::Groups,
        (HookShape::Named, _) => HookShape::Flat,
        (shape, _) => shape,
    }
}

fn in_shape(
    shape: HookShape,
    matcher: Option<String>,
    more: &[(String, Value)],
    hooks: &[Vec<(String, Value)>],
) -> Vec<Value> {
    let matcher = matcher.map(|matcher| ("matcher".to_owned(), Value::from(matcher)));
    match shape {
        HookShape::Reference | HookShape::Groups | HookShape::Named => {
            let list = Value::List(hooks.iter().cloned().map(Value::Map).collect());
            let group = more.iter().cloned().chain([("hooks".to_owned(), list)]);
            vec![Value::Map(matcher.into_iter().chain(group).collect())]
        }
        HookShape::Flat => {
            let item = |hook: &Vec<(String, Value)>| {
                let mut hook = hook.clone();
                hook.splice(1..1, matcher.clone());
                Value::Map(hook)
            };
            hooks.iter().map(item).collect()
        }
    }
}

/// One hook of a group with the tool's keys; `None` if it cannot run there as intended.
fn handler(
    format: &'static HookFormat,
    event: &str,
    hook: &Value,
    outcomes: &mut FieldOutcomes,
) -> Result<Option<Vec<(String, Value)>>, ConvertError> {
    let kind = hook
        .get("type")
        .map_or(Some("command"), Value::as_str)
        .unwrap_or_default();
    if !format.types.contains(&kind) {
        let note = format!("the tool does not run hooks of type `{kind}`");
        outcomes.add(format!("{event}.type"), FieldOutcomeKind::Dropped, note);
        return Ok(None);
    }
    let needed = if kind == "command" { "command" } else { kind };
    if hook
        .get(needed)
        .and_then(Value::as_str)
        .is_none_or(str::is_empty)
    {
        let message = format!("a hook of `{event}` has no `{needed}`");
        return Err(ConvertError::new(
            message,
            "write `{\"type\": \"command\", \"command\": \"./check.sh\"}`",
        ));
    }
    // Without its condition, a rare hook would always run.
    if hook.get("if").is_some() {
        let note = "the tool does not support it, and without it the hook would run too often";
        outcomes.add(format!("{event}.if"), FieldOutcomeKind::Dropped, note);
        return Ok(None);
    }
    let typed = [("type".to_owned(), Value::from(kind))]
        .into_iter()
        .filter(|_| hook.get("type").is_none());
    let written: Vec<(String, Value)> = typed.chain(entries(hook).iter().cloned()).collect();
    let mut keys: Vec<(usize, (String, Value))> = Vec::new();
    for (key, value) in &written {
        let at = format.keys.iter().position(|keys| keys.reference == key);
        match at.and_then(|at| Some((at, apply_key_change(format.keys[at].change, value)?))) {
            Some((at, value)) => {
                keys.extend(value.map(|value| (at, (format.keys[at].name.to_owned(), value))));
                keep(format, event, key, value_text(hook, key), outcomes);
            }
            None => lose(event, key, value, outcomes),
        }
    }
    keys.sort_by_key(|(at, _)| *at);
    Ok(Some(keys.into_iter().map(|(_, entry)| entry).collect()))
}

fn value_text<'v>(hook: &'v Value, key: &str) -> &'v str {
    hook.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// The target value: `None` if it cannot be expressed, `Some(None)` if it is implied.
fn apply_key_change(change: KeyChange, value: &Value) -> Option<Option<Value>> {
    match change {
        KeyChange::Keep => Some(Some(value.clone())),
        KeyChange::OmitCommand => {
            Some(Some(value.clone()).filter(|value| value.as_str() != Some("command")))
        }
        KeyChange::Milliseconds => milliseconds(value).map(Some),
    }
}

fn milliseconds(value: &Value) -> Option<Value> {
    let text = match value.shape() {
        agpm_text::NodeShape::Integer(text) | agpm_text::NodeShape::Float(text) => text,
        _ => return None,
    };
    let integer = text
        .parse::<i64>()
        .ok()
        .and_then(|seconds| seconds.checked_mul(1000));
    // The cast stays in range, and a timeout of centuries never expires.
    #[allow(clippy::cast_possible_truncation)]
    integer
        .or_else(|| {
            text.parse::<f64>()
                .ok()
                .map(|seconds| (seconds * 1000.0).round() as i64)
        })
        .map(Value::from)
}

fn keep(format: &HookFormat, event: &str, key: &str, text: &str, outcomes: &mut FieldOutcomes) {
    let field = format!("{event}.{key}");
    let is_unset = format.reference_variables == ReferenceVariables::Unset;
    if key == "command" && is_unset && text.contains(REFERENCE_VARIABLES) {
        let note = format!(
            "the tool does not set the variables of {}",
            REFERENCE_TOOL.title
        );
        outcomes.add(field, FieldOutcomeKind::Approximated, note);
    } else {
        outcomes.exact(field);
    }
}

fn lose(event: &str, key: &str, value: &Value, outcomes: &mut FieldOutcomes) {
    let field = format!("{event}.{key}");
    match key {
        "async" | "asyncRewake" | "once" if *value == Value::Bool(false) => outcomes.exact(field),
        "once" => outcomes.add(
            field,
            FieldOutcomeKind::Approximated,
            "the hook runs each time, and not only once",
        ),
        "async" | "asyncRewake" => outcomes.add(
            field,
            FieldOutcomeKind::Dropped,
            "the tool waits for the hook",
        ),
        _ => outcomes.add(
            field,
            FieldOutcomeKind::Dropped,
            "the tool does not support it",
        ),
    }
}
