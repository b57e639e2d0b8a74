//! The permissions of an agent: their fields, and the part that a tool supports.

use agpm_text::Value;
use agpm_tools::{AgentLimit, MissingToolList, REFERENCE_TOOLS, ToolList, ToolReach};

use super::front::FrontMatter;
use super::outcome::{FieldOutcomeKind, FieldOutcomes};
use super::parts::{quoted, text_of};
use super::tool_names::{TranslatedNames, in_reference_terms, named, translate};

/// The tools that the author allows.
struct ToolAllowance {
    /// The only allowed tools; `None` allows all.
    allowed: Option<Vec<String>>,
    /// The forbidden tools; `None` if the author lists none.
    forbidden: Option<Vec<String>>,
    /// Whether the agent only plans.
    plans: bool,
}

/// The fields that are read here.
pub(super) const FIELDS: [&str; 3] = ["tools", "disallowedTools", "permissionMode"];

/// The fields that hold the limit in the tool's format, and the outcomes of the original fields.
pub(super) fn limit(
    limit: AgentLimit,
    front: &FrontMatter,
    outcomes: &mut FieldOutcomes,
) -> Vec<(&'static str, Value)> {
    let allowance = ToolAllowance {
        allowed: front
            .get("tools")
            .map(names)
            // `*` in a list allows everything, so nothing has to be converted.
            .filter(|names| !names.iter().any(|name| name == "*")),
        forbidden: front.get("disallowedTools").map(names),
        plans: front.text("permissionMode").as_deref() == Some("plan"),
    };
    match limit {
        AgentLimit::ReadOnly(key, text) => {
            let value = text.map_or(Value::Bool(true), Value::from);
            let is_limited = read_only(&allowance, front, outcomes);
            is_limited.then_some((key, value)).into_iter().collect()
        }
        AgentLimit::List(tool_list) => {
            let denied = tool_list.deny.zip(allowance.forbidden.as_ref());
            let denied = denied.filter(|(_, names)| !names.is_empty());
            let denied = denied.map(|(key, names)| (key, Value::list(names.iter().cloned())));
            let allowed =
                list(&allowance, tool_list, front, outcomes).map(|value| (tool_list.key, value));
            allowed.into_iter().chain(denied).collect()
        }
        AgentLimit::Never => {
            unlimited(&allowance, front, outcomes);
            Vec::new()
        }
    }
}

/// The placeholder for an invalid name: unknown to every tool, so it allows nothing.
const NO_NAME: &str = "(no name)";

/// The names in a list or comma-separated string, in the reference's terms.
pub(super) fn names(value: &Value) -> Vec<String> {
    in_reference_terms(&written_names(value))
}

/// Whether a list of tools has a name that only another tool knows, or is not a list at all.
pub(super) fn names_foreign_tools(value: &Value) -> bool {
    let written = written_names(value);
    let is_own = |name: &String| {
        // Spelling alone does not indicate another tool: people write `read` where the reference has `Read`.
        REFERENCE_TOOLS
            .iter()
            .flat_map(|tool| tool.names)
            .any(|own_name| own_name.eq_ignore_ascii_case(name))
            || in_reference_terms(std::slice::from_ref(name)) == [name.as_str()]
    };
    matches!(value, Value::Map(_)) || !written.iter().all(is_own)
}

fn written_names(value: &Value) -> Vec<String> {
    let name = |value: &Value| text_of(value).unwrap_or_else(|| NO_NAME.to_owned());
    let names = match value {
        Value::List(items) => items.iter().map(name).collect(),
        // An invalid list must restrict the agent: no tool has this name, so it allows nothing.
        Value::Map(_) => vec![NO_NAME.to_owned()],
        value => split(&name(value)),
    };
    names.into_iter().filter(|name| !name.is_empty()).collect()
}

/// Splits at commas and spaces outside parentheses.
fn split(text: &str) -> Vec<String> {
    let mut depth = 0usize;
    let mut names = vec![String::new()];
    for c in text.chars() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        match names.last_mut() {
            // `Bash(git add, git commit)` is one rule. Splitting it at the comma would allow all of `Bash`.
            Some(last) if depth > 0 || !(c == ',' || c.is_whitespace()) => last.push(c),
            _ => names.push(String::new()),
        }
    }
    names.retain(|name| !name.is_empty());
    names
}

/// A name without the parentheses after it.
fn base(name: &str) -> &str {
    name.split('(').next().unwrap_or(name)
}

fn changes(name: &str) -> bool {
    named(base(name)).is_some_and(|row| row.reach == ToolReach::Changes)
}

/// Whether two names refer to one tool.
fn same(first: &str, second: &str) -> bool {
    first == second || named(first).is_some_and(|row| row.names.contains(&second))
}

impl ToolAllowance {
    /// The allowed tools without the forbidden ones.
    fn remaining(&self) -> Option<Vec<String>> {
        let gone = |name: &String| self.forbids(base(name)) || self.forbids(name);
        self.allowed
            .as_ref()
            .map(|names| names.iter().filter(|name| !gone(name)).cloned().collect())
    }

    fn forbids(&self, name: &str) -> bool {
        name != NO_NAME
            && self
                .forbidden
                .iter()
                .flatten()
                .any(|forbidden| same(forbidden, name))
    }

    fn is_read_only(&self) -> bool {
        let mut changing = REFERENCE_TOOLS
            .iter()
            .filter(|row| row.reach == ToolReach::Changes);
        self.plans
            || self
                .remaining()
                .is_some_and(|names| !names.iter().any(|name| changes(name)))
            // An agent that is denied every tool that changes something is read-only too, without a list of allowed
            // ones.
            || changing.all(|row| self.forbids(row.names[0]))
    }
}

impl ToolAllowance {
    /// Whether the target's list allows a forbidden tool, or a part of one.
    fn stays_allowed(&self, name: &str, list: Option<&TranslatedNames>) -> bool {
        let Some(list) = list else { return true };
        let same_tool = |allowed: &String| same(base(name), base(allowed));
        let part = name != base(name) && self.allowed.iter().flatten().any(same_tool);
        part || name == NO_NAME || list.more.iter().any(|more| same(base(name), more))
    }
}

/// A tool without limits loses every limit.
fn unlimited(allowance: &ToolAllowance, front: &FrontMatter, outcomes: &mut FieldOutcomes) {
    let note = "the tool cannot restrict agents";
    let field = "tools";
    match &allowance.allowed {
        // Widened and not dropped: the agent could do more than its author allowed, and the install refuses that by
        // default.
        Some(_) => outcomes.add(field, FieldOutcomeKind::Widened, note),
        None if front.get(field).is_some() => outcomes.exact(field),
        None => {}
    }
    match &allowance.forbidden {
        Some(names) if names.is_empty() => outcomes.exact("disallowedTools"),
        Some(_) => outcomes.add("disallowedTools", FieldOutcomeKind::Widened, note),
        None => {}
    }
    mode(allowance, front, FieldOutcomeKind::Widened, outcomes);
}

fn read_only(allowance: &ToolAllowance, front: &FrontMatter, outcomes: &mut FieldOutcomes) -> bool {
    let read_only = allowance.is_read_only();
    let field = "tools";
    if front.get(field).is_some() {
        match (&allowance.allowed, read_only) {
            (None, _) => outcomes.exact(field),
            (_, true) => outcomes.add(
                field,
                FieldOutcomeKind::Approximated,
                "kept as read-only, not tool by tool",
            ),
            (_, false) => outcomes.add(
                field,
                FieldOutcomeKind::Widened,
                "the tool can restrict only read-only agents",
            ),
        }
    }
    if let Some(forbidden) = &allowance.forbidden {
        if forbidden.is_empty() || read_only && forbidden.iter().all(|name| changes(name)) {
            outcomes.add(
                "disallowedTools",
                FieldOutcomeKind::Approximated,
                "kept as read-only",
            )
        } else {
            outcomes.add(
                "disallowedTools",
                FieldOutcomeKind::Widened,
                "the tool cannot deny single tools",
            )
        }
    }
    mode(allowance, front, FieldOutcomeKind::Approximated, outcomes);
    read_only
}

/// `plan` forbids changes; the other modes only skip questions to the user.
fn mode(
    allowance: &ToolAllowance,
    front: &FrontMatter,
    planning: FieldOutcomeKind,
    outcomes: &mut FieldOutcomes,
) {
    let Some(mode) = front.get("permissionMode") else {
        return;
    };
    match (allowance.plans, planning, text_of(mode).as_deref()) {
        (true, FieldOutcomeKind::Approximated, _) => {
            outcomes.add("permissionMode", planning, "kept as read-only")
        }
        (true, ..) => outcomes.add("permissionMode", planning, "the tool has no read-only mode"),
        (_, _, Some("default")) => outcomes.add(
            "permissionMode",
            FieldOutcomeKind::Dropped,
            "it is the default",
        ),
        _ => outcomes.add(
            "permissionMode",
            FieldOutcomeKind::Dropped,
            // Modes other than `plan` skip questions to the user, so dropping them is always safe.
            "it would allow more than the tool's own default",
        ),
    }
}

fn list(
    allowance: &ToolAllowance,
    tool_list: ToolList,
    front: &FrontMatter,
    outcomes: &mut FieldOutcomes,
) -> Option<Value> {
    let found = allowance
        .remaining()
        .map(|names| translate(&names, tool_list.names));
    let field = "tools";
    let written = front.get(field).is_some();
    match &found {
        Some(found) if !found.left_out.is_empty() => {
            let note = format!(
                "without {}, which the tool does not have",
                quoted(&found.left_out)
            );
            outcomes.add(field, FieldOutcomeKind::Approximated, note);
        }
        Some(found) if !found.more.is_empty() => {
            let note = format!("the tool's names also include {}", quoted(&found.more));
            outcomes.add(field, FieldOutcomeKind::Approximated, note);
        }
        _ if written => outcomes.exact(field),
        _ => {}
    }
    if let Some(forbidden) = &allowance.forbidden {
        let mut lost = forbidden.iter().filter(|_| tool_list.deny.is_none());
        match lost.find(|name| allowance.stays_allowed(name, found.as_ref())) {
            None => outcomes.exact("disallowedTools"),
            Some(name) => {
                let note = format!("the tool has no deny list, so `{name}` stays allowed");
                outcomes.add("disallowedTools", FieldOutcomeKind::Widened, note);
            }
        }
    }
    mode(allowance, front, FieldOutcomeKind::Widened, outcomes);
    let all = match tool_list.missing {
        // In these tools an agent without a list may use nothing, so "everything" has to be explicit.
        MissingToolList::NoTools(all) => Some(all),
        MissingToolList::AllTools => written.then_some("*"),
    };
    let all = all.map(|all| Value::list([all]));
    found.map(|found| Value::list(found.names)).or(all)
}
