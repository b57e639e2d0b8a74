//! The lockfile as a graph, for commands that only look.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use agpm_diag::{Diagnostic, Failure, FailureKind, Notes, Severity, codes, did_you_mean};
use agpm_model::{
    Checksum, Dependency, LayerName, LockEntry, LockedLayer, LockedPlacement, Lockfile, Manifest,
    ObjectId, RelativePath, ResourceExtent, ResourceOrigin, ResourceType, ToolName,
};
use agpm_plan::{Ledger, ResourceEntry};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use crate::gather::{ManifestFiles, Project, unknown_name};
use crate::packages::read_lock;
use crate::serialize;
use crate::world::{Environment, World};
use agpm_model::{LOCK_NAME, normalize};

/// A project's lockfile, which may be empty, and who needs whom in it.
#[derive(Debug, Default)]
pub(crate) struct LockView {
    pub(crate) entries: Vec<LockEntry>,
    /// The names of the sources, locked and in the manifest.
    pub(crate) sources: BTreeSet<String>,
    /// The names of the tools, locked and in the manifest.
    pub(crate) tools: BTreeSet<String>,
    /// Entries that the manifest itself asks for, in order.
    pub(crate) roots: Vec<usize>,
    /// What each entry needs.
    pub(crate) needs: Vec<Vec<usize>>,
    /// The layers.
    pub(crate) layers: Vec<LockedLayer>,
    /// Where things are installed.
    pub(crate) folder: PathBuf,
    /// The plugin of each entry that is a part of one.
    pub(crate) part_of: BTreeMap<usize, usize>,
}

impl LockView {
    /// Reads manifest and lockfile; where there is no lockfile, that is said and the view is empty.
    pub(crate) fn load(world: &World, notes: &mut Notes) -> Result<Self, Failure> {
        let environment = &world.environment;
        let files = ManifestFiles::require(environment)?;
        let store = files.store()?;
        let folder = files.root().to_owned();
        let manifest = Project::of(world, files, notes)?.manifest;
        let lock = match read_lock(environment, &store, notes)? {
            Some((lock, _)) => lock,
            None => {
                if !manifest.dependencies.is_empty() || !manifest.layers.is_empty() {
                    notes.diagnostics.push(no_lockfile());
                }
                Lockfile::default()
            }
        };
        let view = LockView::of(lock, &manifest, folder);
        view.tell_missing(&manifest, notes);
        Ok(view)
    }

    /// The view of a lockfile.
    pub(crate) fn of(lock: Lockfile, manifest: &Manifest, folder: PathBuf) -> Self {
        let asked: BTreeSet<(ResourceType, &str)> = manifest
            .dependencies
            .iter()
            .map(|root| (root.kind, root.name.as_str()))
            .collect();
        let is_root =
            |entry: &LockEntry| asked.contains(&(entry.kind, entry.manifest_key().as_str()));
        let roots = (0..lock.entries.len())
            .filter(|at| is_root(&lock.entries[*at]))
            .collect();
        let own = manifest
            .sources
            .iter()
            .map(|source| source.name.to_string());
        let sources = lock
            .sources
            .iter()
            .map(|source| source.name.to_string())
            .chain(own)
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
            folder,
            part_of: BTreeMap::new(),
        }
    }

    /// The same with the parts of plugins as entries that their plugins need, after all others.
    pub(crate) fn with_parts(mut self) -> Self {
        for plugin in 0..self.entries.len() {
            for part in self.entries[plugin].parts.clone() {
                let number = self.entries.len();
                self.entries.push(self.entries[plugin].part(&part));
                self.needs.push(Vec::new());
                self.needs[plugin].push(number);
                self.part_of.insert(number, plugin);
            }
        }
        self
    }

    /// The resources that own a file, or something in it.
    pub(crate) fn owned_at(
        &self,
        environment: &Environment,
        ledger: &Ledger,
        word: &str,
    ) -> Vec<usize> {
        let mut owners: BTreeSet<String> = BTreeSet::new();
        for path in self
            .paths_of(environment, word)
            .iter()
            .filter_map(|path| RelativePath::new(path).ok())
        {
            owners.extend(ledger.owners_at(&path).into_iter().map(ToString::to_string));
        }
        self.matching(|entry| owners.contains(&entry.label()))
    }

    /// The manifest may have moved on since.
    fn tell_missing(&self, manifest: &Manifest, notes: &mut Notes) {
        let locked: BTreeSet<(ResourceType, &str)> = self
            .entries
            .iter()
            .map(|entry| (entry.kind, entry.manifest_key().as_str()))
            .collect();
        let is_used = |root: &&Dependency| !manifest.tools.used_by(root).is_empty();
        let roots = manifest.dependencies.iter().filter(is_used);
        let missing = roots.filter(|root| !locked.contains(&(root.kind, root.name.as_str())));
        let missing: Vec<String> = missing
            .map(|root| format!("`{}/{}`", root.kind, root.name))
            .collect();
        if !missing.is_empty() && !self.entries.is_empty() {
            let message = format!(
                "`{LOCK_NAME}` does not have {} of the manifest yet",
                missing.join(", ")
            );
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
        let fits = |entry: &LockEntry, own: &str| means(name, entry.kind, own);
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

    /// The entries whose file this is, or of whose directory it is a part, seen from the working folder or from the
    /// project's.
    pub(crate) fn at_path(&self, environment: &Environment, word: &str) -> Vec<usize> {
        let names = self.paths_of(environment, word);
        self.matching(|entry| {
            let fits = |path: &RelativePath| {
                let mut names = names.iter();
                names.any(|name| is_of(entry, path.as_str(), name))
            };
            entry.paths().into_iter().any(fits)
        })
    }

    /// A path from where things are installed, as it may be meant.
    pub(crate) fn paths_of(&self, environment: &Environment, word: &str) -> Vec<String> {
        let short = word
            .strip_prefix("./")
            .unwrap_or(word)
            .trim_end_matches('/');
        let here = normalize(&environment.resolve(Path::new(short)));
        let inside = here.strip_prefix(&self.folder).ok();
        let inside = inside.map(|path| path.to_string_lossy().replace('\\', "/"));
        std::iter::once(short.to_owned()).chain(inside).collect()
    }

    /// The entries that a word means: by the path of a file, or as [`LockView::find`] does.
    pub(crate) fn find_word(
        &self,
        environment: &Environment,
        word: &str,
    ) -> Result<Vec<usize>, Failure> {
        let at_path = self.at_path(environment, word);
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
        let known: BTreeSet<(ResourceType, &str)> = self
            .entries
            .iter()
            .map(|entry| (entry.kind, entry.name.as_str()))
            .collect();
        unknown_name("resource", name, near_ids(name, known))
    }
}

/// A resource as it is typed: `TYPE/NAME` or `TYPE:NAME`, with the type in singular or plural.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WrittenId<'w> {
    pub(crate) kind: ResourceType,
    pub(crate) name: &'w str,
}

impl<'w> WrittenId<'w> {
    /// Nothing if the word has no type.
    pub(crate) fn parse(word: &'w str) -> Option<Self> {
        let (kind, name) = word.split_once(['/', ':'])?;
        Some(WrittenId {
            kind: ResourceType::named(kind)?,
            name,
        })
        .filter(|id| !id.name.is_empty())
    }
}

/// Whether a word that is typed means a resource: by its name, or by its id.
pub(crate) fn means(word: &str, kind: ResourceType, name: &str) -> bool {
    word == name || WrittenId::parse(word) == Some(WrittenId { kind, name })
}

/// Whether a path is that of an entry; a skill is a directory with files.
fn is_of(entry: &LockEntry, own: &str, path: &str) -> bool {
    let inner = path
        .strip_prefix(own)
        .filter(|_| entry.kind.extent() != ResourceExtent::File);
    path == own || inner.is_some_and(|rest| rest.starts_with('/'))
}

/// The name of its source; nothing if it is local.
pub(crate) fn source(entry: &LockEntry) -> Option<&str> {
    match &entry.unit.origin {
        ResourceOrigin::Source(name) => Some(name.as_str()),
        ResourceOrigin::Local | ResourceOrigin::Manifest => None,
    }
}

/// What every view of a resource begins with.
#[derive(Clone, Debug)]
pub struct ResourceIdentity {
    /// The word for its type.
    pub kind: &'static str,
    /// Its name.
    pub name: String,
    /// Its version; nothing for files of the project itself.
    pub version: Option<String>,
    /// The name of its source, if it has one.
    pub source: Option<String>,
}

impl ResourceIdentity {
    pub(crate) fn of(entry: &LockEntry) -> Self {
        ResourceIdentity {
            kind: entry.kind.singular(),
            name: entry.name.to_string(),
            version: entry.version().map(str::to_owned),
            source: source(entry).map(str::to_owned),
        }
    }

    /// `TYPE/NAME`, as every command accepts it; the type is in the plural.
    fn id(&self) -> String {
        let plural = match ResourceType::named(self.kind) {
            Some(kind) => kind.plural(),
            None => LayerName::TYPE_NAME,
        };
        format!("{plural}/{}", self.name)
    }
}

impl Serialize for ResourceIdentity {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("type", self.kind)?;
        map.serialize_entry("name", &self.name)?;
        map.serialize_entry("version", &self.version)?;
        map.serialize_entry("source", &self.source)?;
        map.serialize_entry("id", &self.id())?;
        map.end()
    }
}

/// The tools of a resource, and where it is installed for each.
#[derive(Clone, Debug)]
pub struct Placements(Vec<LockedPlacement>);

impl Placements {
    pub(crate) fn of(entry: &LockEntry) -> Self {
        Placements(entry.placements.clone())
    }

    /// Those of one copy.
    pub(crate) fn of_entry(entry: &ResourceEntry) -> Self {
        let placement = |tool: &ToolName| LockedPlacement {
            tool: tool.clone(),
            at: entry.target.clone(),
        };
        Placements(entry.readers.iter().map(placement).collect())
    }

    /// The tools, sorted.
    pub fn tools(&self) -> impl Iterator<Item = &ToolName> {
        self.0.iter().map(|placement| &placement.tool)
    }

    /// Where it is installed, each path once.
    pub fn paths(&self) -> BTreeSet<&RelativePath> {
        let paths = self.0.iter();
        paths
            .filter_map(|placement| placement.at.as_ref())
            .collect()
    }
}

/// Where a resource is for one tool.
#[derive(Serialize)]
struct InstalledPath<'a> {
    tool: &'a ToolName,
    path: &'a RelativePath,
    /// The name of `path` in earlier versions.
    at: &'a RelativePath,
}

impl<'a> InstalledPath<'a> {
    fn of(placement: &'a LockedPlacement) -> Option<Self> {
        let at = placement.at.as_ref()?;
        Some(InstalledPath {
            tool: &placement.tool,
            path: at,
            at,
        })
    }
}

impl Serialize for Placements {
    /// Lists, and for a resource of one tool the two fields of the lockfile too.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let tools: Vec<&ToolName> = self.tools().collect();
        let installed = self.0.iter().filter_map(InstalledPath::of);
        let installed: Vec<InstalledPath<'_>> = installed.collect();
        let mut map = serializer.serialize_map(None)?;
        if tools.len() < 2 {
            map.serialize_entry("installed_at", &self.paths().first())?;
            map.serialize_entry("tool", &tools.first())?;
        }
        map.serialize_entry("tools", &tools)?;
        map.serialize_entry("installed", &installed)?;
        map.end()
    }
}

/// What the lockfile has of a resource.
#[derive(Clone, Debug, Serialize)]
pub struct LockedResource {
    /// Which one it is.
    #[serde(flatten)]
    pub identity: ResourceIdentity,
    /// Where it is in its source.
    pub path: String,
    /// The version that is required.
    pub requirement: Option<String>,
    /// The commit that it is taken from.
    #[serde(flatten, serialize_with = "serialize::commit")]
    pub resolved_commit: Option<ObjectId>,
    /// Of what it is in its source.
    pub checksum: Option<Checksum>,
    /// The tools it is for, and where it is installed for them.
    #[serde(flatten)]
    pub placements: Placements,
    /// What it needs.
    pub dependencies: Vec<String>,
    /// What is installed of a plugin, as `TYPE/NAME`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<String>,
    /// The fields that patches change.
    pub patches: Vec<String>,
}

impl LockedResource {
    pub(crate) fn of(entry: &LockEntry) -> Self {
        LockedResource {
            identity: ResourceIdentity::of(entry),
            path: entry.unit.path.to_string(),
            requirement: entry.requirement().map(str::to_owned),
            resolved_commit: entry.commit().cloned(),
            checksum: entry.checksum,
            placements: Placements::of(entry),
            dependencies: entry.dependencies.clone(),
            parts: entry.parts.iter().map(ToString::to_string).collect(),
            patches: entry.patches.clone(),
        }
    }
}

/// What commands say that read a lockfile where none is.
pub(crate) fn no_lockfile() -> Diagnostic {
    let mut diagnostic = Diagnostic::new(&codes::LOCK_OUTDATED, "No lockfile; run `agpm install`");
    diagnostic.severity = Severity::Note;
    diagnostic
}

/// What commands say that would list nothing.
pub(crate) fn nothing_listed(message: &str) -> Diagnostic {
    Diagnostic::new(&codes::LIST_EMPTY, message)
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

/// Ids near to a word, or some of all there are. Only names are compared: the type is often what is wrong.
pub(crate) fn near_ids(word: &str, known: BTreeSet<(ResourceType, &str)>) -> Option<String> {
    let name = WrittenId::parse(word).map_or(word, |id| id.name);
    let near = agpm_diag::nearest(name, known.iter().map(|(_, name)| *name));
    let meant = near.and_then(|near| known.iter().find(|(_, name)| *name == near));
    if let Some((kind, name)) = meant {
        return Some(format!("did you mean `{kind}/{name}`?"));
    }
    let ids: Vec<String> = known
        .iter()
        .map(|(kind, name)| format!("{kind}/{name}"))
        .collect();
    did_you_mean(word, "resources are", ids.iter().map(String::as_str))
}
