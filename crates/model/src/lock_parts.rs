//! The shared and the private part of what is locked.

use std::collections::{BTreeMap, BTreeSet};

use crate::lock::{LockEntry, Lockfile};
use crate::name::ResourceName;
use crate::resource::ResourceType;
use crate::unit::Unit;

impl Lockfile {
    /// Whether nothing is locked.
    pub fn is_empty(&self) -> bool {
        self.bases.is_empty()
            && self.layers.is_empty()
            && self.catalog.is_empty()
            && self.entries.is_empty()
    }

    /// What is locked here and not in the same way in the shared lockfile.
    #[must_use]
    pub fn without_shared(&self, shared: &Lockfile) -> Lockfile {
        let known: BTreeMap<EntryKey<'_>, &LockEntry> = shared
            .entries
            .iter()
            .map(|one| (key_of(one), one))
            .collect();
        let entries = self.entries.iter();
        let entries = entries.filter(|one| known.get(&key_of(one)) != Some(one));
        let entries = entries.cloned().collect();
        let layers = self.layers.iter();
        let layers = layers.filter(|one| !shared.layers.contains(one));
        let sources = self.sources.iter();
        let sources = sources.filter(|one| !shared.sources.contains(one));
        Lockfile {
            sources: sources.cloned().collect(),
            layers: layers.cloned().collect(),
            entries,
            ..Lockfile::default()
        }
    }

    /// Everything that is locked: the shared part, and the private one, which may add to a shared resource.
    #[must_use]
    pub fn with_private(mut self, private: &Lockfile) -> Lockfile {
        let by_name: BTreeSet<EntryKey<'_>> = private.entries.iter().map(key_of).collect();
        let by_file: BTreeMap<(ResourceType, &Unit), &LockEntry> = private
            .entries
            .iter()
            .map(|one| ((one.kind, &one.unit), one))
            .collect();
        self.entries.retain(|shared| {
            let same_file = by_file.get(&(shared.kind, &shared.unit));
            !by_name.contains(&key_of(shared))
                && !same_file.is_some_and(|private| has_new_name(private, shared))
        });
        self.entries.extend(private.entries.iter().cloned());
        self.entries.sort_by(|a, b| key_of(a).cmp(&key_of(b)));
        self.layers
            .retain(|shared| !private.layers.iter().any(|one| one.name == shared.name));
        self.layers.extend(private.layers.iter().cloned());
        self.sources
            .retain(|shared| !private.sources.iter().any(|one| one.name == shared.name));
        self.sources.extend(private.sources.iter().cloned());
        self.sources.sort_by(|a, b| a.name.cmp(&b.name));
        self
    }
}

type EntryKey<'a> = (ResourceType, &'a ResourceName);

fn key_of(entry: &LockEntry) -> EntryKey<'_> {
    (entry.kind, &entry.name)
}

/// Whether a shared resource is locked under another name here: a private resource has its own one.
fn has_new_name(private: &LockEntry, shared: &LockEntry) -> bool {
    let paths = shared.paths();
    !paths.is_empty() && paths.is_subset(&private.paths())
}

#[cfg(test)]
mod tests {
    use agpm_text::{Format, parse_alone};

    use super::*;

    fn lock(entries: &[(&str, &str, &str)]) -> Lockfile {
        let mut text = "version = 1\n".to_owned();
        for (kind, name, tools) in entries {
            text.push_str(&format!(
                "\n[[{kind}]]\nname = \"{name}\"\npath = \"{name}.md\"\nchecksum = \"sha256:{}\"\ntools = [{tools}]\ndependencies = []\n",
                "0".repeat(64)
            ));
        }
        let (lock, found) = Lockfile::read(&parse_alone(text, Format::Toml).document);
        assert!(found.is_empty(), "{found:?}");
        lock
    }

    fn labels(lock: &Lockfile) -> Vec<String> {
        lock.entries.iter().map(LockEntry::label).collect()
    }

    #[test]
    fn both_parts_together_are_everything() {
        let shared = lock(&[("agents", "b", "\"codex\""), ("snippets", "s", "\"agpm\"")]);
        let all = lock(&[
            ("agents", "a", "\"codex\""),
            ("agents", "b", "\"codex\""),
            ("snippets", "s", "\"agpm\", \"codex\""),
            ("skills", "k", "\"codex\""),
        ]);
        let private = all.without_shared(&shared);
        assert_eq!(labels(&private), ["agents/a", "snippets/s", "skills/k"]);
        assert_eq!(shared.with_private(&private), all);
    }

    #[test]
    fn nothing_private_changes_nothing() {
        let shared = lock(&[("agents", "b", "\"codex\"")]);
        let private = shared.without_shared(&shared);
        assert!(private.is_empty());
        assert_eq!(shared.clone().with_private(&private), shared);
    }
}
