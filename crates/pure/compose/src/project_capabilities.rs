//! Changes in the capabilities of resources and layers since they were locked.

use std::collections::{BTreeMap, BTreeSet};

use agpm_model::{
    Layer, LayerLocation, LayerName, Lockfile, Manifest, Owner, RelativePath, ResourceOrigin,
};
use agpm_plan::{CapabilityStanding, ChangeAction, LockedCapabilities, PlannedChange};
use agpm_trust::{CapabilityChange, CapabilitySet};

use crate::capabilities::capability_sets;
use crate::rendered::RenderedResource;

/// The capabilities of everything to install.
#[derive(Debug)]
pub struct ProjectCapabilities {
    sets: BTreeMap<Owner, CapabilitySet>,
    /// Files and layers of the project itself, and inline servers of the manifest: their authors approve them.
    project_owned: BTreeSet<Owner>,
    /// Owners without a commit, whose earlier state cannot be read again.
    unpinned: BTreeSet<Owner>,
    /// The plugin of each part.
    plugins: BTreeMap<Owner, Owner>,
}

/// The changes, by id.
#[derive(Debug, Default)]
pub struct CapabilityChanges {
    /// Everything that is new or may have changed.
    pub all: Vec<CapabilityChange>,
    /// Resources that were locked before: a manifest entry approves only the locked state.
    pub after_locking: BTreeSet<Owner>,
}

/// Finds the locked capability sets of some ids.
pub type SetsAsLocked<'a> = &'a dyn Fn(&BTreeSet<Owner>) -> BTreeMap<Owner, CapabilitySet>;

/// The earlier capabilities, as far as they are known.
#[derive(Clone, Copy)]
pub struct LockedBefore<'a> {
    /// The old lockfile.
    pub lock: Option<&'a Lockfile>,
    /// The capabilities in the ledger; `None` if an older version wrote it.
    pub recorded: Option<&'a BTreeMap<Owner, CapabilitySet>>,
    /// The locked capabilities, from the sources. Reading them is expensive, so it is called only if needed.
    pub as_locked: SetsAsLocked<'a>,
}

impl ProjectCapabilities {
    /// The capabilities of all resources and layers.
    pub fn of(
        manifest: &Manifest,
        resources: &[RenderedResource],
        layers: BTreeMap<LayerName, CapabilitySet>,
    ) -> Self {
        let project_owned = manifest.layers.iter().filter(|layer| is_in_project(layer));
        let mut project_owned: BTreeSet<Owner> = project_owned
            .map(|layer| Owner::layer(&layer.name))
            .collect();
        let mut plugins = BTreeMap::new();
        let mut unpinned: BTreeSet<Owner> = layers.keys().map(Owner::layer).collect();
        for RenderedResource { resolved, .. } in resources {
            let id = Owner::from(resolved.id());
            if let Some(plugin) = resolved.part_of.first() {
                plugins.insert(id, plugin.clone().into());
                continue;
            }
            let origin = &resolved.entry.unit.origin;
            if matches!(origin, ResourceOrigin::Local | ResourceOrigin::Manifest) {
                project_owned.insert(id.clone());
            }
            if resolved.version.commit.is_none() {
                unpinned.insert(id);
            }
        }
        let layers = layers.into_iter();
        let layers = layers.map(|(name, set)| (Owner::layer(&name), set));
        let resources = capability_sets(resources).into_iter();
        let resources = resources.map(|(id, set)| (id.into(), set));
        ProjectCapabilities {
            sets: resources.chain(layers).collect(),
            project_owned,
            unpinned,
            plugins,
        }
    }

    /// The ids of everything that may have capabilities.
    pub fn ids(&self) -> impl Iterator<Item = &Owner> {
        self.sets.keys()
    }

    /// The capabilities of each layer.
    pub fn layers(&self) -> impl Iterator<Item = (&Owner, &CapabilitySet)> {
        self.sets.iter().filter(|(id, _)| id.resource().is_none())
    }

    /// Whether an id has capabilities that equal the locked ones.
    pub fn is_as_locked(&self, id: &Owner, locked: &LockedCapabilities<'_>) -> bool {
        let id = self.plugins.get(id).unwrap_or(id);
        let digest = self.sets.get(id).and_then(CapabilitySet::locked_digest);
        digest.is_some() && digest == locked.digest(id)
    }

    /// The capabilities to record in the ledger.
    pub fn to_record(&self) -> BTreeMap<Owner, CapabilitySet> {
        let is_recorded =
            |(id, set): &(&Owner, &CapabilitySet)| self.unpinned.contains(*id) && !set.is_empty();
        let sets = self.sets.iter().filter(is_recorded);
        sets.map(|(id, set)| (id.clone(), set.clone())).collect()
    }

    /// Compares with the locked capabilities.
    pub fn changes(&self, new: &Lockfile, before: &LockedBefore<'_>) -> CapabilityChanges {
        let locked = LockedCapabilities::of(before.lock);
        let resources = new.entries.iter();
        let resources = resources.map(|one| (Owner::from(one.id()), locked.of_resource(one)));
        let layers = new.layers.iter();
        let layers = layers.map(|one| (Owner::layer(&one.name), locked.of_layer(one)));
        let states: Vec<(Owner, CapabilityStanding)> = resources.chain(layers).collect();
        let with = |state: CapabilityStanding| -> BTreeSet<Owner> {
            let ids = states.iter().filter(|(_, one)| *one == state);
            ids.map(|(id, _)| id.clone()).collect()
        };
        let mut changed = with(CapabilityStanding::Changed);
        let mut earlier = self.sets_before(&changed, &locked, before);
        let new_matches = with(CapabilityStanding::NewMatch);
        earlier.extend(
            new_matches
                .iter()
                .map(|id| (id.clone(), CapabilitySet::default_of(id))),
        );
        changed.extend(new_matches);
        let new = states.into_iter();
        let new = new.filter(|(_, one)| *one != CapabilityStanding::AsLocked);
        let change = |(id, _): (Owner, CapabilityStanding)| {
            let after = self.sets.get(&id).cloned().unwrap_or_default();
            CapabilityChange::new(id.clone(), earlier.remove(&id), after)
        };
        let can_do_something = |change: &CapabilityChange| {
            let mut sets = change.before.iter().chain([&change.after]);
            sets.any(|set| !set.is_empty())
        };
        CapabilityChanges {
            all: new.map(change).filter(can_do_something).collect(),
            after_locking: changed.difference(&self.project_owned).cloned().collect(),
        }
    }

    /// The locked sets, as far as they can be found. The ledger's set is used only if its digest matches: a clone can
    /// contain a ledger.
    fn sets_before(
        &self,
        ids: &BTreeSet<Owner>,
        locked: &LockedCapabilities<'_>,
        before: &LockedBefore<'_>,
    ) -> BTreeMap<Owner, CapabilitySet> {
        let mut found = BTreeMap::new();
        let mut open = BTreeSet::new();
        for id in ids {
            let recorded = before.recorded.filter(|_| self.unpinned.contains(id));
            let set = recorded.map(|sets| {
                let set = sets.get(id).cloned();
                set.unwrap_or_else(|| CapabilitySet::default_of(id))
            });
            // The ledger is a file in the project and may come with a clone. A set that does not match the locked
            // digest proves nothing.
            match set.filter(|set| set.locked_digest() == locked.digest(id)) {
                Some(set) => drop(found.insert(id.clone(), set)),
                None => drop(open.insert(id.clone())),
            }
        }
        if !open.is_empty() {
            found.extend((before.as_locked)(&open));
        }
        found
    }

    /// Entries that are written again with the same capabilities.
    pub fn rewritten(
        &self,
        written: &[PlannedChange],
        changed: &[CapabilityChange],
    ) -> Vec<CapabilityChange> {
        let changed: BTreeSet<&Owner> = changed.iter().map(|change| &change.id).collect();
        let is_written = |change: &&PlannedChange| {
            matches!(change.action, ChangeAction::Create | ChangeAction::Update)
        };
        let owners = written.iter().filter(is_written);
        let owners = owners.map(|change| self.plugins.get(&change.owner).unwrap_or(&change.owner));
        let owners: BTreeSet<&Owner> = owners.filter(|owner| !changed.contains(owner)).collect();
        let change = |owner: &Owner| {
            let set = self.sets.get(owner).filter(|set| !set.is_empty())?;
            let before = Some(set.clone());
            Some(CapabilityChange::new(owner.clone(), before, set.clone()))
        };
        owners.into_iter().filter_map(change).collect()
    }
}

/// Whether a layer is a directory of the project: it changes with the manifest, in the same repository.
fn is_in_project(layer: &Layer) -> bool {
    match &layer.location {
        LayerLocation::Directory(path) => {
            let inner = path.strip_prefix("./").unwrap_or(path);
            RelativePath::new(inner.trim_end_matches('/')).is_ok() && !path.starts_with('~')
        }
        LayerLocation::Source(..) => false,
    }
}
