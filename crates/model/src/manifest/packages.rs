//! Reads the tables of resources.

use std::collections::BTreeSet;

use agpm_diag::{Diagnostic, codes, is_invisible};
use agpm_text::{NodeKind, NodeRef, Value, to_value};

use crate::address::Address;
use crate::check::{Check, ineffective_in_base, spot};
use crate::instruction::{InstructionForm, InstructionScope};
use crate::manifest::inline::read_inline;
use crate::manifest::plugins::{MarketplaceDependency, PartChoice, is_plugin_name};
use crate::manifest::sources::read_source;
use crate::manifest::tables::{DEPENDENCY, MANIFEST_SECTIONS, OLDER_AGPM, PLUGIN, SERVER_KEYS};
use crate::manifest::tools::{NamedTool, tool_list};
use crate::manifest::{
    Dependency, Exclusion, InstallMode, Manifest, ManifestTexts, SectionEntry, Visibility,
};
use crate::marketplace::MarketplacePlugin;
use crate::name::{ResourceName, SourceName, ToolName};
use crate::path::RelativePath;
use crate::pin::ResourceId;
use crate::resource::{RESOURCE_TYPES, ResourceType, TargetLayout};
use crate::schema::{KeyClass, SchemaTable};
use crate::tool::Destination;
use crate::unit::{ResourceExtent, ResourceOrigin, ResourcePath, Unit};
use crate::variant::Variant;
use crate::version::Requirement;

pub(crate) fn read(check: &mut Check, texts: &ManifestTexts<'_>, manifest: &mut Manifest) {
    check_sections(check, texts);
    let named: Vec<String> = (texts.entries)("sources")
        .iter()
        .map(|entry| entry.key.content().to_owned())
        .collect();
    for SectionEntry {
        key: name,
        value: address,
    } in (texts.entries)("sources")
    {
        let scope = texts.scope_of(address);
        manifest
            .sources
            .extend(read_source(check, name, address, scope));
    }
    let mut ignored: Vec<NodeRef<'_>> = texts
        .project
        .root()
        .map(|root| keys_without_effect(root, &MANIFEST_SECTIONS))
        .unwrap_or_default();
    // Private entries come last: a source without a name is spelled as the first entry with its URL spells it, and the
    // shared part must not depend on what one user adds.
    for (visibility, kind) in in_reading_order() {
        for entry in (texts.entries)(kind.plural()) {
            if texts.visibility_of(entry.key) != visibility {
                continue;
            }
            if entry.value.as_bool() == Some(false) && texts.drops(check, kind, entry) {
                let name = ResourceName::new(entry.key.content());
                let id = name.map(|name| ResourceId { kind, name });
                manifest.dropped.extend(id);
                continue;
            }
            let read = DependencyReader {
                check,
                manifest,
                sources: &named,
                texts,
                ignored: &mut ignored,
            }
            .dependency(kind, entry);
            if texts.is_of_base(entry.key) {
                manifest
                    .base_entries
                    .extend(read.as_ref().map(Dependency::id));
            }
            manifest.dependencies.extend(read);
        }
    }
    manifest.dependencies.sort_by_key(|one| one.kind);
    report_ignored(check, &ignored);
}

fn in_reading_order() -> impl Iterator<Item = (Visibility, ResourceType)> {
    let parts = [Visibility::Shared, Visibility::Private].into_iter();
    parts.flat_map(|part| RESOURCE_TYPES.into_iter().map(move |kind| (part, kind)))
}

/// A section that is not a table is reported and must not be treated as an empty one.
fn check_sections(check: &mut Check, texts: &ManifestTexts<'_>) {
    let sections = RESOURCE_TYPES
        .iter()
        .map(|kind| kind.plural())
        .chain(["sources"]);
    for document in texts.documents() {
        for section in sections.clone() {
            if let Some(node) = document.root().and_then(|root| root.get(section)) {
                check.map(node, &format!("`{section}`"));
            }
        }
    }
}

/// The keys of an object that are accepted for existing manifests.
fn keys_without_effect<'n>(map: NodeRef<'n>, schema: &SchemaTable) -> Vec<NodeRef<'n>> {
    let has_none = |key: &NodeRef<'n>| schema.classify(key.content()) == KeyClass::Passthrough;
    map.entries().map(|(key, _)| key).filter(has_none).collect()
}

/// One warning for all of them: a manifest may have the same key on every line.
fn report_ignored(check: &mut Check, ignored: &[NodeRef<'_>]) {
    let names: BTreeSet<&str> = ignored.iter().map(|key| key.content()).collect();
    let names: Vec<String> = names.into_iter().map(|name| format!("`{name}`")).collect();
    let (message, help) = match (ignored.len(), names.as_slice()) {
        (0, _) => return,
        (1, [name]) => (
            format!("{name} is a key of {OLDER_AGPM} and has no effect"),
            "remove it",
        ),
        (count, _) => {
            let names = names.join(", ");
            (
                format!("{count} keys of {OLDER_AGPM} have no effect: {names}"),
                "remove them",
            )
        }
    };
    let mut diagnostic = Diagnostic::new(&codes::MANIFEST_IGNORED_KEY, message).help(help);
    for key in ignored {
        diagnostic = diagnostic.at_spot(spot(*key));
    }
    check.report(diagnostic);
}

struct DependencyReader<'c, 'i, 'n> {
    check: &'c mut Check,
    manifest: &'c mut Manifest,
    /// The names of all sources, including those with an invalid URL.
    sources: &'c [String],
    texts: &'c ManifestTexts<'n>,
    ignored: &'i mut Vec<NodeRef<'n>>,
}

impl<'n> DependencyReader<'_, '_, 'n> {
    fn dependency(&mut self, kind: ResourceType, entry: SectionEntry<'n>) -> Option<Dependency> {
        let SectionEntry { key, value } = entry;
        let name = ResourceName::new(key.content());
        let name = name
            .map_err(|error| {
                self.check
                    .bad_value(key, error.to_string(), "give it a short name")
            })
            .ok()?;
        let unit = Unit {
            origin: ResourceOrigin::Manifest,
            path: ResourcePath::of_name(&name),
            extent: kind.extent(),
            marketplace: None,
        };
        let mut dependency = Dependency {
            kind,
            name,
            unit,
            requirement: Requirement::Only,
            tools: Vec::new(),
            target: None,
            filename: None,
            layout: None,
            exclude: Vec::new(),
            install: InstallMode::Write,
            variant: Variant::PLAIN,
            server: None,
            rename: Vec::new(),
            allow_widening: Vec::new(),
            scope: None,
            form: InstructionForm::default(),
            parts: PartChoice::default(),
            marketplace: None,
            visibility: self.texts.visibility_of(key),
            spot: spot(key),
        };
        if kind == ResourceType::Plugins {
            dependency.filename = Some(self.plugin_directory(key)?);
        }
        match value.kind() {
            NodeKind::String if Address::has_scheme(value.content()) => {
                let scope = self.texts.scope_of(value);
                let sources = &mut self.manifest.sources;
                let found = read_inline(self.check, sources, value, kind, scope)?;
                dependency.unit = found.unit;
                dependency.requirement = found.requirement;
                dependency.name_top();
            }
            NodeKind::String => dependency.unit = self.local(kind, value)?,
            NodeKind::Map => self.table(value, &mut dependency)?,
            _ => {
                self.check.wrong_kind(
                    value,
                    "a dependency",
                    "a path, a URL, or a table with `source` and `path`",
                );
                return None;
            }
        }
        Some(dependency)
    }

    fn table(&mut self, table: NodeRef<'n>, dependency: &mut Dependency) -> Option<()> {
        let schema = match dependency.kind {
            ResourceType::Plugins => &PLUGIN,
            _ => &DEPENDENCY,
        };
        self.check.keys(table, schema);
        self.ignored.extend(keys_without_effect(table, schema));
        dependency.server = self.server(table, dependency.kind);
        let unit = match table.get("marketplace") {
            Some(_) if dependency.kind == ResourceType::Plugins => {
                self.marketplace_plugin(table, dependency)
            }
            _ => self.unit(table, dependency),
        };
        dependency.requirement = self.check.requirement(table);
        dependency.tools = self.tools(table, dependency.kind);
        dependency.target = table
            .get("target")
            .and_then(|node| self.visible_path(node, "`target`"));
        if let Some(node) = table.get("filename") {
            dependency.filename = self.filename(node);
        }
        let flatten = table
            .get("flatten")
            .and_then(|node| self.check.flag(node, "`flatten`"));
        dependency.layout = flatten.map(TargetLayout::of_flatten);
        let install = table
            .get("install")
            .and_then(|node| self.check.flag(node, "`install`"));
        dependency.install = if install == Some(false) {
            InstallMode::ResolveOnly
        } else {
            InstallMode::Write
        };
        if let Some(node) = table.get("in-place")
            && self.check.flag(node, "`in-place`") == Some(true)
        {
            dependency.install = InstallMode::InPlace;
        }
        if let Some(variables) = table.get("template_vars") {
            dependency.variant = self.variant(variables);
        }
        if let Some(rename) = table.get("rename") {
            dependency.rename = self.rename(rename, dependency.kind);
        }
        if let Some(tools) = table.get("allow-widening") {
            if self.texts.is_of_base(tools) {
                self.check
                    .report(ineffective_in_base(tools, "allow-widening"));
            } else {
                dependency.allow_widening = self.tool_names(tools);
            }
        }
        self.instruction(table, dependency);
        self.warn_of_names(table, dependency);
        dependency.unit = unit?;
        dependency.name_top();
        if dependency.install == InstallMode::InPlace {
            self.check_in_place(table, dependency);
        }
        if dependency.kind == ResourceType::Plugins {
            if let Some(path) = table
                .get("path")
                .filter(|_| dependency.unit.path.is_pattern())
            {
                let message = "the `path` of a plugin cannot be a pattern";
                self.check
                    .bad_value(path, message, "add one entry for each plugin");
            }
            dependency.parts = self.check.part_choice(table);
        } else if let Some(names) = table.get("exclude") {
            dependency.exclude = self.exclude(names, &dependency.unit);
        }
        Some(())
    }

    /// `paths` and `block`.
    fn instruction(&mut self, table: NodeRef<'n>, dependency: &mut Dependency) {
        let keys = ["paths", "block"].into_iter();
        let foreign = keys.filter_map(|key| Some((key, table.get(key)?)));
        if dependency.kind != ResourceType::Instructions {
            for (key, node) in foreign {
                let message = format!("only instructions have `{key}`");
                self.check.bad_value(node, message, "remove it");
            }
            return;
        }
        if let Some(node) = table.get("paths") {
            dependency.scope = self.instruction_scope(node);
        }
        let block = table
            .get("block")
            .and_then(|node| self.check.flag(node, "`block`"));
        if block == Some(true) {
            dependency.form = InstructionForm::Block;
        }
    }

    /// `paths = ["src/**"]`, or one string with commas.
    fn instruction_scope(&mut self, node: NodeRef<'n>) -> Option<InstructionScope> {
        let texts: Vec<&str> = match node.kind() {
            NodeKind::String => vec![node.content()],
            _ => {
                let items = self.check.strings(node, "`paths`");
                items.into_iter().map(|(_, text)| text).collect()
            }
        };
        if texts.iter().all(|text| text.trim().is_empty()) {
            let help = "name files, as in `paths = [\"src/**\"]`, or all of them with `\"**\"`";
            self.check.bad_value(node, "`paths` is empty", help);
            return None;
        }
        Some(InstructionScope::of(texts))
    }

    /// A resource in place has no other path, and is a file of this project.
    fn check_in_place(&mut self, table: NodeRef<'n>, dependency: &Dependency) {
        let Some(key) = table.get("in-place") else {
            return;
        };
        if !dependency.kind.can_be_in_place() {
            let message = format!("`in-place` cannot be set for {}", dependency.kind);
            let help = "only resources in their own file can stay in place";
            self.check.bad_value(key, message, help);
        }
        for conflicting in ["source", "target", "filename", "flatten", "install"] {
            if let Some(node) = table.get(conflicting) {
                let message = format!("`in-place` and `{conflicting}` cannot be combined");
                let help = "remove one of them: a file in place is read at `path`";
                self.check.bad_value(node, message, help);
            }
        }
        let path = dependency.unit.path.as_str();
        if path.starts_with("..") || path.starts_with(['/', '~']) {
            let message = "a resource in place is a file of this project";
            let node = table.get("path").unwrap_or(key);
            self.check
                .bad_value(node, message, "write a path in the project");
        }
        if dependency.unit.path.is_pattern() {
            let message = "the path of a resource in place cannot be a pattern";
            let node = table.get("path").unwrap_or(key);
            self.check
                .bad_value(node, message, "add one entry for each file");
        }
    }

    /// The directory of a plugin. Shell commands contain it, so special characters are refused.
    fn plugin_directory(&mut self, key: NodeRef<'n>) -> Option<RelativePath> {
        if !is_plugin_name(key.content()) {
            let message = format!("`{}` cannot be the name of a plugin", key.content());
            let help = "use letters, digits, `-`, `_` and `.`";
            self.check.bad_value(key, message, help);
            return None;
        }
        RelativePath::new(key.content())
            .map_err(|error| self.check.bad_value(key, error.to_string(), "rename it"))
            .ok()
    }

    /// `{ marketplace = "SOURCE", name = "PLUGIN" }`.
    fn marketplace_plugin(
        &mut self,
        table: NodeRef<'n>,
        dependency: &mut Dependency,
    ) -> Option<Unit> {
        let marketplace = table.get("marketplace")?;
        for key in ["source", "path"] {
            if let Some(node) = table.get(key) {
                let message = format!("a plugin of a marketplace has no `{key}`");
                let help = "remove the key: `marketplace.json` sets it";
                self.check.bad_value(node, message, help);
            }
        }
        self.check.string(marketplace, "`marketplace`")?;
        let names = self.sources.iter().map(String::as_str);
        let is_known = self.check.check_known(
            marketplace,
            "source",
            &codes::MANIFEST_UNKNOWN_SOURCE,
            names,
        );
        let name = match table.get("name") {
            Some(node) => {
                let name = self.check.string(node, "`name`")?;
                if name.trim().is_empty() {
                    let help = "write the name from `marketplace.json`";
                    self.check.bad_value(node, "`name` is empty", help);
                }
                name.to_owned()
            }
            None => dependency.name.to_string(),
        };
        let source = SourceName::new(marketplace.content())
            .ok()
            .filter(|_| is_known)?;
        let plugin = MarketplacePlugin {
            marketplace: source.clone(),
            name,
        };
        dependency.marketplace = Some(MarketplaceDependency {
            plugin: plugin.clone(),
            requirement: self.check.requirement(table),
            pin: None,
        });
        // The marketplace, which is read later, decides the path.
        Some(Unit {
            origin: ResourceOrigin::Source(source),
            path: ResourcePath::of_name(&dependency.name),
            extent: dependency.kind.extent(),
            marketplace: Some(plugin),
        })
    }

    /// Entries of a shared file have neither a file name nor a directory.
    fn warn_of_names(&mut self, table: NodeRef<'n>, dependency: &Dependency) {
        let tools = self.manifest.tools.of(dependency);
        let is_merged = |tool: &ToolName| {
            let tool = self.manifest.tools.named(tool.as_str());
            let destination = tool.and_then(|tool| tool.destination(dependency.kind));
            let is_block = dependency.form == InstructionForm::Block;
            match destination {
                Some(Destination::Entries(..) | Destination::Blocks(_)) => true,
                _ => is_block,
            }
        };
        if !tools.iter().all(is_merged) {
            return;
        }
        let names: Vec<&str> = tools.iter().map(ToolName::as_str).collect();
        let (kind, names) = (dependency.kind, names.join(", "));
        let message = |key: &str| format!("`{key}` has no effect on {kind} of {names}");
        let keys = ["filename", "target"]
            .into_iter()
            .filter_map(|key| Some((message(key), table.get(key)?)));
        let keys: Vec<(String, NodeRef<'n>)> = keys.collect();
        for (message, node) in keys {
            let help = "remove it: entries are merged into one file, under their own names";
            let diagnostic =
                Diagnostic::new(&codes::MANIFEST_IGNORED_KEY, message).at_spot(spot(node));
            self.check.report(diagnostic.help(help));
        }
    }

    fn exclude(&mut self, node: NodeRef<'n>, unit: &Unit) -> Vec<Exclusion> {
        if !unit.path.is_pattern() {
            let help = "remove the key, or write a pattern such as `agents/*.md` as `path`";
            self.check
                .bad_value(node, "`exclude` needs a pattern in `path`", help);
            return Vec::new();
        }
        let names = self.check.strings(node, "`exclude`");
        names
            .into_iter()
            .map(|(item, name)| Exclusion {
                name: name.to_owned(),
                spot: spot(item),
            })
            .collect()
    }

    /// `rename = { OLD = "NEW" }`.
    fn rename(&mut self, node: NodeRef<'n>, kind: ResourceType) -> Vec<(String, String)> {
        if !matches!(kind, ResourceType::McpServers | ResourceType::Plugins) {
            self.check.bad_value(
                node,
                "only MCP servers and plugins have `rename`",
                "use `filename` for the name of a file",
            );
            return Vec::new();
        }
        if !self.check.map(node, "`rename`") {
            return Vec::new();
        }
        let mut names: Vec<(String, String)> = Vec::new();
        for (old, new) in node.entries() {
            let Some(name) = self.check.string(new, "a new name") else {
                continue;
            };
            if name.trim().is_empty() {
                self.check.bad_value(
                    new,
                    "a server needs a name",
                    "write `rename = { OLD = \"NEW\" }`",
                );
            } else {
                names.push((old.content().to_owned(), name.to_owned()));
            }
        }
        names
    }

    /// `allow-widening = ["TOOL", …]`.
    fn tool_names(&mut self, node: NodeRef<'n>) -> Vec<ToolName> {
        let tools: Vec<String> = self
            .manifest
            .tools
            .iter()
            .map(|tool| tool.name.to_string())
            .collect();
        let mut names = Vec::new();
        for (node, name) in self.check.strings(node, "`allow-widening`") {
            let tools = tools.iter().map(String::as_str);
            if self
                .check
                .check_known(node, "tool", &codes::MANIFEST_UNKNOWN_TOOL, tools)
            {
                names.extend(ToolName::new(name).ok());
            }
        }
        names
    }

    /// Dependencies with the same variables share a variant.
    fn variant(&mut self, node: NodeRef<'n>) -> Variant {
        if !self.check.map(node, "`template_vars`") {
            return Variant::PLAIN;
        }
        if let Some(own_table) = node.get("agpm") {
            let help = "project variables are under `project`; give others their own names";
            self.check.bad_value(
                own_table,
                "`agpm` in `template_vars` would hide the built-in names",
                help,
            );
        }
        if let Some(project) = node.get("project") {
            self.check.map(project, "`project` in `template_vars`");
        }
        self.manifest.variants.of(to_value(node))
    }

    /// The resource in its source.
    fn unit(&mut self, table: NodeRef<'n>, dependency: &Dependency) -> Option<Unit> {
        let kind = dependency.kind;
        let source = table.get("source");
        let inline = ["command", "url"]
            .iter()
            .any(|key| table.get(key).is_some());
        let Some(path) = table.get("path") else {
            if inline && dependency.server.is_some() && source.is_none() {
                return Some(dependency.unit.clone());
            }
            self.check.required(table, "path", "dependency");
            return None;
        };
        let Some(source) = source else {
            self.check.no_versions(table, "a file");
            return self.local(kind, path);
        };
        self.check.string(source, "`source`")?;
        let names = self.sources.iter().map(String::as_str);
        let is_known =
            self.check
                .check_known(source, "source", &codes::MANIFEST_UNKNOWN_SOURCE, names);
        let text = self.check.string(path, "`path`")?;
        let found = match kind.extent() {
            ResourceExtent::Plugin | ResourceExtent::Directory => {
                ResourcePath::directory_in_source(kind.directory_of(text))
            }
            ResourceExtent::File => ResourcePath::in_source(text),
        };
        let path = self.path(path, found)?;
        let name = SourceName::new(source.content())
            .ok()
            .filter(|_| is_known)?;
        Some(Unit {
            origin: ResourceOrigin::Source(name),
            path,
            extent: kind.extent(),
            marketplace: None,
        })
    }

    fn local(&mut self, kind: ResourceType, node: NodeRef<'n>) -> Option<Unit> {
        let text = self.check.string(node, "`path`")?;
        let path = self.path(node, ResourcePath::local(kind.directory_of(text)))?;
        Some(Unit {
            origin: ResourceOrigin::Local,
            path,
            extent: kind.extent(),
            marketplace: None,
        })
    }

    fn path(
        &mut self,
        node: NodeRef<'n>,
        path: Result<ResourcePath, crate::path::PathError>,
    ) -> Option<ResourcePath> {
        let help =
            "write a file or a pattern such as `agents/*.md`, relative to the root of the source";
        let path = path
            .map_err(|error| self.check.bad_path(node, error, error.to_string(), help))
            .ok()?;
        if let Err(error) = path.glob() {
            let message = format!("invalid file pattern: {error}");
            self.check.bad_value(node, message, help);
            return None;
        }
        Some(path)
    }

    /// `tool = "NAME"` or `tools = ["NAME", …]`.
    fn tools(&mut self, table: NodeRef<'n>, kind: ResourceType) -> Vec<ToolName> {
        let named: Vec<NamedTool<'n>> = match (table.get("tool"), table.get("tools")) {
            (Some(_), Some(list)) => {
                let help = "keep one of them: `tool` for one tool, `tools` for several";
                self.check
                    .bad_value(list, "`tool` and `tools` cannot be combined", help);
                Vec::new()
            }
            (Some(node), None) => self.tool(node).into_iter().collect(),
            (None, Some(list)) => tool_list(self.check, list, "`tools`", &self.manifest.tools),
            (None, None) => Vec::new(),
        };
        let named = named.into_iter();
        named
            .filter_map(|(node, tool)| self.check_support(node, tool, kind))
            .collect()
    }

    fn tool(&mut self, node: NodeRef<'n>) -> Option<NamedTool<'n>> {
        let name = self.check.string(node, "`tool`")?;
        let tools = &self.manifest.tools;
        let tool_names: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
        let tool_names = tool_names.iter().copied();
        let code = &codes::MANIFEST_UNKNOWN_TOOL;
        let is_known = self.check.check_known(node, "tool", code, tool_names);
        Some((node, ToolName::new(name).ok()?)).filter(|_| is_known)
    }

    /// Reports a tool that does not support the type.
    fn check_support(
        &mut self,
        node: NodeRef<'n>,
        name: ToolName,
        kind: ResourceType,
    ) -> Option<ToolName> {
        let tools = &self.manifest.tools;
        if !tools.supports(&name, kind) {
            let able: Vec<&str> = tools
                .iter()
                .filter(|tool| tool.destination(kind).is_some())
                .map(|t| t.name.as_str())
                .collect();
            let help = format!("tools that support it: {}", able.join(", "));
            let message = format!("the tool `{name}` does not support {kind}");
            let diagnostic = Diagnostic::new(&codes::MANIFEST_VALUE, message).at_spot(spot(node));
            self.check.report_missing(diagnostic.help(help));
            return None;
        }
        Some(name)
    }

    /// A path without invisible characters: two names that look the same are confusing.
    fn visible_path(&mut self, node: NodeRef<'n>, what: &str) -> Option<RelativePath> {
        let path = self.check.path(node, what)?;
        if let Some(hidden) = path.as_str().chars().find(|c| is_invisible(*c)) {
            let message = format!(
                "{what} contains the invisible character U+{:04X}",
                u32::from(hidden)
            );
            self.check.bad_value(node, message, "remove the character");
            return None;
        }
        Some(path)
    }

    fn filename(&mut self, node: NodeRef<'n>) -> Option<RelativePath> {
        let path = self.visible_path(node, "`filename`")?;
        if path.as_str().contains('/') {
            self.check.bad_value(
                node,
                "`filename` contains a directory",
                "put the directory into `target`",
            );
            return None;
        }
        Some(path)
    }

    fn server(&mut self, table: NodeRef<'n>, kind: ResourceType) -> Option<Value> {
        let set: Vec<(&str, NodeRef<'n>)> = SERVER_KEYS
            .into_iter()
            .filter_map(|key| Some((key, table.get(key)?)))
            .collect();
        let (first, node) = *set.first()?;
        if kind != ResourceType::McpServers {
            self.check.bad_value(
                node,
                format!("only MCP servers have `{first}`"),
                "remove it",
            );
            return None;
        }
        for (key, node) in &set {
            let what = format!("`{key}`");
            match *key {
                "args" => drop(self.check.strings(*node, &what)),
                "env" if self.check.map(*node, &what) => {
                    for (_, value) in node.entries() {
                        self.check.string(value, "a variable");
                    }
                }
                "env" => {}
                _ => {
                    self.check.string(*node, &what);
                }
            }
        }
        Some(Value::map(
            set.into_iter().map(|(key, node)| (key, to_value(node))),
        ))
    }
}
