//! MCP servers that are defined in the manifest itself: their settings, and secrets in them.

use agpm_diag::{Diagnostic, codes, looks_secret};
use agpm_text::{NodeRef, Value, to_value};
use agpm_tools::{StringPart, string_parts};

use crate::check::{Check, spot};
use crate::manifest::tables::{SERVER_KEYS, SERVER_TRANSPORTS};
use crate::resource::ResourceType;

/// The settings of a server that are objects of strings.
const OBJECTS: [&str; 2] = ["env", "headers"];

/// Reads the settings of a server in an entry; `None` without any.
pub(super) fn read_server(
    check: &mut Check,
    table: NodeRef<'_>,
    kind: ResourceType,
) -> Option<Value> {
    let set: Vec<(&str, NodeRef<'_>)> = SERVER_KEYS
        .into_iter()
        .filter_map(|key| Some((key, table.get(key)?)))
        .collect();
    let (first, node) = *set.first()?;
    if kind != ResourceType::McpServers {
        check.bad_value(
            node,
            format!("only MCP servers have `{first}`"),
            "remove it",
        );
        return None;
    }
    for (key, node) in &set {
        check_setting(check, key, *node);
    }
    check_transport(check, table);
    let server = Value::map(set.iter().map(|(key, node)| (*key, to_value(*node))));
    for secret in secrets_of_server(&server) {
        warn_of_secret(check, table, &secret);
    }
    Some(server)
}

fn check_setting(check: &mut Check, key: &str, node: NodeRef<'_>) {
    let subject = format!("`{key}`");
    match key {
        "args" => drop(check.strings(node, &subject)),
        "disabled" => drop(check.flag(node, &subject)),
        "type" => {
            let words = SERVER_TRANSPORTS.map(|name| (name, ()));
            check.word(node, &subject, &words);
        }
        _ if OBJECTS.contains(&key) => {
            if check.map(node, &subject) {
                for (_, value) in node.entries() {
                    check.string(value, "a value of it");
                }
            }
        }
        _ => {
            check.string(node, &subject);
        }
    }
}

/// A command talks over its standard streams, a URL over HTTP: every tool refuses the rest, each in its own way.
fn check_transport(check: &mut Check, table: NodeRef<'_>) {
    let Some(node) = table.get("type") else {
        return;
    };
    let needed = match node.as_str() {
        Some("stdio") => "command",
        Some("http" | "sse") => "url",
        _ => return,
    };
    let other = if needed == "url" { "command" } else { "url" };
    // A server of a file may have the other setting there.
    let is_in_file = table.get("path").is_some();
    if table.get(needed).is_none() && (table.get(other).is_some() || !is_in_file) {
        let message = format!(
            "a server of the type `{}` needs a `{needed}`",
            node.content()
        );
        let help = format!("set `{needed}`, or remove `type`");
        check.bad_value(node, message, &help);
    }
}

fn warn_of_secret(check: &mut Check, table: NodeRef<'_>, secret: &ServerSecret) {
    let setting = table.get(secret.key);
    let node = match &secret.name {
        Some(name) => setting.and_then(|setting| setting.get(name)),
        None => setting,
    };
    let message = format!("{} contains a secret", secret.place());
    let mut found = Diagnostic::new(&codes::MANIFEST_SECRET, message).help(secret.help());
    if let Some(node) = node {
        found = found.at_spot(spot(node));
    }
    check.report(found);
}

/// A setting of a server that contains a secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerSecret {
    /// The key of the setting.
    pub key: &'static str,
    /// The variable, the header or the option, if it has a name.
    pub name: Option<String>,
}

impl ServerSecret {
    /// Where the secret is, for messages.
    pub fn place(&self) -> String {
        match &self.name {
            Some(name) => format!("`{}.{name}`", self.key),
            None => format!("`{}`", self.key),
        }
    }

    /// How to keep the secret out of the file.
    pub fn help(&self) -> String {
        let variable = self.name.as_deref().map_or_else(
            || "TOKEN".to_owned(),
            |name| variable_name(name.trim_start_matches('-')),
        );
        let reference = match (self.key, self.name.as_deref()) {
            ("headers", Some(name)) if name.eq_ignore_ascii_case("authorization") => {
                "Bearer ${TOKEN}".to_owned()
            }
            _ => format!("${{{variable}}}"),
        };
        format!("write `{reference}` instead, and set the variable in your environment")
    }
}

/// The name of a variable for a setting: `api-key` is `API_KEY`.
fn variable_name(setting: &str) -> String {
    let letter = |c: char| {
        if c.is_ascii_alphanumeric() {
            c.to_ascii_uppercase()
        } else {
            '_'
        }
    };
    setting.chars().map(letter).collect()
}

/// Returns the settings of a server that contain secrets. References to variables are not secrets.
pub fn secrets_of_server(server: &Value) -> Vec<ServerSecret> {
    let mut secrets = Vec::new();
    for key in OBJECTS {
        let Some(Value::Map(named)) = server.get(key) else {
            continue;
        };
        for (name, value) in named {
            let is_secret = |text| is_secret(Some(name), text);
            if value.as_str().is_some_and(is_secret) {
                secrets.push(ServerSecret {
                    key,
                    name: Some(name.clone()),
                });
            }
        }
    }
    if let Some(url) = server.get("url").and_then(Value::as_str)
        && is_secret(None, url)
    {
        secrets.push(ServerSecret {
            key: "url",
            name: None,
        });
    }
    let mut option: Option<&str> = None;
    let arguments: &[Value] = match server.get("args") {
        Some(Value::List(arguments)) => arguments,
        _ => &[],
    };
    for argument in arguments {
        let text = argument.as_str().unwrap_or_default();
        if is_secret(option, text) {
            secrets.push(ServerSecret {
                key: "args",
                name: None,
            });
        }
        // `--api-key VALUE` announces the argument after it.
        option = text.strip_prefix("--").filter(|name| !name.contains('='));
    }
    secrets
}

/// Whether a value contains a secret besides the variables that it refers to.
fn is_secret(key: Option<&str>, text: &str) -> bool {
    let parts = string_parts(text);
    let has_variables = parts
        .iter()
        .any(|part| matches!(part, StringPart::Variable { .. }));
    if !has_variables {
        return looks_secret(key, text);
    }
    // `Bearer ${TOKEN}` contains no secret, whatever the header is called; a default may.
    parts.iter().any(|part| match part {
        StringPart::Text(text) => looks_secret(None, text),
        StringPart::Variable { default, .. } => {
            default.is_some_and(|default| looks_secret(key, default))
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use agpm_text::{Format, parse_alone};

    fn secrets(json: &str) -> Vec<String> {
        let parsed = parse_alone(json.to_owned(), Format::Json);
        let server = to_value(parsed.document.root().expect("a value"));
        secrets_of_server(&server)
            .iter()
            .map(ServerSecret::place)
            .collect()
    }

    #[test]
    fn secrets_are_found_in_every_setting_and_variables_are_none() {
        for (json, expected) in [
            (
                r#"{"env": {"TOKEN": "hunter2hunter2"}}"#,
                vec!["`env.TOKEN`"],
            ),
            (r#"{"env": {"TOKEN": "${TOKEN}"}}"#, vec![]),
            (r#"{"env": {"DEBUG": "1"}}"#, vec![]),
            (r#"{"env": {"X": "ghp_abcdefghijklmnop"}}"#, vec!["`env.X`"]),
            (
                r#"{"headers": {"Authorization": "Bearer ${TOKEN}"}}"#,
                vec![],
            ),
            (
                r#"{"headers": {"Authorization": "Bearer abcdefghijkl"}}"#,
                vec!["`headers.Authorization`"],
            ),
            (
                r#"{"env": {"TOKEN": "${TOKEN:-hunter2hunter2}"}}"#,
                vec!["`env.TOKEN`"],
            ),
            (r#"{"args": ["--api-key", "abcdefghijkl"]}"#, vec!["`args`"]),
            (r#"{"args": ["--api-key=sk-abcdefghijkl"]}"#, vec!["`args`"]),
            (r#"{"args": ["--api-key", "${KEY}", "-y"]}"#, vec![]),
            (r#"{"url": "https://user:hunter2@host/mcp"}"#, vec!["`url`"]),
            (r#"{"url": "https://host/mcp?token=${T}"}"#, vec![]),
        ] {
            assert_eq!(secrets(json), expected, "{json}");
        }
    }

    #[test]
    fn the_help_names_the_variable() {
        for (key, name, expected) in [
            ("env", Some("API_KEY"), "write `${API_KEY}` instead"),
            ("headers", Some("X-Api-Key"), "write `${X_API_KEY}` instead"),
            (
                "headers",
                Some("Authorization"),
                "write `Bearer ${TOKEN}` instead",
            ),
            ("url", None, "write `${TOKEN}` instead"),
        ] {
            let name = name.map(str::to_owned);
            let help = ServerSecret { key, name }.help();
            assert!(help.starts_with(expected), "{help}");
        }
    }
}
