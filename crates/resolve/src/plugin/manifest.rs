//! `plugin.json`, in the shapes that clients have for it.

use std::collections::BTreeSet;

use agpm_diag::SourceSpan;
use agpm_model::ResourceType;
use agpm_text::{NodeKind, NodeRef, Value, to_value};

use crate::plugin::reader::PluginFileReader;

/// The client whose `plugin.json` it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PluginDialect {
    /// Claude Code.
    Claude,
    /// Cursor, which takes the same keys.
    Cursor,
    /// Codex, which takes the same keys.
    Codex,
    /// Copilot, which takes the same keys.
    Copilot,
    /// Agent Plugins 1.0, which is closed.
    AgentPlugins,
}

impl PluginDialect {
    /// Whether a path in the manifest replaces the default directory instead of adding to it.
    pub(crate) fn replaces_defaults(self) -> bool {
        match self {
            PluginDialect::Cursor | PluginDialect::Codex | PluginDialect::Copilot => true,
            PluginDialect::Claude | PluginDialect::AgentPlugins => false,
        }
    }

    /// Whether relative paths in the commands of hooks start at the plugin, not at the project.
    pub fn runs_hooks_in_plugin(self) -> bool {
        matches!(self, PluginDialect::Cursor | PluginDialect::Copilot)
    }
}

/// A manifest that a plugin may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ManifestFile {
    /// The path in the plugin.
    pub path: &'static str,
    /// The client whose manifest it is.
    pub dialect: PluginDialect,
}

impl ManifestFile {
    const fn new(path: &'static str, dialect: PluginDialect) -> Self {
        ManifestFile { path, dialect }
    }
}

/// The manifests of a plugin, in order of preference. A plugin for several clients has one for each.
pub const MANIFESTS: [ManifestFile; 5] = [
    ManifestFile::new(".claude-plugin/plugin.json", PluginDialect::Claude),
    ManifestFile::new(".cursor-plugin/plugin.json", PluginDialect::Cursor),
    ManifestFile::new(".codex-plugin/plugin.json", PluginDialect::Codex),
    ManifestFile::new(".github/plugin/plugin.json", PluginDialect::Copilot),
    ManifestFile::new("plugin.json", PluginDialect::AgentPlugins),
];

/// The manifest of a plugin.
#[derive(Clone, Debug, Default)]
pub struct PluginManifest {
    /// The name of the plugin manifest.
    pub name: Option<String>,
    /// The version of the plugin manifest.
    pub version: Option<String>,
    /// The purpose of the plugin manifest.
    pub description: Option<String>,
    /// Plugins that it needs.
    pub dependencies: Vec<PluginDependency>,
    /// The parts that it names.
    pub components: PluginComponents,
}

/// A plugin that another one needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PluginDependency {
    /// The name of the plugin dependency.
    pub name: String,
    /// The marketplace that has it, if that is another one.
    pub marketplace: Option<String>,
    /// The range of its versions.
    pub version: Option<String>,
    /// The position in the manifest.
    pub spot: SourceSpan,
}

/// The parts that a manifest names beyond the default directories.
#[derive(Clone, Debug, Default)]
pub struct PluginComponents {
    /// The types that have a key, even without any path.
    pub named: BTreeSet<ResourceType>,
    /// Files and directories of agents.
    pub agents: Vec<String>,
    /// Files and directories of commands.
    pub commands: Vec<String>,
    /// Directories of skills.
    pub skills: Vec<String>,
    /// Files with hooks.
    pub hook_files: Vec<String>,
    /// Hooks in the manifest itself.
    pub hooks: Vec<Value>,
    /// Files with MCP servers.
    pub server_files: Vec<String>,
    /// MCP servers in the manifest itself, by name.
    pub servers: Vec<(String, Value)>,
    /// Keys for what agpm does not install.
    pub unsupported: Vec<String>,
}

/// Keys of parts that no tool but their own has.
const UNSUPPORTED: [&str; 10] = [
    "lspServers",
    "outputStyles",
    "themes",
    "monitors",
    "channels",
    "settings",
    "userConfig",
    "rules",
    "apps",
    "experimental",
];

impl PluginManifest {
    /// Reads the keys that a `plugin.json` and an entry of a marketplace have in common.
    pub(crate) fn read(root: NodeRef<'_>, reader: &mut PluginFileReader) -> Self {
        PluginManifest {
            name: reader.string(root, "name").map(str::to_owned),
            version: reader.string(root, "version").map(str::to_owned),
            description: reader.string(root, "description").map(str::to_owned),
            dependencies: dependencies(root, reader),
            components: PluginComponents::read(root, reader),
        }
    }
}

impl PluginComponents {
    fn read(root: NodeRef<'_>, reader: &mut PluginFileReader) -> Self {
        let mut paths = |key: &str| named_paths(root, key, reader);
        let (agents, commands, skills) = (paths("agents"), paths("commands"), paths("skills"));
        let keys = [
            ("agents", ResourceType::Agents),
            ("commands", ResourceType::Commands),
            ("skills", ResourceType::Skills),
            ("hooks", ResourceType::Hooks),
            ("mcpServers", ResourceType::McpServers),
        ];
        let named = keys.into_iter().filter(|(key, _)| root.get(key).is_some());
        let mut components = PluginComponents {
            named: named.map(|(_, kind)| kind).collect(),
            agents,
            commands,
            skills,
            ..PluginComponents::default()
        };
        components.read_hooks(root, reader);
        components.read_servers(root, reader);
        let is_named = |key: &&str| root.get(key).is_some();
        components.unsupported = UNSUPPORTED
            .into_iter()
            .filter(is_named)
            .map(str::to_owned)
            .collect();
        components
    }

    fn read_hooks(&mut self, root: NodeRef<'_>, reader: &mut PluginFileReader) {
        for node in one_or_many(root, "hooks") {
            match node.kind() {
                NodeKind::String => self.hook_files.extend(reader.path(node)),
                // Without events, the key only turns the default file off.
                NodeKind::Map if node.entries().next().is_none() => {}
                NodeKind::Map => self.hooks.push(hooks_file(to_value(node))),
                _ => reader.wrong_kind(node, "hooks", "a path or an object"),
            }
        }
    }

    fn read_servers(&mut self, root: NodeRef<'_>, reader: &mut PluginFileReader) {
        for node in one_or_many(root, "mcpServers") {
            match node.kind() {
                NodeKind::String => self.server_files.extend(reader.path(node)),
                NodeKind::Map => {
                    let named = |(name, server): (NodeRef<'_>, NodeRef<'_>)| {
                        (name.content().to_owned(), to_value(server))
                    };
                    self.servers.extend(node.entries().map(named));
                }
                _ => reader.wrong_kind(node, "mcpServers", "a path or an object"),
            }
        }
    }
}

/// Hooks as a file has them: under `hooks`.
fn hooks_file(value: Value) -> Value {
    match value.get("hooks") {
        Some(_) => value,
        None => Value::map([("hooks", value)]),
    }
}

fn one_or_many<'n>(root: NodeRef<'n>, key: &str) -> Vec<NodeRef<'n>> {
    match root.get(key) {
        Some(node) if node.kind() == NodeKind::List => node.items().collect(),
        node => node.into_iter().collect(),
    }
}

/// Paths under a key; commands may also be objects with a `source` each.
fn named_paths(root: NodeRef<'_>, key: &str, reader: &mut PluginFileReader) -> Vec<String> {
    let Some(node) = root.get(key) else {
        return Vec::new();
    };
    let nodes = match node.kind() {
        NodeKind::Map => node
            .entries()
            .filter_map(|(_, one)| one.get("source"))
            .filter(|source| source.as_str().is_some())
            .collect(),
        _ => reader.strings(node, key),
    };
    nodes
        .into_iter()
        .filter_map(|node| reader.pattern(node))
        .collect()
}

fn dependencies(root: NodeRef<'_>, reader: &mut PluginFileReader) -> Vec<PluginDependency> {
    let Some(node) = root.get("dependencies") else {
        return Vec::new();
    };
    if node.kind() != NodeKind::List {
        reader.wrong_kind(node, "dependencies", "a list");
        return Vec::new();
    }
    node.items()
        .filter_map(|item| dependency(item, reader))
        .collect()
}

fn dependency(node: NodeRef<'_>, reader: &mut PluginFileReader) -> Option<PluginDependency> {
    let spot = SourceSpan {
        source: node.source(),
        span: node.span(),
    };
    let (name, marketplace, version) = match node.kind() {
        NodeKind::String => match node.content().split_once('@') {
            Some((name, marketplace)) => (name, Some(marketplace), None),
            None => (node.content(), None, None),
        },
        NodeKind::Map => (
            reader.required(node, "name")?,
            reader.string(node, "marketplace"),
            reader.string(node, "version"),
        ),
        _ => {
            reader.wrong_kind(node, "dependencies", "names or objects");
            return None;
        }
    };
    if name.trim().is_empty() {
        let help = "the author must write the name of a plugin";
        reader.error(node, "a dependency has no name".to_owned(), help);
        return None;
    }
    Some(PluginDependency {
        name: name.to_owned(),
        marketplace: marketplace.map(str::to_owned),
        version: version.map(str::to_owned),
        spot,
    })
}
