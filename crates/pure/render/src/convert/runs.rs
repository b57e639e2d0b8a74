//! What a hook or a server would run or ask, for the user to see before it does.

use agpm_text::Value;

use super::parts::{entries, items, text_of};

/// Keys that hold a command line, a program, an address or a prompt in one of the forms that we know.
const RUNS: [&str; 14] = [
    "command",
    "bash",
    "powershell",
    "commandWindows",
    "command_windows",
    "windows",
    "linux",
    "osx",
    "exec",
    "url",
    "httpUrl",
    "headersHelper",
    "serverUrl",
    "prompt",
];

/// What a hook or a server would run or ask, wherever in its file that stands: better one line too many than one that
/// nobody saw.
pub fn runs_of(value: &Value) -> Vec<String> {
    let mut found = Vec::new();
    collect(value, &mut found);
    found
}

fn collect(value: &Value, found: &mut Vec<String>) {
    for (key, inner) in entries(value) {
        let arguments = value.get("args").filter(|_| matches!(key.as_str(), "command" | "exec"));
        if RUNS.contains(&key.as_str())
            && let Some(line) = line(inner, arguments)
            && !found.contains(&line)
        {
            found.push(line);
        }
        collect(inner, found);
    }
    items(value).iter().for_each(|item| collect(item, found));
}

/// A program and its arguments as one line; arguments with spaces are in quotes.
fn line(program: &Value, arguments: Option<&Value>) -> Option<String> {
    let first: Vec<String> = match program {
        Value::List(parts) => parts.iter().filter_map(text_of).map(|part| shown(&part)).collect(),
        program => vec![text_of(program)?],
    };
    let rest = arguments.map_or(&[][..], items).iter().filter_map(text_of).map(|part| shown(&part));
    Some(first.into_iter().chain(rest).collect::<Vec<_>>().join(" "))
}

fn shown(part: &str) -> String {
    if part.is_empty() || part.contains(char::is_whitespace) { format!("{part:?}") } else { part.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_runs_is_missed() {
        let server = Value::map([
            ("command", Value::from("npx")),
            ("args", Value::list(["-y", "a b"])),
            ("env", Value::map([("A", Value::from("b"))])),
        ]);
        let list = Value::map([("command", Value::list(["npx", "x"]))]);
        let remote = Value::map([("url", Value::from("https://x"))]);
        let named = Value::map([("env", server.clone()), ("local", list), ("far", remote)]);
        let file = Value::map([("mcpServers", named)]);
        assert_eq!(runs_of(&file), ["npx -y \"a b\"", "npx x", "https://x"]);
    }
}
