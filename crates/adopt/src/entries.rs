//! Entries of a manifest, and a manifest with more of them.

use std::collections::BTreeSet;

use agpm_model::{
    ResourceType, SourceAddress, SourceName, is_abbreviated_commit, repository_name,
    repository_owner, same_repository,
};
use agpm_text::{Document, Edit, EditError, Format, NodeRef, Pointer, Value, parse_alone};
use serde::Serialize;

/// The branch that is named where nothing names a version.
const DEFAULT_BRANCH: &str = "main";

/// A dependency that is to be written.
#[derive(Clone, Debug, PartialEq)]
pub struct ManifestEntry {
    /// The type of the manifest entry.
    pub kind: ResourceType,
    /// Its key in the manifest.
    pub name: String,
    /// The source; `None` for files of the project and for servers.
    pub source: Option<EntrySource>,
    /// The other keys, in the order in which they are written.
    pub fields: Vec<(String, Value)>,
}

/// The source of an entry.
#[derive(Clone, Debug, PartialEq)]
pub struct EntrySource {
    /// The key that names it: `source`, or `marketplace`.
    pub key: &'static str,
    /// The URL, without secrets.
    pub address: SourceAddress,
    /// Its suggested name, if the source has one.
    pub name: Option<String>,
}

/// The version in another manager.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ForeignVersion {
    /// It names none, so it follows a default branch.
    Unstated,
    /// A tag, a branch or a range.
    Reference(String),
    /// A commit.
    Commit(String),
}

impl ForeignVersion {
    /// The requirement of a revision name: hexadecimal digits are a commit, also if there are fewer than forty.
    pub fn of_reference(reference: &str) -> Self {
        match reference {
            "" => ForeignVersion::Unstated,
            commit if is_abbreviated_commit(commit) => ForeignVersion::Commit(commit.to_owned()),
            other => ForeignVersion::Reference(other.to_owned()),
        }
    }

    fn field(&self) -> (String, Value) {
        let (key, value) = match self {
            ForeignVersion::Unstated => ("branch", DEFAULT_BRANCH),
            ForeignVersion::Reference(reference) => ("version", reference.as_str()),
            ForeignVersion::Commit(commit) => ("rev", commit.as_str()),
        };
        (key.to_owned(), value.into())
    }
}

impl ManifestEntry {
    /// A resource of a git source.
    pub fn of_source(
        kind: ResourceType,
        name: &str,
        address: SourceAddress,
        path: &str,
        version: &ForeignVersion,
    ) -> Self {
        ManifestEntry {
            kind,
            name: name.to_owned(),
            source: Some(EntrySource {
                key: "source",
                address,
                name: None,
            }),
            fields: vec![("path".to_owned(), path.into()), version.field()],
        }
    }

    /// A file of the project that a tool reads already.
    pub fn in_place(kind: ResourceType, name: &str, path: &str, tool: &str) -> Self {
        let fields = [
            ("path", Value::from(path)),
            ("tool", tool.into()),
            ("in-place", true.into()),
        ];
        ManifestEntry::of_fields(kind, name, fields)
    }

    /// An entry with these keys alone.
    pub fn of_fields<'k>(
        kind: ResourceType,
        name: &str,
        fields: impl IntoIterator<Item = (&'k str, Value)>,
    ) -> Self {
        let fields = fields.into_iter();
        ManifestEntry {
            kind,
            name: name.to_owned(),
            source: None,
            fields: fields.map(|(key, value)| (key.to_owned(), value)).collect(),
        }
    }

    /// The same for one tool and no other.
    #[must_use]
    pub fn for_only_tool(mut self, tool: &str) -> Self {
        self.fields
            .retain(|(key, _)| key != "tool" && key != "tools");
        self.fields.push(("tool".to_owned(), tool.into()));
        self
    }

    /// The value of a key.
    pub fn field(&self, key: &str) -> Option<&str> {
        let found = self.fields.iter().find(|(name, _)| name == key);
        found.and_then(|(_, value)| value.as_str())
    }

    /// `TYPE/NAME`.
    pub fn id(&self) -> String {
        format!("{}/{}", self.kind.plural(), self.name)
    }
}

/// New entries of a manifest, and those that exist already.
#[derive(Clone, Debug, Default)]
pub struct NewEntries {
    /// The tools of the project; none if it names some.
    pub tools: Vec<String>,
    /// Sources by name.
    pub sources: Vec<(String, Value)>,
    /// Entries by type and name.
    pub entries: Vec<NewEntry>,
    /// Resources whose names the manifest has, which stay as they are.
    pub kept: Vec<String>,
}

/// An entry that is written.
#[derive(Clone, Debug, Serialize)]
pub struct NewEntry {
    /// `TYPE/NAME`.
    pub id: String,
    /// The type of the new entry.
    #[serde(rename = "type")]
    pub singular: &'static str,
    /// The key of the new entry.
    pub name: String,
    /// The table of the entry.
    #[serde(flatten)]
    pub value: Value,
    /// The manifest's table that it is in.
    #[serde(skip)]
    pub section: &'static str,
}

impl NewEntries {
    /// The entries and tools that a manifest lacks.
    pub fn for_manifest(manifest: &Document, entries: &[ManifestEntry], tools: &[String]) -> Self {
        let mut new = NewEntries::default();
        let root = manifest.root();
        let section = |name: &str| root.and_then(|root| root.get(name));
        if section("project")
            .and_then(|project| project.get("tools"))
            .is_none()
        {
            new.tools = tools.to_vec();
        }
        let mut sources = KnownSources::of(section("sources"));
        let mut names: BTreeSet<String> = BTreeSet::new();
        for entry in entries {
            let table = entry.kind.plural();
            let is_known = section(table).is_some_and(|table| table.get(&entry.name).is_some());
            if is_known || !names.insert(entry.id()) {
                new.kept.push(entry.id());
                continue;
            }
            let mut fields: Vec<(String, Value)> = Vec::new();
            if let Some(source) = &entry.source {
                let name = sources.name_of(source);
                fields.push((source.key.to_owned(), name.as_str().into()));
            }
            fields.extend(entry.fields.iter().cloned());
            new.entries.push(NewEntry {
                id: entry.id(),
                singular: entry.kind.singular(),
                name: entry.name.clone(),
                value: Value::Map(fields),
                section: table,
            });
        }
        new.sources = sources.new;
        new
    }

    /// Whether nothing is written.
    pub fn is_empty(&self) -> bool {
        self.tools.is_empty() && self.sources.is_empty() && self.entries.is_empty()
    }

    /// The text of a manifest with all of them.
    pub fn written_into(&self, manifest: &str) -> Result<String, EditError> {
        let mut text = manifest.to_owned();
        if !self.tools.is_empty() {
            text = with_tools(text, &self.tools)?;
        }
        for (name, url) in &self.sources {
            text = with_entry(text, "sources", name, url)?;
        }
        for entry in &self.entries {
            text = with_entry(text, entry.section, &entry.name, &entry.value)?;
        }
        Ok(text)
    }
}

/// `[project]` with the tools.
fn with_tools(text: String, tools: &[String]) -> Result<String, EditError> {
    let tools = Value::list(tools.iter().map(String::as_str));
    with_entry(text, "project", "tools", &tools)
}

/// One more entry of a table. One that is missing gets a header first, so its entries are one a line.
fn with_entry(text: String, section: &str, name: &str, value: &Value) -> Result<String, EditError> {
    let table = Pointer::root().child(section);
    let document = parse_alone(text, Format::Toml).document;
    let document = match document.at(&table) {
        Some(_) => document,
        None => {
            let header = Edit::Set {
                at: table.clone(),
                value: Value::Map(Vec::new()),
            };
            parse_alone(document.edit(&header)?, Format::Toml).document
        }
    };
    document.edit(&Edit::Set {
        at: table.child(name),
        value: value.clone(),
    })
}

/// The sources of a manifest, and those that are added to it.
struct KnownSources {
    addresses: Vec<(String, SourceAddress)>,
    names: BTreeSet<String>,
    new: Vec<(String, Value)>,
}

impl KnownSources {
    fn of(section: Option<NodeRef<'_>>) -> Self {
        let written = section.into_iter().flat_map(NodeRef::entries);
        let mut sources = KnownSources {
            addresses: Vec::new(),
            names: BTreeSet::new(),
            new: Vec::new(),
        };
        for (name, url) in written {
            sources.names.insert(name.content().to_owned());
            let address = SourceAddress::parse(url.content()).ok();
            sources
                .addresses
                .extend(address.map(|address| (name.content().to_owned(), address)));
        }
        sources
    }

    /// The name of a source, which is new unless its repository has one.
    fn name_of(&mut self, source: &EntrySource) -> String {
        let same = |one: &&(String, SourceAddress)| same_repository(&one.1, &source.address);
        if let Some((name, _)) = self.addresses.iter().find(same) {
            return name.clone();
        }
        let url = source.address.redacted();
        let short = source
            .name
            .clone()
            .unwrap_or_else(|| repository_name(url).to_owned());
        let long = match repository_owner(url) {
            Some(owner) => format!("{}-{short}", owner.replace([':', '/', ' ', '.'], "-")),
            None => short.clone(),
        };
        let numbered = (2..).map(|number| format!("{long}-{number}"));
        let is_free = |name: &String| {
            SourceName::new(name).is_ok()
                && !name.contains([':', '/', ' '])
                && !self.names.contains(name)
        };
        let names = [short, long.clone(), "source".to_owned()];
        let mut names = names.into_iter().chain(numbered);
        let name = names.find(is_free).unwrap_or(long);
        self.names.insert(name.clone());
        self.addresses.push((name.clone(), source.address.clone()));
        self.new.push((name.clone(), url.into()));
        name
    }
}
