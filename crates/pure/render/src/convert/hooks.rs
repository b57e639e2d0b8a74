//! Hooks: a file as authors write it, into the lists of events that tools read.

use agpm_model::{EntryForm, EntryNode, Place};
use agpm_text::{Format, Pointer, Value, View};

use super::events::{self, Hooked};
use super::front::{document, printed};
use super::hook_dialect::HookDialect;
use super::hook_file::{Registered, read};
use super::hook_forms::{CODEX, COPILOT, CURSOR, Change, Folder, GEMINI, HookForm, Shape};
use super::matcher::{Target, carry};
use super::parts::{METADATA, entries, without};
use super::{ConvertError, Converted, Entries, FateKind, Fates, plugin};

/// Entries of a tool's hook configuration for one hook file.
pub fn hook_entries(form: EntryForm, name: &str, hook: &Value) -> Result<Entries, ConvertError> {
    let mut fates = Fates::default();
    let items = match form {
        EntryForm::ClaudeHooks => claude(name, hook, &mut fates)?,
        EntryForm::CodexHooks => convert(&CODEX, name, hook, &mut fates)?,
        EntryForm::CursorHooks => convert(&CURSOR, name, hook, &mut fates)?,
        EntryForm::GeminiHooks => convert(&GEMINI, name, hook, &mut fates)?,
        _ => {
            return Err(ConvertError::new(
                "this is no place for hooks",
                "choose another tool for the hook",
            ));
        }
    };
    if items.is_empty() && !is_disabled(hook) {
        return Err(nothing_left(name, &fates));
    }
    let root = Pointer::root();
    let version = (form == EntryForm::CursorHooks && !items.is_empty()).then(|| EntryNode {
        place: Place::Default(root.child("version")),
        value: Value::from(1usize),
    });
    let node = |(event, value)| EntryNode {
        place: Place::Item(root.child("hooks").child(event)),
        value,
    };
    let nodes = version
        .into_iter()
        .chain(items.into_iter().map(node))
        .collect();
    Ok(Entries {
        nodes,
        fates: fates.sorted(),
    })
}

/// Copilot's file for one hook file.
pub(super) fn to_file(name: &str, text: &str) -> Result<Converted, ConvertError> {
    let document = document(text, Format::Jsonc)?;
    let hook = document.root().map_or(Value::Null, agpm_text::to_value);
    let mut fates = Fates::default();
    if is_copilots(name, &hook) {
        plugin::refuse_variables("hook", name, &hook)?;
        let own = without(&hook, &METADATA);
        let kept = if own == hook {
            text.to_owned()
        } else {
            printed(&own, Format::Json)?
        };
        return Ok(Converted {
            text: kept,
            fates: Vec::new(),
        });
    }
    let mut events: Vec<(String, Value)> = Vec::new();
    for (event, item) in convert(&COPILOT, name, &hook, &mut fates)? {
        match events.iter_mut().find(|(known, _)| *known == event) {
            Some((_, Value::List(items))) => items.push(item),
            _ => events.push((event, Value::List(vec![item]))),
        }
    }
    if events.is_empty() && !is_disabled(&hook) {
        return Err(nothing_left(name, &fates));
    }
    let file = Value::map([
        ("version", Value::from(1usize)),
        ("hooks", Value::Map(events)),
    ]);
    Ok(Converted {
        text: printed(&file, Format::Json)?,
        fates: fates.sorted(),
    })
}

/// Whether a file is in Copilot's form already: a version, and hooks that Copilot reads as they are.
fn is_copilots(name: &str, hook: &Value) -> bool {
    let registered = read(name, hook, &mut Fates::default()).unwrap_or_default();
    let copilot = HookDialect::of(&registered) == HookDialect::Copilot;
    hook.get("version").is_some() && !registered.is_empty() && copilot
}

fn is_disabled(hook: &Value) -> bool {
    hook.get("enabled") == Some(&Value::Bool(false))
}

/// A hook of which nothing can be written is not installed in silence.
fn nothing_left(name: &str, fates: &Fates) -> ConvertError {
    let lost = fates
        .0
        .iter()
        .filter(|fate| matches!(fate.kind, FateKind::Dropped | FateKind::Widened));
    let mut reasons: Vec<String> = lost
        .map(|fate| format!("`{}`: {}", fate.field, fate.note))
        .collect();
    reasons.sort();
    reasons.dedup();
    let reasons = if reasons.is_empty() {
        "it holds no hooks".to_owned()
    } else {
        reasons.join("; ")
    };
    let help = "choose another `tool` for it, or remove the entry from the manifest";
    ConvertError::new(
        format!("nothing of the hook `{name}` can run there: {reasons}"),
        help,
    )
}

/// Groups for Claude Code.
fn claude(name: &str, hook: &Value, fates: &mut Fates) -> Result<Vec<Registered>, ConvertError> {
    plugin::refuse_variables("hook", name, hook)?;
    let registered = read(name, hook, fates)?;
    let groups = HookDialect::of(&registered).to_claude(registered, fates)?;
    for (event, group) in &groups {
        check_group(event, group)?;
    }
    Ok(groups)
}

/// Items of the tool's own lists, by event.
fn convert(
    form: &HookForm,
    name: &str,
    hook: &Value,
    fates: &mut Fates,
) -> Result<Vec<Registered>, ConvertError> {
    plugin::refuse_variables("hook", name, hook)?;
    let registered = read(name, hook, fates)?;
    let dialect = HookDialect::of(&registered);
    if dialect.is_native_to(form.tool) {
        registered.iter().for_each(|(event, _)| fates.exact(event));
        return Ok(registered);
    }
    let mut out = Vec::new();
    for (event, group) in &dialect.to_claude(registered, fates)? {
        out.extend(convert_group(form, event, group, fates)?);
    }
    Ok(out)
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
    form: &HookForm,
    event: &str,
    group: &Value,
    fates: &mut Fates,
) -> Result<Vec<Registered>, ConvertError> {
    let Some((there, rule)) = events::there(event, form.tool) else {
        fates.add(
            event,
            lost(event),
            "there is no such event there: the hook does not run",
        );
        return Ok(Vec::new());
    };
    let hooks = check_group(event, group)?;
    let matcher = match group.get("matcher") {
        None | Some(Value::Null) => None,
        Some(Value::String(matcher)) => Some(matcher.as_str()),
        Some(_) => {
            return Err(ConvertError::new(
                format!("a group of `{event}` has a `matcher` that is no text"),
                GROUP_HELP,
            ));
        }
    };
    let field = format!("{event}.matcher");
    let matchers = carry(
        matcher,
        Target {
            rule,
            field: &field,
            caveat: form.caveat,
        },
        fates,
    );
    let mut own = Vec::new();
    for hook in hooks.iter().filter(|_| !matchers.is_empty()) {
        own.extend(handler(form, event, hook, fates)?);
    }
    if own.is_empty() {
        fates.add(
            event,
            lost(event),
            "nothing of it can be said there: the hook does not run",
        );
        return Ok(Vec::new());
    }
    let renamed = if there == event {
        String::new()
    } else {
        format!("`{there}` there")
    };
    fates.add(event, FateKind::Exact, renamed);
    let more = group_keys(form, event, group, fates);
    let items = matchers
        .into_iter()
        .flat_map(|matcher| in_shape(form.shape, matcher, &more, &own));
    Ok(items.map(|item| (there.to_owned(), item)).collect())
}

/// What it means that a hook does not run: one that can stop things permits them by its absence.
fn lost(event: &str) -> FateKind {
    let guards = ["PreToolUse", "PermissionRequest", "UserPromptSubmit"];
    if guards.contains(&event) {
        FateKind::Widened
    } else {
        FateKind::Dropped
    }
}

/// Keys of a group besides its matcher and hooks, as far as they stay.
fn group_keys(
    form: &HookForm,
    event: &str,
    group: &Value,
    fates: &mut Fates,
) -> Vec<(String, Value)> {
    let mut kept = Vec::new();
    for (key, value) in entries(group)
        .iter()
        .filter(|(key, _)| !matches!(key.as_str(), "matcher" | "hooks"))
    {
        let field = format!("{event}.{key}");
        if key == "sequential" && form.tool == Hooked::Gemini {
            fates.exact(field);
            kept.push((key.clone(), value.clone()));
        } else {
            fates.add(field, FateKind::Dropped, "it has no place there");
        }
    }
    kept
}

fn in_shape(
    shape: Shape,
    matcher: Option<String>,
    more: &[(String, Value)],
    hooks: &[Vec<(String, Value)>],
) -> Vec<Value> {
    let matcher = matcher.map(|matcher| ("matcher".to_owned(), Value::from(matcher)));
    match shape {
        Shape::Groups => {
            let list = Value::List(hooks.iter().cloned().map(Value::Map).collect());
            let own = more.iter().cloned().chain([("hooks".to_owned(), list)]);
            vec![Value::Map(matcher.into_iter().chain(own).collect())]
        }
        Shape::Flat => {
            let item = |hook: &Vec<(String, Value)>| {
                let mut hook = hook.clone();
                hook.splice(1..1, matcher.clone());
                Value::Map(hook)
            };
            hooks.iter().map(item).collect()
        }
    }
}

/// One hook of a group with the tool's own keys; `None` if it cannot run there as its author wants.
fn handler(
    form: &HookForm,
    event: &str,
    hook: &Value,
    fates: &mut Fates,
) -> Result<Option<Vec<(String, Value)>>, ConvertError> {
    let kind = hook
        .get("type")
        .map_or(Some("command"), Value::as_str)
        .unwrap_or_default();
    if !form.types.contains(&kind) {
        let note = format!("hooks of the type `{kind}` do not run there: it is left out");
        fates.add(format!("{event}.type"), FateKind::Dropped, note);
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
    if hook.get("if").is_some() {
        let note =
            "it cannot be said there, and without it the hook would run too often: it is left out";
        fates.add(format!("{event}.if"), FateKind::Dropped, note);
        return Ok(None);
    }
    let typed = [("type".to_owned(), Value::from(kind))]
        .into_iter()
        .filter(|_| hook.get("type").is_none());
    let written: Vec<(String, Value)> = typed.chain(entries(hook).iter().cloned()).collect();
    let mut own: Vec<(usize, (String, Value))> = Vec::new();
    for (key, value) in &written {
        let at = form.keys.iter().position(|(from, ..)| from == key);
        match at.and_then(|at| Some((at, changed(form.keys[at].2, value)?))) {
            Some((at, value)) => {
                own.extend(value.map(|value| (at, (form.keys[at].1.to_owned(), value))));
                keep(form, event, key, value_text(hook, key), fates);
            }
            None => lose(event, key, value, fates),
        }
    }
    own.sort_by_key(|(at, _)| *at);
    Ok(Some(own.into_iter().map(|(_, entry)| entry).collect()))
}

fn value_text<'v>(hook: &'v Value, key: &str) -> &'v str {
    hook.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// The value there: nothing if it cannot be said, `Some(None)` if it goes without saying.
fn changed(change: Change, value: &Value) -> Option<Option<Value>> {
    match change {
        Change::Keep => Some(Some(value.clone())),
        Change::Unusual => {
            Some(Some(value.clone()).filter(|value| value.as_str() != Some("command")))
        }
        Change::Thousandfold => thousandfold(value).map(Some),
    }
}

fn thousandfold(value: &Value) -> Option<Value> {
    let text = match value.shape() {
        agpm_text::Shape::Integer(text) | agpm_text::Shape::Float(text) => text,
        _ => return None,
    };
    let whole = text
        .parse::<i64>()
        .ok()
        .and_then(|seconds| seconds.checked_mul(1000));
    // A cast stays in range, and a hook that waits for centuries waits for ever.
    #[allow(clippy::cast_possible_truncation)]
    whole
        .or_else(|| {
            text.parse::<f64>()
                .ok()
                .map(|seconds| (seconds * 1000.0).round() as i64)
        })
        .map(Value::from)
}

fn keep(form: &HookForm, event: &str, key: &str, text: &str, fates: &mut Fates) {
    let field = format!("{event}.{key}");
    match key == "command" && form.folder == Folder::Untold && text.contains("CLAUDE_") {
        true => fates.add(
            field,
            FateKind::Approximated,
            "Claude Code's variables are not set there",
        ),
        false => fates.exact(field),
    }
}

fn lose(event: &str, key: &str, value: &Value, fates: &mut Fates) {
    let field = format!("{event}.{key}");
    match key {
        "async" | "asyncRewake" | "once" if *value == Value::Bool(false) => fates.exact(field),
        "once" => fates.add(
            field,
            FateKind::Approximated,
            "the hook runs each time, and not only once",
        ),
        "async" | "asyncRewake" => {
            fates.add(field, FateKind::Dropped, "the tool waits for the hook")
        }
        _ => fates.add(field, FateKind::Dropped, "it has no place there"),
    }
}
