//! Compares the capabilities of the old and the new lockfile.

use std::collections::{BTreeMap, BTreeSet};

use agpm_model::{LOCK_NAME, LockedCapabilitySet, Lockfile, Owner, ResourceName, ResourceType};
use agpm_trust::CapabilitySet;

/// The locked capabilities, by id.
pub struct LockedCapabilities<'l> {
    sets: BTreeMap<Owner, &'l LockedCapabilitySet>,
    /// The patterns of the manifest that matched something.
    patterns: BTreeSet<(ResourceType, &'l ResourceName)>,
}

/// The capabilities of an id in a lockfile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EarlierCapabilities {
    /// It does not have the id.
    New,
    /// It has this set, boxed because the other states are empty.
    Known(Box<CapabilitySet>),
    /// An older program wrote it: they are known only from the content.
    Unlisted,
}

impl<'l> LockedCapabilities<'l> {
    /// The capabilities of a lockfile; empty without one.
    pub fn of(lock: Option<&'l Lockfile>) -> Self {
        let entries = lock.iter().flat_map(|lock| &lock.entries);
        let patterns = entries.filter_map(|one| Some((one.kind, one.manifest_alias.as_ref()?)));
        LockedCapabilities {
            patterns: patterns.collect(),
            sets: lock
                .iter()
                .flat_map(|lock| lock.capability_sets())
                .collect(),
        }
    }

    /// The locked capabilities of an id, whatever file, source or version it had.
    pub fn state(&self, id: &Owner) -> EarlierCapabilities {
        match self.sets.get(id) {
            None => EarlierCapabilities::New,
            Some(LockedCapabilitySet::Listed(lines)) => {
                EarlierCapabilities::Known(Box::new(CapabilitySet::from_locked(id, lines)))
            }
            Some(LockedCapabilitySet::None | LockedCapabilitySet::Digest(_)) => {
                EarlierCapabilities::Unlisted
            }
        }
    }

    /// Whether a pattern matched something when the lockfile was written.
    pub fn has_pattern(&self, kind: ResourceType, alias: &ResourceName) -> bool {
        self.patterns.contains(&(kind, alias))
    }
}

/// The difference between the capabilities and the locked ones, as users read it; `None` if they fit. The
/// lockfile of an older program fits if its digest does, or if it has none.
pub fn capability_difference(old: &Lockfile, new: &Lockfile) -> Option<String> {
    let locked: BTreeMap<Owner, &LockedCapabilitySet> = old.capability_sets().collect();
    let is_listed = old.lists_capabilities();
    let fits = |id: &Owner, now: &LockedCapabilitySet| match (locked.get(id), now) {
        (Some(LockedCapabilitySet::Digest(digest)), LockedCapabilitySet::Listed(lines)) => {
            CapabilitySet::from_locked(id, lines).older_digest() == *digest
        }
        (Some(LockedCapabilitySet::Digest(_)), _) => false,
        (Some(LockedCapabilitySet::None), now) => !is_listed || !now.lists_some(),
        (Some(listed), now) => *listed == now,
        // Which entries there are is compared elsewhere.
        (None, _) => true,
    };
    let (id, _) = new.capability_sets().find(|(id, now)| !fits(id, now))?;
    Some(format!(
        "`{LOCK_NAME}` has other capabilities for {id} than its content"
    ))
}

/// Whether a lockfile lacks the list of some capabilities.
pub fn lacks_capabilities(old: &Lockfile, new: &Lockfile) -> bool {
    let has_digest =
        |(_, set): (Owner, &LockedCapabilitySet)| matches!(set, LockedCapabilitySet::Digest(_));
    let lists_some = new.capability_sets().any(|(_, set)| set.lists_some());
    !old.lists_capabilities() && (lists_some || old.capability_sets().any(has_digest))
}
