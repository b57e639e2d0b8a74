//! What is to be said of documents that do not count, and of folders that are odd.

use std::path::Path;

use agpm_diag::{Diagnostic, Notes, SourceId, codes};
use agpm_merge::{Absent, Documents, Flaw, FlawKind};
use agpm_persona::{Parent, PersonaKind};

use crate::lineage::levels::Level;
use crate::lineage::library::{ChainLink, Library, Place};
use crate::lineage::reading::{Fit, Read};

/// Documents of personas, as the walk along `inherits` sees them.
pub(super) struct InheritedDocuments<'l> {
    pub(super) library: &'l mut Library,
    pub(super) notes: &'l mut Notes,
}

impl Documents for InheritedDocuments<'_> {
    type Id = Place;

    fn parents(&mut self, place: &Place) -> Result<Vec<Place>, Absent> {
        self.library.parents(place, self.notes)
    }

    fn describe(&mut self, flaw: &Flaw<Place>) -> Option<Diagnostic> {
        let library = &*self.library;
        let [.., place] = &flaw.chain[..] else {
            return None;
        };
        let here = library.reference(&flaw.chain);
        if matches!(flaw.kind, FlawKind::Malformed | FlawKind::Refused) {
            return library.unfit_document(place, here);
        }
        let (fit, parent) = here?;
        let (diagnostic, label) = match flaw.kind {
            FlawKind::Cyclic => (library.cycle(&flaw.chain), "this leads back"),
            _ => (library.missing_parent(fit, parent, place), ""),
        };
        Some(
            diagnostic
                .at(fit.source(), parent.span, label)
                .in_layer(&fit.link.layer),
        )
    }
}

impl Library {
    /// The last reference of a chain: the document that names another, and where it does.
    fn reference(&self, chain: &[Place]) -> Option<(&Fit, &Parent)> {
        let [.., referrer, place] = chain else {
            return None;
        };
        let fit = self.fit(referrer)?;
        let (_, parent) = fit.parents.iter().find(|(named, _)| named == place)?;
        Some((fit, parent))
    }

    fn cycle(&self, chain: &[Place]) -> Diagnostic {
        let names: Vec<String> = chain.iter().map(|place| self.levels.label(place)).collect();
        let message = format!("a cycle of `inherits` is cut: {}", names.join(" -> "));
        let help = "take one of these documents out of an `inherits`";
        Diagnostic::new(&codes::LINEAGE_CYCLE, message).help(help)
    }

    fn missing_parent(&self, fit: &Fit, parent: &Parent, place: &Place) -> Diagnostic {
        let message = format!(
            "`{}` inherits `{}`, which is not there",
            fit.link.path, parent.path
        );
        let help = format!(
            "it was looked for at `{}`; paths are from the root of the repository that holds the document",
            self.levels.label(place)
        );
        Diagnostic::new(&codes::LINEAGE_MISSING_PARENT, message).help(help)
    }

    fn unfit_document(&self, place: &Place, here: Option<(&Fit, &Parent)>) -> Option<Diagnostic> {
        let (source, unfit) = match self.documents.get(place)? {
            Read::Unfit { source, unfit } => (*source, unfit),
            Read::Refused(unfit) => (None, unfit),
            Read::Fit(_) | Read::Missing => return None,
        };
        let name = self.levels.label(place);
        let message = match here {
            Some((fit, parent)) => {
                format!(
                    "`{}` inherits `{}`, which is left out: {}",
                    fit.link.path, parent.path, unfit.reason
                )
            }
            None => format!("`{name}` is left out: {}", unfit.reason),
        };
        let mut diagnostic = Diagnostic::new(unfit.code, message).help(&unfit.help);
        diagnostic = match source {
            Some(source) => diagnostic.at(source, unfit.span, ""),
            None => diagnostic.in_file(self.shown(place)),
        };
        if let Some((fit, parent)) = here.filter(|_| source.is_some()) {
            diagnostic = diagnostic.at(fit.source(), parent.span, "inherited here");
        }
        Some(diagnostic)
    }

    pub(super) fn two_documents(
        &self,
        first: &Path,
        other: &Path,
        kind: PersonaKind,
    ) -> Diagnostic {
        let (first, file) = (self.levels.label(first), self.shown(other));
        let name = self.levels.label(other);
        let message =
            format!("`{name}` is left out: `{first}` is the {kind} document of its folder");
        let diagnostic = Diagnostic::new(&codes::LINEAGE_TWO_DOCUMENTS, message).in_file(file);
        diagnostic.help(
            "a folder has one document of a kind, the first by name: merge them, or move one away",
        )
    }

    /// Names in one folder that differ only in case.
    pub(super) fn case(&self, level: &Level, names: &[String]) -> Vec<Diagnostic> {
        let told = |pair: &[String]| {
            let (one, other) = (&pair[0], &pair[1]);
            let message = format!(
                "the personas `{one}` and `{other}` of `{}` differ only in case",
                level.label
            );
            let diagnostic = Diagnostic::new(&codes::LINEAGE_CASE, message);
            let diagnostic = diagnostic.in_file(self.shown(&level.agents().join(other)));
            diagnostic.help("rename one: on some disks they are one folder")
        };
        names.windows(2).map(told).collect()
    }

    /// Something that cannot be read, for this reason.
    pub(super) fn left_out(&self, path: &Path, reason: &str, help: &str) -> Diagnostic {
        let message = format!("`{}` is left out: {reason}", self.levels.label(path));
        let diagnostic = Diagnostic::new(&codes::LINEAGE_UNREADABLE, message);
        diagnostic.in_file(self.shown(path)).help(help)
    }

    pub(super) fn leads_out(&self, path: &Path) -> Diagnostic {
        let message = format!(
            "`{}` leads out of its repository and is left out",
            self.levels.label(path)
        );
        let diagnostic =
            Diagnostic::new(&codes::LINEAGE_OUTSIDE, message).in_file(self.shown(path));
        diagnostic.help("copy what it leads to, or inherit it by its path")
    }
}

pub(super) fn remote_parent(source: SourceId, parent: &Parent, link: &ChainLink) -> Diagnostic {
    let message = format!(
        "`{}` inherits `{}`, which is not loaded",
        link.path, parent.path
    );
    let diagnostic =
        Diagnostic::new(&codes::LINEAGE_REMOTE_PARENT, message).at(source, parent.span, "");
    diagnostic
        .in_layer(&link.layer)
        .help("copy it into the repository, and name it by its path")
}
