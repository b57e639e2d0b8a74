//! Entries out of the lockfile alone: nothing is resolved, and every byte is checked.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use agpm_diag::{Diagnostic, Failure, Notes, codes};
use agpm_model::{
    Checksum, Dependency, InstallMode, LockEntry, LockedPlacement, Lockfile, Manifest, Patch,
    PatchScope, Pin, RelativePath, ResourceExtent, ResourceId, ResourceName, ResourceOrigin,
    ResourceType, ToolName, Unit, Variant,
};
use agpm_plan::outdated_lock as outdated;
use agpm_plan::{ResourceEntry, TargetRequest, placements};

use crate::packages::fetch::{Fetcher, inline_bytes};
use crate::packages::marketplaces::marketplace_entries;
use crate::packages::sources::Sources;
use crate::reading::limit;
use crate::world::World;
use agpm_resolve::{
    FoundContent, MissingFact, ResolvedEntry, ResourceFiles, SourceFile, SourceIndex,
    SourceVersion, expand_plugins, fold_foreign_dependencies, format_of, report_moved_tags,
};

/// The locked entries with their bytes.
pub(crate) fn entries(
    world: &World,
    manifest: &Manifest,
    sources: &Sources,
    lock: &Lockfile,
    notes: &mut Notes,
) -> Result<Vec<ResolvedEntry>, Failure> {
    let entries = with_bytes(
        world,
        (manifest, sources),
        lock,
        roots(manifest, lock)?,
        notes,
    )?;
    declared_as_locked(manifest, &entries)?;
    parts_as_locked(lock, &entries)?;
    Ok(entries)
}

/// The same as far as it goes, whatever the manifest asks for by now.
pub(crate) fn as_locked(
    world: &World,
    manifest: &Manifest,
    sources: &Sources,
    lock: &Lockfile,
    notes: &mut Notes,
) -> Result<Vec<ResolvedEntry>, Failure> {
    let named = |locked: &LockEntry| {
        let key = (locked.kind, locked.manifest_key());
        let same = |one: &Dependency| (one.kind, &one.name) == key && same_unit(one, locked);
        manifest.dependencies.iter().position(same)
    };
    let is_named = |locked: &LockEntry| {
        let inline = locked.unit.origin == ResourceOrigin::Manifest;
        !inline || named(locked).is_some()
    };
    let known_part = |locked: &LockEntry| {
        let mut locked = locked.clone();
        let kind = locked.kind;
        let has_place = |one: &LockedPlacement| manifest.tools.has_place(&one.tool, kind);
        locked.placements.retain(has_place);
        (!locked.placements.is_empty() && is_named(&locked)).then_some(locked)
    };
    let with_bytes_of = |lock: &Lockfile, notes: &mut Notes| {
        let roots = lock.entries.iter().map(named).collect();
        with_bytes(world, (manifest, sources), lock, roots, notes)
    };
    let all = with_entries(lock, known_part);
    // A file of this project may have changed since it was locked; what is pinned to a commit cannot.
    let is_as_locked = |locked: &LockEntry| {
        let same = |one: &LockEntry| (one.id() == locked.id()).then(|| one.clone());
        locked.unit.origin != ResourceOrigin::Local
            || with_bytes_of(&with_entries(&all, same), &mut Notes::default()).is_ok()
    };
    let unchanged = |locked: &LockEntry| is_as_locked(locked).then(|| locked.clone());
    let mut entries = match with_bytes_of(&all, &mut Notes::default()) {
        Ok(entries) => entries,
        Err(_) => with_bytes_of(&with_entries(&all, unchanged), notes)?,
    };
    for resolved in entries
        .iter_mut()
        .filter(|resolved| resolved.entry.variants.is_empty())
    {
        resolved.entry.variants.push(Variant::PLAIN);
    }
    Ok(entries)
}

/// A lockfile with some of its entries, and with what these still need of each other.
fn with_entries(lock: &Lockfile, part: impl Fn(&LockEntry) -> Option<LockEntry>) -> Lockfile {
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

fn with_bytes(
    world: &World,
    (manifest, sources): (&Manifest, &Sources),
    lock: &Lockfile,
    roots: Vec<Option<usize>>,
    notes: &mut Notes,
) -> Result<Vec<ResolvedEntry>, Failure> {
    let fetcher = Fetcher::new(world, sources, manifest);
    let mut known = fetcher.index(BTreeMap::new());
    let mut needs = BTreeSet::new();
    for locked in &lock.entries {
        match installed(sources, locked) {
            // A file that has the locked bytes tells all that its source could tell.
            Some(file) => {
                let found =
                    FoundContent::Resource(Arc::new(ResourceFiles::file(file)), Arc::default());
                fetcher.learn(
                    locked.unit.clone(),
                    locked.commit().cloned(),
                    found,
                    &mut known,
                    notes,
                )?;
            }
            None => {
                needs.insert(MissingFact::Content(
                    locked.unit.clone(),
                    locked.commit().cloned(),
                ));
            }
        }
    }
    fetcher.fulfil(&needs, &mut known, notes)?;
    for source in &lock.sources {
        if let Some(refs) = known.versions(&source.name) {
            report_moved_tags(lock, &source.name, refs, notes);
        }
    }
    // What a pattern of the manifest matched is wanted under the variables of the pattern.
    for (locked, root) in lock.entries.iter().zip(&roots) {
        let variant = root.map(|number| manifest.dependencies[number].variant);
        let found = known.found(&locked.unit, locked.commit()).cloned();
        if let (Some(variant), Some(found)) = (variant, found)
            && known.want(&locked.unit, variant)
        {
            fetcher.learn(
                locked.unit.clone(),
                locked.commit().cloned(),
                found,
                &mut known,
                notes,
            )?;
        }
    }
    fold_foreign_dependencies(notes);
    notes.check()?;
    let mut entries = Vec::new();
    let mut copies = Vec::new();
    for (locked, root) in lock.entries.iter().zip(roots) {
        let of_locked = copies_of(sources, locked, root, &known)?;
        copies.push(entries.len()..entries.len() + of_locked.len());
        entries.extend(of_locked);
    }
    link_needs(lock, &copies, &mut entries)?;
    spread_variants(manifest, &mut entries);
    let marketplaces = marketplace_entries(manifest, sources)?;
    expand_plugins(manifest, &marketplaces, &mut entries, notes)?;
    Ok(entries)
}

/// Every copy needs the copy of a resource that is for one of its own tools, or else the first one.
fn link_needs(
    lock: &Lockfile,
    copies: &[Range<usize>],
    entries: &mut [ResolvedEntry],
) -> Result<(), Failure> {
    let references = references(lock);
    for (locked, own) in lock.entries.iter().zip(copies) {
        for reference in &locked.dependencies {
            let Some(needed) = references.get(reference) else {
                return Err(outdated(format!(
                    "{} needs {reference}, which is not in the lockfile",
                    locked.label()
                )));
            };
            let needed = copies[*needed].clone();
            for at in own.clone() {
                let reads = |need: &usize| {
                    let readers = &entries[at].entry.readers;
                    let others = &entries[*need].entry.readers;
                    others.iter().any(|tool| readers.contains(tool))
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

/// The manifest's own entries have its variables, and what they need follows them.
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

/// What is installed of an entry from a repository, if it is just what is locked.
fn installed(sources: &Sources, locked: &LockEntry) -> Option<SourceFile> {
    if locked.commit().is_none() || locked.unit.extent != ResourceExtent::File {
        return None;
    }
    let paths = locked.paths();
    paths.into_iter().find_map(|path| {
        let (bytes, mode) = agpm_store::read_below(&sources.root, path.as_str(), limit()).ok()?;
        let file = SourceFile::new(bytes, mode);
        (locked.checksum == Some(file.checksum)).then_some(file)
    })
}

/// Entries by how others refer to them.
fn references(lock: &Lockfile) -> BTreeMap<String, usize> {
    lock.entries
        .iter()
        .enumerate()
        .map(|(number, locked)| (locked.reference(), number))
        .collect()
}

/// What the resources declare must be what they are locked with: a variable of the project may have changed it.
fn declared_as_locked(manifest: &Manifest, entries: &[ResolvedEntry]) -> Result<(), Failure> {
    for resolved in entries {
        let locked: BTreeSet<&Unit> = resolved
            .entry
            .needs
            .iter()
            .map(|need| &entries[*need].entry.unit)
            .collect();
        let enabled =
            |tool: Option<&ToolName>| tool.is_none_or(|tool| manifest.tools.is_enabled(tool));
        let variants = resolved.entry.variants.iter();
        let declared = variants.flat_map(|variant| resolved.needs.under(*variant));
        let declared = declared.filter(|(declared, _)| enabled(declared.tool.as_ref()));
        let mut plain = declared
            .map(|(_, unit)| unit)
            .filter(|unit| !unit.path.is_pattern());
        if let Some(unit) = plain.find(|unit| !locked.contains(unit)) {
            let (kind, name) = (resolved.entry.kind, &resolved.entry.name);
            return Err(outdated(format!(
                "{kind}/{name} needs `{unit}`, which it is not locked with"
            )));
        }
    }
    Ok(())
}

/// The parts of plugins must be those that are locked: the manifest may choose others by now.
fn parts_as_locked(lock: &Lockfile, entries: &[ResolvedEntry]) -> Result<(), Failure> {
    for locked in lock
        .entries
        .iter()
        .filter(|locked| locked.kind == ResourceType::Plugins)
    {
        let id = locked.id();
        let parts: BTreeSet<ResourceId> = entries
            .iter()
            .filter(|resolved| resolved.part_of.as_ref() == Some(&id))
            .map(ResolvedEntry::id)
            .collect();
        if !parts.iter().eq(&locked.parts) {
            return Err(outdated(format!(
                "the parts of {id} are not what is locked"
            )));
        }
    }
    Ok(())
}

/// One entry for each place that a resource is locked at.
fn copies_of(
    sources: &Sources,
    locked: &LockEntry,
    root: Option<usize>,
    known: &SourceIndex,
) -> Result<Vec<ResolvedEntry>, Failure> {
    let name = locked.label();
    let Some(FoundContent::Resource(resource, needed)) = known.found(&locked.unit, locked.commit())
    else {
        let version = locked.version().unwrap_or("this machine");
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
            "{name}: the bytes of `{}` are not those that are locked",
            locked.unit
        );
        let help = "someone changed the source or the lockfile: compare before you trust either";
        return Err(Diagnostic::new(&codes::LOCK_CHECKSUM, message)
            .help(help)
            .into());
    }
    if locked.placements.is_empty() {
        return Err(outdated(format!("{name} has no `tool` in the lockfile")));
    }
    let copy = |entry| ResolvedEntry {
        entry,
        version: SourceVersion {
            label: locked
                .version()
                .map(str::to_owned)
                .unwrap_or_else(|| "local".to_owned()),
            commit: locked.commit().cloned(),
        },
        requirements: locked
            .pin
            .iter()
            .flat_map(Pin::parsed_requirements)
            .collect(),
        matched_pattern: locked.pattern.is_some(),
        resource: Arc::clone(resource),
        needs: Arc::clone(needed),
        file: sources.file_of(&locked.unit),
        part_of: None,
    };
    let entries = entries_at(locked, root).into_iter();
    Ok(entries.map(copy).collect())
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

/// The manifest's dependency behind each locked entry; fails where manifest and lockfile differ.
pub(crate) fn roots(manifest: &Manifest, lock: &Lockfile) -> Result<Vec<Option<usize>>, Failure> {
    let by_name: BTreeMap<(ResourceType, &ResourceName), usize> = manifest
        .dependencies
        .iter()
        .enumerate()
        .map(|(number, dependency)| ((dependency.kind, &dependency.name), number))
        .collect();
    same_sources(manifest, lock)?;
    let mut seen = BTreeSet::new();
    let mut roots = Vec::new();
    for locked in &lock.entries {
        let key = (locked.kind, locked.manifest_key());
        let root = by_name
            .get(&key)
            .copied()
            .filter(|number| same_unit(&manifest.dependencies[*number], locked));
        if let Some(number) = root {
            seen.insert(number);
            same(manifest, &manifest.dependencies[number], locked)?;
        }
        roots.push(root);
    }
    let missing = manifest
        .dependencies
        .iter()
        .enumerate()
        .find(|(number, dependency)| {
            !seen.contains(number) && !manifest.tools.used_by(dependency).is_empty()
        });
    if let Some((_, dependency)) = missing {
        return Err(outdated(format!(
            "{}/{} is not in the lockfile",
            dependency.kind, dependency.name
        )));
    }
    unreachable(lock, &roots)?;
    Ok(roots)
}

/// Whether every source is where it was.
pub(crate) fn same_sources(manifest: &Manifest, lock: &Lockfile) -> Result<(), Failure> {
    for locked in &lock.sources {
        let now = manifest
            .source(&locked.name)
            .map(|source| source.address.to_string());
        if locked.url.is_some() && now.is_some() && locked.url != now {
            let message = format!(
                "source `{}` has another address than when it was locked",
                locked.name
            );
            return Err(outdated(message));
        }
    }
    Ok(())
}

/// Whether a dependency means what is locked.
pub(crate) fn same_unit(dependency: &Dependency, locked: &LockEntry) -> bool {
    let path = locked.pattern.as_ref().unwrap_or(&locked.unit.path);
    dependency.unit.origin == locked.unit.origin && dependency.unit.path == *path
}

fn same(manifest: &Manifest, dependency: &Dependency, locked: &LockEntry) -> Result<(), Failure> {
    let tools = manifest.tools.used_by(dependency);
    let wanted = TargetRequest {
        name: locked.name.as_str(),
        ..TargetRequest::of(dependency, &locked.unit.path, &manifest.tools)
    };
    let mut places = placements(&manifest.tools, &tools, &wanted).unwrap_or_default();
    match dependency.install {
        InstallMode::Write => {}
        InstallMode::ResolveOnly => places.iter_mut().for_each(|placement| placement.at = None),
        InstallMode::InPlace => {
            let own = RelativePath::new(locked.unit.path.as_str()).ok();
            places
                .iter_mut()
                .for_each(|placement| placement.at.clone_from(&own));
        }
    }
    let asked = locked.commit().map(|_| dependency.requirement.as_str());
    let requirement = locked.requirement();
    let differs = [
        ("requirement", requirement != asked),
        (
            "tool",
            locked.tools().collect::<BTreeSet<_>>() != tools.into_iter().collect(),
        ),
        ("place", !are_same_places(manifest, locked, &places)),
        ("`install`", locked.install != dependency.install),
        (
            "`exclude`",
            dependency
                .exclude
                .iter()
                .any(|one| one.name == locked.name.as_str()),
        ),
        ("entry", is_other_server(dependency, locked)),
        (
            "patches",
            shared_patches(locked) != project_patches(manifest, locked),
        ),
    ];
    match differs.into_iter().find(|(_, differs)| *differs) {
        None => Ok(()),
        Some((what, _)) => {
            let verb = if what == "patches" { "are" } else { "is" };
            let message = format!(
                "the {what} of {}/{} {verb} not what is locked",
                locked.kind, locked.name
            );
            Err(outdated(message))
        }
    }
}

/// Whether a resource is locked at the places that the manifest gives it. Which directory a block is in depends on the
/// files that it is for, and on the project.
fn are_same_places(manifest: &Manifest, locked: &LockEntry, places: &[LockedPlacement]) -> bool {
    let is_same = |(locked, now): (&LockedPlacement, &LockedPlacement)| {
        let tool = manifest.tools.named(now.tool.as_str());
        let is_block = |place: &LockedPlacement| {
            let holds = |path: &RelativePath| tool.is_some_and(|tool| tool.may_hold_blocks(path));
            place.at.as_ref().is_some_and(holds)
        };
        locked == now || locked.tool == now.tool && is_block(locked) && is_block(now)
    };
    let is_instruction = locked.kind == ResourceType::Instructions;
    locked.placements == places
        || is_instruction
            && locked.placements.len() == places.len()
            && locked.placements.iter().zip(places).all(is_same)
}

/// Whether the manifest says something else of a server than when it was locked.
fn is_other_server(dependency: &Dependency, locked: &LockEntry) -> bool {
    let now = inline_bytes(dependency).filter(|_| locked.unit.origin == ResourceOrigin::Manifest);
    now.is_some_and(|bytes| locked.checksum != Some(Checksum::of(&bytes)))
}

/// The locked fields that everybody's patches set.
fn shared_patches(locked: &LockEntry) -> BTreeSet<String> {
    locked
        .patches
        .iter()
        .filter(|field| !locked.private_patches.contains(field))
        .cloned()
        .collect()
}

/// The same as the manifest has it; what has no fields cannot be patched.
fn project_patches(manifest: &Manifest, locked: &LockEntry) -> BTreeSet<String> {
    let concerns = |patch: &&Patch| {
        patch.kind == locked.kind
            && patch.name == locked.name.as_str()
            && patch.scope == PatchScope::Project
            && format_of(&locked.unit).is_some()
    };
    let fields = manifest
        .patches
        .iter()
        .filter(concerns)
        .flat_map(Patch::leaves);
    fields.map(|field| field.to_string()).collect()
}

/// An entry that nothing asks for any more.
fn unreachable(lock: &Lockfile, roots: &[Option<usize>]) -> Result<(), Failure> {
    let references = references(lock);
    let mut reached: BTreeSet<usize> = roots
        .iter()
        .enumerate()
        .filter(|(_, root)| root.is_some())
        .map(|(n, _)| n)
        .collect();
    let mut queue: Vec<usize> = reached.iter().copied().collect();
    while let Some(number) = queue.pop() {
        for reference in &lock.entries[number].dependencies {
            if let Some(child) = references
                .get(reference)
                .filter(|child| reached.insert(**child))
            {
                queue.push(*child);
            }
        }
    }
    match lock
        .entries
        .iter()
        .enumerate()
        .find(|(number, _)| !reached.contains(number))
    {
        None => Ok(()),
        Some((_, locked)) => Err(outdated(format!(
            "nothing asks for {}/{} any more",
            locked.kind, locked.name
        ))),
    }
}
