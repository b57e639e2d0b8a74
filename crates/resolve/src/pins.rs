//! Selects the pins of a lockfile that the solver keeps.

use std::collections::{BTreeMap, BTreeSet};

use agpm_model::{
    BaseName, CatalogRemote, LayerName, LockEntry, LockedSource, Lockfile, Manifest, PinId,
    ResourceId, ResourceName, SourceName, Unit, with_names_of,
};

use crate::index::{PinState, SolverPin};

/// The pins that may change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UpdateScope {
    /// No pin changes.
    Nothing,
    /// All pins.
    Everything,
    /// These pins.
    Only(BTreeSet<PinId>),
}

impl UpdateScope {
    /// Whether a layer may change its version.
    pub fn moves_layer(&self, layer: &LayerName) -> bool {
        self.moves(|| PinId::Layer(layer.clone()))
    }

    /// Whether a remote of the catalog may change its version.
    pub fn moves_remote(&self, remote: &CatalogRemote) -> bool {
        self.moves(|| PinId::Remote(remote.without_secrets()))
    }

    /// Whether a base of the manifest may change its version.
    pub fn moves_base(&self, base: &BaseName) -> bool {
        self.moves(|| PinId::Base(base.clone()))
    }

    /// These pins, and others that may change.
    #[must_use]
    pub fn including(&self, others: &BTreeSet<PinId>) -> UpdateScope {
        match self {
            UpdateScope::Nothing if others.is_empty() => UpdateScope::Nothing,
            UpdateScope::Nothing => UpdateScope::Only(others.clone()),
            UpdateScope::Everything => UpdateScope::Everything,
            UpdateScope::Only(named) => UpdateScope::Only(named.union(others).cloned().collect()),
        }
    }

    fn moves(&self, one: impl FnOnce() -> PinId) -> bool {
        match self {
            UpdateScope::Nothing => false,
            UpdateScope::Everything => true,
            UpdateScope::Only(named) => named.contains(&one()),
        }
    }
}

/// The pins; the solver checks whether a requirement still allows them.
pub fn pins(
    manifest: &Manifest,
    lock: &Lockfile,
    moving: &UpdateScope,
) -> BTreeMap<Unit, SolverPin> {
    let lock = &with_names_of(manifest, lock);
    let relocated = relocated_sources(manifest, lock);
    let mut pins = BTreeMap::new();
    let mut released: BTreeSet<&Unit> = BTreeSet::new();
    for locked in &lock.entries {
        let Some(locked_pin) = &locked.pin else {
            continue;
        };
        let moves = match moving {
            UpdateScope::Nothing => false,
            UpdateScope::Everything => true,
            UpdateScope::Only(named) => is_named(named, locked),
        };
        let is_relocated = locked
            .unit
            .origin
            .source()
            .is_some_and(|source| relocated.contains(source));
        let state = match (moves, is_relocated) {
            (true, _) => PinState::Released,
            // The commit of the old URL may not exist at the new one. The version is kept as a preference and
            // resolved there.
            (false, true) => PinState::Relocated,
            (false, false) => PinState::Kept,
        };
        let pin = SolverPin::new(locked_pin, state);
        if moves {
            released.insert(&locked.unit);
            pins.insert(locked.unit.clone(), pin);
            continue;
        }
        // The pattern itself is pinned with its files: without a pin it would move to the newest version and match
        // other files.
        if let (Some(pattern), Some(_)) = (&locked.pattern, &locked.manifest_alias) {
            let unit = Unit {
                path: pattern.clone(),
                ..locked.unit.clone()
            };
            pins.entry(unit).or_insert_with(|| pin.clone());
        }
        // A resource that is locked twice is released with either of them.
        if !released.contains(&locked.unit) {
            pins.insert(locked.unit.clone(), pin);
        }
    }
    pins
}

/// The sources whose URL differs from the locked one.
pub fn relocated_sources<'l>(manifest: &Manifest, lock: &'l Lockfile) -> BTreeSet<&'l SourceName> {
    let has_moved = |locked: &&LockedSource| {
        let now = manifest
            .source(&locked.name)
            .map(|source| source.address.to_string());
        locked.url.is_some() && now.is_some() && locked.url != now
    };
    lock.sources
        .iter()
        .filter(has_moved)
        .map(|locked| &locked.name)
        .collect()
}

fn is_named(named: &BTreeSet<PinId>, locked: &LockEntry) -> bool {
    let resource = |name: &&ResourceName| {
        PinId::Resource(ResourceId {
            kind: locked.kind,
            name: (*name).clone(),
        })
    };
    [&locked.name, locked.manifest_key()]
        .iter()
        .any(|name| named.contains(&resource(name)))
}
