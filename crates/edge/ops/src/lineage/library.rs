//! Persona documents on the disk: found by level, read once, followed along `inherits`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use agpm_diag::{Diagnostic, SourceId, Span, codes};
use agpm_merge::{Absent, Contribution, Flaw, FlawKind, Policy, Resolution, fold, order};
use agpm_model::LayerName;
use agpm_persona::{DocumentName, Parent, PersonaDocument, PersonaKind, Slug, Unfit, policy, read_document};
use agpm_store::{self as store, Reached};
use agpm_text::decode;

use crate::failure::Notes;
use crate::gather::limit;
use crate::lineage::archive::ARCHIVE;
use crate::lineage::levels::{Level, Levels, from_here, repository_of};
use crate::packages::normal;
use crate::world::Environment;

/// Where a document really is; one that is not there is known by where it would be.
type Place = Arc<Path>;

/// The personas that can be seen from a folder.
pub(crate) struct Library {
    /// The working folder.
    here: PathBuf,
    pub(crate) levels: Levels,
    /// The repositories that folders are in.
    repositories: BTreeMap<PathBuf, Option<PathBuf>>,
    /// The names of each level's personas, in order: they are looked at for every one of them.
    rosters: Vec<Roster>,
    policy: Policy,
    documents: BTreeMap<Place, Read>,
}

/// The personas of a level.
struct Roster {
    names: BTreeSet<String>,
    /// Those that differ only in case, by what they are in small letters.
    alike: BTreeMap<String, Vec<String>>,
    /// What is odd about the folder.
    odd: Vec<Diagnostic>,
}

/// What reading a document gave.
enum Read {
    Fit(Box<Fit>),
    Unfit { source: Option<SourceId>, unfit: Unfit },
    Missing,
}

struct Fit {
    link: ChainLink,
    content: PersonaDocument,
    parents: Vec<(Place, Parent)>,
}

/// A document of a persona, as it is told.
#[derive(Clone, Debug)]
pub(crate) struct ChainLink {
    pub(crate) layer: String,
    pub(crate) prefix: String,
    /// From the top.
    pub(crate) path: String,
    /// The path of the document that inherits it; nothing for one of a level's own.
    pub(crate) inherited_from: Option<String>,
}

/// One kind of a persona, merged.
pub(crate) struct Merged {
    pub(crate) resolution: Resolution,
    /// Lowest first, as the contributions of the resolution.
    pub(crate) chain: Vec<ChainLink>,
    /// Where the documents of the chain really are.
    pub(crate) places: Vec<Place>,
}

/// What became of looking for one kind of a persona.
pub(crate) enum Sought {
    Merged(Box<Merged>),
    /// There are documents, and none can be read.
    Unreadable,
    Nowhere,
}

/// A persona that can be seen.
#[derive(Clone, Debug, Default)]
pub(crate) struct Visible {
    pub(crate) kinds: BTreeSet<PersonaKind>,
    /// Labels of the levels, lowest first.
    pub(crate) levels: Vec<String>,
}

impl Library {
    pub(crate) fn new(environment: &Environment, levels: Levels) -> Self {
        let here = store::real_path(&environment.folder);
        let mut library = Library {
            here,
            levels,
            repositories: BTreeMap::new(),
            rosters: Vec::new(),
            policy: policy(),
            documents: BTreeMap::new(),
        };
        library.rosters = library.levels.list.iter().map(|level| library.roster(level)).collect();
        library
    }

    fn roster(&self, level: &Level) -> Roster {
        let mut own = Notes::default();
        let names: BTreeSet<String> = self.names(&level.agents(), &mut own).into_iter().collect();
        let mut alike: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for name in &names {
            alike.entry(name.to_lowercase()).or_default().push(name.clone());
        }
        alike.retain(|_, names| names.len() > 1);
        Roster { names, alike, odd: own.diagnostics }
    }

    /// All personas, by name.
    pub(crate) fn personas(&self, notes: &mut Notes) -> BTreeMap<Slug, Visible> {
        let mut found: BTreeMap<Slug, Visible> = BTreeMap::new();
        for (level, roster) in self.levels.list.iter().zip(&self.rosters) {
            notes.diagnostics.extend(roster.odd.iter().cloned());
            notes.diagnostics.extend(roster.alike.values().flat_map(|names| self.case(level, names)));
            let personas = roster.names.iter().filter(|name| *name != ARCHIVE);
            for slug in personas.filter_map(|name| Slug::new(name)) {
                let kinds: BTreeSet<PersonaKind> =
                    self.own_documents(level, &slug, notes).into_iter().map(|(_, name)| name.kind).collect();
                if !kinds.is_empty() {
                    let visible = found.entry(slug).or_default();
                    visible.kinds.extend(kinds);
                    visible.levels.push(level.label.clone());
                }
            }
        }
        found
    }

    /// Merges what all levels, and whom they inherit, say of one kind of a persona.
    pub(crate) fn seek(&mut self, slug: &Slug, kind: PersonaKind, notes: &mut Notes) -> Sought {
        let start: Vec<Place> = self.starts(slug, kind, notes);
        if start.is_empty() {
            return Sought::Nowhere;
        }
        let references = self.policy.references;
        let lineage = order(&start, references, |place| self.parents(place, notes));
        for flaw in &lineage.flaws {
            notes.diagnostics.extend(self.told(flaw));
        }
        let documents: Vec<(&Place, &Fit)> =
            lineage.order.iter().filter_map(|place| Some((place, self.fit(place)?))).collect();
        if documents.is_empty() {
            return Sought::Unreadable;
        }
        let odd = documents.iter().flat_map(|(_, fit)| &fit.content.diagnostics);
        notes.diagnostics.extend(odd.cloned());
        let contributions = documents.iter().map(|(_, fit)| fit.contribution()).collect();
        let resolution = fold(contributions, &self.policy, None);
        notes.diagnostics.extend(resolution.diagnostics().iter().cloned());
        let chain = chain(&start, &documents);
        let places = documents.iter().map(|(place, _)| Arc::clone(place)).collect();
        Sought::Merged(Box::new(Merged { resolution, chain, places }))
    }

    /// Each level's own document, lowest first.
    fn starts(&mut self, slug: &Slug, kind: PersonaKind, notes: &mut Notes) -> Vec<Place> {
        let mut start = Vec::new();
        for at in 0..self.levels.list.len() {
            let (level, roster) = (self.levels.list[at].clone(), &self.rosters[at]);
            notes.diagnostics.extend(roster.odd.iter().cloned());
            let alike = roster.alike.get(&slug.as_str().to_lowercase());
            notes.diagnostics.extend(alike.into_iter().flat_map(|names| self.case(&level, names)));
            if !roster.names.contains(slug.as_str()) {
                continue;
            }
            let mut own = self.own_documents(&level, slug, notes);
            own.retain(|(_, name)| name.kind == kind);
            let Some((path, name)) = own.first() else { continue };
            let others = own.iter().skip(1).map(|(other, _)| self.two_documents(path, other, kind));
            notes.diagnostics.extend(others);
            let Some(place) = self.reach(path, &level.repository, notes) else { continue };
            let link = ChainLink {
                layer: level.label.clone(),
                prefix: name.prefix.clone(),
                path: self.levels.label(path),
                inherited_from: None,
            };
            self.read(&place, path, link, notes);
            start.push(place);
        }
        start
    }

    /// The documents of a persona in one level, in the order of their names.
    fn own_documents(&self, level: &Level, slug: &Slug, notes: &mut Notes) -> Vec<(PathBuf, DocumentName)> {
        let folder = level.agents().join(slug.as_str());
        let Some(real) = self.reach(&folder, &level.repository, notes) else { return Vec::new() };
        let names = self.names(&real, notes);
        names.iter().filter_map(|name| Some((folder.join(name), DocumentName::read(name)?))).collect()
    }

    /// Where a path really is, unless that is outside or nowhere.
    fn reach(&self, path: &Path, repository: &Path, notes: &mut Notes) -> Option<Place> {
        let real = match store::reach(path) {
            Ok(Some(Reached::Folder(real) | Reached::File(real))) => real,
            Ok(None) => return None,
            Ok(Some(Reached::Other(_))) => {
                let message =
                    format!("`{}` is left out: it is neither a file nor a folder", self.levels.label(path));
                let diagnostic = Diagnostic::new(&codes::LINEAGE_UNREADABLE, message);
                notes.diagnostics.push(diagnostic.in_file(self.shown(path)).help("take it away"));
                return None;
            }
            Err(error) => {
                let message = format!("`{}` is left out: it {}", self.levels.label(path), error.problem);
                let diagnostic = Diagnostic::new(&codes::LINEAGE_UNREADABLE, message);
                let help = "mend the link or the permissions, or take it away";
                notes.diagnostics.push(diagnostic.in_file(self.shown(path)).help(help));
                return None;
            }
        };
        // Outside of any repository it may not leave the top; else not its own one, not even for one inside.
        let stays = real.starts_with(repository)
            && repository_of(&real).is_none_or(|own| own == repository || !own.starts_with(repository));
        if !stays {
            let message =
                format!("`{}` leads out of its repository and is left out", self.levels.label(path));
            let diagnostic = Diagnostic::new(&codes::LINEAGE_OUTSIDE, message).in_file(self.shown(path));
            notes.diagnostics.push(diagnostic.help("copy what it leads to, or inherit it by its path"));
            return None;
        }
        Some(Arc::from(real))
    }

    /// The parents of a document, which is read if it was not yet.
    fn parents(&mut self, place: &Place, notes: &mut Notes) -> Result<Vec<Place>, Absent> {
        if !self.documents.contains_key(place) {
            let file = place.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            let link = ChainLink {
                layer: self.levels.label(home_of(place)),
                prefix: DocumentName::prefix_of(&file).to_owned(),
                path: self.levels.label(place),
                inherited_from: None,
            };
            self.read(place, place, link, notes);
        }
        match self.documents.get(place) {
            Some(Read::Fit(fit)) => Ok(fit.parents.iter().map(|(place, _)| Arc::clone(place)).collect()),
            Some(Read::Unfit { .. }) => Err(Absent::Malformed),
            _ => Err(Absent::Missing),
        }
    }

    fn read(&mut self, place: &Place, path: &Path, link: ChainLink, notes: &mut Notes) {
        if self.documents.contains_key(place) {
            return;
        }
        let read = match store::read_with_mode(place, limit()) {
            Err(store::StoreError { problem: store::Problem::NotFound, .. }) => Read::Missing,
            Err(error) => Read::Unfit {
                source: None,
                unfit: unfit(
                    format!("it {}", error.problem),
                    Span::at(0),
                    "check what it is, and its permissions",
                ),
            },
            Ok((bytes, _)) => {
                let source =
                    notes.sources.add(self.shown(path), String::from_utf8_lossy(&bytes).into_owned());
                self.understood(place, source, bytes, link, notes)
            }
        };
        self.documents.insert(Arc::clone(place), read);
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
            let span = found.labels.first().map_or_else(|| Span::at(0), |label| label.span);
            unfit(found.message, span, "save it as UTF-8")
        });
        match text.and_then(|text| read_document(source, text)) {
            Err(unfit) => Read::Unfit { source: Some(source), unfit },
            Ok(content) => {
                let base = self.base_of(place);
                let mut parents: Vec<(Place, Parent)> = Vec::new();
                for parent in &content.parents {
                    match parent.is_remote() {
                        true => notes.diagnostics.push(remote_parent(source, parent, &link)),
                        false => {
                            let path = normal(&base.join(parent.path.trim()));
                            let place: Place = Arc::from(store::real_path(&path));
                            if parents.iter().all(|(known, _)| *known != place) {
                                parents.push((place, parent.clone()));
                            }
                        }
                    }
                }
                Read::Fit(Box::new(Fit { link, content, parents }))
            }
        }
    }

    /// Where paths start that a document inherits: at the root of its repository, or else at the top.
    fn base_of(&mut self, place: &Path) -> PathBuf {
        let folder = place.parent().unwrap_or(place);
        let found = || repository_of(folder).map(Path::to_owned);
        let repository = self.repositories.entry(folder.to_owned()).or_insert_with(found).clone();
        let top = &self.levels.top;
        repository
            .unwrap_or_else(|| if place.starts_with(top) { top.clone() } else { home_of(place).to_owned() })
    }

    /// What is to be said of a reference that led nowhere.
    fn told(&self, flaw: &Flaw<Place>) -> Option<Diagnostic> {
        let place = flaw.chain.last()?;
        let referrer = flaw.chain.len().checked_sub(2).and_then(|at| self.fit(&flaw.chain[at]));
        let named = referrer.and_then(|fit| fit.parents.iter().find(|(named, _)| named == place));
        let here = referrer.zip(named).map(|(fit, (_, parent))| (fit, parent));
        match (flaw.kind, here) {
            (FlawKind::Cyclic, Some((fit, parent))) => {
                let names: Vec<String> = flaw.chain.iter().map(|place| self.levels.label(place)).collect();
                let message = format!("a cycle of `inherits` is cut: {}", names.join(" -> "));
                let diagnostic = Diagnostic::new(&codes::LINEAGE_CYCLE, message);
                let diagnostic = diagnostic.at(fit.source(), parent.span, "this leads back");
                Some(
                    diagnostic
                        .in_layer(&fit.link.layer)
                        .help("take one of these documents out of an `inherits`"),
                )
            }
            (FlawKind::Missing, Some((fit, parent))) => {
                let message = format!("`{}` inherits `{}`, which is not there", fit.link.path, parent.path);
                let diagnostic = Diagnostic::new(&codes::LINEAGE_MISSING_PARENT, message);
                let diagnostic = diagnostic.at(fit.source(), parent.span, "").in_layer(&fit.link.layer);
                Some(diagnostic.help(format!("it was looked for at `{}`; paths are from the root of the repository that holds the document", self.levels.label(place))))
            }
            (FlawKind::Malformed, here) => self.unfit_told(place, here),
            _ => None,
        }
    }

    fn unfit_told(&self, place: &Place, here: Option<(&Fit, &Parent)>) -> Option<Diagnostic> {
        let Some(Read::Unfit { source, unfit }) = self.documents.get(place) else { return None };
        let name = self.levels.label(place);
        let message = match here {
            Some((fit, parent)) => {
                format!("`{}` inherits `{}`, which is left out: {}", fit.link.path, parent.path, unfit.reason)
            }
            None => format!("`{name}` is left out: {}", unfit.reason),
        };
        let mut diagnostic = Diagnostic::new(unfit.code, message).help(&unfit.help);
        diagnostic = match source {
            Some(source) => diagnostic.at(*source, unfit.span, ""),
            None => diagnostic.in_file(self.shown(place)),
        };
        if let Some((fit, parent)) = here.filter(|_| source.is_some()) {
            diagnostic = diagnostic.at(fit.source(), parent.span, "inherited here");
        }
        Some(diagnostic)
    }

    fn fit(&self, place: &Place) -> Option<&Fit> {
        match self.documents.get(place) {
            Some(Read::Fit(fit)) => Some(fit),
            _ => None,
        }
    }

    /// The names in a folder, in order; what cannot be read is told.
    fn names(&self, folder: &Path, notes: &mut Notes) -> Vec<String> {
        let names = store::folder_names(folder).unwrap_or_else(|error| {
            let message = format!("`{}` is left out: it {}", self.levels.label(folder), error.problem);
            let diagnostic = Diagnostic::new(&codes::LINEAGE_UNREADABLE, message).in_file(self.shown(folder));
            notes.diagnostics.push(diagnostic.help("check what it is, and its permissions"));
            Vec::new()
        });
        let (good, bad): (Vec<String>, Vec<String>) =
            names.into_iter().partition(|name| !name.contains(char::REPLACEMENT_CHARACTER));
        for name in bad {
            let message =
                format!("`{}` is left out: its name is not UTF-8", self.levels.label(&folder.join(name)));
            let diagnostic = Diagnostic::new(&codes::LINEAGE_UNREADABLE, message).in_file(self.shown(folder));
            notes.diagnostics.push(diagnostic.help("give it another name"));
        }
        good
    }

    fn two_documents(&self, first: &Path, other: &Path, kind: PersonaKind) -> Diagnostic {
        let (first, file) = (self.levels.label(first), self.shown(other));
        let name = self.levels.label(other);
        let message = format!("`{name}` is left out: `{first}` is the {kind} document of its folder");
        let diagnostic = Diagnostic::new(&codes::LINEAGE_TWO_DOCUMENTS, message).in_file(file);
        diagnostic
            .help("a folder has one document of a kind, the first by name: merge them, or move one away")
    }

    /// Names in one folder that differ only in case.
    fn case(&self, level: &Level, names: &[String]) -> Vec<Diagnostic> {
        let told = |pair: &[String]| {
            let (one, other) = (&pair[0], &pair[1]);
            let message =
                format!("the personas `{one}` and `{other}` of `{}` differ only in case", level.label);
            let diagnostic = Diagnostic::new(&codes::LINEAGE_CASE, message);
            let diagnostic = diagnostic.in_file(self.shown(&level.agents().join(other)));
            diagnostic.help("rename one: on some disks they are one folder")
        };
        names.windows(2).map(told).collect()
    }

    /// A path as users find it from where they are.
    pub(crate) fn shown(&self, path: &Path) -> String {
        let relative = from_here(&self.here, path, &self.levels.top);
        relative.as_deref().unwrap_or(path).to_string_lossy().replace('\\', "/")
    }
}

impl Fit {
    fn source(&self) -> SourceId {
        self.content.document.source()
    }

    fn contribution(&self) -> Contribution {
        let layer = LayerName::new(&self.link.layer).or_else(|_| LayerName::new("?")).expect("a good name");
        Contribution { layer, document: Arc::clone(&self.content.document) }
    }
}

/// Who inherits whom: the lowest of those that name a document.
fn chain(start: &[Place], documents: &[(&Place, &Fit)]) -> Vec<ChainLink> {
    let start: BTreeSet<&Place> = start.iter().collect();
    let mut heirs: BTreeMap<&Place, &str> = BTreeMap::new();
    for (_, fit) in documents {
        for (parent, _) in &fit.parents {
            heirs.entry(parent).or_insert(&fit.link.path);
        }
    }
    let link = |(place, fit): &(&Place, &Fit)| {
        let heir = heirs.get(place).filter(|_| !start.contains(place));
        ChainLink { inherited_from: heir.map(|heir| (*heir).to_owned()), ..fit.link.clone() }
    };
    documents.iter().map(link).collect()
}

/// The folder that a document belongs to: the one that holds `.clia`, or else its own.
fn home_of(place: &Path) -> &Path {
    let clia = place.ancestors().find(|above| above.file_name().is_some_and(|name| name == ".clia"));
    clia.or(Some(place)).and_then(Path::parent).unwrap_or(place)
}

fn unfit(reason: String, span: Span, help: &str) -> Unfit {
    Unfit { reason, span, code: &codes::LINEAGE_UNREADABLE, help: help.to_owned() }
}

fn remote_parent(source: SourceId, parent: &Parent, link: &ChainLink) -> Diagnostic {
    let message = format!("`{}` inherits `{}`, which is not loaded", link.path, parent.path);
    let diagnostic = Diagnostic::new(&codes::LINEAGE_REMOTE_PARENT, message).at(source, parent.span, "");
    diagnostic.in_layer(&link.layer).help("copy it into the repository, and name it by its path")
}
