//! The personas that can be seen from a folder: found by level, merged along `inherits`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use agpm_diag::{Diagnostic, Failure, Notes};
use agpm_merge::{Policy, Resolution, fold, order};
use agpm_persona::{ARCHIVE, DocumentName, PersonaKind, Slug, policy};
use agpm_store::{self as store, Reached};

use crate::lineage::levels::{Level, Levels, LineagePlace, from_here, repository_of};
use crate::lineage::reading::{Fit, Read};
use crate::lineage::telling::InheritedDocuments;
use crate::world::{OutsideReads, World};

/// Where a document really is; one that is not there is known by where it would be.
pub(crate) type Place = Arc<Path>;

/// The personas that can be seen from a folder.
pub(crate) struct Library {
    /// The working folder.
    here: PathBuf,
    /// Whether documents may inherit from anywhere.
    pub(super) outside: OutsideReads,
    pub(crate) levels: Levels,
    /// The repositories that folders are in.
    pub(super) repositories: BTreeMap<PathBuf, Option<PathBuf>>,
    /// The names of each level's personas, in order: they are looked at for every one of them.
    rosters: Vec<Roster>,
    policy: Policy,
    pub(super) documents: BTreeMap<Place, Read>,
}

/// The personas of a level.
struct Roster {
    names: BTreeSet<String>,
    /// Those that differ only in case, by what they are in small letters.
    alike: BTreeMap<String, Vec<String>>,
    /// What is odd about the folder.
    odd: Vec<Diagnostic>,
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
    /// Looks at what can be seen from a place.
    pub(crate) fn open(
        world: &World,
        place: &LineagePlace,
        notes: &mut Notes,
    ) -> Result<Self, Failure> {
        let levels = Levels::find(world, place, notes)?;
        let here = store::real_path(&world.environment.folder);
        let mut library = Library {
            here,
            outside: world.environment.outside,
            levels,
            repositories: BTreeMap::new(),
            rosters: Vec::new(),
            policy: policy(),
            documents: BTreeMap::new(),
        };
        library.rosters = library
            .levels
            .list
            .iter()
            .map(|level| library.roster(level))
            .collect();
        Ok(library)
    }

    fn roster(&self, level: &Level) -> Roster {
        let mut own = Notes::default();
        let names: BTreeSet<String> = self.names(&level.agents(), &mut own).into_iter().collect();
        let mut alike: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for name in &names {
            alike
                .entry(name.to_lowercase())
                .or_default()
                .push(name.clone());
        }
        alike.retain(|_, names| names.len() > 1);
        Roster {
            names,
            alike,
            odd: own.diagnostics,
        }
    }

    /// All personas, by name.
    pub(crate) fn personas(&self, notes: &mut Notes) -> BTreeMap<Slug, Visible> {
        let mut found: BTreeMap<Slug, Visible> = BTreeMap::new();
        for (level, roster) in self.levels.list.iter().zip(&self.rosters) {
            notes.diagnostics.extend(roster.odd.iter().cloned());
            notes.diagnostics.extend(
                roster
                    .alike
                    .values()
                    .flat_map(|names| self.case(level, names)),
            );
            let personas = roster.names.iter().filter(|name| *name != ARCHIVE);
            for slug in personas.filter_map(|name| Slug::new(name)) {
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

    /// Whether a level has a folder of that name.
    pub(crate) fn has_folder(&self, slug: &str) -> bool {
        self.rosters
            .iter()
            .any(|roster| roster.names.contains(slug))
    }

    /// Merges what all levels, and whom they inherit, say of one kind of a persona.
    pub(crate) fn seek(&mut self, slug: &Slug, kind: PersonaKind, notes: &mut Notes) -> Sought {
        let start: Vec<Place> = self.starts(slug, kind, notes);
        if start.is_empty() {
            return Sought::Nowhere;
        }
        let references = self.policy.references;
        let mut inherited = InheritedDocuments {
            library: self,
            notes,
        };
        let lineage = order(&start, references, &mut inherited);
        notes.diagnostics.extend(lineage.diagnostics);
        let documents: Vec<(&Place, &Fit)> = lineage
            .order
            .iter()
            .filter_map(|place| Some((place, self.fit(place)?)))
            .collect();
        if documents.is_empty() {
            return Sought::Unreadable;
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
        let places = documents
            .iter()
            .map(|(place, _)| Arc::clone(place))
            .collect();
        Sought::Merged(Box::new(Merged {
            resolution,
            chain,
            places,
        }))
    }

    /// Each level's own document, lowest first.
    fn starts(&mut self, slug: &Slug, kind: PersonaKind, notes: &mut Notes) -> Vec<Place> {
        let mut start = Vec::new();
        for at in 0..self.levels.list.len() {
            let (level, roster) = (self.levels.list[at].clone(), &self.rosters[at]);
            notes.diagnostics.extend(roster.odd.iter().cloned());
            let alike = roster.alike.get(&slug.as_str().to_lowercase());
            notes
                .diagnostics
                .extend(alike.into_iter().flat_map(|names| self.case(&level, names)));
            if !roster.names.contains(slug.as_str()) {
                continue;
            }
            let mut own = self.own_documents(&level, slug, notes);
            own.retain(|(_, name)| name.kind == kind);
            let Some((path, name)) = own.first() else {
                continue;
            };
            let others = own
                .iter()
                .skip(1)
                .map(|(other, _)| self.two_documents(path, other, kind));
            notes.diagnostics.extend(others);
            let Some(place) = self.reach(path, &level.repository, notes) else {
                continue;
            };
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
    fn own_documents(
        &self,
        level: &Level,
        slug: &Slug,
        notes: &mut Notes,
    ) -> Vec<(PathBuf, DocumentName)> {
        let folder = level.agents().join(slug.as_str());
        let Some(real) = self.reach(&folder, &level.repository, notes) else {
            return Vec::new();
        };
        let names = self.names(&real, notes);
        names
            .iter()
            .filter_map(|name| Some((folder.join(name), DocumentName::read(name)?)))
            .collect()
    }

    /// Where a path really is, unless that is outside or nowhere.
    fn reach(&self, path: &Path, repository: &Path, notes: &mut Notes) -> Option<Place> {
        let odd = match store::reach(path) {
            Ok(None) => return None,
            Ok(Some(Reached::Other(_))) => {
                self.left_out(path, "it is neither a file nor a folder", "take it away")
            }
            Err(error) => {
                let help = "mend the link or the permissions, or take it away";
                self.left_out(path, &format!("it {}", error.problem), help)
            }
            Ok(Some(Reached::Folder(real) | Reached::File(real))) => {
                // A repository inside of its own is another one; outside of any, it may not leave the top.
                let own = repository_of(&real)
                    .filter(|own| own.starts_with(repository))
                    .unwrap_or(repository);
                if real.starts_with(repository) && own == repository {
                    return Some(Arc::from(real));
                }
                self.leads_out(path)
            }
        };
        notes.diagnostics.push(odd);
        None
    }

    /// The names in a folder, in order; what cannot be read is told.
    fn names(&self, folder: &Path, notes: &mut Notes) -> Vec<String> {
        let names = store::folder_names(folder).unwrap_or_else(|error| {
            let help = "check what it is, and its permissions";
            notes
                .diagnostics
                .push(self.left_out(folder, &format!("it {}", error.problem), help));
            Vec::new()
        });
        let (good, bad): (Vec<String>, Vec<String>) = names
            .into_iter()
            .partition(|name| !name.contains(char::REPLACEMENT_CHARACTER));
        let told = |name: String| {
            self.left_out(
                &folder.join(name),
                "its name is not UTF-8",
                "give it another name",
            )
        };
        notes.diagnostics.extend(bad.into_iter().map(told));
        good
    }

    /// A path as users find it from where they are.
    pub(crate) fn shown(&self, path: &Path) -> String {
        let relative = from_here(&self.here, path, &self.levels.top);
        relative
            .as_deref()
            .unwrap_or(path)
            .to_string_lossy()
            .replace('\\', "/")
    }
}

/// Who inherits whom: the lowest of those that name a document.
fn chain(start: &[Place], documents: &[(&Place, &Fit)]) -> Vec<ChainLink> {
    let start: BTreeSet<&Place> = start.iter().collect();
    let mut heirs: BTreeMap<&Place, &str> = BTreeMap::new();
    let mut below: BTreeSet<&Place> = BTreeSet::new();
    for (place, fit) in documents {
        // One that stands above is where a cycle was cut.
        for (parent, _) in fit
            .parents
            .iter()
            .filter(|(parent, _)| below.contains(parent))
        {
            heirs.entry(parent).or_insert(&fit.link.path);
        }
        below.insert(place);
    }
    let link = |(place, fit): &(&Place, &Fit)| {
        let heir = heirs.get(place).filter(|_| !start.contains(place));
        ChainLink {
            inherited_from: heir.map(|heir| (*heir).to_owned()),
            ..fit.link.clone()
        }
    };
    documents.iter().map(link).collect()
}
