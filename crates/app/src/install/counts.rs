//! Counts the resources and files that a run changed.

use std::collections::{BTreeMap, BTreeSet};

use agpm_model::{Owner, RelativePath};
use agpm_plan::{ChangeAction, ChangeReason, PlannedChange};

/// The result for a resource, whatever happened to each of its files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ResourceOutcome {
    /// It is new, or was missing.
    Installed,
    /// Its files changed.
    Updated,
    /// Files of it were edited, and got the changes of the new version.
    Merged,
    /// Nothing requires it any more.
    Removed,
    /// Files of the user equal it, and are managed now.
    Adopted,
    /// Files of it were edited and are kept.
    Skipped,
    /// Files of the user are no longer managed.
    Released,
}

/// A number of resources with their files, and of files of layers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ResourceCount {
    /// The number of resources.
    pub resources: usize,
    /// The number of files that they are written to.
    pub files: usize,
    /// The number of files of layers.
    pub layer_files: usize,
}

/// The resources that a run changed, by outcome, and those that it did not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ResourceCounts {
    /// The changed ones; no count is zero.
    pub changed: BTreeMap<ResourceOutcome, ResourceCount>,
    /// The unchanged ones, without their files.
    pub unchanged: ResourceCount,
}

/// The resources before and after a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InstalledOwners {
    /// Those that were installed before.
    pub before: BTreeSet<Owner>,
    /// The resources that are installed afterwards.
    pub resources: BTreeSet<Owner>,
    /// The files of layers afterwards.
    pub layer_files: BTreeSet<RelativePath>,
}

impl InstalledOwners {
    /// Returns the number of changed resources and files.
    pub fn count(&self, changes: &[PlannedChange]) -> ResourceCounts {
        let mut own: BTreeMap<&Owner, Vec<&PlannedChange>> = BTreeMap::new();
        let mut layered: BTreeMap<&RelativePath, Vec<&PlannedChange>> = BTreeMap::new();
        for change in changes {
            if change.owner.layers().is_some() {
                layered.entry(&change.path).or_default().push(change);
            } else {
                own.entry(&change.owner).or_default().push(change);
            }
        }
        let mut counts = ResourceCounts::default();
        for (owner, changes) in &own {
            self.count_resource(owner, changes, &mut counts);
        }
        for changes in layered.values() {
            let outcome = layer_file_outcome(changes);
            counts.changed.entry(outcome).or_default().layer_files += 1;
        }
        for owner in &self.resources {
            if !own.contains_key(owner) {
                counts.unchanged.resources += 1;
            }
        }
        for path in &self.layer_files {
            if !layered.contains_key(path) {
                counts.unchanged.layer_files += 1;
            }
        }
        counts
    }

    /// Adds one resource: once for everything that is written or removed, and once for each way in which the rest is left
    /// as it is. A resource with an edited file is therefore both updated and skipped.
    fn count_resource(
        &self,
        owner: &Owner,
        changes: &[&PlannedChange],
        counts: &mut ResourceCounts,
    ) {
        let mut written = Vec::new();
        let mut left: BTreeMap<ResourceOutcome, Vec<&PlannedChange>> = BTreeMap::new();
        for change in changes {
            if change.action.changes_disk() {
                written.push(*change);
            } else {
                let outcome = outcome_of(change.action);
                left.entry(outcome).or_default().push(change);
            }
        }
        if !written.is_empty() {
            counts.add_resource(self.written_outcome(owner, &written), &written);
            // A file that is adopted next to files that are written belongs to one installation.
            left.remove(&ResourceOutcome::Adopted);
        }
        for (outcome, changes) in &left {
            counts.add_resource(*outcome, changes);
        }
    }

    fn written_outcome(&self, owner: &Owner, written: &[&PlannedChange]) -> ResourceOutcome {
        let mut actions = written.iter().map(|change| change.action);
        let is_removed = actions.clone().all(|action| action == ChangeAction::Remove);
        // An update that only removes files keeps the resource.
        if is_removed && !self.resources.contains(owner) {
            return ResourceOutcome::Removed;
        }
        if actions.any(|action| action == ChangeAction::Merge) {
            return ResourceOutcome::Merged;
        }
        if !self.before.contains(owner) {
            return ResourceOutcome::Installed;
        }
        // Whoever deleted its files and runs `install` expects to read that it is installed, not that it has a new version.
        let is_restored = written.iter().all(|change| {
            change.action == ChangeAction::Create && change.reason == ChangeReason::WasMissing
        });
        if is_restored {
            ResourceOutcome::Installed
        } else {
            ResourceOutcome::Updated
        }
    }
}

impl ResourceCounts {
    fn add_resource(&mut self, outcome: ResourceOutcome, changes: &[&PlannedChange]) {
        let count = self.changed.entry(outcome).or_default();
        count.resources += 1;
        count.files += count_files(changes);
    }
}

/// The outcome for a file of layers. A key that comes or goes changes the file that it is in.
fn layer_file_outcome(changes: &[&PlannedChange]) -> ResourceOutcome {
    let mut outcome = None;
    for change in changes {
        let is_in_file = change.inner_pointer().is_some() || change.block.is_some();
        if is_in_file && change.action.changes_disk() {
            return ResourceOutcome::Updated;
        }
        let own = outcome_of(change.action);
        outcome = Some(outcome.map_or(own, |earlier: ResourceOutcome| earlier.min(own)));
    }
    outcome.unwrap_or(ResourceOutcome::Updated)
}

fn outcome_of(action: ChangeAction) -> ResourceOutcome {
    match action {
        ChangeAction::Create => ResourceOutcome::Installed,
        ChangeAction::Update => ResourceOutcome::Updated,
        ChangeAction::Merge => ResourceOutcome::Merged,
        ChangeAction::Remove => ResourceOutcome::Removed,
        ChangeAction::Adopt => ResourceOutcome::Adopted,
        ChangeAction::Keep => ResourceOutcome::Skipped,
        ChangeAction::Release => ResourceOutcome::Released,
    }
}

fn count_files(changes: &[&PlannedChange]) -> usize {
    let paths: BTreeSet<&RelativePath> = changes.iter().map(|change| &change.path).collect();
    paths.len()
}

#[cfg(test)]
mod tests {
    use agpm_model::ObservedPath;

    use super::*;

    fn change(
        owner: &str,
        path: &str,
        action: ChangeAction,
        reason: ChangeReason,
    ) -> PlannedChange {
        PlannedChange {
            action,
            path: RelativePath::new(path).expect("a good path"),
            owner: owner.into(),
            reason,
            pointer: None,
            block: None,
            before: ObservedPath::Missing,
            content: None,
        }
    }

    fn owners(before: &[&str], after: &[&str]) -> InstalledOwners {
        let set = |names: &[&str]| names.iter().map(|name| Owner::from(*name)).collect();
        InstalledOwners {
            before: set(before),
            resources: set(after),
            layer_files: BTreeSet::new(),
        }
    }

    fn outcomes(
        owners: &InstalledOwners,
        changes: &[PlannedChange],
    ) -> Vec<(ResourceOutcome, [usize; 2])> {
        let counts = owners.count(changes).changed.into_iter();
        counts
            .map(|(outcome, count)| (outcome, [count.resources, count.files]))
            .collect()
    }

    #[test]
    fn a_resource_is_counted_once_whatever_happens_to_its_files() {
        use ChangeAction::{Create, Keep, Remove, Update};
        use ChangeReason::{Content, Edited, New, Unasked, WasMissing};
        let (a, b, c) = ("x/a", "x/b", "x/c");
        for (before, after, changes, expected) in [
            // A new version adds a file and changes another one.
            (
                &["skills/x"][..],
                &["skills/x"][..],
                vec![(a, Create, New), (b, Update, Content)],
                vec![(ResourceOutcome::Updated, [1, 2])],
            ),
            // It only adds a file, or only removes one.
            (
                &["skills/x"],
                &["skills/x"],
                vec![(a, Create, New)],
                vec![(ResourceOutcome::Updated, [1, 1])],
            ),
            (
                &["skills/x"],
                &["skills/x"],
                vec![(a, Remove, Unasked)],
                vec![(ResourceOutcome::Updated, [1, 1])],
            ),
            (
                &[],
                &["skills/x"],
                vec![(a, Create, New), (b, Create, New), (c, Create, New)],
                vec![(ResourceOutcome::Installed, [1, 3])],
            ),
            (
                &["skills/x"],
                &["skills/x"],
                vec![(a, Create, WasMissing)],
                vec![(ResourceOutcome::Installed, [1, 1])],
            ),
            (
                &["skills/x"],
                &[],
                vec![(a, Remove, Unasked), (b, Remove, Unasked)],
                vec![(ResourceOutcome::Removed, [1, 2])],
            ),
            (
                &["skills/x"],
                &["skills/x"],
                vec![(a, Update, Content), (b, Keep, Edited)],
                vec![
                    (ResourceOutcome::Updated, [1, 1]),
                    (ResourceOutcome::Skipped, [1, 1]),
                ],
            ),
        ] {
            let changes: Vec<PlannedChange> = changes
                .into_iter()
                .map(|(path, action, reason)| change("skills/x", path, action, reason))
                .collect();
            assert_eq!(outcomes(&owners(before, after), &changes), expected);
        }
    }

    #[test]
    fn a_key_of_a_layer_is_not_a_file() {
        let removed = |pointer: Option<&str>| {
            let path = ".claude/settings.json";
            let change = change(
                "layers/org",
                path,
                ChangeAction::Remove,
                ChangeReason::Unasked,
            );
            let pointer = pointer.map(|pointer| pointer.parse().expect("a pointer"));
            let counts = owners(&[], &[]).count(&[PlannedChange { pointer, ..change }]);
            counts.changed.into_keys().collect::<Vec<_>>()
        };
        assert_eq!(removed(Some("/env/A")), [ResourceOutcome::Updated]);
        assert_eq!(removed(None), [ResourceOutcome::Removed]);
    }

    #[test]
    fn what_no_change_is_about_is_unchanged() {
        let all = owners(&["agents/a", "agents/b"], &["agents/a", "agents/b"]);
        let update = change(
            "agents/a",
            "a.md",
            ChangeAction::Update,
            ChangeReason::Content,
        );
        assert_eq!(all.count(&[update]).unchanged.resources, 1);
        assert_eq!(all.count(&[]).unchanged.resources, 2);
    }
}
