//! The variables of a plugin's directory, replaced by paths that work without the plugin's own client.

use std::collections::BTreeSet;

use agpm_text::Value;

use crate::plugin::limits::MOST_MANIFEST_BYTES;
use crate::plugin::tree::PluginTree;

/// The directories of an installed plugin, from the project.
#[derive(Clone, Copy, Debug)]
pub struct PluginPaths<'a> {
    /// The directory of the plugin.
    pub root: &'a str,
    /// The directory for what it writes.
    pub data: &'a str,
    /// The variables that its own files read from the environment.
    pub environment: &'a [&'static str],
}

/// A tool's reference to the directory that paths start from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RootReference<'a> {
    /// An environment variable of commands that a shell runs.
    pub command: Option<&'a str>,
    /// The context in other fields, such as the arguments of servers.
    pub field: Option<&'a str>,
}

const ROOT_VARIABLES: [&str; 5] = [
    "CLAUDE_PLUGIN_ROOT",
    "PLUGIN_ROOT",
    "CURSOR_PLUGIN_ROOT",
    "CODEX_PLUGIN_ROOT",
    "COPILOT_PLUGIN_ROOT",
];
const DATA_VARIABLES: [&str; 2] = ["CLAUDE_PLUGIN_DATA", "PLUGIN_DATA"];

/// Fields of hooks that a shell runs.
const SHELL_FIELDS: [&str; 2] = ["command", "bash"];

/// A variable in text.
struct FoundVariable<'t> {
    name: &'t str,
    /// The end of the variable.
    end: usize,
}

impl<'a> PluginPaths<'a> {
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
fn variable_at(text: &str, at: usize) -> Option<FoundVariable<'_>> {
    let rest = text[at..].strip_prefix('$')?;
    let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.');
    if let Some(inner) = rest.strip_prefix('{') {
        let end = inner.find('}')?;
        let inside = &inner[..end];
        let name = inside.split(':').next().unwrap_or(inside);
        let fits = name.chars().all(is_word) && !name.is_empty();
        return fits.then_some(FoundVariable {
            name,
            end: at + 2 + end + 1,
        });
    }
    let is_bare = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let length = rest.find(|c: char| !is_bare(c)).unwrap_or(rest.len());
    let name = &rest[..length];
    (!name.is_empty()).then_some(FoundVariable {
        name,
        end: at + 1 + length,
    })
}

/// The quotes around a position in a shell command.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ShellQuotes {
    None,
    Single,
    Double,
}

/// A shell command with the plugin's variables as paths. The variable for the directory that paths start from is quoted
/// where the command does not quote it, since that directory may have spaces in its name.
pub fn rewrite_command(text: &str, paths: PluginPaths<'_>, reference: RootReference<'_>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut quotes = ShellQuotes::None;
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let next = at + c.len_utf8();
        match (c, quotes) {
            ('\\', ShellQuotes::None | ShellQuotes::Double) => {
                let escaped = text[next..].chars().next().map_or(0, char::len_utf8);
                out.push_str(&text[at..next + escaped]);
                at = next + escaped;
                continue;
            }
            ('\'', ShellQuotes::None) => quotes = ShellQuotes::Single,
            ('\'', ShellQuotes::Single) => quotes = ShellQuotes::None,
            ('"', ShellQuotes::None) => quotes = ShellQuotes::Double,
            ('"', ShellQuotes::Double) => quotes = ShellQuotes::None,
            ('$', _) => {
                let found = variable_at(text, at);
                let path = found
                    .as_ref()
                    .and_then(|found| Some((paths.path(found.name)?, found.end)));
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

fn shell_path(path: &str, reference: RootReference<'_>, quotes: ShellQuotes) -> String {
    match (reference.command, quotes) {
        (None, _) => path.to_owned(),
        (Some(variable), ShellQuotes::None) => format!("\"${variable}\"/{path}"),
        (Some(variable), ShellQuotes::Double) => format!("${variable}/{path}"),
        (Some(variable), ShellQuotes::Single) => format!("'\"${variable}\"'/{path}"),
    }
}

/// Text that no shell reads, with the plugin's variables replaced.
fn rewrite_text(text: &str, paths: PluginPaths<'_>, before: Option<&str>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    while let Some(next) = text[at..].find('$').map(|next| at + next) {
        out.push_str(&text[at..next]);
        let found = variable_at(text, next);
        let path = found
            .as_ref()
            .and_then(|found| Some((paths.path(found.name)?, found.end)));
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
pub fn rewrite_markdown(text: &str, paths: PluginPaths<'_>) -> String {
    rewrite_text(text, paths, None)
}

/// The files that relative paths in the commands of a hook file mean.
#[derive(Clone, Copy, Debug)]
pub struct RelativeFiles<'a> {
    /// The files of the plugin.
    pub tree: &'a PluginTree<'a>,
    /// The directory of the hook file in it.
    pub directory: &'a str,
}

impl RelativeFiles<'_> {
    /// The file of the plugin that a path means.
    fn file(&self, path: &str) -> Option<String> {
        let mut candidates = paths_of_script(path, self.directory).into_iter();
        candidates.find(|path| self.tree.has_file(path))
    }
}

/// The paths of a plugin that a path in a command may mean: from the directory of the hook file, from the root of the
/// plugin, or, for a path into the directory of a client, where its author installs the script, by its last parts.
pub fn paths_of_script(path: &str, directory: &str) -> Vec<String> {
    let mut ends = vec![path];
    if path.starts_with('.') {
        ends.extend(path.match_indices('/').map(|(at, _)| &path[at + 1..]));
    }
    let joined = |end: &&str| match directory {
        "" => (*end).to_owned(),
        directory => format!("{directory}/{end}"),
    };
    let beside = ends.iter().map(joined);
    let in_root = ends.iter().map(|end| (*end).to_owned());
    beside.chain(in_root).collect()
}

/// A file of hooks with the plugin's variables as paths; with `files`, relative paths to the plugin's files too.
pub fn rewrite_hooks(
    hooks: &Value,
    paths: PluginPaths<'_>,
    reference: RootReference<'_>,
    files: Option<RelativeFiles<'_>>,
) -> Value {
    let has_arguments = hooks.get("args").is_some();
    let rewrite = |key: &str, value: &Value| match value {
        // With `args` nothing goes through a shell, and the tool itself replaces `${NAME}`.
        Value::String(text) if SHELL_FIELDS.contains(&key) && !has_arguments => {
            let text = match files {
                Some(files) => with_root_variable(text, files),
                None => text.clone(),
            };
            let command = rewrite_command(&text, paths, reference);
            Value::String(exports(paths, reference) + &command)
        }
        Value::String(text) => {
            let before = reference.command.map(|name| format!("${{{name}}}"));
            Value::String(rewrite_text(text, paths, before.as_deref()))
        }
        value => rewrite_hooks(value, paths, reference, files),
    };
    each(hooks, rewrite)
}

/// A command whose relative paths to files of the plugin start with the variable of its directory.
fn with_root_variable(command: &str, files: RelativeFiles<'_>) -> String {
    let mut changed = String::with_capacity(command.len());
    let mut copied = 0;
    for word in relative_words(command) {
        let Some(file) = files.file(word.path) else {
            continue;
        };
        changed.push_str(&command[copied..word.start]);
        changed.push_str("${PLUGIN_ROOT}/");
        changed.push_str(&file);
        copied = word.start + word.length;
    }
    changed.push_str(&command[copied..]);
    changed
}

/// Part of a command that may be a relative path.
struct RelativeWord<'t> {
    /// Its path, without `./`.
    path: &'t str,
    start: usize,
    length: usize,
}

/// Extensions of scripts: an argument with one of them is a file.
const SCRIPTS: [&str; 12] = [
    "sh", "bash", "zsh", "py", "js", "mjs", "cjs", "ts", "rb", "pl", "ps1", "cmd",
];

/// The words of a command that may name a script: those with `./`, the executable itself, and names of scripts.
fn relative_words(command: &str) -> Vec<RelativeWord<'_>> {
    let is_separator = |c: char| c.is_whitespace() || "\"'`;|&<>()".contains(c);
    let mut words = Vec::new();
    let mut is_executable = true;
    let mut at = 0;
    while at < command.len() {
        let rest = &command[at..];
        let length = rest.find(is_separator).unwrap_or(rest.len());
        let word = &rest[..length];
        if word.is_empty() {
            let c = rest.chars().next().unwrap_or_default();
            is_executable |= ";|&(".contains(c);
            at += c.len_utf8().max(1);
            continue;
        }
        let path = word.strip_prefix("./").unwrap_or(word);
        let extension = path.rsplit_once('.').map(|(_, extension)| extension);
        let is_script = extension.is_some_and(|extension| SCRIPTS.contains(&extension));
        let is_path = path.len() < word.len() || is_script || (is_executable && path.contains('/'));
        let is_plain = !path.starts_with(['/', '-', '~', '$']) && !path.contains(['$', '*', '{']);
        if is_path && is_plain && !path.split('/').any(|part| part == "..") {
            words.push(RelativeWord {
                path,
                start: at,
                length,
            });
        }
        is_executable = word.contains('=') && !word.contains('/');
        at += length;
    }
    words
}

/// The relative paths in the commands of hooks that may be scripts.
pub fn script_paths(hooks: &Value) -> BTreeSet<String> {
    let mut paths = BTreeSet::new();
    collect_scripts(hooks, &mut paths);
    paths
}

fn collect_scripts(value: &Value, paths: &mut BTreeSet<String>) {
    match value {
        Value::List(items) => items.iter().for_each(|item| collect_scripts(item, paths)),
        Value::Map(entries) => {
            for (key, value) in entries {
                match value {
                    Value::String(text) if SHELL_FIELDS.contains(&key.as_str()) => {
                        let words = relative_words(text).into_iter();
                        paths.extend(words.map(|word| word.path.to_owned()));
                    }
                    value => collect_scripts(value, paths),
                }
            }
        }
        _ => {}
    }
}

/// Gives the files of a plugin the variables that they read. A path from the directory that the command runs in is made
/// whole, because a file may be anywhere when it uses it.
fn exports(paths: PluginPaths<'_>, reference: RootReference<'_>) -> String {
    let base = reference.command.unwrap_or("PWD");
    let export = |name: &&str| {
        let path = paths.path(name).unwrap_or(paths.root);
        format!("export {name}=\"${base}/{path}\"; ")
    };
    paths.environment.iter().map(export).collect()
}

/// A file of MCP servers with the plugin's variables as paths.
pub fn rewrite_servers(
    servers: &Value,
    paths: PluginPaths<'_>,
    reference: RootReference<'_>,
) -> Value {
    let rewritten = each(servers, |_, value| match value {
        Value::String(text) => Value::String(rewrite_text(text, paths, reference.field)),
        value => rewrite_servers(value, paths, reference),
    });
    match rewritten {
        Value::Map(fields)
            if servers
                .get("command")
                .is_some_and(|one| one.as_str().is_some()) =>
        {
            Value::Map(with_environment(fields, paths, reference))
        }
        value => value,
    }
}

/// The fields of a server that is a program, with the variables that the plugin's files read.
fn with_environment(
    mut fields: Vec<(String, Value)>,
    paths: PluginPaths<'_>,
    reference: RootReference<'_>,
) -> Vec<(String, Value)> {
    if paths.environment.is_empty() {
        return fields;
    }
    let at = fields.iter().position(|(key, _)| key == "env");
    let mut env = match at.map(|at| fields.remove(at)) {
        Some((_, Value::Map(env))) => env,
        _ => Vec::new(),
    };
    for name in paths.environment {
        if !env.iter().any(|(key, _)| key == name) {
            let variable = format!("${{{name}}}");
            let path = rewrite_text(&variable, paths, reference.field);
            env.push(((*name).to_owned(), Value::String(path)));
        }
    }
    fields.push(("env".to_owned(), Value::Map(env)));
    fields
}

/// The variables of the plugin's directory that its programs read from the environment: their own client sets them.
pub fn environment_of(tree: &PluginTree<'_>) -> Vec<&'static str> {
    let is_program = |path: &str| ![".md", ".json"].iter().any(|end| path.ends_with(end));
    let programs: Vec<&str> = tree
        .under("")
        .filter(|(path, _)| is_program(path))
        .filter_map(|(path, _)| tree.bytes(path))
        .filter(|bytes| bytes.len() <= MOST_MANIFEST_BYTES)
        .filter_map(|bytes| std::str::from_utf8(bytes).ok())
        .collect();
    let is_read = |name: &&str| programs.iter().any(|text| has_word(text, name));
    let mut read: Vec<&'static str> = ROOT_VARIABLES
        .into_iter()
        .chain(DATA_VARIABLES)
        .filter(is_read)
        .collect();
    // A reader of a client's variables uses the short name for its own.
    if read.iter().any(|name| !name.starts_with("PLUGIN_")) {
        read.retain(|name| !name.starts_with("PLUGIN_"));
    }
    read
}

fn has_word(text: &str, word: &str) -> bool {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.match_indices(word).any(|(at, _)| {
        !text[..at].ends_with(is_word) && !text[at + word.len()..].starts_with(is_word)
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
        let is_known = is_replaced(found.name);
        let is_plugins = ["CLAUDE_PLUGIN_", "PLUGIN_", "user_config."]
            .iter()
            .any(|start| found.name.starts_with(start));
        if is_plugins && !is_known {
            unknown.insert(found.name.to_owned());
        }
    }
    unknown
}

/// Whether text needs the directory of its plugin.
pub fn has_root_variable(text: &str) -> bool {
    text.match_indices('$')
        .filter_map(|(at, _)| variable_at(text, at))
        .any(|found| is_replaced(found.name))
}

fn is_replaced(variable: &str) -> bool {
    ROOT_VARIABLES.contains(&variable) || DATA_VARIABLES.contains(&variable)
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
    let mut quotes = CommandQuotes::default();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let found = (c == '$').then(|| variable_at(text, at)).flatten();
        match found.filter(|found| ROOT_VARIABLES.contains(&found.name)) {
            Some(found) => {
                files.extend(path_at(&text[found.end..], quotes));
                at = found.end;
            }
            None => {
                quotes.read(c);
                at += c.len_utf8();
            }
        }
    }
    files
}

/// The quotes around a position in a command: double quotes also have their meaning in a single-quoted command of
/// another shell.
#[derive(Clone, Copy, Default)]
struct CommandQuotes {
    single: bool,
    double: bool,
}

impl CommandQuotes {
    fn read(&mut self, c: char) {
        match c {
            '"' => self.double = !self.double,
            '\'' if !self.double => self.single = !self.single,
            _ => {}
        }
    }
}

/// The path at the start of a string, up to the next blank. The quotes of the variable alone may end before it.
fn path_at(rest: &str, mut quotes: CommandQuotes) -> Option<String> {
    let mut path = String::new();
    for c in rest.chars() {
        match c {
            '"' | '\'' => quotes.read(c),
            _ if c.is_whitespace() && !quotes.double => break,
            '`' | ';' | '|' | '&' | '<' | '>' | '(' | ')' if !quotes.double => break,
            // The rest is only known when the command runs.
            '$' | '*' | '?' | '{' | '}' | '\\' | '`' => return None,
            _ => path.push(c),
        }
    }
    let file = path.strip_prefix('/')?.trim_matches('/');
    (!file.is_empty()).then(|| file.to_owned())
}
