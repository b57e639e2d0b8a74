//! Changes in the capabilities of resources and layers since they were locked.

use std::collections::{BTreeMap, BTreeSet};

use agpm_diag::SourceId;
use agpm_model::{
    ExecutableMode, Layer, LayerLocation, LayerName, LockEntry, Lockfile, Manifest, Owner,
    RelativePath, ResourceOrigin, ResourceType,
};
use agpm_plan::{ChangeAction, PlannedChange};
use agpm_resolve::ResolvedEntry;
use agpm_resolve::{EarlierCapabilities, LockedCapabilities};
use agpm_trust::{CapabilityChange, CapabilityIncrease, CapabilityName, CapabilitySet};

use crate::capabilities::capability_sets;
use crate::rendered::RenderedResource;

/// The capabilities of everything to install.
#[derive(Debug)]
pub struct ProjectCapabilities {
    sets: BTreeMap<Owner, CapabilitySet>,
    /// The capabilities that the project's own manifest adds to each of them.
    own: BTreeMap<Owner, BTreeSet<CapabilityIncrease>>,
    /// How each id comes into the project.
    origins: BTreeMap<Owner, CapabilityOrigin>,
    /// The plugin of each part.
    plugins: BTreeMap<Owner, Owner>,
}

/// How something comes into the project.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CapabilityOrigin {
    /// It is a file or a layer of the project, or an inline server of its manifest: its author approves it.
    Project,
    /// The project's own manifest names it.
    Named,
    /// It matches a pattern of the project's own manifest.
    Matched,
    /// A base names it, in this file.
    Base(SourceId),
    /// Something else requires it.
    Required,
    /// Something else requires it, and it is a file of the project.
    RequiredFile,
}

/// The changes, by id.
#[derive(Debug, Default)]
pub struct CapabilityChanges {
    /// Everything that is new or may have changed.
    pub all: Vec<CapabilityChange>,
    /// The part of it that is not approved by the manifest or by the lockfile.
    pub unapproved: Vec<UnapprovedChange>,
}

/// Capabilities that nobody approved.
#[derive(Clone, Debug)]
pub struct UnapprovedChange {
    /// The capabilities; `increase` has those that need approval.
    pub change: CapabilityChange,
    /// Why the manifest does not approve them.
    pub reason: UnapprovedReason,
}

/// Why capabilities need approval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnapprovedReason {
    /// They are more than what was locked.
    Grown,
    /// Something else requires the resource, and the manifest does not name it.
    Required,
    /// The manifest names it, but a policy requires approval for everything that runs.
    Policy,
}

/// Finds the locked capability sets of some ids.
pub type SetsAsLocked<'a> = &'a dyn Fn(&BTreeSet<Owner>) -> BTreeMap<Owner, CapabilitySet>;

/// The earlier capabilities, as far as they are known.
#[derive(Clone, Copy)]
pub struct LockedBefore<'a> {
    /// The old lockfile.
    pub lock: Option<&'a Lockfile>,
    /// The files of the bases that the lockfile does not know yet: naming them approves what they bring now.
    pub new_bases: &'a BTreeSet<SourceId>,
    /// Whether a policy requires approval of everything that runs, whoever names it.
    pub mode: ExecutableMode,
    /// The capabilities at the locked versions, from the sources, for a lockfile that does not list them. Reading them
    /// is expensive, so it is called only if needed.
    pub as_locked: SetsAsLocked<'a>,
}

impl ProjectCapabilities {
    /// The capabilities of all resources and layers.
    pub fn of(
        manifest: &Manifest,
        resources: &[RenderedResource],
        layers: BTreeMap<LayerName, CapabilitySet>,
        base_files: &BTreeSet<SourceId>,
    ) -> Self {
        let mut origins = BTreeMap::new();
        for layer in &manifest.layers {
            let origin = origin_of_layer(layer, base_files);
            origins.insert(Owner::layer(&layer.name), origin);
        }
        let mut plugins = BTreeMap::new();
        let mut own: BTreeMap<Owner, BTreeSet<CapabilityIncrease>> = BTreeMap::new();
        for (number, RenderedResource { resolved, output }) in resources.iter().enumerate() {
            let id = Owner::from(resolved.id());
            let added = output.own_capabilities();
            let owner = match resolved.part_of.first() {
                Some(plugin) => {
                    let plugin = Owner::from(plugin.clone());
                    plugins.insert(id, plugin.clone());
                    plugin
                }
                None => {
                    // The plugin of a single hook has the scripts that the hook runs.
                    let hook = hook_of_plugin(resources, number).unwrap_or(resolved);
                    origins.insert(id.clone(), origin_of(manifest, hook));
                    id
                }
            };
            own.entry(owner).or_default().extend(added);
        }
        let layers = layers.into_iter();
        let layers = layers.map(|(name, set)| (Owner::layer(&name), set));
        let resources = capability_sets(resources).into_iter();
        let resources = resources.map(|(id, set)| (id.into(), set));
        ProjectCapabilities {
            sets: resources.chain(layers).collect(),
            own,
            origins,
            plugins,
        }
    }

    /// The ids of everything that may have capabilities.
    pub fn ids(&self) -> impl Iterator<Item = &Owner> {
        self.sets.keys()
    }

    /// Compares with the locked capabilities: one rule for everything, whatever it comes from.
    pub fn changes(&self, new: &Lockfile, before: &LockedBefore<'_>) -> CapabilityChanges {
        let locked = LockedCapabilities::of(before.lock);
        let ids = new
            .entries
            .iter()
            .map(|one| (Owner::from(one.id()), Some(one)));
        let layers = new.layers.iter().map(|one| (Owner::layer(&one.name), None));
        let states: Vec<(Owner, Option<&LockEntry>, EarlierCapabilities)> = ids
            .chain(layers)
            .map(|(id, entry)| {
                let state = locked.state(&id);
                (id, entry, state)
            })
            .collect();
        let mut as_locked = self.read_unlisted(&states, before);
        let mut changes = CapabilityChanges::default();
        for (id, entry, state) in states {
            let after = self.sets.get(&id).cloned().unwrap_or_default();
            let earlier = match state {
                EarlierCapabilities::New => None,
                EarlierCapabilities::Known(set) => Some(*set),
                EarlierCapabilities::Unlisted => {
                    let read = as_locked.remove(&id);
                    Some(read.unwrap_or_else(|| CapabilitySet::default_of(&id)))
                }
            };
            let is_as_locked = earlier
                .as_ref()
                .is_some_and(|earlier| earlier.to_locked() == after.to_locked());
            let is_empty = after.is_empty() && earlier.as_ref().is_none_or(CapabilitySet::is_empty);
            if is_as_locked || is_empty {
                continue;
            }
            let is_new = earlier.is_none();
            let change = CapabilityChange::new(id, earlier, after);
            let reason = self.reason(&change, entry, is_new, &locked, before);
            if let Some(reason) = reason
                && let Some(change) = self.to_approve(&change, reason)
            {
                changes.unapproved.push(UnapprovedChange { change, reason });
            }
            changes.all.push(change);
        }
        changes
    }

    /// The sets at the locked versions where the lockfile does not list them and something could be new.
    fn read_unlisted(
        &self,
        states: &[(Owner, Option<&LockEntry>, EarlierCapabilities)],
        before: &LockedBefore<'_>,
    ) -> BTreeMap<Owner, CapabilitySet> {
        let has_some = |id: &Owner| {
            let set = self.sets.get(id);
            set.is_some_and(|set| !set.is_empty())
        };
        let unlisted = states
            .iter()
            .filter(|(id, _, state)| *state == EarlierCapabilities::Unlisted && has_some(id));
        let unlisted: BTreeSet<Owner> = unlisted.map(|(id, ..)| id.clone()).collect();
        if unlisted.is_empty() {
            return BTreeMap::new();
        }
        (before.as_locked)(&unlisted)
    }

    /// Why the increase of an id needs approval; `None` if the manifest gives it.
    fn reason(
        &self,
        change: &CapabilityChange,
        entry: Option<&LockEntry>,
        is_new: bool,
        locked: &LockedCapabilities<'_>,
        before: &LockedBefore<'_>,
    ) -> Option<UnapprovedReason> {
        let by_policy =
            (before.mode == ExecutableMode::Approve).then_some(UnapprovedReason::Policy);
        let origin = self.origins.get(&change.id).copied();
        let origin = origin.unwrap_or(CapabilityOrigin::Required);
        if origin == CapabilityOrigin::Project {
            return by_policy;
        }
        match (origin, is_new) {
            (CapabilityOrigin::RequiredFile, false) => return by_policy,
            (CapabilityOrigin::Required, false) => return Some(UnapprovedReason::Required),
            (_, false) => return Some(UnapprovedReason::Grown),
            (_, true) => {}
        }
        // Naming something approves what it brings when the lockfile first meets the entry, and never later.
        let is_known = match origin {
            CapabilityOrigin::Project | CapabilityOrigin::Named => false,
            CapabilityOrigin::Matched => {
                let alias =
                    entry.and_then(|entry| Some((entry.kind, entry.manifest_alias.as_ref()?)));
                alias.is_some_and(|(kind, alias)| locked.has_pattern(kind, alias))
            }
            CapabilityOrigin::Base(file) => !before.new_bases.contains(&file),
            CapabilityOrigin::Required | CapabilityOrigin::RequiredFile => {
                return Some(UnapprovedReason::Required);
            }
        };
        if is_known {
            Some(UnapprovedReason::Grown)
        } else {
            by_policy
        }
    }

    /// The increase without what the project says itself; `None` if nothing is left.
    fn to_approve(
        &self,
        change: &CapabilityChange,
        reason: UnapprovedReason,
    ) -> Option<CapabilityChange> {
        let own = self.own.get(&change.id);
        let is_open = |one: &&CapabilityIncrease| match reason {
            UnapprovedReason::Policy => one.capability == CapabilityName::Runs,
            _ => own.is_none_or(|own| !own.contains(*one)),
        };
        let increase: Vec<CapabilityIncrease> =
            change.increase.iter().filter(is_open).cloned().collect();
        (!increase.is_empty()).then(|| CapabilityChange {
            increase,
            ..change.clone()
        })
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

fn origin_of(manifest: &Manifest, resolved: &ResolvedEntry) -> CapabilityOrigin {
    let entry = &resolved.entry;
    let is_in_project = match &entry.unit.origin {
        ResourceOrigin::Manifest => true,
        ResourceOrigin::Local => is_inner_path(entry.unit.path.as_str()),
        ResourceOrigin::Source(_) => false,
    };
    let Some(dependency) = entry.root.and_then(|root| manifest.dependencies.get(root)) else {
        return if is_in_project {
            CapabilityOrigin::RequiredFile
        } else {
            CapabilityOrigin::Required
        };
    };
    if manifest.base_entries.contains(&dependency.id()) {
        return CapabilityOrigin::Base(dependency.spot.source);
    }
    if is_in_project {
        CapabilityOrigin::Project
    } else if resolved.matched_pattern {
        CapabilityOrigin::Matched
    } else {
        CapabilityOrigin::Named
    }
}

/// The hook or server that the manifest names and that brings the plugin which it belongs to.
fn hook_of_plugin(resources: &[RenderedResource], number: usize) -> Option<&ResolvedEntry> {
    let plugin = &resources[number].resolved.entry;
    if plugin.kind != ResourceType::Plugins || plugin.root.is_some() {
        return None;
    }
    let all = resources.iter().map(|resource| &resource.resolved);
    all.filter(|one| one.entry.kind.is_merged() && one.entry.root.is_some())
        .find(|one| {
            one.entry.unit.origin == plugin.unit.origin
                && one.entry.needs.contains(&number)
                && is_within(one.entry.unit.path.as_str(), plugin.unit.path.as_str())
        })
}

fn is_within(path: &str, directory: &str) -> bool {
    directory == "."
        || path
            .strip_prefix(directory)
            .is_some_and(|rest| rest.starts_with('/'))
}

/// A layer that is a directory of the project changes with the manifest, in the same repository.
fn origin_of_layer(layer: &Layer, base_files: &BTreeSet<SourceId>) -> CapabilityOrigin {
    if base_files.contains(&layer.spot.source) {
        return CapabilityOrigin::Base(layer.spot.source);
    }
    match &layer.location {
        LayerLocation::Directory(path) if is_inner_path(path) => CapabilityOrigin::Project,
        LayerLocation::Directory(_) | LayerLocation::Source(..) => CapabilityOrigin::Named,
    }
}

/// Whether a path stays in the project.
fn is_inner_path(path: &str) -> bool {
    let inner = path.strip_prefix("./").unwrap_or(path);
    RelativePath::new(inner.trim_end_matches('/')).is_ok() && !path.starts_with('~')
}
