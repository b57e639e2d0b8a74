//! Expresses limits of agents from other tools in the fields of the reference.
//!
//! Each becomes `tools` or `disallowedTools`, so every converter handles one form of a limit. A limit without an
//! equivalent stays as it is, and is lost as a restriction wherever the tool does not support it.

use agpm_text::Value;
use agpm_tools::{AgentForm, CheckedAgent, REFERENCE_TOOLS, ToolReach, agent_formats};

use super::front::FrontMatter;
use super::outcome::FieldOutcomes;
use super::parts::{entries, is_map};
use super::tool_names::is_reference_name;
use agpm_tools::server_tools::{is_ambiguous, read, reference_name};

/// The author's field that each field of the reference replaces.
#[derive(Debug, Default)]
pub(super) struct RenamedLimits(Vec<(&'static str, &'static str)>);

impl RenamedLimits {
    /// Outcomes by the field names that the author wrote.
    pub(super) fn as_written(&self, mut outcomes: FieldOutcomes) -> FieldOutcomes {
        for outcome in &mut outcomes.0 {
            let renamed = self
                .0
                .iter()
                .find(|(reference, _)| outcome.field == *reference);
            if let Some((_, written)) = renamed {
                outcome.field = (*written).to_owned();
            }
        }
        outcomes
    }
}

/// The fields of an agent with the limits of other tools expressed in those of the reference; `own_field` is the tool's
/// own field for a limit.
pub(super) fn in_reference_terms(
    front: FrontMatter,
    own_field: &str,
) -> (FrontMatter, RenamedLimits) {
    let mut fields = front.fields().to_vec();
    let mut renamed = RenamedLimits::default();
    for written in [
        "allowed-tools",
        "readonly",
        "sandbox_mode",
        "permission",
        "tools",
    ] {
        let value = front.get(written).filter(|_| written != own_field);
        let Some((reference, value)) = value.and_then(|value| reference_limit(written, value))
        else {
            continue;
        };
        // The author wrote the reference's field as well. It is more precise, so the other one must not replace it.
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

/// A limit of another tool as a field of the reference; `None` if it is not a limit or has no equivalent.
fn reference_limit(field: &str, value: &Value) -> Option<(&'static str, Value)> {
    match field {
        "allowed-tools" => Some(("tools", value.clone())),
        // `readonly: false` grants nothing, so it is not a limit that could be lost.
        "readonly" => (value == &Value::Bool(true)).then(read_only_tools),
        "sandbox_mode" => (value.as_str() == Some("read-only")).then(read_only_tools),
        "permission" => permission(value),
        _ if is_map(value) => flags(value),
        _ => None,
    }
}

/// The tools that change nothing.
fn read_only_tools() -> (&'static str, Value) {
    let looks = REFERENCE_TOOLS
        .iter()
        .filter(|tool| tool.reach == ToolReach::Looks);
    ("tools", Value::list(looks.map(|tool| tool.names[0])))
}

/// `{write: false}`: disabled tools are denied, and everything else too if `*` is disabled.
fn flags(value: &Value) -> Option<(&'static str, Value)> {
    let rules = entries(value);
    let is_flag = |(_, flag): &(String, Value)| matches!(flag, Value::Bool(_));
    // A table with anything else in it has an unknown meaning. Half of a limit would look like a complete one.
    let rules = rules.iter().all(is_flag).then_some(rules)?;
    let switched = |on: bool| {
        let has_state = move |rule: &&(String, Value)| rule.1 == Value::Bool(on);
        rules.iter().filter(has_state).map(|(key, _)| key.as_str())
    };
    Some(limit_of(
        switched(true).collect(),
        switched(false).collect(),
    ))
}

/// `{edit: deny}`. A rule for some uses of a tool applies to all of it, by its strictest part.
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

/// Whether permissions only allow or ask: they restrict nothing, so a tool without them allows nothing more.
pub(super) fn denies_nothing(value: &Value) -> bool {
    match value {
        Value::Map(rules) => rules.iter().all(|(_, rule)| match rule {
            Value::Map(parts) => parts.iter().all(|(_, part)| is_granted(part)),
            rule => is_granted(rule),
        }),
        Value::List(rules) => rules
            .iter()
            .all(|rule| rule.get("effect").is_some_and(is_granted)),
        value => is_granted(value),
    }
}

/// Anything else may be a limit in a form that is not known here.
fn is_granted(rule: &Value) -> bool {
    rule.as_str()
        .is_some_and(|action| matches!(action, "allow" | "ask"))
}

fn limit_of(allowed: Vec<&str>, denied: Vec<&str>) -> (&'static str, Value) {
    // With everything denied the allowed tools are the complete list; otherwise only the denied ones are known.
    if denied.contains(&"*") {
        ("tools", Value::list(allowed.into_iter().flat_map(tools_of)))
    } else {
        // An ambiguous name may mean another server's tool, which would stay allowed.
        let tools = denied.into_iter().flat_map(|word| match word {
            word if checked_agents().any(|agent| is_ambiguous(word, &agent.servers)) => {
                vec![word.to_owned()]
            }
            word => tools_of(word),
        });
        ("disallowedTools", Value::list(tools))
    }
}

/// Older names of permission kinds.
const OLDER_WORDS: [(&str, &str); 2] = [("write", "edit"), ("patch", "edit")];

fn checked_agents() -> impl Iterator<Item = &'static CheckedAgent> {
    agent_formats().filter_map(|format| match &format.form {
        AgentForm::Checked(checked) => Some(checked),
        AgentForm::Fields(_) => None,
    })
}

/// The reference's tools that a permission kind covers; an unknown one stays.
fn tools_of(word: &str) -> Vec<String> {
    let older = OLDER_WORDS.iter().find(|(older, _)| *older == word);
    let kind = older.map_or(word, |(_, kind)| kind);
    let rows = checked_agents().flat_map(|agent| agent.permissions);
    let matching = rows.filter(|(_, row_kind)| *row_kind == kind);
    let names: Vec<String> = matching
        .flat_map(|(names, _)| names.iter().copied())
        .filter(|name| is_reference_name(name))
        .map(str::to_owned)
        .collect();
    let server = || {
        let tool = checked_agents().find_map(|agent| read(word, &agent.servers));
        // An unknown word stays in the list, where the target's own check reports it. Dropping it would silently
        // widen the limit.
        vec![tool.map_or_else(|| word.to_owned(), reference_name)]
    };
    if names.is_empty() { server() } else { names }
}
