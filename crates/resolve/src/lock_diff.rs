//! Compares the old and the new lockfile.

use std::collections::{BTreeMap, BTreeSet};

use agpm_diag::{Diagnostic, Failure, FailureKind, Severity, codes};
use agpm_model::{
    InstallMode, InstallScope, LOCK_NAME, LockEntry, LockWriter, LockedCapabilitySet, LockedPin,
    Lockfile, Manifest, Pin, PinId, RelativePath, ResourceId, ResourceName, ResourceType, Tool,
    Tools, Unit, VersionRequirement,
};

use crate::lock_capabilities::capability_difference;
use crate::target::could_install_at;

/// Refuses a lockfile with paths where no tool of the manifest installs anything, unless an earlier install wrote
/// there: anyone who can change the lockfile could choose which files of the project are deleted.
pub fn refuse_foreign_paths(
    lock: &Lockfile,
    manifest: &Manifest,
    scope: InstallScope,
    is_recorded: &dyn Fn(&RelativePath) -> bool,
) -> Result<(), Failure> {
    let built_in = Tools::in_scope(scope);
    let is_foreign = |locked: &LockEntry, path: &RelativePath| {
        let could_install = |tool: &Tool| could_install_at(tool, locked.kind, path);
        !is_recorded(path)
            && !manifest
                .tools
                .iter()
                .chain(built_in.iter())
                .any(could_install)
    };
    // An entry in place never writes or removes anything, whatever its path.
    let mut entries = lock
        .entries
        .iter()
        // An older program has other directories; nothing is deleted outside of them either.
        .filter(|locked| {
            locked.install != InstallMode::InPlace && locked.writer == LockWriter::Agpm
        });
    let foreign_path = |locked: &LockEntry| {
        let path = locked
            .paths()
            .into_iter()
            .find(|path| is_foreign(locked, path));
        path.cloned()
    };
    let Some((locked, at)) = entries.find_map(|locked| Some((locked, foreign_path(locked)?)))
    else {
        return Ok(());
    };
    let message = format!(
        "`{LOCK_NAME}` has {} at `{at}`, but no tool installs it there",
        locked.label()
    );
    let help =
        "restore the lockfile with `git checkout agpm.lock`, or delete it and run `agpm install`";
    let diagnostic = Diagnostic::new(&codes::LOCK_BROKEN, message)
        .in_file(LOCK_NAME)
        .help(help);
    Err(Failure::new(FailureKind::Lock, diagnostic))
}

/// The shared changes of a lockfile, as users read them; `None` if there are none.
pub fn lock_difference(old: &Lockfile, new: &Lockfile) -> Option<String> {
    let (old, new) = (shared_part(old), shared_part(new));
    (old != new).then(|| difference(&old, &new))
}

/// The same for a lockfile that was derived from the old one alone. Nothing was resolved for it, so it lacks the
/// requirements of transitive resources.
pub fn frozen_difference(old: &Lockfile, new: &Lockfile) -> Option<String> {
    let mut new = new.clone();
    let mut locked: BTreeMap<ResourceId, &LockEntry> = BTreeMap::new();
    for was in &old.entries {
        locked.entry(was.id()).or_insert(was);
    }
    for entry in &mut new.entries {
        let was = locked.get(&entry.id()).and_then(|was| was.pin.as_ref());
        if let (Some(pin), Some(was)) = (entry.pin.as_mut(), was) {
            pin.requirement = was.requirement.clone();
        }
    }
    lock_difference(old, &new)
        .or_else(|| version_misfit(old))
        .or_else(|| capability_difference(old, &new))
}

/// A version that does not satisfy its requirement: someone changed one of them. Pre-releases are not checked, because
/// they depend on which other versions existed.
fn version_misfit(lock: &Lockfile) -> Option<String> {
    let is_misfit = |one: &LockedPin<'_>| {
        let version = &one.pin.version;
        let parts = one.pin.requirements();
        let ranges = parts.filter_map(|part| VersionRequirement::parse(part).ok());
        let mut ranges = ranges.filter(VersionRequirement::is_range);
        version.is_stable() && ranges.any(|range| !range.allows(version))
    };
    let misfit = lock.pins().find(is_misfit)?;
    let LockedPin { id, pin } = misfit;
    let requirement = pin.requirement.as_deref().unwrap_or_default();
    Some(format!(
        "`{LOCK_NAME}` has {id} at {}, which `{requirement}` does not allow",
        pin.version
    ))
}

/// The part that is the same for everyone: private patches belong to one user. Capabilities are compared separately.
fn shared_part(lock: &Lockfile) -> Lockfile {
    let mut lock = lock.clone();
    for entry in &mut lock.entries {
        let private = std::mem::take(&mut entry.private_patches);
        entry.patches.retain(|field| !private.contains(field));
        entry.capabilities = LockedCapabilitySet::None;
    }
    for layer in &mut lock.layers {
        layer.capabilities = LockedCapabilitySet::None;
    }
    lock
}

/// Warnings about resources whose bytes differ from the locked ones. A commit never changes, so someone changed the
/// lockfile.
pub fn checksum_findings(old: &Lockfile, new: &Lockfile) -> Vec<Diagnostic> {
    let mut before: BTreeMap<&ResourceName, Vec<&LockEntry>> = BTreeMap::new();
    for was in &old.entries {
        before.entry(&was.name).or_default().push(was);
    }
    let mut findings = Vec::new();
    for now in &new.entries {
        let same_name = before.get(&now.name).into_iter().flatten();
        let was = same_name.copied().find(|was| is_same_pin(was, now));
        if was.is_some_and(|was| was.checksum != now.checksum) {
            let message = format!(
                "the checksum of {} in `{LOCK_NAME}` does not match its source",
                now.label()
            );
            let mut found = Diagnostic::new(&codes::LOCK_CHECKSUM, message)
                .help("the lockfile was changed; agpm writes it again from the source");
            found.severity = Severity::Warning;
            findings.push(found);
        }
    }
    findings
}

fn is_same_pin(was: &LockEntry, now: &LockEntry) -> bool {
    was.unit == now.unit
        && was.commit().is_some()
        && was.commit() == now.commit()
        && was.requirement().is_some()
}

/// A pin that has different commits in the two lockfiles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MovedPin<'l> {
    /// The subject of the pin.
    pub id: PinId,
    /// The old pin.
    pub old: &'l Pin,
    /// The new pin.
    pub new: &'l Pin,
}

/// The pins whose commits differ between two lockfiles. A resource that is a different file of its source now did not
/// move.
pub fn moved_pins<'l>(old: &'l Lockfile, new: &'l Lockfile) -> Vec<MovedPin<'l>> {
    let before: BTreeMap<PinId, &Pin> = old.pins().map(|one| (one.id, one.pin)).collect();
    let units: BTreeSet<&Unit> = old.entries.iter().map(|locked| &locked.unit).collect();
    let replaced: BTreeSet<PinId> = new
        .entries
        .iter()
        .filter(|locked| !units.contains(&locked.unit))
        .map(|locked| PinId::Resource(locked.id()))
        .collect();
    let mut moved = Vec::new();
    for LockedPin { id, pin } in new.pins() {
        let was = before
            .get(&id)
            .copied()
            .filter(|was| was.source == pin.source && was.commit != pin.commit);
        if let Some(old) = was.filter(|_| !replaced.contains(&id)) {
            moved.push(MovedPin { id, old, new: pin });
        }
    }
    moved
}

/// The first entry that the old lockfile does not have like this.
fn changed_entry<'l>(old: &Lockfile, new: &'l Lockfile) -> Option<&'l LockEntry> {
    let mut same_id: BTreeMap<ResourceId, Vec<&LockEntry>> = BTreeMap::new();
    for was in &old.entries {
        same_id.entry(was.id()).or_default().push(was);
    }
    let is_changed = |now: &&LockEntry| {
        let was = same_id.get(&now.id());
        !was.is_some_and(|was| was.contains(now))
    };
    new.entries.iter().find(is_changed)
}

fn difference(old: &Lockfile, new: &Lockfile) -> String {
    let key = |locked: &LockEntry| (locked.kind, locked.name.clone());
    let keys = |lock: &Lockfile| lock.entries.iter().map(key).collect::<BTreeSet<_>>();
    let (was, is) = (keys(old), keys(new));
    let name = |(kind, name): &(ResourceType, ResourceName)| format!("{kind}/{name}");
    let change = if let Some(added) = is.difference(&was).next() {
        format!("{} would be added", name(added))
    } else if let Some(removed) = was.difference(&is).next() {
        format!("{} would be removed", name(removed))
    } else if let Some(changed) = changed_entry(old, new) {
        format!("{} differs from the lockfile", name(&key(changed)))
    } else if let Some(changed) = new.bases.iter().find(|base| !old.bases.contains(base)) {
        format!("{} differs from the lockfile", changed.name().label())
    } else if let Some(gone) = old.bases.iter().find(|base| !new.bases.contains(base)) {
        format!("{} would be removed", gone.name().label())
    } else if old.bases != new.bases {
        "the order of the bases differs".to_owned()
    } else if let Some(changed) = new.layers.iter().find(|layer| !old.layers.contains(layer)) {
        format!("{} differs from the lockfile", changed.name.label())
    } else if let Some(gone) = old.layers.iter().find(|layer| !new.layers.contains(layer)) {
        format!("{} would be removed", gone.name.label())
    } else if old.layers != new.layers {
        "the order of the layers differs".to_owned()
    } else if let Some(changed) = new
        .catalog
        .iter()
        .find(|remote| !old.catalog.contains(remote))
    {
        format!("{} differs from the lockfile", changed.remote().label())
    } else if let Some(gone) = old
        .catalog
        .iter()
        .find(|remote| !new.catalog.contains(remote))
    {
        format!("{} would be removed", gone.remote().label())
    } else if old.catalog != new.catalog {
        "the order of the catalog remotes differs".to_owned()
    } else {
        "its sources differ from the manifest".to_owned()
    };
    format!("`{LOCK_NAME}` would change: {change}")
}

#[cfg(test)]
mod tests {
    use agpm_model::{
        Checksum, InstallMode, LockedPlacement, PinSource, ResourceOrigin, ResourcePath,
        SourceName, ToolName, VersionLabel,
    };

    use super::*;

    fn locked(name: &str, commit: char) -> LockEntry {
        let source = SourceName::new("team").unwrap();
        let path = ResourcePath::in_source(&format!("agents/{name}.md")).unwrap();
        LockEntry {
            kind: ResourceType::Agents,
            name: ResourceName::new(name).unwrap(),
            manifest_alias: None,
            pattern: None,
            unit: Unit {
                origin: ResourceOrigin::Source(source.clone()),
                path,
                extent: ResourceType::Agents.extent(),
                marketplace: None,
            },
            pin: Some(Pin {
                source: PinSource::Named(source),
                requirement: Some("^1".to_owned()),
                version: VersionLabel::new("v1.0.0"),
                commit: commit.to_string().repeat(40).parse().unwrap(),
            }),
            checksum: Some(Checksum::of(&[commit as u8])),
            capabilities: LockedCapabilitySet::None,
            widened: Vec::new(),
            placements: vec![LockedPlacement {
                tool: ToolName::new("claude-code").unwrap(),
                at: Some(RelativePath::new(&format!(".claude/agents/{name}.md")).unwrap()),
            }],
            dependencies: Vec::new(),
            patches: Vec::new(),
            private_patches: Vec::new(),
            dropped_patches: Vec::new(),
            install: InstallMode::Write,
            parts: Vec::new(),
            marketplace: None,
            writer: LockWriter::Agpm,
        }
    }

    fn lock(entries: impl IntoIterator<Item = LockEntry>) -> Lockfile {
        Lockfile {
            entries: entries.into_iter().collect(),
            ..Lockfile::default()
        }
    }

    #[test]
    fn a_difference_names_the_first_resource_that_differs() {
        let old = lock([locked("a", '1'), locked("b", '1')]);
        for (new, words) in [
            (
                lock([locked("a", '1'), locked("b", '1'), locked("c", '1')]),
                "agents/c would be added",
            ),
            (lock([locked("b", '1')]), "agents/a would be removed"),
            (
                lock([locked("a", '1'), locked("b", '2')]),
                "agents/b differs from the lockfile",
            ),
        ] {
            let found = lock_difference(&old, &new).unwrap();
            assert_eq!(found, format!("`agpm.lock` would change: {words}"));
        }
        assert_eq!(lock_difference(&old, &old), None);
    }

    #[test]
    fn private_patches_are_not_difference() {
        let mut patched = locked("a", '1');
        patched.patches = vec!["model".to_owned(), "color".to_owned()];
        let public = lock([patched.clone()]);
        patched.private_patches = vec!["color".to_owned()];
        let private = lock([patched.clone()]);
        patched.private_patches.clear();
        patched.patches = vec!["model".to_owned()];
        let without = lock([patched]);
        assert_eq!(lock_difference(&private, &without), None);
        assert_eq!(lock_difference(&private, &without), None);
        assert!(lock_difference(&public, &without).is_some());
    }

    #[test]
    fn a_pin_moves_with_its_commit_unless_it_is_of_another_file() {
        let old = lock([locked("a", '1'), locked("b", '1')]);
        let mut replaced = locked("b", '2');
        replaced.unit.path = ResourcePath::in_source("agents/other.md").unwrap();
        let new = lock([locked("a", '2'), replaced]);
        let ids: Vec<PinId> = moved_pins(&old, &new)
            .into_iter()
            .map(|one| one.id)
            .collect();
        assert_eq!(ids, [PinId::Resource(new.entries[0].id())]);
        assert!(moved_pins(&old, &old).is_empty());
    }

    #[test]
    fn other_bytes_of_the_same_commit_are_reported() {
        let old = lock([locked("a", '1'), locked("b", '1')]);
        let mut new = lock([locked("a", '1'), locked("b", '2')]);
        assert!(checksum_findings(&old, &new).is_empty());
        new.entries[0].checksum = Some(Checksum::of(b"other"));
        let found = checksum_findings(&old, &new);
        assert_eq!(found.len(), 1);
        assert!(found[0].message.starts_with("the checksum of agents/a"));
    }

    #[test]
    fn a_path_where_no_tool_installs_is_refused_unless_it_is_recorded() {
        let good = lock([locked("a", '1')]);
        let mut bad = good.clone();
        let foreign = RelativePath::new("src/main.rs").unwrap();
        bad.entries[0].placements[0].at = Some(foreign.clone());
        let manifest = Manifest::default();
        let refuse = |lock: &Lockfile, is_recorded: &dyn Fn(&RelativePath) -> bool| {
            refuse_foreign_paths(lock, &manifest, InstallScope::Project, is_recorded).is_err()
        };
        assert!(!refuse(&good, &|_| false));
        assert!(refuse(&bad, &|_| false));
        assert!(!refuse(&bad, &|path| *path == foreign));
    }
}
