//! Compares the capabilities of the old and the new lockfile.

use std::collections::{BTreeMap, BTreeSet};

use agpm_model::{
    Checksum, LOCK_NAME, LayerName, LockEntry, LockedLayer, Lockfile, Owner, ResourceId,
    ResourceName, ResourceType,
};

/// The approval state of something that may have capabilities.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CapabilityStanding {
    /// It was not locked before, or it is a different file now.
    New,
    /// It was not locked before, but the pattern that it matches was: listing the pattern approved its matches at that
    /// time.
    NewMatch,
    /// It has the capabilities that were locked.
    AsLocked,
    /// Its content differs from the locked one, and so may its capabilities.
    Changed,
}

/// The locked capabilities, by id.
pub struct LockedCapabilities<'l> {
    entries: BTreeMap<ResourceId, &'l LockEntry>,
    layers: BTreeMap<&'l LayerName, &'l LockedLayer>,
    /// The patterns of the manifest that matched something.
    patterns: BTreeSet<(ResourceType, &'l ResourceName)>,
    /// Whether digests were locked at all: older programs lock none.
    has_digests: bool,
}

impl<'l> LockedCapabilities<'l> {
    /// The capabilities of a lockfile; empty without one.
    pub fn of(lock: Option<&'l Lockfile>) -> Self {
        let entries = lock.iter().flat_map(|lock| &lock.entries);
        let layers = lock.iter().flat_map(|lock| &lock.layers);
        let patterns = entries.clone().filter_map(|one| {
            let pattern = one.manifest_alias.as_ref()?;
            Some((one.kind, pattern))
        });
        LockedCapabilities {
            patterns: patterns.collect(),
            entries: entries.map(|one| (one.id(), one)).collect(),
            layers: layers.map(|one| (&one.name, one)).collect(),
            has_digests: lock.is_some_and(Lockfile::locks_capabilities),
        }
    }

    /// The approval state of a resource.
    pub fn of_resource(&self, new: &LockEntry) -> CapabilityStanding {
        let Some(old) = self.entries.get(&new.id()) else {
            let pattern = new.manifest_alias.as_ref();
            let is_match = |pattern| self.patterns.contains(&(new.kind, pattern));
            return if pattern.is_some_and(is_match) {
                CapabilityStanding::NewMatch
            } else {
                CapabilityStanding::New
            };
        };
        if old.unit != new.unit {
            return CapabilityStanding::New;
        }
        let is_same_commit = old.commit().is_some() && old.commit() == new.commit();
        let is_same_file = old.commit() == new.commit() && old.checksum == new.checksum;
        let is_unlocked_file = is_same_file && !self.has_digests;
        if is_same_commit || is_unlocked_file || self.is_same(old.capabilities, new.capabilities) {
            CapabilityStanding::AsLocked
        } else {
            CapabilityStanding::Changed
        }
    }

    /// The approval state of a layer.
    pub fn of_layer(&self, new: &LockedLayer) -> CapabilityStanding {
        let Some(old) = self.layers.get(&new.name) else {
            return CapabilityStanding::New;
        };
        if old.checksum == new.checksum || self.is_same(old.capabilities, new.capabilities) {
            CapabilityStanding::AsLocked
        } else {
            CapabilityStanding::Changed
        }
    }

    /// Whether a digest is the locked one. In a lockfile without any digest, a missing one proves nothing about
    /// something that has capabilities now.
    fn is_same(&self, old: Option<Checksum>, new: Option<Checksum>) -> bool {
        old == new && (self.has_digests || new.is_none())
    }

    /// The digest of an id.
    pub fn digest(&self, id: &Owner) -> Option<Checksum> {
        match id {
            Owner::Resource(id) => self.entries.get(id)?.capabilities,
            Owner::Layers(set) => {
                let is_it = |layer: &&&LockedLayer| layer.name.as_str() == set.as_str();
                self.layers.values().find(is_it)?.capabilities
            }
            Owner::Other(_) => None,
        }
    }
}

/// The difference between the capabilities and the locked ones, as users read it; `None` if they are equal. A lockfile
/// without any digest was written by an older program and says nothing about them.
pub fn capability_difference(old: &Lockfile, new: &Lockfile) -> Option<String> {
    if !old.locks_capabilities() {
        return None;
    }
    let locked = LockedCapabilities::of(Some(old));
    let resources = new.entries.iter();
    let resources = resources.map(|one| (Owner::from(one.id()), one.capabilities));
    let layers = new.layers.iter();
    let layers = layers.map(|one| (Owner::layer(&one.name), one.capabilities));
    let (id, _) = resources
        .chain(layers)
        .find(|(id, digest)| locked.digest(id) != *digest)?;
    Some(format!(
        "`{LOCK_NAME}` has other capabilities for {id} than its content"
    ))
}

/// Whether a lockfile lacks a digest that it should have.
pub fn lacks_capabilities(old: &Lockfile, new: &Lockfile) -> bool {
    !old.locks_capabilities() && new.locks_capabilities()
}
