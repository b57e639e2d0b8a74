//! The permissions of an agent: the fields that hold them, and the part that a tool can keep.

use agpm_text::Value;
use agpm_tools::{AgentLimit, MissingToolList, REFERENCE_TOOLS, ToolList, ToolReach};

use super::front::FrontMatter;
use super::outcome::{FieldOutcomeKind, FieldOutcomes};
use super::parts::{quoted, text_of};
use super::tool_names::{TranslatedNames, in_reference_terms, named, translate};

/// The tools that the author allows.
struct ToolAllowance {
    /// The only tools that are allowed; `None` is all of them.
    allowed: Option<Vec<String>>,
    /// Tools that are not; `None` if nothing is said of them.
    forbidden: Option<Vec<String>>,
    /// Whether the agent only plans.
    plans: bool,
}

/// The fields that are read here.
pub(super) const FIELDS: [&str; 3] = ["tools", "disallowedTools", "permissionMode"];

/// The fields that hold the limit in the tool's own form, and the results of those that they represent.
pub(super) fn limit(
    limit: AgentLimit,
    front: &FrontMatter,
    fates: &mut FieldOutcomes,
) -> Vec<(&'static str, Value)> {
    let wanted = ToolAllowance {
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
            let is_limited = read_only(&wanted, front, fates);
            is_limited.then_some((key, value)).into_iter().collect()
        }
        AgentLimit::List(own) => {
            let denied = own.deny.zip(wanted.forbidden.as_ref());
            let denied = denied.filter(|(_, names)| !names.is_empty());
            let denied = denied.map(|(key, names)| (key, Value::list(names.iter().cloned())));
            let allowed = list(&wanted, own, front, fates).map(|value| (own.key, value));
            allowed.into_iter().chain(denied).collect()
        }
        AgentLimit::Never => {
            unlimited(&wanted, front, fates);
            Vec::new()
        }
    }
}

/// The placeholder for an invalid name: unknown to every tool, so it allows nothing.
const NO_NAME: &str = "(no name)";

/// The names of a list, or of text with commas, in the reference's terms.
pub(super) fn names(value: &Value) -> Vec<String> {
    in_reference_terms(&written_names(value))
}

/// Whether a list of tools has a name that another tool has and the reference does not, or is not a list at all.
pub(super) fn names_foreign_tools(value: &Value) -> bool {
    let written = written_names(value);
    matches!(value, Value::Map(_)) || in_reference_terms(&written) != written
}

fn written_names(value: &Value) -> Vec<String> {
    let name = |value: &Value| text_of(value).unwrap_or_else(|| NO_NAME.to_owned());
    let names = match value {
        Value::List(items) => items.iter().map(name).collect(),
        // A list that cannot be read must limit and not free the agent: no tool has this name, so it allows
        // nothing.
        Value::Map(_) => vec![NO_NAME.to_owned()],
        value => split(&name(value)),
    };
    names.into_iter().filter(|name| !name.is_empty()).collect()
}

/// At commas and spaces that are not between parentheses.
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

/// A name without what is in parentheses after it.
fn base(name: &str) -> &str {
    name.split('(').next().unwrap_or(name)
}

fn changes(name: &str) -> bool {
    named(base(name)).is_some_and(|row| row.reach == ToolReach::Changes)
}

/// Whether two names are those of one tool.
fn same(one: &str, other: &str) -> bool {
    one == other || named(one).is_some_and(|row| row.names.contains(&other))
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
            // An agent that is denied every tool that changes something is read-only as well, without a list of
            // allowed ones.
            || changing.all(|row| self.forbids(row.names[0]))
    }
}

impl ToolAllowance {
    /// Whether a forbidden tool, or a part of one, is among what the list there allows.
    fn stays_allowed(&self, name: &str, list: Option<&TranslatedNames>) -> bool {
        let Some(list) = list else { return true };
        let same_tool = |allowed: &String| same(base(name), base(allowed));
        let part = name != base(name) && self.allowed.iter().flatten().any(same_tool);
        part || name == NO_NAME || list.more.iter().any(|more| same(base(name), more))
    }
}

/// Every limit is lost in a tool that has none.
fn unlimited(wanted: &ToolAllowance, front: &FrontMatter, fates: &mut FieldOutcomes) {
    let note = "the tool cannot restrict agents";
    let field = "tools";
    match &wanted.allowed {
        // Widened and not dropped: the agent could do more than its author allowed, and the install refuses that by
        // default.
        Some(_) => fates.add(field, FieldOutcomeKind::Widened, note),
        None if front.get(field).is_some() => fates.exact(field),
        None => {}
    }
    match &wanted.forbidden {
        Some(names) if names.is_empty() => fates.exact("disallowedTools"),
        Some(_) => fates.add("disallowedTools", FieldOutcomeKind::Widened, note),
        None => {}
    }
    mode(wanted, front, FieldOutcomeKind::Widened, fates);
}

fn read_only(wanted: &ToolAllowance, front: &FrontMatter, fates: &mut FieldOutcomes) -> bool {
    let read_only = wanted.is_read_only();
    let field = "tools";
    if front.get(field).is_some() {
        match (&wanted.allowed, read_only) {
            (None, _) => fates.exact(field),
            (_, true) => fates.add(
                field,
                FieldOutcomeKind::Approximated,
                "kept as read-only, not tool by tool",
            ),
            (_, false) => fates.add(
                field,
                FieldOutcomeKind::Widened,
                "the tool can restrict only read-only agents",
            ),
        }
    }
    if let Some(forbidden) = &wanted.forbidden {
        if forbidden.is_empty() || read_only && forbidden.iter().all(|name| changes(name)) {
            fates.add(
                "disallowedTools",
                FieldOutcomeKind::Approximated,
                "kept as read-only",
            )
        } else {
            fates.add(
                "disallowedTools",
                FieldOutcomeKind::Widened,
                "the tool cannot deny single tools",
            )
        }
    }
    mode(wanted, front, FieldOutcomeKind::Approximated, fates);
    read_only
}

/// `plan` forbids changes; the other modes only spare the user questions.
fn mode(
    wanted: &ToolAllowance,
    front: &FrontMatter,
    planning: FieldOutcomeKind,
    fates: &mut FieldOutcomes,
) {
    let Some(mode) = front.get("permissionMode") else {
        return;
    };
    match (wanted.plans, planning, text_of(mode).as_deref()) {
        (true, FieldOutcomeKind::Approximated, _) => {
            fates.add("permissionMode", planning, "kept as read-only")
        }
        (true, ..) => fates.add("permissionMode", planning, "the tool has no read-only mode"),
        (_, _, Some("default")) => fates.add(
            "permissionMode",
            FieldOutcomeKind::Dropped,
            "it is the default",
        ),
        _ => fates.add(
            "permissionMode",
            FieldOutcomeKind::Dropped,
            // Modes other than `plan` skip questions to the user, so leaving them out is always safe.
            "it would allow more than the tool's own default",
        ),
    }
}

fn list(
    wanted: &ToolAllowance,
    own: ToolList,
    front: &FrontMatter,
    fates: &mut FieldOutcomes,
) -> Option<Value> {
    let found = wanted.remaining().map(|names| translate(&names, own.names));
    let field = "tools";
    let written = front.get(field).is_some();
    match &found {
        Some(found) if !found.left_out.is_empty() => {
            let note = format!(
                "dropped, because the tool has no such tools: {}",
                quoted(&found.left_out)
            );
            fates.add(field, FieldOutcomeKind::Dropped, note);
        }
        Some(found) if !found.more.is_empty() => {
            let note = format!("the tool's names also include {}", quoted(&found.more));
            fates.add(field, FieldOutcomeKind::Approximated, note);
        }
        _ if written => fates.exact(field),
        _ => {}
    }
    if let Some(forbidden) = &wanted.forbidden {
        let mut lost = forbidden.iter().filter(|_| own.deny.is_none());
        match lost.find(|name| wanted.stays_allowed(name, found.as_ref())) {
            None => fates.exact("disallowedTools"),
            Some(name) => {
                let note = format!("the tool has no deny list, so `{name}` stays allowed");
                fates.add("disallowedTools", FieldOutcomeKind::Widened, note);
            }
        }
    }
    mode(wanted, front, FieldOutcomeKind::Widened, fates);
    let all = match own.missing {
        // In these tools an agent without a list may use nothing, so "everything" has to be written.
        MissingToolList::NoTools(all) => Some(all),
        MissingToolList::AllTools => written.then_some("*"),
    };
    let all = all.map(|all| Value::list([all]));
    found.map(|found| Value::list(found.names)).or(all)
}
