//! Reading persona documents, each once, and whom they inherit.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use agpm_diag::{Notes, SourceId, Span, codes};
use agpm_merge::UnavailableReason;
use agpm_model::{OutsideReads, ProblemKind, is_credential_path, normalize};
use agpm_text::decode;

use crate::document::{
    ChainLink, ParentReference, PersonaDocument, UnusableDocument, read_document,
};
use crate::findings::remote_parent;
use crate::kind::DocumentName;
use crate::levels::{CLIA, repository_of};
use crate::library::{DocumentState, PersonaLibrary, Place, UsableDocument};

impl PersonaLibrary<'_> {
    /// The parents of a document, which is read if it was not yet.
    pub(crate) fn parents(
        &mut self,
        location: &Place,
        notes: &mut Notes,
    ) -> Result<Vec<Place>, UnavailableReason> {
        if !self.documents.contains_key(location) {
            let file = location
                .file_name()
                .map(|name| name.to_string_lossy().into_owned())
                .unwrap_or_default();
            let link = ChainLink {
                layer: self.levels.label(home_of(location)),
                prefix: DocumentName::prefix_of(&file).to_owned(),
                path: self.levels.label(location),
                inherited_from: None,
            };
            self.read(location, location, link, notes);
        }
        match self.documents.get(location) {
            Some(DocumentState::Usable(fit)) => Ok(fit
                .parents
                .iter()
                .map(|(location, _)| Arc::clone(location))
                .collect()),
            Some(DocumentState::Unfit { .. }) => Err(UnavailableReason::Malformed),
            Some(DocumentState::Refused(_)) => Err(UnavailableReason::Refused),
            _ => Err(UnavailableReason::Missing),
        }
    }

    pub(crate) fn read(
        &mut self,
        location: &Place,
        path: &Path,
        link: ChainLink,
        notes: &mut Notes,
    ) {
        if self.documents.contains_key(location) {
            return;
        }
        if let Some(refusal) = self.refusal(location) {
            self.documents.insert(Arc::clone(location), refusal);
            return;
        }
        let read = match self.levels.files.read(location) {
            Err(problem) if problem.kind == ProblemKind::NotFound => DocumentState::Missing,
            Err(problem) => DocumentState::Unfit {
                source: None,
                unfit: unusable_document(
                    format!("it {problem}"),
                    Span::at(0),
                    "check its type and permissions",
                ),
            },
            Ok(bytes) => {
                let text = String::from_utf8_lossy(&bytes).into_owned();
                let source = notes.sources.add(self.levels.display_path(path), text);
                match parse_document(source, bytes) {
                    Ok(content) => self.with_parents(location, content, link, notes),
                    Err(unfit) => DocumentState::Unfit {
                        source: Some(source),
                        unfit,
                    },
                }
            }
        };
        self.documents.insert(Arc::clone(location), read);
    }

    /// Why a document must not be read, whatever it holds.
    fn refusal(&self, location: &Path) -> Option<DocumentState> {
        let refused = |reason: &str, code| UnusableDocument {
            reason: reason.to_owned(),
            span: Span::at(0),
            code,
            help: "remove it from `inherits`, or copy it into the repository".to_owned(),
        };
        let is_outside = !location.starts_with(&self.levels.top);
        if is_outside && is_credential_path(&location.to_string_lossy()) {
            return Some(DocumentState::Refused(refused(
                "it is a location for credentials",
                &codes::TRUST_CREDENTIALS,
            )));
        }
        let leads_out = is_outside && self.outside == OutsideReads::Refused;
        leads_out.then(|| DocumentState::Unfit {
            source: None,
            unfit: refused("it is outside the project", &codes::LINEAGE_OUTSIDE),
        })
    }

    fn with_parents(
        &mut self,
        location: &Place,
        content: PersonaDocument,
        link: ChainLink,
        notes: &mut Notes,
    ) -> DocumentState {
        let (source, base) = (content.document.source(), self.base_of(location));
        let mut parents: Vec<(Place, ParentReference)> = Vec::new();
        let mut named = BTreeSet::new();
        for parent in &content.parents {
            if parent.is_remote() {
                notes.diagnostics.push(remote_parent(source, parent, &link));
                continue;
            }
            let path = normalize(&base.join(parent.path.trim()));
            let location: Place = Arc::from(self.levels.files.real_path(&path));
            if named.insert(Arc::clone(&location)) {
                parents.push((location, parent.clone()));
            }
        }
        DocumentState::Usable(Box::new(UsableDocument {
            link,
            content,
            parents,
        }))
    }

    /// Where paths start that a document inherits: at the root of its repository, or else at the top.
    fn base_of(&mut self, location: &Path) -> PathBuf {
        let directory = location.parent().unwrap_or(location);
        let files = self.levels.files;
        let found = || repository_of(files, directory).map(Path::to_owned);
        let repository = self
            .repositories
            .entry(directory.to_owned())
            .or_insert_with(found)
            .clone();
        let top = &self.levels.top;
        repository.unwrap_or_else(|| {
            if location.starts_with(top) {
                top.clone()
            } else {
                home_of(location).to_owned()
            }
        })
    }
}

fn parse_document(source: SourceId, bytes: Vec<u8>) -> Result<PersonaDocument, UnusableDocument> {
    let text = decode(source, bytes).map_err(|found| {
        let span = found.labels.first().map_or(Span::at(0), |label| label.span);
        unusable_document(found.message, span, "save it as UTF-8")
    })?;
    read_document(source, text)
}

/// The directory that a document belongs to: the one that holds `.clia`, or else its own.
fn home_of(location: &Path) -> &Path {
    let clia = location
        .ancestors()
        .find(|above| above.file_name().is_some_and(|name| name == CLIA));
    clia.or(Some(location))
        .and_then(Path::parent)
        .unwrap_or(location)
}

fn unusable_document(reason: String, span: Span, help: &str) -> UnusableDocument {
    UnusableDocument {
        reason,
        span,
        code: &codes::LINEAGE_UNREADABLE,
        help: help.to_owned(),
    }
}
