//! Expands a resolved plugin into its parts: entries like any other, with the plugin's files as their content.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use agpm_diag::{Diagnostic, EntryRemedy, Failure, Notes, PartNaming, Remedy, codes, did_you_mean};
use agpm_model::{
    Checksum, Dependency, FileMode, InstructionForm, LockedPlacement, Manifest, PartChoice,
    PartFilter, PartNames, RelativePath, ResourceId, ResourceName, ResourcePath, ResourceType,
    SKILL_FILE, TargetLayout, ToolName, Unit, is_plugin_name,
};
use agpm_plan::{ResourceEntry, TargetClash, TargetRequest, ToolSharing, clashes, placements};
use agpm_plugin::{
    MarketplaceEntry, PartContent, PluginContext, PluginListing, PluginPart, PluginTree,
    named_files, read_plugin, unknown_variables,
};
use agpm_render::patch;
use agpm_text::{Format, Value, parse_alone, to_value};

use crate::entries::{ResolvedEntry, is_written_as_file};
use crate::index::{DeclaredNeeds, ResourceFiles, SourceFile};
use crate::plugin_root::PluginDirectory;

/// The marketplace entries of plugins, by unit.
pub type MarketplaceEntries = BTreeMap<Unit, MarketplaceEntry>;

/// Adds the parts of all plugins to the entries; all mistakes in them are reported together.
pub fn expand_plugins(
    manifest: &Manifest,
    marketplaces: &MarketplaceEntries,
    entries: &mut Vec<ResolvedEntry>,
    notes: &mut Notes,
) -> Result<(), Failure> {
    let mut parts = Vec::new();
    for (number, plugin) in entries.iter().enumerate() {
        if plugin.entry.kind != ResourceType::Plugins || !is_installed(entries, number) {
            continue;
        }
        let expansion = PluginExpansion::new(manifest, plugin);
        if !is_plugin_name(expansion.name()) {
            notes.diagnostics.push(expansion.bad_name());
            continue;
        }
        parts.extend(expansion.parts(marketplaces.get(&plugin.entry.unit), notes));
    }
    notes.check()?;
    point_to_plugins(entries);
    entries.extend(parts);
    report_part_clashes(manifest, entries, notes);
    notes.check()?;
    report_target_clashes(manifest, entries, notes);
    notes.check()
}

/// Reports parts with the same target as another resource, whatever their names.
fn report_target_clashes(manifest: &Manifest, entries: &[ResolvedEntry], notes: &mut Notes) {
    let files = entries.iter().enumerate().filter_map(|(number, resolved)| {
        let is_file = is_written_as_file(manifest, &resolved.entry);
        Some((number, resolved.entry.target.as_ref().filter(|_| is_file)?))
    });
    for TargetClash {
        path,
        first,
        second,
    } in clashes(files)
    {
        let (first, second) = (&entries[first], &entries[second]);
        let part = [second, first]
            .into_iter()
            .find_map(|resolved| Some((resolved, resolved.part_of.as_ref()?)));
        let Some((part, plugin)) = part else {
            continue;
        };
        let message = format!("two resources would be installed at `{path}`");
        let mut found =
            Diagnostic::new(&codes::PLUGIN_CLASH, message).details([first.label(), second.label()]);
        if let Some(root) = part.entry.root {
            found = found.at_spot(manifest.dependencies[root].spot);
        }
        found = found.resolved_by(part_remedy(manifest, part));
        notes
            .diagnostics
            .push(found.help(part_way_out(part, plugin)));
    }
}

/// Whether the parts of a plugin are installed. One that only hooks or servers need provides only files.
fn is_installed(entries: &[ResolvedEntry], number: usize) -> bool {
    let is_parent = |resolved: &ResolvedEntry| {
        resolved.entry.kind == ResourceType::Plugins && resolved.entry.needs.contains(&number)
    };
    entries[number].entry.root.is_some() || entries.iter().any(is_parent)
}

/// Adapts hooks and servers to the paths of the plugin that they need.
fn point_to_plugins(entries: &mut [ResolvedEntry]) {
    for number in 0..entries.len() {
        let resolved = &entries[number];
        if !resolved.entry.kind.is_merged() {
            continue;
        }
        let plugins = resolved.entry.needs.iter().map(|need| &entries[*need]);
        let plugin = plugins
            .filter(|plugin| plugin.entry.kind == ResourceType::Plugins)
            .find(|plugin| is_inside(&resolved.entry.unit, &plugin.entry.unit));
        let text = std::str::from_utf8(&resolved.resource.main.bytes).ok();
        let value = text.and_then(|text| {
            parse_alone(text, Format::Jsonc)
                .document
                .root()
                .map(to_value)
        });
        let Some((plugin, value)) = plugin.zip(value) else {
            continue;
        };
        let directory = PluginDirectory::of(&plugin.entry, &tree_of(plugin));
        let entry = &resolved.entry;
        let pointed = directory.merged_file(entry.kind, &value, None, &entry.tool);
        // The lockfile pins the file of the source.
        let resource = ResourceFiles {
            checksum: resolved.resource.checksum,
            ..pointed
        };
        entries[number].resource = Arc::new(resource);
    }
}

fn is_inside(file: &Unit, plugin: &Unit) -> bool {
    let top = plugin.path.in_tree();
    let inner = file.path.as_str().strip_prefix(top);
    file.origin == plugin.origin
        && (top.is_empty() || inner.is_some_and(|rest| rest.starts_with('/')))
}

/// The files of a plugin.
fn tree_of(plugin: &ResolvedEntry) -> PluginTree<'_> {
    let files = plugin.resource.others.iter();
    PluginTree::new(files.map(|(path, file)| (path.as_str(), file.bytes.as_slice())))
}

/// The expansion of one plugin.
struct PluginExpansion<'a> {
    manifest: &'a Manifest,
    plugin: &'a ResolvedEntry,
    dependency: Option<&'a Dependency>,
    directory: PluginDirectory,
}

/// A selected part, with its name.
struct ChosenPart<'p> {
    part: &'p PluginPart,
    id: ResourceId,
}

impl<'a> PluginExpansion<'a> {
    fn new(manifest: &'a Manifest, plugin: &'a ResolvedEntry) -> Self {
        let root = plugin.entry.root;
        PluginExpansion {
            manifest,
            plugin,
            dependency: root.and_then(|number| manifest.dependencies.get(number)),
            directory: PluginDirectory::of(&plugin.entry, &tree_of(plugin)),
        }
    }

    fn name(&self) -> &str {
        self.plugin.entry.name.as_str()
    }

    fn id(&self) -> ResourceId {
        ResourceId {
            kind: ResourceType::Plugins,
            name: self.plugin.entry.name.clone(),
        }
    }

    fn report(&self, notes: &mut Notes, mut found: Diagnostic) {
        if let Some(dependency) = self.dependency.filter(|_| found.labels.is_empty()) {
            found = found.at_spot(dependency.spot);
        }
        notes.diagnostics.push(found);
    }

    fn parts(
        &self,
        marketplace: Option<&MarketplaceEntry>,
        notes: &mut Notes,
    ) -> Vec<ResolvedEntry> {
        let tree = tree_of(self.plugin);
        let label = format!("{}@{}", self.plugin.entry.unit, self.plugin.version.label);
        let context = PluginContext {
            name: self.name(),
            label: &label,
        };
        let Some(listing) = read_plugin(&tree, marketplace, context, notes) else {
            return Vec::new();
        };
        if listing.parts.is_empty() {
            self.report(notes, self.nothing_to_install(&listing));
            return Vec::new();
        }
        self.report_unsupported(&listing, notes);
        let chosen = self.chosen(&listing, notes);
        for chosen in &chosen {
            self.check_files(&tree, chosen.part, notes);
            self.check_variables(&tree, chosen.part, notes);
        }
        let mut entries: Vec<ResolvedEntry> = Vec::new();
        let mut skipped: BTreeMap<ToolName, BTreeMap<ResourceType, Vec<&str>>> = BTreeMap::new();
        for chosen in &chosen {
            for placement in self.placements(chosen) {
                match self.entry(&listing, chosen, &placement) {
                    Some(entry) => add_copy(&mut entries, entry),
                    None => skipped
                        .entry(placement.tool)
                        .or_default()
                        .entry(chosen.id.kind)
                        .or_default()
                        .push(chosen.id.name.as_str()),
                }
            }
        }
        if entries.is_empty() && notes.check().is_ok() {
            self.report(notes, self.no_parts(&listing));
            return Vec::new();
        }
        for (tool, skipped) in &skipped {
            self.report_skipped(tool, skipped, notes);
        }
        entries
    }

    /// The finding about an invalid name: a transitive plugin is named after its directory, which shell commands
    /// contain.
    fn bad_name(&self) -> Diagnostic {
        let message = format!("`{}` cannot be the name of a plugin", self.name());
        let help = "add it to `[plugins]` under a name of letters, digits, `-`, `_` and `.`";
        Diagnostic::new(&codes::PLUGIN_MANIFEST, message).help(help)
    }

    /// The finding about a plugin without any supported part.
    fn nothing_to_install(&self, listing: &PluginListing) -> Diagnostic {
        let name = self.name();
        let (message, help) = match listing.unsupported.join(", ") {
            only if !only.is_empty() => (
                format!("plugin `{name}` has only {only}, which agpm does not install"),
                "install it with its own client, and remove it here",
            ),
            _ => (
                format!("plugin `{name}` has nothing to install"),
                "agpm looks for agents, commands, skills, hooks and MCP servers",
            ),
        };
        Diagnostic::new(&codes::PLUGIN_NO_PARTS, message).help(help)
    }

    /// The finding about a plugin whose parts are all excluded, or unsupported by its tools.
    fn no_parts(&self, listing: &PluginListing) -> Diagnostic {
        let readers = &self.plugin.entry.readers;
        let tools: Vec<&str> = readers.iter().map(ToolName::as_str).collect();
        let ids: Vec<String> = listing
            .parts
            .iter()
            .map(|part| part.id.to_string())
            .collect();
        let message = format!(
            "plugin `{}` has no part for {}",
            self.name(),
            tools.join(", ")
        );
        let help = format!(
            "its parts are {}; choose others with `only`, or other tools with `tools`",
            ids.join(", ")
        );
        Diagnostic::new(&codes::PLUGIN_NO_PARTS, message).help(help)
    }

    fn report_unsupported(&self, listing: &PluginListing, notes: &mut Notes) {
        if listing.unsupported.is_empty() {
            return;
        }
        let message = format!(
            "not installed of plugin `{}`: {}",
            self.name(),
            listing.unsupported.join(", ")
        );
        let help = "only the plugin's own client supports them";
        let found = Diagnostic::new(&codes::PLUGIN_SKIPPED, message);
        self.report(notes, found.help(help));
    }

    fn report_skipped(
        &self,
        tool: &ToolName,
        skipped: &BTreeMap<ResourceType, Vec<&str>>,
        notes: &mut Notes,
    ) {
        if skipped.is_empty() {
            return;
        }
        let kinds = skipped
            .iter()
            .map(|(kind, names)| format!("{kind}: {}", names.join(", ")));
        let message = format!(
            "{tool} does not support these parts of plugin `{}`",
            self.name()
        );
        let found = Diagnostic::new(&codes::PLUGIN_SKIPPED, message).details(kinds);
        let help = "the other parts are installed; leave these out with `exclude`";
        self.report(notes, found.help(help));
    }

    /// The parts that the manifest selects, with their names.
    fn chosen<'p>(&self, listing: &'p PluginListing, notes: &mut Notes) -> Vec<ChosenPart<'p>> {
        let every = PartChoice::default();
        let choice = self
            .dependency
            .map_or(&every, |dependency| &dependency.parts);
        let ids: Vec<String> = listing
            .parts
            .iter()
            .map(|part| part.id.to_string())
            .collect();
        for filter in choice.only.iter().chain(&choice.exclude) {
            if !listing.parts.iter().any(|part| filter.matches(&part.id)) {
                notes.diagnostics.push(self.unknown_part(filter, &ids));
            }
        }
        let rename = self
            .dependency
            .map_or(&[][..], |dependency| &dependency.rename);
        self.check_renames(rename, listing, notes);
        let chosen = |part: &'p PluginPart| ChosenPart {
            id: self.new_id(part, choice.names, rename),
            part,
        };
        listing
            .parts
            .iter()
            .filter(|part| choice.takes(&part.id))
            .map(chosen)
            .collect()
    }

    fn unknown_part(&self, filter: &PartFilter, ids: &[String]) -> Diagnostic {
        let message = format!("plugin `{}` has no part `{filter}`", self.name());
        let mut found = Diagnostic::new(&codes::MANIFEST_EXCLUDE, message).at_spot(filter.spot);
        let near = ids.iter().map(String::as_str);
        found.help = did_you_mean(&filter.to_string(), "its parts are", near);
        found
    }

    fn check_renames(
        &self,
        rename: &[(String, String)],
        listing: &PluginListing,
        notes: &mut Notes,
    ) {
        let servers: Vec<&str> = listing
            .parts
            .iter()
            .filter(|part| part.id.kind == ResourceType::McpServers)
            .map(|part| part.id.name.as_str())
            .collect();
        for (old, _) in rename
            .iter()
            .filter(|(old, _)| !servers.contains(&old.as_str()))
        {
            let message = format!("`rename`: plugin `{}` has no server `{old}`", self.name());
            let mut found = Diagnostic::new(&codes::MANIFEST_VALUE, message);
            found.help = did_you_mean(old, "its servers are", servers.iter().copied());
            self.report(notes, found);
        }
    }

    fn new_id(
        &self,
        part: &PluginPart,
        names: PartNames,
        rename: &[(String, String)],
    ) -> ResourceId {
        let own = part.id.name.as_str();
        let name = match part.id.kind {
            ResourceType::Hooks => None,
            ResourceType::McpServers => rename
                .iter()
                .find(|(old, _)| old == own)
                .map(|(_, new)| new.clone()),
            _ => (names == PartNames::Prefixed).then(|| format!("{}-{own}", self.name())),
        };
        let name = name.and_then(|name| ResourceName::new(&name).ok());
        ResourceId {
            kind: part.id.kind,
            name: name.unwrap_or_else(|| part.id.name.clone()),
        }
    }

    /// A hook whose file is missing would fail each time.
    fn check_files(&self, tree: &PluginTree<'_>, part: &PluginPart, notes: &mut Notes) {
        if part.id.kind != ResourceType::Hooks {
            return;
        }
        let Some(hooks) = json_of(tree, part) else {
            return;
        };
        for file in named_files(&hooks).iter().filter(|file| !tree.has(file)) {
            let message = format!(
                "a hook of plugin `{}` runs `{file}`, which does not exist",
                self.name()
            );
            let help = format!(
                "choose another version, or leave it out with `exclude = [\"{}\"]`",
                part.id
            );
            let found = Diagnostic::new(&codes::PLUGIN_MISSING_FILE, message);
            let remedy = self.dependency.map(|line| Remedy {
                entry: line.id().to_string(),
                change: EntryRemedy::ExcludePart {
                    part: part.id.to_string(),
                    names: PartNaming::Fixed,
                },
            });
            self.report(notes, found.help(help).resolved_by(remedy));
        }
    }

    fn check_variables(&self, tree: &PluginTree<'_>, part: &PluginPart, notes: &mut Notes) {
        if !part.id.kind.is_merged() {
            return;
        }
        let Some(value) = json_of(tree, part) else {
            return;
        };
        for variable in unknown_variables(&value.to_json()) {
            let message = format!(
                "{} of plugin `{}` uses `${{{variable}}}`, which has no value",
                part.id,
                self.name()
            );
            let found = Diagnostic::new(&codes::PLUGIN_VARIABLE, message);
            let help = format!(
                "set it where the tool runs, or leave the part out with `exclude = [\"{}\"]`",
                part.id
            );
            self.report(notes, found.help(help));
        }
    }

    /// The path of a part in its source.
    fn path_of(&self, part: &PluginPart) -> ResourcePath {
        let plugin = &self.plugin.entry.unit.path;
        ResourcePath::found(&plugin.join(&part.path)).unwrap_or_else(|_| plugin.clone())
    }

    /// The targets of a part for each tool of the plugin; `None` for tools that do not support it.
    fn placements(&self, chosen: &ChosenPart<'_>) -> Vec<LockedPlacement> {
        let ChosenPart { part, id } = chosen;
        let path = self.path_of(part);
        let tools = &self.manifest.tools;
        let (able, unable): (Vec<&ToolName>, Vec<&ToolName>) = self
            .plugin
            .entry
            .readers
            .iter()
            .partition(|tool| tools.supports(tool, id.kind));
        let filename = RelativePath::new(id.name.as_str()).ok();
        let is_named_by_file = id.kind != ResourceType::Skills && id.name.as_str() == path.stem();
        let request = TargetRequest {
            kind: id.kind,
            path: &path,
            target: None,
            filename: filename.as_ref().filter(|_| !is_named_by_file),
            layout: Some(TargetLayout::Flat),
            pattern: None,
            sharing: ToolSharing::of(able.len()),
            name: id.name.as_str(),
            form: InstructionForm::default(),
        };
        let nowhere = |tool: &&ToolName| LockedPlacement {
            tool: (*tool).clone(),
            at: None,
        };
        let placements = placements(tools, &able, &request);
        let placements = placements.unwrap_or_else(|_| able.iter().map(nowhere).collect());
        placements
            .into_iter()
            .chain(unable.iter().map(nowhere))
            .collect()
    }

    /// The entry of a part for a tool; `None` if the tool does not support it.
    fn entry(
        &self,
        listing: &PluginListing,
        chosen: &ChosenPart<'_>,
        placement: &LockedPlacement,
    ) -> Option<ResolvedEntry> {
        let ChosenPart { part, id } = chosen;
        let LockedPlacement { tool, at } = placement;
        let target_path = at.clone()?;
        let plugin = &self.plugin.entry;
        let path = self.path_of(part);
        let resource = self.content(listing, chosen, tool)?;
        Some(ResolvedEntry {
            entry: ResourceEntry {
                kind: id.kind,
                name: id.name.clone(),
                unit: Unit {
                    origin: plugin.unit.origin.clone(),
                    path,
                    extent: id.kind.extent(),
                },
                root: plugin.root,
                tool: tool.clone(),
                readers: vec![tool.clone()],
                target: Some(target_path),
                install: plugin.install,
                variants: plugin.variants.clone(),
                needs: Vec::new(),
            },
            version: self.plugin.version.clone(),
            requirements: self.plugin.requirements.clone(),
            matched_pattern: false,
            resource: Arc::new(resource),
            needs: Arc::new(DeclaredNeeds::default()),
            file: self
                .plugin
                .file
                .as_ref()
                .map(|directory| directory.join(&part.path)),
            part_of: Some(self.id()),
        })
    }

    fn content(
        &self,
        listing: &PluginListing,
        chosen: &ChosenPart<'_>,
        tool: &ToolName,
    ) -> Option<ResourceFiles> {
        let ChosenPart { part, id } = chosen;
        let name = (id.name != part.id.name).then(|| id.name.as_str());
        match &part.content {
            PartContent::Inline(value) => {
                let value = match name {
                    Some(name) => renamed_server(value, name),
                    None => value.clone(),
                };
                Some(
                    self.directory
                        .merged_file(id.kind, &value, listing.dialect, tool),
                )
            }
            PartContent::File if id.kind.is_merged() => {
                let text = std::str::from_utf8(&self.file(&part.path)?.bytes).ok()?;
                let value = parse_alone(text, Format::Jsonc)
                    .document
                    .root()
                    .map(to_value);
                match value {
                    Some(value) => {
                        Some(
                            self.directory
                                .merged_file(id.kind, &value, listing.dialect, tool),
                        )
                    }
                    // Its problems are reported where its tool's format is rendered.
                    None => Some(ResourceFiles::file(self.file(&part.path)?.clone())),
                }
            }
            PartContent::File => {
                let file = self.file(&part.path)?;
                Some(ResourceFiles::file(self.markdown(
                    file,
                    name,
                    NameField::IfWritten,
                )))
            }
            PartContent::Directory => self.skill(&part.path, name),
        }
    }

    fn file(&self, path: &str) -> Option<&SourceFile> {
        let files = &self.plugin.resource.others;
        let at = files
            .binary_search_by(|(own, _)| own.as_str().cmp(path))
            .ok();
        let found = at.map(|at| &files[at]);
        let found = found.or_else(|| files.iter().find(|(own, _)| own.as_str() == path));
        found.map(|(_, file)| file)
    }

    fn skill(&self, directory: &str, name: Option<&str>) -> Option<ResourceFiles> {
        let inside = |path: &RelativePath| match directory {
            "" => Some(path.clone()),
            directory => {
                let inner = path.as_str().strip_prefix(directory)?.strip_prefix('/')?;
                RelativePath::new(inner).ok()
            }
        };
        let (mut main, mut others) = (None, Vec::new());
        for (path, file) in &self.plugin.resource.others {
            let Some(inner) = inside(path) else {
                continue;
            };
            if inner.as_str() == SKILL_FILE {
                main = Some(self.markdown(file, name, NameField::Always));
            } else if inner.as_str().ends_with(".md") {
                others.push((inner, self.markdown(file, None, NameField::IfWritten)));
            } else {
                others.push((inner, file.clone()));
            }
        }
        Some(ResourceFiles::directory(main?, others))
    }

    /// Markdown with the paths of the plugin's directory, and with its new name.
    fn markdown(&self, file: &SourceFile, name: Option<&str>, field: NameField) -> SourceFile {
        let Ok(text) = std::str::from_utf8(&file.bytes) else {
            return file.clone();
        };
        let mut changed = self.directory.markdown(text);
        if let Some(name) = name {
            changed = with_name(&changed, name, field);
        }
        if changed == text {
            file.clone()
        } else {
            SourceFile::new(changed.into_bytes(), file.mode)
        }
    }
}

/// Adds a part for a tool; tools with one path share an entry.
fn add_copy(entries: &mut Vec<ResolvedEntry>, part: ResolvedEntry) {
    let is_same = |one: &&mut ResolvedEntry| {
        one.id() == part.id()
            && one.entry.target == part.entry.target
            && one.resource.checksum == part.resource.checksum
    };
    match entries.iter_mut().find(is_same) {
        Some(same) => same.entry.readers.extend(part.entry.readers),
        None => entries.push(part),
    }
}

/// When to set the field `name` of front matter.
#[derive(Clone, Copy, PartialEq, Eq)]
enum NameField {
    /// A skill is named after its directory.
    Always,
    /// A command is named after its file, unless its front matter has a name.
    IfWritten,
}

fn with_name(text: &str, name: &str, field: NameField) -> String {
    let parsed = parse_alone(text, Format::Markdown);
    let has_name = parsed
        .document
        .root()
        .is_some_and(|root| root.get("name").is_some());
    if field == NameField::IfWritten && !has_name {
        return text.to_owned();
    }
    let body = Value::map([("name", Value::from(name))]);
    let source = parsed.document.source();
    // Invalid front matter is reported when the resource is rendered.
    patch(source, text, Format::Markdown, &body).map_or_else(|_| text.to_owned(), |done| done.text)
}

fn renamed_server(file: &Value, name: &str) -> Value {
    let Some(Value::Map(servers)) = file.get("mcpServers") else {
        return file.clone();
    };
    let servers = servers.iter().map(|(_, server)| (name, server.clone()));
    Value::map([("mcpServers", Value::map(servers))])
}

/// The object of a part, or the one that contains it.
fn json_of(tree: &PluginTree<'_>, part: &PluginPart) -> Option<Value> {
    match &part.content {
        PartContent::Inline(value) => Some(value.clone()),
        _ => {
            let text = std::str::from_utf8(tree.bytes(&part.path)?).ok()?;
            parse_alone(text, Format::Jsonc)
                .document
                .root()
                .map(to_value)
        }
    }
}

impl ResourceFiles {
    /// A JSON file that agpm wrote itself.
    pub(crate) fn json(value: &Value) -> Self {
        ResourceFiles::file(SourceFile::new(
            value.to_json().into_bytes(),
            FileMode::Plain,
        ))
    }
}

/// Reports parts with the name of another resource in one tool.
fn report_part_clashes(manifest: &Manifest, entries: &[ResolvedEntry], notes: &mut Notes) {
    let mut first_by_name: BTreeMap<(ResourceType, &str, &ToolName), &ResolvedEntry> =
        BTreeMap::new();
    let mut reported: BTreeSet<(String, Checksum)> = BTreeSet::new();
    for resolved in entries {
        let entry = &resolved.entry;
        let key = (entry.kind, entry.name.as_str(), &entry.tool);
        let Some(first) = first_by_name.insert(key, resolved) else {
            continue;
        };
        if first.part_of.is_none() && resolved.part_of.is_none() {
            continue;
        }
        let found = clash(manifest, first, resolved);
        if reported.insert((resolved.label(), Checksum::of(found.message.as_bytes()))) {
            notes.diagnostics.push(found);
        }
    }
}

fn clash(manifest: &Manifest, first: &ResolvedEntry, second: &ResolvedEntry) -> Diagnostic {
    let owner = |resolved: &ResolvedEntry| match &resolved.part_of {
        Some(plugin) => format!("in {plugin} ({})", resolved.entry.unit),
        None => format!("in the manifest ({})", resolved.entry.unit),
    };
    let message = format!("{} is defined twice", second.label());
    let plugin = [second, first]
        .into_iter()
        .find_map(|resolved| Some((resolved, resolved.part_of.as_ref()?)));
    let help = match plugin {
        Some((part, plugin)) => part_way_out(part, plugin),
        None => String::new(),
    };
    let mut found = Diagnostic::new(&codes::PLUGIN_CLASH, message)
        .details([owner(first), owner(second)])
        .help(help);
    let part = [second, first]
        .into_iter()
        .find(|one| one.part_of.is_some());
    found = found.resolved_by(part.and_then(|part| part_remedy(manifest, part)));
    let roots: BTreeSet<usize> = [second, first]
        .into_iter()
        .filter_map(|resolved| resolved.entry.root)
        .collect();
    for dependency in roots
        .into_iter()
        .filter_map(|number| manifest.dependencies.get(number))
    {
        found = found.at_spot(dependency.spot);
    }
    found
}

/// The change of the plugin's manifest entry that leaves out a part, or renames it.
pub fn part_remedy(manifest: &Manifest, part: &ResolvedEntry) -> Option<Remedy> {
    let line = manifest.dependencies.get(part.entry.root?)?;
    let (kind, name) = (part.entry.kind, part.entry.name.as_str());
    let prefix = format!("{}-", part.part_of.as_ref()?.name);
    let (own, is_prefixed) = match line.parts.names {
        PartNames::Prefixed => (name.strip_prefix(&prefix).unwrap_or(name), true),
        PartNames::Own => (name, false),
    };
    let is_free = !kind.is_merged() && !is_prefixed;
    Some(Remedy {
        entry: line.id().to_string(),
        change: EntryRemedy::ExcludePart {
            part: format!("{kind}/{own}"),
            names: if is_free {
                PartNaming::Free
            } else {
                PartNaming::Fixed
            },
        },
    })
}

/// A change of the plugin's manifest entry that resolves a clash.
pub(crate) fn part_way_out(part: &ResolvedEntry, plugin: &ResourceId) -> String {
    let (kind, name) = (part.entry.kind, &part.entry.name);
    let exclude = format!("leave it out with `exclude = [\"{kind}/{name}\"]`");
    match kind {
        ResourceType::McpServers => {
            format!("set `rename = {{ {name} = \"OTHER\" }}` on {plugin}, or {exclude}")
        }
        ResourceType::Hooks => format!("{exclude} on {plugin}"),
        _ => format!(
            "set `prefix = true` on {plugin}, which makes it {kind}/{}-{name}, or {exclude}",
            plugin.name
        ),
    }
}
