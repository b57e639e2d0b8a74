//! Reading persona documents, each once, and whom they inherit.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use agpm_diag::{Notes, SourceId, Span, codes};
use agpm_merge::{Absent, Contribution};
use agpm_model::LayerName;
use agpm_persona::{DocumentName, Parent, PersonaDocument, Unfit, read_document};
use agpm_store as store;
use agpm_text::decode;

use crate::lineage::levels::repository_of;
use crate::lineage::library::{ChainLink, Library, Place};
use crate::lineage::telling::remote_parent;
use crate::reading::limit;
use crate::world::OutsideReads;
use agpm_source::{Bounds, normalize};

/// What reading a document gave.
pub(super) enum Read {
    Fit(Box<Fit>),
    Unfit {
        source: Option<SourceId>,
        unfit: Unfit,
    },
    /// A location for credentials, which was not opened.
    Refused(Unfit),
    Missing,
}

pub(super) struct Fit {
    pub(super) link: ChainLink,
    pub(super) content: PersonaDocument,
    pub(super) parents: Vec<(Place, Parent)>,
}

impl Library {
    /// The parents of a document, which is read if it was not yet.
    pub(super) fn parents(
        &mut self,
        place: &Place,
        notes: &mut Notes,
    ) -> Result<Vec<Place>, Absent> {
        if !self.documents.contains_key(place) {
            let file = place
                .file_name()
                .map(|name| name.to_string_lossy().into_owned())
                .unwrap_or_default();
            let link = ChainLink {
                layer: self.levels.label(home_of(place)),
                prefix: DocumentName::prefix_of(&file).to_owned(),
                path: self.levels.label(place),
                inherited_from: None,
            };
            self.read(place, place, link, notes);
        }
        match self.documents.get(place) {
            Some(Read::Fit(fit)) => Ok(fit
                .parents
                .iter()
                .map(|(place, _)| Arc::clone(place))
                .collect()),
            Some(Read::Unfit { .. }) => Err(Absent::Malformed),
            Some(Read::Refused(_)) => Err(Absent::Refused),
            _ => Err(Absent::Missing),
        }
    }

    pub(super) fn read(&mut self, place: &Place, path: &Path, link: ChainLink, notes: &mut Notes) {
        if self.documents.contains_key(place) {
            return;
        }
        if let Some(refusal) = self.refusal(place) {
            self.documents.insert(Arc::clone(place), refusal);
            return;
        }
        let read = match store::read_with_mode(place, limit()) {
            Err(store::StoreError {
                problem: store::Problem::NotFound,
                ..
            }) => Read::Missing,
            Err(error) => Read::Unfit {
                source: None,
                unfit: unfit(
                    format!("it {}", error.problem),
                    Span::at(0),
                    "check what it is, and its permissions",
                ),
            },
            Ok((bytes, _)) => {
                let source = notes.sources.add(
                    self.shown(path),
                    String::from_utf8_lossy(&bytes).into_owned(),
                );
                self.understood(place, source, bytes, link, notes)
            }
        };
        self.documents.insert(Arc::clone(place), read);
    }

    /// Why a document must not be read, whatever it holds.
    fn refusal(&self, place: &Path) -> Option<Read> {
        let unfit = |reason: &str, code| Unfit {
            reason: reason.to_owned(),
            span: Span::at(0),
            code,
            help: "take it out of `inherits`, or copy it into the repository".to_owned(),
        };
        if Bounds::of(&self.levels.top).guard(place).is_err() {
            return Some(Read::Refused(unfit(
                "it is a location for credentials",
                &codes::TRUST_CREDENTIALS,
            )));
        }
        let leads_out =
            self.outside == OutsideReads::Refused && !place.starts_with(&self.levels.top);
        leads_out.then(|| Read::Unfit {
            source: None,
            unfit: unfit("it is outside of the project", &codes::LINEAGE_OUTSIDE),
        })
    }

    fn understood(
        &mut self,
        place: &Place,
        source: SourceId,
        bytes: Vec<u8>,
        link: ChainLink,
        notes: &mut Notes,
    ) -> Read {
        let text = decode(source, bytes).map_err(|found| {
            let span = found
                .labels
                .first()
                .map_or_else(|| Span::at(0), |label| label.span);
            unfit(found.message, span, "save it as UTF-8")
        });
        match text.and_then(|text| read_document(source, text)) {
            Err(unfit) => Read::Unfit {
                source: Some(source),
                unfit,
            },
            Ok(content) => {
                let base = self.base_of(place);
                let mut parents: Vec<(Place, Parent)> = Vec::new();
                let mut named = BTreeSet::new();
                for parent in &content.parents {
                    match parent.is_remote() {
                        true => notes.diagnostics.push(remote_parent(source, parent, &link)),
                        false => {
                            let path = normalize(&base.join(parent.path.trim()));
                            let place: Place = Arc::from(store::real_path(&path));
                            if named.insert(Arc::clone(&place)) {
                                parents.push((place, parent.clone()));
                            }
                        }
                    }
                }
                Read::Fit(Box::new(Fit {
                    link,
                    content,
                    parents,
                }))
            }
        }
    }

    /// Where paths start that a document inherits: at the root of its repository, or else at the top.
    fn base_of(&mut self, place: &Path) -> PathBuf {
        let folder = place.parent().unwrap_or(place);
        let found = || repository_of(folder).map(Path::to_owned);
        let repository = self
            .repositories
            .entry(folder.to_owned())
            .or_insert_with(found)
            .clone();
        let top = &self.levels.top;
        repository.unwrap_or_else(|| {
            if place.starts_with(top) {
                top.clone()
            } else {
                home_of(place).to_owned()
            }
        })
    }

    pub(super) fn fit(&self, place: &Place) -> Option<&Fit> {
        match self.documents.get(place) {
            Some(Read::Fit(fit)) => Some(fit),
            _ => None,
        }
    }
}

impl Fit {
    pub(super) fn source(&self) -> SourceId {
        self.content.document.source()
    }

    pub(super) fn contribution(&self) -> Contribution {
        let layer = LayerName::new(&self.link.layer)
            .or_else(|_| LayerName::new("?"))
            .expect("a good name");
        Contribution {
            layer,
            document: Arc::clone(&self.content.document),
        }
    }
}

/// The folder that a document belongs to: the one that holds `.clia`, or else its own.
fn home_of(place: &Path) -> &Path {
    let clia = place
        .ancestors()
        .find(|above| above.file_name().is_some_and(|name| name == ".clia"));
    clia.or(Some(place)).and_then(Path::parent).unwrap_or(place)
}

fn unfit(reason: String, span: Span, help: &str) -> Unfit {
    Unfit {
        reason,
        span,
        code: &codes::LINEAGE_UNREADABLE,
        help: help.to_owned(),
    }
}
