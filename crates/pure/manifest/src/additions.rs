//! The additions of a command to a manifest, collected before anything is written.

use agpm_diag::Failure;
use agpm_discover::Candidate;
use agpm_model::Manifest;
use agpm_text::Value;
use serde::Serialize;

use crate::added_entry::{AddedEntry, AddedResource, EntryContext, already_added};
use crate::edit::set_entry;
use crate::origin::{OfferOrigin, OfferedSource, SourceState};

/// A source that was added.
#[derive(Clone, Debug, Serialize)]
pub struct AddedSource {
    /// Its name in the manifest.
    pub name: String,
    /// Its URL, without secrets.
    pub url: String,
}

/// A manifest with everything that was added so far.
#[derive(Clone, Debug)]
pub struct ManifestAdditions {
    /// The text of the additions.
    pub text: String,
    /// New sources.
    pub sources: Vec<AddedSource>,
    /// New resources.
    pub added: Vec<AddedResource>,
    /// Entries that the manifest had already, as `TYPE/NAME`.
    pub present: Vec<String>,
    /// The sources of the manifest, and those that were added.
    pub offered: Vec<OfferedSource>,
}

impl ManifestAdditions {
    /// An edit without additions.
    pub fn new(text: String, offered: Vec<OfferedSource>) -> Self {
        ManifestAdditions {
            text,
            sources: Vec::new(),
            added: Vec::new(),
            present: Vec::new(),
            offered,
        }
    }

    /// Whether the manifest changes.
    pub fn is_empty(&self) -> bool {
        self.added.is_empty() && self.sources.is_empty()
    }

    /// The title of the transaction.
    pub fn title(&self) -> String {
        let ids: Vec<&str> = self.added.iter().map(|one| one.id.as_str()).collect();
        match ids.as_slice() {
            [] => "add source".to_owned(),
            ids => format!("add {}", ids.join(", ")),
        }
    }

    /// Adds what was chosen of one URL.
    pub fn add(
        &mut self,
        context: &EntryContext<'_>,
        candidates: &[Candidate],
        manifest: &Manifest,
    ) -> Result<(), Failure> {
        let mut new = Vec::new();
        for candidate in candidates {
            match already_added(context, candidate, manifest)? {
                Some(id) => self.present.push(id),
                None => new.push(candidate),
            }
        }
        if !new.is_empty() {
            self.add_source(context.origin)?;
        }
        for candidate in new {
            let is_taken = |kind: &str, name: &str| {
                let id = format!("{kind}/{name}");
                self.added.iter().any(|one| one.id == id)
            };
            let entry = AddedEntry::of(context, candidate, manifest, &is_taken)?;
            self.text = set_entry(&self.text, entry.section(), &entry.name, entry.value())?;
            self.added.push(entry.report(context.origin));
        }
        Ok(())
    }

    /// A new source becomes part of the manifest, also for the URLs that follow.
    fn add_source(&mut self, origin: &OfferOrigin) -> Result<(), Failure> {
        let source = origin.source();
        let Some(source) = source.filter(|source| source.state == SourceState::New) else {
            return Ok(());
        };
        let value = Value::from(source.address.reveal());
        self.text = set_entry(&self.text, "sources", source.name.as_str(), value)?;
        self.sources.push(AddedSource {
            name: source.name.to_string(),
            url: source.address.redacted().to_owned(),
        });
        self.offered.retain(|one| one.name != source.name);
        self.offered.push(OfferedSource {
            state: SourceState::Known,
            ..source.clone()
        });
        Ok(())
    }
}
