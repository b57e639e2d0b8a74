//! Merges one kind of document of a persona from all levels and the documents that they inherit.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use agpm_diag::{Diagnostic, Notes, codes};
use agpm_merge::{
    DocumentGraph, ReferenceFailure, ReferenceFailureKind, Resolution, UnavailableReason, fold,
    order,
};

use crate::document::{ChainLink, ParentReference};
use crate::kind::{PersonaKind, PersonaSlug};
use crate::library::{DocumentState, PersonaLibrary, Place, UsableDocument};

/// One kind of a persona, merged.
pub struct MergedPersona {
    /// The merged value of its documents.
    pub resolution: Resolution,
    /// The documents, lowest first, like the contributions of the resolution.
    pub(crate) chain: Vec<ChainLink>,
    /// The real paths of the documents in the chain.
    pub(crate) locations: Vec<Place>,
}

/// The result of looking up one kind of document of a persona.
pub enum FoundPersona {
    /// Merged documents.
    Merged(Box<MergedPersona>),
    /// Documents exist, but none of them is readable.
    Unreadable,
    /// No document exists.
    Nowhere,
}

impl PersonaLibrary<'_> {
    /// Merges the documents of one kind from all levels, and those that they inherit.
    pub fn merge(
        &mut self,
        slug: &PersonaSlug,
        kind: PersonaKind,
        notes: &mut Notes,
    ) -> FoundPersona {
        let start: Vec<Place> = self.starts(slug, kind, notes);
        if start.is_empty() {
            return FoundPersona::Nowhere;
        }
        let references = self.policy.references;
        let mut inherited = InheritedDocuments {
            library: self,
            notes,
        };
        let lineage = order(&start, references, &mut inherited);
        notes.diagnostics.extend(lineage.diagnostics);
        let documents: Vec<(&Place, &UsableDocument)> = lineage
            .order
            .iter()
            .filter_map(|location| Some((location, self.usable(location)?)))
            .collect();
        if documents.is_empty() {
            return FoundPersona::Unreadable;
        }
        let odd = documents
            .iter()
            .flat_map(|(_, fit)| &fit.content.diagnostics);
        notes.diagnostics.extend(odd.cloned());
        let contributions = documents
            .iter()
            .map(|(_, fit)| fit.contribution())
            .collect();
        let resolution = fold(contributions, &self.policy, None);
        notes
            .diagnostics
            .extend(resolution.diagnostics().iter().cloned());
        let chain = chain(&start, &documents);
        let locations = documents
            .iter()
            .map(|(location, _)| Arc::clone(location))
            .collect();
        FoundPersona::Merged(Box::new(MergedPersona {
            resolution,
            chain,
            locations,
        }))
    }

    /// The document of each level, lowest first.
    fn starts(&mut self, slug: &PersonaSlug, kind: PersonaKind, notes: &mut Notes) -> Vec<Place> {
        let mut start = Vec::new();
        for at in 0..self.levels.list.len() {
            let (level, roster) = (self.levels.list[at].clone(), &self.rosters[at]);
            notes.diagnostics.extend(roster.odd.iter().cloned());
            let alike = roster.alike.get(&slug.as_str().to_lowercase());
            notes.diagnostics.extend(
                alike
                    .into_iter()
                    .flat_map(|names| self.levels.case(&level, names)),
            );
            if !roster.names.contains(slug.as_str()) {
                continue;
            }
            let mut documents_here = self.own_documents(&level, slug, notes);
            documents_here.retain(|(_, name)| name.kind == kind);
            let Some((path, name)) = documents_here.first() else {
                continue;
            };
            let ignored = documents_here
                .iter()
                .skip(1)
                .map(|(other, _)| self.levels.two_documents(path, other, kind));
            notes.diagnostics.extend(ignored);
            let Some(location) = self.reach(path, &level.repository, notes) else {
                continue;
            };
            let link = ChainLink {
                layer: level.label.clone(),
                prefix: name.prefix.clone(),
                path: self.levels.label(path),
                inherited_from: None,
            };
            self.read(&location, path, link, notes);
            start.push(location);
        }
        start
    }
}

/// Documents of personas, as a graph along `inherits`.
pub(crate) struct InheritedDocuments<'l, 'f> {
    pub(crate) library: &'l mut PersonaLibrary<'f>,
    pub(crate) notes: &'l mut Notes,
}

impl DocumentGraph for InheritedDocuments<'_, '_> {
    type Id = Place;

    fn parents(&mut self, location: &Place) -> Result<Vec<Place>, UnavailableReason> {
        self.library.parents(location, self.notes)
    }

    fn describe(&mut self, flaw: &ReferenceFailure<Place>) -> Option<Diagnostic> {
        let library = &*self.library;
        let [.., location] = &flaw.chain[..] else {
            return None;
        };
        let reference = library.reference(&flaw.chain);
        if matches!(
            flaw.kind,
            ReferenceFailureKind::Malformed | ReferenceFailureKind::Refused
        ) {
            return library.unfit_document(location, reference);
        }
        let (fit, parent) = reference?;
        let (diagnostic, label) = match flaw.kind {
            ReferenceFailureKind::Cyclic => (library.cycle(&flaw.chain), "this leads back"),
            _ => (library.missing_parent(fit, parent, location), ""),
        };
        Some(
            diagnostic
                .at(fit.source(), parent.span, label)
                .in_layer(&fit.link.layer),
        )
    }
}

impl PersonaLibrary<'_> {
    /// The last reference of a chain: the document that contains it, and the reference.
    fn reference(&self, chain: &[Place]) -> Option<(&UsableDocument, &ParentReference)> {
        let [.., referrer, location] = chain else {
            return None;
        };
        let fit = self.usable(referrer)?;
        let (_, parent) = fit.parents.iter().find(|(named, _)| named == location)?;
        Some((fit, parent))
    }

    fn cycle(&self, chain: &[Place]) -> Diagnostic {
        let names: Vec<String> = chain
            .iter()
            .map(|location| self.levels.label(location))
            .collect();
        let message = "`inherits` has a cycle";
        let help = "remove one of these documents from an `inherits`";
        Diagnostic::new(&codes::LINEAGE_CYCLE, message)
            .detail(names.join(" -> "))
            .help(help)
    }

    fn missing_parent(
        &self,
        fit: &UsableDocument,
        parent: &ParentReference,
        location: &Place,
    ) -> Diagnostic {
        let message = format!("inherited file `{}` does not exist", parent.path);
        let help = format!(
            "searched at `{}`; paths are relative to the root of the document's repository",
            self.levels.label(location)
        );
        Diagnostic::new(&codes::LINEAGE_MISSING_PARENT, message)
            .detail(format!("inherited by `{}`", fit.link.path))
            .help(help)
    }

    fn unfit_document(
        &self,
        location: &Place,
        reference: Option<(&UsableDocument, &ParentReference)>,
    ) -> Option<Diagnostic> {
        let (source, unfit) = match self.documents.get(location)? {
            DocumentState::Unfit { source, unfit } => (*source, unfit),
            DocumentState::Refused(unfit) => (None, unfit),
            DocumentState::Usable(_) | DocumentState::Missing => return None,
        };
        let message = match reference {
            Some((_, parent)) => format!("inherited file `{}` is ignored", parent.path),
            None => format!("`{}` is ignored", self.levels.label(location)),
        };
        let by = reference.map(|(fit, _)| format!("inherited by `{}`", fit.link.path));
        let mut diagnostic = Diagnostic::new(unfit.code, message)
            .detail(&unfit.reason)
            .details(by)
            .help(&unfit.help);
        diagnostic = match source {
            Some(source) => diagnostic.at(source, unfit.span, ""),
            None => diagnostic.in_file(self.levels.display_path(location)),
        };
        if let Some((fit, parent)) = reference.filter(|_| source.is_some()) {
            diagnostic = diagnostic.at(fit.source(), parent.span, "inherited here");
        }
        Some(diagnostic)
    }
}

/// The heirs of documents: for each, the lowest document that names it.
fn chain(start: &[Place], documents: &[(&Place, &UsableDocument)]) -> Vec<ChainLink> {
    let start: BTreeSet<&Place> = start.iter().collect();
    let mut heirs: BTreeMap<&Place, &str> = BTreeMap::new();
    let mut below: BTreeSet<&Place> = BTreeSet::new();
    for (location, fit) in documents {
        // A parent that is already in the chain is where a cycle was cut.
        for (parent, _) in fit
            .parents
            .iter()
            .filter(|(parent, _)| below.contains(parent))
        {
            heirs.entry(parent).or_insert(&fit.link.path);
        }
        below.insert(location);
    }
    let link = |(location, fit): &(&Place, &UsableDocument)| {
        let heir = heirs.get(location).filter(|_| !start.contains(location));
        ChainLink {
            inherited_from: heir.map(|heir| (*heir).to_owned()),
            ..fit.link.clone()
        }
    };
    documents.iter().map(link).collect()
}
