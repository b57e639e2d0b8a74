//! Converts agents and commands of a tool that checks the type of each field: the bytes stay, except for fields that it
//! would reject.

use agpm_text::Value;

use agpm_tools::{AcceptedValue, CheckedAgent, CheckedCommand, ModelNames};

use super::agent_limits::{self, RenamedLimits};
use super::agent_tools::names;
use super::front::FrontMatter;
use super::models;
use super::outcome::{ConvertError, ConvertedFile, FieldOutcomeKind, FieldOutcomes};
use super::parts::{entries, is_map};
use agpm_tools::server_tools::{read_reference, spell};

fn accepts(rule: AcceptedValue, value: &Value) -> bool {
    match rule {
        AcceptedValue::Text => value.as_str().is_some(),
        AcceptedValue::Number => value.to_json().trim().parse::<f64>().is_ok(),
        AcceptedValue::Count => value
            .to_json()
            .trim()
            .parse::<u64>()
            .is_ok_and(|count| count > 0),
        AcceptedValue::Flag => matches!(value, Value::Bool(_)),
        AcceptedValue::OneOf(words) => value.as_str().is_some_and(|word| words.contains(&word)),
        AcceptedValue::Color(names) => value.as_str().is_some_and(|color| is_color(color, names)),
        AcceptedValue::Model => value.as_str().is_some_and(|model| model.contains('/')),
        AcceptedValue::Object => is_map(value),
        AcceptedValue::Flags => {
            is_map(value)
                && entries(value)
                    .iter()
                    .all(|(_, flag)| matches!(flag, Value::Bool(_)))
        }
        AcceptedValue::Permission => {
            is_action(value)
                || is_map(value) && entries(value).iter().all(|(_, rule)| is_rule(rule))
        }
    }
}

fn expected_form(rule: AcceptedValue) -> String {
    match rule {
        AcceptedValue::Text => "a string".to_owned(),
        AcceptedValue::Number => "a number".to_owned(),
        AcceptedValue::Count => "a positive integer".to_owned(),
        AcceptedValue::Flag => "true or false".to_owned(),
        AcceptedValue::OneOf(words) => format!("one of {}", words.join(", ")),
        AcceptedValue::Color(_) => "`#rrggbb` or a color of its theme".to_owned(),
        AcceptedValue::Model => "`provider/model`".to_owned(),
        AcceptedValue::Object | AcceptedValue::Permission => "an object".to_owned(),
        AcceptedValue::Flags => "an object of true and false".to_owned(),
    }
}

fn is_color(color: &str, names: &[&str]) -> bool {
    let is_hex =
        |digits: &str| digits.len() == 6 && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    names.contains(&color) || color.strip_prefix('#').is_some_and(is_hex)
}

fn is_action(value: &Value) -> bool {
    value
        .as_str()
        .is_some_and(|action| ["ask", "allow", "deny"].contains(&action))
}

fn is_rule(rule: &Value) -> bool {
    is_action(rule) || is_map(rule) && entries(rule).iter().all(|(_, action)| is_action(action))
}

/// An agent with rejected fields rewritten in the tool's format.
pub(super) fn agent(format: &CheckedAgent, text: &str) -> Result<ConvertedFile, ConvertError> {
    let front = FrontMatter::read(text)?;
    // The tool's own limits stay.
    let (front, renamed) = if front.has("permission") || has_flags(&front) {
        (front, RenamedLimits::default())
    } else {
        agent_limits::in_reference_terms(front, "")
    };
    let mut outcomes = front.field_outcomes();
    let permission = permission(format, &front, &mut outcomes);
    let checker = FieldChecker {
        title: format.title,
        models: &format.models,
        fields: format.fields,
    };
    let mut fields = checker.accepted_fields(&front, &mut outcomes);
    if !permission.is_empty() && !fields.iter().any(|(key, _)| key == "permission") {
        fields.push(("permission".to_owned(), Value::Map(permission)));
    }
    report_unread(format, &front, &mut outcomes);
    written(text, &front, fields, renamed.as_written(outcomes))
}

fn has_flags(front: &FrontMatter) -> bool {
    let tools = front.get("tools");
    tools.is_some_and(|tools| accepts(AcceptedValue::Flags, tools))
}

/// A command without the fields that the tool would reject.
pub(super) fn command(format: &CheckedCommand, text: &str) -> Result<ConvertedFile, ConvertError> {
    let front = FrontMatter::read(text)?;
    let mut outcomes = front.field_outcomes();
    let checker = FieldChecker {
        title: format.title,
        models: &format.models,
        fields: format.fields,
    };
    let fields = checker.accepted_fields(&front, &mut outcomes);
    for field in ["disallowed-tools", "disallowedTools", "hooks"]
        .into_iter()
        .filter(|field| front.has(field))
    {
        let note = format!("{} does not read it", format.title);
        outcomes.add(field, FieldOutcomeKind::Widened, note);
    }
    written(text, &front, fields, outcomes)
}

fn written(
    text: &str,
    front: &FrontMatter,
    fields: Vec<(String, Value)>,
    outcomes: FieldOutcomes,
) -> Result<ConvertedFile, ConvertError> {
    let same = front.is_yaml() && fields == front.fields();
    let text = if same {
        text.to_owned()
    } else {
        front.write(fields, front.body())?
    };
    Ok(ConvertedFile {
        text,
        outcomes: outcomes.sorted(),
    })
}

/// The context for checking the fields of a file.
struct FieldChecker<'a> {
    title: &'a str,
    models: &'a ModelNames,
    fields: &'a [(&'a str, AcceptedValue)],
}

impl FieldChecker<'_> {
    /// The fields that the tool accepts.
    fn accepted_fields(
        &self,
        front: &FrontMatter,
        outcomes: &mut FieldOutcomes,
    ) -> Vec<(String, Value)> {
        let mut accepted = Vec::new();
        for (key, value) in front.fields() {
            let rule = self.fields.iter().find(|(field_name, _)| field_name == key);
            let stays = match rule.map(|(_, rule)| *rule) {
                // Its outcome is that of the `permission` which replaces it.
                Some(rule @ AcceptedValue::Flags) => accepts(rule, value),
                Some(AcceptedValue::Model) => {
                    models::supported_model(self.models, value, outcomes).is_some()
                }
                Some(rule) if !accepts(rule, value) => {
                    let kind = match rule {
                        AcceptedValue::Permission => FieldOutcomeKind::Widened,
                        _ => FieldOutcomeKind::Dropped,
                    };
                    let note = format!("{} expects {}", self.title, expected_form(rule));
                    outcomes.add(key, kind, note);
                    false
                }
                _ => true,
            };
            accepted.extend(stays.then(|| (key.clone(), value.clone())));
        }
        accepted
    }
}

/// The reference's limits as `permission`, and their outcomes.
fn permission(
    format: &CheckedAgent,
    front: &FrontMatter,
    outcomes: &mut FieldOutcomes,
) -> Vec<(String, Value)> {
    let mut out: Vec<(String, Value)> = Vec::new();
    let existing = front
        .get("permission")
        .is_some_and(|value| accepts(AcceptedValue::Permission, value));
    let tools = front
        .get("tools")
        .filter(|tools| !accepts(AcceptedValue::Flags, tools))
        .map(names);
    match tools {
        Some(tools) if tools.iter().any(|tool| tool == "*") => {
            outcomes.add(
                "tools",
                FieldOutcomeKind::Exact,
                "all tools are allowed unless `permission` denies them",
            );
        }
        Some(tools) => {
            let (known, unknown) = permission_keys(format, &tools);
            if existing {
                outcomes.add(
                    "tools",
                    FieldOutcomeKind::Dropped,
                    "its own `permission` applies",
                );
            } else if unknown.is_empty() {
                outcomes.add("tools", FieldOutcomeKind::Approximated, "as `permission`");
            } else {
                let note = format!("as `permission`, without {}", unknown.join(", "));
                outcomes.add("tools", FieldOutcomeKind::Approximated, note);
            }
            out.push(("*".to_owned(), "deny".into()));
            out.extend(known.into_iter().map(|key| (key, "allow".into())));
        }
        None => {}
    }
    if let Some(forbidden) = front.get("disallowedTools") {
        let (known, unknown) = permission_keys(format, &names(forbidden));
        let kind = if existing || !unknown.is_empty() {
            FieldOutcomeKind::Widened
        } else {
            FieldOutcomeKind::Approximated
        };
        let note = format!("as `permission`, as far as {} has the tools", format.title);
        outcomes.add("disallowedTools", kind, note);
        out.retain(|(key, _)| !known.contains(key));
        out.extend(known.into_iter().map(|key| (key, "deny".into())));
    }
    out
}

/// The keys of `permission` for tools of the reference, and the tools without one, such as those limited by a pattern.
fn permission_keys(format: &CheckedAgent, tools: &[String]) -> (Vec<String>, Vec<String>) {
    let (mut known, mut unknown) = (Vec::new(), Vec::new());
    for tool in tools {
        let mut rows = format.permissions.iter();
        let row = rows.find(|(names, _)| names.contains(&tool.as_str()));
        let server = read_reference(tool).and_then(|tool| spell(tool, &format.servers));
        match row.map(|(_, key)| (*key).to_owned()).or(server) {
            Some(key) if !known.contains(&key) => known.push(key),
            Some(_) => {}
            None => unknown.push(format!("`{tool}`")),
        }
    }
    (known, unknown)
}

/// Reports fields that stay in the file without effect.
fn report_unread(format: &CheckedAgent, front: &FrontMatter, outcomes: &mut FieldOutcomes) {
    let title = format.title;
    if front.text("permissionMode").as_deref() == Some("plan") {
        let note = format!("{title} limits an agent by `permission`");
        outcomes.add("permissionMode", FieldOutcomeKind::Widened, note);
    }
    let guards = ["hooks", "isolation"].map(|field| (field, FieldOutcomeKind::Widened));
    let unread = format.unread.iter();
    let unread = unread.map(|field| (*field, FieldOutcomeKind::Dropped));
    for (field, kind) in guards.into_iter().chain(unread) {
        if front.has(field) {
            outcomes.add(field, kind, format!("{title} does not read it"));
        }
    }
}

#[cfg(test)]
mod tests {
    use agpm_tools::{AgentForm, CommandFormat, find};

    use super::*;

    fn format() -> &'static CheckedAgent {
        let opencode = find("opencode").and_then(|tool| tool.agents.as_ref());
        match opencode.map(|support| &support.format.form) {
            Some(AgentForm::Checked(format)) => format,
            other => panic!("OpenCode checks its agents: {other:?}"),
        }
    }

    fn converted(text: &str) -> (String, Vec<String>) {
        let converted = agent(format(), text).unwrap_or_else(|error| panic!("{error}"));
        let outcomes = converted
            .outcomes
            .into_iter()
            .map(|outcome| format!("{} {:?}", outcome.field, outcome.kind));
        (converted.text, outcomes.collect())
    }

    #[test]
    fn files_that_opencode_accepts_are_kept_byte_for_byte() {
        for text in [
            "---\ndescription: d   # why\nmodel: a/b\ntools: {write: false}\ncolor: '#00ff00'\n---\nx\n",
            "---\nname: n\n---\n",
            "no head\n",
            "---\nmode: subagent\npermission: {bash: deny}\nsteps: 3\ntemperature: 0.5\nodd: [1]\n---\n",
        ] {
            let (found, outcomes) = converted(text);
            assert_eq!(found, text);
            assert!(
                outcomes.iter().all(|outcome| outcome.ends_with("Exact")),
                "{outcomes:?}"
            );
        }
    }

    #[test]
    fn limits_become_permissions() {
        let text = "---\ndescription: d # why\ntools: Read, Grep, Bash(git:*)\nmodel: opus\ncolor: blue\n---\nx\n";
        let expected = "---\ndescription: d # why\npermission:\n  \"*\": deny\n  read: allow\n  grep: allow\n---\nx\n";
        let outcomes = ["color Dropped", "model Dropped", "tools Approximated"].map(str::to_owned);
        assert_eq!(converted(text), (expected.to_owned(), outcomes.to_vec()));
        let (text, outcomes) =
            converted("---\ndisallowedTools: [Write, Odd]\npermissionMode: plan\n---\n");
        assert!(text.contains("edit: deny"), "{text}");
        assert_eq!(
            outcomes,
            ["disallowedTools Widened", "permissionMode Widened"]
        );
    }
    #[test]
    fn fields_of_the_wrong_type_are_left_out() {
        let text = "---\ndescription: [a]\nmode: agent\nmodel: [a/b, c/d]\ntemperature: hot\nhidden: 1\n\
                    tools: {write: yes please}\npermission: {bash: never}\nsteps: 0\n---\nx\n";
        let (text, outcomes) = converted(text);
        assert_eq!(text, "---\npermission: {\"*\": deny}\n---\nx\n");
        let lost = [
            "description Dropped",
            "hidden Dropped",
            "mode Dropped",
            "model Dropped",
            "permission Widened",
            "steps Dropped",
            "temperature Dropped",
            "tools Approximated",
        ];
        assert_eq!(outcomes, lost);
    }

    #[test]
    fn front_matter_that_is_not_yaml_is_converted() {
        let text =
            "---\ndescription: one: two\ntools: Read, Grep\ncolor: yellow\nmodel: opus\n---\nx\n";
        let (text, outcomes) = converted(text);
        let expected = "---\ndescription: \"one: two\"\npermission:\n  \"*\": deny\n  read: allow\n  grep: allow\n---\nx\n";
        assert_eq!(text, expected);
        assert_eq!(outcomes[0], "(front matter) Approximated");
        let (text, _) = converted("---\ndescription: a: b\ntools: *\n---\n");
        assert_eq!(text, "---\ndescription: \"a: b\"\n---\n");
    }

    #[test]
    fn commands_lose_what_opencode_does_not_take() {
        let text = "---\ndescription: d # why\nargument-hint: [message]\nmodel: haiku\n---\nDo $ARGUMENTS\n";
        let opencode = find("opencode").and_then(|tool| tool.commands.as_ref());
        let Some(CommandFormat::Checked(format)) = opencode.map(|support| &support.format) else {
            panic!("OpenCode checks its commands");
        };
        let found = command(format, text).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(
            found.text,
            "---\ndescription: d # why\nargument-hint: [message]\n---\nDo $ARGUMENTS\n"
        );
        assert_eq!(found.outcomes.len(), 1);
    }
}
