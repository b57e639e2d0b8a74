//! Resolves entries from the lockfile alone, once their bytes are known.

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use crate::ResourceEntry;
use agpm_diag::{Diagnostic, Failure, codes};
use agpm_model::outdated_lock;
use agpm_model::{
    InstallMode, LockEntry, LockedPlacement, Lockfile, Manifest, Pin, Requirement, ResourceOrigin,
    Unit, Variant, VersionLabel,
};

use crate::entries::ResolvedEntry;
use crate::index::{FoundContent, LOCAL, SourceIndex, SourceVersion};
use crate::lock_match::{RootFinder, numbers_by_reference};

/// The content of locked resources, besides the lockfile.
pub struct LockedContent<'a> {
    /// The manifest that they are installed for.
    pub manifest: &'a Manifest,
    /// The dependency of the manifest for each of them.
    pub roots: &'a [Option<usize>],
    /// The index with their bytes.
    pub index: &'a SourceIndex,
    /// The path of a local unit; `None` for one of a repository.
    pub file_of: &'a dyn Fn(&Unit) -> Option<PathBuf>,
}

impl LockedContent<'_> {
    /// One entry for each locked path of a resource. Fails if bytes differ from the locked ones.
    pub fn entries(&self, lock: &Lockfile) -> Result<Vec<ResolvedEntry>, Failure> {
        let mut entries = Vec::new();
        let mut copies = Vec::new();
        for (locked, root) in lock.entries.iter().zip(self.roots) {
            let of_locked = self.copies_of(locked, *root)?;
            copies.push(entries.len()..entries.len() + of_locked.len());
            entries.extend(of_locked);
        }
        link_needs(lock, &copies, &mut entries)?;
        spread_variants(self.manifest, &mut entries);
        Ok(entries)
    }

    fn copies_of(
        &self,
        locked: &LockEntry,
        root: Option<usize>,
    ) -> Result<Vec<ResolvedEntry>, Failure> {
        let name = locked.label();
        let Some(FoundContent::Resource(resource, needed)) =
            self.index.found(&locked.unit, locked.commit())
        else {
            let version = locked
                .version()
                .map_or("this machine", VersionLabel::as_str);
            let message = format!(
                "{name}: `{}` is not in {version}, as the lockfile says",
                locked.unit
            );
            return Err(Diagnostic::new(&codes::PACKAGE_NOT_FOUND, message)
                .help("run `agpm install`")
                .into());
        };
        if locked.checksum != Some(resource.checksum) {
            let message = format!(
                "{name}: `{}` does not match its locked checksum",
                locked.unit
            );
            let help =
                "someone changed the source or the lockfile: compare before you trust either";
            return Err(Diagnostic::new(&codes::LOCK_CHECKSUM, message)
                .help(help)
                .into());
        }
        if locked.placements.is_empty() {
            return Err(outdated_lock(format!(
                "{name} has no `tool` in the lockfile"
            )));
        }
        let copy = |entry| ResolvedEntry {
            entry,
            version: SourceVersion {
                label: locked
                    .version()
                    .cloned()
                    .unwrap_or_else(|| VersionLabel::new(LOCAL)),
                commit: locked.commit().cloned(),
            },
            requirements: requirements_of(locked),
            matched_pattern: locked.pattern.is_some(),
            resource: Arc::clone(resource),
            needs: Arc::clone(needed),
            file: (self.file_of)(&locked.unit),
            part_of: Vec::new(),
        };
        let entries = entries_at(locked, root).into_iter();
        Ok(entries.map(copy).collect())
    }
}

/// Tools with one path share an entry.
fn entries_at(locked: &LockEntry, root: Option<usize>) -> Vec<ResourceEntry> {
    let mut entries: Vec<ResourceEntry> = Vec::new();
    for LockedPlacement { tool, at } in &locked.placements {
        let same = |entry: &&mut ResourceEntry| at.is_some() && entry.target == *at;
        if let Some(entry) = entries.iter_mut().find(same) {
            entry.readers.push(tool.clone());
            continue;
        }
        entries.push(ResourceEntry {
            kind: locked.kind,
            name: locked.name.clone(),
            unit: locked.unit.clone(),
            root,
            tool: tool.clone(),
            readers: vec![tool.clone()],
            target: at.clone(),
            install: match at {
                Some(_) => locked.install,
                None => InstallMode::ResolveOnly,
            },
            variants: Vec::new(),
            needs: Vec::new(),
        });
    }
    entries
}

/// Every copy depends on the copy of a resource for one of the same tools, or else on the first one.
fn link_needs(
    lock: &Lockfile,
    copies: &[Range<usize>],
    entries: &mut [ResolvedEntry],
) -> Result<(), Failure> {
    let references = numbers_by_reference(lock);
    for (locked, own_copies) in lock.entries.iter().zip(copies) {
        for reference in &locked.dependencies {
            let Some(needed) = references.get(reference) else {
                return Err(outdated_lock(format!(
                    "{} needs {reference}, which is not in the lockfile",
                    locked.label()
                )));
            };
            let needed = copies[*needed].clone();
            for at in own_copies.clone() {
                let reads = |need: &usize| {
                    let readers = &entries[at].entry.readers;
                    let other_readers = &entries[*need].entry.readers;
                    other_readers.iter().any(|tool| readers.contains(tool))
                };
                let same: Vec<usize> = needed.clone().filter(reads).collect();
                let needs = if same.is_empty() {
                    needed.clone().take(1).collect()
                } else {
                    same
                };
                entries[at].entry.needs.extend(needs);
            }
        }
    }
    Ok(())
}

/// The manifest's entries have its variables, and their dependencies inherit them.
fn spread_variants(manifest: &Manifest, entries: &mut [ResolvedEntry]) {
    let mut queue: Vec<(usize, Variant)> = Vec::new();
    for (number, resolved) in entries.iter_mut().enumerate() {
        if let Some(root) = resolved.entry.root {
            let variant = manifest.dependencies[root].variant;
            resolved.entry.variants = vec![variant];
            queue.push((number, variant));
        }
    }
    while let Some((number, variant)) = queue.pop() {
        for need in entries[number].entry.needs.clone() {
            let child = &mut entries[need].entry;
            if child.root.is_none() && !child.variants.contains(&variant) {
                child.variants.push(variant);
                child.variants.sort();
                queue.push((need, variant));
            }
        }
    }
}

/// The part of a lockfile that can still be installed with the tools and inline servers of a manifest, whatever it
/// requires.
pub fn installable_part(lock: &Lockfile, manifest: &Manifest) -> Lockfile {
    let finder = RootFinder::new(manifest);
    let known_part = |locked: &LockEntry| {
        let mut locked = locked.clone();
        let kind = locked.kind;
        let has_place = |one: &LockedPlacement| manifest.tools.supports(&one.tool, kind);
        locked.placements.retain(has_place);
        let is_named =
            locked.unit.origin != ResourceOrigin::Manifest || finder.find(&locked).is_some();
        (!locked.placements.is_empty() && is_named).then_some(locked)
    };
    part_of_lock(lock, known_part)
}

/// A lockfile with some of its entries, and their dependencies on each other.
pub fn part_of_lock(lock: &Lockfile, part: impl Fn(&LockEntry) -> Option<LockEntry>) -> Lockfile {
    let mut entries: Vec<LockEntry> = lock.entries.iter().filter_map(part).collect();
    let references: BTreeSet<String> = entries.iter().map(LockEntry::reference).collect();
    for locked in &mut entries {
        locked
            .dependencies
            .retain(|needed| references.contains(needed));
    }
    Lockfile {
        sources: lock.sources.clone(),
        entries,
        ..Lockfile::default()
    }
}

/// The locked requirements, each once.
fn requirements_of(locked: &LockEntry) -> Vec<Requirement> {
    let pin = locked.pin.iter();
    let requirements: BTreeSet<Requirement> = pin.flat_map(Pin::parsed_requirements).collect();
    requirements.into_iter().collect()
}
