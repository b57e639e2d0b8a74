//! The command of a server, in the words in which a client starts it.

use std::fmt;

use agpm_text::Value;

/// A program and its arguments. Clients start servers without a shell, so a space in one of them separates nothing.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ServerCommand {
    /// The executable, by name or path.
    pub program: String,
    /// The arguments, each as the executable receives it.
    pub arguments: Vec<String>,
}

impl ServerCommand {
    /// A command from its words; `None` without a program.
    pub fn of_words(words: impl IntoIterator<Item = String>) -> Option<Self> {
        let mut words = words.into_iter();
        Some(ServerCommand {
            program: words.next().filter(|program| !program.is_empty())?,
            arguments: words.collect(),
        })
    }

    /// The command that `command` and `args` define; `None` without a program. A list has the program first.
    pub fn of_values(command: &Value, arguments: Option<&Value>) -> Option<Self> {
        // Zed: the path is in an object, next to its arguments.
        if let Some((program, own)) = program_of(command) {
            return ServerCommand::of_values(program, own.or(arguments));
        }
        let further = arguments.map(words_of).unwrap_or_default();
        ServerCommand::of_words(words_of(command).into_iter().chain(further))
    }

    /// The program and its arguments.
    pub fn words(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.program.as_str()).chain(self.arguments.iter().map(String::as_str))
    }
}

/// The program and the arguments of an object.
pub(crate) fn program_of(value: &Value) -> Option<(&Value, Option<&Value>)> {
    let keys = ["command", "path", "exec", "program"];
    let program = keys.iter().find_map(|key| value.get(key))?;
    let arguments = value.get("args").or_else(|| value.get("arguments"));
    Some((program, arguments))
}

/// The words of a list, or the one word of a scalar.
fn words_of(value: &Value) -> Vec<String> {
    match value {
        Value::Null | Value::Map(_) => Vec::new(),
        Value::List(items) => items.iter().flat_map(words_of).collect(),
        Value::String(word) => vec![word.clone()],
        // YAML and TOML have numbers and flags where a client expects words.
        scalar => vec![scalar.to_json().trim().to_owned()],
    }
}

/// Shows arguments with spaces in quotes: `"npx x"` is one program, not `npx` with an argument.
impl fmt::Display for ServerCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, word) in self.words().enumerate() {
            if number > 0 {
                f.write_str(" ")?;
            }
            if word.is_empty() || word.contains(|c: char| c.is_whitespace() || c == '"') {
                write!(f, "{word:?}")?;
            } else {
                f.write_str(word)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use agpm_text::{Format, parse_alone, to_value};

    use super::*;

    fn command_of(json: &str) -> Option<ServerCommand> {
        let parsed = parse_alone(json, Format::Json);
        let value = to_value(parsed.document.root().unwrap());
        ServerCommand::of_values(value.get("command").unwrap(), value.get("args"))
    }

    #[test]
    fn a_space_separates_nothing() {
        for (json, words, shown) in [
            (
                r#"{"command": "npx", "args": ["-y", "a b"]}"#,
                &["npx", "-y", "a b"][..],
                "npx -y \"a b\"",
            ),
            (
                r#"{"command": ["npx", "x"], "args": ["y"]}"#,
                &["npx", "x", "y"],
                "npx x y",
            ),
            (
                r#"{"command": "npx @corp/x"}"#,
                &["npx @corp/x"],
                "\"npx @corp/x\"",
            ),
            (
                r#"{"command": "x", "args": ["", 8080, true]}"#,
                &["x", "", "8080", "true"],
                "x \"\" 8080 true",
            ),
        ] {
            let command = command_of(json).unwrap();
            assert_eq!(command.words().collect::<Vec<_>>(), words, "{json}");
            assert_eq!(command.to_string(), shown, "{json}");
        }
        assert_eq!(command_of(r#"{"command": "", "args": ["x"]}"#), None);
        assert_eq!(command_of(r#"{"command": []}"#), None);
    }
}
