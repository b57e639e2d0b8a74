//! `agpm.toml` and `agpm.lock` of agpm-cli 0.4, whose format agpm reads.

use std::collections::BTreeMap;

use agpm_diag::{Diagnostic, Severity, codes};
use agpm_model::{RESOURCE_TYPES, ResourceType, SourceAddress};
use agpm_text::{Format, NodeKind, NodeRef, Value, to_value};
use serde::Serialize;

use crate::entries::{EntrySource, ManifestEntry};
use crate::formats::foreign::{ForeignFiles, ForeignManifest};
use crate::formats::format_reader::FormatReader;

/// Sections that are about this machine or this project and not about dependencies.
const OTHER_SECTIONS: [&str; 6] = [
    "tools",
    "default-tools",
    "patch",
    "target",
    "project",
    "gitignore",
];
/// Fields of a lockfile that agpm does not write.
const OLD_LOCK_FIELDS: [&str; 3] = ["context_checksum", "applied_patches", "variant_inputs"];

/// Something that agpm does differently.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ManifestDifference {
    /// The file.
    pub path: String,
    /// The difference.
    pub change: String,
}

pub(super) fn read(files: &mut ForeignFiles<'_>) -> ForeignManifest {
    let mut reading = FormatReader::default();
    let mut manifest = ForeignManifest::default();
    let Some(root) = reading.root(&files.main, "a manifest of agpm-cli") else {
        manifest.diagnostics = reading.diagnostics;
        return manifest;
    };
    reading.lost_keys(root, &OTHER_SECTIONS, "copy the section by hand");
    let sources = sources(&mut reading, root);
    for kind in RESOURCE_TYPES {
        let Some(table) = reading.map(root, kind.plural()) else {
            continue;
        };
        for (name, value) in table.entries() {
            manifest
                .entries
                .extend(read_entry(&mut reading, kind, name, value, &sources));
        }
    }
    manifest.diagnostics = reading.diagnostics;
    manifest
}

type Sources<'n> = BTreeMap<&'n str, SourceAddress>;

fn sources<'n>(reading: &mut FormatReader, root: NodeRef<'n>) -> Sources<'n> {
    let mut sources = BTreeMap::new();
    let listed = reading.map(root, "sources");
    for (name, url) in listed.into_iter().flat_map(NodeRef::entries) {
        let Some(written) = reading.text(url, "a source") else {
            continue;
        };
        match SourceAddress::parse(written) {
            Ok(address) => drop(sources.insert(name.content(), address)),
            Err(error) => {
                let help = "write a URL such as `https://host/org/repo.git`, or a directory";
                reading.malformed(url, error.to_string(), help);
            }
        }
    }
    sources
}

fn read_entry(
    reading: &mut FormatReader,
    kind: ResourceType,
    name: NodeRef<'_>,
    value: NodeRef<'_>,
    sources: &Sources<'_>,
) -> Option<ManifestEntry> {
    let resource_name = reading.name(name, name.content())?;
    if value.kind() != NodeKind::Map {
        let path = reading.text(value, "a dependency")?;
        let fields = [("path", Value::from(path))];
        return Some(ManifestEntry::of_fields(kind, resource_name, fields));
    }
    let named = reading.string(value, "source");
    let source = match named.map(|name| (name, sources.get(name))) {
        Some((name, Some(address))) => Some(EntrySource {
            key: "source",
            address: address.clone(),
            name: Some(name.to_owned()),
        }),
        Some((name, None)) => {
            let at = value.get("source").unwrap_or(value);
            let message = format!("the source `{name}` is not in `[sources]`");
            reading.malformed(at, message, "add it to the file, or remove the entry");
            return None;
        }
        None => None,
    };
    let Value::Map(fields) = to_value(value) else {
        return None;
    };
    let fields = fields.into_iter().filter(|(key, _)| key != "source");
    Some(ManifestEntry {
        kind,
        name: resource_name.to_owned(),
        source,
        fields: fields.collect(),
    })
}

/// The differences when agpm installs a project of agpm-cli as it is.
pub fn read_differences(
    files: &mut ForeignFiles<'_>,
) -> (Vec<ManifestDifference>, Vec<Diagnostic>) {
    let mut reading = FormatReader::default();
    let mut differences = Vec::new();
    let mut add = |path: &str, change: &str| {
        differences.push(ManifestDifference {
            path: path.to_owned(),
            change: change.to_owned(),
        });
    };
    if let Some(root) = reading.root(&files.main, "a manifest of agpm-cli") {
        if root.get("target").is_some() {
            add(
                &files.name,
                "`[target]` has no effect: tools define the paths of files",
            );
        }
        if root.get("gitignore").is_some() {
            add(
                &files.name,
                "`gitignore` has no effect: agpm edits no ignore file on install",
            );
        }
        let of_types = RESOURCE_TYPES.iter();
        let tables = of_types.filter_map(|kind| root.get(kind.plural()));
        let entries = tables.flat_map(NodeRef::entries);
        if entries
            .clone()
            .any(|(_, value)| value.get("repo").is_some())
        {
            add(&files.name, "`repo` in a dependency has no effect");
        }
    }
    let lock = files.beside.beside("agpm.lock", Format::Toml);
    let lock_root = lock.as_ref().and_then(|lock| lock.document.root());
    let has_old_fields = |root: NodeRef<'_>| {
        let mut entries = root.entries().flat_map(|(_, list)| list.items());
        entries.any(|entry| {
            let mut fields = OLD_LOCK_FIELDS.iter();
            fields.any(|field| entry.get(field).is_some())
        })
    };
    match lock_root {
        Some(root) if has_old_fields(root) => add(
            "agpm.lock",
            "its pins are kept, and `agpm install` rewrites it in agpm's format",
        ),
        Some(_) => add("agpm.lock", "its pins are kept"),
        None => {}
    }
    for found in &mut reading.diagnostics {
        if *found.code == codes::IMPORT_NO_COUNTERPART {
            found.severity = Severity::Note;
        }
    }
    (differences, reading.diagnostics)
}
