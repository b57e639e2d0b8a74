//! From the files of a plugin to its parts.

use std::collections::{BTreeMap, BTreeSet};

use agpm_diag::{Diagnostic, Notes, codes, has_errors};
use agpm_model::{Glob, ResourceId, ResourceName, ResourceType, SKILL_FILE, ServerFile};
use agpm_text::{Document, Format, Limits, NodeKind, NodeRef, Value, parse, to_value};

use crate::plugin::limits::MOST_PARTS;
use crate::plugin::manifest::{ManifestFile, PluginComponents, PluginDependency, PluginDialect};
use crate::plugin::reader::PluginFileReader;
use crate::plugin::tree::{PluginContext, PluginTree};

/// A resource that is in a plugin.
#[derive(Clone, Debug)]
pub struct PluginPart {
    /// The id of the plugin part.
    pub id: ResourceId,
    /// The path, from the root of the plugin.
    pub path: String,
    /// The content of the plugin part.
    pub content: PartContent,
}

/// The content of a part.
#[derive(Clone, Debug, PartialEq)]
pub enum PartContent {
    /// The file at its path.
    File,
    /// The directory at its path, which is empty for the plugin itself.
    Directory,
    /// An object in the file at its path.
    Inline(Value),
}

/// A plugin as its files describe it.
#[derive(Clone, Debug, Default)]
pub struct PluginListing {
    /// The plugins that it requires.
    pub dependencies: Vec<PluginDependency>,
    /// The parts, by type and name.
    pub parts: Vec<PluginPart>,
    /// Contents that no tool of agpm gets.
    pub unsupported: Vec<String>,
    /// The client whose manifest it has.
    pub dialect: Option<PluginDialect>,
}

/// Whether the default directories are searched too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DefaultDirectories {
    Searched,
    /// Only for types without a key in the manifest.
    Unnamed,
    Skipped,
}

impl DefaultDirectories {
    fn are_searched(self, kind: ResourceType, components: &PluginComponents) -> bool {
        match self {
            DefaultDirectories::Searched => true,
            DefaultDirectories::Unnamed => !components.named.contains(&kind),
            DefaultDirectories::Skipped => false,
        }
    }
}

/// Finds the parts of one plugin.
pub(crate) struct PartFinder<'r, 'a> {
    pub(crate) tree: &'r PluginTree<'a>,
    pub(crate) context: PluginContext<'r>,
    pub(crate) notes: &'r mut Notes,
    parts: BTreeMap<(ResourceType, String), PluginPart>,
    unsupported: BTreeSet<String>,
    /// The manifest; the entry of a marketplace may replace it.
    manifest: Option<ManifestFile>,
}

impl<'r, 'a> PartFinder<'r, 'a> {
    /// Nothing is found yet.
    pub(crate) fn new(
        tree: &'r PluginTree<'a>,
        context: PluginContext<'r>,
        manifest: Option<ManifestFile>,
        notes: &'r mut Notes,
    ) -> Self {
        PartFinder {
            tree,
            context,
            notes,
            parts: BTreeMap::new(),
            unsupported: BTreeSet::new(),
            manifest,
        }
    }
}

/// Directories and files of a plugin that agpm does not install, and what they hold.
const UNSUPPORTED_PATHS: [(&str, &str); 6] = [
    (".lsp.json", "lspServers"),
    ("output-styles", "outputStyles"),
    ("themes", "themes"),
    ("monitors", "monitors"),
    ("settings.json", "settings"),
    ("rules", "rules"),
];

/// Files that describe a directory to people.
fn is_read_me(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.eq_ignore_ascii_case("readme.md")
}

impl<'a> PartFinder<'_, 'a> {
    pub(crate) fn listing(
        self,
        dependencies: Vec<PluginDependency>,
        dialect: Option<PluginDialect>,
    ) -> PluginListing {
        let mut parts: Vec<PluginPart> = self.parts.into_values().collect();
        if parts.len() > MOST_PARTS {
            let message = format!(
                "plugin `{}` has more than {MOST_PARTS} parts",
                self.context.name
            );
            let found = Diagnostic::new(&codes::PLUGIN_MANIFEST, message);
            self.notes
                .diagnostics
                .push(found.help("choose another plugin"));
            parts.clear();
        }
        PluginListing {
            dependencies,
            parts,
            unsupported: self.unsupported.into_iter().collect(),
            dialect,
        }
    }

    /// Leaves the default directories out for types that an entry without a plugin manifest lists itself.
    pub(crate) fn forget_defaults(&mut self, components: &PluginComponents) {
        self.parts
            .retain(|(kind, _), _| !components.named.contains(kind));
    }

    pub(crate) fn find(&mut self, components: &PluginComponents, defaults: DefaultDirectories) {
        let is_searched = |kind| defaults.are_searched(kind, components);
        for (kind, default, named) in [
            (ResourceType::Agents, "agents", &components.agents),
            (ResourceType::Commands, "commands", &components.commands),
        ] {
            if is_searched(kind) {
                self.markdown_in(kind, default);
            }
            named.iter().for_each(|path| self.markdown(kind, path));
        }
        if is_searched(ResourceType::Skills) {
            self.skills_in("skills");
            self.skill_at_top();
        }
        if is_searched(ResourceType::Hooks) {
            self.hooks_of("hooks/hooks.json");
        }
        if is_searched(ResourceType::McpServers) {
            self.servers_of(self.default_servers());
        }
        if defaults != DefaultDirectories::Skipped {
            for (path, feature) in UNSUPPORTED_PATHS {
                if self.tree.has(path) {
                    self.unsupported.insert(feature.to_owned());
                }
            }
        }
        for path in &components.skills {
            self.named_skills(path);
        }
        for path in &components.hook_files {
            if self.tree.has_file(path) {
                self.hooks_of(path);
            } else {
                self.missing("hooks", path);
            }
        }
        for hooks in &components.hooks {
            self.add_hooks(self.manifest_path(), PartContent::Inline(hooks.clone()));
        }
        for path in &components.server_files {
            match (path.rsplit('.').next(), self.tree.has_file(path)) {
                (Some("mcpb" | "dxt"), _) => {
                    self.unsupported.insert("mcpServers in bundles".to_owned());
                }
                (_, true) => self.servers_of(path),
                (_, false) => self.missing("mcpServers", path),
            }
        }
        for (name, server) in &components.servers {
            self.add_server(self.manifest_path(), name, server.clone());
        }
        self.unsupported
            .extend(components.unsupported.iter().cloned());
    }

    /// The file that objects in the manifest are written in.
    fn manifest_path(&self) -> &'static str {
        self.manifest.map_or("marketplace.json", |file| file.path)
    }

    /// The file of servers. Cursor's has no dot; plugins for several clients have the other one.
    fn default_servers(&self) -> &'static str {
        const COMMON: &str = ".mcp.json";
        let is_cursor = |file: ManifestFile| file.dialect == PluginDialect::Cursor;
        if self.manifest.is_some_and(is_cursor) && !self.tree.has_file(COMMON) {
            "mcp.json"
        } else {
            COMMON
        }
    }

    /// A path of the manifest where nothing is.
    fn missing(&mut self, key: &str, path: &str) {
        // Manifests of other clients than Claude Code are often generated, and name the default of every type.
        let defaults = [
            "agents",
            "commands",
            "skills",
            "hooks/hooks.json",
            self.default_servers(),
        ];
        let replaces = |file: ManifestFile| file.dialect.replaces_defaults();
        if defaults.contains(&path) && self.manifest.is_some_and(replaces) {
            return;
        }
        let message = format!(
            "plugin `{}` has no `{path}`, which `{key}` refers to",
            self.context.name
        );
        let found = Diagnostic::new(&codes::PLUGIN_MISSING_FILE, message);
        self.notes
            .diagnostics
            .push(found.help("report it to the plugin's author, or choose another version"));
    }

    /// A file or a directory of Markdown files.
    fn markdown(&mut self, kind: ResourceType, path: &str) {
        if self.tree.has_file(path) {
            self.add_markdown(kind, path, stem(path));
        } else if self.tree.has(path) {
            self.markdown_in(kind, path);
        } else if let Some(files) = self.matches(path) {
            for file in files {
                self.add_markdown(kind, file, stem(file));
            }
        } else {
            self.missing(kind.plural(), path);
        }
    }

    /// The Markdown files that a pattern matches; `None` for a path without wildcards.
    fn matches(&self, pattern: &str) -> Option<Vec<&'a str>> {
        let is_pattern = pattern.contains(['*', '?', '[']);
        let glob = Glob::new(pattern).ok().filter(|_| is_pattern)?;
        let files = self.tree.under("").map(|(path, _)| path);
        let is_match = |path: &&str| path.ends_with(".md") && glob.is_match(path);
        Some(files.filter(is_match).collect())
    }

    fn markdown_in(&mut self, kind: ResourceType, directory: &str) {
        let files: Vec<(&str, &str)> = self
            .tree
            .under(directory)
            .filter(|(_, inner)| inner.ends_with(".md") && !is_read_me(inner))
            .collect();
        let mut count: BTreeMap<&str, usize> = BTreeMap::new();
        for (_, inner) in &files {
            *count.entry(stem(inner)).or_default() += 1;
        }
        for (path, inner) in files {
            // Directories are namespaces: they distinguish files of one name.
            let is_alone = count.get(stem(inner)).is_none_or(|count| *count == 1);
            let nested = inner.strip_suffix(".md").unwrap_or(inner).replace('/', "-");
            let name = if is_alone { stem(inner) } else { &nested };
            self.add_markdown(kind, path, name);
        }
    }

    fn add_markdown(&mut self, kind: ResourceType, path: &str, name: &str) {
        self.add(kind, name, path, PartContent::File);
    }

    fn named_skills(&mut self, path: &str) {
        // Some manifests name the file instead of the directory.
        let path = path.strip_suffix("/SKILL.md").unwrap_or(path);
        if self.is_skill(path) {
            self.add_skill(path);
        } else if self.tree.has(path) {
            self.skills_in(path);
        } else {
            self.missing("skills", path);
        }
    }

    fn is_skill(&self, directory: &str) -> bool {
        self.tree.has_file(&joined(directory, SKILL_FILE))
    }

    /// The skills in a directory: its direct children.
    pub(crate) fn skills_in(&mut self, directory: &str) {
        for name in self.skill_directories(directory) {
            self.add_skill(&joined(directory, &name));
        }
    }

    pub(crate) fn skill_directories(&self, directory: &str) -> Vec<String> {
        let child = |(_, inner): (&str, &str)| match inner.split_once('/') {
            Some((child, SKILL_FILE)) => Some(child.to_owned()),
            _ => None,
        };
        self.tree.under(directory).filter_map(child).collect()
    }

    /// A plugin that is one skill.
    fn skill_at_top(&mut self) {
        if self.is_skill("") && !self.tree.has("skills") {
            let name = self.context.name.to_owned();
            self.add(ResourceType::Skills, &name, "", PartContent::Directory);
        }
    }

    pub(crate) fn add_skill(&mut self, directory: &str) {
        let name = match directory {
            "" => self.context.name.to_owned(),
            directory => directory.rsplit('/').next().unwrap_or(directory).to_owned(),
        };
        self.add(
            ResourceType::Skills,
            &name,
            directory,
            PartContent::Directory,
        );
    }

    /// The hooks of a file, which is read completely: what a broken file still shows would be other hooks.
    fn hooks_of(&mut self, path: &str) {
        let Some(document) = self.tree.json(path, self.context, self.notes) else {
            return;
        };
        let mut reader = PluginFileReader::of_plugin(self.context.file(path));
        let is_map = document
            .root()
            .is_some_and(|root| reader.is_map(root, "hooks"));
        self.notes.diagnostics.extend(reader.diagnostics);
        if is_map {
            self.add_hooks(path, PartContent::File);
        }
    }

    /// Hooks have no name: the first ones are called like the plugin.
    fn add_hooks(&mut self, path: &str, content: PartContent) {
        let is_hooks = |part: &&PluginPart| part.id.kind == ResourceType::Hooks;
        let hooks = self.parts.values().filter(is_hooks);
        if hooks
            .clone()
            .any(|part| part.path == path && matches!(part.content, PartContent::File))
        {
            return;
        }
        let name = match hooks.count() {
            0 => self.context.name.to_owned(),
            number => format!("{}-{}", self.context.name, number + 1),
        };
        self.add(ResourceType::Hooks, &name, path, content);
    }

    /// The servers of a file, with and without `mcpServers` around them.
    fn servers_of(&mut self, path: &str) {
        let Some(document) = self.tree.json(path, self.context, self.notes) else {
            return;
        };
        let root = document.root().map(to_value).unwrap_or(Value::Null);
        let servers = match ServerFile::of(&root) {
            ServerFile::Wrapped { servers, .. } | ServerFile::Bare(servers) => servers,
            ServerFile::Single(Value::Map(entries)) if entries.is_empty() => return,
            ServerFile::Single(server) => {
                let name = self.context.name.to_owned();
                self.add_server(path, &name, server.clone());
                return;
            }
        };
        let Value::Map(servers) = servers else {
            return;
        };
        for (name, server) in servers {
            if !ServerFile::is_file_key(name) {
                self.add_server(path, name, server.clone());
            }
        }
    }

    pub(crate) fn add_server(&mut self, path: &str, name: &str, server: Value) {
        let file = Value::map([("mcpServers", Value::map([(name, server)]))]);
        self.add(
            ResourceType::McpServers,
            name,
            path,
            PartContent::Inline(file),
        );
    }

    /// The first of two parts of one name stays: a manifest names again what is in a default directory.
    fn add(&mut self, kind: ResourceType, name: &str, path: &str, content: PartContent) {
        let Ok(own_name) = ResourceName::new(name) else {
            let message = format!(
                "plugin `{}` has a part without a name in `{path}`",
                self.context.name
            );
            let found = Diagnostic::new(&codes::PLUGIN_MANIFEST, message);
            self.notes
                .diagnostics
                .push(found.help("report it to the plugin's author"));
            return;
        };
        let id = ResourceId {
            kind,
            name: own_name,
        };
        let part = PluginPart {
            id,
            path: path.to_owned(),
            content,
        };
        self.parts.entry((kind, name.to_owned())).or_insert(part);
    }

    /// The front matter of a file, if it reads.
    pub(crate) fn front_matter(&mut self, path: &str) -> Option<Document> {
        let text = std::str::from_utf8(self.tree.bytes(path)?).ok()?;
        let name = format!("{}/{path}", self.context.label);
        let source = self.notes.sources.add(name, text.to_owned());
        let parsed = parse(source, text, Format::Markdown, Limits::default());
        let is_map = |root: NodeRef<'_>| root.kind() == NodeKind::Map;
        let reads = !has_errors(&parsed.diagnostics);
        (reads && parsed.document.root().is_some_and(is_map)).then_some(parsed.document)
    }
}

pub(crate) fn joined(directory: &str, name: &str) -> String {
    match directory {
        "" => name.to_owned(),
        directory => format!("{directory}/{name}"),
    }
}

/// The last part of a path without its extensions: `review.agent.md` is `review`.
fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    let name = name.strip_suffix(".md").unwrap_or(name);
    [".agent", ".prompt"]
        .iter()
        .find_map(|end| name.strip_suffix(end))
        .filter(|name| !name.is_empty())
        .unwrap_or(name)
}
