//! OpenCode's agents and commands: the bytes stay, but for fields that OpenCode does not take as others write them.
//!
//! Tried with OpenCode itself: one field of the wrong type makes it refuse its whole configuration.

use agpm_text::Value;

use super::agent_tools::names;
use super::front::Front;
use super::models::{self, Models};
use super::parts::{entries, is_map};
use super::{ConvertError, Converted, FateKind, Fates};

/// Claude Code's tools and the key of OpenCode's `permission` that stands for each.
const PERMISSIONS: &[(&[&str], &str)] = &[
    (&["Read", "NotebookRead"], "read"),
    (&["Write", "Edit", "MultiEdit", "NotebookEdit"], "edit"),
    (&["Bash", "BashOutput", "KillShell"], "bash"),
    (&["Grep"], "grep"),
    (&["Glob"], "glob"),
    (&["LS"], "list"),
    (&["WebFetch"], "webfetch"),
    (&["WebSearch"], "websearch"),
    (&["TodoWrite", "TodoRead"], "todowrite"),
    (&["Task", "Agent"], "task"),
    (&["Skill"], "skill"),
];

const COLOURS: [&str; 7] = [
    "primary",
    "secondary",
    "accent",
    "success",
    "warning",
    "error",
    "info",
];

/// What OpenCode accepts as the value of a field.
#[derive(Clone, Copy)]
enum Accepts {
    Text,
    Number,
    /// A positive whole number.
    Count,
    Flag,
    OneOf(&'static [&'static str]),
    /// `#rrggbb`, or a name of its theme.
    Colour,
    Model,
    Object,
    /// Whether each tool may be used.
    Flags,
    /// An action, or actions by tool.
    Permission,
}

/// Source: OpenCode's own schema of agents; other fields are options of the provider, of any type.
const AGENT: &[(&str, Accepts)] = &[
    ("name", Accepts::Text),
    ("model", Accepts::Model),
    ("variant", Accepts::Text),
    ("temperature", Accepts::Number),
    ("top_p", Accepts::Number),
    ("prompt", Accepts::Text),
    ("tools", Accepts::Flags),
    ("disable", Accepts::Flag),
    ("description", Accepts::Text),
    ("mode", Accepts::OneOf(&["subagent", "primary", "all"])),
    ("hidden", Accepts::Flag),
    ("options", Accepts::Object),
    ("color", Accepts::Colour),
    ("steps", Accepts::Count),
    ("maxSteps", Accepts::Count),
    ("permission", Accepts::Permission),
];

/// Source: OpenCode's own schema of commands; other fields are ignored.
const COMMAND: &[(&str, Accepts)] = &[
    ("description", Accepts::Text),
    ("agent", Accepts::Text),
    ("model", Accepts::Model),
    ("variant", Accepts::Text),
    ("subtask", Accepts::Flag),
];

impl Accepts {
    fn accepts(self, value: &Value) -> bool {
        match self {
            Accepts::Text => value.as_str().is_some(),
            Accepts::Number => value.to_json().trim().parse::<f64>().is_ok(),
            Accepts::Count => value
                .to_json()
                .trim()
                .parse::<u64>()
                .is_ok_and(|count| count > 0),
            Accepts::Flag => matches!(value, Value::Bool(_)),
            Accepts::OneOf(words) => value.as_str().is_some_and(|word| words.contains(&word)),
            Accepts::Colour => value.as_str().is_some_and(is_colour),
            Accepts::Model => value.as_str().is_some_and(|model| model.contains('/')),
            Accepts::Object => is_map(value),
            Accepts::Flags => {
                is_map(value)
                    && entries(value)
                        .iter()
                        .all(|(_, flag)| matches!(flag, Value::Bool(_)))
            }
            Accepts::Permission => {
                is_action(value) || is_map(value) && entries(value).iter().all(is_rule)
            }
        }
    }

    fn expected(self) -> String {
        match self {
            Accepts::Text => "a string".to_owned(),
            Accepts::Number => "a number".to_owned(),
            Accepts::Count => "a positive integer".to_owned(),
            Accepts::Flag => "true or false".to_owned(),
            Accepts::OneOf(words) => format!("one of {}", words.join(", ")),
            Accepts::Colour => "`#rrggbb` or a color of its theme".to_owned(),
            Accepts::Model => "`provider/model`".to_owned(),
            Accepts::Object | Accepts::Permission => "an object".to_owned(),
            Accepts::Flags => "an object of true and false".to_owned(),
        }
    }
}

fn is_colour(colour: &str) -> bool {
    let hex =
        |digits: &str| digits.len() == 6 && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    COLOURS.contains(&colour) || colour.strip_prefix('#').is_some_and(hex)
}

fn is_action(value: &Value) -> bool {
    value
        .as_str()
        .is_some_and(|action| ["ask", "allow", "deny"].contains(&action))
}

fn is_rule((_, rule): &(String, Value)) -> bool {
    is_action(rule) || is_map(rule) && entries(rule).iter().all(|(_, action)| is_action(action))
}

/// An agent with what OpenCode would refuse written in its own way.
pub(super) fn agent(text: &str) -> Result<Converted, ConvertError> {
    let front = Front::read(text)?;
    let mut fates = front.fates();
    let permission = permission(&front, &mut fates);
    let mut fields = accepted(&front, AGENT, &mut fates);
    if !permission.is_empty() && !fields.iter().any(|(key, _)| key == "permission") {
        fields.push(("permission".to_owned(), Value::Map(permission)));
    }
    tell_rest(&front, &mut fates);
    written(text, &front, fields, fates)
}

/// A command with what OpenCode would refuse left out.
pub(super) fn command(text: &str) -> Result<Converted, ConvertError> {
    let front = Front::read(text)?;
    let mut fates = front.fates();
    let fields = accepted(&front, COMMAND, &mut fates);
    for field in ["disallowed-tools", "disallowedTools", "hooks"]
        .into_iter()
        .filter(|field| front.has(field))
    {
        fates.add(field, FateKind::Widened, "OpenCode does not read it");
    }
    written(text, &front, fields, fates)
}

fn written(
    text: &str,
    front: &Front,
    fields: Vec<(String, Value)>,
    fates: Fates,
) -> Result<Converted, ConvertError> {
    let same = front.is_yaml() && fields == front.fields();
    let text = if same {
        text.to_owned()
    } else {
        front.write(fields, front.body())?
    };
    Ok(Converted {
        text,
        fates: fates.sorted(),
    })
}

/// The fields that OpenCode accepts as they are.
fn accepted(front: &Front, table: &[(&str, Accepts)], fates: &mut Fates) -> Vec<(String, Value)> {
    let mut kept = Vec::new();
    for (key, value) in front.fields() {
        let rule = table
            .iter()
            .find(|(known, _)| known == key)
            .map(|(_, rule)| *rule);
        let stays = match rule {
            // Its fate is that of the `permission` which replaces it.
            Some(rule @ Accepts::Flags) => rule.accepts(value),
            Some(Accepts::Model) => models::keep(Models::OpenCode, value, fates).is_some(),
            Some(rule) if !rule.accepts(value) => {
                let kind = match matches!(rule, Accepts::Permission) {
                    true => FateKind::Widened,
                    false => FateKind::Dropped,
                };
                fates.add(key, kind, format!("OpenCode expects {}", rule.expected()));
                false
            }
            _ => true,
        };
        kept.extend(stays.then(|| (key.clone(), value.clone())));
    }
    kept
}

/// What Claude Code's limits come to in OpenCode's `permission`, and their fates.
fn permission(front: &Front, fates: &mut Fates) -> Vec<(String, Value)> {
    let mut out: Vec<(String, Value)> = Vec::new();
    let own = front
        .get("permission")
        .is_some_and(|value| Accepts::Permission.accepts(value));
    let tools = front
        .get("tools")
        .filter(|tools| !Accepts::Flags.accepts(tools))
        .map(names);
    match tools {
        Some(tools) if tools.iter().any(|tool| tool == "*") => {
            fates.add(
                "tools",
                FateKind::Exact,
                "all tools are allowed unless `permission` denies them",
            );
        }
        Some(tools) => {
            let (known, unknown) = keys(&tools);
            match own {
                true => fates.add("tools", FateKind::Dropped, "its own `permission` applies"),
                false if unknown.is_empty() => {
                    fates.add("tools", FateKind::Approximated, "as `permission`")
                }
                false => {
                    let note = format!("as `permission`, without {}", unknown.join(", "));
                    fates.add("tools", FateKind::Approximated, note);
                }
            }
            out.push(("*".to_owned(), "deny".into()));
            out.extend(known.into_iter().map(|key| (key, "allow".into())));
        }
        None => {}
    }
    if let Some(forbidden) = front.get("disallowedTools") {
        let (known, unknown) = keys(&names(forbidden));
        let kind = match own || !unknown.is_empty() {
            true => FateKind::Widened,
            false => FateKind::Approximated,
        };
        fates.add(
            "disallowedTools",
            kind,
            "as `permission`, as far as OpenCode has the tools",
        );
        out.retain(|(key, _)| !known.contains(key));
        out.extend(known.into_iter().map(|key| (key, "deny".into())));
    }
    out
}

/// OpenCode's keys for Claude Code's tools, and the tools that have none; one that is limited by a pattern has none.
fn keys(tools: &[String]) -> (Vec<String>, Vec<String>) {
    let (mut known, mut unknown) = (Vec::new(), Vec::new());
    for tool in tools {
        let row = PERMISSIONS
            .iter()
            .find(|(names, _)| names.contains(&tool.as_str()));
        let server = tool
            .strip_prefix("mcp__")
            .map(|rest| rest.replace("__", "_"));
        match row.map(|(_, key)| (*key).to_owned()).or(server) {
            Some(key) if !known.contains(&key) => known.push(key),
            Some(_) => {}
            None => unknown.push(format!("`{tool}`")),
        }
    }
    (known, unknown)
}

/// What stays in the file and says nothing there.
fn tell_rest(front: &Front, fates: &mut Fates) {
    if front.text("permissionMode").as_deref() == Some("plan") {
        fates.add(
            "permissionMode",
            FateKind::Widened,
            "OpenCode limits an agent by `permission`",
        );
    }
    let unread = [
        ("hooks", FateKind::Widened),
        ("isolation", FateKind::Widened),
    ];
    let narrower = ["mcpServers", "skills", "maxTurns", "memory", "effort"]
        .map(|field| (field, FateKind::Dropped));
    for (field, kind) in unread.into_iter().chain(narrower) {
        if front.has(field) {
            fates.add(field, kind, "OpenCode does not read it");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn converted(text: &str) -> (String, Vec<String>) {
        let converted = agent(text).unwrap_or_else(|error| panic!("{error}"));
        let fates = converted
            .fates
            .into_iter()
            .map(|fate| format!("{} {:?}", fate.field, fate.kind));
        (converted.text, fates.collect())
    }

    #[test]
    fn what_opencode_takes_stays_to_the_byte() {
        for text in [
            "---\ndescription: d   # why\nmodel: a/b\ntools: {write: false}\ncolor: '#00ff00'\n---\nx\n",
            "---\nname: n\n---\n",
            "no head\n",
            "---\nmode: subagent\npermission: {bash: deny}\nsteps: 3\ntemperature: 0.5\nodd: [1]\n---\n",
        ] {
            let (found, fates) = converted(text);
            assert_eq!(found, text);
            assert!(
                fates.iter().all(|fate| fate.ends_with("Exact")),
                "{fates:?}"
            );
        }
    }

    #[test]
    fn limits_become_permissions() {
        let text = "---\ndescription: d # why\ntools: Read, Grep, Bash(git:*)\nmodel: opus\ncolor: blue\n---\nx\n";
        let expected = "---\ndescription: d # why\npermission:\n  \"*\": deny\n  read: allow\n  grep: allow\n---\nx\n";
        let fates = ["color Dropped", "model Dropped", "tools Approximated"].map(str::to_owned);
        assert_eq!(converted(text), (expected.to_owned(), fates.to_vec()));
        let (text, fates) =
            converted("---\ndisallowedTools: [Write, Odd]\npermissionMode: plan\n---\n");
        assert!(text.contains("edit: deny"), "{text}");
        assert_eq!(fates, ["disallowedTools Widened", "permissionMode Widened"]);
    }
    #[test]
    fn fields_of_the_wrong_type_are_left_out() {
        let text = "---\ndescription: [a]\nmode: agent\nmodel: [a/b, c/d]\ntemperature: hot\nhidden: 1\n\
                    tools: {write: yes please}\npermission: {bash: never}\nsteps: 0\n---\nx\n";
        let (text, fates) = converted(text);
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
        assert_eq!(fates, lost);
    }

    #[test]
    fn front_matter_that_is_not_yaml_is_converted() {
        let text =
            "---\ndescription: one: two\ntools: Read, Grep\ncolor: yellow\nmodel: opus\n---\nx\n";
        let (text, fates) = converted(text);
        let expected = "---\ndescription: \"one: two\"\npermission:\n  \"*\": deny\n  read: allow\n  grep: allow\n---\nx\n";
        assert_eq!(text, expected);
        assert_eq!(fates[0], "(front matter) Approximated");
        let (text, _) = converted("---\ndescription: a: b\ntools: *\n---\n");
        assert_eq!(text, "---\ndescription: \"a: b\"\n---\n");
    }

    #[test]
    fn commands_lose_what_opencode_does_not_take() {
        let text = "---\ndescription: d # why\nargument-hint: [message]\nmodel: haiku\n---\nDo $ARGUMENTS\n";
        let found = command(text).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(
            found.text,
            "---\ndescription: d # why\nargument-hint: [message]\n---\nDo $ARGUMENTS\n"
        );
        assert_eq!(found.fates.len(), 1);
    }
}
