//! The personas visible from a directory: found by level, merged along `inherits`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use agpm_diag::{Diagnostic, Notes, SourceId};
use agpm_merge::{Contribution, MergePolicy};
use agpm_model::{LayerName, OutsideReads, ResolvedPath};

use crate::archive::ARCHIVE;
use crate::document::{ChainLink, ParentReference, PersonaDocument, UnusableDocument};
use crate::kind::{DocumentName, PersonaKind, PersonaSlug};
use crate::levels::{PersonaLevel, PersonaLevels, repository_of};
use crate::policy::policy;

/// The real path of a document; for a missing one, the path where it would be.
pub(crate) type Place = Arc<Path>;

/// The personas visible from a directory.
pub struct PersonaLibrary<'f> {
    /// Whether documents may inherit from anywhere.
    pub(crate) outside: OutsideReads,
    /// The searched levels.
    pub levels: PersonaLevels<'f>,
    /// The repositories that directories are in.
    pub(crate) repositories: BTreeMap<PathBuf, Option<PathBuf>>,
    /// The names of each level's personas, in order, which are used for every persona.
    pub(crate) rosters: Vec<LevelRoster>,
    pub(crate) policy: MergePolicy,
    pub(crate) documents: BTreeMap<Place, DocumentState>,
}

/// The personas of a level.
pub(crate) struct LevelRoster {
    pub(crate) names: BTreeSet<String>,
    /// Names that differ only in case, by their lower-case form.
    pub(crate) alike: BTreeMap<String, Vec<String>>,
    /// Findings about the directory.
    pub(crate) odd: Vec<Diagnostic>,
}

/// A visible persona.
#[derive(Clone, Debug, Default)]
pub(crate) struct VisiblePersona {
    pub(crate) kinds: BTreeSet<PersonaKind>,
    /// Labels of the levels, lowest first.
    pub(crate) levels: Vec<String>,
}

/// The result of reading a document.
pub(crate) enum DocumentState {
    Usable(Box<UsableDocument>),
    Unfit {
        source: Option<SourceId>,
        unfit: UnusableDocument,
    },
    /// A location of credentials, which was not opened.
    Refused(UnusableDocument),
    Missing,
}

pub(crate) struct UsableDocument {
    pub(crate) link: ChainLink,
    pub(crate) content: PersonaDocument,
    pub(crate) parents: Vec<(Place, ParentReference)>,
}

impl UsableDocument {
    pub(crate) fn source(&self) -> SourceId {
        self.content.document.source()
    }

    pub(crate) fn contribution(&self) -> Contribution {
        let layer = LayerName::new(&self.link.layer)
            .or_else(|_| LayerName::new("?"))
            .expect("a good name");
        Contribution {
            layer,
            document: Arc::clone(&self.content.document),
        }
    }
}

impl<'f> PersonaLibrary<'f> {
    /// The personas visible from these levels.
    pub fn open(levels: PersonaLevels<'f>, outside: OutsideReads) -> Self {
        let mut library = PersonaLibrary {
            outside,
            levels,
            repositories: BTreeMap::new(),
            rosters: Vec::new(),
            policy: policy(),
            documents: BTreeMap::new(),
        };
        let levels = library.levels.list.iter();
        library.rosters = levels.map(|level| library.roster(level)).collect();
        library
    }

    fn roster(&self, level: &PersonaLevel) -> LevelRoster {
        let mut roster_notes = Notes::default();
        let names: BTreeSet<String> = self
            .names(&level.agents(), &mut roster_notes)
            .into_iter()
            .collect();
        let mut alike: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for name in &names {
            alike
                .entry(name.to_lowercase())
                .or_default()
                .push(name.clone());
        }
        alike.retain(|_, names| names.len() > 1);
        LevelRoster {
            names,
            alike,
            odd: roster_notes.diagnostics,
        }
    }

    /// All personas, by name.
    pub(crate) fn personas(&self, notes: &mut Notes) -> BTreeMap<PersonaSlug, VisiblePersona> {
        let mut found: BTreeMap<PersonaSlug, VisiblePersona> = BTreeMap::new();
        for (level, roster) in self.levels.list.iter().zip(&self.rosters) {
            notes.diagnostics.extend(roster.odd.iter().cloned());
            notes.diagnostics.extend(
                roster
                    .alike
                    .values()
                    .flat_map(|names| self.levels.case(level, names)),
            );
            let personas = roster.names.iter().filter(|name| *name != ARCHIVE);
            for slug in personas.filter_map(|name| PersonaSlug::new(name)) {
                let kinds: BTreeSet<PersonaKind> = self
                    .own_documents(level, &slug, notes)
                    .into_iter()
                    .map(|(_, name)| name.kind)
                    .collect();
                if !kinds.is_empty() {
                    let visible = found.entry(slug).or_default();
                    visible.kinds.extend(kinds);
                    visible.levels.push(level.label.clone());
                }
            }
        }
        found
    }

    /// Whether a level has a directory with a name.
    pub(crate) fn has_directory(&self, slug: &str) -> bool {
        self.rosters
            .iter()
            .any(|roster| roster.names.contains(slug))
    }

    /// The documents of a persona in one level, by name.
    pub(crate) fn own_documents(
        &self,
        level: &PersonaLevel,
        slug: &PersonaSlug,
        notes: &mut Notes,
    ) -> Vec<(PathBuf, DocumentName)> {
        let directory = level.agents().join(slug.as_str());
        let Some(real) = self.reach(&directory, &level.repository, notes) else {
            return Vec::new();
        };
        let names = self.names(&real, notes);
        names
            .iter()
            .filter_map(|name| Some((directory.join(name), DocumentName::read(name)?)))
            .collect()
    }

    /// The real path, unless it is outside or missing.
    pub(crate) fn reach(&self, path: &Path, repository: &Path, notes: &mut Notes) -> Option<Place> {
        let odd = match self.levels.files.reach(path) {
            Ok(None) => return None,
            Ok(Some(ResolvedPath::Other(_))) => self.levels.left_out_finding(
                path,
                "it is neither a file nor a directory",
                "remove it",
            ),
            Err(problem) => {
                let help = "fix the symlink or the permissions, or remove it";
                self.levels
                    .left_out_finding(path, &format!("it {problem}"), help)
            }
            Ok(Some(ResolvedPath::Directory(real) | ResolvedPath::File(real))) => {
                // A nested repository is a different one; outside any repository, a path must not leave the top.
                let roster_notes = repository_of(self.levels.files, &real)
                    .filter(|roster_notes| roster_notes.starts_with(repository))
                    .unwrap_or(repository);
                if real.starts_with(repository) && roster_notes == repository {
                    return Some(Arc::from(real));
                }
                self.levels.leads_out(path)
            }
        };
        notes.diagnostics.push(odd);
        None
    }

    /// The names in a directory, sorted; problems are reported.
    fn names(&self, directory: &Path, notes: &mut Notes) -> Vec<String> {
        let names = self
            .levels
            .files
            .names(directory)
            .unwrap_or_else(|problem| {
                let help = "check its type and permissions";
                notes.diagnostics.push(self.levels.left_out_finding(
                    directory,
                    &format!("it {problem}"),
                    help,
                ));
                Vec::new()
            });
        let (good, bad): (Vec<String>, Vec<String>) = names
            .into_iter()
            .partition(|name| !name.contains(char::REPLACEMENT_CHARACTER));
        let finding = |name: String| {
            self.levels.left_out_finding(
                &directory.join(name),
                "its name is not UTF-8",
                "rename it",
            )
        };
        notes.diagnostics.extend(bad.into_iter().map(finding));
        good
    }

    pub(crate) fn usable(&self, location: &Place) -> Option<&UsableDocument> {
        match self.documents.get(location) {
            Some(DocumentState::Usable(document)) => Some(document),
            _ => None,
        }
    }
}
