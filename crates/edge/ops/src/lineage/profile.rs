//! `profile`: one persona, merged.

use agpm_diag::{Diagnostic, Failure, FailureKind, Notes, Outcome, Warnings, codes, did_you_mean};
use agpm_persona::{PersonaKind, Slug, projections};
use agpm_text::{Value, to_value};
use serde::Serialize;

use crate::gather::unknown_name;

use crate::lineage::levels::LineagePlace;
use crate::lineage::library::{ChainLink, Library, Merged, Sought};
use crate::world::World;

/// Which kinds of document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProfileKinds {
    /// One.
    One(PersonaKind),
    /// All three, each under its own key.
    All,
}

/// What a profile holds besides what its documents say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Addition {
    /// `contextChain`: every document, lowest first.
    Chain,
    /// `sources`: where every value came from.
    Sources,
    /// `projections`: sections and the like as plain text.
    Projections,
}

/// Whose profile, and how.
#[derive(Clone, Debug)]
pub struct ProfileRequest {
    /// The persona.
    pub slug: String,
    /// Which kinds of document.
    pub kinds: ProfileKinds,
    /// Where to look.
    pub place: LineagePlace,
    /// What comes with it.
    pub additions: Vec<Addition>,
    /// What warnings are.
    pub warnings: Warnings,
}

/// A merged persona.
#[derive(Clone, Debug, Serialize)]
#[serde(transparent)]
pub struct ProfileReport {
    /// What it says.
    pub value: Value,
}

/// Merges a persona.
pub fn profile(world: &World, request: &ProfileRequest) -> Outcome<ProfileReport> {
    let mut notes = Notes::default();
    let result = run(world, request, &mut notes);
    notes.strictly(result, request.warnings)
}

pub(crate) fn run(
    world: &World,
    request: &ProfileRequest,
    notes: &mut Notes,
) -> Result<ProfileReport, Failure> {
    let mut library = Library::open(world, &request.place, notes)?;
    let Some(slug) = Slug::new(&request.slug) else {
        return Err(nobody(&library, &request.slug));
    };
    let mut broken = Vec::new();
    let mut one = |kind, notes: &mut Notes| match library.seek(&slug, kind, notes) {
        Sought::Merged(merged) => Some(value_of(&merged, &request.additions, notes)),
        Sought::Unreadable => {
            broken.push(kind);
            None
        }
        Sought::Nowhere => None,
    };
    let value = match request.kinds {
        ProfileKinds::One(kind) => one(kind, notes),
        ProfileKinds::All => {
            let kinds = PersonaKind::ALL.map(|kind| (kind.word(), one(kind, notes)));
            let any = kinds.iter().any(|(_, value)| value.is_some());
            any.then(|| Value::map(kinds.map(|(word, value)| (word, value.unwrap_or(Value::Null)))))
        }
    };
    match value {
        Some(value) => Ok(ProfileReport { value }),
        None if !broken.is_empty() => Err(unreadable(&slug, &broken)),
        None => Err(match request.kinds {
            ProfileKinds::One(kind) => no_such_kind(&library, &slug, kind),
            ProfileKinds::All => nobody(&library, &request.slug),
        }),
    }
}

/// There are documents, and none of them counts.
pub(crate) fn unreadable(slug: &Slug, kinds: &[PersonaKind]) -> Failure {
    let kinds: Vec<&str> = kinds.iter().map(|kind| kind.word()).collect();
    let message = format!("no {} document of `{slug}` can be read", kinds.join(" or "));
    let mut diagnostic = Diagnostic::new(&codes::LINEAGE_UNREADABLE, message);
    diagnostic.severity = agpm_diag::Severity::Error;
    diagnostic
        .help("the warnings say why each of them is left out")
        .into()
}

/// There is no such persona; near names help.
pub(crate) fn nobody(library: &Library, slug: &str) -> Failure {
    let known = library.personas(&mut Notes::default());
    let near = did_you_mean(slug, "personas are", known.keys().map(Slug::as_str));
    if library.has_folder(slug) {
        let help = format!(
            "its documents are called `{slug}@TAG.agent.triad.json`, or `agenda` or `agency` in place of `agent`"
        );
        let message = format!("the folder `.clia/agents/{slug}` holds no persona document");
        let diagnostic = Diagnostic::new(&codes::NAME_UNKNOWN, message).help(help);
        return Failure::new(FailureKind::NotFound, diagnostic);
    }
    let help = near.unwrap_or_else(|| {
        let top = library
            .levels
            .list
            .first()
            .map_or(".", |level| level.label.as_str());
        format!("`.clia/agents/` of this folder and those above it, up to `{top}`, hold no persona")
    });
    unknown_name("persona", slug, Some(help))
}

/// There is no such document of a persona, or no such persona.
pub(crate) fn no_such_kind(library: &Library, slug: &Slug, kind: PersonaKind) -> Failure {
    let known = library.personas(&mut Notes::default());
    let Some(visible) = known.get(slug) else {
        return nobody(library, slug.as_str());
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

fn value_of(merged: &Merged, additions: &[Addition], notes: &mut Notes) -> Value {
    let mut entries = match merged.resolution.root().map(to_value) {
        Some(Value::Map(entries)) => entries,
        _ => Vec::new(),
    };
    for addition in additions {
        let (key, value) = match addition {
            Addition::Chain => (
                "contextChain",
                Value::list(merged.chain.iter().map(link_value)),
            ),
            Addition::Sources => ("sources", sources_value(merged, notes)),
            Addition::Projections => ("projections", projections(&merged.resolution)),
        };
        if entries.iter().any(|(known, _)| known == key) {
            let message =
                format!("what the documents say at `{key}` is not shown: the key is needed");
            let diagnostic = Diagnostic::new(&codes::LINEAGE_VALUE, message);
            notes
                .diagnostics
                .push(diagnostic.help("ask without the flag that adds it to see it"));
            entries.retain(|(known, _)| known != key);
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

/// Where every value came from, by its place.
fn sources_value(merged: &Merged, notes: &Notes) -> Value {
    let mut places = Vec::new();
    merged
        .resolution
        .each_leaf(&agpm_text::Pointer::root(), &mut |leaf| {
            let link = &merged.chain[leaf.layer as usize];
            let line = notes
                .sources
                .line(leaf.value.document().source(), leaf.value.span().start);
            let origin = Value::map([
                ("layer", Value::from(link.layer.as_str())),
                ("path", link.path.as_str().into()),
                ("line", line.into()),
                ("operation", leaf.operation.word().into()),
            ]);
            places.push((leaf.pointer.to_string(), origin));
        });
    Value::Map(places)
}
