//! `agpm.lock`: the exact result of resolving, so everyone gets the same.

use std::collections::BTreeSet;

use agpm_diag::{Diagnostic, codes};
use agpm_text::{Document, Format, NodeKind, NodeRef, Value, print};

use crate::base::LockedBase;
use crate::catalog_remote::{CatalogRemote, RemoteBase};
use crate::check::spot;
use crate::digest::{Checksum, Revision};
use crate::manifest::InstallMode;
use crate::marketplace::{LockedMarketplace, MarketplacePlugin};
use crate::name::{LayerName, ResourceName, SourceName, ToolName};
use crate::owner::Owner;
use crate::path::RelativePath;
use crate::pin::{LockedPin, Pin, PinId, PinSource, ResourceId};
use crate::resource::{RESOURCE_TYPES, ResourceType};
use crate::source_versions::ResolvedVersion;
use crate::unit::{ResourceExtent, ResourceOrigin, ResourcePath, Unit};
use crate::version::VersionLabel;

/// The lockfile next to the manifest.
pub const LOCK_NAME: &str = "agpm.lock";
/// The lockfile of what only one user has, next to it.
pub const PRIVATE_LOCK_NAME: &str = "agpm.private.lock";
/// The version of the format.
pub(crate) const VERSION: usize = 1;
const CAPABILITIES: &str = "capabilities";
const HEADER: &str = "# Written by agpm. Commit it, and do not edit it by hand.\n";
const PRIVATE_HEADER: &str =
    "# Written by agpm for you alone. Do not commit it, and do not edit it by hand.\n";

/// A lockfile.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lockfile {
    /// The bases of the manifest, lowest first.
    pub bases: Vec<LockedBase>,
    /// The sources in use, by name.
    pub sources: Vec<LockedSource>,
    /// The layers, lowest first.
    pub layers: Vec<LockedLayer>,
    /// The remotes of the catalog, highest first.
    pub catalog: Vec<LockedRemote>,
    /// Everything that is installed, by kind and name.
    pub entries: Vec<LockEntry>,
}

/// The capabilities of an entry, as the lockfile has them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum LockedCapabilitySet {
    /// Unknown: older programs wrote nothing even where there were some.
    #[default]
    None,
    /// One string for each, sorted; empty where there are none.
    Listed(Vec<String>),
    /// The digest that older programs wrote instead of them.
    Digest(Checksum),
}

impl LockedCapabilitySet {
    /// The record of some capabilities.
    pub fn of(capabilities: Vec<String>) -> Self {
        LockedCapabilitySet::Listed(capabilities)
    }

    /// Whether some are listed.
    pub fn lists_some(&self) -> bool {
        matches!(self, LockedCapabilitySet::Listed(list) if !list.is_empty())
    }

    fn field(&self) -> Option<(&'static str, Value)> {
        let value = match self {
            LockedCapabilitySet::None => return None,
            LockedCapabilitySet::Listed(list) if list.is_empty() => return None,
            LockedCapabilitySet::Listed(list) => Value::list(list.iter().map(String::as_str)),
            LockedCapabilitySet::Digest(digest) => digest.to_string().into(),
        };
        Some((CAPABILITIES, value))
    }
}

/// A locked layer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LockedLayer {
    /// The name of the locked layer.
    pub name: LayerName,
    /// The version of its source; `None` for a directory.
    pub pin: Option<Pin>,
    /// The checksum of all its files that apply: paths, modes and bytes.
    pub checksum: Checksum,
    /// Its capabilities.
    pub capabilities: LockedCapabilitySet,
}

impl LockedLayer {
    fn value(&self) -> Value {
        let mut map: Vec<(&str, Value)> = vec![("name", self.name.as_str().into())];
        if let Some(pin) = &self.pin {
            let source = pin
                .source
                .name()
                .map(|name| ("source", name.as_str().into()));
            map.extend(source);
            map.extend(pin_fields(pin));
        }
        map.push(("checksum", self.checksum.to_string().into()));
        map.extend(self.capabilities.field());
        Value::map(map)
    }
}

impl LockedBase {
    fn value(&self) -> Value {
        let mut map: Vec<(&str, Value)> = Vec::new();
        if let Some(pin) = &self.pin {
            map.push(("source", pin.source.to_string().into()));
        }
        if self.pin.is_none() || !self.directory.is_empty() {
            map.push(("path", self.directory.as_str().into()));
        }
        map.extend(self.pin.iter().flat_map(pin_fields));
        map.push(("checksum", self.checksum.to_string().into()));
        Value::map(map)
    }
}

/// The fields of every pin.
fn pin_fields(pin: &Pin) -> impl Iterator<Item = (&'static str, Value)> {
    let requirement = pin.requirement.as_deref();
    let requirement = requirement.map(|text| ("requirement", Value::from(text)));
    requirement.into_iter().chain([
        ("version", Value::from(pin.version.as_str())),
        ("resolved_commit", pin.commit.as_str().into()),
    ])
}

/// A locked remote of the catalog.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LockedRemote {
    remote: CatalogRemote,
    pin: Pin,
}

impl LockedRemote {
    /// Pins a remote, without its secrets.
    pub fn new(remote: &CatalogRemote, version: ResolvedVersion) -> Self {
        let remote = remote.without_secrets();
        let source = match &remote.base {
            RemoteBase::Source(name) => PinSource::Named(name.clone()),
            RemoteBase::Address(_) => {
                let base = CatalogRemote {
                    reference: None,
                    directory: None,
                    ..remote.clone()
                };
                PinSource::Address(base.to_string())
            }
        };
        let pin = Pin {
            source,
            // The requirement is part of the remote.
            requirement: None,
            version: version.label,
            commit: version.revision,
        };
        LockedRemote { remote, pin }
    }

    /// The remote, without secrets.
    pub fn remote(&self) -> &CatalogRemote {
        &self.remote
    }

    /// The version.
    pub fn pin(&self) -> &Pin {
        &self.pin
    }

    fn rename_source(&mut self, old: &SourceName, new: &SourceName) {
        if self.remote.source() == Some(old) {
            self.remote.base = RemoteBase::Source(new.clone());
            self.pin.source = PinSource::Named(new.clone());
        }
    }

    /// Whether it pins this remote.
    pub fn pins(&self, remote: &CatalogRemote) -> bool {
        self.remote == remote.without_secrets()
    }

    fn value(&self) -> Value {
        let remote = ("remote", Value::from(self.remote.to_string()));
        Value::map(std::iter::once(remote).chain(pin_fields(&self.pin)))
    }
}

/// A locked source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LockedSource {
    /// The name in the manifest.
    pub name: SourceName,
    /// The URL, without secrets; `None` for a local directory.
    pub url: Option<String>,
}

/// A resource in one tool.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LockedPlacement {
    /// The tool.
    pub tool: ToolName,
    /// The installed path; `None` if the resource is only resolved. Tools may share one path.
    pub at: Option<RelativePath>,
}

/// A locked resource.
#[derive(Clone, Debug, PartialEq)]
pub struct LockEntry {
    /// The resource type.
    pub kind: ResourceType,
    /// The manifest's key, or the derived name.
    pub name: ResourceName,
    /// The key of the pattern that it matched.
    pub manifest_alias: Option<ResourceName>,
    /// The pattern that it matched.
    pub pattern: Option<ResourcePath>,
    /// The resource in its source.
    pub unit: Unit,
    /// The version of its source; `None` for local resources.
    pub pin: Option<Pin>,
    /// The checksum of the bytes in the source; `None` in lockfiles of older programs.
    pub checksum: Option<Checksum>,
    /// Its capabilities.
    pub capabilities: LockedCapabilitySet,
    /// Tools for which a conversion was approved that permits more than the author wrote.
    pub widened: Vec<ToolName>,
    /// The tools that it is for, sorted; empty in lockfiles of older programs that name none.
    pub placements: Vec<LockedPlacement>,
    /// Its dependencies, as `TYPE/NAME@VERSION`.
    pub dependencies: Vec<String>,
    /// The patched fields.
    pub patches: Vec<String>,
    /// The fields that only the user's private patches set.
    pub private_patches: Vec<String>,
    /// The patched fields that no tool of the resource has.
    pub dropped_patches: Vec<String>,
    /// Whether it is written.
    pub install: InstallMode,
    /// The installed parts of a plugin.
    pub parts: Vec<ResourceId>,
    /// The marketplace that locates the plugin.
    pub marketplace: Option<LockedMarketplace>,
    /// The program that wrote the entry.
    pub writer: LockWriter,
}

/// The program that wrote an entry of a lockfile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LockWriter {
    /// This one.
    Agpm,
    /// An older program of the same format. Its entries are hints: the next install rewrites them.
    Older,
}

impl LockEntry {
    /// `TYPE/NAME`.
    pub fn label(&self) -> String {
        format!("{}/{}", self.kind, self.name)
    }

    /// The identity of the lock entry.
    pub fn id(&self) -> ResourceId {
        ResourceId {
            kind: self.kind,
            name: self.name.clone(),
        }
    }

    /// A part of this plugin, as far as the lockfile shows: it has the plugin's version and tools.
    pub fn part(&self, part: &ResourceId) -> LockEntry {
        let placement = |plugin_placement: &LockedPlacement| LockedPlacement {
            tool: plugin_placement.tool.clone(),
            at: None,
        };
        LockEntry {
            kind: part.kind,
            name: part.name.clone(),
            checksum: None,
            capabilities: LockedCapabilitySet::None,
            widened: Vec::new(),
            placements: self.placements.iter().map(placement).collect(),
            dependencies: Vec::new(),
            patches: Vec::new(),
            private_patches: Vec::new(),
            dropped_patches: Vec::new(),
            parts: Vec::new(),
            marketplace: None,
            ..self.clone()
        }
    }

    /// The tools that it is for.
    pub fn tools(&self) -> impl Iterator<Item = &ToolName> {
        self.placements.iter().map(|placement| &placement.tool)
    }

    /// The installed paths, each once.
    pub fn paths(&self) -> BTreeSet<&RelativePath> {
        let paths = self.placements.iter();
        paths
            .filter_map(|placement| placement.at.as_ref())
            .collect()
    }

    /// The version of its source.
    pub fn version(&self) -> Option<&VersionLabel> {
        self.pin.as_ref().map(|pin| &pin.version)
    }

    /// The commit of its source.
    pub fn commit(&self) -> Option<&Revision> {
        self.pin.as_ref().map(|pin| &pin.commit)
    }

    /// The requirement on its source.
    pub fn requirement(&self) -> Option<&str> {
        self.pin.as_ref()?.requirement.as_deref()
    }

    /// The reference that dependents use.
    pub fn reference(&self) -> String {
        let version = self
            .version()
            .map(|version| format!("@{version}"))
            .unwrap_or_default();
        format!("{}{version}", self.label())
    }

    /// The manifest key that requires it, or its own name.
    pub fn manifest_key(&self) -> &ResourceName {
        self.manifest_alias.as_ref().unwrap_or(&self.name)
    }
}

impl Lockfile {
    /// All pins: of resources, layers, the catalog and bases.
    pub fn pins(&self) -> impl Iterator<Item = LockedPin<'_>> {
        let resources = self.entries.iter().filter_map(|locked| {
            let id = PinId::Resource(locked.id());
            locked.pin.as_ref().map(|pin| LockedPin { id, pin })
        });
        let layers = self.layers.iter().filter_map(|layer| {
            let id = PinId::Layer(layer.name.clone());
            layer.pin.as_ref().map(|pin| LockedPin { id, pin })
        });
        let remotes = self.catalog.iter().map(|locked| LockedPin {
            id: PinId::Remote(locked.remote.clone()),
            pin: &locked.pin,
        });
        let bases = self.bases.iter().filter_map(|base| {
            let id = PinId::Base(base.name());
            base.pin.as_ref().map(|pin| LockedPin { id, pin })
        });
        resources.chain(layers).chain(remotes).chain(bases)
    }

    /// The capabilities of each entry and each layer.
    pub fn capability_sets(&self) -> impl Iterator<Item = (Owner, &LockedCapabilitySet)> {
        let entries = self.entries.iter();
        let entries = entries.map(|one| (Owner::from(one.id()), &one.capabilities));
        let layers = self.layers.iter();
        entries.chain(layers.map(|one| (Owner::layer(&one.name), &one.capabilities)))
    }

    /// Whether the lockfile was written by a program that lists capabilities.
    pub fn lists_capabilities(&self) -> bool {
        let is_list =
            |(_, set): (Owner, &LockedCapabilitySet)| matches!(set, LockedCapabilitySet::Listed(_));
        self.capability_sets().any(is_list)
    }

    /// An entry without a list has no capabilities, because the program that wrote the lockfile lists them.
    fn list_unstated_capabilities(&mut self) {
        let entries = self.entries.iter_mut().map(|one| &mut one.capabilities);
        let layers = self.layers.iter_mut().map(|one| &mut one.capabilities);
        for set in entries.chain(layers) {
            if *set == LockedCapabilitySet::None {
                *set = LockedCapabilitySet::of(Vec::new());
            }
        }
    }

    /// Renames a source.
    pub fn rename_source(&mut self, old: &SourceName, new: &SourceName) {
        let origin = ResourceOrigin::Source(old.clone());
        for locked in &mut self.entries {
            if locked.unit.origin == origin {
                locked.unit.origin = ResourceOrigin::Source(new.clone());
            }
            let pinned = locked.marketplace.as_mut().map(|pin| &mut pin.plugin);
            for plugin in pinned.into_iter().chain(&mut locked.unit.marketplace) {
                if plugin.marketplace == *old {
                    plugin.marketplace = new.clone();
                }
            }
        }
        let resources = self.entries.iter_mut().filter_map(|one| one.pin.as_mut());
        let layers = self.layers.iter_mut().filter_map(|one| one.pin.as_mut());
        for pin in resources.chain(layers) {
            if pin.source.name() == Some(old) {
                pin.source = PinSource::Named(new.clone());
            }
        }
        for remote in &mut self.catalog {
            remote.rename_source(old, new);
        }
    }

    /// The serialized lockfile.
    pub fn to_text(&self) -> String {
        self.to_text_under(HEADER)
    }

    /// The serialized lockfile of one user.
    pub fn to_private_text(&self) -> String {
        self.to_text_under(PRIVATE_HEADER)
    }

    fn to_text_under(&self, header: &str) -> String {
        let source = |source: &LockedSource| {
            let url = source.url.as_deref().map(|url| ("url", Value::from(url)));
            Value::map(
                [("name", Value::from(source.name.as_str()))]
                    .into_iter()
                    .chain(url),
            )
        };
        let mut root: Vec<(&str, Value)> = vec![("version", VERSION.into())];
        // Without this, a lockfile that lists none looks like one of an older program.
        if self.lists_capabilities() && !self.capability_sets().any(|(_, set)| set.lists_some()) {
            root.push((CAPABILITIES, Value::List(Vec::new())));
        }
        if !self.bases.is_empty() {
            let bases = self.bases.iter().map(LockedBase::value);
            root.push(("base", Value::List(bases.collect())));
        }
        if !self.sources.is_empty() {
            root.push((
                "sources",
                Value::List(self.sources.iter().map(source).collect()),
            ));
        }
        if !self.layers.is_empty() {
            root.push((
                "layers",
                Value::List(self.layers.iter().map(LockedLayer::value).collect()),
            ));
        }
        if !self.catalog.is_empty() {
            root.push((
                "catalog",
                Value::List(self.catalog.iter().map(LockedRemote::value).collect()),
            ));
        }
        for kind in RESOURCE_TYPES {
            let entries: Vec<Value> = self
                .entries
                .iter()
                .filter(|e| e.kind == kind)
                .map(LockEntry::value)
                .collect();
            if !entries.is_empty() {
                root.push((kind.plural(), Value::List(entries)));
            }
        }
        let body = print(&Value::map(root), Format::Toml).unwrap_or_default();
        format!("{header}{}", with_a_line_for_each_capability(&body))
    }

    /// Parses a lockfile; mistakes are in the diagnostics.
    pub fn read(document: &Document) -> (Self, Vec<Diagnostic>) {
        let mut reading = LockReader::default();
        let mut lock = Lockfile::default();
        let mut seen = BTreeSet::new();
        if let Some(root) = document.root() {
            reading.version(root);
            for node in list(root.get("sources")) {
                let url = node.get("url").and_then(NodeRef::as_str).map(str::to_owned);
                match node
                    .get("name")
                    .and_then(NodeRef::as_str)
                    .map(SourceName::new)
                {
                    Some(Ok(name)) => lock.sources.push(LockedSource { name, url }),
                    _ => reading.broken(node, "this source has no `name`"),
                }
            }
            for node in list(root.get("base")) {
                lock.bases.extend(reading.base(node));
            }
            for node in list(root.get("layers")) {
                lock.layers.extend(reading.layer(node));
            }
            for node in list(root.get("catalog")) {
                lock.catalog.extend(reading.remote(node));
            }
            for kind in RESOURCE_TYPES {
                for node in list(root.get(kind.plural())) {
                    let Some(entry) = reading.entry(kind, node) else {
                        continue;
                    };
                    // Older programs may give two entries the same name.
                    if node.get("requirement").is_some() && !seen.insert((kind, entry.name.clone()))
                    {
                        reading.broken(node, format!("duplicate entry {kind}/{}", entry.name));
                    }
                    lock.entries.push(entry);
                }
            }
        }
        let is_stated = document
            .root()
            .is_some_and(|root| root.get(CAPABILITIES).is_some());
        if is_stated || lock.lists_capabilities() {
            lock.list_unstated_capabilities();
        }
        (lock, reading.diagnostics)
    }
}

fn list(node: Option<NodeRef<'_>>) -> impl Iterator<Item = NodeRef<'_>> {
    node.into_iter()
        .filter(|node| node.kind() == NodeKind::List)
        .flat_map(NodeRef::items)
}

/// Puts every capability on its own line, to show only new ones in a diff of the lockfile.
fn with_a_line_for_each_capability(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let list = line
            .strip_prefix("capabilities = [")
            .and_then(|rest| rest.strip_suffix("]\n"))
            .filter(|list| !list.is_empty());
        let Some(list) = list else {
            out.push_str(line);
            continue;
        };
        out.push_str("capabilities = [\n");
        for item in items_of_inline_list(list) {
            out.push_str("    ");
            out.push_str(item);
            out.push_str(",\n");
        }
        out.push_str("]\n");
    }
    out
}

/// The strings of a list on one line, as they are written.
fn items_of_inline_list(list: &str) -> Vec<&str> {
    let mut items = Vec::new();
    let (mut start, mut quote, mut is_escaped) = (0, None, false);
    for (at, c) in list.char_indices() {
        match (quote, c) {
            (Some(_), _) if is_escaped => is_escaped = false,
            (Some('"'), '\\') => is_escaped = true,
            (Some(open), c) if c == open => quote = None,
            (None, '"' | '\'') => quote = Some(c),
            (None, ',') => {
                items.push(list[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    items.push(list[start..].trim());
    items
}

impl LockEntry {
    fn value(&self) -> Value {
        let mut map: Vec<(&str, Value)> = vec![("name", self.name.as_str().into())];
        let mut put =
            |key, value: Option<&str>| map.extend(value.map(|value| (key, Value::from(value))));
        put(
            "manifest_alias",
            self.manifest_alias.as_ref().map(ResourceName::as_str),
        );
        put("pattern", self.pattern.as_ref().map(ResourcePath::as_str));
        if let ResourceOrigin::Source(source) = &self.unit.origin {
            put("source", Some(source.as_str()));
        }
        if self.unit.origin != ResourceOrigin::Manifest {
            put("path", Some(self.unit.path.as_str()));
        }
        map.extend(self.pin.iter().flat_map(pin_fields));
        let mut put =
            |key, value: Option<&str>| map.extend(value.map(|value| (key, Value::from(value))));
        put(
            "checksum",
            self.checksum
                .map(|checksum| checksum.to_string())
                .as_deref(),
        );
        map.extend(self.capabilities.field());
        if !self.widened.is_empty() {
            map.push((
                "widened",
                Value::list(self.widened.iter().map(ToolName::as_str)),
            ));
        }
        map.extend(self.placement_fields());
        map.push((
            "dependencies",
            Value::list(self.dependencies.iter().map(String::as_str)),
        ));
        for (key, fields) in [
            ("patches", &self.patches),
            ("private_patches", &self.private_patches),
            ("dropped_patches", &self.dropped_patches),
        ] {
            if !fields.is_empty() {
                map.push((key, Value::list(fields.iter().map(String::as_str))));
            }
        }
        match self.install {
            InstallMode::Write => {}
            InstallMode::ResolveOnly => map.push(("install", false.into())),
            InstallMode::InPlace => map.push(("in_place", true.into())),
        }
        if !self.parts.is_empty() {
            let parts: Vec<String> = self.parts.iter().map(ToString::to_string).collect();
            map.push(("parts", Value::list(parts.iter().map(String::as_str))));
        }
        // A plugin that another one needs is read at the other one's version of the marketplace, which has no pin.
        let plugin = self.unit.marketplace.as_ref().map(MarketplacePlugin::value);
        if let Some(from) = self
            .marketplace
            .as_ref()
            .map(LockedMarketplace::value)
            .or(plugin)
        {
            map.push(("marketplace", from));
        }
        Value::map(map)
    }
}

impl MarketplacePlugin {
    fn fields(&self) -> [(&'static str, Value); 2] {
        [
            ("source", Value::from(self.marketplace.as_str())),
            ("name", Value::from(self.name.as_str())),
        ]
    }

    fn value(&self) -> Value {
        Value::map(self.fields())
    }
}

impl LockedMarketplace {
    fn value(&self) -> Value {
        let commit = self.commit.as_ref();
        let commit = commit.map(|commit| ("resolved_commit", Value::from(commit.as_str())));
        let requirement = ("requirement", Value::from(self.requirement.as_str()));
        let fields = self.plugin.fields().into_iter();
        Value::map(fields.chain([requirement]).chain(commit))
    }
}

impl LockEntry {
    /// One tool is written as two strings, several as lists.
    fn placement_fields(&self) -> Vec<(&'static str, Value)> {
        if let [one] = self.placements.as_slice() {
            let at = one
                .at
                .as_ref()
                .map(|at| ("installed_at", at.as_str().into()));
            let tool = ("tool", one.tool.as_str().into());
            return at.into_iter().chain([tool]).collect();
        }
        let mut fields = Vec::new();
        let tools = Value::list(self.tools().map(ToolName::as_str));
        let installed: Vec<Value> = self
            .placements
            .iter()
            .filter_map(LockedPlacement::value)
            .collect();
        if !self.placements.is_empty() {
            fields.push(("tools", tools));
        }
        if !installed.is_empty() {
            fields.push(("installed", Value::List(installed)));
        }
        fields
    }
}

impl LockedPlacement {
    fn value(&self) -> Option<Value> {
        let at = self.at.as_ref()?;
        Some(Value::map([
            ("tool", self.tool.as_str().into()),
            ("at", at.as_str().into()),
        ]))
    }
}

/// The fix for an unreadable lockfile.
pub const RESTORE_LOCK: &str =
    "restore it with `git checkout agpm.lock`, or delete it and run `agpm install`";

/// The commit that older programs write for a local resource.
const LOCAL: &str = "local";

/// Fields that only older programs write.
const OLDER_FIELDS: [&str; 3] = ["applied_patches", "context_checksum", "variant_inputs"];

fn writer_of(entry: NodeRef<'_>) -> LockWriter {
    let text = |key: &str| entry.get(key).and_then(NodeRef::as_str);
    let is_older = OLDER_FIELDS.iter().any(|field| entry.get(field).is_some())
        || text("checksum") == Some("")
        || text("resolved_commit") == Some(LOCAL);
    if is_older {
        LockWriter::Older
    } else {
        LockWriter::Agpm
    }
}

fn invalid(key: &str) -> String {
    match key {
        "checksum" => "invalid checksum: expected `sha256:` and 64 hexadecimal digits".to_owned(),
        "capabilities" => {
            "invalid capabilities: expected a list of strings, or the digest of an older program"
                .to_owned()
        }
        "resolved_commit" => "invalid commit: expected 40 or 64 hexadecimal digits".to_owned(),
        _ => format!("invalid `{key}`"),
    }
}

#[derive(Default)]
struct LockReader {
    diagnostics: Vec<Diagnostic>,
}

impl LockReader {
    fn broken(&mut self, node: NodeRef<'_>, message: impl Into<String>) {
        let diagnostic = Diagnostic::new(&codes::LOCK_BROKEN, message).at_spot(spot(node));
        self.diagnostics.push(diagnostic.help(RESTORE_LOCK));
    }

    fn version(&mut self, root: NodeRef<'_>) {
        let Some(version) = root.get("version") else {
            return self.broken(root, "the lockfile has no `version`");
        };
        if version.content() != VERSION.to_string() {
            self.broken(
                version,
                format!(
                    "the lockfile has version `{}`, but this agpm reads only version 1",
                    version.content()
                ),
            );
        }
    }

    /// Parses a string of the entry.
    fn read<T>(
        &mut self,
        entry: NodeRef<'_>,
        key: &str,
        read: impl Fn(&str) -> Option<T>,
    ) -> Result<Option<T>, ()> {
        let Some(node) = entry.get(key) else {
            return Ok(None);
        };
        match node.as_str().map(read) {
            // Older programs write an empty string for a missing value.
            _ if node.as_str() == Some("") => Ok(None),
            Some(Some(value)) => Ok(Some(value)),
            _ => {
                self.broken(node, invalid(key));
                Err(())
            }
        }
    }

    fn string(&mut self, node: NodeRef<'_>, key: &str) -> Result<Option<String>, ()> {
        self.read(node, key, |text| Some(text.to_owned()))
    }

    fn version_label(&mut self, node: NodeRef<'_>) -> Result<Option<VersionLabel>, ()> {
        self.read(node, "version", |text| Some(VersionLabel::new(text)))
    }

    /// The pin of a base or layer; `None` for one without a source.
    fn pin(
        &mut self,
        node: NodeRef<'_>,
        what: &str,
        source: Option<PinSource>,
    ) -> Result<Option<Pin>, ()> {
        let requirement = self.string(node, "requirement")?;
        let version = self.version_label(node)?;
        let commit = self.read(node, "resolved_commit", |text| text.parse().ok())?;
        let Some(source) = source else {
            return Ok(None);
        };
        // Older programs wrote none for a base.
        let has_requirement = requirement.is_some() || source.name().is_none();
        match (version, commit) {
            (Some(version), Some(commit)) if has_requirement => Ok(Some(Pin {
                source,
                requirement,
                version,
                commit,
            })),
            _ => {
                self.broken(node, format!("this {what} has a `source` but no commit"));
                Err(())
            }
        }
    }

    fn base(&mut self, node: NodeRef<'_>) -> Option<LockedBase> {
        let source = self.string(node, "source").ok()?;
        let directory = self.string(node, "path").ok()?;
        let is_nowhere = source.is_none() && directory.is_none();
        let pin = self.pin(node, "base", source.map(PinSource::Address));
        let pin = pin.ok()?;
        let checksum = self.read(node, "checksum", |text| text.parse().ok()).ok()?;
        let (Some(checksum), false) = (checksum, is_nowhere) else {
            self.broken(
                node,
                "this base has no `checksum`, or neither `source` nor `path`",
            );
            return None;
        };
        Some(LockedBase {
            directory: directory.unwrap_or_default(),
            pin,
            checksum,
        })
    }

    fn layer(&mut self, node: NodeRef<'_>) -> Option<LockedLayer> {
        let name = self
            .read(node, "name", |text| LayerName::new(text).ok())
            .ok()?;
        let source = self
            .read(node, "source", |text| SourceName::new(text).ok())
            .ok()?;
        let pin = self.pin(node, "layer", source.map(PinSource::Named)).ok()?;
        let checksum = self.read(node, "checksum", |text| text.parse().ok()).ok()?;
        let capabilities = self.capabilities(node).ok()?;
        let (Some(name), Some(checksum)) = (name, checksum) else {
            self.broken(node, "this layer has no `name` or no `checksum`");
            return None;
        };
        Some(LockedLayer {
            name,
            pin,
            checksum,
            capabilities,
        })
    }

    fn capabilities(&mut self, node: NodeRef<'_>) -> Result<LockedCapabilitySet, ()> {
        let list = node
            .get("capabilities")
            .filter(|value| value.kind() == NodeKind::List);
        if let Some(list) = list {
            let lines = list.items().map(|item| item.as_str().map(str::to_owned));
            return match lines.collect::<Option<Vec<String>>>() {
                Some(lines) => Ok(LockedCapabilitySet::of(lines)),
                None => {
                    self.broken(list, invalid("capabilities"));
                    Err(())
                }
            };
        }
        let digest = self.read(node, "capabilities", |text| text.parse().ok())?;
        Ok(digest.map_or(LockedCapabilitySet::None, LockedCapabilitySet::Digest))
    }

    fn remote(&mut self, node: NodeRef<'_>) -> Option<LockedRemote> {
        let remote = self
            .read(node, "remote", |text| CatalogRemote::parse(text).ok())
            .ok()?;
        let version = self.version_label(node).ok()?;
        let commit = self
            .read(node, "resolved_commit", |text| text.parse().ok())
            .ok()?;
        let (Some(remote), Some(version), Some(commit)) = (remote, version, commit) else {
            self.broken(
                node,
                "this remote has no `remote`, no `version` or no `resolved_commit`",
            );
            return None;
        };
        let (label, revision) = (version, commit);
        let version = ResolvedVersion { label, revision };
        Some(LockedRemote::new(&remote, version))
    }

    /// `tool` and `installed_at`, or `tools` and `installed`.
    fn placements(
        &mut self,
        kind: ResourceType,
        entry: NodeRef<'_>,
    ) -> Result<Vec<LockedPlacement>, ()> {
        let tool = |text: &str| ToolName::new(text).ok();
        let path = |text: &str| RelativePath::new(text).ok();
        if let Some(tools) = entry.get("tools") {
            let mut placements = Vec::new();
            for node in list(Some(tools)) {
                let Some(tool) = node.as_str().and_then(tool) else {
                    self.broken(node, invalid("tools"));
                    return Err(());
                };
                placements.push(LockedPlacement { tool, at: None });
            }
            for node in list(entry.get("installed")) {
                let (of, at) = (self.read(node, "tool", tool)?, self.read(node, "at", path)?);
                let placement = placements
                    .iter_mut()
                    .find(|one| Some(&one.tool) == of.as_ref());
                match placement {
                    Some(placement) => placement.at = at,
                    None => {
                        self.broken(
                            node,
                            "this entry of `installed` names a tool that is not in `tools`",
                        );
                        return Err(());
                    }
                }
            }
            placements.sort();
            placements.dedup_by(|later, first| later.tool == first.tool);
            return Ok(placements);
        }
        let tool = self.read(entry, "tool", tool)?;
        let at = self.read(entry, "installed_at", path)?;
        // Older programs may leave out the tool of a file.
        let usual = at
            .is_some()
            .then(|| ToolName::new(kind.default_tool()).ok())
            .flatten();
        let placement = tool.or(usual).map(|tool| LockedPlacement { tool, at });
        Ok(placement.into_iter().collect())
    }

    fn entry(&mut self, kind: ResourceType, node: NodeRef<'_>) -> Option<LockEntry> {
        let name = |text: &str| ResourceName::new(text).ok();
        let words = |key| {
            list(node.get(key))
                .filter_map(NodeRef::as_str)
                .map(str::to_owned)
                .collect()
        };
        let source = self
            .read(node, "source", |text| SourceName::new(text).ok())
            .ok()?;
        let path = |text: &str| match source {
            Some(_) if kind.extent() != ResourceExtent::File => {
                ResourcePath::directory_in_source(text).ok()
            }
            Some(_) => ResourcePath::in_source(text).ok(),
            None => ResourcePath::local(text).ok(),
        };
        let entry = self.read(node, "name", name).ok()?;
        let at = self
            .read(node, "path", |text| {
                let written = path(text)?;
                Some(ResourcePath::found(text).unwrap_or(written))
            })
            .ok()?;
        let Some(own_name) = entry else {
            self.broken(node, "this entry has no `name`");
            return None;
        };
        let (origin, found) = match (&source, at) {
            (Some(source), Some(at)) => (ResourceOrigin::Source(source.clone()), at),
            (None, Some(at)) => (ResourceOrigin::Local, at),
            (None, None) if kind == ResourceType::McpServers => {
                (ResourceOrigin::Manifest, ResourcePath::of_name(&own_name))
            }
            (_, None) => {
                self.broken(node, "this entry has no `path`");
                return None;
            }
        };
        let pattern = self.read(node, "pattern", path).ok()?;
        let text = |text: &str| Some(text.to_owned());
        let requirement = self.read(node, "requirement", text).ok()?;
        // Older programs name entries by their path and keep the manifest's key next to it.
        let alias = self.read(node, "manifest_alias", name).ok()?;
        let older = requirement.is_none() && source.is_some();
        let (name, manifest_alias) = if older {
            (alias.unwrap_or(own_name), None)
        } else {
            (own_name, alias)
        };
        let version = self.version_label(node).ok()?;
        let writer = writer_of(node);
        let commit: Option<Revision> = match writer {
            LockWriter::Older
                if node.get("resolved_commit").and_then(NodeRef::as_str) == Some(LOCAL) =>
            {
                None
            }
            _ => self
                .read(node, "resolved_commit", |text| text.parse().ok())
                .ok()?,
        };
        let pin = source.zip(commit).map(|(source, commit)| Pin {
            source: PinSource::Named(source),
            requirement,
            version: version.unwrap_or_else(|| VersionLabel::new(commit.short())),
            commit,
        });
        let checksum = if older || writer == LockWriter::Older {
            node.get("checksum")
                .and_then(NodeRef::as_str)
                .and_then(|text| text.parse().ok())
        } else {
            self.read(node, "checksum", |text| text.parse().ok()).ok()?
        };
        let parts = list(node.get("parts"))
            .filter_map(|part| {
                let id = part.as_str().and_then(ResourceId::parse);
                if id.is_none() {
                    self.broken(part, "this part is not `TYPE/NAME`");
                }
                id
            })
            .collect();
        let listed = node.get("marketplace");
        let plugin = match listed {
            Some(node) => Some(self.marketplace_plugin(node)?),
            None => None,
        };
        let marketplace = match (listed, &plugin) {
            (Some(node), Some(plugin)) => self.marketplace_pin(node, plugin).ok()?,
            _ => None,
        };
        let flag = |key: &str| node.get(key).and_then(NodeRef::as_bool);
        let install = match (flag("install"), flag("in_place")) {
            (Some(false), _) => InstallMode::ResolveOnly,
            (_, Some(true)) => InstallMode::InPlace,
            _ => InstallMode::Write,
        };
        Some(LockEntry {
            kind,
            name,
            manifest_alias,
            pattern,
            pin,
            checksum,
            capabilities: self.capabilities(node).ok()?,
            widened: list(node.get("widened"))
                .filter_map(|tool| ToolName::new(tool.as_str()?).ok())
                .collect(),
            placements: self.placements(kind, node).ok()?,
            dependencies: words("dependencies"),
            patches: words("patches"),
            private_patches: words("private_patches"),
            dropped_patches: words("dropped_patches"),
            install,
            unit: Unit {
                origin,
                path: found,
                extent: kind.extent(),
                marketplace: plugin,
            },
            parts,
            marketplace,
            writer,
        })
    }

    fn marketplace_plugin(&mut self, node: NodeRef<'_>) -> Option<MarketplacePlugin> {
        let source = self
            .read(node, "source", |text| SourceName::new(text).ok())
            .ok()?;
        let name = self.string(node, "name").ok()?;
        let (Some(marketplace), Some(name)) = (source, name) else {
            self.broken(node, "this marketplace has no `source` or no `name`");
            return None;
        };
        Some(MarketplacePlugin { marketplace, name })
    }

    /// The pin of a marketplace; only plugins of the manifest have one.
    fn marketplace_pin(
        &mut self,
        node: NodeRef<'_>,
        plugin: &MarketplacePlugin,
    ) -> Result<Option<LockedMarketplace>, ()> {
        let requirement = self.string(node, "requirement")?;
        let commit = self.read(node, "resolved_commit", |text| text.parse().ok())?;
        Ok(requirement.map(|requirement| LockedMarketplace {
            plugin: plugin.clone(),
            requirement,
            commit,
        }))
    }
}
