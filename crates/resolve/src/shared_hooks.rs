//! Hooks that one file has for two tools, because one of them also runs the hooks of the other.

use std::collections::BTreeMap;

use agpm_model::{InstallMode, LockedPlacement, ResourceType};
use agpm_tools::{ForeignReading, REFERENCE_VARIABLES, find};

use crate::entries::ResolvedEntry;

/// Removes the copies of hooks for tools that run them from the file of another tool, which serves both.
pub(crate) fn share_hooks(entries: &mut Vec<ResolvedEntry>) {
    let hosts: BTreeMap<usize, usize> = (0..entries.len())
        .filter_map(|number| Some((number, host_of(entries, number)?)))
        .collect();
    if hosts.is_empty() {
        return;
    }
    for (number, host) in &hosts {
        let readers = entries[*number].entry.readers.clone();
        let shared = &mut entries[*host].entry;
        shared.readers.extend(readers);
        shared.readers.sort();
        shared.readers.dedup();
    }
    let kept = (0..entries.len()).filter(|number| !hosts.contains_key(number));
    let position: BTreeMap<usize, usize> = kept
        .enumerate()
        .map(|(now, before)| (before, now))
        .collect();
    let mut number = 0;
    entries.retain(|_| {
        number += 1;
        position.contains_key(&(number - 1))
    });
    for resolved in entries {
        for need in &mut resolved.entry.needs {
            let own = hosts.get(need).unwrap_or(need);
            *need = position[own];
        }
    }
}

/// The entry of a hook for the tool whose file this entry's tool always runs.
fn host_of(entries: &[ResolvedEntry], number: usize) -> Option<usize> {
    let resolved = &entries[number];
    let entry = &resolved.entry;
    if entry.kind != ResourceType::Hooks || entry.install != InstallMode::Write {
        return None;
    }
    let foreign = find(entry.tool.as_str())?.foreign_hooks?;
    if foreign.reading != ForeignReading::Always {
        return None;
    }
    entries.iter().position(|other| {
        other.id() == resolved.id()
            && other.entry.unit == entry.unit
            && other.entry.tool.as_str() == foreign.tool
            && other.entry.install == InstallMode::Write
            && is_portable(other)
    })
}

/// Whether a hook runs without the variables that only its own tool sets.
fn is_portable(hook: &ResolvedEntry) -> bool {
    let text = String::from_utf8_lossy(&hook.resource.main.bytes);
    !text.contains(REFERENCE_VARIABLES)
}

/// Whether a hook is locked in the file of another tool, which serves both.
pub(crate) fn is_served(locked: &LockedPlacement, placements: &[LockedPlacement]) -> bool {
    let Some(foreign) = find(locked.tool.as_str()).and_then(|tool| tool.foreign_hooks) else {
        return false;
    };
    let mut others = placements.iter();
    foreign.reading == ForeignReading::Always
        && others.any(|other| other.tool.as_str() == foreign.tool && other.at == locked.at)
}
