//! Command lines, in the forms that tools write them.

use agpm_text::Value;

use crate::server_command::program_of;

/// A program and its arguments as one line; words with spaces are in quotes.
pub(super) fn command_line(program: &Value, arguments: Option<&Value>) -> Option<String> {
    let mut words: Vec<String> = match program {
        Value::List(words) => words
            .iter()
            .map(scalar)
            .map(|word| word.map(|word| quoted(&word)))
            .collect::<Option<_>>()?,
        // A command line and a path with spaces look the same: with arguments it is a path.
        program => {
            let program = scalar(program)?;
            match arguments {
                Some(Value::List(_)) => vec![quoted(&program)],
                _ => vec![program],
            }
        }
    };
    match arguments {
        Some(Value::List(items)) => {
            let items = items.iter().filter_map(scalar);
            words.extend(items.map(|word| quoted(&word)));
        }
        Some(other) => words.extend(scalar(other)),
        None => {}
    }
    Some(words.join(" ")).filter(|line| !line.is_empty())
}

/// The command of a value: a line, a list, or an object that holds a program and its arguments.
pub(super) fn command_of(value: &Value) -> Option<String> {
    match value {
        Value::Map(_) => {
            let (program, arguments) = program_of(value)?;
            command_line(program, arguments)
        }
        value => command_line(value, None),
    }
}

fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::Null | Value::List(_) | Value::Map(_) => None,
        value => {
            let text = value.as_str().map(str::to_owned);
            Some(text.unwrap_or_else(|| value.to_json().trim().to_owned()))
        }
    }
}

fn quoted(word: &str) -> String {
    if word.is_empty() || word.contains(char::is_whitespace) {
        format!("{word:?}")
    } else {
        word.to_owned()
    }
}
