//! The plugins that a `marketplace.json` lists, as far as finding them needs.

use std::collections::BTreeMap;

use agpm_text::{NodeKind, NodeRef};

use crate::discover::candidate::PluginPlacement;
use crate::discover::content::{document, text};
use crate::discover::description::plain_line;
use crate::discover::limits::MOST_PLUGINS;

/// A plugin of a marketplace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MarketplaceListing {
    /// Its name in the marketplace.
    pub name: String,
    /// Its description in the marketplace.
    pub description: Option<String>,
    /// Its directory from the root of the source; empty for the root.
    pub path: String,
    /// Whether it is in this source.
    pub location: PluginPlacement,
    /// Paths of parts that the entry itself names, from the root of the source.
    pub parts: Vec<String>,
}

/// A `marketplace.json`.
#[derive(Clone, Debug, Default)]
pub struct MarketplaceFile {
    /// The name that it gives itself.
    pub name: Option<String>,
    /// Its plugins.
    pub entries: Vec<MarketplaceListing>,
    /// New names of plugins, by their old ones.
    pub renames: BTreeMap<String, String>,
}

/// Reads a marketplace; `root` is the directory that its relative paths start from.
pub fn read_marketplace(bytes: &[u8], root: &str) -> Option<MarketplaceFile> {
    let document = document("marketplace.json", bytes)?;
    let map = document.root().filter(|map| map.kind() == NodeKind::Map)?;
    let plugin_root = map
        .get("metadata")
        .and_then(|metadata| text(metadata, "pluginRoot"));
    let base = join(root, plugin_root.as_deref().unwrap_or_default());
    let plugins = map.get("plugins").into_iter().flat_map(NodeRef::items);
    let entries = plugins.take(MOST_PLUGINS);
    let entries = entries.filter_map(|entry| read_entry(entry, root, &base));
    let renames = map.get("renames").into_iter().flat_map(NodeRef::entries);
    let renames = renames.filter_map(|(old, new)| {
        let new = new.as_str()?.to_owned();
        Some((old.content().to_owned(), new))
    });
    Some(MarketplaceFile {
        name: text(map, "name"),
        entries: entries.collect(),
        renames: renames.take(MOST_PLUGINS).collect(),
    })
}

fn read_entry(entry: NodeRef<'_>, root: &str, base: &str) -> Option<MarketplaceListing> {
    let name = text(entry, "name")?;
    let source = entry.get("source")?;
    let (path, location) = match source.as_str() {
        // Only a bare name starts at the root that the marketplace names for plugins.
        Some(relative) if relative.starts_with("./") || relative == "." => {
            (join(root, relative), PluginPlacement::Here)
        }
        Some(relative) => (join(base, relative), PluginPlacement::Here),
        // Codex writes a relative path as an object.
        None if text(source, "source").as_deref() == Some("local") => {
            let relative = text(source, "path").unwrap_or_default();
            (join(root, &relative), PluginPlacement::Here)
        }
        None => (String::new(), PluginPlacement::Elsewhere(elsewhere(source))),
    };
    let keys = ["skills", "agents", "commands"].into_iter();
    let values = keys.filter_map(|key| entry.get(key));
    let texts = values.flat_map(|value| match value.as_str() {
        Some(one) => vec![one],
        None => value.items().filter_map(NodeRef::as_str).collect(),
    });
    let parts = match location {
        PluginPlacement::Here => texts.map(|part| join(&path, part)).collect(),
        _ => Vec::new(),
    };
    Some(MarketplaceListing {
        name,
        description: text(entry, "description"),
        path,
        location,
        parts,
    })
}

/// Another repository in a few words.
fn elsewhere(source: NodeRef<'_>) -> String {
    let keys = ["repo", "url", "package", "source"];
    let found = keys.into_iter().find_map(|key| text(source, key));
    found.unwrap_or_else(|| plain_line(source.kind().word()))
}

/// A relative path below another; steps that lead out lead nowhere.
fn join(base: &str, relative: &str) -> String {
    let parts = base.split('/').chain(relative.split('/'));
    let parts: Vec<&str> = parts
        .filter(|part| !matches!(*part, "" | "." | ".."))
        .collect();
    parts.join("/")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn entries_have_their_directories_and_parts() {
        let text = r#"{"name":"m","owner":{"name":"o"},"metadata":{"pluginRoot":"./plugins"},"plugins":[
            {"name":"a","source":"a","description":"A\u001b[2J"},
            {"name":"b","source":"./other/b"},
            {"name":"c","source":"./","strict":false,"skills":["./skills/x","./skills/y"]},
            {"name":"d","source":{"source":"github","repo":"o/d"}},
            {"name":"e"}, {"source":"./x"}, 3]}"#;
        let MarketplaceFile { name, entries, .. } = read_marketplace(text.as_bytes(), "").unwrap();
        assert_eq!(name.as_deref(), Some("m"));
        let rows: Vec<(&str, &str, usize)> = entries
            .iter()
            .map(|entry| (entry.name.as_str(), entry.path.as_str(), entry.parts.len()))
            .collect();
        assert_eq!(
            rows,
            [
                ("a", "plugins/a", 0),
                ("b", "other/b", 0),
                ("c", "", 2),
                ("d", "", 0)
            ]
        );
        assert_eq!(entries[0].description.as_deref(), Some("A"));
        assert_eq!(entries[2].parts, ["skills/x", "skills/y"]);
        assert_eq!(
            entries[3].location,
            PluginPlacement::Elsewhere("o/d".to_owned())
        );
        assert!(read_marketplace(b"[]", "").is_none());
        assert!(read_marketplace(b"\xff", "").is_none());
    }
}
