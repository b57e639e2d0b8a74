//! The lockfile as a graph, for commands that only look.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use agpm_diag::{Diagnostic, Severity, codes, did_you_mean};
use agpm_model::{Dependency, Locked, Lockfile, Manifest, Origin, ResourceType};
use agpm_text::Value;

use crate::failure::{Failure, FailureKind, Notes};
use crate::gather::{ManifestFiles, Project, unknown_name};
use crate::packages::{LOCK_NAME, read_lock};
use crate::world::Environment;

/// A project's lockfile, which may be empty, and who needs whom in it.
#[derive(Debug, Default)]
pub(crate) struct LockView {
    pub(crate) entries: Vec<Locked>,
    /// The names of the sources, locked and in the manifest.
    pub(crate) sources: BTreeSet<String>,
    /// Entries that the manifest itself asks for, in order.
    pub(crate) roots: Vec<usize>,
    /// What each entry needs.
    pub(crate) needs: Vec<Vec<usize>>,
    /// Where things are installed.
    pub(crate) folder: PathBuf,
}

impl LockView {
    /// Reads manifest and lockfile; where there is no lockfile, that is said and the view is empty.
    pub(crate) fn load(environment: &Environment, notes: &mut Notes) -> Result<Self, Failure> {
        let files = ManifestFiles::require(environment)?;
        let store = files.store()?;
        let folder = files.root().to_owned();
        let manifest = Project::of(environment, files, notes)?.manifest;
        let lock = match read_lock(environment, &store, notes)? {
            Some((lock, _)) => lock,
            None => {
                notes.diagnostics.push(note(format!("there is no `{LOCK_NAME}` yet")));
                Lockfile::default()
            }
        };
        let view = LockView::of(lock, &manifest, folder);
        view.tell_missing(&manifest, notes);
        Ok(view)
    }

    /// The view of a lockfile.
    pub(crate) fn of(lock: Lockfile, manifest: &Manifest, folder: PathBuf) -> Self {
        let asked: BTreeSet<(ResourceType, &str)> =
            manifest.dependencies.iter().map(|root| (root.kind, root.name.as_str())).collect();
        let is_root = |entry: &Locked| asked.contains(&(entry.kind, entry.manifest_key().as_str()));
        let roots = (0..lock.entries.len()).filter(|at| is_root(&lock.entries[*at])).collect();
        let own = manifest.sources.iter().map(|source| source.name.to_string());
        let sources = lock.sources.iter().map(|source| source.name.to_string()).chain(own).collect();
        LockView { needs: needs(&lock.entries), entries: lock.entries, sources, roots, folder }
    }

    /// The manifest may have moved on since.
    fn tell_missing(&self, manifest: &Manifest, notes: &mut Notes) {
        let locked: BTreeSet<(ResourceType, &str)> =
            self.entries.iter().map(|entry| (entry.kind, entry.manifest_key().as_str())).collect();
        let is_used = |root: &&Dependency| manifest.tools.is_enabled(manifest.tools.of(root));
        let roots = manifest.dependencies.iter().filter(is_used);
        let missing = roots.filter(|root| !locked.contains(&(root.kind, root.name.as_str())));
        let missing: Vec<String> = missing.map(|root| format!("`{}/{}`", root.kind, root.name)).collect();
        if !missing.is_empty() && !self.entries.is_empty() {
            let message = format!("`{LOCK_NAME}` does not have {} of the manifest yet", missing.join(", "));
            notes.diagnostics.push(note(message));
        }
    }

    /// The other direction: who needs each entry.
    pub(crate) fn needed_by(&self) -> Vec<Vec<usize>> {
        let mut needed_by = vec![Vec::new(); self.entries.len()];
        for (at, needs) in self.needs.iter().enumerate() {
            for need in needs {
                needed_by[*need].push(at);
            }
        }
        needed_by
    }

    /// The entries that a name means, all of one kind; a pattern's name means all that it matched.
    pub(crate) fn find(&self, name: &str) -> Result<Vec<usize>, Failure> {
        let fits = |entry: &Locked, own: &str| means(name, entry.kind, own);
        let mut found = self.matching(|entry| fits(entry, entry.name.as_str()) || entry.reference() == name);
        if found.is_empty() {
            found = self.matching(|entry| fits(entry, entry.manifest_key().as_str()));
        }
        let of_kind = |at: &usize| (self.entries[*at].kind, format!("`{}/{name}`", self.entries[*at].kind));
        let kinds: BTreeMap<ResourceType, String> = found.iter().map(of_kind).collect();
        match kinds.len() {
            0 => Err(self.not_found(name)),
            1 => Ok(found),
            _ => Err(ambiguous(name, &kinds.into_values().collect::<Vec<_>>())),
        }
    }

    fn matching(&self, fits: impl Fn(&Locked) -> bool) -> Vec<usize> {
        (0..self.entries.len()).filter(|at| fits(&self.entries[*at])).collect()
    }

    fn not_found(&self, name: &str) -> Failure {
        let full = name.contains('/');
        let label = |entry: &Locked| if full { entry.label() } else { entry.name.to_string() };
        let known: BTreeSet<String> = self.entries.iter().map(label).collect();
        unknown_name("resource", name, did_you_mean(name, "resources are", known.iter().map(String::as_str)))
    }
}

/// Whether a word that is typed means a resource: by its name, or as `TYPE/NAME` with the type in singular or plural.
pub(crate) fn means(word: &str, kind: ResourceType, name: &str) -> bool {
    let typed = word
        .split_once('/')
        .is_some_and(|(typed, rest)| ResourceType::named(typed) == Some(kind) && rest == name);
    word == name || typed
}

/// The name of its source; nothing if it is local.
pub(crate) fn source(entry: &Locked) -> Option<&str> {
    match &entry.unit.origin {
        Origin::Source(name) => Some(name.as_str()),
        Origin::Local | Origin::Manifest => None,
    }
}

/// The fields that every view of an entry begins with.
pub(crate) fn identity(entry: &Locked) -> Vec<(&'static str, Value)> {
    vec![
        ("type", entry.kind.singular().into()),
        ("name", entry.name.as_str().into()),
        ("version", entry.version.as_deref().into()),
        ("source", source(entry).into()),
    ]
}

pub(crate) fn note(message: String) -> Diagnostic {
    let mut diagnostic = Diagnostic::new(&codes::LOCK_OUTDATED, message).help("run `agpm install`");
    diagnostic.severity = Severity::Note;
    diagnostic
}

pub(crate) fn ambiguous(name: &str, meanings: &[String]) -> Failure {
    let message = format!("`{name}` could be {}", meanings.join(" or "));
    let diagnostic = Diagnostic::new(&codes::NAME_UNKNOWN, message).help("name it with its type");
    Failure::new(FailureKind::NotFound, diagnostic)
}

/// Who needs whom; a reference that leads nowhere is passed over.
fn needs(entries: &[Locked]) -> Vec<Vec<usize>> {
    let mut exact: BTreeMap<String, usize> = BTreeMap::new();
    let mut plain: BTreeMap<String, usize> = BTreeMap::new();
    for (at, entry) in entries.iter().enumerate() {
        exact.entry(entry.reference()).or_insert(at);
        plain.entry(entry.label()).or_insert(at);
    }
    let target = |reference: &String| {
        let bare = reference.rsplit_once('@').map_or(reference.as_str(), |(bare, _)| bare);
        exact.get(reference).or_else(|| plain.get(bare)).copied()
    };
    let of = |entry: &Locked| {
        let mut needs: Vec<usize> = entry.dependencies.iter().filter_map(target).collect();
        needs.sort_unstable();
        needs.dedup();
        needs
    };
    entries.iter().map(of).collect()
}
