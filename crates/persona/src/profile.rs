//! `profile`: one persona, merged, and the list of all.

use agpm_diag::{
    Diagnostic, Failure, FailureKind, Notes, Severity, codes, did_you_mean, unknown_name,
};
use agpm_text::{Pointer, Value, to_value};
use serde::Serialize;

use crate::document::ChainLink;
use crate::kind::{PersonaKind, PersonaSlug};
use crate::library::{PersonaLibrary, VisiblePersona};
use crate::merging::{FoundPersona, MergedPersona};
use crate::projections::projections;

/// The kinds of documents to show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProfileKinds {
    /// One kind.
    One(PersonaKind),
    /// All three kinds, each under its own key.
    All,
}

/// An addition to the merged documents of a profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProfileAddition {
    /// `contextChain`: every document, lowest first.
    Chain,
    /// `sources`: the origin of every value.
    Sources,
    /// `projections`: sections and similar objects as plain text.
    Projections,
}

/// A merged persona.
#[derive(Clone, Debug, Serialize)]
#[serde(transparent)]
pub struct ProfileReport {
    /// The value of the profile report.
    pub value: Value,
}

/// A visible persona.
#[derive(Clone, Debug, Serialize)]
pub struct PersonaRow {
    /// The name of the persona.
    pub slug: PersonaSlug,
    /// The kinds of documents that it has.
    pub kinds: Vec<PersonaKind>,
    /// The directories with its documents, lowest first.
    pub levels: Vec<String>,
}

/// All visible personas, by name.
#[derive(Clone, Debug, Serialize)]
#[serde(transparent)]
pub struct PersonasReport {
    /// The personas.
    pub personas: Vec<PersonaRow>,
}

impl PersonaLibrary<'_> {
    /// The profile of a persona.
    pub fn profile(
        &mut self,
        name: &str,
        kinds: ProfileKinds,
        additions: &[ProfileAddition],
        notes: &mut Notes,
    ) -> Result<ProfileReport, Failure> {
        let Some(slug) = PersonaSlug::new(name) else {
            return Err(unknown_persona(self, name));
        };
        let ProfileKinds::One(kind) = kinds else {
            return self.profile_of_all_kinds(&slug, additions, notes);
        };
        let merged = self.merge_kind(&slug, kind, notes)?;
        let value = value_of(&merged, additions, notes);
        Ok(ProfileReport { value })
    }

    fn profile_of_all_kinds(
        &mut self,
        slug: &PersonaSlug,
        additions: &[ProfileAddition],
        notes: &mut Notes,
    ) -> Result<ProfileReport, Failure> {
        let (mut values, mut broken) = (Vec::new(), Vec::new());
        for kind in PersonaKind::ALL {
            let value = match self.merge(slug, kind, notes) {
                FoundPersona::Merged(merged) => value_of(&merged, additions, notes),
                FoundPersona::Unreadable => {
                    broken.push(kind);
                    Value::Null
                }
                FoundPersona::Nowhere => Value::Null,
            };
            values.push((kind.word(), value));
        }
        if values.iter().any(|(_, value)| *value != Value::Null) {
            let value = Value::map(values);
            return Ok(ProfileReport { value });
        }
        Err(if broken.is_empty() {
            unknown_persona(self, slug.as_str())
        } else {
            unreadable(slug, &broken)
        })
    }

    /// The persona of `SLUG`, for the agent document, or `SLUG/KIND`.
    pub fn merge_named(&mut self, name: &str, notes: &mut Notes) -> Result<MergedPersona, Failure> {
        let (slug, word) = name
            .rsplit_once('/')
            .unwrap_or((name, PersonaKind::Agent.word()));
        let Some(slug) = PersonaSlug::new(slug) else {
            return Err(unknown_persona(self, name));
        };
        let Some(kind) = PersonaKind::named(word) else {
            let words = PersonaKind::ALL.map(PersonaKind::word);
            let near = did_you_mean(word, "kinds are", words);
            return Err(unknown_name("kind of document", word, near));
        };
        self.merge_kind(&slug, kind, notes)
    }

    fn merge_kind(
        &mut self,
        slug: &PersonaSlug,
        kind: PersonaKind,
        notes: &mut Notes,
    ) -> Result<MergedPersona, Failure> {
        match self.merge(slug, kind, notes) {
            FoundPersona::Merged(merged) => Ok(*merged),
            FoundPersona::Unreadable => Err(unreadable(slug, &[kind])),
            FoundPersona::Nowhere => Err(no_such_kind(self, slug, kind)),
        }
    }

    /// All visible personas.
    pub fn rows(&self, notes: &mut Notes) -> PersonasReport {
        let personas = self.personas(notes).into_iter();
        let row = |(slug, visible): (PersonaSlug, VisiblePersona)| PersonaRow {
            slug,
            kinds: visible.kinds.into_iter().collect(),
            levels: visible.levels,
        };
        PersonasReport {
            personas: personas.map(row).collect(),
        }
    }
}

/// The failure if documents exist, but none is usable.
fn unreadable(slug: &PersonaSlug, kinds: &[PersonaKind]) -> Failure {
    let kinds: Vec<&str> = kinds.iter().map(|kind| kind.word()).collect();
    let message = format!("no {} document of `{slug}` can be read", kinds.join(" or "));
    let mut diagnostic = Diagnostic::new(&codes::LINEAGE_UNREADABLE, message);
    diagnostic.severity = Severity::Error;
    diagnostic
        .help("the warnings show why each of them is ignored")
        .into()
}

/// The failure for an unknown persona, with similar names.
fn unknown_persona(library: &PersonaLibrary<'_>, slug: &str) -> Failure {
    let personas = library.personas(&mut Notes::default());
    let near = did_you_mean(
        slug,
        "personas are",
        personas.keys().map(PersonaSlug::as_str),
    );
    if library.has_directory(slug) {
        let help = format!(
            "name its documents `{slug}@TAG.agent.triad.json`, with `agent`, `agenda` or `agency`"
        );
        let message = format!("no persona document in `.clia/agents/{slug}`");
        let diagnostic = Diagnostic::new(&codes::NAME_UNKNOWN, message).help(help);
        return Failure::new(FailureKind::NotFound, diagnostic);
    }
    let help = near.unwrap_or_else(|| {
        let top = library
            .levels
            .list
            .first()
            .map_or(".", |level| level.label.as_str());
        format!("searched `.clia/agents/` in this directory and its parents up to `{top}`")
    });
    unknown_name("persona", slug, Some(help))
}

/// The failure for an unknown kind of document, or an unknown persona.
fn no_such_kind(library: &PersonaLibrary<'_>, slug: &PersonaSlug, kind: PersonaKind) -> Failure {
    let personas = library.personas(&mut Notes::default());
    let Some(visible) = personas.get(slug) else {
        return unknown_persona(library, slug.as_str());
    };
    if visible.kinds.contains(&kind) {
        return unreadable(slug, &[kind]);
    }
    let has: Vec<String> = visible
        .kinds
        .iter()
        .map(|kind| format!("`--kind {kind}`"))
        .collect();
    let message = format!("the persona `{slug}` has no {kind} document");
    let diagnostic = Diagnostic::new(&codes::NAME_UNKNOWN, message);
    Failure::new(
        FailureKind::NotFound,
        diagnostic.help(format!("it has {}", has.join(" and "))),
    )
}

fn value_of(merged: &MergedPersona, additions: &[ProfileAddition], notes: &mut Notes) -> Value {
    let mut entries = match merged.resolution.root().map(to_value) {
        Some(Value::Map(entries)) => entries,
        _ => Vec::new(),
    };
    for addition in additions {
        let (key, value) = match addition {
            ProfileAddition::Chain => (
                "contextChain",
                Value::list(merged.chain.iter().map(link_value)),
            ),
            ProfileAddition::Sources => ("sources", sources_value(merged, notes)),
            ProfileAddition::Projections => ("projections", projections(&merged.resolution)),
        };
        if entries.iter().any(|(personas, _)| personas == key) {
            let message =
                format!("the documents' value of `{key}` is not shown: the profile uses that key");
            let diagnostic = Diagnostic::new(&codes::LINEAGE_VALUE, message);
            notes
                .diagnostics
                .push(diagnostic.help("leave out the flag that adds the key to see it"));
            entries.retain(|(personas, _)| personas != key);
        }
        entries.push((key.to_owned(), value));
    }
    Value::Map(entries)
}

fn link_value(link: &ChainLink) -> Value {
    Value::map([
        ("layer", Value::from(link.layer.as_str())),
        ("prefix", link.prefix.as_str().into()),
        ("path", link.path.as_str().into()),
        ("inheritedFrom", link.inherited_from.as_deref().into()),
    ])
}

/// The origin of every value, by pointer.
fn sources_value(merged: &MergedPersona, notes: &Notes) -> Value {
    let mut sources = Vec::new();
    merged.resolution.each_leaf(&Pointer::root(), &mut |leaf| {
        let link = &merged.chain[leaf.layer as usize];
        let line = notes
            .sources
            .line(leaf.value.source(), leaf.value.span().start);
        let origin = Value::map([
            ("layer", Value::from(link.layer.as_str())),
            ("path", link.path.as_str().into()),
            ("line", line.into()),
            ("operation", leaf.operation.word().into()),
        ]);
        sources.push((leaf.pointer.to_string(), origin));
    });
    Value::Map(sources)
}
