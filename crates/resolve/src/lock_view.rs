//! The lockfile as a graph of resources that need each other.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use agpm_diag::{Diagnostic, Failure, Notes, Severity, codes, unknown_name};
use agpm_model::{
    Dependency, LOCK_NAME, LockEntry, LockedLayer, Lockfile, Manifest, RelativePath,
    ResourceExtent, ResourceId, ResourceType, normalize,
};
use agpm_text::Value;

use crate::written_id::{ambiguous, means, near_ids};

/// A project's lockfile, which may be empty, with its dependency graph.
#[derive(Debug, Default)]
pub struct LockView {
    /// The locked resources.
    pub entries: Vec<LockEntry>,
    /// The names of the sources, locked and in the manifest.
    pub sources: BTreeSet<String>,
    /// The names of the tools, locked and in the manifest.
    pub tools: BTreeSet<String>,
    /// The entries that the manifest requires, in order.
    pub roots: Vec<usize>,
    /// The dependencies of each entry.
    pub needs: Vec<Vec<usize>>,
    /// The layers.
    pub layers: Vec<LockedLayer>,
    /// The installation directory.
    pub project_directory: PathBuf,
    /// The plugin of each entry that is a part of one.
    pub part_of: BTreeMap<usize, usize>,
    /// The hooks that a patch disables. They are locked and not written anywhere.
    pub disabled: BTreeSet<ResourceId>,
}

impl LockView {
    /// The view of a lockfile.
    pub fn of(mut lock: Lockfile, manifest: &Manifest, project_directory: PathBuf) -> Self {
        let disabled = take_disabled(&mut lock.entries, manifest);
        let required: BTreeSet<(ResourceType, &str)> = manifest
            .dependencies
            .iter()
            .map(|root| (root.kind, root.name.as_str()))
            .collect();
        let is_root =
            |entry: &LockEntry| required.contains(&(entry.kind, entry.manifest_key().as_str()));
        let roots = (0..lock.entries.len())
            .filter(|at| is_root(&lock.entries[*at]))
            .collect();
        let of_manifest = manifest
            .sources
            .iter()
            .map(|source| source.name.to_string());
        let sources = lock
            .sources
            .iter()
            .map(|source| source.name.to_string())
            .chain(of_manifest)
            .collect();
        let tools = manifest.tools.iter().map(|tool| &tool.name);
        let locked_tools = lock.entries.iter().flat_map(LockEntry::tools);
        let tools = tools.chain(locked_tools).map(ToString::to_string).collect();
        let (layers, needs) = (lock.layers, needs(&lock.entries));
        LockView {
            needs,
            tools,
            entries: lock.entries,
            sources,
            roots,
            layers,
            project_directory,
            part_of: BTreeMap::new(),
            disabled,
        }
    }

    /// The view of a lockfile whose manifest cannot be read: entries without dependents are treated as required by the
    /// manifest.
    pub fn without_manifest(lock: Lockfile, project_directory: PathBuf) -> Self {
        let mut view = LockView::of(lock, &Manifest::default(), project_directory);
        let needed: BTreeSet<usize> = view.needs.iter().flatten().copied().collect();
        let numbers = 0..view.entries.len();
        view.roots = numbers.filter(|at| !needed.contains(at)).collect();
        view
    }

    /// Adds the parts of plugins as entries that their plugins need.
    pub fn with_parts(mut self) -> Self {
        for plugin in 0..self.entries.len() {
            for part in self.entries[plugin].parts.clone() {
                // Plugins for one tool cannot have different parts of one name, so this is a part of both.
                let known = self.part_of.keys().copied().find(|at| {
                    let other = &self.entries[*at];
                    let mut tools = self.entries[plugin].tools();
                    other.id() == part && tools.any(|tool| other.tools().any(|one| one == tool))
                });
                if let Some(number) = known {
                    self.needs[plugin].push(number);
                    continue;
                }
                let number = self.entries.len();
                self.entries.push(self.entries[plugin].part(&part));
                self.needs.push(Vec::new());
                self.needs[plugin].push(number);
                self.part_of.insert(number, plugin);
            }
        }
        self
    }

    /// The entries that own a file, or something in it.
    pub fn owned_at(
        &self,
        working: &Path,
        word: &str,
        labels_at: &dyn Fn(&RelativePath) -> Vec<String>,
    ) -> Vec<usize> {
        let mut owners: BTreeSet<String> = BTreeSet::new();
        for path in self
            .paths_of(working, word)
            .iter()
            .filter_map(|path| RelativePath::new(path).ok())
        {
            owners.extend(labels_at(&path));
        }
        self.matching(|entry| owners.contains(&entry.label()))
    }

    /// Notes about dependencies that were added to the manifest since.
    pub fn note_unlocked(&self, manifest: &Manifest, notes: &mut Notes) {
        let locked: BTreeSet<(ResourceType, &str)> = self
            .entries
            .iter()
            .map(|entry| (entry.kind, entry.manifest_key().as_str()))
            .collect();
        let is_used = |root: &&Dependency| !manifest.tools.used_by(root).is_empty();
        let roots = manifest.dependencies.iter().filter(is_used);
        // All matches of a pattern may be excluded, so its absence says nothing.
        let missing = roots.filter(|root| {
            !locked.contains(&(root.kind, root.name.as_str())) && root.exclude.is_empty()
        });
        let missing: Vec<String> = missing
            .map(|root| format!("`{}/{}`", root.kind, root.name))
            .collect();
        if !missing.is_empty() && !self.entries.is_empty() {
            let message = format!(
                "`{LOCK_NAME}` does not have {} of the manifest yet",
                missing.join(", ")
            );
            notes.diagnostics.push(lockfile_note(message));
        }
    }

    /// The dependents of each entry.
    pub fn needed_by(&self) -> Vec<Vec<usize>> {
        let mut needed_by = vec![Vec::new(); self.entries.len()];
        for (at, needs) in self.needs.iter().enumerate() {
            for need in needs {
                needed_by[*need].push(at);
            }
        }
        needed_by
    }

    /// The entries with a name, all of one type; the name of a pattern selects all its matches.
    pub fn find(&self, name: &str) -> Result<Vec<usize>, Failure> {
        let fits = |entry: &LockEntry, entry_name: &str| means(name, entry.kind, entry_name);
        let mut found =
            self.matching(|entry| fits(entry, entry.name.as_str()) || entry.reference() == name);
        if found.is_empty() {
            found = self.matching(|entry| fits(entry, entry.manifest_key().as_str()));
        }
        let of_kind = |at: &usize| {
            (
                self.entries[*at].kind,
                format!("`{}/{name}`", self.entries[*at].kind),
            )
        };
        let kinds: BTreeMap<ResourceType, String> = found.iter().map(of_kind).collect();
        match kinds.len() {
            0 => Err(self.not_found(name)),
            1 => Ok(found),
            _ => Err(ambiguous(name, &kinds.into_values().collect::<Vec<_>>())),
        }
    }

    /// The entries whose file or directory contains a path, relative to the working directory or to the project.
    pub fn at_path(&self, working: &Path, word: &str) -> Vec<usize> {
        let names = self.paths_of(working, word);
        self.matching(|entry| {
            let fits = |path: &RelativePath| {
                let mut names = names.iter();
                names.any(|name| is_of(entry, path.as_str(), name))
            };
            entry.paths().into_iter().any(fits)
        })
    }

    /// The possible paths of an argument, from the installation directory.
    pub fn paths_of(&self, working: &Path, word: &str) -> Vec<String> {
        let short = word
            .strip_prefix("./")
            .unwrap_or(word)
            .trim_end_matches('/');
        let absolute = normalize(&working.join(short));
        let inside = absolute.strip_prefix(&self.project_directory).ok();
        let inside = inside.map(|path| path.to_string_lossy().replace('\\', "/"));
        std::iter::once(short.to_owned()).chain(inside).collect()
    }

    /// The entries that an argument names: by the path of a file, or as in [`LockView::find`].
    pub fn find_word(&self, working: &Path, word: &str) -> Result<Vec<usize>, Failure> {
        let at_path = self.at_path(working, word);
        if at_path.is_empty() {
            self.find(word)
        } else {
            Ok(at_path)
        }
    }

    fn matching(&self, fits: impl Fn(&LockEntry) -> bool) -> Vec<usize> {
        (0..self.entries.len())
            .filter(|at| fits(&self.entries[*at]))
            .collect()
    }

    fn not_found(&self, name: &str) -> Failure {
        let ids: BTreeSet<(ResourceType, &str)> = self
            .entries
            .iter()
            .map(|entry| (entry.kind, entry.name.as_str()))
            .collect();
        unknown_name("resource", name, near_ids(name, ids))
    }
}

/// The hooks that the manifest's patches disable; their entries lose their paths.
fn take_disabled(entries: &mut [LockEntry], manifest: &Manifest) -> BTreeSet<ResourceId> {
    let is_disabled = |entry: &LockEntry| {
        let patches = manifest.patches.iter().filter(|patch| {
            patch.kind == ResourceType::Hooks
                && patch.kind == entry.kind
                && patch.name == entry.name.as_str()
        });
        let mut switches = patches.filter_map(|patch| patch.fields.get("enabled"));
        // Private patches come later and apply.
        switches.next_back() == Some(&Value::Bool(false))
    };
    let mut disabled = BTreeSet::new();
    for entry in entries.iter_mut().filter(|entry| is_disabled(entry)) {
        entry.placements.iter_mut().for_each(|one| one.at = None);
        disabled.insert(entry.id());
    }
    disabled
}

/// Whether a path belongs to an entry; a skill is a directory with files.
fn is_of(entry: &LockEntry, entry_path: &str, path: &str) -> bool {
    let inner = path
        .strip_prefix(entry_path)
        .filter(|_| entry.kind.extent() != ResourceExtent::File);
    path == entry_path || inner.is_some_and(|rest| rest.starts_with('/'))
}

/// The dependencies of each entry; dangling references are ignored.
fn needs(entries: &[LockEntry]) -> Vec<Vec<usize>> {
    let mut exact: BTreeMap<String, usize> = BTreeMap::new();
    let mut plain: BTreeMap<String, usize> = BTreeMap::new();
    for (at, entry) in entries.iter().enumerate() {
        exact.entry(entry.reference()).or_insert(at);
        plain.entry(entry.label()).or_insert(at);
    }
    let target = |reference: &String| {
        let bare = reference
            .rsplit_once('@')
            .map_or(reference.as_str(), |(bare, _)| bare);
        exact.get(reference).or_else(|| plain.get(bare)).copied()
    };
    let of = |entry: &LockEntry| {
        let mut needs: Vec<usize> = entry.dependencies.iter().filter_map(target).collect();
        needs.sort_unstable();
        needs.dedup();
        needs
    };
    entries.iter().map(of).collect()
}

/// The note of commands that find no lockfile.
pub fn no_lockfile() -> Diagnostic {
    let mut diagnostic = Diagnostic::new(&codes::LOCK_OUTDATED, "No lockfile; run `agpm install`");
    diagnostic.severity = Severity::Note;
    diagnostic
}

/// The note of commands with an empty listing.
pub fn nothing_listed(message: &str) -> Diagnostic {
    Diagnostic::new(&codes::LIST_EMPTY, message)
}

/// A note that the next install would change the lockfile.
pub fn lockfile_note(message: String) -> Diagnostic {
    let mut diagnostic = Diagnostic::new(&codes::LOCK_OUTDATED, message).help("run `agpm install`");
    diagnostic.severity = Severity::Note;
    diagnostic
}
