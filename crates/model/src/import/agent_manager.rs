//! Reads agent-manager's `config.yaml`. Its first version has a `hierarchy` of repositories, lowest first; its second
//! has `repos`, a `default_hierarchy` of their names, and `directories` that may have their own hierarchy and
//! agents.

use std::collections::BTreeMap;

use agpm_diag::{Diagnostic, Span, codes, did_you_mean};
use agpm_text::{Document, NodeKind, NodeRef, ParsedDocument};

use crate::address::SourceAddress;
use crate::check::spot;
use crate::import::base_directories::BaseDirectories;
use crate::import::findings::ImportFindings;
use crate::import::{ImportedConfiguration, ImportedLayer, ImportedLocation, mergers};
use crate::name::LayerName;

/// The lists of repositories, the newer version's first.
const LISTS: [&str; 2] = ["repos", "hierarchy"];
const SECTIONS: &[&str] = &[
    "default_hierarchy",
    "default_agents",
    "directories",
    "mergers",
];
/// `repo` is an object of the program, which older versions wrote too.
const ENTRY: &[&str] = &["branch", "name", "url", "repo_type", "repo"];
const DIRECTORY: &[&str] = &["agents", "hierarchy"];
/// The directories of the agents with known plugins.
const AGENTS: &[(&str, &str)] = &[("claude", ".claude/**"), ("cursor", ".cursor/**")];

/// Converts a configuration that was parsed as YAML; mistakes and lost settings are in the diagnostics.
pub fn read_agent_manager(
    parsed: &ParsedDocument,
    directories: &BaseDirectories<'_>,
) -> (ImportedConfiguration, Vec<Diagnostic>) {
    let document = &parsed.document;
    let mut findings = ImportFindings::of_reading(parsed, &objects(document));
    let import = match document.root() {
        _ if findings.has_errors() => ImportedConfiguration::default(),
        Some(root) if root.kind() == NodeKind::Map => AgentManagerReader {
            findings: &mut findings,
            directories,
            root,
        }
        .read(),
        _ => {
            let help = "it starts with `hierarchy:` or `repos:`; check the path";
            findings.malformed_file(document, "this is not an agent-manager configuration", help);
            ImportedConfiguration::default()
        }
    };
    (import, findings.into_diagnostics())
}

/// The spans of the program's own objects, including their tags.
fn objects(document: &Document) -> Vec<Span> {
    let lists = LISTS.iter().filter_map(|list| document.root()?.get(list));
    let keys = lists.flat_map(NodeRef::items).flat_map(NodeRef::entries);
    let objects = keys.filter(|(key, _)| key.content() == "repo");
    objects
        .map(|(key, value)| Span {
            start: key.span().start,
            end: value.span().end,
        })
        .collect()
}

struct AgentManagerReader<'r, 'd> {
    findings: &'r mut ImportFindings,
    directories: &'r BaseDirectories<'r>,
    root: NodeRef<'d>,
}

impl<'d> AgentManagerReader<'_, 'd> {
    fn read(&mut self) -> ImportedConfiguration {
        let Some((list, entries)) = LISTS
            .iter()
            .find_map(|list| Some((*list, self.root.get(list)?)))
        else {
            let help = "add a list of repositories, lowest rank first, or check the path";
            self.findings.malformed(
                self.root,
                "this file has neither `hierarchy` nor `repos`",
                help,
            );
            return ImportedConfiguration::default();
        };
        self.report_others(self.root, "the configuration", |key| {
            key == list || SECTIONS.contains(&key)
        });
        let settings = self.directory_settings();
        let include = self.include(settings);
        let layers = self.entries(list, entries, &include);
        let layers = self.in_order(list, entries, layers, settings);
        let merge = self
            .root
            .get("mergers")
            .map(|node| mergers::read(self.findings, node));
        ImportedConfiguration {
            layers,
            merge: merge.unwrap_or_default(),
        }
    }

    fn report_others(&mut self, map: NodeRef<'d>, of: &str, is_known: impl Fn(&str) -> bool) {
        for (key, _) in map.entries().filter(|(key, _)| !is_known(key.content())) {
            let message = format!("the key `{}` of {of} has no counterpart", key.content());
            self.findings
                .report_lost(key, message, "see `agpm explain import/no-counterpart`");
        }
    }

    /// The settings in `directories` for the manifest's directory; the others are reported.
    fn directory_settings(&mut self) -> Option<NodeRef<'d>> {
        let directories = self.root.get("directories")?;
        if !matches!(directories.kind(), NodeKind::Map | NodeKind::Null) {
            let message = format!("`directories` is {}", directories.kind().word());
            self.findings.malformed(
                directories,
                message,
                "write an object with directories as keys",
            );
        }
        let mut own = None;
        for (path, settings) in directories.entries() {
            if self.directories.is_project(path.content()) {
                self.report_others(settings, "a directory", |key| DIRECTORY.contains(&key));
                own = Some(settings);
            } else {
                let message = format!("the directory `{}` is another project", path.content());
                self.findings.report_lost(
                    path,
                    message,
                    "it needs its own manifest: run `agpm import` there",
                );
            }
        }
        own
    }

    /// The files to include, if only some agents are selected.
    fn include(&mut self, settings: Option<NodeRef<'d>>) -> Vec<String> {
        let agents = settings
            .and_then(|settings| settings.get("agents"))
            .or_else(|| self.root.get("default_agents"));
        let Some(agents) = agents else {
            return Vec::new();
        };
        let names = self.findings.strings(agents, "the list of agents");
        let directory = |name: &str| {
            AGENTS
                .iter()
                .find(|(agent, _)| *agent == name)
                .map(|(_, files)| *files)
        };
        let unknown: Vec<_> = names
            .iter()
            .filter(|(_, name)| directory(name).is_none())
            .collect();
        for (node, name) in unknown.iter().filter(|(_, name)| *name != "all") {
            let message = format!("the files of the agent `{name}` are unknown");
            let help = "files of all tools are included; narrow them with `include` in each layer";
            self.findings.report_lost(*node, message, help);
        }
        if unknown.is_empty() {
            names
                .iter()
                .filter_map(|(_, name)| directory(name).map(str::to_owned))
                .collect()
        } else {
            Vec::new()
        }
    }

    /// The layers of a list by name, in its order.
    fn entries(
        &mut self,
        list: &str,
        entries: NodeRef<'d>,
        include: &[String],
    ) -> Vec<(NodeRef<'d>, Option<ImportedLayer>)> {
        if entries.kind() != NodeKind::List || entries.len() == 0 {
            let found = if entries.kind() == NodeKind::List {
                "empty"
            } else {
                entries.kind().word()
            };
            let help = "write a list of repositories, each with `name`, `url` and `repo_type`";
            self.findings
                .malformed(entries, format!("`{list}` is {found}"), help);
        }
        let mut by_name: BTreeMap<&str, NodeRef<'d>> = BTreeMap::new();
        let mut layers = Vec::new();
        for entry in entries.items() {
            if entry.kind() != NodeKind::Map {
                let message = format!("an entry of the hierarchy is {}", entry.kind().word());
                self.findings.malformed(
                    entry,
                    message,
                    "write an object with `name`, `url` and `repo_type`",
                );
                continue;
            }
            // All of an entry is read before it is rejected, to report every mistake in it at once.
            self.report_others(entry, "an entry", |key| ENTRY.contains(&key));
            let (name, location) = (self.name(entry), self.read_location(entry));
            let Some(name) = name else { continue };
            match by_name.get(name.content()) {
                Some(earlier) => self.report_twice(name, *earlier),
                None => layers.push((name, self.layer(name, location, include))),
            }
            by_name.entry(name.content()).or_insert(name);
        }
        layers
    }

    fn name(&mut self, entry: NodeRef<'d>) -> Option<NodeRef<'d>> {
        let name = self.required(entry, "name")?;
        self.findings.string(name, "`name`")?;
        Some(name)
    }

    fn required(&mut self, entry: NodeRef<'d>, key: &str) -> Option<NodeRef<'d>> {
        let found = entry.get(key);
        if found.is_none() {
            let message = format!("this entry has no `{key}`");
            self.findings
                .malformed(entry, message, &format!("add `{key}`"));
        }
        found
    }

    fn report_twice(&mut self, again: NodeRef<'d>, first: NodeRef<'d>) {
        let (again_at, first_at) = (spot(again), spot(first));
        let message = format!("duplicate entry `{}`", again.content());
        self.findings.report(
            Diagnostic::new(&codes::IMPORT_FORMAT, message)
                .at(again_at.source, again_at.span, "again here")
                .at(first_at.source, first_at.span, "first here")
                .help("rename one of them"),
        );
    }

    fn layer(
        &mut self,
        name: NodeRef<'d>,
        location: Option<ImportedLocation>,
        include: &[String],
    ) -> Option<ImportedLayer> {
        let layer = LayerName::new(name.content()).map_err(|error| {
            self.findings.malformed(
                name,
                error.to_string(),
                "write a short word, such as `team`",
            );
        });
        Some(ImportedLayer {
            name: layer.ok()?,
            location: location?,
            include: include.to_vec(),
        })
    }

    fn read_location(&mut self, entry: NodeRef<'d>) -> Option<ImportedLocation> {
        let url = self.required(entry, "url");
        let address = url
            .and_then(|url| self.findings.string(url, "`url`"))
            .map(str::trim);
        let kind = match entry.get("repo_type") {
            Some(kind) => self.findings.string(kind, "`repo_type`")?,
            None if address.is_some_and(is_directory) => "file",
            None => "git",
        };
        let branch = entry.get("branch").filter(|_| kind == "git");
        let branch = branch.and_then(|branch| self.findings.string(branch, "`branch`"));
        let (url, address) = (url?, address?);
        match kind {
            "git" => Some(ImportedLocation::Git(
                self.address(url, address)?,
                branch.map(str::to_owned),
            )),
            "local" | "file" if is_directory(address) => {
                let path = address.strip_prefix("file://").unwrap_or(address);
                Some(ImportedLocation::Directory(self.directories.written(path)))
            }
            "local" | "file" => {
                self.findings
                    .malformed(url, "not a directory", "write `file://` and a path");
                None
            }
            _ => {
                let name = entry.get("name").unwrap_or(entry);
                let called = name.as_str().unwrap_or_default();
                let message = format!("the layer `{called}` is a repository of type `{kind}`");
                let help = "layers are git sources or directories: copy it to one, and add the layer by hand";
                self.findings
                    .report_lost(entry.get("repo_type").unwrap_or(name), message, help);
                None
            }
        }
    }

    /// A URL without its secrets, which are reported: the manifest is shared.
    fn address(&mut self, url: NodeRef<'d>, text: &str) -> Option<SourceAddress> {
        let text = if text.starts_with("file://~") {
            self.directories.written(&text[7..])
        } else {
            text.to_owned()
        };
        let found = SourceAddress::parse(&text).map_err(|error| {
            let help = "write a URL such as `https://host/org/repo.git`, or a directory";
            self.findings.malformed(url, error.to_string(), help);
        });
        let address = found.ok()?;
        if address.redacted() == address.reveal() {
            return Some(address);
        }
        let message = "the URL contains a secret, which is not imported";
        let help = "keep it in git's credentials, or name the source in `agpm.private.toml`";
        self.findings.report(
            Diagnostic::new(&codes::MANIFEST_SECRET, message)
                .at_spot(spot(url))
                .help(help),
        );
        SourceAddress::parse(address.redacted()).ok()
    }

    /// The layers that apply to the manifest's directory, lowest first.
    fn in_order(
        &mut self,
        list: &str,
        entries: NodeRef<'d>,
        layers: Vec<(NodeRef<'d>, Option<ImportedLayer>)>,
        settings: Option<NodeRef<'d>>,
    ) -> Vec<ImportedLayer> {
        let order = settings
            .and_then(|settings| settings.get("hierarchy"))
            .or_else(|| self.root.get("default_hierarchy"));
        let Some(order) = order else {
            if list == "repos" {
                let help = "add `default_hierarchy`, a list of their names, lowest first";
                self.findings
                    .malformed(entries, "the order of the repositories is not set", help);
            }
            return layers.into_iter().filter_map(|(_, layer)| layer).collect();
        };
        let mut left: BTreeMap<&str, _> = BTreeMap::new();
        left.extend(layers.iter().map(|(name, layer)| (name.content(), layer)));
        let mut ordered = Vec::new();
        for (node, name) in self.findings.strings(order, "the hierarchy") {
            match left.remove(name) {
                Some(layer) => ordered.extend(layer.clone()),
                None => self.report_unknown(node, &layers),
            }
        }
        for (name, _) in layers
            .iter()
            .filter(|(name, _)| left.contains_key(name.content()))
        {
            let message = format!(
                "the repository `{}` is not in the hierarchy of this directory",
                name.content()
            );
            self.findings.report_lost(
                *name,
                message,
                "add a layer for it by hand if you need it here",
            );
        }
        ordered
    }

    fn report_unknown(
        &mut self,
        node: NodeRef<'d>,
        layers: &[(NodeRef<'d>, Option<ImportedLayer>)],
    ) {
        let names = layers.iter().map(|(name, _)| name.content());
        let message = if names.clone().any(|name| name == node.content()) {
            format!("`{}` is in the hierarchy twice", node.content())
        } else {
            format!("unknown repository `{}`", node.content())
        };
        let help = did_you_mean(node.content(), "repositories are", names).unwrap_or_default();
        self.findings.malformed(node, message, &help);
    }
}

/// Whether a URL means a directory on this machine.
fn is_directory(address: &str) -> bool {
    address.starts_with("file://") || address.starts_with(['/', '.', '~'])
}
