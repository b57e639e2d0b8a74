//! Limits of agents as other tools write them, in the reference's fields.
//!
//! Each becomes `tools` or `disallowedTools`, so every converter sees one form of a limit. One that cannot be said that
//! way stays as it is, and is lost as a restriction wherever the tool does not have it.

use agpm_text::Value;
use agpm_tools::{AgentForm, REFERENCE_TOOLS, ToolReach, agent_formats};

use super::front::FrontMatter;
use super::outcome::FieldOutcomes;
use super::parts::{entries, is_map};
use super::tool_names::is_reference_name;

/// The author's field that each field of the reference replaces.
#[derive(Debug, Default)]
pub(super) struct RenamedLimits(Vec<(&'static str, &'static str)>);

impl RenamedLimits {
    /// Results by the names that the author wrote.
    pub(super) fn as_written(&self, mut fates: FieldOutcomes) -> FieldOutcomes {
        for fate in &mut fates.0 {
            let renamed = self
                .0
                .iter()
                .find(|(reference, _)| fate.field == *reference);
            if let Some((_, written)) = renamed {
                fate.field = (*written).to_owned();
            }
        }
        fates
    }
}

/// The fields of an agent with the limits of other tools as the reference has them; `own` is the field that the tool
/// itself has for one.
pub(super) fn in_reference_terms(front: FrontMatter, own: &str) -> (FrontMatter, RenamedLimits) {
    let mut fields = front.fields().to_vec();
    let mut renamed = RenamedLimits::default();
    for written in [
        "allowed-tools",
        "readonly",
        "sandbox_mode",
        "permission",
        "tools",
    ] {
        let value = front.get(written).filter(|_| written != own);
        let Some((reference, value)) = value.and_then(|value| reference_limit(written, value))
        else {
            continue;
        };
        // The author wrote the reference's own field as well. It is the more precise one, so the other is not
        // allowed to replace it.
        let is_taken = fields.iter().any(|(key, _)| key == reference) && reference != written;
        if is_taken {
            continue;
        }
        for field in fields.iter_mut().filter(|(key, _)| key == written) {
            *field = (reference.to_owned(), value.clone());
        }
        renamed.0.push((reference, written));
    }
    if renamed.0.is_empty() {
        return (front, renamed);
    }
    (front.with_fields(fields), renamed)
}

/// A limit of another tool in terms of the reference; nothing if it is not a limit or has no equivalent.
fn reference_limit(field: &str, value: &Value) -> Option<(&'static str, Value)> {
    match field {
        "allowed-tools" => Some(("tools", value.clone())),
        // `readonly: false` grants nothing, so it is not a limit that could be lost.
        "readonly" => (value == &Value::Bool(true)).then(looking),
        "sandbox_mode" => (value.as_str() == Some("read-only")).then(looking),
        "permission" => permission(value),
        _ if is_map(value) => flags(value),
        _ => None,
    }
}

/// The tools that change nothing.
fn looking() -> (&'static str, Value) {
    let looks = REFERENCE_TOOLS
        .iter()
        .filter(|tool| tool.reach == ToolReach::Looks);
    ("tools", Value::list(looks.map(|tool| tool.names[0])))
}

/// `{write: false}`: what is switched off is denied, and everything else too if `*` is off.
fn flags(value: &Value) -> Option<(&'static str, Value)> {
    let rules = entries(value);
    let is_flag = |(_, flag): &(String, Value)| matches!(flag, Value::Bool(_));
    // A table with anything else in it has a meaning that is not known here. Half of a limit would look like a
    // whole one.
    let rules = rules.iter().all(is_flag).then_some(rules)?;
    let switched = |on: bool| {
        let is_meant = move |rule: &&(String, Value)| rule.1 == Value::Bool(on);
        rules.iter().filter(is_meant).map(|(key, _)| key.as_str())
    };
    Some(limit_of(
        switched(true).collect(),
        switched(false).collect(),
    ))
}

/// `{edit: deny}`. A rule for some uses of a tool is one for all of it, by its strictest part.
fn permission(value: &Value) -> Option<(&'static str, Value)> {
    let rules = entries(value);
    let has = |(_, rule): &&(String, Value), action: &str| match rule {
        // A tool that is denied for some commands is denied for all: converting must never give an agent more than
        // its author did.
        Value::Map(parts) => parts.iter().any(|(_, part)| part.as_str() == Some(action)),
        rule => rule.as_str() == Some(action),
    };
    let key = |rule: &'_ (String, Value)| rule.0.clone();
    let denied: Vec<String> = rules
        .iter()
        .filter(|rule| has(rule, "deny"))
        .map(key)
        .collect();
    let allowed: Vec<String> = rules
        .iter()
        .filter(|rule| !has(rule, "deny"))
        .map(key)
        .collect();
    let is_limit = is_map(value) && !denied.is_empty();
    is_limit.then(|| {
        limit_of(
            allowed.iter().map(String::as_str).collect(),
            denied.iter().map(String::as_str).collect(),
        )
    })
}

fn limit_of(allowed: Vec<&str>, denied: Vec<&str>) -> (&'static str, Value) {
    // With everything denied the allowed tools are the complete list; otherwise only what is denied is known.
    if denied.contains(&"*") {
        ("tools", Value::list(allowed.into_iter().flat_map(tools_of)))
    } else {
        (
            "disallowedTools",
            Value::list(denied.into_iter().flat_map(tools_of)),
        )
    }
}

/// Older words for kinds of permissions.
const OLDER_WORDS: [(&str, &str); 2] = [("write", "edit"), ("patch", "edit")];

/// The reference's tools that a kind of permission covers; an unknown one stays.
fn tools_of(word: &str) -> Vec<&str> {
    let older = OLDER_WORDS.iter().find(|(older, _)| *older == word);
    let kind = older.map_or(word, |(_, kind)| kind);
    let rows = agent_formats().flat_map(|format| match &format.form {
        AgentForm::Checked(checked) => checked.permissions,
        AgentForm::Fields(_) => &[],
    });
    let meant = rows.filter(|(_, known)| *known == kind);
    let names: Vec<&str> = meant
        .flat_map(|(names, _)| names.iter().copied())
        .filter(|name| is_reference_name(name))
        .collect();
    // An unknown word stays in the list, where the target's own check reports it. Dropping it would silently widen
    // the limit.
    if names.is_empty() { vec![word] } else { names }
}
