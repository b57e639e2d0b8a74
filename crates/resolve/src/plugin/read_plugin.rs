//! A plugin out of its files: the manifest that it has, and its parts.

use agpm_diag::{Notes, has_errors};
use agpm_text::Document;

use crate::plugin::agent_plugins;
use crate::plugin::manifest::{ManifestFile, PluginDependency, PluginDialect, PluginManifest};
use crate::plugin::marketplace::{MarketplaceEntry, Strictness};
use crate::plugin::parts::{DefaultDirectories, PartFinder, PluginListing};
use crate::plugin::reader::PluginFileReader;
use crate::plugin::tree::{PluginContext, PluginTree};

/// Reads a plugin by one of its manifests, if it has any; `entry` is its entry in the marketplace. `None` if it is
/// rejected, with the reason in the notes.
pub fn read_plugin(
    tree: &PluginTree<'_>,
    file: Option<ManifestFile>,
    entry: Option<&MarketplaceEntry>,
    context: PluginContext<'_>,
    notes: &mut Notes,
) -> Option<PluginListing> {
    let document = match file {
        Some(file) if file.dialect == PluginDialect::AgentPlugins => {
            Some((file, tree.strict_json(file.path, context, notes)?))
        }
        Some(file) => Some((file, tree.json(file.path, context, notes)?)),
        None => None,
    };
    let manifest = match &document {
        Some((file, document)) => read_manifest(*file, document, context, notes)?,
        None => PluginManifest::default(),
    };
    let dependencies = dependencies_of(&manifest, entry);
    let mut reading = PartFinder::new(tree, context, file, notes);
    if let Some(file) = file.filter(|file| file.dialect == PluginDialect::AgentPlugins) {
        agent_plugins::find_parts(&mut reading);
        return Some(reading.listing(dependencies, Some(file.dialect)));
    }
    let dialect = file.map(|file| file.dialect);
    let defaults = match dialect {
        Some(dialect) if dialect.replaces_defaults() => DefaultDirectories::Unnamed,
        _ => DefaultDirectories::Searched,
    };
    reading.find(&manifest.components, defaults);
    if let Some(entry) = entry {
        if entry.strictness == Strictness::EntryAlone {
            reading.forget_defaults(&entry.manifest.components);
        }
        // The default directories were searched for the manifest, which may have replaced some of them.
        reading.find(&entry.manifest.components, DefaultDirectories::Skipped);
    }
    Some(reading.listing(dependencies, dialect))
}

/// The plugins that the manifest or the entry of the marketplace requires.
fn dependencies_of(
    manifest: &PluginManifest,
    entry: Option<&MarketplaceEntry>,
) -> Vec<PluginDependency> {
    let mut dependencies = manifest.dependencies.clone();
    for more in entry.iter().flat_map(|entry| &entry.manifest.dependencies) {
        if !dependencies.iter().any(|one| one.name == more.name) {
            dependencies.push(more.clone());
        }
    }
    dependencies
}

fn read_manifest(
    file: ManifestFile,
    document: &Document,
    context: PluginContext<'_>,
    notes: &mut Notes,
) -> Option<PluginManifest> {
    let mut reader = PluginFileReader::of_plugin(context.file(file.path));
    let root = document.root()?;
    let manifest = if !reader.is_map(root, "plugin.json") {
        PluginManifest::default()
    } else if file.dialect == PluginDialect::AgentPlugins {
        agent_plugins::read_manifest(root, &mut reader)
    } else {
        PluginManifest::read(root, &mut reader)
    };
    let is_rejected = has_errors(&reader.diagnostics);
    notes.diagnostics.extend(reader.diagnostics);
    (!is_rejected).then_some(manifest)
}
