//! The types of resources that a file defines by its keys, whatever the file itself is: an agent may have hooks and
//! servers in its front matter.

use agpm_diag::has_errors;
use agpm_model::ResourceType;
use agpm_text::{Format, Value, parse_alone, to_value};
use agpm_tools::{ConfigFile, KeyEffect, config_file};
use agpm_trust::with_readable_front_matter;

use ResourceType::{Hooks, McpServers};

/// Keys of configuration files that define entries of a type.
const ENTRY_KEYS: [(&str, ResourceType); 9] = [
    ("hooks", Hooks),
    ("mcpServers", McpServers),
    ("mcp-servers", McpServers),
    ("mcp_servers", McpServers),
    ("amp.mcpServers", McpServers),
    ("context_servers", McpServers),
    ("servers", McpServers),
    ("mcp", McpServers),
    ("extensions", McpServers),
];
/// Those of front matter: its other keys are words for people.
const FRONT_MATTER_KEYS: [(&str, ResourceType); 4] = [
    ("hooks", Hooks),
    ("mcpServers", McpServers),
    ("mcp-servers", McpServers),
    ("mcp_servers", McpServers),
];
/// Files of which each is one hook, by directory or by the end of the name.
const HOOK_DIRECTORIES: [&str; 3] = [".kiro/hooks/", ".clinerules/hooks/", ".cline/hooks/"];
const HOOK_ENDINGS: [&str; 1] = [".kiro.hook"];

/// The types that a file defines.
pub(crate) fn contained_types(path: &str, bytes: &[u8]) -> Vec<ResourceType> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let is_hook = HOOK_ENDINGS.iter().any(|end| name.ends_with(end))
        || HOOK_DIRECTORIES.iter().any(|directory| {
            path.starts_with(directory) || path.contains(&format!("/{directory}"))
        })
        || config_file(path).is_some_and(has_hooks_by_name);
    if is_hook {
        return vec![Hooks];
    }
    let Some(format) = Format::of_file(name) else {
        return Vec::new();
    };
    // Clients read a byte that is not UTF-8 as U+FFFD.
    let text = String::from_utf8_lossy(bytes);
    let text = match format {
        Format::Markdown => with_readable_front_matter(&text),
        _ => Some(text.into_owned()),
    };
    // A client may understand front matter that agpm does not, so it is treated as all that it could define.
    let Some(text) = text else {
        return vec![Hooks, McpServers];
    };
    let format = match format {
        Format::Json => Format::Jsonc,
        format => format,
    };
    let parsed = parse_alone(text, format);
    let value = parsed.document.root().map(to_value);
    let is_markdown = format == Format::Markdown;
    if is_markdown && has_errors(&parsed.diagnostics) {
        return vec![Hooks, McpServers];
    }
    match value {
        Some(value) if is_markdown => types_of_keys(&value, &FRONT_MATTER_KEYS),
        Some(value) => types_of_value(&value),
        None => Vec::new(),
    }
}

/// Whether every key of a file is the name of a hook.
fn has_hooks_by_name(file: &ConfigFile) -> bool {
    let mut rows = file.keys.iter();
    rows.any(|row| row.path == "*" && row.effect == KeyEffect::Hooks)
}

/// The types that the keys of a configuration file define.
pub(crate) fn types_of_value(value: &Value) -> Vec<ResourceType> {
    types_of_keys(value, &ENTRY_KEYS)
}

fn types_of_keys(value: &Value, keys: &[(&str, ResourceType)]) -> Vec<ResourceType> {
    let defines = |key: &str| {
        let value = value.get(key);
        value.is_some_and(|value| match key {
            // The word has other meanings in other files; an extension of a recipe says how it starts.
            "extensions" => starts_server(value),
            _ => !is_empty(value),
        })
    };
    let rows = keys.iter().filter(|(key, _)| defines(key));
    rows.map(|(_, kind)| *kind).collect()
}

fn starts_server(extensions: &Value) -> bool {
    let starts = |one: &Value| one.get("cmd").is_some() || one.get("uri").is_some();
    match extensions {
        Value::List(items) => items.iter().any(starts),
        Value::Map(entries) => entries.iter().any(|(_, one)| starts(one)),
        _ => false,
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::List(items) => items.is_empty(),
        Value::Map(entries) => entries.is_empty(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hooks_and_servers_inside_other_files_are_seen() {
        for (path, text, expected) in [
            (
                "a.md",
                "---\nhooks: {Stop: [{command: x}]}\n---\n",
                &[Hooks][..],
            ),
            (
                "a.md",
                "---\n\"h\\x6foks\": {Stop: [{command: x}]}\n---\n",
                &[Hooks],
            ),
            ("a.md", "---\nmcpServers: [slack]\n---\n", &[McpServers]),
            (
                "a.agent.md",
                "---\nmcp-servers: {a: {command: x}}\n---\n",
                &[McpServers],
            ),
            ("a.md", "---\nhooks: [\n---\n", &[Hooks, McpServers]),
            (
                "a.md",
                "---\nhooks: {}\nservers: three\n---\nhooks: x\n",
                &[],
            ),
            ("a.md", "text about hooks: and mcpServers:\n", &[]),
            (
                "a.toml",
                "[mcp_servers.a]\ncommand = \"x\"\n",
                &[McpServers],
            ),
            (
                ".kiro/agents/a.json",
                "{\"hooks\": {\"stop\": [{\"command\": \"x\"}]}}",
                &[Hooks],
            ),
            (".kiro/hooks/a.kiro.hook", "{}", &[Hooks]),
            (".kiro/hooks/a.json", "{}", &[Hooks]),
            (".clinerules/hooks/a", "#!/bin/sh", &[Hooks]),
            (".agents/hooks.json", "{\"a\": {\"Stop\": []}}", &[Hooks]),
            (
                "a.md",
                "\n---\nhooks: {Stop: [{command: x}]}\n---\n",
                &[Hooks],
            ),
            ("a.md", "---js\n{name: 1}\n---\n", &[Hooks, McpServers]),
            (
                "r.yaml",
                "extensions:\n  - type: stdio\n    cmd: x\n",
                &[McpServers],
            ),
            (
                ".vscode/extensions.json",
                "{\"extensions\": {\"a\": 1}}",
                &[],
            ),
            ("notes.txt", "hooks: x", &[]),
        ] {
            assert_eq!(
                contained_types(path, text.as_bytes()),
                expected,
                "{path} {text}"
            );
        }
        let bytes = b"---\nhooks: {Stop: [{command: x}]}\nx: \xff\n---\n";
        assert_eq!(contained_types("a.md", bytes), [Hooks]);
    }
}
