//! The variables of a plugin's directory, replaced by paths that work without the plugin's own client.

use std::collections::BTreeSet;

use agpm_text::Value;

/// Where a plugin is kept, from the project.
#[derive(Clone, Copy, Debug)]
pub struct PluginPlace<'a> {
    /// Its directory.
    pub root: &'a str,
    /// The directory for what it writes.
    pub data: &'a str,
}

/// How a tool names the directory that paths start from, where it runs things.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RootReference<'a> {
    /// An environment variable of commands that a shell runs.
    pub command: Option<&'a str>,
    /// What is written in other fields, such as the arguments of servers.
    pub field: Option<&'a str>,
}

const ROOT_VARIABLES: [&str; 2] = ["CLAUDE_PLUGIN_ROOT", "PLUGIN_ROOT"];
const DATA_VARIABLES: [&str; 2] = ["CLAUDE_PLUGIN_DATA", "PLUGIN_DATA"];

/// Fields of hooks that a shell runs.
const SHELL_FIELDS: [&str; 2] = ["command", "bash"];

/// A variable in a text.
struct Found<'t> {
    name: &'t str,
    /// Where it ends.
    end: usize,
}

impl<'a> PluginPlace<'a> {
    /// The path that a variable means.
    fn path(&self, variable: &str) -> Option<&'a str> {
        if ROOT_VARIABLES.contains(&variable) {
            Some(self.root)
        } else if DATA_VARIABLES.contains(&variable) {
            Some(self.data)
        } else {
            None
        }
    }
}

/// The variable that begins at a `$`: `$NAME`, `${NAME}` or `${NAME:-default}`.
fn variable_at(text: &str, at: usize) -> Option<Found<'_>> {
    let rest = text[at..].strip_prefix('$')?;
    let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.');
    if let Some(inner) = rest.strip_prefix('{') {
        let end = inner.find('}')?;
        let inside = &inner[..end];
        let name = inside.split(':').next().unwrap_or(inside);
        let fits = name.chars().all(is_word) && !name.is_empty();
        return fits.then_some(Found {
            name,
            end: at + 2 + end + 1,
        });
    }
    let is_bare = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let length = rest.find(|c: char| !is_bare(c)).unwrap_or(rest.len());
    let name = &rest[..length];
    (!name.is_empty()).then_some(Found {
        name,
        end: at + 1 + length,
    })
}

/// What surrounds a place in a shell command.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Quotes {
    None,
    Single,
    Double,
}

/// A shell command with the plugin's variables as paths. The variable for the directory that paths start from is quoted
/// where the command does not quote it, since that directory may have spaces in its name.
pub fn rewrite_command(text: &str, place: PluginPlace<'_>, reference: RootReference<'_>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut quotes = Quotes::None;
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let next = at + c.len_utf8();
        match (c, quotes) {
            ('\\', Quotes::None | Quotes::Double) => {
                let escaped = text[next..].chars().next().map_or(0, char::len_utf8);
                out.push_str(&text[at..next + escaped]);
                at = next + escaped;
                continue;
            }
            ('\'', Quotes::None) => quotes = Quotes::Single,
            ('\'', Quotes::Single) => quotes = Quotes::None,
            ('"', Quotes::None) => quotes = Quotes::Double,
            ('"', Quotes::Double) => quotes = Quotes::None,
            ('$', _) => {
                let found = variable_at(text, at);
                let path = found
                    .as_ref()
                    .and_then(|found| Some((place.path(found.name)?, found.end)));
                if let Some((path, end)) = path {
                    out.push_str(&shell_path(path, reference, quotes));
                    at = end;
                    continue;
                }
            }
            _ => {}
        }
        out.push(c);
        at = next;
    }
    out
}

fn shell_path(path: &str, reference: RootReference<'_>, quotes: Quotes) -> String {
    match (reference.command, quotes) {
        (None, _) => path.to_owned(),
        (Some(variable), Quotes::None) => format!("\"${variable}\"/{path}"),
        (Some(variable), Quotes::Double) => format!("${variable}/{path}"),
        (Some(variable), Quotes::Single) => format!("'\"${variable}\"'/{path}"),
    }
}

/// A text that no shell reads, with the plugin's variables replaced.
fn rewrite_text(text: &str, place: PluginPlace<'_>, before: Option<&str>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    while let Some(next) = text[at..].find('$').map(|next| at + next) {
        out.push_str(&text[at..next]);
        let found = variable_at(text, next);
        let path = found
            .as_ref()
            .and_then(|found| Some((place.path(found.name)?, found.end)));
        match path {
            Some((path, end)) => {
                out.extend(before.map(|before| format!("{before}/")));
                out.push_str(path);
                at = end;
            }
            None => {
                out.push('$');
                at = next + 1;
            }
        }
    }
    out.push_str(&text[at..]);
    out
}

/// Markdown for which paths start at the project.
pub fn rewrite_markdown(text: &str, place: PluginPlace<'_>) -> String {
    rewrite_text(text, place, None)
}

/// A file of hooks with the plugin's variables as paths.
pub fn rewrite_hooks(hooks: &Value, place: PluginPlace<'_>, reference: RootReference<'_>) -> Value {
    let has_arguments = hooks.get("args").is_some();
    let rewrite = |key: &str, value: &Value| match value {
        // With `args` nothing goes through a shell, and the tool itself replaces `${NAME}`.
        Value::String(text) if SHELL_FIELDS.contains(&key) && !has_arguments => {
            Value::String(rewrite_command(text, place, reference))
        }
        Value::String(text) => {
            let before = reference.command.map(|name| format!("${{{name}}}"));
            Value::String(rewrite_text(text, place, before.as_deref()))
        }
        value => rewrite_hooks(value, place, reference),
    };
    each(hooks, rewrite)
}

/// A file of MCP servers with the plugin's variables as paths.
pub fn rewrite_servers(
    servers: &Value,
    place: PluginPlace<'_>,
    reference: RootReference<'_>,
) -> Value {
    each(servers, |_, value| match value {
        Value::String(text) => Value::String(rewrite_text(text, place, reference.field)),
        value => rewrite_servers(value, place, reference),
    })
}

fn each(value: &Value, change: impl Fn(&str, &Value) -> Value) -> Value {
    match value {
        Value::Map(entries) => {
            let entry = |(key, value): &(String, Value)| (key.clone(), change(key, value));
            Value::Map(entries.iter().map(entry).collect())
        }
        Value::List(items) => Value::List(items.iter().map(|item| change("", item)).collect()),
        value => value.clone(),
    }
}

/// Variables that only a plugin's client knows and that agpm cannot replace.
pub fn unknown_variables(text: &str) -> BTreeSet<String> {
    let mut unknown = BTreeSet::new();
    for (at, _) in text.match_indices('$') {
        let Some(found) = variable_at(text, at) else {
            continue;
        };
        let is_known = [ROOT_VARIABLES, DATA_VARIABLES]
            .concat()
            .contains(&found.name);
        let is_plugins = ["CLAUDE_PLUGIN_", "PLUGIN_", "user_config."]
            .iter()
            .any(|start| found.name.starts_with(start));
        if is_plugins && !is_known {
            unknown.insert(found.name.to_owned());
        }
    }
    unknown
}

/// Whether a text needs the directory of its plugin.
pub fn has_root_variable(text: &str) -> bool {
    let names = [ROOT_VARIABLES, DATA_VARIABLES].concat();
    text.match_indices('$')
        .filter_map(|(at, _)| variable_at(text, at))
        .any(|found| names.contains(&found.name))
}

/// The files of the plugin that the commands of hooks name.
pub fn named_files(hooks: &Value) -> BTreeSet<String> {
    let mut files = BTreeSet::new();
    collect_files(hooks, &mut files);
    files
}

fn collect_files(value: &Value, files: &mut BTreeSet<String>) {
    match value {
        Value::String(text) => files.extend(files_in(text)),
        Value::List(items) => items.iter().for_each(|item| collect_files(item, files)),
        Value::Map(entries) => entries
            .iter()
            .for_each(|(_, value)| collect_files(value, files)),
        _ => {}
    }
}

/// Paths that follow a variable of the plugin's directory, as far as they are plain.
fn files_in(text: &str) -> Vec<String> {
    let mut files = Vec::new();
    for (at, _) in text.match_indices('$') {
        let Some(found) =
            variable_at(text, at).filter(|found| ROOT_VARIABLES.contains(&found.name))
        else {
            continue;
        };
        // The quotes of the variable alone may end before the path goes on.
        let rest = text[found.end..].trim_start_matches(['"', '\'']);
        let is_end = |c: char| c.is_whitespace() || "\"'`;|&<>(){}$*?\\".contains(c);
        let end = rest.find(is_end).unwrap_or(rest.len());
        let is_computed = rest[end..].starts_with(['$', '*', '?', '{', '`', '\\']);
        let path = rest[..end].trim_matches('/');
        if rest.starts_with('/') && !path.is_empty() && !is_computed {
            files.push(path.to_owned());
        }
    }
    files
}
