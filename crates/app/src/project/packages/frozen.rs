//! Reads the entries of the lockfile without resolving anything, and verifies all content.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use agpm_diag::{Failure, Notes};
use agpm_model::{
    FileMode, LockEntry, Lockfile, Manifest, ResourceExtent, ResourceOrigin, ResourceType,
    Revision, SourceName, Unit, Variant,
};
use agpm_resolve::{
    FoundContent, LockedContent, MissingFact, ReadContent, ResolvedEntry, ResourceFiles,
    RootFinder, SourceFile, check_declared_needs, check_plugin_parts, expand_plugins,
    fold_foreign_dependencies, installable_part, locked_roots, marketplace_entries, part_of_lock,
    report_moved_tags,
};

use crate::project::packages::fetch::FactFetcher;
use crate::project::packages::sources::ProjectSources;
use crate::project::reading::limit;

/// Returns the locked entries with their content; fails if the manifest requires something else.
pub(crate) fn frozen_entries(
    manifest: &Manifest,
    sources: &ProjectSources,
    lock: &Lockfile,
    notes: &mut Notes,
) -> Result<Vec<ResolvedEntry>, Failure> {
    let roots = locked_roots(manifest, lock, notes)?;
    let reader = LockedReader { manifest, sources };
    let entries = reader.read(lock, &roots, notes)?;
    check_declared_needs(manifest, &entries)?;
    check_plugin_parts(lock, &entries)?;
    Ok(entries)
}

/// Returns the locked entries with their content, even if the manifest changed since. Local files that changed are left
/// out.
pub(crate) fn as_locked(
    manifest: &Manifest,
    sources: &ProjectSources,
    lock: &Lockfile,
    notes: &mut Notes,
) -> Result<Vec<ResolvedEntry>, Failure> {
    let reader = LockedReader { manifest, sources };
    let all = installable_part(lock, manifest);
    let mut entries = match reader.read_any(&all, &mut Notes::default()) {
        Ok(entries) => entries,
        Err(_) => reader.read_any(&reader.unchanged_part(&all), notes)?,
    };
    for resolved in entries
        .iter_mut()
        .filter(|resolved| resolved.entry.variants.is_empty())
    {
        resolved.entry.variants.push(Variant::PLAIN);
    }
    Ok(entries)
}

/// Reads locked entries for one manifest.
struct LockedReader<'a> {
    manifest: &'a Manifest,
    sources: &'a ProjectSources,
}

impl LockedReader<'_> {
    fn read_any(&self, lock: &Lockfile, notes: &mut Notes) -> Result<Vec<ResolvedEntry>, Failure> {
        let finder = RootFinder::new(self.manifest);
        let roots: Vec<Option<usize>> = lock
            .entries
            .iter()
            .map(|entry| finder.find(entry))
            .collect();
        self.read(lock, &roots, notes)
    }

    /// Returns the lockfile without local files that changed. Content that is pinned to a commit cannot change.
    fn unchanged_part(&self, lock: &Lockfile) -> Lockfile {
        let is_as_locked = |locked: &LockEntry| {
            let same = |entry: &LockEntry| (entry.id() == locked.id()).then(|| entry.clone());
            let alone = part_of_lock(lock, same);
            self.read_any(&alone, &mut Notes::default()).is_ok()
        };
        part_of_lock(lock, |locked| {
            let is_unchanged = locked.unit.origin != ResourceOrigin::Local || is_as_locked(locked);
            is_unchanged.then(|| locked.clone())
        })
    }

    fn read(
        &self,
        lock: &Lockfile,
        roots: &[Option<usize>],
        notes: &mut Notes,
    ) -> Result<Vec<ResolvedEntry>, Failure> {
        let LockedReader { manifest, sources } = *self;
        let fetcher = FactFetcher::new(sources, manifest);
        let mut index = fetcher.index(BTreeMap::new());
        let mut needs = BTreeSet::new();
        let mut cached = CachedCommits::default();
        for locked in &lock.entries {
            match read_installed_file(sources, locked, &mut cached) {
                // An installed file with the locked checksum equals the file in the source, so a project that is
                // installed is checked without fetching.
                Some(file) => {
                    let found =
                        FoundContent::Resource(Arc::new(ResourceFiles::file(file)), Arc::default());
                    fetcher.add_read_content(read_content(locked, found), &mut index, notes)?;
                }
                None => {
                    needs.insert(MissingFact::Content(
                        locked.unit.clone(),
                        locked.commit().cloned(),
                    ));
                }
            }
        }
        fetcher.read_missing_facts(&needs, &mut index, notes)?;
        for source in &lock.sources {
            if let Some(refs) = index.versions(&source.name) {
                report_moved_tags(lock, &source.name, refs, notes);
            }
        }
        // Matches of a pattern use the template variables of the pattern's dependency.
        for (locked, root) in lock.entries.iter().zip(roots) {
            let variant = root.map(|number| manifest.dependencies[number].variant);
            let found = index.found(&locked.unit, locked.commit()).cloned();
            if let (Some(variant), Some(found)) = (variant, found)
                && index.want(&locked.unit, variant)
            {
                fetcher.add_read_content(read_content(locked, found), &mut index, notes)?;
            }
        }
        fold_foreign_dependencies(notes);
        notes.check()?;
        let content = LockedContent {
            manifest,
            roots,
            index: &index,
            file_of: &|unit: &Unit| sources.file_of(unit),
        };
        let mut entries = content.entries(lock)?;
        let marketplaces = marketplace_entries(manifest, sources, &entries)?;
        expand_plugins(manifest, &marketplaces, &mut entries, notes)?;
        Ok(entries)
    }
}

/// Which locked commits are in the cache, each looked up once.
#[derive(Default)]
struct CachedCommits<'l>(BTreeMap<(&'l SourceName, &'l Revision), bool>);

/// Reads the installed file of an entry from a repository, if it has the locked checksum. Modes are not locked, so
/// files that may be executable are read from a source that can be reached, and all that are in the cache.
fn read_installed_file<'l>(
    sources: &ProjectSources,
    locked: &'l LockEntry,
    cached: &mut CachedCommits<'l>,
) -> Option<SourceFile> {
    let commit = locked.commit()?;
    if locked.unit.extent != ResourceExtent::File {
        return None;
    }
    let name = locked.unit.origin.source()?;
    let source = sources.versioned_source(name);
    let is_cached = cached.0.entry((name, commit));
    if *is_cached.or_insert_with(|| source.is_some_and(|source| source.has_revision(commit))) {
        return None;
    }
    let may_be_asked = source.is_some_and(|source| !source.is_out_of_reach());
    let may_differ_in_mode = |mode| mode == FileMode::Plain && locked.kind != ResourceType::Scripts;
    let paths = locked.paths();
    paths.into_iter().find_map(|path| {
        let (bytes, mode) = agpm_store::read_below(&sources.root, path.as_str(), limit()).ok()?;
        let file = SourceFile::new(bytes, mode);
        let is_enough = may_differ_in_mode(mode) || !may_be_asked;
        (locked.checksum == Some(file.checksum) && is_enough).then_some(file)
    })
}

fn read_content(locked: &LockEntry, found: FoundContent) -> ReadContent {
    ReadContent {
        unit: locked.unit.clone(),
        commit: locked.commit().cloned(),
        found,
    }
}
