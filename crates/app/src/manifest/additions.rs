//! The additions of a command to a manifest, collected before anything is written.

use std::collections::BTreeMap;

use agpm_adopt::COOLDOWN_CHOICE;
use agpm_diag::Failure;
use agpm_model::{Dependency, Manifest, ResourceType, SERVER_KEYS};
use agpm_resolve::discover::Candidate;
use agpm_text::{Edit, Pointer, Value, to_value};
use serde::Serialize;

use crate::manifest::MANIFEST_NAME;
use crate::manifest::added_entry::{listed_texts, name_taken};
use crate::manifest::edit::{parsed, set_entries};
use crate::manifest::{AddedEntry, AddedResource, EntryContext, Presence, existing_dependency};
use crate::manifest::{ChangedResource, EntryChange};
use crate::manifest::{OfferOrigin, OfferedSource, SourceState};
use crate::manifest::{edit, set_entry};

/// A source that was added.
#[derive(Clone, Debug, Serialize)]
pub struct AddedSource {
    /// Its name in the manifest.
    pub name: String,
    /// Its URL, without secrets.
    pub url: String,
}

/// Something that the command could not add and that was not named.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LeftOutResource {
    /// `TYPE/NAME` of the entry.
    pub id: String,
    /// The part of it that was left out; `None` if the whole entry was.
    pub part: Option<String>,
    /// The tools that it was left out of; empty for all.
    pub tools: Vec<String>,
    /// The reason.
    pub reason: String,
}

/// A manifest with everything that was added so far.
#[derive(Clone, Debug, Default)]
pub struct ManifestAdditions {
    /// The text before the additions.
    before: String,
    /// The tools of a new project.
    tools: Vec<String>,
    /// The sources of the manifest, and those that were added.
    pub offered: Vec<OfferedSource>,
    /// New sources, with their URLs.
    sources: Vec<OfferedSource>,
    /// New entries.
    pub(crate) entries: Vec<AddedEntry>,
    /// Changed entries.
    changes: Vec<EntryChange>,
    /// Tools for which conversions of existing entries may permit more.
    pub(crate) widened: BTreeMap<String, Vec<String>>,
    /// Entries that the manifest had already, as `TYPE/NAME`.
    present: Vec<String>,
    /// Resources that could not be had.
    pub(crate) left_out: Vec<LeftOutResource>,
}

/// The additions as `agpm add` reports them.
#[derive(Clone, Debug, Serialize)]
pub struct AdditionsReport {
    /// The sources that were added to the manifest.
    pub sources: Vec<AddedSource>,
    /// The resources that were added to the manifest.
    pub added: Vec<AddedResource>,
    /// The entries that were changed.
    pub changed: Vec<ChangedResource>,
    /// The ids (`TYPE/NAME`) of resources that the manifest already had.
    pub present: Vec<String>,
    /// The resources and parts that cannot be installed.
    pub left_out: Vec<LeftOutResource>,
}

impl ManifestAdditions {
    /// An edit without additions.
    pub fn new(text: String, offered: Vec<OfferedSource>) -> Self {
        ManifestAdditions {
            before: text,
            offered,
            ..ManifestAdditions::default()
        }
    }

    /// Whether the manifest changes.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty() && self.changes.is_empty()
    }

    /// Whether nothing at all was found.
    pub fn count(&self) -> usize {
        self.entries.len()
    }

    /// Names the tools of a new project.
    pub fn set_tools(&mut self, tools: Vec<String>) {
        if self.before.is_empty() {
            // At the top, because a comment at the end would belong to the last table, and keep it when it is empty.
            self.before = format!("{COOLDOWN_CHOICE}\n");
        }
        self.tools = tools;
    }

    /// The title of the transaction.
    pub fn title(&self) -> String {
        let ids = |ids: &mut dyn Iterator<Item = String>| ids.collect::<Vec<_>>().join(", ");
        let added = ids(&mut self.entries.iter().map(AddedEntry::id));
        let changed = ids(&mut self.changes.iter().map(|one| one.report.id.clone()));
        match (added.as_str(), changed.as_str()) {
            ("", changed) => format!("change {changed}"),
            (added, _) => format!("add {added}"),
        }
    }

    /// The types and paths of the new entries.
    pub fn added_paths(&self) -> impl Iterator<Item = (ResourceType, String)> + '_ {
        self.entries.iter().filter_map(|entry| {
            let report = entry.report();
            Some((ResourceType::named(report.kind)?, report.path))
        })
    }

    /// The report of what was added.
    pub fn report(&self) -> AdditionsReport {
        let added_source = |source: &OfferedSource| AddedSource {
            name: source.name.to_string(),
            url: source.address.redacted().to_owned(),
        };
        AdditionsReport {
            sources: self.used_sources().map(added_source).collect(),
            added: self.entries.iter().map(AddedEntry::report).collect(),
            changed: self.changes.iter().map(|one| one.report.clone()).collect(),
            present: self.present.clone(),
            left_out: self.left_out.clone(),
        }
    }

    /// Adds what was chosen of one URL.
    pub fn add(
        &mut self,
        context: &EntryContext<'_>,
        candidates: &[Candidate],
        manifest: &Manifest,
    ) -> Result<(), Failure> {
        for candidate in candidates {
            let found = existing_dependency(context.origin, candidate, manifest);
            let is_same_dependency = |found: &&Dependency| {
                let name = context.options.name;
                name.is_none_or(|name| name == found.name.as_str())
            };
            match found.filter(is_same_dependency) {
                Some(found) => self.change(context, candidate, found, manifest)?,
                None => self.add_new(context, candidate, manifest)?,
            }
        }
        Ok(())
    }

    /// Adds a server that the manifest defines. The same server again changes nothing; another one of its name is an error.
    pub fn add_server(
        &mut self,
        entry: AddedEntry,
        settings: &Value,
        manifest: &Manifest,
    ) -> Result<(), Failure> {
        let existing = manifest.dependency(ResourceType::McpServers, &entry.name);
        let Some(existing) = existing else {
            self.push(entry);
            return Ok(());
        };
        if existing
            .server
            .as_ref()
            .is_some_and(|server| has_same_settings(server, settings))
        {
            self.present.push(entry.id());
            return Ok(());
        }
        let free = self.free_name(&entry, manifest);
        let mut failure = name_taken(&entry.id(), Some(existing), &free);
        if let Some(found) = &mut failure.diagnostic {
            let id = entry.id();
            found.help = Some(format!(
                "remove it with `agpm remove {id}`, or call this one `{free}`"
            ));
        }
        Err(failure)
    }

    /// Changes an entry that the manifest has already, if the command names other settings.
    fn change(
        &mut self,
        context: &EntryContext<'_>,
        candidate: &Candidate,
        found: &Dependency,
        manifest: &Manifest,
    ) -> Result<(), Failure> {
        let id = found.id().to_string();
        let is_listed =
            self.present.contains(&id) || self.changes.iter().any(|one| one.report.id == id);
        let Some(change) = EntryChange::of(context, found, manifest).filter(|_| !is_listed) else {
            if !is_listed {
                self.present.push(id);
            }
            return Ok(());
        };
        let at = Pointer::root()
            .child(found.kind.plural())
            .child(found.name.as_str());
        if parsed(self.before.clone()).at(&at).is_some() {
            self.changes.push(change);
            return Ok(());
        }
        // The entry is one of a base. An entry of the project with its name replaces it.
        self.push(AddedEntry::of(context, candidate, found.name.as_str())?);
        Ok(())
    }

    fn add_new(
        &mut self,
        context: &EntryContext<'_>,
        candidate: &Candidate,
        manifest: &Manifest,
    ) -> Result<(), Failure> {
        let name = context.options.name.unwrap_or(&candidate.name);
        let entry = match (AddedEntry::of(context, candidate, name), context.presence) {
            (Ok(entry), _) => entry,
            (Err(failure), Presence::Required) => return Err(failure),
            (Err(failure), Presence::Optional) => {
                let reason = failure.diagnostic.map(|found| found.message);
                self.leave_out_new(candidate.id(), reason.unwrap_or_default());
                return Ok(());
            }
        };
        let id = entry.id();
        if let Some(same) = self.entries.iter().find(|one| one.id() == id)
            && same.value() == entry.value()
        {
            return Ok(());
        }
        let kind = ResourceType::named(entry.section());
        let taken = kind.and_then(|kind| manifest.dependency(kind, name));
        let is_taken = taken.is_some() || self.entries.iter().any(|one| one.id() == id);
        match (is_taken, context.presence) {
            (false, _) => self.push(entry),
            (true, Presence::Required) => {
                let free = self.free_name(&entry, manifest);
                return Err(name_taken(&id, taken, &free));
            }
            (true, Presence::Optional) => {
                let message = "another resource in the manifest has this name";
                self.leave_out_new(id, format!("{message} ({})", candidate.path));
            }
        }
        Ok(())
    }

    /// A name that no entry of the type has: with the name of the source in front, else with a number.
    fn free_name(&self, entry: &AddedEntry, manifest: &Manifest) -> String {
        let kind = ResourceType::named(entry.section());
        let is_free = |name: &String| {
            let id = format!("{}/{name}", entry.section());
            let is_declared = kind.is_some_and(|kind| manifest.dependency(kind, name).is_some());
            !is_declared && !self.entries.iter().any(|one| one.id() == id)
        };
        let source = entry.origin.source();
        let long = source.map(|source| format!("{}-{}", source.name, entry.name));
        let numbered = (2..).map(|number| format!("{}-{number}", entry.name));
        let mut names = long.into_iter().chain(numbered.take(1000));
        names.find(is_free).unwrap_or_else(|| entry.name.clone())
    }

    fn leave_out_new(&mut self, id: String, reason: String) {
        self.left_out.push(LeftOutResource {
            id,
            part: None,
            tools: Vec::new(),
            reason,
        });
    }

    fn push(&mut self, entry: AddedEntry) {
        if let OfferOrigin::Source(source) = &entry.origin
            && source.state == SourceState::New
            && !self.sources.iter().any(|one| one.name == source.name)
        {
            self.sources.push(source.clone());
            // The URLs that follow use it too.
            self.offered.retain(|one| one.name != source.name);
            self.offered.push(OfferedSource {
                state: SourceState::Known,
                ..source.clone()
            });
        }
        self.entries.push(entry);
    }

    /// The new sources that an entry uses.
    fn used_sources(&self) -> impl Iterator<Item = &OfferedSource> {
        let uses = |source: &&OfferedSource| {
            let mut origins = self.entries.iter().filter_map(|one| one.origin.source());
            origins.any(|origin| origin.name == source.name)
        };
        self.sources.iter().filter(uses)
    }

    /// The manifest with all additions.
    pub fn text(&self) -> Result<String, Failure> {
        let mut text = self.before.clone();
        if !self.tools.is_empty() {
            let tools = Value::list(self.tools.iter().map(String::as_str));
            text = set_entry(&text, "project", "tools", tools)?;
        }
        for source in self.used_sources() {
            let value = Value::from(source.address.reveal());
            text = set_entry(&text, "sources", source.name.as_str(), value)?;
        }
        for change in &self.changes {
            text = change.applied_to(&parsed(text))?;
        }
        for (id, tools) in &self.widened {
            text = with_widening(text, id, tools)?;
        }
        let mut sections: Vec<&str> = Vec::new();
        for entry in &self.entries {
            if !sections.contains(&entry.section()) {
                sections.push(entry.section());
            }
        }
        for section in sections {
            let of_section = self.entries.iter().filter(|one| one.section() == section);
            let entries: Vec<(&str, Value)> = of_section
                .map(|entry| (entry.name.as_str(), entry.value()))
                .collect();
            text = set_entries(text, section, &entries)?;
        }
        Ok(text)
    }

    /// The name of the file that the text is written to.
    pub fn file_name(&self) -> &'static str {
        MANIFEST_NAME
    }
}

/// The manifest in which an entry may permit more in these tools.
fn with_widening(text: String, id: &str, tools: &[String]) -> Result<String, Failure> {
    let document = parsed(text);
    let Some((kind, name)) = id.split_once('/') else {
        return Ok(document.text().to_string());
    };
    let at = Pointer::root()
        .child(kind)
        .child(name)
        .child("allow-widening");
    let before = document.at(&at).map(to_value);
    let mut all: Vec<String> = before.iter().flat_map(listed_texts).collect();
    all.extend(
        tools
            .iter()
            .filter(|tool| !all.contains(tool))
            .cloned()
            .collect::<Vec<_>>(),
    );
    let value = Value::list(all.iter().map(String::as_str));
    edit(&document, &Edit::Set { at, value })
}

/// Whether two servers have the same settings, in any order.
fn has_same_settings(one: &Value, other: &Value) -> bool {
    SERVER_KEYS.iter().all(|key| one.get(key) == other.get(key))
}
