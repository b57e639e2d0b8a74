//! Moves the directory and the variables of a hook into its command, for tools that have no fields for them.

use std::borrow::Cow;

use agpm_text::Value;
use agpm_tools::HookFormat;

use super::outcome::{FieldOutcomeKind, FieldOutcomes};
use super::parts::{entries, is_map, text_of, without};

/// The field for the working directory of a hook.
const DIRECTORY: &str = "cwd";

/// The field for the variables of a hook.
const VARIABLES: &str = "env";

/// A group whose hooks have only those fields that the tool defines; the others are in the command, or reported.
pub(super) fn fit_environment(
    format: &HookFormat,
    event: &str,
    group: &Value,
    outcomes: &mut FieldOutcomes,
) -> Value {
    let Value::Map(fields) = group else {
        return group.clone();
    };
    let fit = |(key, value): &(String, Value)| match value {
        Value::List(hooks) if key == "hooks" => {
            let mut fitted = HookEnvironment {
                format,
                event,
                outcomes: &mut *outcomes,
            };
            let hooks = hooks.iter().map(|hook| fitted.fit(hook)).collect();
            (key.clone(), Value::List(hooks))
        }
        _ => (key.clone(), value.clone()),
    };
    Value::Map(fields.iter().map(fit).collect())
}

/// The environment of the hooks of one event.
struct HookEnvironment<'a> {
    format: &'a HookFormat,
    event: &'a str,
    outcomes: &'a mut FieldOutcomes,
}

impl HookEnvironment<'_> {
    fn fit(&mut self, hook: &Value) -> Value {
        let is_defined = |field: &str| self.format.keys.iter().any(|key| key.reference == field);
        let fields: Vec<&str> = [DIRECTORY, VARIABLES]
            .into_iter()
            .filter(|field| hook.get(field).is_some() && !is_defined(field))
            .collect();
        if fields.is_empty() {
            return hook.clone();
        }
        let command = hook.get("command").and_then(Value::as_str);
        let value_of = |field| hook.get(field).filter(|_| fields.contains(&field));
        let line = CommandLine {
            directory: value_of(DIRECTORY).and_then(|value| quote(value.as_str()?)),
            variables: value_of(VARIABLES).and_then(variables),
        };
        for (field, is_quoted) in [
            (DIRECTORY, line.directory.is_some()),
            (VARIABLES, line.variables.is_some()),
        ] {
            if fields.contains(&field) {
                let name = format!("{}.{field}", self.event);
                let (kind, note) = if is_quoted && command.is_some() {
                    (FieldOutcomeKind::Exact, "it is in the command")
                } else {
                    (FieldOutcomeKind::Dropped, "the tool does not support it")
                };
                self.outcomes.add(name, kind, note);
            }
        }
        let Some(command) = command else {
            return without(hook, &fields);
        };
        let command = line.around(command);
        let hook = without(hook, &fields);
        let moved = |(key, value): &(String, Value)| {
            let value = match key.as_str() {
                "command" => Value::from(command.as_str()),
                _ => value.clone(),
            };
            (key.clone(), value)
        };
        Value::Map(entries(&hook).iter().map(moved).collect())
    }
}

/// The start of a command line, quoted for a shell.
#[derive(Default)]
struct CommandLine {
    directory: Option<String>,
    /// `NAME=VALUE` of each variable.
    variables: Option<Vec<String>>,
}

impl CommandLine {
    fn around(&self, command: &str) -> String {
        let is_simple = is_simple(command);
        let variables = self.variables.as_deref().unwrap_or_default();
        let assigned = variables.join(" ");
        // Hooks start in the project anyway.
        let elsewhere = self.directory.as_ref();
        let elsewhere = elsewhere.filter(|path| !matches!(path.as_str(), "." | "./"));
        let directory = elsewhere.map(|path| format!("cd {path}"));
        // An assignment applies to the first command only, and after the shell has replaced its variables.
        let exported =
            Some(format!("export {assigned}")).filter(|_| !is_simple && !variables.is_empty());
        let rest = match (is_simple, variables) {
            (true, []) => command.to_owned(),
            (true, _) => format!("{assigned} {command}"),
            (false, []) if directory.is_none() => command.to_owned(),
            (false, _) => format!("{{ {command}\n}}"),
        };
        let parts: Vec<String> = directory
            .into_iter()
            .chain(exported)
            .chain([rest])
            .collect();
        parts.join(" && ")
    }
}

/// Whether a line is one command, without variables or other syntax of a shell.
fn is_simple(command: &str) -> bool {
    const WORDS: [&str; 9] = [
        "!", "{", "if", "for", "while", "until", "case", "time", "function",
    ];
    let first = command.split_whitespace().next().unwrap_or_default();
    !WORDS.contains(&first) && !command.contains([';', '|', '&', '\n', '(', ')', '$', '`', '#'])
}

/// The assignments of the variables; `None` if a name or a value is not a string.
fn variables(value: &Value) -> Option<Vec<String>> {
    if !is_map(value) {
        return None;
    }
    let assignment = |(name, value): &(String, Value)| {
        let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        let value = quote(&text_of(value)?)?;
        is_name.then(|| format!("{name}={value}"))
    };
    entries(value).iter().map(assignment).collect()
}

/// A string as one word of a shell. Variables in it are replaced, as the tools do that have these fields.
fn quote(text: &str) -> Option<String> {
    if !text.contains('$') {
        return shlex::try_quote(text).ok().map(Cow::into_owned);
    }
    if text.contains('\0') {
        return None;
    }
    let mut quoted = String::from("\"");
    for (at, c) in text.char_indices() {
        let is_variable = c == '$' && starts_variable(&text[at + 1..]);
        if matches!(c, '"' | '\\' | '`') || c == '$' && !is_variable {
            quoted.push('\\');
        }
        quoted.push(c);
    }
    quoted.push('"');
    Some(quoted)
}

/// Whether the text after a `$` names a variable. `$(…)` would run a command.
fn starts_variable(rest: &str) -> bool {
    let starts_name = |text: &str| text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    match rest.strip_prefix('{') {
        Some(inner) => {
            let name = inner.split('}').next().unwrap_or_default();
            starts_name(name)
                && inner.contains('}')
                && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        }
        None => starts_name(rest),
    }
}

#[cfg(test)]
mod tests {
    use agpm_tools::find;

    use super::*;
    use crate::convert::plain_text::value_of;

    fn fitted(tool: &str, hook: &str) -> (String, Vec<String>) {
        let hooks = find(tool).and_then(|tool| tool.hooks.as_ref());
        let format: &HookFormat = hooks
            .map(|hooks| &hooks.format)
            .expect("the tool has hooks");
        let text = format!("{{\"hooks\": [{hook}]}}");
        let group = value_of(&text, agpm_text::Format::Json).expect("the hook is valid");
        let mut outcomes = FieldOutcomes::default();
        let group = fit_environment(format, "Stop", &group, &mut outcomes);
        let outcomes = outcomes.sorted().into_iter();
        let outcomes = outcomes.map(|outcome| format!("{} {:?}", outcome.field, outcome.kind));
        (group.to_json().trim().to_owned(), outcomes.collect())
    }

    #[test]
    fn the_directory_and_variables_move_into_the_command() {
        for (hook, expected) in [
            (r#""command": "./a.sh", "cwd": "sub""#, "cd sub && ./a.sh"),
            (r#""command": "./a.sh", "cwd": ".", "env": {}"#, "./a.sh"),
            (
                r#""command": "./a.sh", "cwd": "./", "env": {"A": "x"}"#,
                "A=x ./a.sh",
            ),
            (
                r#""command": "./a.sh --all", "cwd": "sub", "env": {"LEVEL": "strict"}"#,
                "cd sub && LEVEL=strict ./a.sh --all",
            ),
            (
                r#""command": "./a.sh", "cwd": "my dir; rm x", "env": {"A": "it's", "N": 3}"#,
                r#"cd 'my dir; rm x' && A="it's" N=3 ./a.sh"#,
            ),
            (
                r#""command": "echo $LEVEL", "env": {"LEVEL": "a b"}"#,
                "export LEVEL='a b' && { echo $LEVEL\n}",
            ),
            (r#""command": "a || b", "cwd": ".""#, "a || b"),
            (
                r#""command": "a || b", "cwd": "sub""#,
                "cd sub && { a || b\n}",
            ),
            (
                r#""command": "a", "env": {"P": "${HOME}/x", "Q": "$(id) `id` \"", "R": "5$"}"#,
                r#"P="${HOME}/x" Q="\$(id) \`id\` \"" R="5\$" a"#,
            ),
        ] {
            let (found, outcomes) = fitted("claude-code", &format!("{{{hook}}}"));
            let command = Value::from(expected).to_json();
            assert_eq!(
                found.replace(['\n', ' '], ""),
                format!(r#"{{"hooks":[{{"command":{}}}]}}"#, command.trim())
                    .replace(['\n', ' '], "")
            );
            assert!(outcomes.iter().all(|outcome| outcome.ends_with("Exact")));
        }
    }

    #[test]
    fn fields_that_cannot_move_are_dropped() {
        for hook in [
            r#"{"command": "a", "cwd": 3, "env": {"A-B": "x"}}"#,
            r#"{"command": "a", "cwd": ["x"], "env": {"A": ["x"]}}"#,
            r#"{"type": "prompt", "prompt": "p", "cwd": "x", "env": {}}"#,
        ] {
            let (found, outcomes) = fitted("claude-code", hook);
            assert!(!found.contains("cwd") && !found.contains("env"), "{found}");
            assert_eq!(outcomes, ["Stop.cwd Dropped", "Stop.env Dropped"]);
        }
    }

    #[test]
    fn tools_with_these_fields_keep_them() {
        let hook = r#"{"command": "a", "cwd": "sub", "env": {"A": "x"}}"#;
        let (found, outcomes) = fitted("copilot", hook);
        assert!(found.contains("cwd") && found.contains("env"), "{found}");
        assert!(outcomes.is_empty());
    }
}
