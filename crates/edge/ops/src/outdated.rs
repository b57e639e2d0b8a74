//! `outdated`: the locked version, the newest that is allowed, and the newest of all.

use std::collections::{BTreeMap, BTreeSet};

use agpm_diag::{Diagnostic, codes};
use agpm_git::Refs;
use agpm_model::{
    CatalogRemote, LayerPin, LayerPlace, Locked, LockedLayer, LockedRemote, Lockfile, Manifest, ObjectId,
    ResourceName, ResourceType, Tag,
};
use agpm_text::Value;

use crate::catalog::{Choice, remote_today};
use crate::failure::{Failure, Notes, Outcome};
use crate::gather::{ManifestFiles, Project};
use crate::layers::choose;
use crate::packages::{
    LOCK_NAME, Named, ResolvedEntry, Sources, read_lock, refs_of, report_moved_tags, resolve,
};
use crate::update::{find, known};
use crate::world::World;

/// What to look at.
#[derive(Clone, Debug)]
pub struct OutdatedRequest {
    /// Names, or `TYPE/NAME`; all if there are none.
    pub names: Vec<String>,
}

/// One resource that could be newer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outdated {
    /// The word for its kind, in the plural.
    pub kind: &'static str,
    /// Its name.
    pub name: String,
    /// Its source.
    pub source: String,
    /// What is locked.
    pub current: String,
    /// The newest that the requirements allow.
    pub allowed: String,
    /// The newest stable one.
    pub newest: String,
}

/// Everything that could be newer.
#[derive(Clone, Debug)]
pub struct OutdatedReport {
    /// By kind and name.
    pub outdated: Vec<Outdated>,
    /// How many were looked at.
    pub checked: usize,
}

impl OutdatedReport {
    /// As fields of a document.
    pub fn fields(&self) -> Vec<(&'static str, Value)> {
        let row = |row: &Outdated| {
            Value::map([
                ("type", row.kind.into()),
                ("name", row.name.as_str().into()),
                ("source", row.source.as_str().into()),
                ("current", row.current.as_str().into()),
                ("allowed", row.allowed.as_str().into()),
                ("newest", row.newest.as_str().into()),
            ])
        };
        let rows = self.outdated.iter().map(row).collect();
        vec![("checked", self.checked.into()), ("outdated", Value::List(rows))]
    }
}

/// Looks for newer versions.
pub fn outdated(world: &World, request: &OutdatedRequest) -> Outcome<OutdatedReport> {
    let mut notes = Notes::default();
    let result = run(world, request, &mut notes);
    notes.outcome(result)
}

fn run(world: &World, request: &OutdatedRequest, notes: &mut Notes) -> Result<OutdatedReport, Failure> {
    let files = ManifestFiles::require(&world.environment)?;
    let store = files.store()?;
    let project = Project::of(&world.environment, files, notes)?;
    let Some((lock, _)) = read_lock(&world.environment, &store, notes)? else {
        let message = format!("there is no `{LOCK_NAME}`: nothing is installed");
        return Err(Diagnostic::new(&codes::LOCK_OUTDATED, message).help("run `agpm install` first").into());
    };
    let names = known(&project.manifest, &lock);
    let wanted = request.names.iter().map(|name| find(name, &names)).collect::<Result<BTreeSet<_>, _>>()?;
    let sources = Sources::open(&world.environment, &project.manifest, store.path());
    let resolved = resolve(world, &project.manifest, &sources, BTreeMap::new(), notes)?;
    let newest = Newest::new(&lock, &sources, &resolved, notes)?;
    let is_wanted = |locked: &&Locked| {
        let named = [&locked.name, locked.manifest_key()]
            .iter()
            .any(|name| wanted.contains(&Named::Resource(locked.kind, (*name).clone())));
        locked.commit.is_some() && (wanted.is_empty() || named)
    };
    let locked: Vec<&Locked> = lock.entries.iter().filter(is_wanted).collect();
    let mut outdated: Vec<Outdated> = locked.iter().filter_map(|locked| newest.compare(locked)).collect();
    let layer_wanted = |layer: &&LockedLayer| {
        layer.pin.is_some() && (wanted.is_empty() || wanted.contains(&Named::Layer(layer.name.clone())))
    };
    let layers: Vec<&LockedLayer> = lock.layers.iter().filter(layer_wanted).collect();
    for layer in &layers {
        let chosen = today(world, &project.manifest, &sources, layer, notes)?;
        outdated.extend(chosen.and_then(|chosen| newest.compare_layer(layer, &chosen)));
    }
    let remote_wanted =
        |pin: &&LockedRemote| wanted.is_empty() || wanted.contains(&Named::Remote(pin.remote().clone()));
    let remotes: Vec<&LockedRemote> = lock.catalog.iter().filter(remote_wanted).collect();
    for pin in &remotes {
        let today = remote_today(&project.manifest, &sources, pin)?;
        outdated.extend(today.and_then(|(now, refs)| newest.compare_remote(pin, &now, &refs)));
    }
    Ok(OutdatedReport { outdated, checked: locked.len() + layers.len() + remotes.len() })
}

/// The tags of every source, highest first, and what would be chosen today.
struct Newest<'r> {
    tags: BTreeMap<String, Vec<Tag>>,
    chosen: BTreeMap<(ResourceType, &'r ResourceName), (&'r str, Option<&'r ObjectId>)>,
}

impl<'r> Newest<'r> {
    fn new(
        lock: &Lockfile,
        sources: &Sources,
        resolved: &'r [ResolvedEntry],
        notes: &mut Notes,
    ) -> Result<Self, Failure> {
        let mut tags = BTreeMap::new();
        let of_entries = lock.entries.iter().filter_map(|locked| locked.unit.origin.source());
        let of_layers = lock.layers.iter().filter_map(|layer| Some(&layer.pin.as_ref()?.source));
        for name in of_entries.chain(of_layers) {
            if tags.contains_key(name.as_str()) {
                continue;
            }
            let Some(refs) = refs_of(sources, name)? else { continue };
            report_moved_tags(lock, name, &refs, notes);
            tags.insert(name.to_string(), stable_tags(&refs));
        }
        let choice = |entry: &'r ResolvedEntry| {
            let version = (entry.version.label.as_str(), entry.version.commit.as_ref());
            ((entry.entry.kind, &entry.entry.name), version)
        };
        Ok(Newest { tags, chosen: resolved.iter().map(choice).collect() })
    }

    fn compare(&self, locked: &Locked) -> Option<Outdated> {
        let source = locked.unit.origin.source()?;
        let (allowed, commit) = self.chosen.get(&(locked.kind, &locked.name)).copied()?;
        let current = locked.version.as_deref().unwrap_or_default();
        let row = Outdated::of(locked.kind.plural(), locked.name.as_str(), source.as_str());
        self.row(row, (current, locked.commit.as_ref()), (allowed, commit))
    }

    fn compare_remote(&self, locked: &LockedRemote, now: &Choice, refs: &Refs) -> Option<Outdated> {
        let remote = locked.remote();
        let row = Outdated::of("catalog", &remote.to_string(), &base_of(remote));
        let tags = BTreeMap::from([(row.source.clone(), stable_tags(refs))]);
        let here = Newest { tags, chosen: BTreeMap::new() };
        here.row(row, (&locked.version, Some(&locked.commit)), (&now.version, Some(&now.commit)))
    }

    fn compare_layer(&self, locked: &LockedLayer, now: &LayerPin) -> Option<Outdated> {
        let pin = locked.pin.as_ref()?;
        let row = Outdated::of("layers", locked.name.as_str(), pin.source.as_str());
        self.row(row, (&pin.version, Some(&pin.commit)), (&now.version, Some(&now.commit)))
    }

    /// The row, if what is locked is not the newest of all.
    fn row(
        &self,
        row: Outdated,
        (current, locked): (&str, Option<&ObjectId>),
        (allowed, commit): (&str, Option<&ObjectId>),
    ) -> Option<Outdated> {
        let prefix = Tag::new(current).prefix().map(str::to_owned);
        let of_prefix = |tag: &&Tag| prefix.is_none() || tag.prefix() == prefix.as_deref();
        let newest = self.tags.get(&row.source).and_then(|tags| tags.iter().find(of_prefix));
        let newest = newest.filter(|newest| prefix.is_some() && **newest > Tag::new(current));
        let moved = commit != locked;
        if !moved && newest.is_none() {
            return None;
        }
        let with_commit =
            |label: &str, commit: Option<&ObjectId>| match (label == allowed && label == current, commit) {
                (true, Some(commit)) if moved => format!("{label} ({})", commit.short()),
                _ => label.to_owned(),
            };
        Some(Outdated {
            allowed: with_commit(allowed, commit),
            newest: newest.map_or_else(|| with_commit(allowed, commit), |tag| tag.name().to_owned()),
            current: with_commit(current, locked),
            ..row
        })
    }
}

impl Outdated {
    fn of(kind: &'static str, name: &str, source: &str) -> Self {
        let (name, source, none) = (name.to_owned(), source.to_owned(), String::new);
        Outdated { kind, name, source, current: none(), allowed: none(), newest: none() }
    }
}

/// The stable versions of a source, highest first.
fn stable_tags(refs: &Refs) -> Vec<Tag> {
    let mut all: Vec<Tag> = refs.tags.keys().map(|tag| Tag::new(tag)).filter(Tag::is_stable).collect();
    all.sort_by(|a, b| b.cmp(a));
    all
}

/// The source that a remote names, or its address.
fn base_of(remote: &CatalogRemote) -> String {
    CatalogRemote { reference: None, folder: None, ..remote.clone() }.to_string()
}

/// What a layer would be today; nothing if the manifest does not have it any more.
fn today(
    world: &World,
    manifest: &Manifest,
    sources: &Sources,
    locked: &LockedLayer,
    notes: &mut Notes,
) -> Result<Option<LayerPin>, Failure> {
    let layer = manifest.layers.iter().find(|layer| layer.name == locked.name);
    match layer.map(|layer| (layer, &layer.place)) {
        Some((layer, LayerPlace::Source(source, selector))) => {
            choose((world, manifest, sources), layer, (source, selector), notes).map(Some)
        }
        _ => Ok(None),
    }
}
