//! The entries that an import adds to a manifest, and their conflicts.

use std::collections::{BTreeMap, BTreeSet};

use agpm_diag::{Diagnostic, codes};
use agpm_text::{
    Document, Edit, EditError, Format, NodeRef, Pointer, Value, equal, parse_alone, to_value,
};
use serde::Serialize;

use crate::check::spot;
use crate::import::{ImportedConfiguration, ImportedLayer, ImportedLocation};
use crate::manifest::Manifest;
use crate::name::SourceName;

/// The branch to follow if the configuration names none.
const BRANCH: &str = "main";

/// New entries to be written.
#[derive(Clone, Debug, Default, Serialize)]
pub struct ImportAdditions {
    /// Lines of `[sources]`.
    #[serde(serialize_with = "agpm_text::pairs")]
    pub sources: Vec<(String, Value)>,
    /// Tables of `[[layers]]`.
    pub layers: Vec<NewLayer>,
    /// Lines of `[merge]`.
    #[serde(serialize_with = "agpm_text::pairs")]
    pub merge: Vec<(String, Value)>,
}

/// A new layer and its position among the existing ones.
#[derive(Clone, Debug, Serialize)]
#[serde(transparent)]
pub struct NewLayer {
    /// The number of the manifest's layers that are lower.
    #[serde(skip)]
    pub above: usize,
    /// The table of the layer.
    pub table: Value,
}

impl ImportedConfiguration {
    /// The entries that the manifest lacks; conflicts are an error.
    pub fn additions(
        &self,
        manifest: &Manifest,
        document: &Document,
    ) -> Result<ImportAdditions, Vec<Diagnostic>> {
        let mut comparison = ManifestComparison::new(manifest, document);
        comparison.begin(&self.layers);
        for layer in &self.layers {
            comparison.layer(layer);
        }
        for (files, value) in &self.merge {
            comparison.merge(files, value);
        }
        if comparison.clashes.is_empty() {
            Ok(comparison.new)
        } else {
            Err(comparison.clashes)
        }
    }
}

struct ManifestComparison<'a> {
    manifest: &'a Manifest,
    document: &'a Document,
    /// The manifest's layers by name, with their rank.
    layers: BTreeMap<&'a str, (usize, NodeRef<'a>)>,
    /// The names of sources by URL.
    sources: BTreeMap<String, String>,
    source_names: BTreeSet<String>,
    /// The number of the manifest's layers that are lower than the next one.
    above: usize,
    new: ImportAdditions,
    clashes: Vec<Diagnostic>,
}

impl<'a> ManifestComparison<'a> {
    fn new(manifest: &'a Manifest, document: &'a Document) -> Self {
        let list = section(document, "layers");
        let named =
            |(rank, node): (usize, NodeRef<'a>)| Some((node.get("name")?.as_str()?, (rank, node)));
        let layers: BTreeMap<_, _> = list
            .into_iter()
            .flat_map(NodeRef::items)
            .enumerate()
            .filter_map(named)
            .collect();
        let written = section(document, "sources")
            .into_iter()
            .flat_map(NodeRef::entries);
        let sources =
            written.map(|(name, url)| (url.content().to_owned(), name.content().to_owned()));
        let count = list.map_or(0, NodeRef::len);
        ManifestComparison {
            manifest,
            document,
            layers,
            sources: sources.collect(),
            source_names: BTreeSet::new(),
            above: count,
            new: ImportAdditions::default(),
            clashes: Vec::new(),
        }
    }

    /// Layers lower than the lowest common layer are added directly under it; without one, all are added at the top.
    fn begin(&mut self, layers: &[ImportedLayer]) {
        let first = layers
            .iter()
            .find_map(|layer| self.layers.get(layer.name.as_str()));
        self.above = first.map_or(self.above, |(rank, _)| *rank);
    }

    fn clash(&mut self, node: NodeRef<'_>, message: String) {
        let help = "change or remove it, or change the imported configuration; nothing was written";
        self.clashes.push(
            Diagnostic::new(&codes::IO_EXISTS, message)
                .at_spot(spot(node))
                .help(help),
        );
    }

    fn layer(&mut self, layer: &ImportedLayer) {
        let Some((rank, node)) = self.layers.get(layer.name.as_str()).copied() else {
            let table = self.table(layer);
            self.new.layers.push(NewLayer {
                above: self.above,
                table,
            });
            return;
        };
        let location = node.get("name").unwrap_or(node);
        if !self.is_same(node, layer) {
            self.clash(
                location,
                format!(
                    "the manifest already has a different layer `{}`",
                    layer.name
                ),
            );
        } else if rank < self.above {
            self.clash(
                location,
                format!(
                    "the manifest has the layer `{}` at another rank",
                    layer.name
                ),
            );
        }
        self.above = self.above.max(rank + 1);
    }

    /// Whether a layer of the manifest is the imported one; its other settings are up to the user.
    fn is_same(&self, node: NodeRef<'_>, layer: &ImportedLayer) -> bool {
        let field = |key: &str| node.get(key).and_then(NodeRef::as_str);
        match &layer.location {
            ImportedLocation::Directory(path) => field("path") == Some(path),
            ImportedLocation::Git(address, _) => {
                let existing = field("source").and_then(|name| SourceName::new(name).ok());
                let source = existing.and_then(|name| self.manifest.source(&name));
                source.is_some_and(|source| source.address.redacted() == address.redacted())
            }
        }
    }

    fn table(&mut self, layer: &ImportedLayer) -> Value {
        let mut fields = vec![("name", Value::from(layer.name.as_str()))];
        match &layer.location {
            ImportedLocation::Directory(path) => fields.push(("path", path.as_str().into())),
            ImportedLocation::Git(address, branch) => {
                let source = self.source(layer.name.as_str(), address.redacted());
                fields.extend([
                    ("source", source.into()),
                    ("branch", branch.as_deref().unwrap_or(BRANCH).into()),
                ]);
            }
        }
        if !layer.include.is_empty() {
            fields.push((
                "include",
                Value::list(layer.include.iter().map(String::as_str)),
            ));
        }
        Value::map(fields)
    }

    /// The name of the source with a URL, which is added unless the manifest has it.
    fn source(&mut self, layer: &str, address: &str) -> String {
        if let Some(existing) = self.sources.get(address) {
            return existing.clone();
        }
        let name = self.free_name(&layer.replace([':', '/', ' '], "-"));
        let taken = SourceName::new(&name)
            .ok()
            .and_then(|name| self.manifest.source(&name));
        if let Some(source) = taken {
            let message = format!("the manifest already has a different source `{name}`");
            let help = "rename it, or rename the layer in the imported configuration";
            self.clashes.push(
                Diagnostic::new(&codes::IO_EXISTS, message)
                    .at_spot(source.spot)
                    .help(help),
            );
        }
        self.sources.insert(address.to_owned(), name.clone());
        self.new.sources.push((name.clone(), address.into()));
        name
    }

    /// A name that no other new source has.
    fn free_name(&mut self, base: &str) -> String {
        let numbered = (2..).map(|number| format!("{base}-{number}"));
        let mut names = std::iter::once(base.to_owned()).chain(numbered);
        let name = names
            .find(|name| !self.source_names.contains(name))
            .unwrap_or_default();
        self.source_names.insert(name.clone());
        name
    }

    fn merge(&mut self, files: &str, value: &Value) {
        let existing = section(self.document, "merge").and_then(|merge| merge.get(files));
        match existing {
            None => self.new.merge.push((files.to_owned(), value.clone())),
            Some(existing) if equal(existing, value) => {}
            Some(existing) => {
                let message =
                    format!("`[merge]` in the manifest already has another strategy for `{files}`");
                self.clash(existing, message);
            }
        }
    }
}

fn section<'d>(document: &'d Document, name: &str) -> Option<NodeRef<'d>> {
    document.root()?.get(name)
}

impl ImportAdditions {
    /// Whether there is nothing to add.
    pub fn is_empty(&self) -> bool {
        self.sources.is_empty() && self.layers.is_empty() && self.merge.is_empty()
    }

    /// The text of a manifest with all additions.
    pub fn written_into(&self, manifest: &str) -> Result<String, EditError> {
        let text = add_entries(manifest.to_owned(), "sources", &self.sources)?;
        let text = add_layers(text, &self.layers)?;
        add_entries(text, "merge", &self.merge)
    }
}

fn toml(text: String) -> Document {
    parse_alone(text, Format::Toml).document
}

fn add_entries(text: String, section: &str, new: &[(String, Value)]) -> Result<String, EditError> {
    if new.is_empty() {
        return Ok(text);
    }
    let at = Pointer::root().child(section);
    let document = toml(text);
    // A separate header makes the entries under it one per line.
    let document = match document.at(&at) {
        Some(_) => document,
        None => toml(document.edit(&Edit::Set {
            at,
            value: Value::Map(Vec::new()),
        })?),
    };
    rewrite(&document, section, |old| match old {
        Value::Map(mut entries) => {
            entries.extend(new.iter().cloned());
            Value::Map(entries)
        }
        other => other,
    })
}

fn add_layers(text: String, new: &[NewLayer]) -> Result<String, EditError> {
    if new.is_empty() {
        return Ok(text);
    }
    let at = Pointer::root().child("layers");
    let document = toml(text);
    // An empty inline list would take the tables inside it.
    let document = match document.at(&at) {
        Some(list) if list.len() == 0 => toml(document.edit(&Edit::Remove { at })?),
        _ => document,
    };
    // Additions at one position are made at once, the highest first, so everything else stays unchanged.
    let groups = new.chunk_by(|lower, higher| lower.above == higher.above);
    groups
        .rev()
        .try_fold(document.text().to_string(), |text, group| {
            rewrite(&toml(text), "layers", |old| {
                let mut layers = if let Value::List(items) = old {
                    items
                } else {
                    Vec::new()
                };
                let at = group[0].above.min(layers.len());
                layers.splice(at..at, group.iter().map(|new| new.table.clone()));
                Value::List(layers)
            })
        })
}

/// Replaces the value of a section.
fn rewrite(
    document: &Document,
    section: &str,
    change: impl FnOnce(Value) -> Value,
) -> Result<String, EditError> {
    let mut entries = match document.root().map(to_value) {
        Some(Value::Map(entries)) => entries,
        _ => Vec::new(),
    };
    match entries.iter_mut().find(|(key, _)| key == section) {
        Some((_, value)) => *value = change(std::mem::replace(value, Value::Null)),
        None => entries.push((section.to_owned(), change(Value::Null))),
    }
    document
        .rewrite(&Value::Map(entries))
        .map(|text| text.to_string())
}
