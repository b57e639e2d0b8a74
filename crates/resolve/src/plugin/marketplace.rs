//! `marketplace.json`: plugins by name, and where each of them is.

use std::collections::BTreeSet;

use agpm_diag::{Diagnostic, codes, did_you_mean};
use agpm_model::Revision;
use agpm_text::{NodeKind, NodeRef};

use crate::plugin::limits::MOST_RENAMES;
use crate::plugin::manifest::PluginManifest;
use crate::plugin::reader::{PluginFileReader, path_in_plugin};

/// A list of plugins.
#[derive(Clone, Debug, Default)]
pub struct Marketplace {
    /// Its name, by which others refer to it.
    pub name: String,
    /// The plugins.
    pub entries: Vec<MarketplaceEntry>,
    /// Plugins that have another name now, or none.
    renames: Vec<(String, Option<String>)>,
}

/// A plugin of a marketplace.
#[derive(Clone, Debug)]
pub struct MarketplaceEntry {
    /// The name of the marketplace entry.
    pub name: String,
    /// The location; `None` if the entry does not state a supported one.
    pub source: Option<PluginSource>,
    /// Whether it has its own manifest.
    pub strictness: Strictness,
    /// The metadata in the entry itself.
    pub manifest: PluginManifest,
    /// The problems of the entry. It concerns only those who want this plugin.
    pub diagnostics: Vec<Diagnostic>,
}

/// The location of a plugin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PluginSource {
    /// In the marketplace's own source, by its path; the top is empty.
    Relative(String),
    /// In a git repository.
    Git {
        /// The repository's URL.
        url: String,
        /// The directory in it; the top is empty.
        path: String,
        /// The branch or tag.
        reference: Option<String>,
        /// The commit.
        sha: Option<Revision>,
    },
    /// Somewhere that agpm does not read from; the kind of source, as it is written.
    Unsupported(String),
}

/// Which of two manifests applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strictness {
    /// The plugin's own; the entry may add to it.
    PluginManifest,
    /// The entry is the manifest (`strict: false`).
    EntryAlone,
}

/// A plugin that a marketplace does not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownPlugin {
    /// Names that it could be, in words.
    pub help: Option<String>,
}

impl Marketplace {
    /// The plugin of that name, or of the one that it has now.
    pub fn find(&self, name: &str) -> Result<&MarketplaceEntry, UnknownPlugin> {
        let mut name = name;
        let mut seen = BTreeSet::new();
        loop {
            if let Some(entry) = self.entries.iter().find(|entry| entry.name == name) {
                return Ok(entry);
            }
            let renamed = self.renames.iter().find(|(old, _)| old == name);
            match renamed {
                Some((_, Some(new))) if seen.len() < MOST_RENAMES && seen.insert(new) => name = new,
                Some((_, None)) => {
                    let help = "the marketplace removed it".to_owned();
                    return Err(UnknownPlugin { help: Some(help) });
                }
                _ => break,
            }
        }
        let names = self.entries.iter().map(|entry| entry.name.as_str());
        Err(UnknownPlugin {
            help: did_you_mean(name, "its plugins are", names),
        })
    }
}

/// Reads a marketplace. Problems of one entry are kept with it, and do not affect the others.
pub fn read_marketplace(root: NodeRef<'_>, file: &str) -> (Marketplace, Vec<Diagnostic>) {
    let mut reader = PluginFileReader::new(file.to_owned(), &codes::PLUGIN_MARKETPLACE);
    let mut marketplace = Marketplace::default();
    if !reader.is_map(root, "marketplace") {
        return (marketplace, reader.diagnostics);
    }
    marketplace.name = reader.required(root, "name").unwrap_or_default().to_owned();
    let plugin_root = root
        .get("metadata")
        .and_then(|metadata| metadata.get("pluginRoot"))
        .and_then(|node| reader.path(node))
        .unwrap_or_default();
    match root.get("plugins") {
        Some(plugins) if plugins.kind() == NodeKind::List => {
            marketplace.entries = plugins
                .items()
                .filter_map(|node| entry(node, &plugin_root, file))
                .collect();
        }
        Some(other) => reader.wrong_kind(other, "plugins", "a list"),
        None => reader.error(
            root,
            "`plugins` is missing".to_owned(),
            "the author must add it",
        ),
    }
    if let Some(renames) = root
        .get("renames")
        .filter(|node| node.kind() == NodeKind::Map)
    {
        let rename = |(old, new): (NodeRef<'_>, NodeRef<'_>)| {
            (old.content().to_owned(), new.as_str().map(str::to_owned))
        };
        marketplace.renames = renames.entries().map(rename).collect();
    }
    (marketplace, reader.diagnostics)
}

fn entry(node: NodeRef<'_>, plugin_root: &str, file: &str) -> Option<MarketplaceEntry> {
    // An entry without a name cannot be requested.
    let name = node.get("name").and_then(NodeRef::as_str)?.to_owned();
    let subject = format!("plugin `{name}` of {file}");
    let mut reader = PluginFileReader::new(subject, &codes::PLUGIN_MARKETPLACE);
    let strictness = match node.get("strict").and_then(NodeRef::as_bool) {
        Some(false) => Strictness::EntryAlone,
        _ => Strictness::PluginManifest,
    };
    let source = plugin_source(node, plugin_root, &mut reader);
    let manifest = PluginManifest::read(node, &mut reader);
    Some(MarketplaceEntry {
        name,
        source,
        strictness,
        manifest,
        diagnostics: reader.diagnostics,
    })
}

fn plugin_source(
    entry: NodeRef<'_>,
    plugin_root: &str,
    reader: &mut PluginFileReader,
) -> Option<PluginSource> {
    let Some(node) = entry.get("source") else {
        let help = "the author must add the location of the plugin";
        reader.error(entry, "`source` is missing".to_owned(), help);
        return None;
    };
    match node.kind() {
        NodeKind::String => {
            let path = reader.path(node)?;
            Some(PluginSource::Relative(in_root(plugin_root, &path)))
        }
        NodeKind::Map => git_source(node, reader),
        _ => {
            reader.wrong_kind(node, "source", "a path or an object");
            None
        }
    }
}

/// A path from the directory of plugins, unless it is already from the top.
fn in_root(root: &str, path: &str) -> String {
    let is_inside = path
        .strip_prefix(root)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    match (root, path) {
        ("", _) => path.to_owned(),
        _ if is_inside => path.to_owned(),
        (_, "") => root.to_owned(),
        _ => format!("{root}/{path}"),
    }
}

fn git_source(node: NodeRef<'_>, reader: &mut PluginFileReader) -> Option<PluginSource> {
    let kind = reader.required(node, "source")?;
    let path = |reader: &mut PluginFileReader| match node.get("path") {
        Some(path) => reader.path(path),
        None => Some(String::new()),
    };
    let (url, path) = match kind {
        "github" => {
            let repository = reader.required(node, "repo")?;
            if !is_repository(repository) {
                let message = format!("`{repository}` is not `OWNER/REPOSITORY`");
                reader.error(node, message, "the author must correct it");
                return None;
            }
            let url = format!("https://github.com/{repository}.git");
            (url, path(reader)?)
        }
        "url" | "git" => (reader.required(node, "url")?.to_owned(), path(reader)?),
        "git-subdir" => {
            let url = reader.required(node, "url")?.to_owned();
            reader.required(node, "path")?;
            let url = if is_repository(&url) {
                format!("https://github.com/{url}.git")
            } else {
                url
            };
            (url, path(reader)?)
        }
        "local" | "relative" => {
            let path = path(reader)?;
            return Some(PluginSource::Relative(path));
        }
        kind => return Some(PluginSource::Unsupported(kind.to_owned())),
    };
    let sha = match reader.string(node, "sha").map(str::parse::<Revision>) {
        Some(Ok(sha)) => Some(sha),
        None => None,
        Some(Err(_)) => {
            let message = "`sha` is not a commit".to_owned();
            reader.error(node, message, "the author must write 40 hexadecimal digits");
            return None;
        }
    };
    Some(PluginSource::Git {
        url,
        path,
        reference: reader.string(node, "ref").map(str::to_owned),
        sha,
    })
}

/// Whether text is `OWNER/REPOSITORY`.
fn is_repository(text: &str) -> bool {
    let part = |part: &str| {
        !part.is_empty()
            && !part.starts_with(['.', '-'])
            && part
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
    };
    text.split_once('/')
        .is_some_and(|(owner, name)| part(owner) && part(name))
        && path_in_plugin(text).is_some()
}
