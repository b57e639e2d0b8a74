//! Agent Plugins 1.0: closed files, and what a client does with those that break the rules.

use agpm_diag::{Diagnostic, Severity, codes};
use agpm_model::SKILL_FILE;
use agpm_text::{NodeKind, NodeRef, Value, to_value};

use crate::manifest::PluginManifest;
use crate::parts::{PartFinder, joined};
use crate::reader::PluginFileReader;

const SCHEMA: &str = "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json";
const MANIFEST_KEYS: [&str; 10] = [
    "$schema",
    "name",
    "version",
    "description",
    "author",
    "homepage",
    "repository",
    "license",
    "keywords",
    "extensions",
];
const SKILL_KEYS: [&str; 6] = [
    "name",
    "description",
    "license",
    "compatibility",
    "metadata",
    "allowed-tools",
];
const SERVER_KEYS: [&str; 7] = ["type", "command", "args", "env", "cwd", "url", "headers"];
const SERVERS_FILE: &str = "mcp.json";
const LONGEST_NAME: usize = 64;

/// Reads the manifest: an unknown key is a warning, everything else rejects the plugin.
pub(crate) fn read_manifest(root: NodeRef<'_>, reader: &mut PluginFileReader) -> PluginManifest {
    for (key, _) in root.entries() {
        if !MANIFEST_KEYS.contains(&key.content()) {
            let message = format!("unknown key `{}`", key.content());
            reader.warn(key, message, "it is ignored");
        }
    }
    if let Some(schema) = reader.required(root, "$schema")
        && schema != SCHEMA
    {
        let message = format!("`$schema` is `{schema}`");
        let help = format!("agpm reads Agent Plugins 1.0: `{SCHEMA}`");
        reader.error(root, message, &help);
    }
    let name = reader.required(root, "name");
    if let Some(name) = name.filter(|name| !is_name(name)) {
        let message = format!("invalid plugin name `{name}`");
        let help = "names are lowercase letters and digits with single `-` or `.` between them";
        reader.error(root, message, help);
    }
    for key in ["homepage", "repository", "license"] {
        reader.string(root, key);
    }
    if let Some(author) = root.get("author") {
        reader.is_map(author, "author");
    }
    if let Some(extensions) = root.get("extensions") {
        reader.is_map(extensions, "extensions");
    }
    if let Some(keywords) = root.get("keywords") {
        match keywords.kind() {
            NodeKind::List => drop(reader.strings(keywords, "keywords")),
            _ => reader.wrong_kind(keywords, "keywords", "a list of strings"),
        }
    }
    PluginManifest {
        name: name.map(str::to_owned),
        version: reader.string(root, "version").map(str::to_owned),
        description: reader.string(root, "description").map(str::to_owned),
        ..PluginManifest::default()
    }
}

/// Lowercase letters and digits, with single `-` and `.` inside.
fn is_name(name: &str) -> bool {
    let is_inner = |c: char| matches!(c, '.' | '-');
    let is_allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || is_inner(c);
    !name.is_empty()
        && name.len() <= LONGEST_NAME
        && name.chars().all(is_allowed)
        && !name.starts_with(is_inner)
        && !name.ends_with(is_inner)
        && !name.contains("--")
        && !name.contains("..")
}

/// Skills and servers; those that break the rules are skipped with a warning.
pub(crate) fn find_parts(reading: &mut PartFinder<'_, '_>) {
    for name in reading.skill_directories("skills") {
        let directory = joined("skills", &name);
        match skill_problem(reading, &directory, &name) {
            None => reading.add_skill(&directory),
            Some(why) => skip(reading, &format!("the skill `{name}`"), &why),
        }
    }
    let Some(document) = reading
        .tree
        .json(SERVERS_FILE, reading.context, reading.notes)
    else {
        return;
    };
    let servers = document.root().and_then(|root| root.get("mcpServers"));
    for (name, server) in servers
        .filter(|servers| servers.kind() == NodeKind::Map)
        .into_iter()
        .flat_map(NodeRef::entries)
    {
        let name = name.content();
        match server_problem(server) {
            None => reading.add_server(SERVERS_FILE, name, as_reference(server)),
            Some(why) => skip(reading, &format!("the MCP server `{name}`"), &why),
        }
    }
}

fn skip(reading: &mut PartFinder<'_, '_>, subject: &str, why: &str) {
    let message = format!(
        "{subject} of plugin `{}` is skipped: {why}",
        reading.context.name
    );
    let mut found = Diagnostic::new(&codes::PLUGIN_SKIPPED, message);
    found.severity = Severity::Warning;
    reading
        .notes
        .diagnostics
        .push(found.help("report it to the plugin's author"));
}

fn skill_problem(reading: &mut PartFinder<'_, '_>, directory: &str, name: &str) -> Option<String> {
    let Some(document) = reading.front_matter(&joined(directory, SKILL_FILE)) else {
        return Some("its front matter cannot be read".to_owned());
    };
    let root = document.root()?;
    let unknown = root
        .entries()
        .map(|(key, _)| key.content())
        .find(|key| !SKILL_KEYS.contains(key));
    if let Some(key) = unknown {
        return Some(format!("skills have no key `{key}`"));
    }
    let text = |key: &str| root.get(key).and_then(NodeRef::as_str).unwrap_or_default();
    if text("name") != name {
        return Some(format!("its name is not that of its directory, `{name}`"));
    }
    let length = text("description").chars().count();
    match length {
        1..=1024 => None,
        0 => Some("it has no description".to_owned()),
        _ => Some("its description has more than 1,024 characters".to_owned()),
    }
}

/// The reason why a server is not started.
fn server_problem(server: NodeRef<'_>) -> Option<String> {
    if server.kind() != NodeKind::Map {
        return Some("it is not an object".to_owned());
    }
    let unknown = server
        .entries()
        .map(|(key, _)| key.content())
        .find(|key| !SERVER_KEYS.contains(key));
    if let Some(key) = unknown {
        return Some(format!("servers have no key `{key}`"));
    }
    let text = |key: &str| server.get(key).and_then(NodeRef::as_str);
    match text("type") {
        Some("stdio") => match text("command") {
            None => Some("it has no `command`".to_owned()),
            Some(command) if !is_command(command) => {
                Some(format!("`{command}` is not one executable"))
            }
            Some(_) => text("cwd")
                .filter(|cwd| !is_cwd(cwd))
                .map(|cwd| format!("its `cwd` `{cwd}` is outside the plugin")),
        },
        Some("streamable-http" | "sse") => match text("url") {
            Some(url) if is_safe_url(url) => None,
            Some(_) => Some("its URL is not `https`".to_owned()),
            None => Some("it has no `url`".to_owned()),
        },
        _ => Some("its `type` is not `stdio`, `streamable-http` or `sse`".to_owned()),
    }
}

/// A bare name, or a path in the plugin.
fn is_command(command: &str) -> bool {
    let is_one = !command.is_empty() && !command.contains(char::is_whitespace);
    match command.strip_prefix("./") {
        Some(path) => is_one && !path.split('/').any(|part| part == ".."),
        None => is_one && !command.contains('/'),
    }
}

fn is_cwd(cwd: &str) -> bool {
    let starts = ["./", "${PLUGIN_ROOT}", "${PLUGIN_DATA}"];
    let inside = starts.iter().any(|start| cwd.starts_with(start)) || cwd == ".";
    inside && !cwd.split('/').any(|part| part == "..")
}

fn is_safe_url(url: &str) -> bool {
    let host = |url: &str| {
        let end = url.find(['/', ':', '?', '#']).unwrap_or(url.len());
        url[..end].to_owned()
    };
    match url.strip_prefix("http://") {
        Some(rest) => {
            matches!(host(rest).as_str(), "localhost" | "127.0.0.1") || rest.starts_with("[::1]")
        }
        None => url.starts_with("https://"),
    }
}

/// The server as other clients write it: paths through the variable, and in the plugin's directory.
fn as_reference(server: NodeRef<'_>) -> Value {
    const ROOT: &str = "${PLUGIN_ROOT}";
    let in_root = |text: &str| match text.strip_prefix("./") {
        Some("") => ROOT.to_owned(),
        Some(inner) => format!("{ROOT}/{inner}"),
        None if text == "." => ROOT.to_owned(),
        None => text.to_owned(),
    };
    let Value::Map(mut fields) = to_value(server) else {
        return Value::Null;
    };
    let is_local = fields
        .iter()
        .any(|(key, value)| key == "type" && value.as_str() == Some("stdio"));
    for (key, value) in &mut fields {
        match (key.as_str(), value.as_str()) {
            ("command" | "cwd", Some(text)) => *value = Value::String(in_root(text)),
            ("type", Some("streamable-http")) => *value = Value::from("http"),
            _ => {}
        }
    }
    if is_local && !fields.iter().any(|(key, _)| key == "cwd") {
        fields.push(("cwd".to_owned(), Value::from(ROOT)));
    }
    fields.retain(|(key, _)| key != "type" || !is_local);
    Value::Map(fields)
}
