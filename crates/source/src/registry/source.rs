//! A repository of artifacts as a source.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use agpm_model::{RelativePath, ResolvedVersion, Revision, SourceVersions};
use agpm_store::parallel;

use super::artifact::{Artifact, ArtifactReader, ContentUse, id_of, seconds_of};
use super::cache::{BlobCache, CONTENT_DIRECTORY, RepositoryCache, TagRecord};
use super::content::ContentStore;
use super::manifest::Descriptor;
use super::versions::{TagLookup, versions_of};
use crate::archive::visit_archive;
use crate::checkout::{checkout_key, checkout_path, write_checkout};
use crate::tree::{ContentFile, ContentPlace};
use crate::{
    FileFetching, Source, SourceEntry, SourceEntryKind, SourceError, SourceTree, SourceVersioning,
};

/// The most bytes of one file. Larger ones are not text that a person wrote.
const LARGEST_FILE: u64 = 256 << 20;

/// A repository of a registry, or a layout, as a source.
#[derive(Debug)]
pub(crate) struct ArtifactSource {
    store: Arc<dyn ContentStore>,
    blobs: BlobCache,
    cache: Arc<RepositoryCache>,
    lookup: Arc<TagLookup>,
    versions: Mutex<Option<Arc<SourceVersions>>>,
    artifacts: Mutex<HashMap<Revision, Arc<Artifact>>>,
    /// Where the content of each listed file is.
    places: Mutex<HashMap<Revision, KnownContent>>,
}

#[derive(Clone, Debug)]
struct KnownContent {
    place: ContentPlace,
    size: u64,
    layer: Option<Descriptor>,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn required(revision: Option<&Revision>) -> Result<&Revision, SourceError> {
    revision.ok_or_else(|| SourceError::NoSuchRevision("no version given".to_owned()))
}

impl ArtifactSource {
    pub(crate) fn new(store: Arc<dyn ContentStore>, cache: &Path) -> Self {
        let directory = cache.join(CONTENT_DIRECTORY);
        let cache = Arc::new(RepositoryCache::new(&directory, store.label()));
        ArtifactSource {
            lookup: Arc::new(TagLookup::new(Arc::clone(&store), Arc::clone(&cache))),
            store,
            blobs: BlobCache::new(directory),
            cache,
            versions: Mutex::default(),
            artifacts: Mutex::default(),
            places: Mutex::default(),
        }
    }

    fn reader(&self, mode: ContentUse) -> ArtifactReader<'_> {
        ArtifactReader {
            store: &*self.store,
            cache: &self.blobs,
            mode,
        }
    }

    /// Returns the artifact of a revision; `None` if it may not be fetched.
    fn artifact(
        &self,
        revision: &Revision,
        mode: ContentUse,
    ) -> Result<Option<Arc<Artifact>>, SourceError> {
        if let Some(found) = locked(&self.artifacts).get(revision) {
            return Ok(Some(Arc::clone(found)));
        }
        if let Some(failure) = self.lookup.failure_of(revision) {
            return Err(failure);
        }
        let Some(artifact) = self.reader(mode).read(revision)? else {
            return Ok(None);
        };
        let mut places = locked(&self.places);
        for (_, file) in artifact.tree.iter() {
            places
                .entry(file.id.clone())
                .or_insert_with(|| known_content(file, &artifact));
        }
        drop(places);
        let artifact = Arc::new(artifact);
        locked(&self.artifacts).insert(revision.clone(), Arc::clone(&artifact));
        Ok(Some(artifact))
    }

    /// Returns the artifact of a revision that was fetched.
    fn fetched(&self, revision: Option<&Revision>) -> Result<Arc<Artifact>, SourceError> {
        let revision = required(revision)?;
        let found = self.artifact(revision, ContentUse::Cached)?;
        found.ok_or_else(|| {
            let label = self.store.label();
            SourceError::NoSuchRevision(format!("`{label}`: {} was not fetched", revision.short()))
        })
    }

    fn known(&self, file: &SourceEntry) -> Result<KnownContent, SourceError> {
        let id = file.id.as_ref();
        let found = id.and_then(|id| locked(&self.places).get(id).cloned());
        found.ok_or_else(|| {
            SourceError::MissingFile(format!("`{}` has no `{}`", self.store.label(), file.path))
        })
    }

    /// The beginnings of files that configurations list.
    fn known_heads(&self, files: &[&SourceEntry]) -> Vec<Option<Vec<u8>>> {
        let artifacts: Vec<Arc<Artifact>> = locked(&self.artifacts).values().cloned().collect();
        let head_of = |file: &SourceEntry| {
            let id = file.id.as_ref()?;
            let mut heads = artifacts
                .iter()
                .filter_map(|artifact| artifact.heads.get(id));
            heads.next().map(|head| head.clone().into_bytes())
        };
        files.iter().map(|file| head_of(file)).collect()
    }

    /// Reads files of one archive, by their ids.
    fn read_archive(
        &self,
        archive: &Revision,
        wanted: &BTreeMap<String, Revision>,
    ) -> Result<HashMap<Revision, Vec<u8>>, SourceError> {
        let label = self.store.label();
        let mut contents = HashMap::new();
        let what = format!("`{label}`: the layer {archive}");
        let mut keep = |entry: crate::archive::ArchiveEntry, content: Option<Vec<u8>>| {
            if let (Some(id), Some(content)) = (wanted.get(&entry.path), content) {
                contents.insert(id.clone(), content);
            }
            Ok(())
        };
        visit_archive(self.blobs.open(archive)?, &mut keep, &|path| {
            wanted.contains_key(path)
        })
        .map_err(|error| error.of_source(&what))?;
        for (path, id) in wanted {
            // The list of files came separately from the layer, and the cache may have been changed.
            match contents.get(id) {
                Some(content) if id_of(content) == *id => {}
                Some(_) => {
                    self.blobs.forget(archive);
                    let reason = format!("{what}: `{path}` is not the file that is listed");
                    return Err(SourceError::Invalid(reason));
                }
                None => {
                    let reason = format!("{what}: it has no `{path}`");
                    return Err(SourceError::Invalid(reason));
                }
            }
        }
        Ok(contents)
    }
}

fn known_content(file: &ContentFile, artifact: &Artifact) -> KnownContent {
    let layer = match &file.place {
        ContentPlace::Archived { archive, .. } => artifact.layers.get(archive).cloned(),
        ContentPlace::Blob(blob) => artifact.layers.get(blob).cloned(),
        ContentPlace::Here(_) => None,
    };
    KnownContent {
        place: file.place.clone(),
        size: file.size,
        layer,
    }
}

impl Source for ArtifactSource {
    fn versioning(&self) -> SourceVersioning {
        SourceVersioning::Versioned
    }

    fn versions(&self) -> Result<Arc<SourceVersions>, SourceError> {
        let mut versions = locked(&self.versions);
        if let Some(versions) = &*versions {
            return Ok(Arc::clone(versions));
        }
        let remembered = self.cache.tags();
        let tags = if self.store.is_out_of_reach() {
            match remembered {
                Some(record) => record.tags.into_keys().collect(),
                // The error names the cause.
                None => self.store.tags()?,
            }
        } else {
            let tags = self.store.tags()?;
            let old = remembered.unwrap_or_default().tags;
            let digest = |tag: &String| old.get(tag).cloned().flatten();
            let record = TagRecord {
                tags: tags.iter().map(|tag| (tag.clone(), digest(tag))).collect(),
            };
            self.cache.remember_tags(&record)?;
            tags
        };
        let listed = Arc::new(versions_of(tags.into_iter(), &self.lookup));
        Ok(Arc::clone(versions.insert(listed)))
    }

    fn remembered_versions(&self) -> Option<SourceVersions> {
        if let Some(versions) = &*locked(&self.versions) {
            return Some((**versions).clone());
        }
        let record = self.cache.tags()?;
        let known = record.tags.iter();
        let known = known.filter_map(|(tag, digest)| {
            Some((tag.clone(), digest.as_ref()?.parse::<Revision>().ok()?))
        });
        let mut versions = versions_of(record.tags.keys().cloned(), &self.lookup);
        for (tag, digest) in known {
            let names = if versions.tags.contains_key(&tag) {
                &mut versions.tags
            } else {
                &mut versions.branches
            };
            if names.contains_key(&tag) {
                names.insert(tag, digest);
            }
        }
        Some(versions)
    }

    fn is_out_of_reach(&self) -> bool {
        self.store.is_out_of_reach()
    }

    fn find_revision(&self, digits: &str) -> Result<Revision, SourceError> {
        if let Ok(revision) = digits.parse::<Revision>() {
            return Ok(revision);
        }
        let label = self.store.label();
        Err(SourceError::NoSuchRevision(format!(
            "`{label}`: `{digits}` is not a whole digest"
        )))
    }

    fn has_revision(&self, revision: &Revision) -> bool {
        matches!(self.artifact(revision, ContentUse::Cached), Ok(Some(_)))
    }

    fn released(&self, versions: &[ResolvedVersion]) -> Vec<Option<u64>> {
        let time = |version: &ResolvedVersion| {
            let artifact = self.artifact(&version.revision, ContentUse::Fetched);
            seconds_of(artifact.ok()??.created.as_deref()?)
        };
        versions.iter().map(time).collect()
    }

    fn fetch(&self, revisions: &[Revision], _: FileFetching) -> Result<(), SourceError> {
        for revision in revisions {
            self.artifact(revision, ContentUse::Fetched)?;
        }
        Ok(())
    }

    fn entry(
        &self,
        revision: Option<&Revision>,
        path: &str,
    ) -> Result<Option<SourceEntry>, SourceError> {
        Ok(self.fetched(revision)?.tree.entry(path))
    }

    fn walk(
        &self,
        revision: Option<&Revision>,
        directory: &str,
        enters: &dyn Fn(&str) -> bool,
    ) -> Result<SourceTree, SourceError> {
        self.fetched(revision)?.tree.walk(directory, enters)
    }

    fn fetch_files(&self, files: &[&SourceEntry]) -> Result<(), SourceError> {
        let mut missing: BTreeMap<Revision, Descriptor> = BTreeMap::new();
        for file in files {
            if matches!(file.kind, SourceEntryKind::Directory) {
                continue;
            }
            let known = self.known(file)?;
            let blob = match known.place {
                ContentPlace::Archived { archive, .. } => archive,
                ContentPlace::Blob(blob) => blob,
                ContentPlace::Here(_) => continue,
            };
            if let Some(layer) = known.layer.filter(|_| !self.blobs.has(&blob)) {
                missing.insert(blob, layer);
            }
        }
        let reader = self.reader(ContentUse::Fetched);
        let missing: Vec<(Revision, Descriptor)> = missing.into_iter().collect();
        let fetched = parallel::map_waiting(missing, |(digest, layer)| {
            reader.fetch_blob(&digest, &layer)
        });
        fetched.into_iter().collect()
    }

    fn size(&self, files: &[&SourceEntry]) -> Result<u64, SourceError> {
        let mut all: u64 = 0;
        for file in files {
            all = all.saturating_add(self.known(file)?.size);
        }
        Ok(all)
    }

    fn read(&self, files: &[&SourceEntry]) -> Result<Vec<Vec<u8>>, SourceError> {
        let mut archives: BTreeMap<Revision, BTreeMap<String, Revision>> = BTreeMap::new();
        let mut contents: HashMap<Revision, Vec<u8>> = HashMap::new();
        for file in files {
            let known = self.known(file)?;
            let Some(id) = file.id.clone() else { continue };
            if known.size > LARGEST_FILE {
                let message = format!("`{}` is too large ({} bytes)", file.path, known.size);
                return Err(SourceError::FileTooLarge(message));
            }
            match known.place {
                ContentPlace::Archived { archive, path } => {
                    archives.entry(archive).or_default().insert(path, id);
                }
                ContentPlace::Blob(blob) => {
                    let bytes = self.blobs.read(&blob, LARGEST_FILE).ok_or_else(|| {
                        let label = self.store.label();
                        SourceError::Broken(format!("`{label}`: {blob} in the cache was changed"))
                    })?;
                    contents.insert(id, bytes);
                }
                ContentPlace::Here(bytes) => drop(contents.insert(id, bytes.to_vec())),
            }
        }
        let read = parallel::map(archives.into_iter().collect(), |(archive, wanted)| {
            self.read_archive(&archive, &wanted)
        });
        for read in read {
            contents.extend(read?);
        }
        let mut all = Vec::with_capacity(files.len());
        for file in files {
            let content = file.id.as_ref().and_then(|id| contents.get(id));
            all.push(content.cloned().ok_or_else(|| {
                SourceError::MissingFile(format!("`{}` has no `{}`", self.store.label(), file.path))
            })?);
        }
        Ok(all)
    }

    fn fetch_heads(&self, files: &[&SourceEntry]) -> Result<(), SourceError> {
        let heads = self.known_heads(files);
        let mut missing = Vec::new();
        for (file, head) in files.iter().zip(heads) {
            if head.is_none() {
                missing.push(*file);
            }
        }
        self.fetch_files(&missing)
    }

    fn read_heads(&self, files: &[&SourceEntry]) -> Result<Vec<Vec<u8>>, SourceError> {
        let mut heads = self.known_heads(files);
        let mut missing = Vec::new();
        for (file, head) in files.iter().zip(&heads) {
            if head.is_none() {
                missing.push(*file);
            }
        }
        let mut read = self.read(&missing)?.into_iter();
        for head in heads.iter_mut().filter(|head| head.is_none()) {
            *head = read.next();
        }
        Ok(heads.into_iter().flatten().collect())
    }

    fn directory(
        &self,
        revision: Option<&Revision>,
        inner: Option<&RelativePath>,
    ) -> Result<PathBuf, SourceError> {
        let revision = required(revision)?;
        self.artifact(revision, ContentUse::Fetched)?;
        write_checkout(self, &self.cache.trees(), revision, inner)
    }

    fn cached_directory(
        &self,
        revision: Option<&Revision>,
        inner: Option<&RelativePath>,
    ) -> Option<PathBuf> {
        let path = checkout_path(&self.cache.trees(), revision?, inner);
        agpm_store::is_real_directory(&path).then_some(path)
    }

    fn require_directory(
        &self,
        revision: Option<&Revision>,
        inner: &RelativePath,
    ) -> Result<(), SourceError> {
        let revision = required(revision)?;
        self.artifact(revision, ContentUse::Fetched)?;
        let artifact = self.fetched(Some(revision))?;
        let found = artifact.tree.entry(inner.as_str());
        if found.is_some_and(|entry| entry.kind == SourceEntryKind::Directory) {
            return Ok(());
        }
        let above = inner
            .as_str()
            .rsplit_once('/')
            .map_or("", |(above, _)| above);
        let beside = artifact.tree.walk(above, &|_| false)?.entries.into_iter();
        let beside = beside.filter(|entry| entry.kind == SourceEntryKind::Directory);
        let names = beside.filter_map(|entry| Some(entry.path.rsplit('/').next()?.to_owned()));
        Err(SourceError::NoSuchDirectory {
            directory: inner.to_string(),
            beside: names.collect(),
            message: format!("no directory `{inner}` in {}", revision.short()),
        })
    }

    fn remember_directory(
        &self,
        reference: Option<&str>,
        inner: Option<&RelativePath>,
        revision: &Revision,
    ) -> Result<(), SourceError> {
        self.cache
            .remember_last(&checkout_key(reference, inner), revision)
    }

    fn last_directory(
        &self,
        reference: Option<&str>,
        inner: Option<&RelativePath>,
    ) -> Option<(Revision, PathBuf)> {
        let revision = self.cache.last_revision(&checkout_key(reference, inner))?;
        let path = self.cached_directory(Some(&revision), inner)?;
        Some((revision, path))
    }

    fn listed_sources(&self) -> Result<Option<Vec<String>>, SourceError> {
        self.store.repositories()
    }
}
