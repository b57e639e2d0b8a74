//! The capability set of text or a value, in every form that a tool reads.

use std::collections::BTreeSet;

use agpm_model::ResourceType;
use agpm_text::{Format, Value, parse_alone, to_value};

use crate::capability::{Capability, CapabilityKind, capabilities_of, capabilities_of_markdown};
use crate::capability_set::{CapabilitySet, RunCommand, ToolAccess};
use crate::tool_rule::ToolRule;

/// Keys whose object holds variables, by name.
const ENV_OBJECTS: [&str; 2] = ["env", "environment"];
/// Keys that name variables: one, a list, or the values of an object.
const ENV_NAMES: [&str; 3] = ["env_vars", "bearer_token_env_var", "env_http_headers"];
/// Modes that ask as much as a tool does by itself, or more.
const CAREFUL_MODES: [&str; 3] = ["default", "plan", "ask"];

/// Keys whose object holds MCP servers.
const SERVER_OBJECTS: [&str; 7] = [
    "mcpServers",
    "mcp-servers",
    "mcp_servers",
    "amp.mcpServers",
    "context_servers",
    "servers",
    "mcp",
];

/// The set of a hook, a server or a settings file.
pub fn capability_set_of_value(kind: Option<ResourceType>, value: &Value) -> CapabilitySet {
    let mut set = CapabilitySet::default();
    add_found(&mut set, kind, capabilities_of(value));
    let is_settings = kind.is_none();
    match value {
        // Variables of a settings file are those of the tool itself; only servers and hooks pass their variables on.
        Value::Map(entries) if is_settings => {
            let further = entries
                .iter()
                .filter(|(key, _)| !ENV_OBJECTS.contains(&key.as_str()));
            further.for_each(|(key, inner)| walk_entry(&mut set, key, inner));
        }
        _ => walk(&mut set, value),
    }
    set
}

/// The set of an agent, a command or a skill.
pub fn capability_set_of_markdown(kind: ResourceType, text: &str) -> CapabilitySet {
    let mut set = CapabilitySet::default();
    add_found(&mut set, Some(kind), capabilities_of_markdown(text));
    let parsed = parse_alone(text, Format::Markdown);
    let front = parsed.document.root().map(to_value);
    let front = front.unwrap_or(Value::Null);
    let (key, unstated) = match kind {
        ResourceType::Agents => ("tools", ToolAccess::Unlimited),
        _ => ("allowed-tools", ToolAccess::Session),
    };
    let listed = front.get(key).and_then(rules);
    set.tools = Some(listed.map_or(unstated, ToolAccess::Listed));
    for key in ["disallowedTools", "disallowed-tools"] {
        set.denied
            .extend(front.get(key).and_then(rules).into_iter().flatten());
    }
    for key in ["mcpServers", "mcp-servers", "mcp_servers", "hooks"] {
        if let Some(inner) = front.get(key) {
            walk(&mut set, inner);
        }
    }
    set
}

/// The set of text that a tool always reads.
pub fn capability_set_of_instructions(path: &str, text: &str) -> CapabilitySet {
    let mut set = CapabilitySet::default();
    set.instructs.insert(path.to_owned(), text.len());
    set
}

fn add_found(set: &mut CapabilitySet, kind: Option<ResourceType>, found: Vec<Capability>) {
    for one in found {
        let is_server = |step: &String| SERVER_OBJECTS.contains(&step.as_str());
        match one.kind {
            CapabilityKind::Runs => {
                if kind == Some(ResourceType::McpServers)
                    || one.pointer.steps().iter().any(is_server)
                {
                    set.server_commands.insert(one.value.clone());
                }
                set.runs.insert(RunCommand {
                    command: one.value,
                    event: one.event,
                });
            }
            CapabilityKind::Connects => {
                set.connects.insert(host_of(&one.value));
            }
            CapabilityKind::Permission => {
                set.permission.insert(one.value);
            }
        }
    }
}

/// The host of a URL; the whole value where none can be seen, as in `${BASE_URL}/mcp`.
fn host_of(url: &str) -> String {
    let Some((_, rest)) = url.split_once("://") else {
        return url.to_owned();
    };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or(rest);
    let host = authority
        .rsplit_once('@')
        .map_or(authority, |(_, host)| host);
    let host = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|b| b.is_ascii_digit()) => name,
        _ => host,
    };
    if host.is_empty() {
        url.to_owned()
    } else {
        host.to_ascii_lowercase()
    }
}

fn walk(set: &mut CapabilitySet, value: &Value) {
    match value {
        Value::List(items) => items.iter().for_each(|item| walk(set, item)),
        Value::Map(entries) => {
            for (key, inner) in entries {
                walk_entry(set, key, inner);
            }
        }
        _ => {}
    }
}

fn walk_entry(set: &mut CapabilitySet, key: &str, value: &Value) {
    entry(set, key, value);
    walk(set, value);
}

fn entry(set: &mut CapabilitySet, key: &str, value: &Value) {
    match (key, value) {
        (key, Value::Map(entries)) if ENV_OBJECTS.contains(&key) => {
            set.env.extend(entries.iter().map(|(name, _)| name.clone()));
        }
        (key, value) if ENV_NAMES.contains(&key) => set.env.extend(strings(value)),
        ("permissions", value) => {
            set.granted
                .extend(value.get("allow").and_then(rules).into_iter().flatten());
            set.denied
                .extend(value.get("deny").and_then(rules).into_iter().flatten());
        }
        ("permission", Value::Map(entries)) => opencode_permissions(set, entries),
        ("defaultMode" | "permissionMode", Value::String(mode))
            if !CAREFUL_MODES.contains(&mode.as_str()) =>
        {
            set.permission.insert(mode.clone());
        }
        ("sandbox", value) if value.get("enabled") == Some(&Value::Bool(false)) => {
            set.permission.insert("sandbox off".to_owned());
        }
        _ => {}
    }
}

/// `{ "bash": "allow", "edit": { "*.md": "deny" } }`.
fn opencode_permissions(set: &mut CapabilitySet, entries: &[(String, Value)]) {
    for (tool, value) in entries {
        let single = [("*".to_owned(), value.clone())];
        let uses: &[(String, Value)] = match value {
            Value::Map(uses) => uses,
            _ => &single,
        };
        for (pattern, answer) in uses {
            let rule = ToolRule::parse(&format!("{tool}({pattern})"));
            match answer.as_str() {
                Some("allow") => drop(set.granted.insert(rule)),
                Some("deny") => drop(set.denied.insert(rule)),
                _ => {}
            }
        }
    }
}

/// The rules of a list, or of a string that lists them; `None` for other values.
fn rules(value: &Value) -> Option<BTreeSet<ToolRule>> {
    match value {
        Value::String(text) => Some(ToolRule::parse_list(text).into_iter().collect()),
        Value::List(items) => {
            let texts = items.iter().filter_map(Value::as_str);
            Some(texts.map(ToolRule::parse).collect())
        }
        _ => None,
    }
}

fn strings(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => vec![text.clone()],
        Value::List(items) => items.iter().flat_map(strings).collect(),
        Value::Map(entries) => entries
            .iter()
            .flat_map(|(_, inner)| strings(inner))
            .collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn of_json(text: &str) -> CapabilitySet {
        let parsed = parse_alone(text, Format::Json);
        capability_set_of_value(None, &to_value(parsed.document.root().unwrap()))
    }

    fn listed(set: &CapabilitySet) -> Vec<String> {
        let increases = set.increases_over(&CapabilitySet::default());
        increases.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn servers_and_hooks() {
        let text = r#"{"mcpServers": {"a": {"command": "npx", "args": ["x"], "env": {"TOKEN": "${T}"}},
            "b": {"url": "https://user@API.corp:8080/mcp", "bearer_token_env_var": "KEY"}}}"#;
        assert_eq!(
            listed(&of_json(text)),
            ["runs npx x", "connects api.corp", "env KEY", "env TOKEN"]
        );
    }

    #[test]
    fn settings() {
        let text = r#"{"permissions": {"allow": ["Bash(git:*)"], "deny": ["Read(.env)"], "defaultMode": "acceptEdits"},
            "sandbox": {"enabled": false}, "env": {"RUST_LOG": "info"}, "statusLine": {"command": "s.sh"}}"#;
        let set = of_json(text);
        assert_eq!(
            listed(&set),
            [
                "runs s.sh",
                "tools Bash(git:*)",
                "permission acceptEdits",
                "permission sandbox off"
            ]
        );
        assert_eq!(set.denied.len(), 1);
    }

    #[test]
    fn agents_without_tools_have_all_and_skills_those_of_the_session() {
        let agent = capability_set_of_markdown(ResourceType::Agents, "---\nname: a\n---\n");
        assert_eq!(agent.tools, Some(ToolAccess::Unlimited));
        assert!(agent.is_empty());
        let skill = capability_set_of_markdown(ResourceType::Skills, "text");
        assert_eq!(skill.tools, Some(ToolAccess::Session));
        let limited = capability_set_of_markdown(
            ResourceType::Skills,
            "---\nallowed-tools: Read Bash(git:*)\n---\n",
        );
        assert_eq!(limited.tools.unwrap().to_string(), "Bash(git:*), Read");
    }
}
