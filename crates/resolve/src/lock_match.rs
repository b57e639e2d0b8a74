//! Checks whether a manifest requires exactly the locked resources.

use std::collections::{BTreeMap, BTreeSet};

use crate::{TargetRequest, placements};
use agpm_diag::{Failure, FailureKind, Notes};
use agpm_model::outdated_lock;
use agpm_model::{
    Checksum, Dependency, InstallMode, LockEntry, LockedPlacement, Lockfile, Manifest, PATCH_FILE,
    Patch, PatchScope, RelativePath, ResourceId, ResourceName, ResourceOrigin, ResourceType, Unit,
};

use crate::declared::format_of;
use crate::entries::ResolvedEntry;
use crate::shared_hooks::is_served;

/// Finds the manifest dependency of a locked resource, whatever its requirement.
pub struct RootFinder<'m> {
    manifest: &'m Manifest,
    by_name: BTreeMap<(ResourceType, &'m ResourceName), usize>,
}

impl<'m> RootFinder<'m> {
    /// A finder for one manifest.
    pub fn new(manifest: &'m Manifest) -> Self {
        let dependencies = manifest.dependencies.iter().enumerate();
        let by_name =
            dependencies.map(|(number, dependency)| ((dependency.kind, &dependency.name), number));
        RootFinder {
            manifest,
            by_name: by_name.collect(),
        }
    }

    /// The index of the dependency; `None` for transitive resources.
    pub fn find(&self, locked: &LockEntry) -> Option<usize> {
        let number = *self.by_name.get(&(locked.kind, locked.manifest_key()))?;
        is_locked_as(&self.manifest.dependencies[number], locked).then_some(number)
    }
}

/// The dependency of the manifest for each locked resource; fails where manifest and lockfile differ, with every
/// difference in the notes.
pub fn locked_roots(
    manifest: &Manifest,
    lock: &Lockfile,
    notes: &mut Notes,
) -> Result<Vec<Option<usize>>, Failure> {
    let finder = RootFinder::new(manifest);
    let roots: Vec<Option<usize>> = lock.entries.iter().map(|one| finder.find(one)).collect();
    let mut differences: Vec<String> = moved_sources(manifest, lock).collect();
    let locked = lock.entries.iter().zip(&roots);
    differences.extend(locked.filter_map(|(locked, root)| {
        difference_from(manifest, &manifest.dependencies[(*root)?], locked)
    }));
    let found: BTreeSet<usize> = roots.iter().flatten().copied().collect();
    let is_missing = |(number, dependency): &(usize, &Dependency)| {
        // A dependency for no enabled tool is not locked, so its absence is not a difference.
        !found.contains(number) && !manifest.tools.used_by(dependency).is_empty()
    };
    let dependencies = manifest.dependencies.iter().enumerate();
    let missing = dependencies.filter(is_missing);
    differences.extend(
        missing.map(|(_, dependency)| format!("{} is not in the lockfile", dependency.id())),
    );
    differences.extend(unreachable(lock, &roots));
    if differences.is_empty() {
        return Ok(roots);
    }
    let found = differences.into_iter().map(outdated_lock);
    notes
        .diagnostics
        .extend(found.filter_map(|failure| failure.diagnostic));
    Err(Failure::reported_as(FailureKind::Lock))
}

/// Checks that no source has moved.
pub fn check_locked_sources(manifest: &Manifest, lock: &Lockfile) -> Result<(), Failure> {
    match moved_sources(manifest, lock).next() {
        None => Ok(()),
        Some(message) => Err(outdated_lock(message)),
    }
}

fn moved_sources(manifest: &Manifest, lock: &Lockfile) -> impl Iterator<Item = String> {
    lock.sources.iter().filter_map(|locked| {
        let now = manifest
            .source(&locked.name)
            .map(|source| source.address.to_string());
        // A source without a URL in the lockfile is a local directory, whose path differs between machines.
        let is_moved = locked.url.is_some() && now.is_some() && locked.url != now;
        is_moved.then(|| {
            format!(
                "source `{}` has another URL than when it was locked",
                locked.name
            )
        })
    })
}

/// Checks that a dependency matches its locked resource.
pub fn is_locked_as(dependency: &Dependency, locked: &LockEntry) -> bool {
    let path = locked.pattern.as_ref().unwrap_or(&locked.unit.path);
    dependency.unit.origin == locked.unit.origin && dependency.unit.path == *path
}

/// The difference between a dependency and its locked resource.
fn difference_from(
    manifest: &Manifest,
    dependency: &Dependency,
    locked: &LockEntry,
) -> Option<String> {
    let tools = manifest.tools.used_by(dependency);
    let request = TargetRequest {
        name: locked.name.as_str(),
        ..TargetRequest::of(dependency, &locked.unit.path, &manifest.tools)
    };
    // A path that cannot be built now was built when it was locked, so it differs.
    let mut placements = placements(&manifest.tools, &tools, &request).unwrap_or_default();
    match dependency.install {
        InstallMode::Write => {}
        InstallMode::ResolveOnly => placements
            .iter_mut()
            .for_each(|placement| placement.at = None),
        InstallMode::InPlace => {
            let source_path = RelativePath::new(locked.unit.path.as_str()).ok();
            placements
                .iter_mut()
                .for_each(|placement| placement.at.clone_from(&source_path));
        }
    }
    // Without a commit nothing was resolved, and the requirement of a directory has no effect.
    let required = locked.commit().map(|_| dependency.requirement.as_str());
    let requirement = locked.requirement();
    // Only the first difference is reported. Another tool changes the path too, so `tool` is before `path`.
    if requirement != required {
        return Some(difference(locked, "requirement", "differs"));
    }
    if locked.tools().collect::<BTreeSet<_>>() != tools.into_iter().collect() {
        return Some(difference(locked, "tool", "differs"));
    }
    if !are_same_placements(manifest, locked, &placements) {
        return Some(difference(locked, "path", "differs"));
    }
    if locked.install != dependency.install {
        return Some(difference(locked, "`install`", "differs"));
    }
    let mut excluded = dependency.exclude.iter();
    if excluded.any(|one| one.name == locked.name.as_str()) {
        return Some(difference(locked, "`exclude`", "differs"));
    }
    if is_other_server(dependency, locked) {
        return Some(difference(locked, "entry", "differs"));
    }
    // Patches of `agpm.private.toml` are not compared: with them a lockfile would be out of date for everyone else.
    if shared_patches(locked) != project_patches(manifest, locked) {
        return Some(difference(locked, "patches", "differ"));
    }
    None
}

fn difference(locked: &LockEntry, field: &str, differs: &str) -> String {
    let label = locked.label();
    format!("the {field} of {label} {differs} from the lockfile")
}

/// Whether a resource is locked at the paths that the manifest gives it. The directory of a block depends on the files
/// that it applies to, and on the project.
fn are_same_placements(
    manifest: &Manifest,
    locked: &LockEntry,
    placements: &[LockedPlacement],
) -> bool {
    // Which of a tool's block files is used depends on what the project already has, so two clones may differ.
    let is_same = |(locked, now): (&LockedPlacement, &LockedPlacement)| {
        let tool = manifest.tools.named(now.tool.as_str());
        let is_block = |placement: &LockedPlacement| {
            let holds = |path: &RelativePath| tool.is_some_and(|tool| tool.may_hold_blocks(path));
            placement.at.as_ref().is_some_and(holds)
        };
        locked == now || locked.tool == now.tool && is_block(locked) && is_block(now)
    };
    let is_same_hook = |(locked, now): (&LockedPlacement, &LockedPlacement)| {
        locked == now || locked.tool == now.tool && is_served(locked, placements)
    };
    let mut pairs = locked.placements.iter().zip(placements);
    let is_alike = match locked.kind {
        ResourceType::Instructions => pairs.all(is_same),
        ResourceType::Hooks => pairs.all(is_same_hook),
        _ => locked.placements == placements,
    };
    is_alike && locked.placements.len() == placements.len()
}

/// Whether the manifest's definition of a server changed since it was locked.
fn is_other_server(dependency: &Dependency, locked: &LockEntry) -> bool {
    let now = dependency.server_bytes();
    let now = now.filter(|_| locked.unit.origin == ResourceOrigin::Manifest);
    now.is_some_and(|bytes| locked.checksum != Some(Checksum::of(&bytes)))
}

/// The locked fields that shared patches set.
fn shared_patches(locked: &LockEntry) -> BTreeSet<String> {
    let fields = locked.patches.iter().chain(&locked.dropped_patches);
    fields
        .filter(|field| !locked.private_patches.contains(field))
        .cloned()
        .collect()
}

/// The fields that the manifest's shared patches set; resources without fields cannot be patched.
fn project_patches(manifest: &Manifest, locked: &LockEntry) -> BTreeSet<String> {
    let concerns = |patch: &&Patch| {
        patch.kind == locked.kind
            && patch.name == locked.name.as_str()
            && patch.scope == PatchScope::Project
    };
    let mut names = BTreeSet::new();
    for patch in manifest.patches.iter().filter(concerns) {
        if format_of(&locked.unit).is_some() {
            names.extend(patch.leaves().iter().map(ToString::to_string));
        }
        names.extend(patch.text_file.is_some().then(|| PATCH_FILE.to_owned()));
    }
    names
}

/// The locked resources that nothing requires any more.
fn unreachable(lock: &Lockfile, roots: &[Option<usize>]) -> Vec<String> {
    let references = numbers_by_reference(lock);
    let numbers = 0..lock.entries.len();
    // From the roots: a removed dependency leaves its transitive ones in the lockfile, and a frozen install must not
    // install them.
    let mut queue: Vec<usize> = numbers.filter(|at| roots[*at].is_some()).collect();
    let mut reached: BTreeSet<usize> = queue.iter().copied().collect();
    while let Some(number) = queue.pop() {
        let dependencies = lock.entries[number].dependencies.iter();
        let needed = dependencies.filter_map(|reference| references.get(reference));
        queue.extend(needed.filter(|child| reached.insert(**child)));
    }
    let entries = lock.entries.iter().enumerate();
    let lost = entries.filter(|(number, _)| !reached.contains(number));
    lost.map(|(_, locked)| format!("{} is no longer required", locked.label()))
        .collect()
}

/// The indices of locked resources, by the references of dependents.
pub(crate) fn numbers_by_reference(lock: &Lockfile) -> BTreeMap<String, usize> {
    lock.entries
        .iter()
        .enumerate()
        .map(|(number, locked)| (locked.reference(), number))
        .collect()
}

/// Checks that the declarations of resources match the lockfile: a variable of the project may have changed them.
pub fn check_declared_needs(manifest: &Manifest, entries: &[ResolvedEntry]) -> Result<(), Failure> {
    for resolved in entries {
        let locked: BTreeSet<&Unit> = resolved
            .entry
            .needs
            .iter()
            .map(|need| &entries[*need].entry.unit)
            .collect();
        for variant in &resolved.entry.variants {
            for (declared, unit) in resolved.needs.under(*variant) {
                // Resolving skips what is declared for a disabled tool, so it is not locked.
                let tool = declared.tool.as_ref();
                if tool.is_some_and(|tool| !manifest.tools.is_enabled(tool)) {
                    continue;
                }
                // A pattern is locked as the files it matched, so the pattern itself is not in the lockfile.
                if unit.path.is_pattern() || locked.contains(unit) {
                    continue;
                }
                let id = resolved.id();
                return Err(outdated_lock(format!(
                    "{id} needs `{unit}`, which it is not locked with"
                )));
            }
        }
    }
    Ok(())
}

/// Checks that the parts of plugins are the locked ones: the manifest may select others now.
pub fn check_plugin_parts(lock: &Lockfile, entries: &[ResolvedEntry]) -> Result<(), Failure> {
    for locked in lock
        .entries
        .iter()
        .filter(|locked| locked.kind == ResourceType::Plugins)
    {
        let id = locked.id();
        let parts: BTreeSet<ResourceId> = entries
            .iter()
            .filter(|resolved| resolved.part_of.contains(&id))
            .map(ResolvedEntry::id)
            .collect();
        if !parts.iter().eq(&locked.parts) {
            return Err(outdated_lock(format!(
                "the parts of {id} differ from the lockfile"
            )));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use agpm_model::{InstallScope, ManifestTexts, SectionEntry};
    use agpm_text::{Document, Format, parse_alone};

    const MANIFEST: &str = "[sources]\nkit = \"https://host.invalid/kit\"\n\n[agents]\na = { source = \"kit\", path = \"agents/a.md\", version = \"^1.0\" }\n";

    fn lock(more: &str) -> Lockfile {
        let text = format!(
            "version = 1\n\n[[sources]]\nname = \"kit\"\nurl = \"https://host.invalid/kit\"\n\n[[agents]]\nname = \"a\"\nsource = \"kit\"\npath = \"agents/a.md\"\nrequirement = \"^1.0\"\nversion = \"v1.0.0\"\nresolved_commit = \"{}\"\nchecksum = \"sha256:{}\"\ninstalled_at = \".claude/agents/a.md\"\ntool = \"claude-code\"\ndependencies = []\n{more}",
            "1".repeat(40),
            "0".repeat(64),
        );
        let (lock, found) = Lockfile::read(&parse_alone(text, Format::Toml).document);
        assert!(found.is_empty(), "{found:?}");
        lock
    }

    fn manifest(text: &str) -> Manifest {
        let document: Document = parse_alone(text, Format::Toml).document;
        let entries = |section: &str| {
            let section = document.root().and_then(|root| root.get(section));
            let entries = section.into_iter().flat_map(|section| section.entries());
            entries
                .map(|(key, value)| SectionEntry { key, value })
                .collect()
        };
        let (manifest, found) = Manifest::read(&ManifestTexts {
            scope: InstallScope::Project,
            project: &document,
            manifest: &document,
            bases: &[],
            private: None,
            config: None,
            entries: &entries,
            syntax_errors: &[],
        });
        assert!(found.is_empty(), "{found:?}");
        manifest
    }

    fn differences(text: &str, more: &str) -> Vec<String> {
        let mut notes = Notes::default();
        let found = locked_roots(&manifest(text), &lock(more), &mut notes);
        assert_eq!(found.is_err(), !notes.diagnostics.is_empty());
        let messages = notes.diagnostics.into_iter().map(|found| found.message);
        messages.collect()
    }

    fn difference(text: &str, more: &str) -> Option<String> {
        differences(text, more).into_iter().next()
    }

    #[test]
    fn all_differences_are_found() {
        let orphan = "\n[[snippets]]\nname = \"s\"\nsource = \"kit\"\npath = \"s.md\"\nchecksum = \"sha256:0000000000000000000000000000000000000000000000000000000000000000\"\ndependencies = []\n";
        let changed = MANIFEST.replace("^1.0", "^2.0") + "b = \"b.md\"\n";
        let expected = [
            "the requirement of agents/a differs from the lockfile",
            "agents/b is not in the lockfile",
            "snippets/s is no longer required",
        ];
        assert_eq!(differences(&changed, orphan), expected);
    }

    #[test]
    fn a_lockfile_fits_the_manifest_that_it_was_made_from() {
        let roots = locked_roots(&manifest(MANIFEST), &lock(""), &mut Notes::default()).ok();
        assert_eq!(roots, Some(vec![Some(0)]));
    }

    #[test]
    fn every_difference_is_named() {
        let cases = [
            (
                "^1.0",
                "^2.0",
                "the requirement of agents/a differs from the lockfile",
            ),
            (
                "version",
                "tool = \"codex\", version",
                "the tool of agents/a differs from the lockfile",
            ),
            (
                "version",
                "target = \"x\", version",
                "the path of agents/a differs from the lockfile",
            ),
            (
                "version",
                "install = false, version",
                "the path of agents/a differs from the lockfile",
            ),
            (
                "invalid/kit",
                "invalid/other",
                "source `kit` has another URL than when it was locked",
            ),
            (
                "agents/a.md",
                "agents/b.md",
                "agents/a is not in the lockfile",
            ),
        ];
        for (old, new, message) in cases {
            let changed = MANIFEST.replacen(old, new, 1);
            assert_eq!(difference(&changed, "").as_deref(), Some(message), "{new}");
        }
        let patched = format!("{MANIFEST}\n[patch.agents.a]\nmodel = \"x\"\n");
        assert_eq!(
            difference(&patched, "").as_deref(),
            Some("the patches of agents/a differ from the lockfile")
        );
    }

    #[test]
    fn a_locked_resource_that_nothing_requires_is_found() {
        let orphan = "\n[[snippets]]\nname = \"s\"\nsource = \"kit\"\npath = \"s.md\"\nchecksum = \"sha256:0000000000000000000000000000000000000000000000000000000000000000\"\ndependencies = []\n";
        let message = difference(MANIFEST, orphan);
        assert_eq!(message.as_deref(), Some("snippets/s is no longer required"));
    }
}
