//! Lists environment variables that MCP servers refer to and that are not set: a tool starts such a server without its
//! secret, and the server fails for a reason that nobody sees.

use std::collections::{BTreeMap, BTreeSet};

use agpm_diag::{Diagnostic, Failure, Notes, codes, counted};
use agpm_model::{Manifest, NodeLocation, RelativePath, ResourceType};
use agpm_plan::OwnedNodes;
use agpm_store::ProjectStore;
use agpm_text::{Format, Value, parse_alone, to_value};
use agpm_tools::{StringPart, is_tool_variable, string_parts};

use crate::doctor::CheckSummary;
use crate::doctor::check::{DoctorRequest, project};
use crate::project::ledger::read_ledger;
use crate::project::reading::limit;
use crate::project::world::World;

/// The servers that refer to each variable.
type VariableUsers = BTreeMap<String, BTreeSet<String>>;

pub(super) fn check(
    world: &World,
    _: &DoctorRequest,
    notes: &mut Notes,
) -> Result<CheckSummary, Failure> {
    let Ok((project, store)) = project(world, notes) else {
        return Ok(CheckSummary::Silent);
    };
    let mut users = VariableUsers::new();
    collect_from_manifest(&project.manifest, &mut users);
    // Servers of sources are read where they are installed: their text in the source may be a template.
    let ledger = read_ledger(&store).unwrap_or_default();
    for (path, owned) in &ledger.shared {
        collect_from_file(&store, path, owned, &mut users);
    }
    if users.is_empty() {
        return Ok(CheckSummary::Silent);
    }
    let is_unset = |name: &String| !world.environment.set_variables.contains(name);
    let unset: Vec<(&String, &BTreeSet<String>)> =
        users.iter().filter(|(name, _)| is_unset(name)).collect();
    for (name, servers) in &unset {
        let servers: Vec<&str> = servers.iter().map(String::as_str).collect();
        let message = format!("the variable `{name}` is not set");
        let help = format!(
            "set `{name}` before you start the tool; it is used by {}",
            servers.join(", ")
        );
        notes
            .diagnostics
            .push(Diagnostic::new(&codes::MANIFEST_UNSET_VARIABLE, message).help(help));
    }
    let all = counted(users.len(), "variable", "variables");
    Ok(CheckSummary::Line(match unset.len() {
        0 => format!("{all} of MCP servers set"),
        missing => format!("{missing} of {all} of MCP servers not set"),
    }))
}

fn collect_from_manifest(manifest: &Manifest, users: &mut VariableUsers) {
    for dependency in &manifest.dependencies {
        if let Some(server) = &dependency.server {
            collect_from_value(server, &dependency.id().to_string(), users);
        }
    }
}

/// Collects from the servers that agpm wrote into a shared file. A file that cannot be read is reported by the check of
/// managed files.
fn collect_from_file(
    store: &ProjectStore,
    path: &RelativePath,
    owned: &OwnedNodes,
    users: &mut VariableUsers,
) {
    let servers = format!("{}/", ResourceType::McpServers.plural());
    let is_server = |owner: &str| owner.starts_with(&servers);
    if !owned
        .nodes
        .iter()
        .any(|node| is_server(&node.owner.to_string()))
    {
        return;
    }
    let Some(format) = Format::of_file(path.as_str()) else {
        return;
    };
    let Ok(bytes) = store.read(path, limit()) else {
        return;
    };
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let parsed = parse_alone(text, format);
    for node in &owned.nodes {
        let owner = node.owner.to_string();
        if let NodeLocation::Key(pointer) = &node.location
            && is_server(&owner)
            && let Some(value) = parsed.document.at(pointer)
        {
            collect_from_value(&to_value(value), &owner, users);
        }
    }
}

fn collect_from_value(value: &Value, server: &str, users: &mut VariableUsers) {
    match value {
        Value::String(text) => {
            for part in string_parts(text) {
                if let StringPart::Variable {
                    name,
                    default: None,
                } = part
                    && !is_tool_variable(name)
                {
                    let servers = users.entry(name.to_owned()).or_default();
                    servers.insert(server.to_owned());
                }
            }
        }
        Value::List(items) => {
            for item in items {
                collect_from_value(item, server, users);
            }
        }
        Value::Map(entries) => {
            for (_, item) in entries {
                collect_from_value(item, server, users);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_found_at_any_depth_but_not_those_of_tools_or_with_defaults() {
        let text = r#"{"env": {"A": "${A}", "B": "${B:-x}"}, "args": ["${workspaceFolder}", "--key={env:C}"],
            "cwd": "${CLAUDE_PLUGIN_ROOT}"}"#;
        let parsed = parse_alone(text.to_owned(), Format::Json);
        let mut users = VariableUsers::new();
        let value = to_value(parsed.document.root().expect("a value"));
        collect_from_value(&value, "mcp-servers/s", &mut users);
        assert_eq!(users.keys().collect::<Vec<_>>(), ["A", "C"]);
    }
}
