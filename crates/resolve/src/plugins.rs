//! Expands a resolved plugin into its parts: entries like any other, with the plugin's files as their content.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::plugin::{
    ManifestFile, MarketplaceEntry, PartContent, PluginContext, PluginDialect, PluginListing,
    PluginPart, PluginTree, RelativeFiles, manifest_for, manifest_of, named_files, read_plugin,
    unknown_variables,
};
use crate::{ResourceEntry, TargetClash, TargetRequest, ToolSharing, clashes, placements};
use agpm_diag::{
    Diagnostic, EntryRemedy, Failure, Notes, PartNaming, Remedy, Severity, codes, did_you_mean,
    has_errors,
};
use agpm_model::{
    Checksum, Dependency, FileMode, InstallMode, InstructionForm, LockedPlacement, Manifest,
    PartChoice, PartFilter, PartNames, RelativePath, ResourceId, ResourceName, ResourcePath,
    ResourceType, SKILL_FILE, TargetLayout, ToolName, Unit, is_plugin_name,
};
use agpm_render::patch;
use agpm_text::{Format, Value, parse_alone, to_value};
use agpm_tools::find;

use crate::entries::{ResolvedEntry, is_written_as_file};
use crate::index::{DeclaredNeeds, ResourceFiles, SourceFile, tree_line};
use crate::plugin_root::{PathBase, PluginDirectory};
use crate::shared_hooks::share_hooks;

/// The marketplace entries of plugins, by unit.
pub type MarketplaceEntries = BTreeMap<Unit, MarketplaceEntry>;

/// Adds the parts of all plugins to the entries; all mistakes in them are reported together.
pub fn expand_plugins(
    manifest: &Manifest,
    marketplaces: &MarketplaceEntries,
    entries: &mut Vec<ResolvedEntry>,
    notes: &mut Notes,
) -> Result<(), Failure> {
    let mut parts: Vec<ExpandedPart> = Vec::new();
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
    entries.extend(shared_parts(parts));
    share_hooks(entries);
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
            .find(|resolved| !resolved.part_of.is_empty());
        let Some(part) = part else {
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
            .push(found.help(part_way_out(part, entries)));
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
        let value = json_value(&resolved.resource.main.bytes);
        let Some((plugin, value)) = plugin.zip(value) else {
            continue;
        };
        let tree = tree_of(plugin);
        let directory = PluginDirectory::of(&plugin.entry, &tree);
        let entry = &resolved.entry;
        let inner = entry.unit.path.directory();
        let inner = inner.strip_prefix(plugin.entry.unit.path.in_tree());
        let base = PathBase::Plugin(RelativeFiles {
            tree: &tree,
            directory: inner.unwrap_or_default().trim_start_matches('/'),
        });
        let pointed = directory.merged_file(entry.kind, &value, base, &entry.tool);
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
    PluginTree::new(files.map(|(path, file)| (path.as_str(), &*file.bytes)))
}

/// The expansion of one plugin.
struct PluginExpansion<'a> {
    manifest: &'a Manifest,
    plugin: &'a ResolvedEntry,
    dependency: Option<&'a Dependency>,
    directory: PluginDirectory,
}

/// The contents of a plugin for the tools that read one of its manifests.
struct ToolListing<'a> {
    tools: Vec<&'a ToolName>,
    file: Option<ManifestFile>,
    listing: PluginListing,
}

/// A selected part, with its name and the tools that it is for.
struct ChosenPart<'p> {
    part: &'p PluginPart,
    id: ResourceId,
    dialect: Option<PluginDialect>,
    tools: Vec<&'p ToolName>,
}

/// A part of a plugin for a tool, with the checksum of its bytes before they are adapted to the plugin's directory.
struct ExpandedPart {
    resolved: ResolvedEntry,
    authored: Checksum,
}

impl ExpandedPart {
    /// Whether two plugins have this part in common. Hooks are named after their plugin, and must not run twice.
    fn is_same(&self, other: &ExpandedPart) -> bool {
        let (own, other_entry) = (&self.resolved.entry, &other.resolved.entry);
        let is_named_alike = own.kind == ResourceType::Hooks || own.name == other_entry.name;
        let is_for_one_tool = !own.kind.is_merged() || own.tool == other_entry.tool;
        is_named_alike
            && is_for_one_tool
            && (own.kind, &own.unit, &own.target)
                == (other_entry.kind, &other_entry.unit, &other_entry.target)
            && self.authored == other.authored
    }

    /// Adds the plugins and tools of an equal part. A plugin of the manifest comes first: it was chosen by the user.
    fn share(&mut self, mut other: ExpandedPart) {
        if self.resolved.entry.root.is_none() && other.resolved.entry.root.is_some() {
            std::mem::swap(self, &mut other);
        }
        let (own, more) = (&mut self.resolved, other.resolved);
        own.part_of.extend(more.part_of);
        add_sorted(&mut own.entry.readers, more.entry.readers);
        add_sorted(&mut own.entry.variants, more.entry.variants);
        if more.entry.install == InstallMode::Write {
            own.entry.install = InstallMode::Write;
        }
    }
}

fn add_sorted<T: Ord>(items: &mut Vec<T>, more: Vec<T>) {
    items.extend(more);
    items.sort();
    items.dedup();
}

/// The parts of all plugins; parts that several plugins have in common are one.
fn shared_parts(parts: Vec<ExpandedPart>) -> Vec<ResolvedEntry> {
    let mut shared: Vec<ExpandedPart> = Vec::new();
    let mut by_unit: BTreeMap<Unit, Vec<usize>> = BTreeMap::new();
    for part in parts {
        let numbers = by_unit.entry(part.resolved.entry.unit.clone()).or_default();
        match numbers.iter().find(|at| shared[**at].is_same(&part)) {
            Some(at) => shared[*at].share(part),
            None => {
                numbers.push(shared.len());
                shared.push(part);
            }
        }
    }
    shared.into_iter().map(|part| part.resolved).collect()
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
    ) -> Vec<ExpandedPart> {
        let tree = tree_of(self.plugin);
        let Some(listings) = self.listings(&tree, marketplace, notes) else {
            return Vec::new();
        };
        let requires_others = listings
            .iter()
            .any(|one| !one.listing.dependencies.is_empty());
        if listings.iter().all(|one| one.listing.parts.is_empty()) {
            if !requires_others {
                self.report(notes, self.nothing_to_install(&listings));
            }
            return Vec::new();
        }
        self.report_unsupported(&listings, notes);
        let chosen = self.chosen(&listings, notes);
        for chosen in &chosen {
            self.check_files(&tree, chosen.part, notes);
            self.check_variables(&tree, chosen.part, notes);
        }
        let mut parts: Vec<ExpandedPart> = Vec::new();
        let mut skipped: BTreeMap<ToolName, BTreeMap<ResourceType, Vec<&str>>> = BTreeMap::new();
        for chosen in &chosen {
            for placement in self.placements(chosen) {
                match self.entry(&tree, chosen, &placement) {
                    Some(part) => add_copy(&mut parts, part),
                    None => skipped
                        .entry(placement.tool)
                        .or_default()
                        .entry(chosen.id.kind)
                        .or_default()
                        .push(chosen.id.name.as_str()),
                }
            }
        }
        if parts.is_empty() && !requires_others && notes.check().is_ok() {
            self.report(notes, self.no_parts(&listings));
            return Vec::new();
        }
        for (tool, skipped) in &skipped {
            self.report_skipped(tool, skipped, notes);
        }
        parts
    }

    /// The contents of the plugin by the manifest of each tool. A broken manifest of one client is a warning if the
    /// plugin has another one; `None` if the plugin is rejected.
    fn listings(
        &self,
        tree: &PluginTree<'_>,
        marketplace: Option<&MarketplaceEntry>,
        notes: &mut Notes,
    ) -> Option<Vec<ToolListing<'a>>> {
        let label = format!("{}@{}", self.plugin.entry.unit, self.plugin.version.label);
        let context = PluginContext {
            name: self.name(),
            label: &label,
        };
        let common = manifest_of(|path| tree.has_file(path));
        let first = notes.diagnostics.len();
        let mut broken: Option<ManifestFile> = None;
        let mut listings: Vec<ToolListing<'a>> = Vec::new();
        for tool in &self.plugin.entry.readers {
            let own = find(tool.as_str()).and_then(|tool| tool.plugin_manifest);
            let own = own.map(|manifest| manifest.path);
            let mut file = manifest_for(own, |path| tree.has_file(path));
            if file == broken && file.is_some() {
                file = common;
            }
            if let Some(same) = listings.iter_mut().find(|one| one.file == file) {
                same.tools.push(tool);
                continue;
            }
            let reported = notes.diagnostics.len();
            let mut listing = read_plugin(tree, file, marketplace, context, notes);
            if file != common && has_errors(&notes.diagnostics[reported..]) {
                broken = file;
                let errors = notes.diagnostics.split_off(reported);
                self.report(notes, self.broken_manifest(file, common, errors));
                file = common;
                if let Some(same) = listings.iter_mut().find(|one| one.file == file) {
                    same.tools.push(tool);
                    continue;
                }
                listing = read_plugin(tree, file, marketplace, context, notes);
            }
            forget_repeated(&mut notes.diagnostics, first);
            listings.push(ToolListing {
                tools: vec![tool],
                file,
                listing: listing?,
            });
        }
        Some(listings)
    }

    /// The finding that another manifest is used than the client's own.
    fn broken_manifest(
        &self,
        own: Option<ManifestFile>,
        common: Option<ManifestFile>,
        errors: Vec<Diagnostic>,
    ) -> Diagnostic {
        let path = |file: Option<ManifestFile>| file.map_or("", |file| file.path);
        let message = format!("`{}` of plugin `{}` cannot be used", path(own), self.name());
        let causes = errors
            .into_iter()
            .filter(|found| found.severity == Severity::Error);
        let mut found = Diagnostic::new(&codes::PLUGIN_SKIPPED, message)
            .details(causes.map(|found| found.message))
            .help(format!("agpm uses `{}` instead", path(common)));
        found.severity = Severity::Warning;
        found
    }

    /// The finding about an invalid name: a transitive plugin is named after its directory, which shell commands
    /// contain.
    fn bad_name(&self) -> Diagnostic {
        let message = format!("`{}` cannot be the name of a plugin", self.name());
        let help = "add it to `[plugins]` under a name of letters, digits, `-`, `_` and `.`";
        Diagnostic::new(&codes::PLUGIN_MANIFEST, message).help(help)
    }

    /// The finding about a plugin without any supported part.
    fn nothing_to_install(&self, listings: &[ToolListing<'_>]) -> Diagnostic {
        let name = self.name();
        let (message, help) = match unsupported_in(listings).join(", ") {
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
    fn no_parts(&self, listings: &[ToolListing<'_>]) -> Diagnostic {
        let readers = &self.plugin.entry.readers;
        let tools: Vec<&str> = readers.iter().map(ToolName::as_str).collect();
        let ids = part_names(listings);
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

    fn report_unsupported(&self, listings: &[ToolListing<'_>], notes: &mut Notes) {
        let unsupported = unsupported_in(listings);
        if unsupported.is_empty() {
            return;
        }
        let message = format!(
            "not installed of plugin `{}`: {}",
            self.name(),
            unsupported.join(", ")
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
        let quoted = |names: &[&str]| -> Vec<String> {
            names.iter().map(|name| format!("`{name}`")).collect()
        };
        let kinds = skipped
            .iter()
            .map(|(kind, names)| format!("{kind}: {}", quoted(names).join(", ")));
        let message = format!(
            "{tool} does not support these parts of plugin `{}`",
            self.name()
        );
        let found = Diagnostic::new(&codes::PLUGIN_SKIPPED, message).details(kinds);
        let help = "the other parts are installed; leave these out with `exclude`";
        self.report(notes, found.help(help));
    }

    /// The parts that the manifest selects, with their names. A part that several tools read alike is one.
    fn chosen<'p>(
        &self,
        listings: &'p [ToolListing<'a>],
        notes: &mut Notes,
    ) -> Vec<ChosenPart<'p>> {
        let every = PartChoice::default();
        let choice = self
            .dependency
            .map_or(&every, |dependency| &dependency.parts);
        let ids = part_names(listings);
        for filter in choice.only.iter().chain(&choice.exclude) {
            if !parts_in(listings).any(|part| filter.matches(&part.id)) {
                notes.diagnostics.push(self.unknown_part(filter, &ids));
            }
        }
        let rename = self
            .dependency
            .map_or(&[][..], |dependency| &dependency.rename);
        self.check_renames(rename, listings, notes);
        let mut all: Vec<ChosenPart<'p>> = Vec::new();
        for ToolListing { tools, listing, .. } in listings {
            for part in listing.parts.iter().filter(|part| choice.takes(&part.id)) {
                // The client whose manifest it is decides where paths of hooks and servers start.
                let dialect = listing.dialect.filter(|_| part.id.kind.is_merged());
                let is_same = |one: &&mut ChosenPart<'p>| {
                    one.dialect == dialect
                        && (&one.part.id, &one.part.path) == (&part.id, &part.path)
                        && one.part.content == part.content
                };
                match all.iter_mut().find(is_same) {
                    Some(same) => same.tools.extend(tools),
                    None => all.push(ChosenPart {
                        id: self.new_id(part, choice.names, rename),
                        part,
                        dialect,
                        tools: tools.clone(),
                    }),
                }
            }
        }
        all
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
        listings: &[ToolListing<'_>],
        notes: &mut Notes,
    ) {
        let servers: Vec<&str> = parts_in(listings)
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
        let ChosenPart { part, id, .. } = chosen;
        let path = self.path_of(part);
        let tools = &self.manifest.tools;
        let (able, unable): (Vec<&ToolName>, Vec<&ToolName>) = chosen
            .tools
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
        tree: &PluginTree<'_>,
        chosen: &ChosenPart<'_>,
        placement: &LockedPlacement,
    ) -> Option<ExpandedPart> {
        let ChosenPart { part, id, .. } = chosen;
        let LockedPlacement { tool, at } = placement;
        let target_path = at.clone()?;
        let plugin = &self.plugin.entry;
        let path = self.path_of(part);
        let resource = self.content(tree, chosen, tool)?;
        let resolved = ResolvedEntry {
            entry: ResourceEntry {
                kind: id.kind,
                name: id.name.clone(),
                unit: Unit {
                    origin: plugin.unit.origin.clone(),
                    path,
                    extent: id.kind.extent(),
                    marketplace: None,
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
            part_of: vec![self.id()],
        };
        Some(ExpandedPart {
            resolved,
            authored: self.authored(part)?,
        })
    }

    /// The checksum of a part as its author wrote it.
    fn authored(&self, part: &PluginPart) -> Option<Checksum> {
        match &part.content {
            PartContent::Inline(value) => Some(Checksum::of(value.to_json().as_bytes())),
            PartContent::File => Some(self.file(&part.path)?.checksum),
            PartContent::Directory => {
                let files = self
                    .files_in(&part.path)
                    .map(|(inner, file)| tree_line(inner.as_str(), file.mode, file.checksum));
                let lines: Vec<String> = files.collect();
                Some(Checksum::of(lines.concat().as_bytes()))
            }
        }
    }

    fn content(
        &self,
        tree: &PluginTree<'_>,
        chosen: &ChosenPart<'_>,
        tool: &ToolName,
    ) -> Option<ResourceFiles> {
        let ChosenPart { part, id, .. } = chosen;
        let name = (id.name != part.id.name).then(|| id.name.as_str());
        if id.kind.is_merged() {
            let value = json_of(tree, part)?;
            let value = match name {
                Some(name) => renamed_server(&value, name),
                None => value,
            };
            let base = match chosen.dialect {
                Some(PluginDialect::AgentPlugins) => PathBase::ServerDirectory,
                Some(dialect) if dialect.runs_hooks_in_plugin() => {
                    let directory = part.path.rsplit_once('/');
                    PathBase::Plugin(RelativeFiles {
                        tree,
                        directory: directory.map_or("", |(directory, _)| directory),
                    })
                }
                _ => PathBase::Project,
            };
            return Some(self.directory.merged_file(id.kind, &value, base, tool));
        }
        match part.content {
            PartContent::Inline(_) => None,
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

    /// The files in a directory of the plugin, by their paths in it.
    fn files_in(&self, directory: &str) -> impl Iterator<Item = (RelativePath, &SourceFile)> {
        let inside = move |path: &RelativePath| match directory {
            "" => Some(path.clone()),
            directory => {
                let inner = path.as_str().strip_prefix(directory)?.strip_prefix('/')?;
                RelativePath::new(inner).ok()
            }
        };
        let files = self.plugin.resource.others.iter();
        files.filter_map(move |(path, file)| Some((inside(path)?, file)))
    }

    fn skill(&self, directory: &str, name: Option<&str>) -> Option<ResourceFiles> {
        let (mut main, mut others) = (None, Vec::new());
        for (inner, file) in self.files_in(directory) {
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
fn add_copy(parts: &mut Vec<ExpandedPart>, part: ExpandedPart) {
    let own = &part.resolved;
    let is_same = |one: &&mut ExpandedPart| {
        let one = &one.resolved;
        one.id() == own.id()
            && one.entry.target == own.entry.target
            && one.resource.checksum == own.resource.checksum
    };
    match parts.iter_mut().find(is_same) {
        Some(same) => same
            .resolved
            .entry
            .readers
            .extend(part.resolved.entry.readers),
        None => parts.push(part),
    }
}

/// All parts that some tool reads.
fn parts_in<'l>(listings: &'l [ToolListing<'_>]) -> impl Iterator<Item = &'l PluginPart> {
    listings.iter().flat_map(|one| &one.listing.parts)
}

/// The ids of the parts, each once.
fn part_names(listings: &[ToolListing<'_>]) -> Vec<String> {
    let ids: BTreeSet<&ResourceId> = parts_in(listings).map(|part| &part.id).collect();
    ids.into_iter().map(ToString::to_string).collect()
}

fn unsupported_in<'l>(listings: &'l [ToolListing<'_>]) -> Vec<&'l str> {
    let all = listings.iter().flat_map(|one| &one.listing.unsupported);
    let all: BTreeSet<&str> = all.map(String::as_str).collect();
    all.into_iter().collect()
}

/// Removes findings that were reported before: the manifests of a plugin share most of its files.
fn forget_repeated(found: &mut Vec<Diagnostic>, first: usize) {
    let mut seen = BTreeSet::new();
    let mut number = 0;
    found.retain(|one| {
        number += 1;
        number <= first || seen.insert((one.code.name, one.message.clone()))
    });
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
        _ => json_value(tree.bytes(&part.path)?),
    }
}

/// The value of a JSON file without errors: what can be read of a broken one would be something else.
fn json_value(bytes: &[u8]) -> Option<Value> {
    let parsed = parse_alone(std::str::from_utf8(bytes).ok()?, Format::Jsonc);
    let root = parsed.document.root().map(to_value);
    root.filter(|_| !has_errors(&parsed.diagnostics))
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
        if first.part_of.is_empty() && resolved.part_of.is_empty() {
            continue;
        }
        let found = defined_twice(manifest, entries, first, resolved);
        if reported.insert((resolved.label(), Checksum::of(found.message.as_bytes()))) {
            notes.diagnostics.push(found);
        }
    }
}

fn defined_twice(
    manifest: &Manifest,
    entries: &[ResolvedEntry],
    first: &ResolvedEntry,
    second: &ResolvedEntry,
) -> Diagnostic {
    let owner = |resolved: &ResolvedEntry| match resolved.part_of.first() {
        Some(plugin) => format!("in {plugin} ({})", resolved.entry.unit),
        None => format!("in the manifest ({})", resolved.entry.unit),
    };
    let message = format!("{} is defined twice", second.label());
    let mut found =
        Diagnostic::new(&codes::PLUGIN_CLASH, message).details([owner(first), owner(second)]);
    let is_part = |resolved: &&ResolvedEntry| !resolved.part_of.is_empty();
    let parts = [second, first].into_iter().filter(is_part);
    // An entry of the manifest can be changed at once.
    let in_manifest = parts.clone().find(|part| part.entry.root.is_some());
    if let Some(part) = in_manifest.or_else(|| parts.clone().next()) {
        found = found
            .help(part_way_out(part, entries))
            .resolved_by(part_remedy(manifest, part));
    }
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
    let prefix = format!("{}-", part.part_of.first()?.name);
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
fn part_way_out(part: &ResolvedEntry, entries: &[ResolvedEntry]) -> String {
    let (kind, name) = (part.entry.kind, &part.entry.name);
    let Some(plugin) = part.part_of.first() else {
        return String::new();
    };
    let subject = match part.entry.root {
        Some(_) => plugin.to_string(),
        None => format!("{plugin}, after adding it to `[plugins]`"),
    };
    let is_taken = |name: &str| {
        let mut same_type = entries.iter().filter(|other| other.entry.kind == kind);
        same_type.any(|other| other.entry.name.as_str() == name)
    };
    let prefixed = format!("{}-{name}", plugin.name);
    let rename = match kind {
        ResourceType::McpServers => Some(format!(
            "`rename = {{ {name} = \"{prefixed}\" }}` on {subject}"
        )),
        ResourceType::Hooks => None,
        _ if is_taken(&prefixed) => None,
        _ => Some(format!(
            "`prefix = true` on {subject}, which makes it {kind}/{prefixed}"
        )),
    };
    let is_other = |other: &&ResolvedEntry| {
        other.part_of.contains(plugin) && (other.entry.kind, &other.entry.name) != (kind, name)
    };
    // A plugin without any part is an error.
    let exclude = match entries.iter().find(is_other) {
        Some(_) => format!("leave it out with `exclude = [\"{kind}/{name}\"]`"),
        None => format!("remove {plugin}, which has nothing else"),
    };
    match rename {
        Some(rename) => format!("set {rename}, or {exclude}"),
        None => format!("{exclude} on {subject}"),
    }
}
