//! `.ruler/ruler.toml` of ruler, and the rules, skills and servers next to it.

use agpm_model::ResourceType;
use agpm_text::{Format, NodeKind, NodeRef};

use crate::entries::ManifestEntry;
use crate::formats::foreign::{ForeignFiles, ForeignManifest};
use crate::formats::format_reader::FormatReader;
use crate::formats::local_files::{LocalDirectory, skills};
use crate::formats::servers::servers_of;
use crate::formats::tool_names::tools_of;

/// Settings of the program itself.
const SETTINGS: [&str; 6] = [
    "mcp",
    "gitignore",
    "backup",
    "skills",
    "subagents",
    "nested",
];
/// Keys of `[agents]` that are not agents.
const AGENT_SETTINGS: [&str; 3] = ["enabled", "include_in_rules", "cleanup_orphaned"];

/// Directories of Markdown files, with those in them that hold something else. The rules are everything else.
const DIRECTORIES: [(ResourceType, &str, &[&str]); 3] = [
    (
        ResourceType::Instructions,
        ".",
        &["agents", "commands", "skills"],
    ),
    (ResourceType::Agents, "agents", &[]),
    (ResourceType::Commands, "commands", &[]),
];

pub(super) fn read(files: &mut ForeignFiles<'_>) -> ForeignManifest {
    let mut reading = FormatReader::default();
    let mut manifest = ForeignManifest::default();
    let Some(root) = reading.root(&files.main, "a configuration of ruler") else {
        manifest.diagnostics = reading.diagnostics;
        return manifest;
    };
    let help = "agpm does this by itself, or has no such setting";
    reading.lost_keys(root, &SETTINGS, help);
    manifest.tools = tools(&mut reading, root);
    if let Some(servers) = reading.map(root, "mcp_servers") {
        manifest.entries = servers_of(&mut reading, servers);
    }
    let legacy = files.beside.beside("mcp.json", Format::Jsonc);
    let legacy_root = legacy
        .as_ref()
        .and_then(|parsed| reading.root(parsed, "a file of servers"));
    if let Some(servers) = legacy_root.and_then(|root| reading.map(root, "mcpServers")) {
        let more = servers_of(&mut reading, servers);
        let is_new = |one: &ManifestEntry| {
            !manifest
                .entries
                .iter()
                .any(|existing| existing.name == one.name)
        };
        let more: Vec<ManifestEntry> = more.into_iter().filter(is_new).collect();
        manifest.entries.extend(more);
    }
    manifest.entries.extend(skills(files.beside, "skills"));
    for (kind, path, without) in DIRECTORIES {
        let directory = LocalDirectory {
            kind,
            path,
            without,
        };
        manifest
            .entries
            .extend(directory.entries(files.beside, &mut reading));
    }
    manifest.diagnostics = reading.diagnostics;
    manifest
}

/// The agents that are named, without those that are switched off.
fn tools(reading: &mut FormatReader, root: NodeRef<'_>) -> Vec<String> {
    let listed = reading.list(root, "default_agents");
    let mut names = listed.map_or_else(Vec::new, |list| reading.texts(list, "an agent"));
    let agents = reading.map(root, "agents");
    let is_off =
        |settings: NodeRef<'_>| settings.get("enabled").and_then(NodeRef::as_bool) == Some(false);
    for (name, settings) in agents.into_iter().flat_map(NodeRef::entries) {
        let word = name.content();
        if AGENT_SETTINGS.contains(&word) {
            continue;
        }
        if settings.kind() != NodeKind::Map {
            let message = format!("`{word}` is {}, not a table", settings.kind().word());
            reading.malformed(settings, message, "check the file");
        } else if is_off(settings) {
            names.retain(|(_, one)| *one != word);
        } else if listed.is_none() {
            names.push((name, word));
        }
        if let Some(servers) = settings.get("mcp_servers") {
            let message = format!("the servers of `{word}` alone have no counterpart");
            reading.report_lost(servers, message, "add them by hand, with `tool`");
        }
    }
    tools_of(reading, names)
}
