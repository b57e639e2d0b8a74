//! `outdated`: the locked version, the newest that is allowed, and the newest of all.

use std::collections::{BTreeMap, BTreeSet};

use agpm_model::{
    CatalogRemote, LayerPin, LayerPlace, Locked, LockedLayer, LockedRemote, Lockfile, Manifest,
    ObjectId, ResolvedVersion, SourceName, SourceVersions, Tag, Unit,
};
use serde::Serialize;

use crate::allowed::{AllowedVersions, ContentChange, branch_at, entry_at};
use crate::catalog::remote_today;
use crate::failure::{Failure, Notes, Outcome};
use crate::gather::{ManifestFiles, Project};
use crate::layers::{RequiredVersion, choose};
use crate::locked::no_lockfile;
use crate::packages::{Named, Sources, read_lock, report_moved_tags, versions_of, with_names_of};
use crate::update::Words;
use crate::world::World;

/// Versions that are looked into for one resource, from the newest down.
const MOST_TRIED: usize = 8;

/// What to look at.
#[derive(Clone, Debug, Default)]
pub struct OutdatedRequest {
    /// Names, ids, paths of installed files, or sources; all if there are none.
    pub names: Vec<String>,
    /// Which rows there are.
    pub rows: OutdatedRows,
}

/// What is listed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OutdatedRows {
    /// What could be newer.
    #[default]
    Outdated,
    /// Everything that has a version.
    All,
}

/// One resource that could be newer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Outdated {
    /// The word for its kind, in the plural.
    #[serde(rename = "type")]
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
#[derive(Clone, Debug, Serialize)]
pub struct OutdatedReport {
    /// How many were looked at.
    pub checked: usize,
    /// By kind and name.
    pub outdated: Vec<Outdated>,
    /// Branches that moved without a change of these resources.
    pub moved: Vec<MovedBranch>,
    /// Whether there is a lockfile to compare with.
    #[serde(skip)]
    pub lockfile: LockfileState,
}

/// Whether a project has a lockfile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LockfileState {
    /// It has, or needs none.
    Present,
    /// It has dependencies and none of them is locked.
    Missing,
}

/// A branch whose commit is another one, with resources that are the same at both.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MovedBranch {
    /// The source.
    pub source: String,
    /// The branch, with the locked commit.
    pub current: String,
    /// The branch, with its commit now.
    pub now: String,
    /// How many resources did not change.
    pub unchanged: usize,
}

/// Looks for newer versions.
pub fn outdated(world: &World, request: &OutdatedRequest) -> Outcome<OutdatedReport> {
    let mut notes = Notes::default();
    let result = run(world, request, &mut notes);
    notes.outcome(result)
}

fn run(
    world: &World,
    request: &OutdatedRequest,
    notes: &mut Notes,
) -> Result<OutdatedReport, Failure> {
    let files = ManifestFiles::require(&world.environment)?;
    let store = files.store()?;
    let project = Project::of(&world.environment, files, notes)?;
    let Some((lock, _)) = read_lock(&world.environment, &store, notes)? else {
        return Ok(without_lockfile(&project.manifest, notes));
    };
    let lock = with_names_of(&project.manifest, &lock);
    let words = Words::new(&world.environment, &project, lock.clone());
    let mut wanted = BTreeSet::new();
    for name in &request.names {
        wanted.extend(words.find(name)?);
    }
    let sources = Sources::open(world, &project.manifest, store.path());
    let allowed = AllowedVersions::find(world, &project.manifest, &sources, &lock, notes)?;
    let newest = Newest {
        tags: stable_tags_of(&lock, &sources, notes)?,
        sources: &sources,
        allowed: &allowed,
        rows: request.rows,
    };
    let is_wanted = |locked: &&Locked| {
        let named = [&locked.name, locked.manifest_key()]
            .iter()
            .any(|name| wanted.contains(&Named::Resource(locked.kind, (*name).clone())));
        locked.commit.is_some() && (wanted.is_empty() || named)
    };
    let locked: Vec<&Locked> = lock.entries.iter().filter(is_wanted).collect();
    let (unchanged, changed): (Vec<&Locked>, Vec<&Locked>) = match request.rows {
        OutdatedRows::Outdated => locked.iter().partition(|locked| newest.is_same(locked)),
        OutdatedRows::All => (Vec::new(), locked.clone()),
    };
    let moved = newest.moved_branches(&unchanged);
    let mut outdated: Vec<Outdated> = changed
        .iter()
        .filter_map(|locked| newest.compare(locked))
        .collect();
    let layer_wanted = |layer: &&LockedLayer| {
        layer.pin.is_some()
            && (wanted.is_empty() || wanted.contains(&Named::Layer(layer.name.clone())))
    };
    let layers: Vec<&LockedLayer> = lock.layers.iter().filter(layer_wanted).collect();
    for layer in &layers {
        let chosen = today(&project.manifest, &sources, layer)?;
        outdated.extend(chosen.and_then(|chosen| newest.compare_layer(layer, &chosen)));
    }
    let remote_wanted = |pin: &&LockedRemote| {
        wanted.is_empty() || wanted.contains(&Named::Remote(pin.remote().clone()))
    };
    let remotes: Vec<&LockedRemote> = lock.catalog.iter().filter(remote_wanted).collect();
    for pin in &remotes {
        let today = remote_today(&project.manifest, &sources, pin)?;
        outdated.extend(today.and_then(|(now, refs)| newest.compare_remote(pin, &now, &refs)));
    }
    let checked = locked.len() + layers.len() + remotes.len();
    Ok(OutdatedReport {
        outdated,
        moved,
        checked,
        lockfile: LockfileState::Present,
    })
}

/// Nothing is compared; that is said where something should be locked.
fn without_lockfile(manifest: &Manifest, notes: &mut Notes) -> OutdatedReport {
    let lockfile = match manifest.dependencies.is_empty() && manifest.layers.is_empty() {
        true => LockfileState::Present,
        false => LockfileState::Missing,
    };
    notes
        .diagnostics
        .extend((lockfile == LockfileState::Missing).then(no_lockfile));
    OutdatedReport {
        outdated: Vec::new(),
        moved: Vec::new(),
        checked: 0,
        lockfile,
    }
}

/// The stable tags of every source that something is locked from, highest first. Tags that moved are reported.
fn stable_tags_of(
    lock: &Lockfile,
    sources: &Sources,
    notes: &mut Notes,
) -> Result<BTreeMap<String, Vec<Tag>>, Failure> {
    let mut tags = BTreeMap::new();
    let of_entries = lock
        .entries
        .iter()
        .filter_map(|locked| locked.unit.origin.source());
    let of_layers = lock
        .layers
        .iter()
        .filter_map(|layer| Some(&layer.pin.as_ref()?.source));
    for name in of_entries.chain(of_layers) {
        if tags.contains_key(name.as_str()) {
            continue;
        }
        let Some(refs) = versions_of(sources, name)? else {
            continue;
        };
        report_moved_tags(lock, name, &refs, notes);
        tags.insert(name.to_string(), refs.stable_tags());
    }
    Ok(tags)
}

/// The newest versions, to be compared with what is locked.
struct Newest<'r> {
    sources: &'r Sources,
    tags: BTreeMap<String, Vec<Tag>>,
    allowed: &'r AllowedVersions,
    rows: OutdatedRows,
}

impl Newest<'_> {
    /// Whether a branch moved and the resource is the same.
    fn is_same(&self, locked: &Locked) -> bool {
        let allowed = self.allowed.of(locked);
        allowed.is_some_and(|now| {
            locked.version.as_ref() == Some(&now.version.label)
                && Tag::new(&now.version.label).prefix().is_none()
                && locked.commit != now.version.commit
                && now.content == ContentChange::Same
        })
    }

    /// One for each branch that moved, with the number of resources that are the same.
    fn moved_branches(&self, unchanged: &[&Locked]) -> Vec<MovedBranch> {
        let mut moved: Vec<MovedBranch> = Vec::new();
        for locked in unchanged {
            let Some(now) = self.allowed.of(locked) else {
                continue;
            };
            let one = MovedBranch {
                source: locked
                    .unit
                    .origin
                    .source()
                    .map(ToString::to_string)
                    .unwrap_or_default(),
                current: branch_at(&now.version.label, locked.commit.as_ref()),
                now: branch_at(&now.version.label, now.version.commit.as_ref()),
                unchanged: 0,
            };
            let same = |other: &&mut MovedBranch| {
                MovedBranch {
                    unchanged: 0,
                    ..(**other).clone()
                } == one
            };
            match moved.iter_mut().find(same) {
                Some(known) => known.unchanged += 1,
                None => moved.push(MovedBranch {
                    unchanged: 1,
                    ..one
                }),
            }
        }
        moved
    }

    fn compare(&self, locked: &Locked) -> Option<Outdated> {
        let source = locked.unit.origin.source()?;
        let now = self.allowed.of(locked)?;
        let current = locked.version.as_deref().unwrap_or_default();
        let row = Outdated::of(locked.kind.plural(), locked.name.as_str(), source.as_str());
        let allowed = (now.version.label.as_str(), now.version.commit.as_ref());
        self.row(row, (current, locked.commit.as_ref()), allowed, &|tag| {
            self.holds(source, tag, &locked.unit)
        })
    }

    /// Whether a resource is in a version: what was dropped cannot be updated to. A version that cannot be read counts.
    fn holds(&self, source: &SourceName, tag: &Tag, unit: &Unit) -> bool {
        let Some(source) = self.sources.versioned(source) else {
            return true;
        };
        let versions = source.versions().ok();
        let commit = versions.as_ref().and_then(|all| all.tags.get(tag.name()));
        commit.is_none_or(|commit| {
            entry_at(source, commit, unit).map_or(true, |entry| entry.is_some())
        })
    }

    fn compare_remote(
        &self,
        locked: &LockedRemote,
        now: &ResolvedVersion,
        refs: &SourceVersions,
    ) -> Option<Outdated> {
        let remote = locked.remote();
        let row = Outdated::of("catalog", &remote.to_string(), &base_of(remote));
        let tags = BTreeMap::from([(row.source.clone(), refs.stable_tags())]);
        let here = Newest {
            tags,
            sources: self.sources,
            allowed: self.allowed,
            rows: self.rows,
        };
        let (before, now) = (
            (locked.version.as_str(), Some(&locked.commit)),
            (now.label.as_str(), Some(&now.revision)),
        );
        here.row(row, before, now, &|_| true)
    }

    fn compare_layer(&self, locked: &LockedLayer, now: &LayerPin) -> Option<Outdated> {
        let pin = locked.pin.as_ref()?;
        let row = Outdated::of("layers", locked.name.as_str(), pin.source.as_str());
        self.row(
            row,
            (&pin.version, Some(&pin.commit)),
            (&now.version, Some(&now.commit)),
            &|_| true,
        )
    }

    /// The row, if what is locked is not the newest of all.
    fn row(
        &self,
        row: Outdated,
        (current, locked): (&str, Option<&ObjectId>),
        (allowed, commit): (&str, Option<&ObjectId>),
        holds: &dyn Fn(&Tag) -> bool,
    ) -> Option<Outdated> {
        let (tag, allowed_tag) = (Tag::new(current), Tag::new(allowed));
        let prefix = tag.prefix();
        let newer = |newer: &&Tag| prefix.is_some() && newer.prefix() == prefix && **newer > tag;
        let newer = self
            .tags
            .get(&row.source)
            .into_iter()
            .flatten()
            .filter(newer)
            .take(MOST_TRIED);
        // What is allowed was found to hold the resource.
        let newest = newer
            .into_iter()
            .find(|newer| **newer == allowed_tag || holds(newer));
        let moved = commit != locked;
        if !moved && newest.is_none() && self.rows == OutdatedRows::Outdated {
            return None;
        }
        let with_commit = |label: &str, commit: Option<&ObjectId>| match (
            label == allowed && label == current,
            commit,
        ) {
            (true, Some(commit)) if moved => format!("{label} ({})", commit.short()),
            _ => label.to_owned(),
        };
        Some(Outdated {
            allowed: with_commit(allowed, commit),
            newest: newest
                .map_or_else(|| with_commit(allowed, commit), |tag| tag.name().to_owned()),
            current: with_commit(current, locked),
            ..row
        })
    }
}

impl Outdated {
    fn of(kind: &'static str, name: &str, source: &str) -> Self {
        let (name, source, none) = (name.to_owned(), source.to_owned(), String::new);
        Outdated {
            kind,
            name,
            source,
            current: none(),
            allowed: none(),
            newest: none(),
        }
    }
}

/// The source that a remote names, or its address.
fn base_of(remote: &CatalogRemote) -> String {
    CatalogRemote {
        reference: None,
        folder: None,
        ..remote.clone()
    }
    .to_string()
}

/// What a layer would be today; nothing if the manifest does not have it any more.
fn today(
    manifest: &Manifest,
    sources: &Sources,
    locked: &LockedLayer,
) -> Result<Option<LayerPin>, Failure> {
    let layer = manifest
        .layers
        .iter()
        .find(|layer| layer.name == locked.name);
    let Some(layer) = layer else {
        return Ok(None);
    };
    let LayerPlace::Source(name, requirement) = &layer.place else {
        return Ok(None);
    };
    let required = RequiredVersion {
        source: name,
        requirement,
    };
    match sources.versioned(name) {
        Some(source) => choose(source, layer, &required).map(Some),
        None => Ok(None),
    }
}
