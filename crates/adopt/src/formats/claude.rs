//! Plugins and marketplaces in the settings of Claude Code.

use std::collections::BTreeMap;

use agpm_model::{ResourceType, SourceAddress};
use agpm_text::{Format, NodeKind, NodeRef, ParsedDocument};

use crate::entries::{EntrySource, ManifestEntry};
use crate::formats::foreign::{ForeignFiles, ForeignManifest};
use crate::formats::format_reader::{FormatReader, parse_address};

/// The marketplace that Claude Code knows by itself.
const OFFICIAL: (&str, &str) = (
    "claude-plugins-official",
    "https://github.com/anthropics/claude-plugins-official",
);
const KNOWN_MARKETPLACES: &str = ".claude/plugins/known_marketplaces.json";
/// The keys of settings that list marketplaces.
const MARKETPLACE_KEYS: [&str; 2] = ["extraKnownMarketplaces", "additionalMarketplaces"];

pub(super) fn read(files: &mut ForeignFiles<'_>) -> ForeignManifest {
    let mut reading = FormatReader::default();
    let local = match files.name.as_str() {
        "settings.json" => files.beside.beside("settings.local.json", Format::Jsonc),
        _ => None,
    };
    let known_marketplaces = files.beside.in_home(KNOWN_MARKETPLACES, Format::Jsonc);
    let settings: Vec<&ParsedDocument> = [Some(&files.main), local.as_ref()]
        .into_iter()
        .flatten()
        .collect();
    let mut marketplaces: BTreeMap<String, SourceAddress> = BTreeMap::new();
    let official = parse_address(OFFICIAL.1).ok();
    marketplaces.extend(official.map(|address| (OFFICIAL.0.to_owned(), address)));
    let known_root = known_marketplaces
        .as_ref()
        .and_then(|known_marketplaces| known_marketplaces.document.root());
    add_marketplaces(&mut reading, known_root, &mut marketplaces);
    let mut roots = Vec::new();
    for parsed in settings {
        roots.extend(reading.root(parsed, "a settings file of Claude Code"));
    }
    for root in &roots {
        for key in MARKETPLACE_KEYS {
            let listed = reading.map(*root, key);
            add_marketplaces(&mut reading, listed, &mut marketplaces);
        }
    }
    let mut entries = Vec::new();
    for root in roots {
        let Some(plugins) = reading.map(root, "enabledPlugins") else {
            continue;
        };
        for (plugin, state) in plugins.entries() {
            entries.extend(read_plugin(&mut reading, plugin, state, &marketplaces));
        }
    }
    ForeignManifest {
        entries,
        diagnostics: reading.diagnostics,
        ..ForeignManifest::default()
    }
}

/// Adds the marketplaces of an object, by name.
fn add_marketplaces(
    reading: &mut FormatReader,
    listed: Option<NodeRef<'_>>,
    marketplaces: &mut BTreeMap<String, SourceAddress>,
) {
    for (name, marketplace) in listed.into_iter().flat_map(NodeRef::entries) {
        let Some(source) = reading.map(marketplace, "source") else {
            if marketplace.kind() != NodeKind::Map || marketplace.get("source").is_none() {
                let message = format!("the marketplace `{}` has no `source`", name.content());
                reading.malformed(marketplace, message, "check the file");
            }
            continue;
        };
        let kind = reading.required(source, "source").unwrap_or_default();
        let key = match kind {
            "github" => "repo",
            "git" | "url" => "url",
            "directory" | "file" => "path",
            _ => {
                let message = format!("a marketplace of type `{kind}` has no counterpart");
                reading.report_lost(source, message, "add the git repository that it is in");
                continue;
            }
        };
        let Some(written) = reading.required(source, key) else {
            continue;
        };
        let node = source.get(key).unwrap_or(source);
        let address = match key {
            "path" => SourceAddress::parse(written).ok(),
            _ => reading.address(node, written),
        };
        marketplaces.extend(address.map(|address| (name.content().to_owned(), address)));
        if source.get("ref").is_some() {
            let message = format!("the `ref` of the marketplace `{}`", name.content());
            let help = "write `version` or `branch` in the entries of its plugins";
            reading.report_lost(source, format!("{message} has no counterpart"), help);
        }
    }
}

fn read_plugin(
    reading: &mut FormatReader,
    plugin: NodeRef<'_>,
    state: NodeRef<'_>,
    marketplaces: &BTreeMap<String, SourceAddress>,
) -> Option<ManifestEntry> {
    let written = plugin.content();
    match state.as_bool() {
        Some(true) => {}
        Some(false) => return None,
        None => {
            let message = format!("`{written}` is {}, not true or false", state.kind().word());
            reading.malformed(state, message, "check the file");
            return None;
        }
    }
    let Some((name, marketplace)) = written.rsplit_once('@') else {
        let message = format!("`{written}` does not name a marketplace");
        reading.malformed(plugin, message, "write `PLUGIN@MARKETPLACE`");
        return None;
    };
    let Some(address) = marketplaces.get(marketplace) else {
        let message = format!("unknown marketplace `{marketplace}`");
        let help = format!("run `agpm add source {marketplace} URL`, and import again");
        reading.report_lost(plugin, message, &help);
        return None;
    };
    let name = reading.name(plugin, name)?;
    Some(ManifestEntry {
        source: Some(EntrySource {
            key: "marketplace",
            address: address.clone(),
            name: Some(marketplace.to_owned()),
        }),
        ..ManifestEntry::of_fields(ResourceType::Plugins, name, [("name", name.into())])
    })
}
