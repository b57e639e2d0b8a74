//! A plugin out of its files: the manifest that it has, and its parts.

use agpm_diag::{Notes, has_errors};
use agpm_text::Document;

use crate::agent_plugins;
use crate::manifest::{PluginDialect, PluginManifest};
use crate::marketplace::{MarketplaceEntry, Strictness};
use crate::parts::{DefaultDirectories, PartFinder, PluginListing};
use crate::reader::PluginFileReader;
use crate::tree::{PluginContext, PluginTree, manifest_of};

/// Reads a plugin; `entry` is its entry in the marketplace. `None` if it is rejected, with the reason in the notes.
pub fn read_plugin(
    tree: &PluginTree<'_>,
    entry: Option<&MarketplaceEntry>,
    context: PluginContext<'_>,
    notes: &mut Notes,
) -> Option<PluginListing> {
    let found = manifest_of(|path| tree.has_file(path));
    let document = match found {
        Some((path, _)) => Some((path, tree.json(path, context, notes)?)),
        None => None,
    };
    let dialect = found.map(|(_, dialect)| dialect);
    let manifest = match &document {
        Some((path, document)) => read_manifest(path, document, dialect, context, notes)?,
        None => PluginManifest::default(),
    };
    let manifest_path = document.map_or("marketplace.json", |(path, _)| path);
    let mut reading = PartFinder::new(tree, context, manifest_path, notes);
    if dialect == Some(PluginDialect::AgentPlugins) {
        agent_plugins::find_parts(&mut reading);
        return Some(reading.listing(manifest, dialect));
    }
    reading.find(&manifest.components, DefaultDirectories::Searched);
    if let Some(entry) = entry {
        let defaults = match entry.strictness {
            Strictness::EntryAlone => DefaultDirectories::Skipped,
            Strictness::PluginManifest => DefaultDirectories::Searched,
        };
        if defaults == DefaultDirectories::Skipped {
            reading.forget_defaults(&entry.manifest.components);
        }
        reading.find(&entry.manifest.components, defaults);
    }
    Some(reading.listing(manifest, dialect))
}

fn read_manifest(
    path: &str,
    document: &Document,
    dialect: Option<PluginDialect>,
    context: PluginContext<'_>,
    notes: &mut Notes,
) -> Option<PluginManifest> {
    let mut reader = PluginFileReader::of_plugin(context.file(path));
    let root = document.root()?;
    let manifest = if !reader.is_map(root, "plugin.json") {
        PluginManifest::default()
    } else if dialect == Some(PluginDialect::AgentPlugins) {
        agent_plugins::read_manifest(root, &mut reader)
    } else {
        PluginManifest::read(root, &mut reader)
    };
    let is_rejected = has_errors(&reader.diagnostics);
    notes.diagnostics.extend(reader.diagnostics);
    (!is_rejected).then_some(manifest)
}
