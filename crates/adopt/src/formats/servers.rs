//! MCP servers as inline entries.

use agpm_diag::looks_secret;
use agpm_model::ResourceType;
use agpm_text::{NodeKind, NodeRef, Value, to_value};

use crate::entries::ManifestEntry;
use crate::formats::format_reader::FormatReader;

/// The keys of a server that an inline entry can have.
const KEYS: [&str; 4] = ["command", "args", "env", "url"];
/// Keys that the others imply.
const IMPLIED: [&str; 4] = ["type", "transport", "name", "registry"];

/// Servers by name; those that an entry cannot describe are reported.
pub(crate) fn servers_of(reading: &mut FormatReader, servers: NodeRef<'_>) -> Vec<ManifestEntry> {
    let mut entries = Vec::new();
    for (name, server) in servers.entries() {
        if server.kind() != NodeKind::Map {
            let message = format!("the server is {}, not an object", server.kind().word());
            reading.malformed(server, message, "check the file");
            continue;
        }
        if let Some(server_key) = reading.name(name, name.content()) {
            entries.extend(server_entry(reading, server_key, server));
        }
    }
    entries
}

/// The manifest entry of one server.
pub(crate) fn server_entry(
    reading: &mut FormatReader,
    name: &str,
    server: NodeRef<'_>,
) -> Option<ManifestEntry> {
    let has = |key: &str| server.get(key).is_some_and(|node| node.as_str().is_some());
    if !has("command") && !has("url") {
        let message = format!("the server `{name}` has neither `command` nor `url`");
        reading.report_lost(server, message, "add it by hand");
        return None;
    }
    let mut fields = Vec::new();
    for (key, value) in server.entries() {
        let word = key.content();
        if word == "env" && value.kind() == NodeKind::Map {
            let env = environment(reading, value);
            if !env.is_empty() {
                fields.push(("env", Value::Map(env)));
            }
        } else if let Some(server_key) = KEYS.iter().find(|server_key| **server_key == word) {
            if is_expected(word, value) {
                fields.push((*server_key, to_value(value)));
            } else {
                let message = format!("`{word}` of a server is {}", value.kind().word());
                reading.malformed(value, message, "check the file");
            }
        } else if !IMPLIED.contains(&word) {
            let message = format!("`{word}` of the server `{name}` has no counterpart");
            let help = "keep the server in a JSON file, and set `path` to that file";
            reading.report_lost(key, message, help);
        }
    }
    Some(ManifestEntry::of_fields(
        ResourceType::McpServers,
        name,
        fields,
    ))
}

fn is_expected(key: &str, value: NodeRef<'_>) -> bool {
    let is_text = |node: NodeRef<'_>| node.as_str().is_some();
    match key {
        "args" => value.kind() == NodeKind::List && value.items().all(is_text),
        "env" => false,
        _ => is_text(value),
    }
}

/// Variables without secrets: a manifest is shared.
fn environment(reading: &mut FormatReader, env: NodeRef<'_>) -> Vec<(String, Value)> {
    let mut variables = Vec::new();
    for (name, value) in env.entries() {
        match value.as_str() {
            None => {
                let message = format!("`{}` is {}", name.content(), value.kind().word());
                reading.malformed(value, message, "write a string");
            }
            Some(text) if !text.contains('$') && looks_secret(Some(name.content()), text) => {
                let message = format!(
                    "`{}` contains a secret, which is not imported",
                    name.content()
                );
                let help = "set it in the environment, and write `${NAME}` in the manifest";
                reading.report_lost(name, message, help);
            }
            Some(text) => variables.push((name.content().to_owned(), text.into())),
        }
    }
    variables
}
